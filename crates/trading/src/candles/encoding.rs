//! Candles as compact bytes: differences between neighbours, of as many bytes as each needs.
//!
//! A candle of a liquid pair takes about eight bytes.

use super::builder::CandlesBuilder;
use super::number::Number;
use super::series::Candles;
use crate::decimal::MAX_SCALE;

/// The first byte, which changes with the format.
const VERSION: u8 = 1;

/// The fewest bytes of a candle: one for each price.
const FEWEST_BYTES: usize = 4;

impl Candles {
    /// Returns the candles as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer(vec![VERSION, self.places()]);
        writer.unsigned(self.len() as u128);
        writer.signed(self.interval().unwrap_or(0).into());
        self.write_times(&mut writer);
        let mut before = 0;
        for [open, high, low, close] in (0..self.len()).filter_map(|index| self.mantissas(index)) {
            writer.signed(open - before);
            writer.signed(close - open);
            writer.signed(high - open.max(close));
            writer.signed(open.min(close) - low);
            before = close;
        }
        writer.0
    }

    /// Returns the candles of bytes; None if the bytes do not encode candles.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let [VERSION, places, bytes @ ..] = bytes else { return None };
        let places = Some(*places).filter(|places| *places <= MAX_SCALE)?;
        let mut reader = ByteReader(bytes);
        let count = usize::try_from(reader.unsigned()?).ok()?;
        // More candles than the bytes hold would only take memory.
        if count > bytes.len() / FEWEST_BYTES {
            return None;
        }
        let interval = i64::try_from(reader.signed()?).ok()?;
        let mut builder = CandlesBuilder::with_places(places);
        builder.reserve(count);
        builder.times = reader.times(count)?;
        let mut before = 0;
        for _ in 0..count {
            let prices = reader.candle(before)?;
            let [.., close] = prices;
            before = close;
            for (column, mantissa) in builder.prices.iter_mut().zip(prices) {
                column.push(Number { mantissa, scale: places }).ok()?;
            }
        }
        let is_end = reader.0.is_empty();
        let candles = builder.finish_with((interval > 0).then_some(interval)).ok()?;
        is_end.then_some(candles)
    }

    /// Writes the first time, and the distances with how often each comes in a row.
    fn write_times(&self, writer: &mut Writer) {
        let times = || (0..self.len()).filter_map(|index| self.time(index));
        let mut distances = times().zip(times().skip(1)).map(|(before, time)| time - before).peekable();
        writer.signed(times().next().unwrap_or(0).into());
        while let Some(distance) = distances.next() {
            let mut more = 0;
            while distances.next_if_eq(&distance).is_some() {
                more += 1;
            }
            writer.signed(distance.into());
            writer.unsigned(more);
        }
    }
}

/// Writes numbers, seven bits a byte; the highest bit says that more follow.
struct Writer(Vec<u8>);

impl Writer {
    #[allow(clippy::cast_possible_truncation, reason = "the lowest bits are what is wanted")]
    fn unsigned(&mut self, mut number: u128) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Writes a number with a sign, so that one near 0 is short.
    fn signed(&mut self, number: i128) {
        self.unsigned(((number << 1) ^ (number >> 127)).cast_unsigned());
    }
}

/// Reads what a [`Writer`] wrote.
struct ByteReader<'a>(&'a [u8]);

impl ByteReader<'_> {
    fn unsigned(&mut self) -> Option<u128> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let bits = u128::from(byte & 0x7F);
            let shifted = bits.checked_shl(shift)?;
            if shifted >> shift != bits {
                return None;
            }
            number |= shifted;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn signed(&mut self) -> Option<i128> {
        let number = self.unsigned()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    fn times(&mut self, count: usize) -> Option<Vec<i64>> {
        let mut times = Vec::with_capacity(count);
        if count > 0 {
            times.push(i64::try_from(self.signed()?).ok()?);
        }
        while times.len() < count {
            let distance = i64::try_from(self.signed()?).ok()?;
            let same = usize::try_from(self.unsigned()?).ok()?.checked_add(1)?;
            if same > count - times.len() {
                return None;
            }
            for _ in 0..same {
                times.push(times.last()?.checked_add(distance)?);
            }
        }
        Some(times)
    }

    /// Reads the open, high, low and close that follow a close.
    fn candle(&mut self, before: i128) -> Option<[i128; 4]> {
        let open = before.checked_add(self.signed()?)?;
        let close = open.checked_add(self.signed()?)?;
        let high = open.max(close).checked_add(self.signed()?)?;
        let low = open.min(close).checked_sub(self.signed()?)?;
        Some([open, high, low, close])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn candles(rows: &[(i64, i128, i128, i128, i128)], places: u8) -> Candles {
        let mut builder = CandlesBuilder::with_places(0);
        let mut time = -1_000;
        for (distance, low, body, open, close) in rows {
            time += distance;
            builder.times.push(time);
            let [open, close] = [open, close].map(|part| low + part % (body + 1));
            for (column, mantissa) in builder.prices.iter_mut().zip([open, low + body, *low, close]) {
                column.push(Number { mantissa, scale: places }).unwrap();
            }
        }
        builder.finish().unwrap()
    }

    fn rows(lows: impl Strategy<Value = i128>) -> impl Strategy<Value = Vec<(i64, i128, i128, i128, i128)>> {
        let distances = prop_oneof![5 => Just(60_000_i64), 1 => 1_i64..200_000];
        prop::collection::vec((distances, lows, 0_i128..10_000, 0_i128..10_000, 0_i128..10_000), 1..60)
    }

    proptest! {
        #[test]
        fn bytes_are_the_candles_again(
            rows in prop_oneof![rows(1_i128..1_000_000), rows(1..10_i128.pow(37))], places in 0_u8..20, start in 0_usize..60,
        ) {
            let candles = candles(&rows, places);
            for candles in [candles.slice(start.min(rows.len() - 1)..60), candles] {
                let copy = Candles::from_bytes(&candles.to_bytes()).unwrap();
                prop_assert_eq!(&copy, &candles);
                prop_assert_eq!(copy.gaps(), candles.gaps());
            }
        }

        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            Candles::from_bytes(&bytes);
            Candles::from_bytes(&[&[VERSION, 2, 3][..], &bytes].concat());
        }
    }

    #[test]
    fn bytes_that_were_cut_or_extended_are_refused() {
        let bytes = candles(&[(1, 5, 2, 1, 2), (1, 6, 2, 1, 0)], 1).to_bytes();
        assert!(Candles::from_bytes(&bytes).is_some());
        assert!((0..bytes.len()).all(|end| Candles::from_bytes(&bytes[..end]).is_none()));
        assert!(Candles::from_bytes(&[&bytes[..], &[0]].concat()).is_none());
    }
}
