//! Blocks of candles. Everything about a candle is close together in memory, because most of the time of a search is spent waiting
//! for it.

use super::mantissa::Mantissa;

/// The number of entries of a block.
pub(super) const BLOCK: usize = 32;

/// The prices of one candle in the order open, high, low, close, or something of each of them.
pub(super) type CandlePrices<T = i128> = [T; 4];

/// The lows and the highs of up to [`BLOCK`] candles or blocks. Those past the end have limits, which are never prices.
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
    /// Returns a block of entries, each with its low and its high.
    pub(super) fn new(entries: impl Iterator<Item = (T, T)>) -> Self {
        let (lowest, highest) = T::LIMITS;
        let mut block = Self { lows: [highest; BLOCK], highs: [lowest; BLOCK] };
        for ((own_low, own_high), (low, high)) in block.lows.iter_mut().zip(&mut block.highs).zip(entries) {
            (*own_low, *own_high) = (low, high);
        }
        block
    }

    /// Returns the low of an entry.
    pub(super) fn low(&self, place: usize) -> Option<T> {
        self.lows.get(place).copied()
    }

    /// Returns the high of an entry.
    pub(super) fn high(&self, place: usize) -> Option<T> {
        self.highs.get(place).copied()
    }

    /// Returns the lowest low and the highest high.
    pub(super) fn all(&self) -> (T, T) {
        let (lowest, highest) = T::LIMITS;
        (self.lows.iter().copied().fold(highest, T::min), self.highs.iter().copied().fold(lowest, T::max))
    }

    /// Returns the first entry from a place on whose low is at most `lower`, or whose high is at least `upper`.
    #[inline]
    pub(super) fn first_outside(&self, from: usize, lower: T, upper: T) -> Option<usize> {
        let mask = self.outside(lower, upper) >> from;
        (mask != 0).then(|| from + mask.trailing_zeros() as usize)
    }

    /// Returns a bit for each entry, which is set if it is outside. There are no branches, so that the compiler vectorises it.
    #[inline]
    fn outside(&self, lower: T, upper: T) -> u32 {
        let is_outside = |(low, high): (&T, &T)| u32::from(*low <= lower) | u32::from(*high >= upper);
        let outside = self.lows.iter().zip(&self.highs).map(is_outside).enumerate();
        outside.fold(0_u32, |mask, (place, is_outside)| mask | (is_outside << place))
    }
}

impl<T: Mantissa> CandleBlock<T> {
    /// Returns a block of the next candles, as many as it holds.
    pub(super) fn new(candles: &mut impl Iterator<Item = CandlePrices<T>>) -> Self {
        let (lowest, highest) = T::LIMITS;
        let mut lows = [highest; BLOCK];
        let [mut opens, mut highs, mut closes] = [[lowest; BLOCK]; 3];
        let places = opens.iter_mut().zip(&mut highs).zip(&mut lows).zip(&mut closes);
        for ((((open, high), low), close), candle) in places.zip(candles) {
            [*open, *high, *low, *close] = candle;
        }
        Self { extremes: Extremes { lows, highs }, opens, closes }
    }

    /// Returns the prices of a candle.
    #[inline]
    pub(super) fn candle(&self, place: usize) -> Option<CandlePrices<T>> {
        let (open, close) = (self.opens.get(place)?, self.closes.get(place)?);
        Some([*open, self.extremes.high(place)?, self.extremes.low(place)?, *close])
    }
}
