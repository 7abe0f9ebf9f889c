//! What the operations on SmartTrades do.

use serde_json::Value;

use super::answer::Refusal;
use super::defaults::object;
use super::router::{Asked, Route};
use super::state::World;
use crate::service::smart_trade::REDUCE_FUNDS_INFO;

/// The operations on SmartTrades.
pub(super) const ROUTES: &[Route] = &[Route { endpoint: REDUCE_FUNDS_INFO, handler: reduce_funds_info }];

/// The state in which funds can be reduced.
pub(super) const WAITING: &str = "waiting_targets";

fn reduce_funds_info(world: &mut World, asked: &Asked<'_>) -> Result<Value, Refusal> {
    let trade = asked.id.and_then(|id| world.smart_trades.get(&id)).ok_or_else(Refusal::no_smart_trade)?;
    if trade.status != WAITING {
        return Err(Refusal::no_reducing_now());
    }
    Ok(Value::Object(object! { "max_reduce_funds_amount": trade.reducible.as_str() }))
}
