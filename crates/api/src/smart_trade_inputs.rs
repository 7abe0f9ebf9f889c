//! The inputs of SmartTrades: new ones, edits, and orders that change their positions.

use super::choices::{LeverageChoice, OrderSide, OrderType, PriceType};
use super::order_inputs::{
    LimitInput, QuantityInput, is_enabled, limit_price_is_given, pair_is_written_as_quote_and_base,
};
use super::smart_trade_position::EntryOrderType;
use bigdecimal::BigDecimal;
use botdesk_schema::decimal;
use botdesk_schema::input::Rule::{Above, AtLeast, Between, Characters, Own, Required, RequiredIfTrue, ServiceDefault};
use botdesk_schema::input::{Group, Groups, InputName, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::values::{Bool, Decimal, Integer, OneOf, Text};
use serde_json::Value;

inputs! {
    /// The leverage of a SmartTrade.
    LeverageInput of "a leverage" {
        /// True to trade with leverage.
        enabled: Bool [Required, ServiceDefault("false")];
        /// Leverage type.
        r#type: OneOf<LeverageChoice>;
        /// Leverage, such as 5.
        value: Integer [Own(&AtLeast("1"))];
    }
}

inputs! {
    /// The trigger of an entry.
    EntryTriggerInput of "a trigger", decimals as String {
        /// The price that is compared with the trigger.
        r#type: OneOf<PriceType>;
        /// The trigger price.
        value: Decimal [Own(&Required), Own(&Above("0"))];
    }
}

inputs! {
    /// The distance at which an entry follows the price.
    EntryTrailingInput of "a trailing distance", decimals as String {
        /// True if the entry follows the price.
        enabled: Bool;
        /// The distance in percent.
        percent: Decimal [Own(&Above("0"))];
    }
}

inputs! {
    /// The condition of an entry.
    EntryConditionInput of "a condition" {
        /// Order that is placed at the trigger.
        order_type: OneOf<OrderType> [Own(&Required)];
        /// The trigger.
        price: Group<EntryTriggerInput> [Own(&Required)];
        /// The distance at which the entry follows the price.
        trailing: Group<EntryTrailingInput>;
    }
}

inputs! {
    /// The entry of a new SmartTrade.
    PositionInput of "a position" {
        /// Side of the entry.
        r#type: OneOf<OrderSide> [Required];
        /// Order type.
        order_type: OneOf<EntryOrderType> [Required];
        /// The quantity.
        units: Group<QuantityInput> [Own(&Required)];
        /// The limit price.
        price: Group<LimitInput>;
        /// The condition.
        conditional: Group<EntryConditionInput>;
    }
    own [price | order_type | conditional => entry_has_its_price]
}

inputs! {
    /// The price of a take-profit step.
    StepPriceInput of "a price", decimals as String {
        /// The price that is followed.
        r#type: OneOf<PriceType>;
        /// The price.
        value: Decimal [Own(&Above("0"))];
        /// The distance from the entry in percent.
        percent: Decimal [Own(&Above("0"))];
    }
    own [r#type | value | percent => step_has_one_price]
}

inputs! {
    /// The distance at which a take-profit step follows the price.
    StepTrailingInput of "a trailing distance", decimals as String {
        /// True if the step follows the price.
        enabled: Bool [ServiceDefault("false")];
        /// The distance in percent, 0.01 to 100.
        percent: Decimal [Between("0.01", "100")];
    }
    own [enabled | percent => step_trailing_has_a_distance]
}

inputs! {
    /// A take-profit step.
    StepInput of "a take-profit step", decimals as String {
        /// Order type.
        order_type: OneOf<OrderType> [Own(&Required)];
        /// The part of the position in percent.
        volume: Decimal [Own(&Required), Own(&Above("0"))];
        /// The price.
        price: Group<StepPriceInput> [Own(&Required)];
        /// The distance at which the step follows the price; only on the last step.
        trailing: Group<StepTrailingInput>;
    }
}

inputs! {
    /// The take profit of a SmartTrade.
    TakeProfitInput of "a take profit" {
        /// True if there is one.
        enabled: Bool [Required, ServiceDefault("false")];
        /// The steps.
        steps: Groups<StepInput>;
    }
}

inputs! {
    /// The price of a stop-loss order.
    StopLossPriceInput of "a price", decimals as String {
        /// The price.
        value: Decimal [Own(&Above("0"))];
    }
}

inputs! {
    /// The trigger of a stop loss.
    StopLossTriggerInput of "a trigger", decimals as String {
        /// The price that is compared with the trigger.
        r#type: OneOf<PriceType>;
        /// The trigger price.
        value: Decimal [Own(&Above("0"))];
        /// The distance from the entry in percent.
        percent: Decimal;
    }
}

inputs! {
    /// The trailing of a stop loss.
    StopLossTrailingInput of "a trailing distance" {
        /// True if the trigger follows the price; its distance is that of the trigger from the entry.
        enabled: Bool;
    }
}

inputs! {
    /// The condition of a stop loss.
    StopLossConditionInput of "a condition" {
        /// The trigger.
        price: Group<StopLossTriggerInput>;
        /// The trailing of the trigger.
        trailing: Group<StopLossTrailingInput>;
    }
}

inputs! {
    /// The time that the price must stay beyond the trigger of a stop loss.
    StopLossTimeoutInput of "a timeout" {
        /// True if the stop loss waits.
        enabled: Bool;
        /// The time in seconds.
        value: Integer [Own(&AtLeast("1"))];
    }
}

inputs! {
    /// The stop loss of a SmartTrade.
    StopLossInput of "a stop loss" {
        /// True if there is one.
        enabled: Bool [Required, ServiceDefault("false")];
        /// True to move the stop loss to the entry price after the first take-profit step; needs two steps.
        breakeven: Bool [ServiceDefault("false")];
        /// Order type.
        order_type: OneOf<OrderType> [RequiredIfTrue(StopLossInput::enabled)];
        /// The price of a limit order.
        price: Group<StopLossPriceInput>;
        /// The trigger.
        conditional: Group<StopLossConditionInput>;
        /// The time that the price must stay beyond the trigger.
        timeout: Group<StopLossTimeoutInput>;
    }
    own [enabled | conditional | price | order_type | timeout => stop_loss_has_its_prices]
}

inputs! {
    /// The inputs of a new SmartTrade.
    SmartTradeCreate of "a SmartTrade" {
        /// Identifier of the account, whose `smart_trading_supported` must be true.
        account_id: Integer [Required, Own(&AtLeast("1"))];
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text [Required];
        /// True if it is a simple buy or sell, without targets; the service's default is false.
        instant: Bool [ServiceDefault("false")];
        /// True to skip the entry: targets for a position that is held already.
        skip_enter_step: Bool;
        /// Note, 1 to 300 characters.
        note: Text [Characters(1, 300)];
        /// The leverage on a futures account, as `{"enabled": True, "type": "isolated", "value": 5}`.
        leverage: Group<LeverageInput>;
        /// The entry: `type` (`buy` or `sell`), `order_type` (`market`, `limit` or `conditional`), `units` as `{"value": "0.5"}`,
        /// `price` as `{"value": "2400"}` for a limit order, and `conditional` with `order_type`, `price` (`value` and `type`) and
        /// `trailing` (`enabled` and `percent`) for a conditional one.
        position: Group<PositionInput>;
        /// The take profit: `enabled`, and `steps`, each with `order_type`, `volume` in percent, `price` (`value` or `percent`, and
        /// `type`), and on the last one `trailing` (`enabled` and `percent`).
        take_profit: Group<TakeProfitInput>;
        /// The stop loss: `enabled`, `order_type`, `conditional` with `price` (`value` or `percent`, and `type`) and `trailing`
        /// (`enabled`), `price` as `{"value": "2200"}` for a limit order, `breakeven`, and `timeout` (`enabled` and `value` in
        /// seconds).
        stop_loss: Group<StopLossInput>;
    }
    own [
        pair => pair_is_written_as_quote_and_base,
        account_id | position => position_is_given,
        instant | skip_enter_step | take_profit | stop_loss => parts_go_together,
        take_profit => steps_cover_the_position,
        stop_loss | take_profit => breakeven_needs_two_steps,
    ]
}

inputs! {
    /// The entry of a SmartTrade as an edit changes it.
    PositionEdit of "a position" {
        /// The quantity.
        units: Group<QuantityInput>;
        /// The limit price.
        price: Group<LimitInput>;
        /// The condition.
        conditional: Group<EntryConditionInput>;
    }
}

inputs! {
    /// The parts of a SmartTrade that an edit replaces.
    SmartTradeEdit of "a SmartTrade" {
        /// The leverage on a futures account, as `{"enabled": True, "type": "isolated", "value": 5}`.
        leverage: Group<LeverageInput>;
        /// The entry, until it is filled: `units` and `price` as `{"value": "2400"}`, and `conditional` with `order_type`, `price` (`value`
        /// and `type`) and `trailing` (`enabled` and `percent`).
        position: Group<PositionEdit>;
        /// The take profit with all of its steps: `enabled`, and `steps`, each with `order_type`, `volume` in percent, `price` (`value` or
        /// `percent`, and `type`), and on the last one `trailing` (`enabled` and `percent`).
        take_profit: Group<TakeProfitInput>;
        /// The whole stop loss: `enabled`, `order_type`, `conditional` with `price` (`value` or `percent`, and `type`) and `trailing`
        /// (`enabled`), `price` as `{"value": "2200"}` for a limit order, `breakeven`, and `timeout` (`enabled` and `value` in seconds).
        stop_loss: Group<StopLossInput>;
    }
    own [
        take_profit => steps_cover_the_position,
        stop_loss | take_profit => given_breakeven_needs_two_steps,
    ]
}

/// The steps that the SmartTrade has may be enough if the edit has none.
fn given_breakeven_needs_two_steps(request: &RequestBuilder) -> Option<Violation> {
    request.value(SmartTradeEdit::take_profit)?;
    breakeven_needs_two_steps(request)
}

inputs! {
    /// An order that adds to the position of a SmartTrade, or takes from it.
    FundsOrder of "an order" {
        /// Order type.
        order_type: OneOf<OrderType> [Required];
        /// The quantity in the base currency, as `{"value": "0.5"}`.
        units: Group<QuantityInput> [Required];
        /// The limit price, as `{"value": "2400"}`; required for a limit order.
        price: Group<LimitInput>;
    }
    own [price | order_type => funds_order_has_its_price]
}

fn funds_order_has_its_price(request: &RequestBuilder) -> Option<Violation> {
    let is_limit = request.value(FundsOrder::order_type)? == "limit";
    let price = FundsOrder::price;
    limit_price_is_given(request, price, is_limit)
}

/// Returns a member of an input by its path, unless it is null.
fn at<'a>(request: &'a RequestBuilder, name: InputName, path: &str) -> Option<&'a Value> {
    request.value(name)?.pointer(path).filter(|value| !value.is_null())
}

fn position_is_given(request: &RequestBuilder) -> Option<Violation> {
    let name = SmartTradeCreate::position;
    request.value(name).is_none().then(|| name.violation("is required, or side, units and order".to_owned()))
}

fn entry_has_its_price(request: &RequestBuilder) -> Option<Violation> {
    let (price, conditional) = (PositionInput::price, PositionInput::conditional);
    let order_type = request.value(PositionInput::order_type)?.as_str()?;
    let order = if order_type == "conditional" {
        if request.value(conditional).is_none() {
            return Some(
                conditional.violation("is required for a conditional entry, with order_type and price".to_owned()),
            );
        }
        let trailing = request.value(conditional)?.get("trailing");
        if is_enabled(trailing) && at(request, conditional, "/trailing/percent").is_none() {
            return Some(
                conditional.violation("trailing has no percent, which is required when enabled is true".to_owned()),
            );
        }
        at(request, conditional, "/order_type")?.as_str()?
    } else {
        order_type
    };
    limit_price_is_given(request, price, order == "limit")
}

fn step_has_one_price(request: &RequestBuilder) -> Option<Violation> {
    let given =
        [StepPriceInput::value, StepPriceInput::percent].into_iter().filter(|name| request.value(*name).is_some());
    (given.count() != 1)
        .then(|| StepPriceInput::value.violation("and percent are mutually exclusive; give one of them".to_owned()))
}

fn step_trailing_has_a_distance(request: &RequestBuilder) -> Option<Violation> {
    let percent = StepTrailingInput::percent;
    (request.is_true(StepTrailingInput::enabled) && request.value(percent).is_none())
        .then(|| percent.violation("is required when enabled is true".to_owned()))
}

fn stop_loss_has_its_prices(request: &RequestBuilder) -> Option<Violation> {
    if !request.is_true(StopLossInput::enabled) {
        return None;
    }
    let name = StopLossInput::conditional;
    let given = ["/price/value", "/price/percent"].into_iter().filter(|path| at(request, name, path).is_some());
    if given.count() != 1 {
        return Some(name.violation("price must have either value or percent when enabled is true".to_owned()));
    }
    let is_limit = request.value(StopLossInput::order_type).is_some_and(|order_type| order_type == "limit");
    if is_limit && at(request, StopLossInput::price, "/value").is_none() {
        return Some(
            StopLossInput::price.violation("is required for a limit order, as {\"value\": \"2200\"}".to_owned()),
        );
    }
    let timeout = StopLossInput::timeout;
    (is_enabled(request.value(timeout)) && at(request, timeout, "/value").is_none())
        .then(|| timeout.violation("has no value, which is required when enabled is true".to_owned()))
}

fn parts_go_together(request: &RequestBuilder) -> Option<Violation> {
    let (take_profit, stop_loss) = (SmartTradeCreate::take_profit, SmartTradeCreate::stop_loss);
    let targets = [take_profit, stop_loss].into_iter().find(|part| is_enabled(request.value(*part)));
    let skips = request.is_true(SmartTradeCreate::skip_enter_step);
    if !request.is_true(SmartTradeCreate::instant) {
        let message = "or stop_loss is required with skip_enter_step: without an entry there must be a target";
        return (skips && targets.is_none()).then(|| take_profit.violation(message.to_owned()));
    }
    if skips {
        return Some(SmartTradeCreate::skip_enter_step.violation("can't be true beside instant".to_owned()));
    }
    Some(targets?.violation("can't be enabled beside instant: a simple buy or sell has no targets".to_owned()))
}

/// The maximum number of take-profit steps.
const MAX_STEPS: usize = 8;

fn steps_cover_the_position(request: &RequestBuilder) -> Option<Violation> {
    let name = SmartTradeCreate::take_profit;
    let take_profit = request.value(name).filter(|_| is_enabled(request.value(name)))?;
    let steps = take_profit.get("steps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let Some((_, others)) = steps.split_last() else {
        return Some(name.violation("has no steps, which are required when enabled is true".to_owned()));
    };
    if steps.len() > MAX_STEPS {
        return Some(name.violation(format!("must have at most {MAX_STEPS} steps, not {}", steps.len())));
    }
    if others.iter().any(|step| is_enabled(step.get("trailing"))) {
        return Some(name.violation("only the last step may have trailing".to_owned()));
    }
    let sum: BigDecimal = steps.iter().filter_map(|step| decimal::of(step.get("volume")?)).sum();
    (sum != 100)
        .then(|| name.violation(format!("the volumes of the steps must add up to 100, not {}", decimal::shown(&sum))))
}

fn breakeven_needs_two_steps(request: &RequestBuilder) -> Option<Violation> {
    let name = SmartTradeCreate::stop_loss;
    let stop_loss = request.value(name).filter(|_| is_enabled(request.value(name)))?;
    let has_breakeven = stop_loss.get("breakeven") == Some(&Value::Bool(true));
    let take_profit = request.value(SmartTradeCreate::take_profit).filter(|part| is_enabled(Some(part)));
    let steps = take_profit.and_then(|part| part.get("steps")).and_then(Value::as_array).map_or(0, Vec::len);
    (has_breakeven && steps < 2).then(|| name.violation("breakeven needs at least two take-profit steps".to_owned()))
}
