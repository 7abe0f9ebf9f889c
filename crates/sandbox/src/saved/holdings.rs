//! The balances of accounts that sold or converted some, in state files.

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Document, Problem, take, time, to_json};
use crate::balance::Balance;
use crate::clock::timestamp;
use crate::exchanges;
use crate::state::State;
use botdesk_schema::decimal;

/// The list with the balances.
const HOLDINGS: &str = "account_holdings";

/// The list with the times of conversions.
const CONVERSIONS: &str = "dust_conversions";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HoldingEntry {
    account_id: u64,
    currency: String,
    free: String,
    in_orders: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConversionEntry {
    account_id: u64,
    converted_at: String,
}

/// Writes the balances and the times of conversions to a document, unless there are none.
pub(crate) fn save_holdings(state: &State, document: &mut Document) {
    let entry = |account_id: u64, balance: &Balance| {
        to_json(&HoldingEntry {
            account_id,
            currency: balance.currency.code.to_owned(),
            free: balance.free.to_plain_string(),
            in_orders: balance.in_orders.to_plain_string(),
        })
    };
    if !state.holdings.is_empty() {
        let held = state.holdings.iter().flat_map(|(id, held)| held.iter().map(|balance| entry(*id, balance)));
        document.insert(HOLDINGS.to_owned(), held.collect());
    }
    if !state.dust_conversions.is_empty() {
        let entry =
            |(id, at): (&u64, &Timestamp)| to_json(&ConversionEntry { account_id: *id, converted_at: timestamp(*at) });
        document.insert(CONVERSIONS.to_owned(), state.dust_conversions.iter().map(entry).collect());
    }
}

/// Reads the balances and the times of conversions from a document.
pub(crate) fn load_holdings(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (at, HoldingEntry { account_id, currency, free, in_orders }) in take(document, HOLDINGS)? {
        require_account(state, account_id, &at)?;
        let known = exchanges::currency(&currency).ok_or_else(|| format!("{at}: no currency is named {currency:?}"))?;
        let [free, in_orders] = [("free", free), ("in_orders", in_orders)].map(|(name, text)| amount(&text, name, &at));
        let balance = Balance { currency: known, free: free?, in_orders: in_orders? };
        state.holdings.entry(account_id).or_default().push(balance);
    }
    for (at, ConversionEntry { account_id, converted_at }) in take(document, CONVERSIONS)? {
        require_account(state, account_id, &at)?;
        state.dust_conversions.insert(account_id, time(&converted_at, &format!("{at}: converted_at"))?);
    }
    Ok(())
}

fn amount(text: &str, name: &str, at: &str) -> Result<BigDecimal, Problem> {
    decimal::parse(text).ok_or_else(|| format!("{at}: {name} is not a decimal"))
}

fn require_account(state: &State, id: u64, at: &str) -> Result<(), Problem> {
    let known = state.store.accounts.contains_key(&id);
    if known { Ok(()) } else { Err(format!("{at}: no account has the id {id}")) }
}
