//! The rules that a grid bot follows, whether a request creates or edits it.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::exchanges::MAX_LEVERAGE;
use super::inputs::NOT_INCLUDED;
use super::markets::least_total;
use super::record::{JsonRecord, is_true, list, number, string};
use super::state::State;
use botdesk_api::grid_bots::{GridCurrency, GridMode};
use botdesk_schema::decimal::shown;
use botdesk_schema::values::Choices as _;
use botdesk_server::api_error::ApiError;

/// The fields of an edit whose choices its documentation leaves out; it lists those of a new bot.
const CHOICES: [(&str, &[&str]); 3] = [
    ("order_currency_type", GridCurrency::VALUES),
    ("profit_currency_type", GridCurrency::VALUES),
    ("mode", GridMode::VALUES),
];

/// The price and the switch of each end that stops a bot.
const STOPS: [[&str; 2]; 2] =
    [["upper_stop_loss_enabled", "upper_stop_loss_price"], ["lower_stop_loss_enabled", "lower_stop_loss_price"]];

/// Returns the fields that a stop loss which is on lacks, each with a message.
pub(super) fn missing_prices(bot: &JsonRecord) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lacks = |[switch, price]: [&'static str; 2]| {
        (is_true(bot, switch) && bot.get(price).is_none_or(Value::is_null)).then_some((price, "is missing"))
    };
    STOPS.into_iter().filter_map(lacks)
}

/// A field of which there are a few values has one of them.
pub(super) fn check_choices(bot: &JsonRecord) -> Result<(), ApiError> {
    for (field, choices) in CHOICES {
        let value = bot.get(field).filter(|value| !value.is_null());
        if value.is_some_and(|value| !value.as_str().is_some_and(|value| choices.contains(&value))) {
            return Err(ApiError::invalid_field(field, NOT_INCLUDED));
        }
    }
    Ok(())
}

/// Isolated leverage on a futures account needs a value, and no exchange offers any.
pub(super) fn check_leverage(bot: &JsonRecord, trades_futures: bool) -> Result<(), ApiError> {
    let value = bot.get("leverage_custom_value").filter(|value| !value.is_null());
    if !trades_futures {
        return Ok(());
    }
    if value.is_none() && string(bot, "leverage_type") == "isolated" {
        return Err(ApiError::invalid_field("leverage_custom_value", "is missing"));
    }
    if value.is_some() && number(bot, "leverage_custom_value") > MAX_LEVERAGE {
        return Err(ApiError::invalid_field("leverage_custom_value", &format!("must be at most {MAX_LEVERAGE}")));
    }
    Ok(())
}

/// What an edited bot does at the ends of its range is complete, and possible on its account.
pub(super) fn check_ends(bot: &JsonRecord, trades_futures: bool, ignores_warnings: bool) -> Result<(), ApiError> {
    if let Some((field, message)) = missing_prices(bot).next() {
        return Err(ApiError::invalid_field(field, message));
    }
    check_actions(bot, trades_futures)?;
    if ignores_warnings { Ok(()) } else { check_order_of_prices(bot) }
}

/// The order at the cheapest line is worth at least the minimum of the exchange.
pub(super) fn check_quantity(state: &State, bot: &JsonRecord) -> Result<(), ApiError> {
    let (Some(quote), Some(line)) = (state.market.quote(string(bot, "pair")), cheapest_line(bot)) else {
        return Ok(());
    };
    let in_quote = string(bot, "order_currency_type") == "quote";
    let volume = if in_quote { number(bot, "quantity_per_grid") } else { number(bot, "quantity_per_grid") * &line };
    let least = least_total(&quote);
    if volume >= least {
        return Ok(());
    }
    let [line, volume, least] = [&line, &volume, &least].map(shown);
    let message = format!("the order at {line} is worth {volume}, less than the minimum of {least}");
    Err(ApiError::invalid_field("quantity_per_grid", &message))
}

fn cheapest_line(bot: &JsonRecord) -> Option<BigDecimal> {
    list(bot, "grid_lines").iter().filter_map(Value::as_object).map(|line| number(line, "price")).min()
}

/// A futures account closes its position; only a spot account buys or sells.
pub(super) fn check_actions(bot: &JsonRecord, trades_futures: bool) -> Result<(), ApiError> {
    for field in ["upper_stop_loss_action", "lower_stop_loss_action"] {
        let action = string(bot, field);
        let is_of_futures = action == "stop_bot_and_close_position";
        if action != "stop_bot" && is_of_futures != trades_futures {
            return Err(ApiError::invalid_field(field, "is not available for this account"));
        }
    }
    Ok(())
}

/// The prices at which a bot stops or stops growing, each with its switch and its end.
const OUTER_PRICES: [[&str; 3]; 4] = [
    ["upper_stop_loss_price", "upper_stop_loss_enabled", "upper_price"],
    ["expansion_up_stop_price", "expansion_up_enabled", "upper_price"],
    ["lower_stop_loss_price", "lower_stop_loss_enabled", "lower_price"],
    ["expansion_down_stop_price", "expansion_down_enabled", "lower_price"],
];

/// The prices at which a bot stops or stops growing are outside of its range. The service only warns of others.
pub(super) fn check_order_of_prices(bot: &JsonRecord) -> Result<(), ApiError> {
    for [field, switch, end] in OUTER_PRICES {
        let is_set = is_true(bot, switch) && bot.get(field).is_some_and(|price| !price.is_null());
        let (price, bound) = (number(bot, field), number(bot, end));
        if is_set && end == "upper_price" && price <= bound {
            return Err(ApiError::invalid_field(field, "must be above upper_price"));
        }
        if is_set && end == "lower_price" && price >= bound {
            return Err(ApiError::invalid_field(field, "must be below lower_price"));
        }
    }
    Ok(())
}
