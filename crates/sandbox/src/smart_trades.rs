//! What the operations on SmartTrades do.

use super::defaults;
use super::record::{Record, text};
use super::route::{Asked, Route};
use super::state::World;
use botdesk_api::record::Record as _;
use botdesk_api::row::FieldSpec;
use botdesk_api::smart_trade::{REDUCE_FUNDS_INFO, ReduceFundsInfo};
use botdesk_api::values::{Integer, Text};
use botdesk_server::answer::{Refusal, Told};

/// The operations on SmartTrades.
pub(super) const ROUTES: &[Route] = &[Route { endpoint: REDUCE_FUNDS_INFO, handler: reduce_funds_info }];

const STATUS: FieldSpec = FieldSpec::of::<Text>("status").sample("\"waiting_targets\"");

/// What the document says of a SmartTrade, beside what a query for its funds answers.
const OF_ITS_OWN: [FieldSpec; 2] = [FieldSpec::of::<Integer>("id"), STATUS];

/// The fields of a SmartTrade.
pub(super) fn rows() -> impl Iterator<Item = &'static FieldSpec> + Clone {
    OF_ITS_OWN.iter().chain(ReduceFundsInfo::ROWS)
}

/// A SmartTrade of which nothing is said.
pub(super) fn smart_trade() -> Record {
    defaults::of_rows(rows())
}

/// The state in which funds can be reduced.
pub(super) const WAITING: &str = "waiting_targets";

fn reduce_funds_info(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let trade = asked.id.and_then(|id| world.smart_trades.get(&id)).ok_or_else(Refusal::no_smart_trade)?;
    if text(trade, STATUS.name) != WAITING {
        return Err(Refusal::no_reducing_now());
    }
    let told = ReduceFundsInfo::ROWS.iter().filter_map(|row| Some((row.wire.to_owned(), trade.get(row.wire)?.clone())));
    Ok(Told::of(&told.collect::<Record>()))
}
