//! The warnings that follow from the orders of a ladder, each in a sentence.

use bigdecimal::{BigDecimal, Zero};

use super::ladder_config::LadderMarketValues;
use super::planned_order::{PlannedOrder, order_name};
use botdesk_schema::decimal;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::rounding::to_digits;

/// The percentage by which a deal may exceed its budget without a warning.
const TOLERANCE: Decimal = Decimal::ONE;

/// The factor from which on a target that is too far away has a warning.
const FAR_TARGET: i64 = 2;

/// The digits of a percentage in a warning.
const PERCENT_DIGITS: u64 = 3;

/// The warnings about the orders of a ladder.
pub(super) struct OrderWarnings {
    /// The first order that can't be placed.
    pub(super) unplaced: Option<String>,
    /// Targets and stop losses that are never reached.
    pub(super) unreached: Vec<String>,
    /// The effects of a large tick.
    pub(super) tick: Vec<String>,
    /// Orders smaller than a lot.
    lots: Vec<String>,
    /// A deal that costs more than its budget.
    pub(super) budget: Option<String>,
}

impl OrderWarnings {
    pub(super) fn new(
        rungs: &[PlannedOrder],
        budget: &BigDecimal,
        stop_loss_price: Option<&BigDecimal>,
        market: &LadderMarketValues,
        target: Option<&BentTarget>,
    ) -> Self {
        let lots = rungs.iter().filter_map(|rung| lot_warning(rung, market.lot.as_ref()?));
        let rounded = market.lot.as_ref().and_then(|_| budget_warning(rungs, budget));
        let shared = market.tick.as_ref().and_then(|_| shared_price_warning(rungs));
        Self {
            unplaced: unplaced_warning(rungs),
            unreached: unreached_warnings(rungs, stop_loss_price),
            tick: shared.into_iter().chain(target.and_then(BentTarget::warning)).collect(),
            lots: lots.collect(),
            budget: rounded,
        }
    }

    /// Returns all warnings.
    pub(super) fn all(self) -> impl Iterator<Item = String> {
        let Self { unplaced, unreached, tick, lots, budget } = self;
        unplaced.into_iter().chain(unreached).chain(tick).chain(lots).chain(budget)
    }
}

fn unplaced_warning(rungs: &[PlannedOrder]) -> Option<String> {
    let rung = rungs.iter().find(|rung| !rung.can_be_placed())?;
    Some(format!(
        "{} has a price of zero or less; neither it nor the orders after it can be placed",
        order_name(rung.number)
    ))
}

fn unreached_warnings(rungs: &[PlannedOrder], stop_loss_price: Option<&BigDecimal>) -> Vec<String> {
    let zero = BigDecimal::zero();
    let is_zero_or_less = |price: Option<&BigDecimal>| price.is_some_and(|price| *price <= zero);
    let unprofitable = rungs.iter().find(|rung| is_zero_or_less(rung.take_profit_price.as_ref()));
    let unprofitable = unprofitable
        .map(|rung| format!("the take profit of {} is zero or less, so it is never reached", order_name(rung.number)));
    let unstopped =
        is_zero_or_less(stop_loss_price).then(|| "the stop loss is zero or less, so it is never reached".to_owned());
    unprofitable.into_iter().chain(unstopped).collect()
}

/// Returns the warning if the tick puts orders with different deviations at one price. `rungs` are rounded to a tick.
fn shared_price_warning(rungs: &[PlannedOrder]) -> Option<String> {
    let shares =
        |rung: &PlannedOrder, next: &PlannedOrder| rung.price == next.price && rung.deviation != next.deviation;
    let placed: Vec<_> = rungs.iter().filter(|rung| rung.can_be_placed()).collect();
    let mut groups = placed.chunk_by(|rung, next| shares(rung, next)).filter(|group| group.len() > 1);
    let [first, .., last] = groups.next()? else { return None };
    let more = if groups.next().is_some() { ", and others share theirs" } else { "" };
    Some(format!(
        "the tick is large: rounded to it, {} share the price {}{more}",
        order_names(first.number, last.number),
        decimal::shown(&first.price)
    ))
}

/// Returns the warning if an order is smaller than one lot.
fn lot_warning(rung: &PlannedOrder, lot: &BigDecimal) -> Option<String> {
    let cost = &rung.quantity * &rung.price;
    (rung.quantity == *lot && rung.size < cost).then(|| {
        let [size, cost] = [&rung.size, &cost].map(decimal::shown);
        format!("{} is smaller than one lot: rounded up, it costs {cost}, not {size}", order_name(rung.number))
    })
}

/// Returns the warning if a deal costs more than its budget, because its orders are rounded up to a lot.
fn budget_warning(rungs: &[PlannedOrder], budget: &BigDecimal) -> Option<String> {
    let spent: BigDecimal = rungs.iter().map(|rung| &rung.quantity * &rung.price).sum();
    let [budget, spent] = [budget, &spent].map(Decimal::from);
    if !budget.is_positive() {
        return None;
    }
    let more = (&spent - &budget) * Decimal::HUNDRED;
    if more < &budget * TOLERANCE {
        return None;
    }
    let more = more.div_round(&budget, 1)?;
    let [spent, budget, more] = [&spent, &budget, &more].map(|number| decimal::shown(&number.normalized().to_big()));
    Some(format!("the lot is large: rounded up to it, a deal costs {spent}, {more} % more than its budget of {budget}"))
}

/// A take profit that is rounded to the tick: its distances from the average price, as fractions.
#[derive(Clone, Debug)]
pub(super) struct BentTarget {
    number: u32,
    exact: Decimal,
    rounded: Decimal,
}

impl BentTarget {
    /// Returns the target of the deal once an order is filled.
    pub(super) fn new(number: u32, average: &Decimal, exact: &Decimal, rounded: &Decimal) -> Option<Self> {
        let distance = |price: &Decimal| {
            let distance = if price < average { average - price } else { price - average };
            distance.checked_div(average)
        };
        Some(Self { number, exact: distance(exact)?, rounded: distance(rounded)? })
    }

    /// Returns the target that the tick moves by the larger factor.
    pub(super) fn larger(first: Option<Self>, next: Option<Self>) -> Option<Self> {
        match (first, next) {
            (Some(first), Some(next)) => {
                let is_larger = &next.rounded * &first.exact > &first.rounded * &next.exact;
                Some(if is_larger { next } else { first })
            }
            (first, next) => first.or(next),
        }
    }

    fn warning(&self) -> Option<String> {
        let Self { number, exact, rounded } = self;
        let is_far = *rounded >= exact * Decimal::from(FAR_TARGET);
        (is_far && exact.is_positive()).then(|| {
            let percent = |part: &Decimal| {
                decimal::shown(&to_digits(&(part * Decimal::HUNDRED).to_big(), PERCENT_DIGITS).normalized())
            };
            format!(
                "the tick is large: rounded to it, the take profit of {} is {} % away from the average price, not {} %",
                order_name(*number),
                percent(rounded),
                percent(exact)
            )
        })
    }
}

/// Returns the names of orders from one to another.
fn order_names(first: u32, last: u32) -> String {
    match (first, last) {
        (0, 1) => "the base order and safety order 1".to_owned(),
        (0, last) => format!("the base order and safety orders 1 to {last}"),
        (first, last) => format!("safety orders {first} {} {last}", if last == first + 1 { "and" } else { "to" }),
    }
}
