//! Records that the user of a sandbox adds. Fields without a value get the samples of the rows.

mod fields;

pub use fields::NamedValue;
pub(super) use fields::parse_fields;

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::clock;
use super::defaults::object;
use super::listings::{PairQuote, check_pair, check_price};
use super::record::{JsonRecord, is_true, number, string};
use super::state::State;
use super::store::Table;
use botdesk_schema::input::Violation;

impl State {
    /// Returns the times of a record that is created now.
    pub(super) fn creation_times(&self) -> JsonRecord {
        let now = clock::timestamp(self.clock.now());
        object! { "created_at": now.as_str(), "updated_at": now }
    }

    /// Returns the account fields of a new bot: of the given account, or else of the first one with valid API keys.
    pub(super) fn account_fields(&self, given: &JsonRecord) -> Result<JsonRecord, Violation> {
        let usable = |account: &&JsonRecord| !is_true(account, "api_key_invalid");
        let (account, message) = match given.get("account_id") {
            Some(id) => {
                (id.as_u64().and_then(|id| self.store.accounts.get(&id)), format!("account {id} does not exist"))
            }
            None => (
                self.store.accounts.values().find(usable),
                "is required, because the sandbox has no account".to_owned(),
            ),
        };
        let account =
            account.ok_or_else(|| Violation::new("account_id", format!("{message}; add one with add_account")))?;
        Ok(object! { "account_id": account.get("id").cloned(), "account_name": string(account, "name") })
    }

    /// Returns the quote of a pair. A new pair is listed at the price in one of the given fields.
    pub(super) fn quote_or_list(
        &mut self,
        pair: &str,
        given: &JsonRecord,
        fields: &[&str],
    ) -> Result<PairQuote, Violation> {
        check_pair("pair", pair)?;
        if self.market.quote(pair).is_none()
            && let Some((field, price)) = given_price(given, fields)
        {
            check_price(field, &price)?;
            self.market.set(pair, price);
        }
        self.market.quote(pair).ok_or_else(|| {
            let fields = fields.join(" or ");
            Violation::new("pair", format!("{pair} has no price yet; set it with set_price, or pass {fields}"))
        })
    }
}

/// Returns the first of some fields that is given, and its price.
pub(super) fn given_price<'a>(given: &JsonRecord, fields: &[&'a str]) -> Option<(&'a str, BigDecimal)> {
    fields.iter().find(|field| given.contains_key(**field)).map(|field| (*field, number(given, field)))
}

/// Returns the given id, or else the next one.
pub(super) fn free_id(given: &JsonRecord, taken: &Table) -> Result<u64, Violation> {
    let next = taken.last_key_value().map_or(1, |(id, _)| id.saturating_add(1));
    let Some(id) = given.get("id") else {
        return Ok(next);
    };
    parse_id(id).and_then(|id| if taken.contains_key(&id) { Err(id_taken(id)) } else { Ok(id) })
}

/// Parses a given id.
pub(super) fn parse_id(given: &Value) -> Result<u64, Violation> {
    let id = given.as_i64().and_then(|id| u64::try_from(id).ok()).filter(|id| *id > 0);
    id.ok_or_else(|| Violation::new("id", format!("must be an integer of at least 1, not {given}")))
}

/// Returns the violation by an id that another record has.
pub(super) fn id_taken(id: u64) -> Violation {
    Violation::new("id", format!("{id} is already taken; choose another id, or omit it to get the next one"))
}
