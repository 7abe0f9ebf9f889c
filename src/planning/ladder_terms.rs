//! What a plan starts from: the terms of a bot, and the market that it trades on.

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use serde_json::Value;

use super::ladder::Direction;
use super::position::{ProfitOf, TakeProfit};
use super::reader::Reader;
use crate::service::dca_bot::{self, DcaBot, DcaBotEdit, has_own_safety_steps, stop_loss_below_last_safety_order};
use crate::service::decimal;
use crate::service::input::Rule::Required;
use crate::service::input::{Draft, Violation, inputs};
use crate::service::record::Record;
use crate::service::values::{Amount, Choice, OneOf};

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
    pub fn given(draft: &Draft) -> Result<Self, Vec<Violation>> {
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
    /// The terms of a bot as a record holds them, or all that no ladder can be made of.
    pub fn of_bot(bot: &DcaBot) -> Result<Self, Vec<Violation>> {
        let draft = Draft::new(DcaBotEdit::INPUTS, []).carry_over(bot.fields());
        let strategy = bot.strategy().map_err(|error| vec![LadderStrategy::strategy.violation(error.to_string())])?;
        let direction = match strategy.as_ref().map(Choice::as_str) {
            Some("long") | None => Direction::Long,
            Some("short") => Direction::Short,
            Some(other) => {
                let message = format!("must be long or short, and the record holds {other:?}");
                return Err(vec![LadderStrategy::strategy.violation(message)]);
            }
        };
        let mut terms = Self::read(Reader::of_record(DcaBotEdit::INPUTS, &draft), direction)?;
        if strategy.is_none() {
            terms.warnings.push("the record does not say its strategy; long is assumed".to_owned());
        }
        Ok(terms)
    }

    /// The terms that a caller gave under the names of an edit's fields, or all that is wrong with them.
    ///
    /// A value that the service would refuse is worth a warning: to see what it does may be why it was given.
    pub fn given(draft: &Draft, strategy: &Draft) -> Result<Self, Vec<Violation>> {
        let direction = match strategy.value(LadderStrategy::strategy as usize).and_then(Value::as_str) {
            Some("short") => Direction::Short,
            _ => Direction::Long,
        };
        let unusable = strategy.unusable();
        match Self::read(Reader::new(DcaBotEdit::INPUTS, draft), direction) {
            Ok(mut terms) if unusable.is_empty() => {
                let refused = draft.violations_of_changes();
                let refused: Vec<_> = refused.iter().filter(|violation| !violation.is_own).map(told).collect();
                terms.warnings.splice(0..0, refused);
                Ok(terms)
            }
            read => Err(unusable.into_iter().chain(read.err().unwrap_or_default()).collect()),
        }
    }

    fn read(mut reader: Reader<'_>, direction: Direction) -> Result<Self, Vec<Violation>> {
        if has_own_safety_steps(reader.draft) {
            reader.refuse_other(
                "custom_safety_steps",
                "the bot has safety steps of its own, of which the document gives no form, so where they lie is not \
                 known; botdesk.plan_ladder plans a ladder without them",
            );
        }
        let terms = Self {
            direction,
            base: Volume {
                amount: reader.needed(DcaBotEdit::base_order_volume as usize).unwrap_or_default(),
                counted: counted(&mut reader, DcaBotEdit::base_order_volume_type as usize),
            },
            safety: SafetyOrders::read(&mut reader),
            take_profit: take_profit(&mut reader),
            stop_loss: reader.at_least_zero(DcaBotEdit::stop_loss_percentage as usize).filter(|it| !it.is_zero()),
            deals: reader.above_zero(DcaBotEdit::max_active_deals as usize).unwrap_or_else(|| 1.into()),
            warnings: warnings(reader.draft),
        };
        reader.done(terms)
    }
}

impl SafetyOrders {
    fn read(reader: &mut Reader<'_>) -> Self {
        let count = count(reader).unwrap_or_default();
        // What a bot without safety orders says of them does not matter.
        let mut needed = |index| if count == 0 { None } else { reader.needed(index) };
        let amount = needed(DcaBotEdit::safety_order_volume as usize).unwrap_or_default();
        let step = needed(DcaBotEdit::safety_order_step_percentage as usize).unwrap_or_default();
        let mut coefficient = |index| self::coefficient(reader, index).unwrap_or_else(|| 1.into());
        let step_coefficient = coefficient(DcaBotEdit::martingale_step_coefficient as usize);
        let volume_coefficient = coefficient(DcaBotEdit::martingale_volume_coefficient as usize);
        let counted = match count {
            0 => Counted::Quote,
            _ => counted(reader, DcaBotEdit::safety_order_volume_type as usize),
        };
        Self { count, volume: Volume { amount, counted }, step, step_coefficient, volume_coefficient }
    }
}

/// The digits that a coefficient may have before its point, and about as many zeros behind it.
const COEFFICIENT_DIGITS: i64 = 6;

/// A coefficient. What is multiplied by it again and again must not grow past all bounds; the service takes 0.1 to 10.
fn coefficient(reader: &mut Reader<'_>, index: usize) -> Option<BigDecimal> {
    let number = reader.above_zero(index)?;
    let magnitude = i64::try_from(number.digits()).unwrap_or(i64::MAX) - number.fractional_digit_count();
    if magnitude.abs() > COEFFICIENT_DIGITS {
        reader.refuse(index, "is too large or too small for a ladder; it must lie between 0.1 and 10");
        return None;
    }
    Some(number)
}

fn count(reader: &mut Reader<'_>) -> Option<u32> {
    let index = DcaBotEdit::max_safety_orders as usize;
    let Some(number) = reader.draft.number(index) else {
        reader.refuse(index, "is required; 0 for the base order alone");
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
    match reader.draft.value(index).and_then(Value::as_str) {
        Some("base_currency") => Counted::Base,
        Some("percent") => {
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

fn take_profit(reader: &mut Reader<'_>) -> Option<TakeProfit> {
    let of = match reader.draft.value(DcaBotEdit::take_profit_type as usize).and_then(Value::as_str) {
        Some("base") => ProfitOf::BaseOrder,
        _ => ProfitOf::Total,
    };
    let plain = reader.at_least_zero(DcaBotEdit::take_profit as usize);
    let percent = match first_step(reader.draft) {
        Some(step) if plain.as_ref().is_none_or(Zero::is_zero) => {
            let percent = step.get("profit_percentage").and_then(decimal::of);
            if percent.is_none() {
                reader.refuse(DcaBotEdit::take_profit_steps as usize, "the first step has no profit_percentage");
            }
            percent
        }
        _ => plain,
    };
    percent.map(|percent| TakeProfit { percent, of })
}

fn first_step(draft: &Draft) -> Option<&Value> {
    draft.elements(DcaBotEdit::take_profit_steps as usize).first()
}

pub(super) fn told(violation: &Violation) -> String {
    format!("{} {}", violation.field, violation.message)
}

/// What the terms do that the numbers of a ladder do not show.
fn warnings(draft: &Draft) -> Vec<String> {
    let number = |input: DcaBotEdit| draft.number(input as usize).filter(|number| !number.is_zero());
    let refused = stop_loss_below_last_safety_order(draft).as_ref().map(told);
    let steps = draft.elements(DcaBotEdit::take_profit_steps as usize).len();
    let in_steps = (steps > 0 && number(DcaBotEdit::take_profit).is_none())
        .then(|| format!("profit is taken in {steps} steps; the take-profit prices are those of the first"));
    let trailing = draft
        .is_true(DcaBotEdit::trailing_enabled as usize)
        .then(|| "the take profit trails the price; the take-profit prices are where it begins to".to_owned());
    let trailing_stop = draft
        .is_true(DcaBotEdit::tsl_enabled as usize)
        .then(|| "the stop loss trails the price; the stop-loss price is where it begins".to_owned());
    let changing = [DcaBotEdit::reinvesting_percentage, DcaBotEdit::risk_reduction_percentage];
    let changing = changing.into_iter().any(|input| number(input).is_some()).then(|| {
        "later deals are larger or smaller by what the ones before earned; the ladder is that of the volumes as given"
            .to_owned()
    });
    [refused, in_steps, trailing, trailing_stop, changing].into_iter().flatten().collect()
}
