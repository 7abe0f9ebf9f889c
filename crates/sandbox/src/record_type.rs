//! The types of records.

use serde_json::Value;

use super::record::JsonRecord;
use botdesk_schema::field::FieldSpec;
use botdesk_schema::record::{Fields, Record};

/// The type of the records of a resource.
#[derive(Clone, Copy)]
pub(super) struct RecordType {
    /// The name of the record in the API reference.
    pub(super) name: &'static str,
    /// The name with an article, for messages.
    pub(super) noun: &'static str,
    rows: &'static [FieldSpec],
    /// Parses a record; returns None if it can't be read.
    parse: fn(&str) -> Option<Fields>,
}

impl RecordType {
    /// Returns the type of a record of the API reference.
    pub(super) const fn of<R: Record>(noun: &'static str) -> Self {
        Self { name: <R as Record>::NAME, noun, rows: R::ROWS, parse: fields::<R> }
    }

    /// Returns the rows of the fields.
    pub(super) fn rows(self) -> impl Iterator<Item = &'static FieldSpec> + Clone {
        self.rows.iter()
    }

    /// Returns the row of a field by its name in JSON.
    pub(super) fn row(self, field: &str) -> Option<&'static FieldSpec> {
        self.rows().find(|row| row.wire == field)
    }

    /// Returns the fields of a record; None if it can't be read.
    pub(super) fn fields(self, record: &JsonRecord) -> Option<Fields> {
        (self.parse)(&Value::Object(record.clone()).to_string())
    }
}

fn fields<R: Record>(json: &str) -> Option<Fields> {
    R::from_json(json).ok().map(|record| record.fields().clone())
}
