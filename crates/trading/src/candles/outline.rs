//! The price of many candles as few points, for pictures.

use super::series::{Candles, ExtremeOrder};
use crate::decimal::Decimal;

impl Candles {
    /// Returns points of the price that a picture with this number of columns needs, in the order in which the price passes them.
    ///
    /// Of each column, they are the points of the candle with the lowest low and of the one with the highest high. The first and the
    /// last candle, and every candle of a short history, have their points too.
    pub fn outline(&self, columns: usize, path: ExtremeOrder) -> Vec<(i64, Decimal)> {
        let candles = self.outline_candles(columns.max(1));
        candles.into_iter().filter_map(|candle| self.points(candle, path)).flatten().collect()
    }

    fn outline_candles(&self, columns: usize) -> Vec<usize> {
        if self.len() <= columns.saturating_mul(2) {
            return (0..self.len()).collect();
        }
        let size = self.len().div_ceil(columns);
        let mut candles = vec![0, self.len() - 1];
        for start in (0..self.len()).step_by(size) {
            let Some((low, high)) = self.extremes(start..start + size) else { continue };
            candles.extend(self.next_outside(start, self.range(Some(&low), None)));
            candles.extend(self.next_outside(start, self.range(None, Some(&high))));
        }
        candles.sort_unstable();
        candles.dedup();
        candles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candles::CandlesBuilder;

    /// Returns candles whose price rises and falls again and again, with one price that is much higher and one that is much lower.
    fn history(count: i64) -> Candles {
        let mut builder = CandlesBuilder::default();
        for index in 0..count {
            let price = 100 + index % 7;
            let (high, low) = (if index == 1_234 { 900 } else { price }, if index == 4_321 { 1 } else { price });
            builder.times.push(60_000 * index);
            for (column, price) in builder.prices.iter_mut().zip([price, high, low, price]) {
                column.push_text(&price.to_string()).unwrap();
            }
        }
        builder.finish().unwrap()
    }

    #[test]
    fn a_short_history_keeps_every_point() {
        let candles = history(20);
        let all: Vec<_> = (0..20).filter_map(|index| candles.points(index, ExtremeOrder::Nearest)).flatten().collect();
        assert_eq!(candles.outline(10, ExtremeOrder::Nearest), all);
    }

    #[test]
    fn a_long_history_keeps_the_extremes_of_every_column_at_their_times() {
        let candles = history(10_000);
        let points = candles.outline(50, ExtremeOrder::Nearest);
        assert!(points.len() <= 4 * (2 * 50 + 2));
        assert!(points.is_sorted_by_key(|(time, _)| *time));
        for start in (0..10_000).step_by(200) {
            let (low, high) = candles.extremes(start..start + 200).unwrap();
            let times = candles.time(start).unwrap()..candles.time(start + 199).unwrap() + 60_000;
            let column = || points.iter().filter(|(time, _)| times.contains(time)).map(|(_, price)| price);
            assert_eq!((column().min(), column().max()), (Some(&low), Some(&high)));
        }
        let highest = points.iter().max_by_key(|(_, price)| price).unwrap();
        assert_eq!(highest.0 / 60_000, 1_234);
    }

    #[test]
    fn the_first_and_the_last_price_are_kept() {
        let candles = history(9_999);
        let points = candles.outline(3, ExtremeOrder::HighFirst);
        assert_eq!(points.first(), candles.points(0, ExtremeOrder::HighFirst).unwrap().first());
        assert_eq!(points.last(), candles.points(9_998, ExtremeOrder::HighFirst).unwrap().last());
    }

    #[test]
    fn no_columns_count_as_one_and_no_candles_have_no_points() {
        assert!(!history(5).outline(0, ExtremeOrder::Nearest).is_empty());
        assert!(history(5).slice(2..2).outline(10, ExtremeOrder::Nearest).is_empty());
    }
}
