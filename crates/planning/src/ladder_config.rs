//! The inputs of a ladder plan: the settings of a bot, and the market conditions.

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use serde_json::Value;

use super::error::PlanError;
use super::reader::{Reader, not_calculable};
use botdesk_api::dca_bot::{self, DcaBot, DcaBotEdit, has_own_safety_steps, stop_loss_not_below};
use botdesk_api::decimal;
use botdesk_api::input::Rule::Required;
use botdesk_api::input::{Draft, Violation};
use botdesk_api::inputs;
use botdesk_api::record::{FieldError, Record};
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_api::values::{Amount, Choice, OneOf};
use botdesk_trading::ladder::{self, Direction};
use botdesk_trading::position::{ProfitOf, TakeProfit};

inputs! {
    /// The market that a ladder is planned for.
    LadderMarket of "a ladder" {
        /// Price of the base order, in the quote currency.
        price: Amount [Required];
        /// Tick of the pair. Prices are rounded to it; without it they are exact.
        tick: Amount;
        /// Lot of the pair. Quantities are rounded up to it; without it they are exact.
        lot: Amount;
        /// Fee of the exchange as a fraction, such as 0.001 for 0.1 %; 0 by default.
        fee: Amount;
    }
}

inputs! {
    /// The settings that a ladder needs but an edit can't change.
    LadderStrategy of "a ladder" {
        /// Direction of the bot's deals; `long` by default.
        strategy: OneOf<dca_bot::Direction>;
    }
}

/// The market that a ladder is planned for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketConditions {
    /// The price of the base order.
    pub price: BigDecimal,
    /// The tick: the increment of prices.
    pub tick: Option<BigDecimal>,
    /// The lot: the increment of quantities.
    pub lot: Option<BigDecimal>,
    /// The fee of the exchange, as a fraction.
    pub fee: BigDecimal,
}

impl MarketConditions {
    /// Reads the market from arguments; returns all violations if any is invalid.
    pub fn from_inputs(draft: &Draft) -> Result<Self, PlanError> {
        let mut reader = Reader::new(LadderMarket::INPUTS, draft);
        let price = reader.required(LadderMarket::price as usize);
        let market = Self {
            price: price.unwrap_or_default(),
            tick: reader.above_zero(LadderMarket::tick as usize),
            lot: reader.above_zero(LadderMarket::lot as usize),
            fee: reader.fraction(LadderMarket::fee as usize),
        };
        reader.finish(market)
    }
}

/// The unit of order volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VolumeUnit {
    /// The quote currency.
    Quote,
    /// The base currency.
    Base,
}

/// The volume of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    /// The amount.
    pub amount: BigDecimal,
    /// The currency of the amount.
    pub unit: VolumeUnit,
}

/// The safety orders of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyOrders {
    /// The number of safety orders.
    pub count: u32,
    /// The volume of the first one.
    pub volume: Volume,
    /// The distance of the first one from the base order's price, in percent.
    pub step: BigDecimal,
    /// The ratio of each step to the previous one.
    pub step_coefficient: BigDecimal,
    /// The ratio of each volume to the previous one.
    pub volume_coefficient: BigDecimal,
}

/// The settings that determine a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LadderConfig {
    /// The direction of the bot's deals.
    pub direction: Direction,
    /// The volume of the base order.
    pub base: Volume,
    /// The safety orders.
    pub safety: SafetyOrders,
    /// The take profit; None if it is unknown.
    pub take_profit: Option<TakeProfit>,
    /// The stop loss in percent, if there is one.
    pub stop_loss: Option<BigDecimal>,
    /// The maximum number of open deals.
    pub deals: BigDecimal,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl LadderConfig {
    /// Reads the settings from the record of a bot; returns all violations if a ladder is impossible.
    ///
    /// If the record has no value for a field that the API reference does not require, a default is assumed, with a warning. A field
    /// that can't be read is an error.
    pub fn from_bot(bot: &DcaBot) -> Result<Self, PlanError> {
        let draft = Draft::new(DcaBotEdit::INPUTS, []).carry_over(bot.fields());
        let mut reader = Reader::of_record(DcaBotEdit::INPUTS, &draft, bot, "botdesk.plan_ladder");
        let direction = direction_of(bot, &mut reader);
        let mut config = Self::read(reader, direction, Some(bot))?;
        config.warnings.extend(bot.pairs().err().map(|unreadable| format!("{unreadable}; the ladder has no pair")));
        Ok(config)
    }

    /// Reads the settings from the arguments of an edit; returns all violations if any argument is unusable.
    ///
    /// A value that the service would reject gives a warning only, because the user may want to see its effect.
    pub fn from_inputs(draft: &Draft, strategy: &Draft) -> Result<Self, PlanError> {
        let direction = match strategy.value(LadderStrategy::strategy as usize).and_then(Value::as_str) {
            Some("short") => Direction::Short,
            _ => Direction::Long,
        };
        let unusable = strategy.unusable();
        let read = Self::read(Reader::new(DcaBotEdit::INPUTS, draft), direction, None);
        if !unusable.is_empty() {
            return Err(PlanError::Values(unusable).and(read.err()));
        }
        let mut config = read?;
        let rejected = draft.violations_of_changes();
        let rejected: Vec<_> = rejected.iter().filter(|violation| !violation.is_own).map(describe).collect();
        config.warnings.splice(0..0, rejected);
        Ok(config)
    }

    fn read(mut reader: Reader<'_>, direction: Direction, bot: Option<&DcaBot>) -> Result<Self, PlanError> {
        if has_own_safety_steps(reader.draft) {
            reader.add_violation_of(
                "custom_safety_steps",
                "the bot has custom safety steps, whose format is undocumented, so their prices are unknown; \
                 botdesk.plan_ladder plans a ladder without them",
            );
        }
        let base = Volume {
            amount: reader.required(DcaBotEdit::base_order_volume as usize).unwrap_or_default(),
            unit: unit(&mut reader, DcaBotEdit::base_order_volume_type as usize),
        };
        let safety = SafetyOrders::read(&mut reader);
        let (take_profit, in_steps) = take_profit(&mut reader, bot);
        let stop_loss = stop_loss(&mut reader);
        let deals = deals(&mut reader);
        let mut config = Self { direction, base, safety, take_profit, stop_loss, deals, warnings: Vec::new() };
        config.warnings = config.pricing_warnings(&mut reader, in_steps);
        config.warnings.append(&mut reader.warnings);
        reader.finish(config)
    }

    /// Returns warnings about settings whose effects the numbers of a ladder don't show.
    fn pricing_warnings(&self, reader: &mut Reader<'_>, in_steps: Option<String>) -> Vec<String> {
        let last = (self.safety.count > 0).then(|| self.safety.last_deviation());
        let rejected =
            self.stop_loss.as_ref().zip(last).and_then(|(percent, last)| stop_loss_not_below(percent, &last));
        let trails = self.take_profit.is_some() && reader.boolean(DcaBotEdit::trailing_enabled as usize);
        let trailing = trails
            .then(|| "the take profit trails the price; the take-profit prices are where it begins to".to_owned());
        let stop_trails = self.stop_loss.is_some() && reader.boolean(DcaBotEdit::tsl_enabled as usize);
        let trailing_stop =
            stop_trails.then(|| "the stop loss trails the price; the stop-loss price is where it begins".to_owned());
        let changing = [DcaBotEdit::reinvesting_percentage, DcaBotEdit::risk_reduction_percentage];
        let changing = changing.map(|input| changes_later_deals(reader, input as usize)).contains(&true).then(|| {
            "the volumes of later deals also depend on earlier profits; the ladder uses the volumes as given".to_owned()
        });
        let rejected = rejected.as_ref().map(describe);
        [rejected, in_steps, trailing, trailing_stop, changing].into_iter().flatten().collect()
    }
}

fn changes_later_deals(reader: &mut Reader<'_>, index: usize) -> bool {
    reader.assume(index, "0 is assumed");
    reader.number(index).is_some_and(|percent| !percent.is_zero())
}

fn stop_loss(reader: &mut Reader<'_>) -> Option<BigDecimal> {
    let index = DcaBotEdit::stop_loss_percentage as usize;
    reader.assume(index, "no stop loss is assumed");
    reader.at_least_zero(index).filter(|percent| !percent.is_zero())
}

fn deals(reader: &mut Reader<'_>) -> BigDecimal {
    let index = DcaBotEdit::max_active_deals as usize;
    reader.assume(index, "1 is assumed");
    reader.above_zero(index).unwrap_or_else(|| 1.into())
}

fn direction_of(bot: &DcaBot, reader: &mut Reader<'_>) -> Direction {
    let name = "strategy";
    let Some(strategy) = reader.readable(bot.strategy(), name) else { return Direction::Long };
    match strategy.as_ref().map(Choice::as_str) {
        Some("long") => {}
        Some("short") => return Direction::Short,
        Some(other) => reader.add_violation_of(name, format!("must be long or short, but the record has {other:?}")),
        None => reader.add_missing_field(name),
    }
    Direction::Long
}

impl SafetyOrders {
    fn read(reader: &mut Reader<'_>) -> Self {
        let count = count(reader).unwrap_or_default();
        // Without safety orders the other settings have no effect.
        let mut required = |index| if count == 0 { None } else { reader.required(index) };
        let amount = required(DcaBotEdit::safety_order_volume as usize).unwrap_or_default();
        let step = required(DcaBotEdit::safety_order_step_percentage as usize).unwrap_or_default();
        let mut coefficient = |index| self::coefficient(reader, index, count).unwrap_or_else(|| 1.into());
        let step_coefficient = coefficient(DcaBotEdit::martingale_step_coefficient as usize);
        let volume_coefficient = coefficient(DcaBotEdit::martingale_volume_coefficient as usize);
        let unit = match count {
            0 => VolumeUnit::Quote,
            _ => unit(reader, DcaBotEdit::safety_order_volume_type as usize),
        };
        Self { count, volume: Volume { amount, unit }, step, step_coefficient, volume_coefficient }
    }

    fn last_deviation(&self) -> BigDecimal {
        ladder::deviation(self.count, &self.step, &self.step_coefficient)
    }
}

/// The maximum number of digits of a coefficient before its decimal point, or of zeros after it.
const COEFFICIENT_DIGITS: i64 = 6;

/// Reads a coefficient. It is limited, because repeated multiplication must not overflow; the service accepts 0.1 to 10.
///
/// A record with two or more safety orders must have it.
fn coefficient(reader: &mut Reader<'_>, index: usize, orders: u32) -> Option<BigDecimal> {
    let number = match (reader.has_record(), orders) {
        (true, 0 | 1) => return None,
        (true, _) => reader.required(index)?,
        (false, _) => reader.above_zero(index)?,
    };
    let magnitude = i64::try_from(number.digits()).unwrap_or(i64::MAX) - number.fractional_digit_count();
    if magnitude.abs() > COEFFICIENT_DIGITS {
        reader.add_violation(index, "is too large or too small for a ladder; it must lie between 0.1 and 10");
        return None;
    }
    Some(number)
}

fn count(reader: &mut Reader<'_>) -> Option<u32> {
    let index = DcaBotEdit::max_safety_orders as usize;
    let Some(number) = reader.number(index) else {
        if reader.has_record() {
            reader.add_missing(index);
        } else {
            reader.add_violation(index, "is required; 0 for the base order alone");
        }
        return None;
    };
    let most = DcaBotEdit::max_safety_orders.most().unwrap_or_default();
    let count = number.to_u32().filter(|count| u64::from(*count) <= most);
    if count.is_none() {
        reader.add_violation(index, format!("must lie between 0 and {most}, not {}", decimal::shown(&number)));
    }
    count
}

fn unit(reader: &mut Reader<'_>, index: usize) -> VolumeUnit {
    match reader.choice(index, "quote_currency") {
        "base_currency" => VolumeUnit::Base,
        "percent" => {
            reader.add_violation(
                index,
                "is percent, and volumes in percent have no ladder without a balance; botdesk.plan_ladder takes \
                 volumes in quote_currency or base_currency",
            );
            VolumeUnit::Quote
        }
        _ => VolumeUnit::Quote,
    }
}

/// Reads the take profit, with a warning if it is in steps.
///
/// The API reference requires a take profit but allows null. Only steps can replace it.
fn take_profit(reader: &mut Reader<'_>, bot: Option<&DcaBot>) -> (Option<TakeProfit>, Option<String>) {
    let index = DcaBotEdit::take_profit as usize;
    let plain = reader.at_least_zero(index);
    let steps = if plain.as_ref().is_none_or(Zero::is_zero) { Steps::read(reader, bot) } else { Steps::default() };
    let percent = if steps.count > 0 { steps.first } else { plain };
    if steps.count == 0 && reader.is_missing(index) {
        reader.add_missing(index);
    }
    let in_steps = (steps.count > 0)
        .then(|| format!("profit is taken in {} steps; the take-profit prices are those of the first", steps.count));
    let take_profit = percent.map(|percent| TakeProfit { percent, of: profit_of(reader) });
    (take_profit, in_steps)
}

fn profit_of(reader: &mut Reader<'_>) -> ProfitOf {
    match reader.choice(DcaBotEdit::take_profit_type as usize, "total") {
        "base" => ProfitOf::BaseOrder,
        _ => ProfitOf::Total,
    }
}

/// The number of take-profit steps, and the profit of the first one.
#[derive(Default)]
struct Steps {
    count: usize,
    first: Option<BigDecimal>,
}

impl Steps {
    fn read(reader: &mut Reader<'_>, bot: Option<&DcaBot>) -> Self {
        let index = DcaBotEdit::take_profit_steps as usize;
        let steps = match bot {
            Some(bot) => reader.readable(Self::from_bot(bot), "take_profit_steps").unwrap_or_default(),
            None => Self::from_inputs(reader.draft.elements(index)),
        };
        let first = match &steps {
            (0, _) => return Self::default(),
            (_, None) => Err("the first step has no profit_percentage".to_owned()),
            (_, Some(text)) => decimal::parse(text)
                .ok_or_else(|| format!("the profit_percentage of the first step {}", not_calculable(text))),
        };
        let first = first.map_err(|problem| reader.add_violation(index, problem)).ok();
        Self { count: steps.0, first }
    }

    /// Returns the number of steps of a bot, and the profit of the first one as a string.
    fn from_bot(bot: &DcaBot) -> Result<(usize, Option<String>), FieldError> {
        let steps = bot.take_profit_steps()?.unwrap_or_default();
        let first = steps.first().map(TakeProfitStep::profit_percentage).transpose()?.flatten();
        Ok((steps.len(), first.map(|profit| profit.as_str().to_owned())))
    }

    /// Returns the number of steps in the arguments, and the profit of the first one as a string.
    fn from_inputs(steps: &[Value]) -> (usize, Option<String>) {
        let first = steps.first().and_then(|step| step.get("profit_percentage"));
        (steps.len(), first.map(|profit| profit.as_str().map_or_else(|| profit.to_string(), str::to_owned)))
    }
}

pub(super) fn describe(violation: &Violation) -> String {
    format!("{} {}", violation.field, violation.message)
}
