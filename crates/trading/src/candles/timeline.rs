//! The points of the candles of several pairs, in the order of their times.

use super::series::{Candles, ExtremeOrder};
use crate::decimal::Decimal;

/// A point of a candle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricePoint {
    /// The time in milliseconds since 1970.
    pub time: i64,
    /// The index of the history that it is from.
    pub history: usize,
    /// The price.
    pub price: Decimal,
    /// True if the price jumps to it, from the close of another candle; false if it moves.
    pub is_open: bool,
    /// True if it is the last point of its candle.
    pub is_close: bool,
}

/// An iterator over the points of several histories in the order of their times; of the same time, in the order of the histories.
#[derive(Clone)]
pub struct Timeline {
    cursors: Vec<HistoryCursor>,
    path: ExtremeOrder,
}

#[derive(Clone)]
struct HistoryCursor {
    candles: Candles,
    /// The index of the next candle.
    next: usize,
    /// The points of the current candle that are still to come, the last one first.
    points: Vec<(i64, Decimal)>,
}

/// The number of points of a candle.
const POINTS: usize = 4;

impl Timeline {
    /// Returns the points of histories.
    pub fn new(histories: impl IntoIterator<Item = Candles>, path: ExtremeOrder) -> Self {
        let cursors = histories.into_iter().map(|candles| HistoryCursor { candles, next: 0, points: Vec::new() });
        Self { cursors: cursors.collect(), path }
    }
}

impl HistoryCursor {
    /// Returns the time of the next point.
    fn peek(&mut self, path: ExtremeOrder) -> Option<i64> {
        if self.points.is_empty() {
            let points = self.candles.points(self.next, path)?;
            self.next += 1;
            self.points.extend(points.into_iter().rev());
        }
        self.points.last().map(|(time, _)| *time)
    }
}

impl Iterator for Timeline {
    type Item = PricePoint;

    fn next(&mut self) -> Option<PricePoint> {
        let path = self.path;
        let times =
            self.cursors.iter_mut().enumerate().filter_map(|(history, cursor)| Some((cursor.peek(path)?, history)));
        let (_, history) = times.min()?;
        let points = &mut self.cursors.get_mut(history)?.points;
        let is_open = points.len() == POINTS;
        let (time, price) = points.pop()?;
        Some(PricePoint { time, history, price, is_open, is_close: points.is_empty() })
    }
}
