//! Grid bots that requests create.

use serde_json::Value;

use super::additions::free_id;
use super::defaults::object;
use super::grid_bot_checks;
use super::grid_levels::place_levels;
use super::inputs::{self, ValidationErrors};
use super::operations;
use super::record::{JsonRecord, is_true, string};
use super::resource::Resource;
use super::route::RequestParams;
use super::state::State;
use botdesk_api::grid_bots::{GridBotCreate, GridOptions};
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::pair::currencies;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// Creates a bot that is off. Its lines are placed at the current price.
pub(super) fn create(
    bots: &dyn Resource,
    state: &mut State,
    params: &RequestParams<'_>,
) -> Result<SerializedBody, ApiError> {
    let given = inputs::parse(GridBotCreate::INPUTS, params)?;
    let request = RequestBuilder::for_http(GridBotCreate::INPUTS, given.clone());
    let mut errors = ValidationErrors::check(GridBotCreate::INPUTS, &given, &request);
    let mut bot = bots.template();
    bot.extend(defaults());
    operations::apply(bots, &mut bot, &given, &request);
    for (field, message) in grid_bot_checks::missing_prices(&bot) {
        errors.add(field, message);
    }
    errors.into_result()?;
    let account = bot.get("account_id").and_then(Value::as_u64).and_then(|id| state.store.accounts.get(&id));
    let account = account.filter(|account| is_true(account, "grid_bots_allowed")).ok_or_else(|| params.not_found())?;
    bot.extend(object! { "account_name": string(account, "name") });
    write_market(state, &mut bot, &request)?;
    let id = next_id(state)?;
    bot.insert("id".to_owned(), id.into());
    let tick = state.market.tick(string(&bot, "pair"));
    place_levels(&mut bot, &tick).map_err(|(field, message)| ApiError::invalid_field(field, &message))?;
    grid_bot_checks::check_quantity(state, &bot)?;
    bot.extend(object! { "investment_base_currency": "0.0", "investment_quote_currency": "0.0" });
    let now = state.clock.tick();
    bot.extend(object! { "created_at": now.clone(), "updated_at": now });
    let body = SerializedBody::serialize(&bots.returned(&bot));
    state.store.grid_bots.insert(id, bot);
    state.next_grid_bot = id.saturating_add(1);
    Ok(body)
}

/// Returns what the service sets in a new bot if the request leaves it out.
fn defaults() -> JsonRecord {
    object! {
        "name": "",
        "is_enabled": false,
        "editable": true,
        "start_price": Value::Null,
        "note": Value::Null,
        "grid_type": "arithmetic",
        "order_currency_type": "base",
        "profit_currency_type": "quote",
        "upper_stop_loss_enabled": false,
        "lower_stop_loss_enabled": false,
        "upper_stop_loss_action": "stop_bot",
        "lower_stop_loss_action": "stop_bot",
        "leverage_type": "not_specified",
        "leverage_custom_value": Value::Null,
        "max_active_buy_lines": Value::Null,
        "max_active_sell_lines": Value::Null,
    }
}

/// Writes what depends on the account and on the pair, and checks what the account allows.
fn write_market(state: &State, bot: &mut JsonRecord, request: &RequestBuilder) -> Result<(), ApiError> {
    let pair = string(bot, "pair").to_owned();
    let unknown = || ApiError::invalid_field("pair", "does not have a valid value");
    let quote = state.market.quote(&pair).ok_or_else(unknown)?;
    let (quoted, base) = currencies(&pair).ok_or_else(unknown)?;
    let trades_futures = state.trades_futures(bot);
    grid_bot_checks::check_actions(bot, trades_futures)?;
    grid_bot_checks::check_leverage(bot, trades_futures)?;
    if !request.is_true(GridOptions::ignore_warnings) {
        grid_bot_checks::check_order_of_prices(bot)?;
    }
    if string(bot, "name").is_empty() {
        bot.insert("name".to_owned(), format!("{base}/{quoted}").into());
    }
    let levels = bot.get("grids_quantity").cloned();
    for limit in ["max_active_buy_lines", "max_active_sell_lines"] {
        if bot.get(limit).is_none_or(Value::is_null) {
            bot.insert(limit.to_owned(), levels.clone().unwrap_or_default());
        }
    }
    let mode = if trades_futures { bot.get("mode").filter(|mode| !mode.is_null()).cloned() } else { None };
    bot.extend(object! {
        "mode": mode.or_else(|| trades_futures.then(|| "long".into())),
        "current_price": quote.price.to_plain_string(),
        "orderbook_price_currency": quoted,
    });
    Ok(())
}

/// Returns the id of a new bot. Ids are never reused.
fn next_id(state: &State) -> Result<u64, ApiError> {
    let known = free_id(&JsonRecord::new(), &state.store.grid_bots);
    let free = known.ok().ok_or_else(|| ApiError::invalid_field("base", "no id is free"))?;
    Ok(free.max(state.next_grid_bot))
}
