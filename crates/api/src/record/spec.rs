//! The records of a file.

use crate::row::RecordSpec;

/// The records that one file defines.
#[derive(Clone, Copy, Debug)]
pub struct RecordModule {
    /// The path of the file in the repository.
    pub file: &'static str,
    /// The records, in the order of the API reference.
    pub records: &'static [RecordSpec],
}
