//! The operations that read what grid bots have done, and what they need.

use bigdecimal::{BigDecimal, Zero as _};
use jiff::Timestamp;
use serde_json::Value;

use super::defaults::{object, sample};
use super::grid_bot_record;
use super::grid_history::{GridOrder, GridProfit};
use super::inputs;
use super::operations::{page, parse_time};
use super::record::{JsonRecord, integer, list, number, plain, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::accounts::UNAVAILABLE;
use botdesk_api::grid_bots::{GridLine, GridProfitsQuery};
use botdesk_schema::input::{InputName, RequestBuilder};
use botdesk_schema::pair::currencies;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::engine::grid_config::GridInvestment;
use botdesk_trading::grid::OrderSide;

/// An amount that is nothing, as the service writes it.
const NOTHING: &str = "0.0";

fn bot<'a>(state: &'a State, params: &RequestParams<'_>) -> Result<(u64, &'a JsonRecord), ApiError> {
    params.record_in(&state.store.grid_bots)
}

pub(super) fn profits(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let (id, bot) = bot(state, params)?;
    let history = state.grid_history(id).unwrap_or_default();
    let made = history.profits.iter().rev().filter(|profit| is_between(&query, &profit.created_at));
    Ok(SerializedBody::serialize(&made.map(|profit| profit_record(bot, profit)).collect::<Vec<_>>()))
}

fn is_between(query: &RequestBuilder, created_at: &str) -> bool {
    let bound = |input: InputName| query.value(input).and_then(parse_time);
    let created = created_at.parse::<Timestamp>().ok();
    let (from, to) = (bound(GridProfitsQuery::from_), bound(GridProfitsQuery::to));
    created.is_some_and(|created| from.is_none_or(|from| created >= from) && to.is_none_or(|to| created <= to))
}

fn profit_record(bot: &JsonRecord, made: &GridProfit) -> JsonRecord {
    let GridProfit { line, price, profit, usd, created_at } = made;
    let is_line = |known: &&Value| {
        known.get("id").and_then(Value::as_u64) == Some(*line) && known.get("price").is_some_and(|at| at == price)
    };
    let current = list(bot, "grid_lines").iter().find(is_line).cloned();
    let gone = || {
        let mut gone = sample::<GridLine>();
        gone.extend(object! { "id": *line, "price": price.as_str(), "side": Value::Null, "order_placed": false });
        Value::Object(gone)
    };
    object! {
        "grid_line_id": *line,
        "profit": plain(profit),
        "usd_profit": plain(usd),
        "created_at": created_at.as_str(),
        "grid_line": current.unwrap_or_else(gone),
    }
}

pub(super) fn events(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let (id, _) = bot(state, params)?;
    let history = state.grid_history(id).unwrap_or_default();
    Ok(SerializedBody::serialize(&page(&query, history.events.iter()).collect::<Vec<_>>()))
}

pub(super) fn orders(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let (id, _) = bot(state, params)?;
    let history = state.grid_history(id).unwrap_or_default();
    let mut placed: Vec<_> = history.placed.values().collect();
    placed.sort_by_key(|order| std::cmp::Reverse(order.id));
    let placed: Vec<_> = page(&query, placed.into_iter()).map(placed_order).collect();
    let balancing: Vec<_> = page(&query, history.balancing.iter().rev()).map(filled_order).collect();
    Ok(SerializedBody::serialize(&object! { "grid_lines_orders": placed, "balancing_orders": balancing }))
}

fn order_record(order: &GridOrder) -> JsonRecord {
    object! {
        "order_id": order.id,
        "order_type": if order.side() == OrderSide::Sell { "SELL" } else { "BUY" },
        "status_string": "Active",
        "created_at": order.created_at.as_str(),
        "quantity": plain(&order.quantity),
        "quantity_remaining": plain(&order.quantity),
        "total": NOTHING,
        "rate": plain(&order.price),
        "average_price": NOTHING,
    }
}

fn placed_order(order: &GridOrder) -> JsonRecord {
    let mut record = order_record(order);
    record.extend(object! { "updated_at": order.created_at.as_str() });
    record
}

/// Returns a filled market order. The service spells the time of its last change in another way.
fn filled_order(order: &GridOrder) -> JsonRecord {
    let mut record = order_record(order);
    record.extend(object! {
        "update_at": order.created_at.as_str(),
        "status_string": "Filled",
        "quantity_remaining": NOTHING,
        "total": plain(&(&order.price * &order.quantity)),
        "average_price": plain(&order.price),
    });
    record
}

pub(super) fn required_balances(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (id, bot) = bot(state, params)?;
    if state.trades_futures(bot) {
        return Err(ApiError::refused(403, UNAVAILABLE));
    }
    let is_marked = list(bot, "grid_lines").iter().any(|line| line.get("side").is_some_and(Value::is_string));
    let market = state.market.market(string(bot, "pair"), &state.costs);
    let grid =
        grid_bot_record::read(bot, &market, None).filter(|_| is_marked).ok_or_else(ApiError::grid_lines_not_marked)?;
    let price = number(bot, "current_price");
    let required = grid.investment(&(&price).into());
    let (quote, base) = currencies(string(bot, "pair")).unwrap_or_default();
    let account = integer(bot, "account_id").and_then(|id| u64::try_from(id).ok()).unwrap_or_default();
    // What the bot has in orders now is free for those of a launch.
    let own = state.reserved_by_grid(id, bot);
    let available = |currency: &str| state.free_amount(account, currency) + own.of(currency);
    let [base, quote] = [base, quote].map(|currency| (currency, available(currency)));
    Ok(SerializedBody::serialize(&balances(&required, base, quote, &price)))
}

/// Returns what a start requires, and what is missing of the balances, each with its currency.
fn balances(
    required: &GridInvestment,
    (base, free_base): (&str, BigDecimal),
    (quote, free_quote): (&str, BigDecimal),
    price: &BigDecimal,
) -> JsonRecord {
    let left = [free_base - required.base.to_big(), free_quote - required.quote.to_big()];
    let [missing_base, missing_quote] = left.clone().map(|left| (-left).max(BigDecimal::zero()));
    let [surplus_base, surplus_quote] = left.map(|left| left.max(BigDecimal::zero()));
    let (lacks_base, lacks_quote) = (!missing_base.is_zero(), !missing_quote.is_zero());
    let is_available = match (lacks_base, lacks_quote) {
        (true, true) => false,
        (true, false) => surplus_quote >= &missing_base * price,
        (false, true) => surplus_base * price >= missing_quote,
        (false, false) => true,
    };
    let necessary = if lacks_base { amount(&missing_base, base) } else { amount(&missing_quote, quote) };
    object! {
        "missing_balance": object! { "base": amount(&missing_base, base), "quote": amount(&missing_quote, quote) },
        "required_balance": object! {
            "base": amount(&required.base.to_big(), base),
            "quote": amount(&required.quote.to_big(), quote),
        },
        "need_balancing": lacks_base || lacks_quote,
        "balancing_available": is_available,
        "necessary_quantities": necessary,
    }
}

fn amount(quantity: &BigDecimal, currency: &str) -> JsonRecord {
    let quantity = if quantity.is_zero() { NOTHING.to_owned() } else { quantity.normalized().to_plain_string() };
    object! { "quantity": quantity, "currency": currency }
}
