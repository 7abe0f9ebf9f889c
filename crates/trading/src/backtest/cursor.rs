//! A place in the candles of a pair, point by point.

use crate::candles::{Candles, ExtremeOrder, PriceRange};
use crate::decimal::Decimal;
use crate::engine::movement::QuietRange;
use crate::engine::{Market, Milliseconds};

/// The number of points of a candle.
pub(super) const POINTS: usize = 4;

/// A point of a candle by its position, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PointAt {
    pub(super) time: Milliseconds,
    /// The index of the point: four for each candle.
    pub(super) index: usize,
}

/// A place in the candles of a pair.
#[derive(Clone)]
pub(super) struct Cursor {
    pub(super) market: Market,
    candles: Candles,
    path: ExtremeOrder,
    /// The index of the next point.
    next: usize,
    /// The price at the last point; None before the first.
    pub(super) price: Option<Decimal>,
    /// The candle whose extremes come in the other order.
    flipped: Option<usize>,
    /// The candle that was read last, and the prices of its points × 10^places.
    cached: Option<(usize, [i128; POINTS])>,
}

impl Cursor {
    pub(super) fn new(market: Market, candles: Candles, path: ExtremeOrder) -> Self {
        Self { market, candles, path, next: 0, price: None, flipped: None, cached: None }
    }

    /// Makes the extremes of a candle, which has not begun, come in the other order.
    pub(super) fn flip(&mut self, candle: usize) {
        (self.flipped, self.cached) = (Some(candle), None);
    }

    /// Returns the candle whose first point is not after a time, and whose last is not before it.
    pub(super) fn candle_at(&self, time: Milliseconds) -> Option<usize> {
        let candle = self.candles.index_from(time.saturating_add(1)).checked_sub(1)?;
        (time <= self.end_of(candle)?).then_some(candle)
    }

    /// Returns the time of the last point of a candle.
    pub(super) fn end_of(&self, candle: usize) -> Option<Milliseconds> {
        self.candles.point_time(candle, POINTS - 1)
    }

    /// Returns the next point.
    pub(super) fn next_point(&self) -> Option<PointAt> {
        self.point(self.next)
    }

    /// Returns the first point, from the next one on, that is outside of a range.
    pub(super) fn next_outside(&mut self, range: &QuietRange<'_>) -> Option<PointAt> {
        let range = self.candles.range(range.lower, range.upper);
        let (candle, point) = (self.next / POINTS, self.next % POINTS);
        // The rest of a candle that was begun; the index knows only whole ones.
        if point > 0
            && let Some(found) = self.first_outside(candle, point, range)
        {
            return Some(found);
        }
        let candle = self.candles.next_outside(candle + usize::from(point > 0), range)?;
        self.first_outside(candle, 0, range)
    }

    /// Returns the first point of a candle, from one of its points on, that is outside of a range.
    fn first_outside(&mut self, candle: usize, from: usize, range: PriceRange) -> Option<PointAt> {
        let mut prices = self.prices(candle)?.iter().enumerate().skip(from);
        let (point, _) = prices.find(|(_, price)| !range.contains(**price))?;
        self.point(candle * POINTS + point)
    }

    /// Returns the first point, from the next one on, that is not before a time.
    pub(super) fn first_from(&self, time: Milliseconds) -> Option<PointAt> {
        let (candle, point) = self.candles.point_from(time)?;
        self.point((candle * POINTS + point).max(self.next))
    }

    /// Skips the points before this one.
    fn skip_to(&mut self, index: usize) {
        if index > self.next {
            self.price = self.price(index - 1);
            self.next = index;
        }
    }

    /// Skips the points before a time.
    pub(super) fn skip_before(&mut self, time: Milliseconds) {
        let index = self.first_from(time).map_or(self.candles.len() * POINTS, |point| point.index);
        self.skip_to(index);
    }

    /// Returns the price at the last point that is not after a time, which is not before the last point that was passed.
    pub(super) fn price_at(&mut self, time: Milliseconds) -> Option<Decimal> {
        let later = self.first_from(time.saturating_add(1)).map_or(self.candles.len() * POINTS, |point| point.index);
        if later > self.next { self.price(later - 1) } else { self.price.clone() }
    }

    /// Skips the points before this one, and passes it. Returns the price that it moves from, which is None for a jump.
    pub(super) fn pass(&mut self, index: usize) -> Option<Decimal> {
        // Nothing happened at the points that are skipped.
        let from = if index.is_multiple_of(POINTS) {
            None
        } else if index == self.next {
            self.price.take()
        } else {
            self.price(index - 1)
        };
        self.price = self.price(index);
        self.next = index + 1;
        from
    }

    /// Returns the time of the last point of all.
    pub(super) fn last_time(&self) -> Option<Milliseconds> {
        let last = (self.candles.len() * POINTS).checked_sub(1)?;
        self.point(last).map(|point| point.time)
    }

    fn point(&self, index: usize) -> Option<PointAt> {
        let time = self.candles.point_time(index / POINTS, index % POINTS)?;
        Some(PointAt { time, index })
    }

    fn price(&mut self, index: usize) -> Option<Decimal> {
        Some(Decimal::new(self.mantissa(index)?, self.candles.places()))
    }

    /// Returns the price of a point × 10^places.
    fn mantissa(&mut self, index: usize) -> Option<i128> {
        self.prices(index / POINTS)?.get(index % POINTS).copied()
    }

    /// Returns the prices of the points of a candle × 10^places.
    fn prices(&mut self, candle: usize) -> Option<&[i128; POINTS]> {
        if self.cached.is_none_or(|(cached, _)| cached != candle) {
            let mut prices = self.candles.path_prices(candle, self.path)?;
            if self.flipped == Some(candle) {
                prices.swap(1, 2);
            }
            self.cached = Some((candle, prices));
        }
        self.cached.as_ref().map(|(_, prices)| prices)
    }
}
