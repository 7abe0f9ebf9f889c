//! Rules about the settings of bots and of their deals, which both can edit.

use std::borrow::Cow;

use bigdecimal::{BigDecimal, Zero};
use serde_json::Value;

use botdesk_schema::decimal;
use botdesk_schema::input::{InputName, RequestBuilder, Violation};
use botdesk_schema::json::Json;

const CUSTOM_SAFETY_STEPS: InputName = InputName::new("custom_safety_steps");
const MAX_SAFETY_ORDERS: InputName = InputName::new("max_safety_orders");
const SL_TO_BREAKEVEN_DATA: InputName = InputName::new("sl_to_breakeven_data");
const SL_TO_BREAKEVEN_ENABLED: InputName = InputName::new("sl_to_breakeven_enabled");
const STOP_LOSS_PERCENTAGE: InputName = InputName::new("stop_loss_percentage");
const STRATEGY: InputName = InputName::new("strategy");
const TAKE_PROFIT: InputName = InputName::new("take_profit");
const TAKE_PROFIT_STEPS: InputName = InputName::new("take_profit_steps");

/// The sum of the targets' amounts, in percent.
const WHOLE_POSITION: u32 = 100;

/// The maximum number of targets of a bot.
const MAX_STEPS: usize = 4;

/// The lowest and the highest deviation of a custom safety step, in percent.
const DEVIATIONS: [&str; 2] = ["-100", "10000"];

/// Returns the direction of a bot: that of the record that an edit changes, or that of a new bot.
fn direction_of(request: &RequestBuilder) -> Option<Cow<'_, str>> {
    if let Some(direction) = request.record_value("strategy").and_then(Json::string) {
        return Some(direction);
    }
    let input = request.inputs().get(STRATEGY)?;
    let given = request.value(input.key()).and_then(Value::as_str);
    Some(Cow::Borrowed(given.unwrap_or("long")))
}

pub(super) fn no_take_profit_beside_steps(request: &RequestBuilder) -> Option<Violation> {
    let steps = request.elements(TAKE_PROFIT_STEPS).len();
    let take_profit = request.number(TAKE_PROFIT).unwrap_or_default();
    (steps > 1 && !take_profit.is_zero()).then(|| {
        TAKE_PROFIT.violation(format!(
            "must be 0 if there are several take_profit_steps, and there are {steps}; pass take_profit=0 to use \
                 the steps, or take_profit_steps=[] to take all profit at {} %",
            decimal::shown(&take_profit)
        ))
    })
}

pub(super) fn steps_cover_the_position(request: &RequestBuilder) -> Option<Violation> {
    let steps = request.elements(TAKE_PROFIT_STEPS);
    let amounts = steps.iter().filter_map(|step| decimal::of(step.get("amount_percentage")?));
    let amounts: Vec<BigDecimal> = amounts.collect();
    let covered: BigDecimal = amounts.iter().sum();
    let message = if steps.len() > MAX_STEPS {
        format!("at most {MAX_STEPS} targets are possible, not {}", steps.len())
    } else if let Some(amount) = amounts.iter().find(|amount| **amount <= BigDecimal::zero()) {
        format!("each amount must be more than 0 %, not {} %", decimal::shown(amount))
    } else if !steps.is_empty() && covered != WHOLE_POSITION {
        format!("the amounts must add up to {WHOLE_POSITION} %, not {} %", decimal::shown(&covered))
    } else {
        return None;
    };
    Some(TAKE_PROFIT_STEPS.violation(message))
}

pub(super) fn breakeven_needs_two_steps(request: &RequestBuilder) -> Option<Violation> {
    let steps = request.elements(TAKE_PROFIT_STEPS).len();
    (request.is_true(SL_TO_BREAKEVEN_ENABLED) && steps < 2)
        .then(|| SL_TO_BREAKEVEN_ENABLED.violation(format!("needs at least two take_profit_steps; there are {steps}")))
}

pub(super) fn breakeven_limit_is_known(request: &RequestBuilder) -> Option<Violation> {
    let limit = request.value(SL_TO_BREAKEVEN_DATA)?.get("upper_breakeven_limit");
    let known = limit.and_then(Value::as_u64).is_some_and(|limit| limit <= 2);
    (!known).then(|| {
        SL_TO_BREAKEVEN_DATA.violation(
            "needs upper_breakeven_limit: 0 (the base order's price), 1 (the first target) or 2 (the second)",
        )
    })
}

pub(super) fn steps_take_profit(request: &RequestBuilder) -> Option<Violation> {
    let steps = request.elements(TAKE_PROFIT_STEPS).iter();
    let mut profits = steps.filter_map(|step| decimal::of(step.get("profit_percentage")?));
    let profit = profits.find(|profit| *profit <= BigDecimal::zero())?;
    let shown = decimal::shown(&profit);
    Some(TAKE_PROFIT_STEPS.violation(format!("each profit must be more than 0 %, not {shown} %")))
}

/// Returns a violation if the stop loss of a long bot is 100 % or more: no price falls that far. A short bot may have one,
/// because prices rise without limit.
pub(super) fn stop_loss_above_a_price_of_0(request: &RequestBuilder) -> Option<Violation> {
    let is_long = direction_of(request).is_some_and(|strategy| strategy == "long");
    let stop_loss = request.number(STOP_LOSS_PERCENTAGE);
    let stop_loss = stop_loss.filter(|percent| is_long && *percent >= decimal::constant("100"))?;
    let shown = decimal::shown(&stop_loss);
    Some(STOP_LOSS_PERCENTAGE.violation(format!("must be lower than 100 for a long bot, not {shown}")))
}

pub(super) fn safety_steps_are_in_range(request: &RequestBuilder) -> Option<Violation> {
    let [least, most] = DEVIATIONS;
    let is_outside =
        |deviation: &BigDecimal| *deviation < decimal::constant(least) || *deviation > decimal::constant(most);
    let deviation = step_numbers(request, "deviation").into_iter().find(is_outside)?;
    let shown = decimal::shown(&deviation);
    let message = format!("each deviation must be between {least} and {most} %, not {shown} %");
    Some(CUSTOM_SAFETY_STEPS.violation(message))
}

/// Returns the violation by more custom safety steps than safety orders.
pub fn safety_steps_fit_the_number_of_orders(request: &RequestBuilder) -> Option<Violation> {
    let steps = request.elements(CUSTOM_SAFETY_STEPS).len();
    let orders = request.number(MAX_SAFETY_ORDERS)?;
    let shown = decimal::shown(&orders);
    (steps > 0 && orders < u64::try_from(steps).unwrap_or(u64::MAX)).then(|| {
        let message = format!("must have at most as many steps as max_safety_orders, {shown}, and there are {steps}");
        CUSTOM_SAFETY_STEPS.violation(message)
    })
}

/// Returns the violation by deviations that don't lead away from the base order. Without a record, the sign of the
/// first deviation decides the direction.
pub(super) fn safety_steps_lead_away(request: &RequestBuilder) -> Option<Violation> {
    let strategy = direction_of(request);
    let deviations = step_numbers(request, "deviation");
    let is_short = match strategy.as_deref() {
        Some(strategy) => strategy == "short",
        None => deviations.first().is_some_and(|first| *first > BigDecimal::zero()),
    };
    safety_steps_not_away(&deviations, is_short)
}

/// Returns the violation by deviations that don't lead further and further away from the base order.
pub fn safety_steps_not_away(deviations: &[BigDecimal], is_short: bool) -> Option<Violation> {
    let zero = BigDecimal::zero();
    let before = std::iter::once(&zero).chain(deviations);
    let is_wrong = |before: &BigDecimal, step: &BigDecimal| if is_short { step <= before } else { step >= before };
    let (_, wrong) = before.zip(deviations).find(|(before, step)| is_wrong(before, step))?;
    let (direction, side) = if is_short { ("short", "above") } else { ("long", "below") };
    let shown = decimal::shown(wrong);
    Some(CUSTOM_SAFETY_STEPS.violation(format!(
        "each deviation of a {direction} bot must be {side} 0 and {side} the deviation before it, not {shown} %"
    )))
}

pub(super) fn safety_steps_have_a_size(request: &RequestBuilder) -> Option<Violation> {
    let size = step_numbers(request, "size").into_iter().find(|size| *size <= BigDecimal::zero())?;
    let shown = decimal::shown(&size);
    Some(CUSTOM_SAFETY_STEPS.violation(format!("each size must be greater than 0, not {shown}")))
}

/// Returns a member of each custom safety step that has it as a number.
pub fn step_numbers(request: &RequestBuilder, member: &str) -> Vec<BigDecimal> {
    let steps = request.elements(CUSTOM_SAFETY_STEPS).iter();
    steps.filter_map(|step| decimal::of(step.get(member)?)).collect()
}
