//! What one file writes down of the API.

use super::endpoint::Endpoint;
use super::record::Record;
use super::row::Row;

/// What one file here writes down of the document.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The file, from the root of the sources on.
    pub file: &'static str,
    /// The records, in the document's order.
    pub records: &'static [Shape],
    /// The operations, in the document's order.
    pub operations: &'static [Endpoint],
}

/// The name of a record and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The name of the record.
    pub name: &'static str,
    /// Its description, in a sentence.
    pub about: &'static str,
    /// Its fields, in the document's order.
    pub rows: &'static [Row],
}

impl Shape {
    /// The shape of a record.
    pub const fn of<R: Record>() -> Self {
        Self { name: R::NAME, about: R::ABOUT, rows: R::ROWS }
    }
}
