//! The SmartTrades of the initial state.

use crate::defaults::object;
use crate::random::Random;
use crate::record::JsonRecord;
use crate::smart_trades::{self, WAITING};

/// The ids and statuses. The API reference documents only the status `waiting_targets`.
const TRADES: [(u64, &str); 4] = [(301, WAITING), (302, "created"), (303, WAITING), (304, "finished")];

/// Returns the SmartTrades with their ids.
pub(super) fn smart_trades(seed: u64) -> impl Iterator<Item = (u64, JsonRecord)> {
    TRADES.into_iter().map(move |(id, status)| {
        let mut random = Random::new(seed, id);
        let reducible = format!("{}.{:08}", random.between(0, 40), random.between(1, 99_999_999));
        let mut trade = smart_trades::default_smart_trade();
        trade.extend(object! { "id": id, "status": status, "max_reduce_funds_amount": reducible });
        (id, trade)
    })
}
