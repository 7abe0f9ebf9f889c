//! The summary of accounts: one account with the figures of all that are part of it.

use bigdecimal::{BigDecimal, RoundingMode};
use serde_json::Value;

use super::balances::bare_number;
use super::defaults::{self, object};
use super::record::{JsonRecord, number, string};
use super::state::State;
use botdesk_api::accounts::Account;
use botdesk_trading::rounding::quotient;

/// The amounts that are added up.
const SUMS: [&str; 8] = [
    "btc_amount",
    "usd_amount",
    "day_profit_btc",
    "day_profit_usd",
    "btc_profit",
    "usd_profit",
    "total_btc_profit",
    "total_usd_profit",
];

/// The percentages, each with its profit and its whole.
const PERCENTAGES: [(&str, &str, &str); 4] = [
    ("day_profit_btc_percentage", "day_profit_btc", "btc_amount"),
    ("day_profit_usd_percentage", "day_profit_usd", "usd_amount"),
    ("btc_profit_percentage", "btc_profit", "btc_amount"),
    ("usd_profit_percentage", "usd_profit", "usd_amount"),
];

/// The fields in the display currency, each with the field in USD.
const IN_DISPLAY_CURRENCY: [(&str, &str); 5] = [
    ("primary_display_currency_amount", "usd_amount"),
    ("primary_display_currency_profit", "usd_profit"),
    ("primary_display_currency_profit_percentage", "usd_profit_percentage"),
    ("day_profit_primary_display_currency", "day_profit_usd"),
    ("day_profit_primary_display_currency_percentage", "day_profit_usd_percentage"),
];

/// The fields that only a single account has.
const OF_ONE_ACCOUNT: [&str; 3] = ["id", "name", "market_code"];

/// Returns the summary of the accounts.
pub(super) fn summary(state: &State) -> JsonRecord {
    let accounts: Vec<_> = state.summarized_accounts().filter_map(|id| state.valued_account(id)).collect();
    let mut summary = defaults::sample::<Account>();
    summary.extend(OF_ONE_ACCOUNT.map(|field| (field.to_owned(), Value::Null)));
    for field in SUMS {
        let sum: BigDecimal = accounts.iter().map(|account| number(account, field)).sum();
        summary.insert(field.to_owned(), Value::from(sum.to_plain_string()));
    }
    write_percentages(&mut summary);
    for (field, in_usd) in IN_DISPLAY_CURRENCY {
        let amount = object! { "currency": "USD", "amount": string(&summary, in_usd) };
        summary.insert(field.to_owned(), Value::Object(amount));
    }
    let total = bare_number(&number(&summary, "total_usd_profit"));
    summary.insert(
        "total_primary_display_currency_profit".to_owned(),
        Value::Object(object! { "currency": "USD", "amount": total }),
    );
    let times = |field: &'static str| accounts.iter().map(move |account| string(account, field));
    if let Some((created, updated)) = times("created_at").min().zip(times("updated_at").max()) {
        summary.extend(object! { "created_at": created, "updated_at": updated });
    }
    summary
}

/// Writes the profits of an account as parts of its value.
pub(super) fn write_percentages(account: &mut JsonRecord) {
    for (field, profit, whole) in PERCENTAGES {
        let percentage = percent(&number(account, profit), &number(account, whole));
        account.insert(field.to_owned(), Value::from(percentage));
    }
}

/// Returns the percentage that a part is of a whole, with two decimal places.
fn percent(part: &BigDecimal, whole: &BigDecimal) -> String {
    let percent = quotient(&(part * BigDecimal::from(100)), whole).unwrap_or_default();
    percent.with_scale_round(2, RoundingMode::HalfEven).to_plain_string()
}
