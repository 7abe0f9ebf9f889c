//! A place in the candles of a pair, point by point.

use crate::candles::{Candles, ExtremeOrder};
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
    /// True if the extremes come in the other order.
    is_flipped: bool,
    /// The candle whose points were asked for last.
    cached: Option<(usize, [(Milliseconds, Decimal); POINTS])>,
}

impl Cursor {
    pub(super) fn new(market: Market, candles: Candles, path: ExtremeOrder) -> Self {
        Self { market, candles, path, next: 0, price: None, is_flipped: false, cached: None }
    }

    /// Sets whether the extremes of the next candles come in the other order.
    pub(super) fn flip(&mut self, is_flipped: bool) {
        (self.is_flipped, self.cached) = (is_flipped, None);
    }

    /// Returns the next point.
    pub(super) fn next_point(&mut self) -> Option<PointAt> {
        self.point(self.next)
    }

    /// Returns the first point, from the next one on, that is outside of a range.
    pub(super) fn next_outside(&mut self, range: &QuietRange) -> Option<PointAt> {
        // The rest of a candle that was begun; the index knows only whole ones.
        let candle_end = self.next.next_multiple_of(POINTS);
        if let Some(found) = self.first_outside(self.next..candle_end, range) {
            return Some(found);
        }
        let candle = self.candles.next_outside(candle_end / POINTS, range.lower.as_ref(), range.upper.as_ref())?;
        self.first_outside(candle * POINTS..(candle + 1) * POINTS, range)
    }

    fn first_outside(&mut self, points: std::ops::Range<usize>, range: &QuietRange) -> Option<PointAt> {
        for index in points {
            let (time, price) = self.load(index)?;
            if !range.contains(price) {
                return Some(PointAt { time, index });
            }
        }
        None
    }

    /// Returns the first point, from the next one on, that is not before a time.
    pub(super) fn first_from(&mut self, time: Milliseconds) -> Option<PointAt> {
        // Points of the candle before may be later than `time`.
        let candle = self.candles.index_from(time).saturating_sub(1);
        let first = (candle * POINTS).max(self.next);
        (first..first.saturating_add(2 * POINTS)).find_map(|index| self.point(index).filter(|point| point.time >= time))
    }

    /// Skips the points before this one.
    pub(super) fn skip_to(&mut self, index: usize) {
        if index > self.next {
            self.price = self.load(index - 1).map(|(_, price)| price.clone());
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
        if later > self.next { self.load(later - 1).map(|(_, price)| price.clone()) } else { self.price.clone() }
    }

    /// Passes the next point. Returns the price that it moves from, which is None for a jump, and its own price.
    pub(super) fn pass(&mut self) -> Option<(Option<Decimal>, Decimal)> {
        let price = self.load(self.next)?.1.clone();
        let from = self.price.replace(price.clone()).filter(|_| !self.next.is_multiple_of(POINTS));
        self.next += 1;
        Some((from, price))
    }

    /// Returns the time of the last point of all.
    pub(super) fn last_time(&mut self) -> Option<Milliseconds> {
        let last = (self.candles.len() * POINTS).checked_sub(1)?;
        self.point(last).map(|point| point.time)
    }

    fn point(&mut self, index: usize) -> Option<PointAt> {
        self.load(index).map(|(time, _)| PointAt { time, index })
    }

    fn load(&mut self, index: usize) -> Option<(Milliseconds, &Decimal)> {
        let candle = index / POINTS;
        if self.cached.as_ref().is_none_or(|(cached, _)| *cached != candle) {
            let mut points = self.candles.points(candle, self.path)?;
            if self.is_flipped {
                let [_, (_, first), (_, second), _] = &mut points;
                std::mem::swap(first, second);
            }
            self.cached = Some((candle, points));
        }
        let (_, points) = self.cached.as_ref()?;
        points.get(index % POINTS).map(|(time, price)| (*time, price))
    }
}
