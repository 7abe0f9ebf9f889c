//! Amounts of currencies.

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;

use botdesk_schema::pair::currencies;
use botdesk_trading::grid::OrderSide;

/// Amounts of currencies by their codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amounts(BTreeMap<String, BigDecimal>);

impl Amounts {
    /// Returns what a filled order moves: it swaps a quantity of the base currency for its total, the volume after the fee.
    pub(crate) fn swapped(pair: &str, side: OrderSide, quantity: BigDecimal, total: BigDecimal) -> Self {
        let (quote, base) = currencies(pair).unwrap_or_default();
        let (of_base, of_quote) = match side {
            OrderSide::Buy => (quantity, -total),
            OrderSide::Sell => (-quantity, total),
        };
        let mut amounts = Self::default();
        amounts.add(base, of_base);
        amounts.add(quote, of_quote);
        amounts
    }

    /// Returns an amount of the quote currency of a pair.
    pub(crate) fn in_quote(pair: &str, amount: BigDecimal) -> Self {
        let mut amounts = Self::default();
        amounts.add(currencies(pair).unwrap_or_default().0, amount);
        amounts
    }

    pub(crate) fn add(&mut self, code: &str, amount: BigDecimal) {
        *self.0.entry(code.to_owned()).or_default() += amount;
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (code, amount) in &other.0 {
            self.add(code, amount.clone());
        }
    }

    /// Returns the difference.
    pub(crate) fn minus(mut self, other: &Self) -> Self {
        for (code, amount) in &other.0 {
            self.add(code, -amount);
        }
        self
    }

    /// Returns the amount of a currency.
    pub(crate) fn of(&self, code: &str) -> BigDecimal {
        self.0.get(code).cloned().unwrap_or_default()
    }

    /// Returns the currencies with their amounts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &BigDecimal)> {
        self.0.iter().map(|(code, amount)| (code.as_str(), amount))
    }
}

impl<'a> FromIterator<(&'a str, BigDecimal)> for Amounts {
    fn from_iter<I: IntoIterator<Item = (&'a str, BigDecimal)>>(given: I) -> Self {
        let mut amounts = Self::default();
        for (code, amount) in given {
            amounts.add(code, amount);
        }
        amounts
    }
}
