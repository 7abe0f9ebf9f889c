//! The state of a watched record.

use botdesk_schema::record::Fields;

/// A record, and the records in it.
#[derive(Clone, Debug)]
pub(super) struct RecordState {
    /// The record.
    pub(super) record: Fields,
    /// The records in it; None if they are unknown.
    pub(super) nested: Option<Vec<Fields>>,
}
