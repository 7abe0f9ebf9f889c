//! The pairs of the demo world.

use bigdecimal::BigDecimal;

use super::random::Random;
use crate::market::{Listing, Market as Prices};

/// A pair and about what it costs.
#[derive(Clone, Copy)]
pub(super) struct Market {
    pub(super) quote: &'static str,
    pub(super) base: &'static str,
    /// The price in ticks.
    ticks: i64,
    /// The decimal places of a price: a tick is one of the last place.
    places: i64,
}

const fn market(quote: &'static str, base: &'static str, ticks: i64, places: i64) -> Market {
    Market { quote, base, ticks, places }
}

/// What the first bot trades.
pub(super) const ETH: Market = market("USDT", "ETH", 342_115, 2);

/// What grids are laid on as well; their ticks are those of the published grids.
pub(super) const BITCOIN: Market = market("USDT", "BTC", 618_904, 1);
pub(super) const SMALL: Market = market("USDT", "VET", 19_238, 6);
pub(super) const XRP: Market = market("USDT", "XRP", 6_025, 4);

const MARKETS: [Market; 10] = [
    ETH,
    BITCOIN,
    market("USDT", "SOL", 12_874, 2),
    market("USDT", "ADA", 7_231, 4),
    XRP,
    market("USDT", "DOGE", 14_127, 5),
    market("USDC", "BTC", 6_190_377, 2),
    market("USDC", "ETH", 342_204, 2),
    market("USDC", "LINK", 19_874, 3),
    market("USDC", "AVAX", 42_318, 3),
];

impl Market {
    /// One of the markets.
    pub(super) fn any(random: &mut Random) -> Self {
        random.of(&MARKETS, ETH)
    }

    /// The markets with the same quote currency.
    pub(super) fn of_same_quote(self) -> impl Iterator<Item = Self> {
        MARKETS.into_iter().filter(move |market| market.quote == self.quote)
    }

    /// The pair as the document writes it.
    pub(super) fn pair(self) -> String {
        format!("{}_{}", self.quote, self.base)
    }

    /// The price that the pair has in the world of a seed, near the usual one, and its tick.
    fn listing(self, seed: u64) -> Listing {
        let mut random = Random::new(seed, self.ticks.unsigned_abs());
        let ticks = self.ticks * random.between(960, 1_040) / 1_000;
        Listing { price: BigDecimal::new(ticks.into(), self.places), tick: BigDecimal::new(1.into(), self.places) }
    }
}

/// All pairs, at their prices.
pub(super) fn prices(seed: u64) -> Prices {
    let markets = MARKETS.into_iter().chain([SMALL]);
    Prices { listings: markets.map(|market| (market.pair(), market.listing(seed))).collect() }
}
