//! A random walk as long as a year of minutes, for benchmarks.

use botdesk_trading::candles::{Candles, CandlesBuilder, Number};

/// Returns a random walk with this many candles for each of its minutes.
pub(crate) fn year(split: i64) -> Candles {
    let mut builder = CandlesBuilder::default();
    let mut random = 1_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(random >> 33).unwrap() % 2_000 - 1_000
    };
    let mut price = 4_200_000_i64;
    let mut push = |minute: i64, prices: [i64; 4]| {
        builder.times.push(1_704_067_200_000 + minute * 60_000 / split);
        for (column, price) in builder.prices.iter_mut().zip(prices) {
            column.push(Number { mantissa: price.into(), scale: 2 }).unwrap();
        }
    };
    for minute in 0..525_600 {
        let open = price;
        let (first, second) = (next() * 6, next() * 6);
        price = (price + next() * 6 + (4_200_000 - price) / 20_000).max(100_000);
        let high = open.max(price).max(open + first.abs() / 2);
        let low = open.min(price).min(open - second.abs() / 2);
        push(minute * split, [open, high, low, price]);
        for part in 1..split {
            push(minute * split + part, [price; 4]);
        }
    }
    builder.finish().unwrap()
}
