//! The values by which lists are sorted.

use bigdecimal::BigDecimal;

use super::record::{JsonRecord, number, string};
use botdesk_schema::field::{FieldSpec, Schema};

/// The field by which a list is sorted by default.
pub(crate) const CREATED_AT: &str = "created_at";

/// The value by which a list is sorted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SortValue {
    Number(BigDecimal),
    Text(String),
    /// Records with true are after those with false; within both, the text decides.
    Group(bool, String),
}

impl SortValue {
    /// Returns the value of a field, by default of the time of creation.
    pub(crate) fn of(record: &JsonRecord, row: Option<&FieldSpec>) -> Self {
        match row {
            Some(FieldSpec { schema: Schema::Decimal | Schema::Integer | Schema::Any, wire, .. }) => {
                Self::Number(number(record, wire))
            }
            row => Self::Text(string(record, row.map_or(CREATED_AT, |row| row.wire)).to_owned()),
        }
    }
}
