//! Sales of everything that an account has.

use bigdecimal::{BigDecimal, RoundingMode, Zero as _};
use serde_json::Value;

use super::active_entities::account_of;
use super::balance::Balance;
use super::balances::{self, usd_price};
use super::bot_deals::{Ending, end_deal};
use super::exchanges::trades_futures;
use super::grid_bots;
use super::listings::Costs;
use super::record::{JsonRecord, is_true, string};
use super::route::RequestParams;
use super::simple_trade::is_over;
use super::simple_trade_life;
use super::smart_trade_figures::{nested_string, part_mut};
use super::smart_trade_life;
use super::smart_trade_parts::{self, Circumstances};
use super::smart_trade_record::ask;
use super::state::State;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::engine::smart_trade::{SmartTrade, SmartTradeStatus};
use botdesk_trading::rounding::quotient;

/// The decimal places of amounts.
const PLACES: i64 = 8;

pub(super) fn sell_all_to_btc(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    sell_all(state, params, "BTC")
}

/// Sells everything for the stablecoin in which the pairs of the sandbox are quoted.
pub(super) fn sell_all_to_usd(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    sell_all(state, params, "USDT")
}

fn sell_all(state: &mut State, params: &RequestParams<'_>, currency: &str) -> Result<SerializedBody, ApiError> {
    let (id, account) = params.record_in(&state.store.accounts)?;
    if !is_true(account, "fast_convert_available") {
        return Err(params.error(403));
    }
    let is_spot = !trades_futures(string(account, "market_code"));
    state.write_history();
    // On a spot account, the orders that close its positions sell coins that are sold here anyway.
    let held = is_spot.then(|| state.ledger(id));
    end_deals(state, id)?;
    stop_grid_bots(state, id);
    end_trades(state, id);
    let held = held.unwrap_or_else(|| state.ledger(id));
    let sold = sold(state, &held, currency);
    hold(state, id, sold);
    let account = state.valued_account(id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&account))
}

/// Gives an account other balances.
pub(super) fn hold(state: &mut State, id: u64, balances: Vec<Balance>) {
    let value = balances::value_fields(&balances, &state.market);
    let now = state.clock.tick();
    if let Some(account) = state.store.accounts.get_mut(&id) {
        account.extend(value);
        account.insert("updated_at".to_owned(), now);
    }
    state.given_values.remove(&id);
    state.holdings.insert(id, balances);
}

/// Returns the only balance after a sale at the prices of the market, less the costs of orders.
fn sold(state: &State, balances: &[Balance], code: &str) -> Vec<Balance> {
    let Costs { fee, slippage } = &state.costs;
    let one = BigDecimal::from(1);
    let left = (&one - fee.to_big()) * (&one - slippage.to_big());
    let price = usd_price(code, &state.market);
    let mut free = BigDecimal::zero();
    for balance in balances {
        let amount = balance.total();
        if balance.code == code {
            free += amount;
            continue;
        }
        let usd = amount * usd_price(&balance.code, &state.market) * &left;
        free += rounded_down(&quotient(&usd, &price).unwrap_or_default());
    }
    vec![Balance::free(code, free)]
}

pub(super) fn rounded_down(amount: &BigDecimal) -> BigDecimal {
    amount.with_scale_round(PLACES, RoundingMode::Down)
}

/// Disables the DCA bots of an account, and closes all deals on it at the market price.
fn end_deals(state: &mut State, account: u64) -> Result<(), ApiError> {
    let is_on = |record: &JsonRecord| account_of(record) == Some(account);
    let bots: Vec<_> = state.store.dca_bots.keys().copied().collect();
    for id in bots {
        let deals = state.open_deals(id).filter(|deal| is_on(deal));
        let deals: Vec<_> = deals.filter_map(|deal| deal.get("id").and_then(Value::as_u64)).collect();
        let (mut bot, clock) = state.dca_bot(Some(id))?;
        let stops = is_on(bot.record) && is_true(bot.record, "is_enabled");
        if deals.is_empty() && !stops {
            continue;
        }
        let now = clock.tick();
        let at = clock.now();
        for deal in deals {
            end_deal(&mut bot, deal, Ending::Close, at, &now);
        }
        if stops {
            bot.set("is_enabled", false);
        }
        bot.add_event("Everything on the account is sold", now);
    }
    // The market fills the orders that close the deals at once.
    state.advance_to(state.clock.now());
    Ok(())
}

fn stop_grid_bots(state: &mut State, account: u64) {
    let on_account = state.store.grid_bots.iter().filter(|(_, bot)| account_of(bot) == Some(account));
    let ids: Vec<_> = on_account.map(|(id, _)| *id).collect();
    for id in ids {
        grid_bots::turn_off(state, id);
    }
}

/// Ends the SmartTrades and the simple trades of an account.
fn end_trades(state: &mut State, account: u64) {
    let now = state.clock.now();
    let is_on = |trade: &&mut JsonRecord| account_of(trade) == Some(account);
    let smart_trades: Vec<_> = state
        .store
        .smart_trades
        .iter()
        .filter(|(_, trade)| account_of(trade) == Some(account))
        .map(|(id, _)| *id)
        .collect();
    for id in smart_trades {
        state.change_smart_trade(id, |trade, _, now| end_smart_trade(trade, now));
    }
    for trade in state.store.trades.values_mut().filter(is_on) {
        if is_over(nested_string(trade, "status.value")) {
            continue;
        }
        simple_trade_life::end(trade, "cancelled", None, now);
    }
}

/// Closes the position of a SmartTrade, or cancels one that has none yet.
fn end_smart_trade(trade: &mut JsonRecord, now: &Circumstances<'_>) {
    match smart_trade_parts::code(trade) {
        "created" | "waiting_position" => {
            smart_trade_parts::set_status(trade, SmartTradeStatus::Cancelled.code(), now.now);
            if let Some(data) = part_mut(trade, "data") {
                data.insert("closed_at".to_owned(), now.now.clone());
            }
        }
        "waiting_targets" | "pending_reduce_funds" | "panic_sell_pending" | "cancellation_pending" => {
            ask(trade, now.now, SmartTrade::close);
            smart_trade_life::end_pending(trade, now);
        }
        _ => {}
    }
}
