//! The records of an initial state.

use std::collections::BTreeMap;

use super::market;
use crate::listings::PairListings;
use crate::state::DcaBotState;
use crate::store::Store;

/// The records of an initial state.
#[derive(Clone)]
pub(crate) struct SeedRecords {
    pub(crate) market: PairListings,
    pub(crate) store: Store,
    pub(crate) dca_bot_states: BTreeMap<u64, DcaBotState>,
    pub(crate) next_deal: u64,
}

impl SeedRecords {
    /// Returns the market of a seed, without records.
    pub(crate) fn new(seed: u64) -> Self {
        Self { market: market::market(seed), store: Store::default(), dca_bot_states: BTreeMap::new(), next_deal: 1 }
    }
}
