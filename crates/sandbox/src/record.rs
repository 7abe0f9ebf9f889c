//! Records as the sandbox stores them.

pub(crate) use botdesk_schema::json_record::{
    JsonRecord, integer, is_true, list, nested, nested_number, nested_string, number, string,
};
use botdesk_trading::decimal::Decimal;

/// Formats a number as records contain it.
pub(super) fn plain(number: &Decimal) -> String {
    number.normalized().to_string()
}
