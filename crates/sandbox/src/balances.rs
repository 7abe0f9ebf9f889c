//! The balances of accounts, and their value at the prices of the market.

use std::collections::BTreeMap;

use bigdecimal::{BigDecimal, RoundingMode, Zero as _};
use serde_json::Value;

use super::balance::Balance;
use super::defaults::object;
use super::exchanges::{self, CURRENCIES, CurrencySpec};
use super::listings::PairListings;
use super::random::Random;
use super::record::{JsonRecord, is_true, number};
use super::state::State;
use botdesk_schema::decimal;
use botdesk_trading::rounding::quotient;

/// The decimal places of amounts.
const PLACES: i64 = 8;

/// The fields with the value of an account.
pub(super) const VALUE_FIELDS: [&str; 3] = ["usd_amount", "btc_amount", "primary_display_currency_amount"];

/// Returns the balances of an account at its exchange. The same seed gives the same balances.
pub(super) fn balances_of(seed: u64, account_id: u64) -> Vec<Balance> {
    let mut random = Random::new(seed, account_id);
    CURRENCIES.iter().map(|currency| Balance::generate(currency, &mut random)).collect()
}

impl Balance {
    fn generate(currency: &CurrencySpec, random: &mut Random) -> Self {
        // Most of the money is in the currencies that the bots spend.
        let (least, most) = if currency.is_stablecoin() { (600_000, 1_200_000) } else { (0, 300_000) };
        let mut random_amount = |least, most| {
            let cents = BigDecimal::new(random.between(least, most).into(), 2);
            rounded(&(cents / decimal::constant(currency.usd)), PLACES)
        };
        Self { code: currency.code.to_owned(), free: random_amount(least, most), in_orders: random_amount(0, 80_000) }
    }
}

/// Returns the value of one unit of a currency in USD: the price on the market, or the approximate price if it is not traded. A
/// currency that the sandbox does not know either has the value 0.
pub(super) fn usd_price(code: &str, market: &PairListings) -> BigDecimal {
    let known = exchanges::currency(code);
    let quote = market.quote(&format!("USDT_{code}")).filter(|_| !known.is_some_and(CurrencySpec::is_stablecoin));
    let approximate = || known.map(|currency| decimal::constant(currency.usd)).unwrap_or_default();
    quote.map_or_else(approximate, |quote| quote.price)
}

/// Returns the price of a bitcoin in USD.
pub(super) fn bitcoin_price(market: &PairListings) -> BigDecimal {
    usd_price("BTC", market)
}

/// Returns an amount of USD in BTC.
pub(super) fn in_bitcoin(usd: &BigDecimal, market: &PairListings) -> BigDecimal {
    rounded(&quotient(usd, &bitcoin_price(market)).unwrap_or_default(), PLACES)
}

/// Returns the fields with the value of the balances at the prices of the market.
pub(super) fn value_fields(balances: &[Balance], market: &PairListings) -> JsonRecord {
    let usd: BigDecimal = balances.iter().map(|balance| balance.total() * usd_price(&balance.code, market)).sum();
    let btc = in_bitcoin(&usd, market).to_plain_string();
    let usd = rounded(&usd, 2).to_plain_string();
    object! {
        "btc_amount": btc,
        "usd_amount": usd.as_str(),
        "primary_display_currency_amount": object! { "currency": "USD", "amount": usd },
    }
}

/// Returns the fields of deposit data of a currency that an account does not have.
pub(super) fn no_deposit_fields() -> JsonRecord {
    object! { "available_balance": "0", "in_orders": "0", "total_balance": "0" }
}

impl State {
    /// Returns the balances of an account, as they were last loaded. There are none before the first time.
    pub(super) fn balances(&self, account_id: u64) -> Vec<Balance> {
        let usd = self.store.accounts.get(&account_id).map(|account| number(account, "usd_amount")).unwrap_or_default();
        let is_loaded = !usd.is_zero() || self.limited_accounts.contains(&account_id);
        if is_loaded { self.exchange_balances(account_id) } else { Vec::new() }
    }

    /// Returns the balances of an account at its exchange.
    pub(super) fn exchange_balances(&self, account_id: u64) -> Vec<Balance> {
        let reserved = self.reserved(account_id);
        let balances = self.ledger(account_id).into_iter();
        balances
            .map(|balance| {
                let of_orders = reserved.of(&balance.code);
                balance.with_reserved(&of_orders)
            })
            .collect()
    }

    /// Returns the balances of an account without the orders of its bots and trades: what is in orders is that of others. An
    /// account that was added with a value has it in USDT.
    pub(super) fn ledger(&self, account_id: u64) -> Vec<Balance> {
        if self.holdings.contains_key(&account_id) || !self.given_values.contains(&account_id) {
            return self.loaded_ledger(account_id);
        }
        let usd = self.store.accounts.get(&account_id).map(|account| number(account, "usd_amount")).unwrap_or_default();
        vec![Balance::free("USDT", usd)]
    }

    /// Returns the same once the balances are loaded.
    pub(super) fn loaded_ledger(&self, account_id: u64) -> Vec<Balance> {
        match (self.holdings.get(&account_id), &self.given_balances) {
            (Some(held), _) => held.clone(),
            (None, Some(given)) => given.balances(),
            (None, None) => balances_of(self.seed, account_id),
        }
    }

    /// Returns the amount of a currency on an account that is not in orders.
    pub(super) fn free_amount(&self, account_id: u64, currency: &str) -> BigDecimal {
        let of_currency = self.balances(account_id).into_iter().filter(|balance| balance.code == currency);
        of_currency.map(|balance| balance.free).sum()
    }

    /// Returns an account with its value at the current prices.
    pub(super) fn valued_account(&self, account_id: u64) -> Option<JsonRecord> {
        let mut account = self.store.accounts.get(&account_id)?.clone();
        let balances = self.balances(account_id);
        if !balances.is_empty() && !self.given_values.contains(&account_id) {
            account.extend(value_fields(&balances, &self.market));
        }
        Some(account)
    }

    /// Returns the ids of the accounts that are part of the summary.
    pub(super) fn summarized_accounts(&self) -> impl Iterator<Item = u64> {
        let flags = ["available_include_in_summary", "include_in_summary"];
        let is_part = move |account: &JsonRecord| flags.iter().all(|flag| is_true(account, flag));
        self.store.accounts.iter().filter(move |(_, account)| is_part(account)).map(|(id, _)| *id)
    }

    /// Returns the balances of all accounts of the summary together, by currency.
    pub(super) fn summarized_balances(&self) -> Vec<Balance> {
        let mut sums: BTreeMap<String, Balance> = BTreeMap::new();
        for balance in self.summarized_accounts().flat_map(|id| self.balances(id)) {
            match sums.get_mut(&balance.code) {
                Some(sum) => {
                    sum.free += balance.free;
                    sum.in_orders += balance.in_orders;
                }
                None => drop(sums.insert(balance.code.clone(), balance)),
            }
        }
        sums.into_values().collect()
    }
}

pub(super) fn rounded(number: &BigDecimal, places: i64) -> BigDecimal {
    number.with_scale_round(places, RoundingMode::HalfEven)
}

/// Returns a number as the API has it in balances: a JSON number with all digits.
pub(super) fn bare_number(number: &BigDecimal) -> Value {
    serde_json::from_str(&number.to_plain_string()).unwrap_or_default()
}
