//! Modules of the API: the records and the operations that one file defines.

use super::endpoint::Endpoint;
use super::record::{RecordModule, RecordSpec};

/// The records and the operations that one file defines.
#[derive(Clone, Copy, Debug)]
pub struct ApiModule {
    /// The path of the file in the repository.
    pub file: &'static str,
    /// The records, in the order of the API reference.
    pub records: &'static [RecordSpec],
    /// The operations, in the order of the API reference.
    pub operations: &'static [Endpoint],
}

impl ApiModule {
    /// Returns the module of a file that defines records, but no operations.
    pub const fn of_records(RecordModule { file, records }: RecordModule) -> Self {
        Self { file, records, operations: &[] }
    }
}
