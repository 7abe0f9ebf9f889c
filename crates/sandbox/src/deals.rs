//! The deals of DCA bots.

use super::resource::{RecordType, Resource, table};
use botdesk_api::deal::Deal;

/// The deals of DCA bots, open and finished.
pub(super) struct Deals;

impl Resource for Deals {
    table!(deals);

    fn record(&self) -> RecordType {
        RecordType::of::<Deal>("a deal")
    }
}
