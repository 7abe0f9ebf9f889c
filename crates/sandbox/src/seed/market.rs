//! The pairs of the initial state.

use bigdecimal::BigDecimal;

use crate::listings::{Listing, PairListings};
use crate::random::Random;

/// A pair and its approximate price.
#[derive(Clone, Copy)]
pub(super) struct SeedPair {
    pub(super) quote: &'static str,
    pub(super) base: &'static str,
    /// The price in ticks.
    ticks: i64,
    /// The decimal places of a price. The tick is one unit of the last place.
    places: i64,
}

const fn seed_pair(quote: &'static str, base: &'static str, ticks: i64, places: i64) -> SeedPair {
    SeedPair { quote, base, ticks, places }
}

/// The pair of the first bot.
pub(super) const ETH: SeedPair = seed_pair("USDT", "ETH", 342_115, 2);

/// The pairs of the grid bots; their ticks are those of the published grids.
pub(super) const BITCOIN: SeedPair = seed_pair("USDT", "BTC", 618_904, 1);
pub(super) const SMALL: SeedPair = seed_pair("USDT", "VET", 19_238, 6);
pub(super) const XRP: SeedPair = seed_pair("USDT", "XRP", 6_025, 4);

/// A pair of SmartTrades and of simple trades.
pub(super) const SOLANA: SeedPair = seed_pair("USDT", "SOL", 12_874, 2);

const PAIRS: [SeedPair; 10] = [
    ETH,
    BITCOIN,
    SOLANA,
    seed_pair("USDT", "ADA", 7_231, 4),
    XRP,
    seed_pair("USDT", "DOGE", 14_127, 5),
    seed_pair("USDC", "BTC", 6_190_377, 2),
    seed_pair("USDC", "ETH", 342_204, 2),
    seed_pair("USDC", "LINK", 19_874, 3),
    seed_pair("USDC", "AVAX", 42_318, 3),
];

impl SeedPair {
    /// Returns a random pair.
    pub(super) fn any(random: &mut Random) -> Self {
        random.choose(&PAIRS, ETH)
    }

    /// Returns all pairs with the same quote currency.
    pub(super) fn of_same_quote(self) -> impl Iterator<Item = Self> {
        PAIRS.into_iter().filter(move |pair| pair.quote == self.quote)
    }

    /// Returns the code of the pair, such as `USDT_BTC`.
    pub(super) fn code(self) -> String {
        format!("{}_{}", self.quote, self.base)
    }

    /// Returns the price for a seed, which is near the usual one, and the tick.
    fn listing(self, seed: u64) -> Listing {
        let mut random = Random::new(seed, self.ticks.unsigned_abs());
        let ticks = self.ticks * random.between(960, 1_040) / 1_000;
        Listing { price: BigDecimal::new(ticks.into(), self.places), tick: BigDecimal::new(1.into(), self.places) }
    }
}

/// Returns the market with all pairs.
pub(super) fn market(seed: u64) -> PairListings {
    let pairs = PAIRS.into_iter().chain([SMALL]);
    PairListings { listings: pairs.map(|pair| (pair.code(), pair.listing(seed))).collect() }
}
