//! The traded pairs, each with a price and a tick, and the costs of orders on them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigdecimal::{BigDecimal, Zero};

use botdesk_schema::decimal;
use botdesk_schema::input::Violation;
use botdesk_schema::pair::{self, currencies};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine;

/// The traded pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairListings {
    pub(crate) listings: BTreeMap<String, Listing>,
}

/// The price of a pair and its tick: the increment of prices.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) price: BigDecimal,
    pub(crate) tick: BigDecimal,
}

/// A pair with its price.
#[derive(Clone)]
pub(crate) struct PairQuote {
    pub(crate) pair: String,
    pub(crate) price: BigDecimal,
    pub(crate) tick: BigDecimal,
    /// The value of one unit of the quote currency in USD; 0 if it is unknown.
    pub(crate) usd: BigDecimal,
}

/// The costs of orders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    /// The fee of every order, as a fraction of its volume.
    pub(crate) fee: Decimal,
    /// The fraction by which market orders fill at a worse price.
    pub(crate) slippage: Decimal,
}

/// The number of digits from the first digit of a pair's first price down to its tick: 61890.4 gives a tick of 0.1.
const SIGNIFICANT_DIGITS: i64 = 6;

/// The maximum number of digits of a price before and after the decimal point. It keeps amounts short enough to parse again.
const MAX_DIGITS: i64 = 40;

/// The maximum length of a pair.
const MAX_LENGTH: usize = 40;

impl PairListings {
    /// Returns the quote of a pair; None if it is not traded.
    pub(crate) fn quote(&self, pair: &str) -> Option<PairQuote> {
        let Listing { price, tick } = self.listings.get(pair)?.clone();
        let usd = currencies(pair).map(|(quote, _)| self.usd(quote)).unwrap_or_default();
        Some(PairQuote { pair: pair.to_owned(), price, tick, usd })
    }

    /// Returns the value of a currency in USD: 1 for a stablecoin, otherwise its price in USDT.
    fn usd(&self, currency: &str) -> BigDecimal {
        if currency.starts_with("USD") {
            return BigDecimal::from(1);
        }
        self.listings.get(&format!("USDT_{currency}")).map(|listing| listing.price.clone()).unwrap_or_default()
    }

    /// Returns the tick of a pair; 0 if it is not traded.
    pub(crate) fn tick(&self, pair: &str) -> BigDecimal {
        self.listings.get(pair).map(|listing| listing.tick.clone()).unwrap_or_default()
    }

    /// Returns the engine's market of a pair. One that is not traded has no tick.
    pub(crate) fn market(&self, pair: &str, costs: &Costs) -> engine::Market {
        self.quote(pair).map_or_else(|| market_of_tick(&BigDecimal::zero()), |quote| quote.market(costs))
    }

    /// Lists a pair with its price and its tick.
    pub(crate) fn list(&mut self, pair: &str, price: BigDecimal, tick: BigDecimal) {
        self.listings.insert(pair.to_owned(), Listing { price, tick });
    }

    /// Sets the tick of a pair that has a price.
    pub(crate) fn set_tick(&mut self, pair: &str, tick: BigDecimal) {
        if let Some(listing) = self.listings.get_mut(pair) {
            listing.tick = tick;
        }
    }

    /// Sets the price of a pair. A new pair is traded from now on.
    pub(crate) fn set(&mut self, pair: &str, price: BigDecimal) {
        let tick = self.listings.get(pair).map_or_else(|| tick_for(&price), |listing| listing.tick.clone());
        self.listings.insert(pair.to_owned(), Listing { price, tick });
    }
}

impl PairQuote {
    /// Returns the engine's market of the pair.
    pub(crate) fn market(&self, costs: &Costs) -> engine::Market {
        engine::Market {
            pair: Arc::from(self.pair.as_str()),
            tick: (&self.tick).into(),
            lot: lot(),
            fee: costs.fee.clone(),
            slippage: costs.slippage.clone(),
        }
    }
}

/// Returns a market with a tick and without costs.
pub(crate) fn market_of_tick(tick: &BigDecimal) -> engine::Market {
    engine::Market { pair: Arc::from(""), tick: tick.into(), lot: lot(), fee: Decimal::ZERO, slippage: Decimal::ZERO }
}

/// Returns the lot size: the increment of quantities on the exchange.
pub(crate) fn lot() -> Decimal {
    Decimal::new(1, 8)
}

/// Returns the tick of a pair with this first price.
fn tick_for(price: &BigDecimal) -> BigDecimal {
    BigDecimal::new(1.into(), (SIGNIFICANT_DIGITS - integer_digits(price)).max(0))
}

/// Fails if a pair is malformed or too long.
pub(crate) fn check_pair(field: &str, pair: &str) -> Result<(), Violation> {
    let too_long = || format!("a pair has at most {MAX_LENGTH} characters, not {}", pair.len());
    let problem = pair::problem(pair).or_else(|| (pair.len() > MAX_LENGTH).then(too_long));
    problem.map_or(Ok(()), |message| Err(Violation::new(field, message)))
}

/// Fails if a price is not positive or has too many digits.
pub(crate) fn check_price(field: &str, price: &BigDecimal) -> Result<(), Violation> {
    let message = if *price <= BigDecimal::zero() {
        format!("must be greater than 0, not {}", decimal::shown(price))
    } else if integer_digits(price).max(price.fractional_digit_count()) > MAX_DIGITS {
        format!("may have at most {MAX_DIGITS} digits before the decimal point and {MAX_DIGITS} after it")
    } else {
        return Ok(());
    };
    Err(Violation::new(field, message))
}

fn integer_digits(number: &BigDecimal) -> i64 {
    i64::try_from(number.digits()).unwrap_or(i64::MAX).saturating_sub(number.fractional_digit_count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(string: &str) -> BigDecimal {
        string.parse().unwrap()
    }

    #[test]
    fn the_tick_of_a_new_pair_gives_its_price_six_digits() {
        for (price, wanted) in [
            ("61890.4", "0.1"),
            ("3421.15", "0.01"),
            ("2561.66911", "0.01"),
            ("5", "0.00001"),
            ("0.019238", "0.0000001"),
            ("1234567", "1"),
            ("1E+3", "0.01"),
        ] {
            assert_eq!(tick_for(&number(price)), number(wanted), "{price}");
        }
    }

    #[test]
    fn a_pair_is_well_formed_and_not_too_long() {
        assert_eq!(check_pair("pair", "USDT_BTC"), Ok(()));
        let message = "'BTC-USDT' is not a pair; write it as 'USDT_BTC'";
        assert_eq!(check_pair("pair", "BTC-USDT"), Err(Violation::new("pair", message)));
        let message = "a pair has at most 40 characters, not 41";
        assert_eq!(check_pair("pair", &format!("USDT_{}", "A".repeat(36))), Err(Violation::new("pair", message)));
    }

    #[test]
    fn a_price_is_greater_than_0_and_not_too_long() {
        for price in ["1e-40", "1e39", "0.5", "61890.4"] {
            assert_eq!(check_price("price", &number(price)), Ok(()), "{price}");
        }
        for price in ["0", "-1", "1e-41", "1e40"] {
            assert!(check_price("price", &number(price)).is_err(), "{price}");
        }
    }

    #[test]
    fn a_pair_keeps_its_tick() {
        let mut market = PairListings::default();
        market.set("USDT_NEW", number("5"));
        market.set("USDT_NEW", number("50000.123456"));
        let quote = market.quote("USDT_NEW").unwrap();
        assert_eq!((quote.price, quote.tick, quote.usd), (number("50000.123456"), number("0.00001"), number("1")));
    }

    #[test]
    fn the_value_of_a_quote_currency_is_its_price_in_usdt() {
        let mut market = PairListings::default();
        market.set("BTC_ETH", number("0.05"));
        assert_eq!(market.quote("BTC_ETH").unwrap().usd, BigDecimal::zero());
        market.set("USDT_BTC", number("60000"));
        assert_eq!(market.quote("BTC_ETH").unwrap().usd, number("60000"));
    }
}
