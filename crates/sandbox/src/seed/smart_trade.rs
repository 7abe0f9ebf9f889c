//! The SmartTrades of the demo world.

use super::random::Random;
use crate::defaults::object;
use crate::record::Record;
use crate::smart_trades::{self, WAITING};

/// The identifiers and the states. The document names no other state than the one that waits.
const TRADES: [(u64, &str); 4] = [(301, WAITING), (302, "created"), (303, WAITING), (304, "finished")];

/// The SmartTrades, each with its identifier.
pub(super) fn smart_trades(seed: u64) -> impl Iterator<Item = (u64, Record)> {
    TRADES.into_iter().map(move |(id, status)| {
        let mut random = Random::new(seed, id);
        let reducible = format!("{}.{:08}", random.between(0, 40), random.between(1, 99_999_999));
        let mut trade = smart_trades::smart_trade();
        trade.extend(object! { "id": id, "status": status, "max_reduce_funds_amount": reducible });
        (id, trade)
    })
}
