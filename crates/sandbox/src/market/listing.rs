//! The pairs that are traded, each with one price and one tick.

use std::collections::BTreeMap;

use bigdecimal::{BigDecimal, Zero};

use botdesk_api::decimal;
use botdesk_api::input::Violation;
use botdesk_api::pair::{self, currencies};

/// What is traded.
#[derive(Debug, Default)]
pub(crate) struct Market {
    pub(crate) listings: BTreeMap<String, Listing>,
}

/// A pair's price and the smallest step of it.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) price: BigDecimal,
    pub(crate) tick: BigDecimal,
}

/// What a pair costs.
#[derive(Clone)]
pub(crate) struct Quote {
    pub(crate) pair: String,
    pub(crate) price: BigDecimal,
    pub(crate) tick: BigDecimal,
    /// What one of the quote currency is worth in USD; 0 where that is not known.
    pub(crate) usd: BigDecimal,
}

/// How many digits the first price of a pair has down to its tick: 61890.4 has a tick of 0.1.
const DIGITS: i64 = 6;

/// The most digits of a price before the point, and after it: amounts stay short enough to be read again.
const MOST_DIGITS: i64 = 40;

/// The longest pair.
const MOST_LETTERS: usize = 40;

impl Market {
    /// The price of a pair; None where it is not traded.
    pub(crate) fn quote(&self, pair: &str) -> Option<Quote> {
        let Listing { price, tick } = self.listings.get(pair)?.clone();
        let usd = currencies(pair).map(|(quote, _)| self.usd(quote)).unwrap_or_default();
        Some(Quote { pair: pair.to_owned(), price, tick, usd })
    }

    /// What a currency is worth in USD. The stable ones are worth one; others what they cost in Tether.
    fn usd(&self, currency: &str) -> BigDecimal {
        if currency.starts_with("USD") {
            return BigDecimal::from(1);
        }
        self.listings.get(&format!("USDT_{currency}")).map(|listing| listing.price.clone()).unwrap_or_default()
    }

    /// The tick of a pair; 0 where it is not traded.
    pub(crate) fn tick(&self, pair: &str) -> BigDecimal {
        self.listings.get(pair).map(|listing| listing.tick.clone()).unwrap_or_default()
    }

    /// Sets the price of a pair. One that was not traded is from now on.
    pub(crate) fn set(&mut self, pair: &str, price: BigDecimal) {
        let tick = self.listings.get(pair).map_or_else(|| tick(&price), |listing| listing.tick.clone());
        self.listings.insert(pair.to_owned(), Listing { price, tick });
    }
}

/// The tick of a pair whose first price this is.
fn tick(price: &BigDecimal) -> BigDecimal {
    BigDecimal::new(1.into(), (DIGITS - digits_before_the_point(price)).max(0))
}

/// What is wrong with a pair, if anything.
pub(crate) fn check_pair(field: &str, pair: &str) -> Result<(), Violation> {
    let too_long = || format!("a pair has at most {MOST_LETTERS} characters, not {}", pair.len());
    let problem = pair::problem(pair).or_else(|| (pair.len() > MOST_LETTERS).then(too_long));
    problem.map_or(Ok(()), |message| Err(Violation::new(field, message)))
}

/// What is wrong with a price, if anything.
pub(crate) fn check_price(field: &str, price: &BigDecimal) -> Result<(), Violation> {
    let wrong = if *price <= BigDecimal::zero() {
        format!("must be greater than 0, not {}", decimal::shown(price))
    } else if digits_before_the_point(price).max(price.fractional_digit_count()) > MOST_DIGITS {
        format!("may have at most {MOST_DIGITS} digits before the point, and as many after it")
    } else {
        return Ok(());
    };
    Err(Violation::new(field, wrong))
}

fn digits_before_the_point(number: &BigDecimal) -> i64 {
    i64::try_from(number.digits()).unwrap_or(i64::MAX).saturating_sub(number.fractional_digit_count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    #[test]
    fn a_new_pair_has_the_tick_that_gives_its_price_six_digits() {
        for (price, wanted) in [
            ("61890.4", "0.1"),
            ("3421.15", "0.01"),
            ("2561.66911", "0.01"),
            ("5", "0.00001"),
            ("0.019238", "0.0000001"),
            ("1234567", "1"),
            ("1E+3", "0.01"),
        ] {
            assert_eq!(tick(&number(price)), number(wanted), "{price}");
        }
    }

    #[test]
    fn a_pair_is_well_formed_and_not_very_long() {
        assert_eq!(check_pair("pair", "USDT_BTC"), Ok(()));
        let message = "'BTC-USDT' is not a pair; write it as 'USDT_BTC'";
        assert_eq!(check_pair("pair", "BTC-USDT"), Err(Violation::new("pair", message)));
        let message = "a pair has at most 40 characters, not 41";
        assert_eq!(check_pair("pair", &format!("USDT_{}", "A".repeat(36))), Err(Violation::new("pair", message)));
    }

    #[test]
    fn a_price_is_above_0_and_not_very_long() {
        for price in ["1e-40", "1e39", "0.5", "61890.4"] {
            assert_eq!(check_price("price", &number(price)), Ok(()), "{price}");
        }
        for price in ["0", "-1", "1e-41", "1e40"] {
            assert!(check_price("price", &number(price)).is_err(), "{price}");
        }
    }

    #[test]
    fn a_pair_keeps_its_tick() {
        let mut market = Market::default();
        market.set("USDT_NEW", number("5"));
        market.set("USDT_NEW", number("50000.123456"));
        let quote = market.quote("USDT_NEW").unwrap();
        assert_eq!((quote.price, quote.tick, quote.usd), (number("50000.123456"), number("0.00001"), number("1")));
    }

    #[test]
    fn a_quote_currency_is_worth_what_it_costs_in_tether() {
        let mut market = Market::default();
        market.set("BTC_ETH", number("0.05"));
        assert_eq!(market.quote("BTC_ETH").unwrap().usd, BigDecimal::zero());
        market.set("USDT_BTC", number("60000"));
        assert_eq!(market.quote("BTC_ETH").unwrap().usd, number("60000"));
    }
}
