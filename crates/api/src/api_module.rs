//! Modules of the API: the records and the operations that one file defines.

use super::endpoint::Endpoint;
use super::record::Record;
use super::row::FieldSpec;

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

/// The name, the description and the fields of a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordSpec {
    /// The name of the record.
    pub name: &'static str,
    /// Its description, in a sentence.
    pub about: &'static str,
    /// Its fields, in the order of the API reference.
    pub rows: &'static [FieldSpec],
}

impl RecordSpec {
    /// Returns the description of a record.
    pub const fn of<R: Record>() -> Self {
        Self { name: R::NAME, about: R::ABOUT, rows: R::ROWS }
    }
}
