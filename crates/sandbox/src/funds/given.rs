//! Balances that the user gives accounts.

use std::collections::BTreeMap;

use bigdecimal::{BigDecimal, Zero as _};

use crate::balance::Balance;
use botdesk_schema::decimal;
use botdesk_schema::input::Violation;
use botdesk_schema::pair::is_currency;

/// The maximum number of digits of an amount before and after the decimal point.
const MAX_DIGITS: i64 = 40;

/// The maximum length of the code of a currency.
const MAX_LENGTH: usize = 20;

/// Balances that the user gives accounts: an amount of each currency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenBalances(BTreeMap<String, BigDecimal>);

impl GivenBalances {
    /// Checks the balances of an argument: the codes of currencies, and amounts of at least 0.
    pub fn new(argument: &str, given: impl IntoIterator<Item = (String, BigDecimal)>) -> Result<Self, Violation> {
        let mut balances = BTreeMap::new();
        for (code, amount) in given {
            check(&code, &amount).map_err(|problem| Violation::new(argument, problem))?;
            balances.insert(code, amount);
        }
        Ok(Self(balances))
    }

    /// Returns the balances of an account that has them, all free.
    pub(crate) fn balances(&self) -> Vec<Balance> {
        self.0.iter().map(|(code, amount)| Balance::free(code, amount.clone())).collect()
    }

    /// Returns the currencies with their amounts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &BigDecimal)> {
        self.0.iter()
    }
}

fn check(code: &str, amount: &BigDecimal) -> Result<(), String> {
    if !is_currency(code) {
        return Err(format!("'{code}' is not a currency; write it in capitals, such as 'USDT'"));
    }
    if code.chars().count() > MAX_LENGTH {
        return Err(format!("a currency has at most {MAX_LENGTH} characters, not {}: '{code}'", code.chars().count()));
    }
    if *amount < BigDecimal::zero() {
        return Err(format!("the amount of {code} must be at least 0, not {}", decimal::shown(amount)));
    }
    let places = amount.fractional_digit_count();
    let before = i64::try_from(amount.digits()).unwrap_or(i64::MAX).saturating_sub(places);
    if before.max(places) > MAX_DIGITS {
        let digits = format!("{MAX_DIGITS} digits before the decimal point and {MAX_DIGITS} after it");
        return Err(format!("the amount of {code} may have at most {digits}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(code: &str, amount: &str) -> Option<String> {
        let given = [(code.to_owned(), amount.parse().unwrap())];
        GivenBalances::new("balances", given).err().map(|violation| violation.message)
    }

    #[test]
    fn a_balance_names_a_currency_and_has_no_debts() {
        for (code, amount) in [("USDT", "10000"), ("BTC", "0"), ("1INCH", "1e-40"), ("BTC-PERP", "1e39")] {
            assert_eq!(problem(code, amount), None, "{code}");
        }
        for (code, amount, wanted) in [
            ("usdt", "1", "'usdt' is not a currency; write it in capitals, such as 'USDT'"),
            ("", "1", "'' is not a currency; write it in capitals, such as 'USDT'"),
            ("AAAAAAAAAAAAAAAAAAAAA", "1", "a currency has at most 20 characters, not 21: 'AAAAAAAAAAAAAAAAAAAAA'"),
            ("USDT", "-0.5", "the amount of USDT must be at least 0, not -0.5"),
            ("USDT", "1e-41", "the amount of USDT may have at most 40 digits before the decimal point and 40 after it"),
        ] {
            assert_eq!(problem(code, amount).as_deref(), Some(wanted));
        }
    }
}
