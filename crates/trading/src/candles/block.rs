//! Blocks of candles. The prices of a candle are close together in memory, because a search spends most of its time waiting for memory.

use super::mantissa::Mantissa;

/// The number of entries of a block.
pub(super) const BLOCK: usize = 32;

/// A value for each price of a candle, in the order open, high, low, close; by default the prices.
pub(super) type CandlePrices<T = i128> = [T; 4];

/// The lows and the highs of up to [`BLOCK`] candles or blocks. Unused entries are filled with limits, which are never prices.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Extremes<T> {
    lows: [T; BLOCK],
    highs: [T; BLOCK],
}

/// The prices of up to [`BLOCK`] candles.
#[derive(Clone, Debug)]
pub(super) struct CandleBlock<T> {
    pub(super) extremes: Extremes<T>,
    opens: [T; BLOCK],
    closes: [T; BLOCK],
}

impl<T: Mantissa> Extremes<T> {
    /// Returns a block of entries with these lows and highs.
    #[inline(never)]
    pub(super) fn new(lows: &[T], highs: &[T]) -> Self {
        let (lowest, highest) = T::LIMITS;
        Self { lows: padded(lows, highest), highs: padded(highs, lowest) }
    }

    /// Returns the low of an entry.
    pub(super) fn low(&self, place: usize) -> Option<T> {
        self.lows.get(place).copied()
    }

    /// Returns the high of an entry.
    pub(super) fn high(&self, place: usize) -> Option<T> {
        self.highs.get(place).copied()
    }

    /// Returns a block of blocks, each given by its lowest low and its highest high.
    pub(super) fn of_blocks(blocks: &[(T, T)]) -> Self {
        let (lows, highs): (Vec<_>, Vec<_>) = blocks.iter().copied().unzip();
        Self::new(&lows, &highs)
    }

    /// Returns the lowest low and the highest high.
    #[inline(never)]
    pub(super) fn lowest_and_highest(&self) -> (T, T) {
        let (lowest, highest) = T::LIMITS;
        (self.lows.iter().copied().fold(highest, T::min), self.highs.iter().copied().fold(lowest, T::max))
    }

    /// Returns the first entry from a place on whose low is at most `lower`, or whose high is at least `upper`.
    #[inline]
    pub(super) fn first_outside(&self, from: usize, lower: T, upper: T) -> Option<usize> {
        let mask = self.outside(lower, upper) >> from;
        (mask != 0).then(|| from + mask.trailing_zeros() as usize)
    }

    /// Returns a bit for each entry, which is set if it is outside. It has no branches, so that the compiler vectorises it.
    #[inline]
    fn outside(&self, lower: T, upper: T) -> u32 {
        let bit = |(low, high): (&T, &T)| u32::from(*low <= lower) | u32::from(*high >= upper);
        let bits = self.lows.iter().zip(&self.highs).map(bit).enumerate();
        bits.fold(0_u32, |mask, (place, bit)| mask | (bit << place))
    }
}

impl<T: Mantissa> CandleBlock<T> {
    /// Returns a block of candles with these prices.
    #[inline(never)]
    pub(super) fn new([opens, highs, lows, closes]: CandlePrices<&[T]>) -> Self {
        let (lowest, _) = T::LIMITS;
        Self { extremes: Extremes::new(lows, highs), opens: padded(opens, lowest), closes: padded(closes, lowest) }
    }

    /// Returns the prices of a candle.
    #[inline]
    pub(super) fn candle(&self, place: usize) -> Option<CandlePrices<T>> {
        let (open, close) = (self.opens.get(place)?, self.closes.get(place)?);
        Some([*open, self.extremes.high(place)?, self.extremes.low(place)?, *close])
    }
}

/// Returns up to [`BLOCK`] values, padded to a whole block.
#[inline(never)]
fn padded<T: Copy>(values: &[T], padding: T) -> [T; BLOCK] {
    let mut array = [padding; BLOCK];
    if let Some(start) = array.get_mut(..values.len()) {
        start.copy_from_slice(values);
    }
    array
}
