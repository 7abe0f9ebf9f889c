//! The number of active bots, deals, trades and orders of an account: a count over the records.

use serde_json::Value;

use super::defaults::object;
use super::record::{JsonRecord, integer, is_true, list, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The statuses of SmartTrades that are over.
const OVER: [&str; 6] = ["cancelled", "failed", "finished", "panic_sold", "stop_loss_finished", "closed"];

/// Returns the counts of an account.
pub(super) fn active_trading_entities(
    state: &mut State,
    params: &RequestParams<'_>,
) -> Result<SerializedBody, ApiError> {
    let (id, account) = params.record_in(&state.store.accounts)?;
    if is_true(account, "api_key_invalid") {
        return Err(ApiError::invalid_exchange_key());
    }
    let store = &state.store;
    let is_on = |record: &&JsonRecord| account_of(record) == Some(id);
    let bots = store.dca_bots.values().filter(is_on).filter(|bot| is_true(bot, "is_enabled"));
    let deals = || store.deals.values().filter(is_on).filter(|deal| !is_true(deal, "finished?"));
    let trades = store.smart_trades.values().filter(is_on).filter(|trade| is_active(trade));
    let grid_bots = || store.grid_bots.values().filter(is_on).filter(|bot| is_true(bot, "is_enabled"));
    let orders = deals().map(orders_of_deal).sum::<usize>() + grid_bots().map(orders_of_grid_bot).sum::<usize>();
    Ok(SerializedBody::serialize(&object! {
        "active_bots_count": bots.count(),
        "active_deals_count": deals().count(),
        "active_smart_trades_count": trades.count(),
        "active_orders_count": orders,
        "active_grid_bots_count": grid_bots().count(),
    }))
}

/// Returns true if an account has an active bot, deal or trade.
pub(super) fn has_any(state: &State, account: u64) -> bool {
    let store = &state.store;
    let is_on = |record: &&JsonRecord| account_of(record) == Some(account);
    let bots = store.dca_bots.values().chain(store.grid_bots.values());
    bots.filter(is_on).any(|bot| is_true(bot, "is_enabled"))
        || store.deals.values().filter(is_on).any(|deal| !is_true(deal, "finished?"))
        || store.smart_trades.values().filter(is_on).any(is_active)
}

/// Returns the account of a record. SmartTrades have it in an object.
pub(super) fn account_of(record: &JsonRecord) -> Option<u64> {
    let within = || record.get("account")?.get("id")?.as_u64();
    integer(record, "account_id").and_then(|id| u64::try_from(id).ok()).or_else(within)
}

fn is_active(trade: &JsonRecord) -> bool {
    let status = trade.get("status").and_then(|status| status.get("type").or(Some(status))).and_then(Value::as_str);
    !status.is_some_and(|status| OVER.contains(&status))
}

/// Returns the number of orders of a deal: the safety orders, and the take profit.
fn orders_of_deal(deal: &JsonRecord) -> usize {
    let safety_orders =
        integer(deal, "current_active_safety_orders_count").and_then(|count| usize::try_from(count).ok());
    let takes_profit = !string(deal, "take_profit_price").is_empty();
    safety_orders.unwrap_or_default() + usize::from(takes_profit)
}

fn orders_of_grid_bot(bot: &JsonRecord) -> usize {
    let is_placed = |line: &&Value| line.as_object().is_some_and(|line| is_true(line, "order_placed"));
    list(bot, "grid_lines").iter().filter(is_placed).count()
}
