//! The balances of accounts, in state files.

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Document, Problem, take, time, to_json};
use crate::balance::Balance;
use crate::clock::timestamp;
use crate::funds::GivenBalances;
use crate::state::State;
use botdesk_schema::decimal;
use botdesk_schema::pair::is_currency;

/// The list with the balances.
const HOLDINGS: &str = "account_holdings";

/// The list with the balances that every account starts with.
const GIVEN: &str = "given_balances";

/// The list with the accounts whose orders can't cost more than their balances.
const LIMITED: &str = "limited_accounts";

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
struct GivenEntry {
    currency: String,
    amount: String,
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
            currency: balance.code.clone(),
            free: balance.free.to_plain_string(),
            in_orders: balance.in_orders.to_plain_string(),
        })
    };
    if !state.holdings.is_empty() {
        let held = state.holdings.iter().flat_map(|(id, held)| held.iter().map(|balance| entry(*id, balance)));
        document.insert(HOLDINGS.to_owned(), held.collect());
    }
    if let Some(given) = &state.given_balances {
        let entry = |(currency, amount): (&String, &BigDecimal)| {
            to_json(&GivenEntry { currency: currency.clone(), amount: amount.to_plain_string() })
        };
        document.insert(GIVEN.to_owned(), given.iter().map(entry).collect());
    }
    if !state.limited_accounts.is_empty() {
        document.insert(LIMITED.to_owned(), state.limited_accounts.iter().copied().collect());
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
        if !is_currency(&currency) {
            return Err(format!("{at}: no currency is named {currency:?}"));
        }
        let [free, in_orders] = [("free", free), ("in_orders", in_orders)].map(|(name, text)| amount(&text, name, &at));
        let balance = Balance { code: currency, free: free?, in_orders: in_orders? };
        state.holdings.entry(account_id).or_default().push(balance);
    }
    load_given(state, document)?;
    for (at, ConversionEntry { account_id, converted_at }) in take(document, CONVERSIONS)? {
        require_account(state, account_id, &at)?;
        state.dust_conversions.insert(account_id, time(&converted_at, &format!("{at}: converted_at"))?);
    }
    Ok(())
}

fn load_given(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    // Without currencies, the list says that accounts start with nothing.
    if document.contains_key(GIVEN) {
        let entries = take(document, GIVEN)?
            .into_iter()
            .map(|(at, GivenEntry { currency, amount: text })| Ok((currency, amount(&text, "amount", &at)?)));
        let given = entries.collect::<Result<Vec<_>, Problem>>()?;
        let given = GivenBalances::new(GIVEN, given).map_err(|violation| violation.message)?;
        state.given_balances = Some(given);
    }
    for (at, id) in take(document, LIMITED)? {
        require_account(state, id, &at)?;
        state.limited_accounts.insert(id);
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
