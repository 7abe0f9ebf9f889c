//! The prices at which a moving price is visited: every one at which something happens, and the end of the move.

use super::market::Market;
use crate::decimal::Decimal;
use crate::ladder::Direction;

/// A move of a price.
#[derive(Clone, Copy, Debug)]
pub struct PriceMove<'a> {
    /// The price before the move, which is not visited again.
    pub from: &'a Decimal,
    /// The last price of the move.
    pub to: &'a Decimal,
    /// The market.
    pub market: &'a Market,
}

impl PriceMove<'_> {
    /// Returns true if the price rises.
    pub fn is_up(&self) -> bool {
        self.from < self.to
    }

    /// Returns true if the move makes deals of a direction lose.
    pub(super) fn is_against(&self, direction: Direction) -> bool {
        self.is_up() == (direction == Direction::Short)
    }

    /// Returns true if the move passes a price or ends at it.
    pub fn passes(&self, price: &Decimal) -> bool {
        (self.from < price && price <= self.to) || (self.to <= price && price < self.from)
    }

    /// Returns the price of these that the move reaches first.
    pub fn first(&self, prices: impl IntoIterator<Item = Decimal>) -> Option<Decimal> {
        prices.into_iter().reduce(if self.is_up() { Decimal::min } else { Decimal::max })
    }

    /// Returns the price at which a limit order fills, if the move passes it.
    pub(super) fn limit_fill_price(&self, price: Option<&Decimal>) -> Option<Decimal> {
        price.filter(|price| self.passes(price)).cloned()
    }

    /// Returns the price at which a triggered market order fills; None if the move does not pass the trigger.
    ///
    /// It is the trigger, rounded to the tick in the direction of the move, but not past the end of the move.
    pub(super) fn trigger_fill_price(&self, trigger: &Decimal) -> Option<Decimal> {
        self.passes(trigger).then(|| self.at_tick(trigger))
    }

    /// Returns a price of the move, rounded to the tick in its direction, but not past its end.
    pub fn at_tick(&self, price: &Decimal) -> Decimal {
        let tick = Some(&self.market.tick);
        if self.is_up() {
            price.round_up_to(tick).min(self.to.clone())
        } else {
            price.round_down_to(tick).max(self.to.clone())
        }
    }
}

/// The prices between which nothing happens, however the price moves from one to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuietRange<'a> {
    /// Something may happen from this price downwards.
    pub lower: Option<&'a Decimal>,
    /// Something may happen from this price upwards.
    pub upper: Option<&'a Decimal>,
}

impl<'a> QuietRange<'a> {
    /// Narrows the range to prices above `price`.
    pub(super) fn raise(&mut self, price: Option<&'a Decimal>) {
        if price.is_some_and(|price| self.lower.is_none_or(|lower| lower < price)) {
            self.lower = price;
        }
    }

    /// Narrows the range to prices below `price`.
    pub(super) fn reduce(&mut self, price: Option<&'a Decimal>) {
        if price.is_some_and(|price| self.upper.is_none_or(|upper| upper > price)) {
            self.upper = price;
        }
    }

    /// Narrows the range to prices that are better for deals of a direction than `price`.
    pub(super) fn require_better(&mut self, direction: Direction, price: Option<&'a Decimal>) {
        match direction {
            Direction::Long => self.raise(price),
            Direction::Short => self.reduce(price),
        }
    }

    /// Narrows the range to prices that are worse for deals of a direction than `price`.
    pub(super) fn require_worse(&mut self, direction: Direction, price: Option<&'a Decimal>) {
        match direction {
            Direction::Long => self.reduce(price),
            Direction::Short => self.raise(price),
        }
    }

    /// Returns true if a price is within the range.
    #[cfg(test)]
    pub(super) fn contains(&self, price: &Decimal) -> bool {
        self.lower.is_none_or(|lower| price > lower) && self.upper.is_none_or(|upper| price < upper)
    }
}
