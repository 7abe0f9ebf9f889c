//! The settings of a grid bot that can't be simulated, and what is assumed where the service documents nothing.

use bigdecimal::BigDecimal;

use super::engine_config::decimal_of;
use botdesk_schema::decimal::shown;
use botdesk_schema::input::Violation;
use botdesk_schema::json_record::{JsonRecord, is_true, string};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{GridBotConfig, GridMode, SimulatedGridBot, StopAction};

/// An end of a grid: the switch and the price of an order to stop or to grow there, and whether it is the upper end.
const OUTSIDE: [(&str, &str, bool); 4] = [
    ("lower_stop_loss_enabled", "lower_stop_loss_price", false),
    ("upper_stop_loss_enabled", "upper_stop_loss_price", true),
    ("expansion_down_enabled", "expansion_down_stop_price", false),
    ("expansion_up_enabled", "expansion_up_stop_price", true),
];

/// Returns the prices of a bot that contradict its range, and switches without their price.
pub(super) fn price_violations(fields: &JsonRecord, lower: &BigDecimal, upper: &BigDecimal) -> Vec<Violation> {
    let check = |(switch, field, is_upper): (&str, &'static str, bool)| {
        if !is_true(fields, switch) {
            return None;
        }
        let price = decimal_of(fields, field);
        if !price.is_positive() {
            // A record may have a stop loss without a price, which acts outside of the range.
            let is_required = switch.starts_with("expansion");
            return is_required.then(|| Violation::new(field, format!("is required when {switch} is true")));
        }
        let price = price.to_big();
        let is_inside = if is_upper { price <= *upper } else { price >= *lower };
        let (place, bound, name) =
            if is_upper { ("above", upper, "upper_price") } else { ("below", lower, "lower_price") };
        let message = || format!("must be {place} {name} ({}), not {}", shown(bound), shown(&price));
        is_inside.then(|| Violation::new(field, message()))
    };
    OUTSIDE.into_iter().filter_map(check).collect()
}

/// Returns the violation of levels that a tick makes equal.
pub(super) fn equal_levels(levels: &[Decimal], tick: &Decimal) -> Option<Violation> {
    let same = levels.windows(2).find_map(|pair| match pair {
        [lower, upper] if lower >= upper => Some(lower),
        _ => None,
    })?;
    let [tick, same] = [tick, same].map(|number| shown(&number.to_big()));
    Some(Violation::new(
        "grids_quantity",
        format!("two levels have the same price, {same}, at the tick of the pair ({tick})"),
    ))
}

/// Returns a warning for each setting whose effect the service does not document.
pub(super) fn assumptions(config: &GridBotConfig) -> impl Iterator<Item = String> {
    let stops = [&config.lower_stop, &config.upper_stop].into_iter().flatten();
    let buys = stops.clone().any(|stop| stop.action == StopAction::Buy);
    let grows = config.above.expands_to.is_some() || config.below.expands_to.is_some();
    let said = [
        (buys, "stop_bot_and_buy is assumed to spend the funds of the buy orders on a market order"),
        (
            config.below.trails,
            "trailing down is assumed to mirror trailing up: the highest line leaves, and what it was to sell is sold",
        ),
        (grows, "an expansion is assumed to add lines one by one, each bought at the market if it sells"),
    ];
    said.into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, text)| format!("{text}; the service does not document it"))
}

/// Returns the warning that the candles reach the price at which the position of a futures bot is liquidated.
///
/// The position is that of all orders at the end of the range at which the bot loses.
pub(super) fn liquidation(
    bot: &SimulatedGridBot,
    fields: &JsonRecord,
    (low, high): (Decimal, Decimal),
) -> Option<String> {
    let leverage = decimal_of(fields, "leverage_custom_value");
    if !["cross", "isolated"].contains(&string(fields, "leverage_type")) || !leverage.is_positive() {
        return None;
    }
    let last = bot.quantities.len().saturating_sub(1);
    let loses_at = match bot.config.mode {
        GridMode::Long => [Some(0), None],
        GridMode::Short => [None, Some(last)],
        GridMode::Reversal => [Some(0), Some(last)],
    };
    let at = |level: usize| {
        let position = bot.clone().at_level(level).position;
        let price = position.liquidation_price(&leverage)?;
        let is_reached = if position.quantity.is_positive() { low <= price } else { high >= price };
        is_reached.then(|| shown(&price.round(LIQUIDATION_PLACES).normalized().to_big()))
    };
    let price = loses_at.into_iter().flatten().find_map(at)?;
    Some(format!(
        "at a leverage of {} the exchange liquidates the position of all orders near {price}, without its maintenance margin; the candles \
         reach that price, and the backtest goes on",
        shown(&leverage.to_big())
    ))
}

/// The decimal places of a liquidation price in a warning.
const LIQUIDATION_PLACES: u8 = 8;
