//! Descriptions of records.

use super::decode::Record;
use crate::row::FieldSpec;

/// The records that one file defines.
#[derive(Clone, Copy, Debug)]
pub struct RecordModule {
    /// The path of the file in the repository.
    pub file: &'static str,
    /// The records, in the order of the API reference.
    pub records: &'static [RecordSpec],
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
