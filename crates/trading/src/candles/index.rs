//! Candles with an index over their lows and highs, to find the next one that leaves a range of prices.

use std::ops::Range;

use super::block::{BLOCK, CandleBlock, CandlePrices, Extremes};
use super::mantissa::Mantissa;
use super::price_range::PriceRange;

/// Candles in blocks, and levels above them with the lowest low and the highest high of each block of the level below. Together, the
/// levels have one entry for about every 31 candles.
#[derive(Debug)]
pub(super) struct CandleIndex<T> {
    count: usize,
    candles: Box<[CandleBlock<T>]>,
    levels: Vec<Box<[Extremes<T>]>>,
}

impl<T: Mantissa> CandleIndex<T> {
    /// Builds the index of candles, whose prices are given column by column.
    pub(super) fn new([opens, highs, lows, closes]: CandlePrices<&[T]>) -> Self {
        let chunks = opens.chunks(BLOCK).zip(highs.chunks(BLOCK)).zip(lows.chunks(BLOCK)).zip(closes.chunks(BLOCK));
        let block = |(((opens, highs), lows), closes)| CandleBlock::new([opens, highs, lows, closes]);
        let candles: Box<[_]> = chunks.map(block).collect();
        let mut levels = Vec::new();
        let mut blocks: Vec<_> = candles.iter().map(|block| block.extremes.lowest_and_highest()).collect();
        while blocks.len() > 1 {
            let level: Box<[_]> = blocks.chunks(BLOCK).map(Extremes::of_blocks).collect();
            blocks = level.iter().map(Extremes::lowest_and_highest).collect();
            levels.push(level);
        }
        Self { count: opens.len(), candles, levels }
    }

    /// Returns the prices of a candle.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<CandlePrices> {
        let prices = self.candles.get(row / BLOCK)?.candle(row % BLOCK)?;
        (row < self.count).then(|| prices.map(Into::into))
    }

    /// Returns the first candle from a row on that has a price outside of a range.
    pub(super) fn next_outside(&self, from: usize, range: PriceRange) -> Option<usize> {
        let (lower, upper) = range.bounds();
        let (mut height, mut from) = (0, from);
        let found = loop {
            // Past the last block of a level, and above the last level, no candles are left.
            let (block, place) = (from / BLOCK, from % BLOCK);
            if let Some(place) = self.block(height, block)?.first_outside(place, lower, upper) {
                break block * BLOCK + place;
            }
            // The level above goes on after this block.
            (height, from) = (height + 1, block + 1);
        };
        let found = (0..height).rev().try_fold(found, |found, height| {
            Some(found * BLOCK + self.block(height, found)?.first_outside(0, lower, upper)?)
        });
        found.filter(|row| *row < self.count)
    }

    /// Returns a block of a level. The lowest level has the candles, and the entries of each level are the blocks of the level below.
    #[inline]
    fn block(&self, height: usize, block: usize) -> Option<&Extremes<T>> {
        match height.checked_sub(1) {
            None => self.candles.get(block).map(|block| &block.extremes),
            Some(level) => self.levels.get(level)?.get(block),
        }
    }

    /// Returns the lowest low of candles; None if there are none.
    pub(super) fn lowest(&self, rows: Range<usize>) -> Option<i128> {
        self.best(rows, Extremes::low, T::min)
    }

    /// Returns the highest high of candles; None if there are none.
    pub(super) fn highest(&self, rows: Range<usize>) -> Option<i128> {
        self.best(rows, Extremes::high, T::max)
    }

    fn best(
        &self,
        rows: Range<usize>,
        price: impl Fn(&Extremes<T>, usize) -> Option<T>,
        better: impl Fn(T, T) -> T + Copy,
    ) -> Option<i128> {
        let best_of = |height, rows: Range<usize>| {
            rows.filter_map(|row| price(self.block(height, row / BLOCK)?, row % BLOCK)).reduce(better)
        };
        let mut rows = rows.start..rows.end.min(self.count);
        let (mut height, mut found) = (0, None);
        while height < self.levels.len() {
            // The level above knows all whole blocks.
            let inner = rows.start.next_multiple_of(BLOCK)..rows.end / BLOCK * BLOCK;
            if inner.is_empty() {
                break;
            }
            let ends = [rows.start..inner.start, inner.end..rows.end].map(|rows| best_of(height, rows));
            found = ends.into_iter().flatten().chain(found).reduce(better);
            (height, rows) = (height + 1, inner.start / BLOCK..inner.end / BLOCK);
        }
        best_of(height, rows).into_iter().chain(found).reduce(better).map(Into::into)
    }

    /// Returns the bytes that the candles and their index take.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.candles) + self.levels.iter().map(|level| size_of_val(&**level)).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decimal::Decimal;

    /// Returns the index of candles with these lows and highs.
    fn index(lows: &[i128], highs: &[i128]) -> CandleIndex<i128> {
        CandleIndex::new([lows, highs, lows, highs])
    }

    fn next(index: &CandleIndex<i128>, from: usize, lower: i128, upper: i128) -> Option<usize> {
        let [lower, upper] = [lower, upper].map(|bound| Decimal::new(bound, 0));
        index.next_outside(from, PriceRange::new(Some(&lower), Some(&upper), 0))
    }

    #[test]
    fn the_bounds_themselves_are_outside() {
        let index = index(&[10, 5, 10], &[20, 20, 25]);
        assert_eq!(next(&index, 0, 5, 26), Some(1));
        assert_eq!(next(&index, 0, 4, 25), Some(2));
        assert_eq!(next(&index, 0, 4, 26), None);
        assert_eq!(next(&index, 2, 5, 26), None);
        assert_eq!(next(&index, 3, 100, 0), None);
        assert_eq!(next(&index, 3, i128::MAX, i128::MIN), None);
    }

    #[test]
    fn the_index_is_small() {
        let prices = vec![1_i64; 100_000];
        let index = CandleIndex::new([&prices; 4]);
        // 3 125 blocks of candles, with four prices each; the blocks above them have two.
        assert_eq!((index.levels.len(), index.memory() / 8 / BLOCK), (3, 4 * 3_125 + 2 * (98 + 4 + 1)));
    }

    #[test]
    fn a_history_of_whole_blocks_has_extremes() {
        for count in [BLOCK, BLOCK * BLOCK, BLOCK * BLOCK + 1] {
            let lows: Vec<_> = (1..=count as i128).rev().collect();
            let index = index(&lows, &lows);
            assert_eq!((index.lowest(0..count), index.highest(0..count)), (Some(1), Some(count as i128)));
            assert_eq!((index.lowest(count..count), index.get(count)), (None, None));
        }
    }

    proptest! {
        #[test]
        fn the_extremes_are_those_of_all_candles(
            lows in prop::collection::vec(0_i128..10_000, 1..3_000), height in 0_i128..50,
            start in 0_usize..3_000, count in 0_usize..3_000,
        ) {
            let highs: Vec<i128> = lows.iter().map(|low| low + height).collect();
            let rows = start.min(lows.len())..(start + count).min(lows.len());
            let index = index(&lows, &highs);
            prop_assert_eq!(index.lowest(rows.clone()), lows[rows.clone()].iter().min().copied());
            prop_assert_eq!(index.highest(rows.clone()), highs[rows].iter().max().copied());
        }

        #[test]
        fn it_finds_what_a_scan_finds(
            lows in prop::collection::vec(0_i128..10_000, 1..3_000), height in 0_i128..50,
            from in 0_usize..3_000, lower in -5_i128..60, upper in 9_900_i128..10_060,
        ) {
            let highs: Vec<i128> = lows.iter().map(|low| low + height).collect();
            let is_outside = |row: &usize| lows[*row] <= lower || highs[*row] >= upper;
            prop_assert_eq!(next(&index(&lows, &highs), from, lower, upper), (from..lows.len()).find(is_outside));
        }
    }
}
