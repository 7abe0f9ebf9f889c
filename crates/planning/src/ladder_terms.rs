//! What a plan starts from: the terms of a bot, and the market that it trades on.

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

inputs! { ($)
    /// The market that a ladder is planned for.
    LadderMarket of "a ladder", rows ladder_market_rows {
        /// Price of the base order, in the quote currency.
        price: Amount [Required];
        /// Tick of the pair: prices are multiples of it; without it they are not rounded.
        tick: Amount;
        /// Lot of the pair: quantities are multiples of it; without it they are not rounded.
        lot: Amount;
        /// Fee of the exchange as a fraction, such as 0.001 for 0.1 %; none if it is left out.
        fee: Amount;
    }
}

inputs! { ($)
    /// What a ladder has to know of a bot beside what an edit may change.
    LadderStrategy of "a ladder", rows ladder_strategy_rows {
        /// Direction of the bot's deals; `long` if it is left out.
        strategy: OneOf<dca_bot::Direction>;
    }
}

/// The market that a ladder is planned for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Market {
    /// The price of the base order.
    pub price: BigDecimal,
    /// What prices are multiples of.
    pub tick: Option<BigDecimal>,
    /// What quantities are multiples of.
    pub lot: Option<BigDecimal>,
    /// What the exchange takes, as a fraction.
    pub fee: BigDecimal,
}

impl Market {
    /// The market as a caller gave it, or all that is wrong with it.
    pub fn given(draft: &Draft) -> Result<Self, PlanError> {
        let mut reader = Reader::new(LadderMarket::INPUTS, draft);
        let price = reader.needed(LadderMarket::price as usize);
        let market = Self {
            price: price.unwrap_or_default(),
            tick: reader.above_zero(LadderMarket::tick as usize),
            lot: reader.above_zero(LadderMarket::lot as usize),
            fee: reader.fraction(LadderMarket::fee as usize),
        };
        reader.done(market)
    }
}

/// What the volumes of a bot's orders are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The quote currency.
    Quote,
    /// The base currency.
    Base,
}

/// The volume of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    /// How much.
    pub amount: BigDecimal,
    /// Of which currency.
    pub counted: Counted,
}

/// The safety orders of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyOrders {
    /// How many there are.
    pub count: u32,
    /// The volume of the first.
    pub volume: Volume,
    /// How far the first lies from the base order's price, in percent.
    pub step: BigDecimal,
    /// By how much each step is longer than the one before.
    pub step_coefficient: BigDecimal,
    /// By how much each order is larger than the one before.
    pub volume_coefficient: BigDecimal,
}

/// What a ladder follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Which way the bot's deals bet.
    pub direction: Direction,
    /// The volume of the base order.
    pub base: Volume,
    /// The safety orders.
    pub safety: SafetyOrders,
    /// Where the profit is taken; None where nothing is known of it.
    pub take_profit: Option<TakeProfit>,
    /// The stop loss in percent; None where there is none.
    pub stop_loss: Option<BigDecimal>,
    /// Most deals that may be open at once.
    pub deals: BigDecimal,
    /// What is to be said of them.
    pub warnings: Vec<String>,
}

impl Terms {
    /// Reads the terms of a bot from its record, or reports all that no ladder can be made of.
    ///
    /// Only a field that the API reference does not require is assumed if the record has no value for it, with a warning. A
    /// field that can't be read is an error.
    pub fn of_bot(bot: &DcaBot) -> Result<Self, PlanError> {
        let draft = Draft::new(DcaBotEdit::INPUTS, []).carry_over(bot.fields());
        let mut reader = Reader::of_record(DcaBotEdit::INPUTS, &draft, bot, "botdesk.plan_ladder");
        let direction = direction_of(bot, &mut reader);
        let mut terms = Self::read(reader, direction, Some(bot))?;
        terms.warnings.extend(bot.pairs().err().map(|unreadable| format!("{unreadable}; the ladder has no pair")));
        Ok(terms)
    }

    /// The terms that a caller gave under the names of an edit's fields, or all that is wrong with them.
    ///
    /// A value that the service would refuse is worth a warning: to see what it does may be why it was given.
    pub fn given(draft: &Draft, strategy: &Draft) -> Result<Self, PlanError> {
        let direction = match strategy.value(LadderStrategy::strategy as usize).and_then(Value::as_str) {
            Some("short") => Direction::Short,
            _ => Direction::Long,
        };
        let unusable = strategy.unusable();
        let read = Self::read(Reader::new(DcaBotEdit::INPUTS, draft), direction, None);
        if !unusable.is_empty() {
            return Err(PlanError::Values(unusable).and(read.err()));
        }
        let mut terms = read?;
        let refused = draft.violations_of_changes();
        let refused: Vec<_> = refused.iter().filter(|violation| !violation.is_own).map(told).collect();
        terms.warnings.splice(0..0, refused);
        Ok(terms)
    }

    fn read(mut reader: Reader<'_>, direction: Direction, bot: Option<&DcaBot>) -> Result<Self, PlanError> {
        if has_own_safety_steps(reader.draft) {
            reader.refuse_other(
                "custom_safety_steps",
                "the bot has safety steps of its own, of which the document gives no form, so where they lie is not \
                 known; botdesk.plan_ladder plans a ladder without them",
            );
        }
        let base = Volume {
            amount: reader.needed(DcaBotEdit::base_order_volume as usize).unwrap_or_default(),
            counted: counted(&mut reader, DcaBotEdit::base_order_volume_type as usize),
        };
        let safety = SafetyOrders::read(&mut reader);
        let (take_profit, in_steps) = take_profit(&mut reader, bot);
        let stop_loss = stop_loss(&mut reader);
        let deals = deals(&mut reader);
        let mut terms = Self { direction, base, safety, take_profit, stop_loss, deals, warnings: Vec::new() };
        terms.warnings = terms.found(&mut reader, in_steps);
        terms.warnings.append(&mut reader.warnings);
        reader.done(terms)
    }

    /// Returns what the terms do that the numbers of a ladder do not show.
    fn found(&self, reader: &mut Reader<'_>, in_steps: Option<String>) -> Vec<String> {
        let last = (self.safety.count > 0).then(|| self.safety.last_deviation());
        let refused = self.stop_loss.as_ref().zip(last).and_then(|(percent, last)| stop_loss_not_below(percent, &last));
        let trails = self.take_profit.is_some() && reader.flag(DcaBotEdit::trailing_enabled as usize);
        let trailing = trails
            .then(|| "the take profit trails the price; the take-profit prices are where it begins to".to_owned());
        let stop_trails = self.stop_loss.is_some() && reader.flag(DcaBotEdit::tsl_enabled as usize);
        let trailing_stop =
            stop_trails.then(|| "the stop loss trails the price; the stop-loss price is where it begins".to_owned());
        let changing = [DcaBotEdit::reinvesting_percentage, DcaBotEdit::risk_reduction_percentage];
        let changing = changing.map(|input| changes_later_deals(reader, input as usize)).contains(&true).then(|| {
            "later deals are larger or smaller by what the ones before earned; the ladder is that of the volumes as given"
                .to_owned()
        });
        let refused = refused.as_ref().map(told);
        [refused, in_steps, trailing, trailing_stop, changing].into_iter().flatten().collect()
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
        Some(other) => reader.refuse_other(name, format!("must be long or short, and the record holds {other:?}")),
        None => reader.refuse_missing_other(name),
    }
    Direction::Long
}

impl SafetyOrders {
    fn read(reader: &mut Reader<'_>) -> Self {
        let count = count(reader).unwrap_or_default();
        // What a bot without safety orders says of them does not matter.
        let mut needed = |index| if count == 0 { None } else { reader.needed(index) };
        let amount = needed(DcaBotEdit::safety_order_volume as usize).unwrap_or_default();
        let step = needed(DcaBotEdit::safety_order_step_percentage as usize).unwrap_or_default();
        let mut coefficient = |index| self::coefficient(reader, index, count).unwrap_or_else(|| 1.into());
        let step_coefficient = coefficient(DcaBotEdit::martingale_step_coefficient as usize);
        let volume_coefficient = coefficient(DcaBotEdit::martingale_volume_coefficient as usize);
        let counted = match count {
            0 => Counted::Quote,
            _ => counted(reader, DcaBotEdit::safety_order_volume_type as usize),
        };
        Self { count, volume: Volume { amount, counted }, step, step_coefficient, volume_coefficient }
    }

    fn last_deviation(&self) -> BigDecimal {
        ladder::deviation(self.count, &self.step, &self.step_coefficient)
    }
}

/// The digits that a coefficient may have before its point, and about as many zeros behind it.
const COEFFICIENT_DIGITS: i64 = 6;

/// A coefficient. What is multiplied by it again and again must not grow past all bounds; the service takes 0.1 to 10.
///
/// A record has to hold it from the second safety order on; the first has nothing to be multiplied.
fn coefficient(reader: &mut Reader<'_>, index: usize, orders: u32) -> Option<BigDecimal> {
    let number = match (reader.reads_record(), orders) {
        (true, 0 | 1) => return None,
        (true, _) => reader.needed(index)?,
        (false, _) => reader.above_zero(index)?,
    };
    let magnitude = i64::try_from(number.digits()).unwrap_or(i64::MAX) - number.fractional_digit_count();
    if magnitude.abs() > COEFFICIENT_DIGITS {
        reader.refuse(index, "is too large or too small for a ladder; it must lie between 0.1 and 10");
        return None;
    }
    Some(number)
}

fn count(reader: &mut Reader<'_>) -> Option<u32> {
    let index = DcaBotEdit::max_safety_orders as usize;
    let Some(number) = reader.number(index) else {
        if reader.reads_record() {
            reader.refuse_missing(index);
        } else {
            reader.refuse(index, "is required; 0 for the base order alone");
        }
        return None;
    };
    let most = DcaBotEdit::max_safety_orders.most().unwrap_or_default();
    let count = number.to_u32().filter(|count| u64::from(*count) <= most);
    if count.is_none() {
        reader.refuse(index, format!("must lie between 0 and {most}, not {}", decimal::shown(&number)));
    }
    count
}

fn counted(reader: &mut Reader<'_>, index: usize) -> Counted {
    match reader.choice(index, "quote_currency") {
        "base_currency" => Counted::Base,
        "percent" => {
            reader.refuse(
                index,
                "is percent, and volumes in percent have no ladder without a balance; botdesk.plan_ladder takes \
                 volumes in quote_currency or base_currency",
            );
            Counted::Quote
        }
        _ => Counted::Quote,
    }
}

/// Reads where the profit is taken, and what is to be said if that is in steps.
///
/// The API reference requires a take profit, and lets it be null; only steps stand in its place.
fn take_profit(reader: &mut Reader<'_>, bot: Option<&DcaBot>) -> (Option<TakeProfit>, Option<String>) {
    let index = DcaBotEdit::take_profit as usize;
    let plain = reader.at_least_zero(index);
    let steps = if plain.as_ref().is_none_or(Zero::is_zero) { Steps::read(reader, bot) } else { Steps::default() };
    let percent = if steps.count > 0 { steps.first } else { plain };
    if steps.count == 0 && reader.lacks(index) {
        reader.refuse_missing(index);
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

/// Take-profit steps: how many there are, and the profit of the first.
#[derive(Default)]
struct Steps {
    count: usize,
    first: Option<BigDecimal>,
}

impl Steps {
    fn read(reader: &mut Reader<'_>, bot: Option<&DcaBot>) -> Self {
        let index = DcaBotEdit::take_profit_steps as usize;
        let steps = match bot {
            Some(bot) => reader.readable(Self::of_bot(bot), "take_profit_steps").unwrap_or_default(),
            None => Self::given(reader.draft.elements(index)),
        };
        let first = match &steps {
            (0, _) => return Self::default(),
            (_, None) => Err("the first step has no profit_percentage".to_owned()),
            (_, Some(text)) => decimal::parse(text)
                .ok_or_else(|| format!("the profit_percentage of the first step {}", not_calculable(text))),
        };
        let first = first.map_err(|problem| reader.refuse(index, problem)).ok();
        Self { count: steps.0, first }
    }

    /// Returns the number of steps of a bot, and the text of the first one's profit.
    fn of_bot(bot: &DcaBot) -> Result<(usize, Option<String>), FieldError> {
        let steps = bot.take_profit_steps()?.unwrap_or_default();
        let first = steps.first().map(TakeProfitStep::profit_percentage).transpose()?.flatten();
        Ok((steps.len(), first.map(|profit| profit.as_str().to_owned())))
    }

    /// Returns the number of steps that a caller gave, and the text of the first one's profit.
    fn given(steps: &[Value]) -> (usize, Option<String>) {
        let first = steps.first().and_then(|step| step.get("profit_percentage"));
        (steps.len(), first.map(|profit| profit.as_str().map_or_else(|| profit.to_string(), str::to_owned)))
    }
}

pub(super) fn told(violation: &Violation) -> String {
    format!("{} {}", violation.field, violation.message)
}
