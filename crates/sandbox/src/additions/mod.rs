//! Records that the holder of a sandbox adds: what is not said of them comes from the rows' samples.

mod dca_bot;
mod deal;
mod fields;
mod grid_bot;

pub use fields::Given;

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::defaults::object;
use super::market::{Quote, check_pair, check_price};
use super::record::{Record, is_true, number, text};
use super::state::World;
use super::{accounts, clock, seed, smart_trades};
use botdesk_api::account::Account;
use botdesk_api::input::Violation;
use botdesk_api::record::Record as _;

/// The kind of exchange of an account of which that is not said.
const EXCHANGE: &str = "demo_spot";

impl World {
    /// Adds an exchange account; gives its identifier.
    pub(super) fn add_account(&mut self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        let given = fields::of(&Account::ROWS.iter(), "an account", given)?;
        let id = free_id(&given, &self.accounts)?;
        let code = Some(text(&given, "market_code")).filter(|code| !code.is_empty()).unwrap_or(EXCHANGE);
        let secret = seed::secret(self.seed, id, "api_key");
        let mut account = accounts::connected(id, code, &secret);
        account.extend(self.made_now());
        account.extend(given);
        self.accounts.insert(id, account);
        Ok(id)
    }

    /// Adds a SmartTrade; gives its identifier.
    pub(super) fn add_smart_trade(&mut self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        let given = fields::of(&smart_trades::rows(), "a SmartTrade", given)?;
        let id = free_id(&given, &self.smart_trades)?;
        let mut trade = smart_trades::smart_trade();
        trade.extend(object! { "id": id });
        trade.extend(given);
        self.smart_trades.insert(id, trade);
        Ok(id)
    }

    fn made_now(&self) -> Record {
        let now = clock::text(self.clock.now());
        object! { "created_at": now.as_str(), "updated_at": now }
    }

    /// The account that a new bot trades on: the one that was given, or else the first whose keys are valid.
    fn account_of(&self, given: &Record) -> Result<Record, Violation> {
        let usable = |account: &&Record| !is_true(account, "api_key_invalid");
        let (account, message) = match given.get("account_id") {
            Some(id) => (id.as_u64().and_then(|id| self.accounts.get(&id)), format!("there is no account {id}")),
            None => (self.accounts.values().find(usable), "is needed, as there is no account yet".to_owned()),
        };
        let account = account.ok_or_else(|| {
            Violation::new("account_id", format!("{message}; sandbox.add_account() adds one and gives its identifier"))
        })?;
        Ok(object! { "account_id": account.get("id").cloned(), "account_name": text(account, "name") })
    }

    /// What a pair costs. One that is not traded yet is from now on, at the price that was given in one of the fields.
    fn listed(&mut self, pair: &str, given: &Record, fields: &[&str]) -> Result<Quote, Violation> {
        check_pair("pair", pair)?;
        if self.market.quote(pair).is_none()
            && let Some((field, price)) = given_price(given, fields)
        {
            check_price(field, &price)?;
            self.market.set(pair, price);
        }
        self.market.quote(pair).ok_or_else(|| {
            let fields = fields.join(" or ");
            Violation::new("pair", format!("{pair} has no price yet; call sandbox.set_price() first, or give {fields}"))
        })
    }
}

fn given_price<'a>(given: &Record, fields: &[&'a str]) -> Option<(&'a str, BigDecimal)> {
    fields.iter().find(|field| given.contains_key(**field)).map(|field| (*field, number(given, field)))
}

/// The identifier that was given, or else the next one.
fn free_id<T>(given: &Record, taken: &BTreeMap<u64, T>) -> Result<u64, Vec<Violation>> {
    let next = taken.last_key_value().map_or(1, |(id, _)| id.saturating_add(1));
    let Some(id) = given.get("id") else {
        return Ok(next);
    };
    id_of(id)
        .and_then(|id| if taken.contains_key(&id) { Err(taken_id(id)) } else { Ok(id) })
        .map_err(|wrong| vec![wrong])
}

fn id_of(given: &Value) -> Result<u64, Violation> {
    let id = given.as_i64().and_then(|id| u64::try_from(id).ok()).filter(|id| *id > 0);
    id.ok_or_else(|| Violation::new("id", format!("a whole number of at least 1 is needed, not {given}")))
}

fn taken_id(id: u64) -> Violation {
    Violation::new("id", format!("{id} is taken; give another one, or none to get the next"))
}
