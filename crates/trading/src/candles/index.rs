//! An index over lows and highs, to find the next candle that leaves a range of prices.

use std::ops::Range;

/// The number of entries that one entry of the level above stands for.
const BLOCK: usize = 32;

/// The lowest low and the highest high of blocks of candles, of blocks of blocks, and so on: one of each for about 31 candles.
#[derive(Debug)]
pub(super) struct BlockIndex<T> {
    levels: Vec<IndexLevel<T>>,
}

#[derive(Debug)]
struct IndexLevel<T> {
    lows: Box<[T]>,
    highs: Box<[T]>,
}

/// The lows and the highs of one level.
type Extremes<'a, T> = (&'a [T], &'a [T]);

impl<T: Copy + Ord> BlockIndex<T> {
    /// Builds the index of candles.
    pub(super) fn new((lows, highs): Extremes<'_, T>) -> Self {
        let mut levels: Vec<IndexLevel<T>> = Vec::new();
        loop {
            let (lows, highs) = levels.last().map_or((lows, highs), IndexLevel::extremes);
            if lows.len() <= BLOCK {
                return Self { levels };
            }
            let lows = lows.chunks(BLOCK).filter_map(|block| block.iter().min().copied()).collect();
            let highs = highs.chunks(BLOCK).filter_map(|block| block.iter().max().copied()).collect();
            levels.push(IndexLevel { lows, highs });
        }
    }

    /// Returns the first candle from a row on whose low is at most `lower`, or whose high is at least `upper`.
    pub(super) fn next_outside(&self, candles: Extremes<'_, T>, from: usize, lower: T, upper: T) -> Option<usize> {
        let levels = || std::iter::once(candles).chain(self.levels.iter().map(IndexLevel::extremes));
        let mut from = from.min(candles.0.len());
        for (height, level) in levels().enumerate() {
            // The rest of the block, after which the level above goes on.
            let end = from.next_multiple_of(BLOCK);
            let end = if height == self.levels.len() { level.0.len() } else { end };
            if let Some(found) = first_outside(level, from, end, lower, upper) {
                return self.descend(candles, height, found, lower, upper);
            }
            from = end / BLOCK;
        }
        None
    }

    /// Returns the first candle outside that an entry of a level stands for.
    fn descend(&self, candles: Extremes<'_, T>, height: usize, found: usize, lower: T, upper: T) -> Option<usize> {
        let below =
            self.levels.get(..height.saturating_sub(1)).unwrap_or_default().iter().rev().map(IndexLevel::extremes);
        let mut levels = below.chain((height > 0).then_some(candles));
        levels.try_fold(found, |found, level| {
            let start = found * BLOCK;
            first_outside(level, start, start + BLOCK, lower, upper)
        })
    }

    /// Returns the lowest low of candles; None if there are none.
    pub(super) fn lowest(&self, lows: &[T], rows: Range<usize>) -> Option<T> {
        self.best(lows, |level| &level.lows, T::min, rows)
    }

    /// Returns the highest high of candles; None if there are none.
    pub(super) fn highest(&self, highs: &[T], rows: Range<usize>) -> Option<T> {
        self.best(highs, |level| &level.highs, T::max, rows)
    }

    fn best(
        &self,
        candles: &[T],
        column: impl Fn(&IndexLevel<T>) -> &[T],
        better: impl Fn(T, T) -> T + Copy,
        rows: Range<usize>,
    ) -> Option<T> {
        let best_of =
            |level: &[T], rows: Range<usize>| level.get(rows).unwrap_or_default().iter().copied().reduce(better);
        let either = |one: Option<T>, other: Option<T>| one.into_iter().chain(other).reduce(better);
        let mut found = None;
        let mut level = candles;
        let mut rows = rows.start..rows.end.min(candles.len());
        for above in &self.levels {
            // The level above knows all whole blocks.
            let inner = rows.start.next_multiple_of(BLOCK)..rows.end / BLOCK * BLOCK;
            if inner.is_empty() {
                break;
            }
            found = either(found, best_of(level, rows.start..inner.start));
            found = either(found, best_of(level, inner.end..rows.end));
            (level, rows) = (column(above), inner.start / BLOCK..inner.end / BLOCK);
        }
        either(found, best_of(level, rows))
    }

    /// Returns the bytes that the index takes.
    pub(super) fn memory(&self) -> usize {
        self.levels.iter().map(|level| size_of_val(&*level.lows) + size_of_val(&*level.highs)).sum()
    }
}

impl<T> IndexLevel<T> {
    fn extremes(&self) -> Extremes<'_, T> {
        (&self.lows, &self.highs)
    }
}

/// Returns the first entry from `start` on and before `end` that is outside. At most one block lies between them.
fn first_outside<T: Copy + Ord>(
    (lows, highs): Extremes<'_, T>,
    start: usize,
    end: usize,
    lower: T,
    upper: T,
) -> Option<usize> {
    let end = end.min(lows.len());
    let (lows, highs) = (lows.get(start..end)?, highs.get(start..end)?);
    // A mask without branches, which the compiler vectorises.
    let is_outside = |(low, high): (&T, &T)| u32::from(*low <= lower) | u32::from(*high >= upper);
    let outside = lows.iter().zip(highs).map(is_outside).enumerate();
    let mask = outside.fold(0_u32, |mask, (place, is_outside)| mask | (is_outside << place));
    (mask != 0).then(|| start + mask.trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn next(lows: &[i128], highs: &[i128], from: usize, lower: i128, upper: i128) -> Option<usize> {
        BlockIndex::new((lows, highs)).next_outside((lows, highs), from, lower, upper)
    }

    #[test]
    fn the_bounds_themselves_are_outside() {
        let (lows, highs) = ([10, 5, 10], [20, 20, 25]);
        assert_eq!(next(&lows, &highs, 0, 5, 26), Some(1));
        assert_eq!(next(&lows, &highs, 0, 4, 25), Some(2));
        assert_eq!(next(&lows, &highs, 0, 4, 26), None);
        assert_eq!(next(&lows, &highs, 2, 5, 26), None);
        assert_eq!(next(&lows, &highs, 3, 100, 0), None);
    }

    #[test]
    fn the_index_is_small() {
        let prices = vec![1_i64; 100_000];
        let index = BlockIndex::new((&prices, &prices));
        assert_eq!((index.levels.len(), index.memory() / 8), (3, 2 * (3_125 + 98 + 4)));
    }

    #[test]
    fn a_history_of_whole_blocks_has_extremes() {
        for count in [BLOCK, BLOCK * BLOCK] {
            let lows: Vec<_> = (0..count).rev().collect();
            let index = BlockIndex::new((&lows, &lows));
            assert_eq!((index.lowest(&lows, 0..count), index.highest(&lows, 0..count)), (Some(0), Some(count - 1)));
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
            let index = BlockIndex::new((&lows, &highs));
            prop_assert_eq!(index.lowest(&lows, rows.clone()), lows[rows.clone()].iter().min().copied());
            prop_assert_eq!(index.highest(&highs, rows.clone()), highs[rows].iter().max().copied());
        }

        #[test]
        fn it_finds_what_a_scan_finds(
            lows in prop::collection::vec(0_i128..10_000, 1..3_000), height in 0_i128..50,
            from in 0_usize..3_000, lower in -5_i128..60, upper in 9_900_i128..10_060,
        ) {
            let highs: Vec<i128> = lows.iter().map(|low| low + height).collect();
            let is_outside = |row: &usize| lows[*row] <= lower || highs[*row] >= upper;
            prop_assert_eq!(next(&lows, &highs, from, lower, upper), (from..lows.len()).find(is_outside));
        }
    }
}
