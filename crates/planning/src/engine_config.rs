//! Reads the configuration of the trading engine from the fields of a bot or a deal, by their API names.
//!
//! It takes a field that is missing or has no decimal as 0 or off. Whoever needs more checks the fields first.

use std::sync::Arc;

use serde_json::Value;

use botdesk_api::dca_bots::{DcaBotEdit, DcaBotInputs};
use botdesk_schema::decimal;
use botdesk_schema::json_record::{JsonRecord, integer, is_true, list, number, string};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{
    DcaBotConfig, DealConfig, GridBotConfig, GridEnd, GridMode, GridOrderSize, GridStop, OrderVolume, QuantityCurrency,
    SafetyOrder, SafetyOrders, StopAction, StopLoss, Target, VolumeUnit,
};
use botdesk_trading::grid::Spacing;
use botdesk_trading::ladder::Direction;
use botdesk_trading::position::{ProfitOf, TakeProfit};

/// The milliseconds in a second.
const SECOND: i64 = 1_000;

/// Reads the settings of a DCA bot.
pub fn dca_bot_config(bot: &JsonRecord) -> DcaBotConfig {
    let positive = |field: &str| integer(bot, field).filter(|number| *number > 0);
    let count = |field: &str| usize::try_from(integer(bot, field).unwrap_or_default()).unwrap_or_default();
    let limit = |field: &str| bot.get(field).and_then(decimal::of).map(Decimal::from);
    let is_nonstop = |strategy: &Value| strategy.get("strategy").is_some_and(|code| code == "nonstop");
    DcaBotConfig {
        deal: Arc::new(deal_config(bot)),
        pairs: list(bot, "pairs").iter().filter_map(Value::as_str).map(Arc::from).collect(),
        is_nonstop: list(bot, "strategy_list").iter().any(is_nonstop),
        max_active_deals: count("max_active_deals"),
        max_deals_per_pair: positive("allowed_deals_on_same_pair").and_then(|limit| usize::try_from(limit).ok()),
        cooldown: milliseconds(&decimal_of(bot, "cooldown")),
        start_delay: positive("deal_start_delay_seconds").map(|seconds| seconds.saturating_mul(SECOND)),
        deal_timeout: positive("close_deals_timeout").map(|seconds| seconds.saturating_mul(SECOND)),
        max_deals: positive("disable_after_deals_count").and_then(|count| u64::try_from(count).ok()),
        disables_after_stop_loss: string(bot, "stop_loss_type") == "stop_loss_and_disable_bot",
        min_price: limit("min_price"),
        max_price: limit("max_price"),
    }
}

/// Reads the settings of a deal, from a deal or from its bot.
pub fn deal_config(record: &JsonRecord) -> DealConfig {
    let positive = |field: &str| Some(decimal_of(record, field)).filter(Decimal::is_positive);
    let in_steps = !list(record, "take_profit_steps").is_empty();
    DealConfig {
        direction: if string(record, "strategy") == "short" { Direction::Short } else { Direction::Long },
        base_order: volume(record, "base_order_volume", "base_order_volume_type"),
        base_order_is_market: string(record, "start_order_type") == "market",
        safety_orders: SafetyOrders {
            max_active: safety_order_count(record, "active_safety_orders_count"),
            ..safety_orders(record)
        },
        targets: targets(record),
        trailing: positive("trailing_deviation").filter(|_| is_true(record, "trailing_enabled") && !in_steps),
        // A negative one of a deal is a stop in profit.
        stop_loss: Some(decimal_of(record, "stop_loss_percentage"))
            .filter(|percent| !percent.is_zero())
            .map(|percent| stop_loss(record, percent)),
    }
}

/// Returns the targets of a deal. A deal without steps has one, or none if its take profit is 0.
fn targets(record: &JsonRecord) -> Vec<Target> {
    let of = if string(record, "take_profit_type") == "base" { ProfitOf::BaseOrder } else { ProfitOf::Total };
    let steps = list(record, "take_profit_steps");
    if steps.is_empty() {
        let percent = Some(decimal_of(record, "take_profit")).filter(Decimal::is_positive);
        let target =
            percent.map(|percent| Target { take_profit: TakeProfit { percent, of }, closed: Decimal::HUNDRED });
        return target.into_iter().collect();
    }
    let member = |step: &Value, name: &str| Decimal::from(step.get(name).and_then(decimal::of).unwrap_or_default());
    let mut closed = Decimal::ZERO;
    let target = |step| {
        closed += member(step, "amount_percentage");
        Target { take_profit: TakeProfit { percent: member(step, "profit_percentage"), of }, closed: closed.clone() }
    };
    steps.iter().map(target).collect()
}

/// Returns a number of safety orders. A record may contain more than the API reference allows.
fn safety_order_count(record: &JsonRecord, field: &str) -> u32 {
    let max = DcaBotEdit::INPUTS
        .most(DcaBotInputs::max_safety_orders)
        .and_then(|max| u32::try_from(max).ok())
        .unwrap_or_default();
    u32::try_from(integer(record, field).unwrap_or_default().clamp(0, max.into())).unwrap_or_default()
}

fn safety_orders(record: &JsonRecord) -> SafetyOrders {
    let count = safety_order_count(record, "max_safety_orders");
    let volume = volume(record, "safety_order_volume", "safety_order_volume_type");
    let steps = list(record, "custom_safety_steps");
    if !steps.is_empty() {
        let is_short = string(record, "strategy") == "short";
        let orders = steps.iter().take(usize::try_from(count).unwrap_or(usize::MAX));
        let orders = orders.map(|step| custom_safety_order(step, is_short, volume.unit)).collect();
        return SafetyOrders { orders, max_active: count };
    }
    SafetyOrders::new(
        count,
        volume,
        decimal_of(record, "safety_order_step_percentage"),
        &decimal_of(record, "martingale_step_coefficient"),
        &decimal_of(record, "martingale_volume_coefficient"),
    )
}

/// Returns the safety order of a custom step, whose deviation is negative below the base order's price.
fn custom_safety_order(step: &Value, is_short: bool, unit: VolumeUnit) -> SafetyOrder {
    let member = |name: &str| Decimal::from(step.get(name).and_then(decimal::of).unwrap_or_default());
    let deviation = member("deviation");
    let deviation = if is_short { deviation } else { -deviation };
    SafetyOrder { deviation, volume: OrderVolume { amount: member("size"), unit } }
}

fn stop_loss(record: &JsonRecord, percent: Decimal) -> StopLoss {
    let seconds = integer(record, "stop_loss_timeout_in_seconds").unwrap_or_default();
    let limit = record.get("sl_to_breakeven_data").and_then(|data| data.get("upper_breakeven_limit"));
    let limit = limit.and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
    StopLoss {
        percent,
        is_trailing: is_true(record, "tsl_enabled"),
        timeout: (is_true(record, "stop_loss_timeout_enabled") && seconds > 0).then(|| seconds.saturating_mul(SECOND)),
        breakeven_limit: limit.filter(|_| is_true(record, "sl_to_breakeven_enabled")),
    }
}

fn volume(record: &JsonRecord, amount: &str, unit: &str) -> OrderVolume {
    let unit = match string(record, unit) {
        "base_currency" => VolumeUnit::Base,
        "percent" => VolumeUnit::Percent,
        _ => VolumeUnit::Quote,
    };
    OrderVolume { amount: decimal_of(record, amount), unit }
}

/// Reads the settings of a grid bot, with the levels of its lines.
pub fn grid_bot_config(bot: &JsonRecord) -> GridBotConfig {
    let lines = list(bot, "grid_lines").iter().filter_map(Value::as_object);
    let limit = |field: &str| integer(bot, field).map(|limit| usize::try_from(limit).unwrap_or_default());
    GridBotConfig {
        levels: lines.map(|line| decimal_of(line, "price")).collect(),
        lower_price: decimal_of(bot, "lower_price"),
        upper_price: decimal_of(bot, "upper_price"),
        order_size: GridOrderSize {
            amount: decimal_of(bot, "quantity_per_grid"),
            currency: quantity_currency(string(bot, "order_currency_type")),
        },
        mode: grid_mode(string(bot, "mode")),
        spacing: if string(bot, "grid_type") == "geometric" { Spacing::Geometric } else { Spacing::Arithmetic },
        max_active_buys: limit("max_active_buy_lines"),
        max_active_sells: limit("max_active_sell_lines"),
        lower_stop: grid_stop(bot, ["lower_stop_loss_enabled", "lower_stop_loss_price", "lower_stop_loss_action"]),
        upper_stop: grid_stop(bot, ["upper_stop_loss_enabled", "upper_stop_loss_price", "upper_stop_loss_action"]),
        above: grid_end(bot, ["trailing_up_enabled", "expansion_up_enabled", "expansion_up_stop_price"]),
        below: grid_end(bot, ["trailing_down_enabled", "expansion_down_enabled", "expansion_down_stop_price"]),
        profit_in_base: string(bot, "profit_currency_type") == "base",
        // Only a bot on a futures account has a direction.
        profit_from_entry: !string(bot, "mode").is_empty(),
    }
}

/// Returns the currency of the quantity of a grid's orders by its API name; without one it is the base currency.
pub(super) fn quantity_currency(name: &str) -> QuantityCurrency {
    match name {
        "quote" => QuantityCurrency::Quote,
        _ => QuantityCurrency::Base,
    }
}

/// Returns the direction of a grid bot by its API name. A bot on a spot account has none: it is long.
pub(super) fn grid_mode(name: &str) -> GridMode {
    match name {
        "short" => GridMode::Short,
        "reversal" => GridMode::Reversal,
        _ => GridMode::Long,
    }
}

/// The stop-loss actions that close the position of a grid bot.
const CLOSING_ACTIONS: [&str; 2] = ["stop_bot_and_sell", "stop_bot_and_close_position"];

fn grid_stop(bot: &JsonRecord, [enabled, price, action]: [&str; 3]) -> Option<GridStop> {
    is_true(bot, enabled).then(|| GridStop {
        price: Some(decimal_of(bot, price)).filter(Decimal::is_positive),
        action: match string(bot, action) {
            "stop_bot_and_buy" => StopAction::Buy,
            action if CLOSING_ACTIONS.contains(&action) => StopAction::Close,
            _ => StopAction::Keep,
        },
    })
}

/// Returns the reaction to a price beyond an end. A grid without a stop price does not grow.
fn grid_end(bot: &JsonRecord, [trails, grows, stop]: [&str; 3]) -> GridEnd {
    let stop = Some(decimal_of(bot, stop)).filter(Decimal::is_positive);
    GridEnd { trails: is_true(bot, trails), expands_to: stop.filter(|_| is_true(bot, grows)) }
}

/// Returns the decimal in a field; 0 if it has none.
pub fn decimal_of(record: &JsonRecord, field: &str) -> Decimal {
    number(record, field).into()
}

/// Converts seconds to whole milliseconds; a negative number is 0.
fn milliseconds(seconds: &Decimal) -> i64 {
    if !seconds.is_positive() {
        return 0;
    }
    let milliseconds = (seconds * Decimal::from(SECOND)).round_down_to(Some(&Decimal::ONE)).mantissa_at(0);
    milliseconds.and_then(|milliseconds| i64::try_from(milliseconds).ok()).unwrap_or(i64::MAX)
}
