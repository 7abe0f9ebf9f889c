//! The SmartTrades of the demo world.

use super::random::Random;
use crate::sandbox::smart_trades::WAITING;
use crate::sandbox::state::SmartTradeState;

/// The identifiers and the states. The document names no other state than the one that waits.
const TRADES: [(u64, &str); 4] = [(301, WAITING), (302, "created"), (303, WAITING), (304, "finished")];

/// The SmartTrades, each with its identifier.
pub(super) fn smart_trades(seed: u64) -> impl Iterator<Item = (u64, SmartTradeState)> {
    TRADES.into_iter().map(move |(id, status)| {
        let mut random = Random::new(seed, id);
        let reducible = format!("{}.{:08}", random.between(0, 40), random.between(1, 99_999_999));
        (id, SmartTradeState { status, reducible })
    })
}
