//! Candles: checked, exact and indexed.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::block::CandlePrices;
use super::price_range::PriceRange;
use super::prices::{StoredPrices, on_prices};
use super::times::Times;
use crate::decimal::Decimal;

/// Seconds from 2001 to 2286, which are milliseconds in the first months of 1970.
const SECONDS: Range<i64> = 1_000_000_000..10_000_000_000;

/// A history of prices, which can't be changed. Clones and slices share its data.
///
/// A candle of a long history usually takes 16.3 bytes: four prices of 4 bytes, and the index. Prices of more than 9 digits take twice
/// as much, and those of more than 18 digits four times. Memory is taken in blocks of 32 candles. Times take only 16 bytes for each
/// gap; if most candles are followed by a gap, each candle takes 8 bytes more.
#[derive(Clone)]
pub struct Candles {
    data: Arc<Data>,
    rows: Range<usize>,
}

struct Data {
    times: Times,
    places: u8,
    prices: StoredPrices,
}

/// One candle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candle {
    /// The time of the open, in milliseconds since 1970.
    pub time: i64,
    /// The first price.
    pub open: Decimal,
    /// The highest price.
    pub high: Decimal,
    /// The lowest price.
    pub low: Decimal,
    /// The last price.
    pub close: Decimal,
}

/// The order of the two extremes of a candle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExtremeOrder {
    /// First the extreme that is nearer to the open; the low if both are as near.
    #[default]
    Nearest,
    /// First the low.
    LowFirst,
    /// First the high.
    HighFirst,
}

impl ExtremeOrder {
    /// The orders, each with its name.
    pub const ALL: [(&'static str, Self); 3] =
        [("nearest", Self::Nearest), ("low_first", Self::LowFirst), ("high_first", Self::HighFirst)];

    /// Returns the order of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(own, _)| *own == name).map(|(_, order)| order)
    }
}

impl Candles {
    /// Returns candles that were checked.
    pub(super) fn new(times: Times, places: u8, prices: StoredPrices, count: usize) -> Self {
        Self { data: Arc::new(Data { times, places, prices }), rows: 0..count }
    }

    /// Returns the number of candles.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if it is empty, which only a slice may be.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the length of a candle in milliseconds: the smallest distance between two times. It is None for a single candle.
    ///
    /// A slice has the interval of the history that it is from, so that its candles have the same points.
    pub fn interval(&self) -> Option<i64> {
        self.data.times.interval()
    }

    /// Returns the number of places where the distance between two candles is larger than the interval.
    pub fn gaps(&self) -> usize {
        self.data.times.gaps(&self.rows)
    }

    /// Returns the number of decimal places of the prices. A slice has those of the history that it is from.
    pub fn places(&self) -> u8 {
        self.data.places
    }

    /// Returns the smallest decimal place of the prices, such as 0.01.
    pub fn tick(&self) -> Decimal {
        Decimal::new(1, self.places())
    }

    /// Returns the time of a candle, in milliseconds since 1970.
    pub fn time(&self, index: usize) -> Option<i64> {
        self.row(index).map(|row| self.data.times.at(row))
    }

    /// Returns the warning about times that are probably in seconds; `of` names the pair. They would make every pause of a bot a
    /// thousand times longer.
    pub fn seconds_warning(&self, of: &str) -> Option<String> {
        let ends = [self.time(0)?, self.time(self.len().checked_sub(1)?)?];
        let message = || format!("the candles{of} are from 1970; if their times are in seconds, pass milliseconds");
        ends.iter().all(|time| SECONDS.contains(time)).then(message)
    }

    /// Returns a candle.
    pub fn candle(&self, index: usize) -> Option<Candle> {
        let [open, high, low, close] = self.mantissas(index)?.map(|price| Decimal::new(price, self.places()));
        Some(Candle { time: self.time(index)?, open, high, low, close })
    }

    /// Returns the open, high, low and close of a candle × 10^places.
    pub fn mantissas(&self, index: usize) -> Option<CandlePrices> {
        on_prices!(&self.data.prices, get(self.row(index)?))
    }

    /// Returns the four points of a candle, in the order in which the price passes them: the open, the two extremes and the close.
    pub fn points(&self, index: usize, order: ExtremeOrder) -> Option<[(i64, Decimal); 4]> {
        let [open, first, second, close] = self.path_prices(index, order)?;
        let (time, interval) = (self.time(index)?, self.interval().unwrap_or(0));
        let point = |point, price| (time_of_point(time, interval, point), Decimal::new(price, self.places()));
        Some([point(0, open), point(1, first), point(2, second), point(3, close)])
    }

    /// Returns the time of a point of a candle. Points are numbered from 0 to 3.
    pub fn point_time(&self, index: usize, point: usize) -> Option<i64> {
        Some(time_of_point(self.time(index)?, self.interval().unwrap_or(0), i64::try_from(point).ok()?))
    }

    /// Returns the first point that is not before a time: the index of its candle, and its number in the candle.
    pub fn point_from(&self, time: i64) -> Option<(usize, usize)> {
        let candle = self.index_from(time);
        // The last points of the candle before may be later than `time`.
        let before = candle.checked_sub(1).and_then(|before| Some((before, self.time(before)?)));
        let later = before.and_then(|(candle, start)| {
            let interval = self.interval().unwrap_or(0);
            (1_u8..4)
                .find(|point| time_of_point(start, interval, (*point).into()) >= time)
                .map(|point| (candle, point.into()))
        });
        later.or_else(|| (candle < self.len()).then_some((candle, 0)))
    }

    /// Returns the prices of the four points of a candle × 10^places.
    pub fn path_prices(&self, index: usize, order: ExtremeOrder) -> Option<CandlePrices> {
        let [open, high, low, close] = self.mantissas(index)?;
        let is_low_first = match order {
            ExtremeOrder::Nearest => open - low <= high - open,
            ExtremeOrder::LowFirst => true,
            ExtremeOrder::HighFirst => false,
        };
        let (first, second) = if is_low_first { (low, high) } else { (high, low) };
        Some([open, first, second, close])
    }

    /// Returns the range between two prices, which are not in it.
    pub fn range(&self, lower: Option<&Decimal>, upper: Option<&Decimal>) -> PriceRange {
        PriceRange::new(lower, upper, self.places())
    }

    /// Returns the first candle from an index on whose low or high is outside of a range.
    ///
    /// Its cost grows with the logarithm of the number of candles.
    pub fn next_outside(&self, from: usize, range: PriceRange) -> Option<usize> {
        let from = self.rows.start.checked_add(from)?;
        let row = on_prices!(&self.data.prices, next_outside(from, range))?;
        (row < self.rows.end).then(|| row - self.rows.start)
    }

    /// Returns the lowest low and the highest high of some candles; None if there are none.
    pub fn extremes(&self, indices: Range<usize>) -> Option<(Decimal, Decimal)> {
        self.lowest(indices.clone()).zip(self.highest(indices))
    }

    /// Returns the lowest low of some candles; None if there are none.
    pub fn lowest(&self, indices: Range<usize>) -> Option<Decimal> {
        let low = on_prices!(&self.data.prices, lowest(self.rows_at(indices)))?;
        Some(Decimal::new(low, self.places()))
    }

    /// Returns the highest high of some candles; None if there are none.
    pub fn highest(&self, indices: Range<usize>) -> Option<Decimal> {
        let high = on_prices!(&self.data.prices, highest(self.rows_at(indices)))?;
        Some(Decimal::new(high, self.places()))
    }

    /// Returns the index of the first candle that is not before a time; the number of candles if all are.
    pub fn index_from(&self, time: i64) -> usize {
        self.data.times.first_from(time, &self.rows) - self.rows.start
    }

    /// Returns the candles from the time `start` on and before `end`.
    #[must_use]
    pub fn between(&self, start: Option<i64>, end: Option<i64>) -> Self {
        let first = start.map_or(0, |start| self.index_from(start));
        let last = end.map_or(self.len(), |end| self.index_from(end));
        self.slice(first..last)
    }

    /// Returns some of the candles; indices past the end are cut off.
    #[must_use]
    pub fn slice(&self, indices: Range<usize>) -> Self {
        Self { data: Arc::clone(&self.data), rows: self.rows_at(indices) }
    }

    /// Returns the bytes that the candles take, together with the rest of the history that a slice is from.
    pub fn memory(&self) -> usize {
        self.data.times.memory() + on_prices!(&self.data.prices, memory())
    }

    /// Returns the rows of some candles; indices past the end are cut off.
    fn rows_at(&self, indices: Range<usize>) -> Range<usize> {
        let end = indices.end.min(self.len());
        let start = indices.start.min(end);
        self.rows.start + start..self.rows.start + end
    }

    fn row(&self, index: usize) -> Option<usize> {
        self.rows.start.checked_add(index).filter(|row| *row < self.rows.end)
    }
}

/// Returns the time of a point of a candle. Points are a quarter of the interval apart; times are rounded down to whole milliseconds.
fn time_of_point(time: i64, interval: i64, point: i64) -> i64 {
    time + point * interval / 4
}

impl PartialEq for Candles {
    /// Compares everything that a user of the candles can see; the tick and the interval too.
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.data, &other.data) && self.rows == other.rows {
            return true;
        }
        let is_alike = (self.len(), self.interval(), self.places()) == (other.len(), other.interval(), other.places());
        let is_same = |index| self.time(index) == other.time(index) && self.mantissas(index) == other.mantissas(index);
        is_alike && (0..self.len()).all(is_same)
    }
}

impl Eq for Candles {}

impl fmt::Debug for Candles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = [self.time(0), self.len().checked_sub(1).and_then(|last| self.time(last))];
        write!(f, "Candles({} of {:?} ms, from {:?} to {:?})", self.len(), self.interval(), ends[0], ends[1])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::candles::{CandlesBuilder, CandlesError, Number};

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn read(rows: &[(i64, [&str; 4])]) -> Result<Candles, CandlesError> {
        let mut builder = CandlesBuilder::default();
        for (time, prices) in rows {
            builder.times.push(*time);
            for (column, price) in builder.prices.iter_mut().zip(prices) {
                column.push_text(price)?;
            }
        }
        builder.finish()
    }

    fn candles(rows: &[(i64, [&str; 4])]) -> Candles {
        read(rows).unwrap()
    }

    fn next_outside(candles: &Candles, from: usize, lower: Option<&Decimal>, upper: Option<&Decimal>) -> Option<usize> {
        candles.next_outside(from, candles.range(lower, upper))
    }

    fn error(prices: [&str; 4]) -> String {
        read(&[(0, ["1", "1", "1", "1"]), (60, prices)]).unwrap_err().to_string()
    }

    #[test]
    fn candles_that_contradict_themselves_are_refused() {
        assert_eq!(error(["1.25", "1.2", "1.3", "1.25"]), "row 1: high 1.2 is below low 1.3");
        assert_eq!(error(["1", "3", "2", "2"]), "row 1: open 1 is below low 2");
        assert_eq!(error(["2", "3", "2", "4.50"]), "row 1: close 4.5 is above high 3");
        assert_eq!(error(["1", "1", "0", "1"]), "row 1: low 0 is not above 0");
        assert_eq!(error(["-1", "1", "0", "1"]), "row 1: open -1 is not above 0");
        assert_eq!(error(["1", "1", "1", "nan"]), "row 1: close 'nan' is not a number");
        assert_eq!(read(&[]).unwrap_err().to_string(), "there are no candles; pass at least one");
        let mut builder = CandlesBuilder::default();
        builder.times.push(0);
        assert_eq!(builder.finish().unwrap_err().to_string(), "there are 1 times, but 0 values of open");
    }

    #[test]
    fn prices_that_do_not_fit_beside_each_other_are_refused() {
        let error = error(["0.000000000000000000000000000001", "100000000000", "1e-30", "1"]);
        assert!(error.starts_with("row 1: high has too many digits"), "{error}");
    }

    #[test]
    fn a_single_candle_has_no_interval() {
        let candles = candles(&[(7, ["1", "2", "0.5", "1.50"])]);
        assert_eq!((candles.len(), candles.interval(), candles.gaps(), candles.tick()), (1, None, 0, decimal("0.1")));
        let points = candles.points(0, ExtremeOrder::Nearest).unwrap();
        assert_eq!(points.map(|(time, _)| time), [7; 4]);
    }

    #[test]
    fn the_extreme_that_is_nearer_to_the_open_comes_first() {
        let candles =
            candles(&[(0, ["10", "12", "8", "11"]), (61, ["10", "11.9", "8", "9"]), (122, ["10", "12", "8.1", "9"])]);
        let prices =
            |index, path| candles.points(index, path).unwrap().map(|(_, price)| price.normalized().to_string());
        assert_eq!(prices(0, ExtremeOrder::Nearest), ["10", "8", "12", "11"]);
        assert_eq!(prices(1, ExtremeOrder::Nearest), ["10", "11.9", "8", "9"]);
        assert_eq!(prices(2, ExtremeOrder::Nearest), ["10", "8.1", "12", "9"]);
        assert_eq!(prices(1, ExtremeOrder::LowFirst), ["10", "8", "11.9", "9"]);
        assert_eq!(prices(0, ExtremeOrder::HighFirst), ["10", "12", "8", "11"]);
        assert_eq!(candles.points(1, ExtremeOrder::Nearest).unwrap().map(|(time, _)| time), [61, 76, 91, 106]);
        assert_eq!(candles.points(3, ExtremeOrder::Nearest), None);
    }

    #[test]
    fn a_slice_keeps_the_interval_and_the_tick() {
        let flat = |price| [price; 4];
        let rows: Vec<_> = [0, 60, 120, 300, 360].into_iter().zip(["1.25", "2", "3", "4", "5"].map(flat)).collect();
        let candles = candles(&rows);
        let slice = candles.between(Some(61), Some(301));
        assert_eq!(
            (slice.len(), slice.gaps(), slice.time(0), slice.time(1), slice.time(2)),
            (2, 1, Some(120), Some(300), None)
        );
        assert_eq!((slice.interval(), slice.tick()), (Some(60), decimal("0.01")));
        assert_eq!(slice.candle(1), candles.candle(3));
        assert_eq!(next_outside(&slice, 0, None, Some(&decimal("4"))), Some(1));
        assert_eq!(next_outside(&slice, 0, None, Some(&decimal("5"))), None);
        assert_eq!(slice, candles.slice(1..9).slice(1..3));
        assert_ne!(slice, candles.slice(2..3));
        assert!(candles.between(Some(400), None).is_empty());
        assert_eq!((candles.slice(9..9).len(), candles.slice(3..5).len()), (0, 2));
    }

    #[test]
    fn prices_of_many_digits_are_exact() {
        let candles = candles(&[(0, ["12345678.123456789012", "99999999.999999999999", "0.000000000001", "1"])]);
        let candle = candles.candle(0).unwrap();
        assert_eq!((candle.high, candle.low), (decimal("99999999.999999999999"), decimal("0.000000000001")));
        assert_eq!(candles.tick(), decimal("0.000000000001"));
        assert_eq!(next_outside(&candles, 0, Some(&decimal("0.0000000000011")), None), Some(0));
        assert_eq!(next_outside(&candles, 0, Some(&decimal("0.0000000000009")), Some(&decimal("1e40"))), None);
    }

    /// Returns a year of minutes at one price.
    fn year_at(price: f64) -> Candles {
        let mut builder = CandlesBuilder::default();
        builder.times.extend((0..525_600).map(|row| row * 60_000));
        for column in &mut builder.prices {
            column.extend_floats(&vec![price; 525_600]).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn a_year_of_minutes_takes_less_than_17_bytes_a_candle() {
        let candles = year_at(61_000.25);
        assert!(candles.memory() < 17 * candles.len(), "{}", candles.memory());
        assert_eq!(next_outside(&candles, 1, Some(&decimal("61000.24")), Some(&decimal("61000.26"))), None);
        assert_eq!(next_outside(&candles, 1, Some(&decimal("61000.254")), None), Some(1));
    }

    #[test]
    fn prices_of_ten_digits_take_less_than_33_bytes_a_candle() {
        let candles = year_at(61_000.254_25);
        assert!(candles.memory() < 33 * candles.len(), "{}", candles.memory());
    }

    #[test]
    fn no_price_is_outside_of_a_range_without_bounds() {
        for limit in [i128::from(i32::MAX), i128::from(i64::MAX)] {
            for price in [limit - 1, limit, limit + 1].map(|price| price.to_string()) {
                let candles = candles(&[(0, [&price; 4])]);
                assert_eq!(next_outside(&candles, 0, None, None), None, "{price}");
                assert_eq!(next_outside(&candles, 0, None, Some(&decimal("1e30"))), None, "{price}");
                assert_eq!(next_outside(&candles, 0, None, Some(&decimal(&price))), Some(0), "{price}");
                assert_eq!(next_outside(&candles, 0, Some(&decimal("1e30")), None), Some(0), "{price}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_next_candle_outside_is_the_one_that_a_scan_finds(
            prices in prop::collection::vec((1_i64..100_000, 0_i64..100), 1..400), width in 0_usize..3,
            from in 0_usize..400, start in 0_usize..50, lower in prop::option::of(-10_i64..2_000), upper in prop::option::of(90_000_i64..101_000),
            scale in 0_u8..4,
        ) {
            // Prices of up to 6, 14 and 24 digits.
            let (unit, rest, places) = [(1, 0, 2), (10_i128.pow(8), 1, 10), (10_i128.pow(18), 1, 20)][width];
            let price = |units: i64| Number { mantissa: i128::from(units) * unit + rest, scale: places };
            let mut builder = CandlesBuilder::default();
            for (row, (low, height)) in prices.iter().enumerate() {
                builder.times.push(i64::try_from(row).unwrap());
                let [low, high] = [*low, low + height].map(price);
                for (column, price) in builder.prices.iter_mut().zip([low, high, low, high]) {
                    column.push(price).unwrap();
                }
            }
            let candles = builder.finish().unwrap().slice(start..400);
            let [lower, upper] = [lower, upper].map(|bound| bound.map(|bound| Decimal::new(bound.into(), scale)));
            let is_outside = |index: &usize| {
                let Candle { low, high, .. } = candles.candle(*index).unwrap();
                lower.as_ref().is_some_and(|lower| low <= *lower) || upper.as_ref().is_some_and(|upper| high >= *upper)
            };
            let expected = (from..candles.len()).find(is_outside);
            prop_assert_eq!(next_outside(&candles, from, lower.as_ref(), upper.as_ref()), expected);
        }

        #[test]
        fn the_first_point_from_a_time_on_is_the_one_that_a_scan_finds(
            gaps in prop::collection::vec(1_i64..12, 0..30), start in 0_usize..9, time in -5_i64..200,
        ) {
            let mut builder = CandlesBuilder::default();
            let times = std::iter::once(0).chain(gaps.iter().scan(0, |time, gap| { *time += gap; Some(*time) }));
            for time in times {
                builder.times.push(time);
                builder.prices.iter_mut().for_each(|column| column.push_text("1").unwrap());
            }
            let candles = builder.finish().unwrap().slice(start..400);
            let points = (0..candles.len()).flat_map(|candle| (0..4).map(move |point| (candle, point)));
            let is_later = |(candle, point): &(usize, usize)| candles.point_time(*candle, *point).unwrap() >= time;
            prop_assert_eq!(candles.point_from(time), points.clone().find(is_later));
        }
    }
}
