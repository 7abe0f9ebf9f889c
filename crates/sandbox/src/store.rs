//! The records of all resources, by resource and id.

use std::collections::BTreeMap;

use super::record::JsonRecord;

/// The records of a resource by id.
pub(crate) type Table = BTreeMap<u64, JsonRecord>;

/// The records of all resources. Each has a field of its own, so that the market can modify one table while it reads others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub(crate) accounts: Table,
    /// The DCA bots, as a list contains them.
    pub(crate) dca_bots: Table,
    /// The open deals of DCA bots, and the latest finished ones.
    pub(crate) deals: Table,
    pub(crate) grid_bots: Table,
    pub(crate) smart_trades: Table,
    /// The simple trades by their number, which no response contains.
    pub(crate) trades: Table,
}
