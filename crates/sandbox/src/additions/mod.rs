//! Records that the user of a sandbox adds. Fields without a value get the samples of the rows.

mod dca_bot;
mod deal;
mod fields;
mod grid_bot;

pub use fields::NamedValue;

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::accounts::Accounts;
use super::defaults::object;
use super::listings::{PairQuote, check_pair, check_price};
use super::record::{JsonRecord, is_true, number, string};
use super::resource::Resource as _;
use super::smart_trades::SmartTrades;
use super::state::State;
use super::store::Table;
use super::{accounts, clock, random};
use botdesk_api::input::Violation;

/// The default exchange type of an account.
const DEFAULT_EXCHANGE: &str = "demo_spot";

impl State {
    /// Adds an exchange account; returns its id.
    pub(super) fn add_account(&mut self, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let given = fields::parse_fields(Accounts.record(), given)?;
        let id = free_id(&given, &self.store.accounts)?;
        let code = Some(string(&given, "market_code")).filter(|code| !code.is_empty()).unwrap_or(DEFAULT_EXCHANGE);
        let secret = random::secret(self.seed, id, "api_key");
        let mut account = accounts::new_account(id, code, &secret);
        account.extend(self.creation_times());
        account.extend(given);
        self.store.accounts.insert(id, account);
        Ok(id)
    }

    /// Adds a SmartTrade; returns its id.
    pub(super) fn add_smart_trade(&mut self, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let given = fields::parse_fields(SmartTrades.record(), given)?;
        let id = free_id(&given, &self.store.smart_trades)?;
        let mut trade = SmartTrades.template();
        trade.extend(object! { "id": id });
        trade.extend(given);
        self.store.smart_trades.insert(id, trade);
        Ok(id)
    }

    fn creation_times(&self) -> JsonRecord {
        let now = clock::timestamp(self.clock.now());
        object! { "created_at": now.as_str(), "updated_at": now }
    }

    /// Returns the account fields of a new bot: of the given account, or else of the first one with valid API keys.
    fn account_fields(&self, given: &JsonRecord) -> Result<JsonRecord, Violation> {
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
    fn quote_or_list(&mut self, pair: &str, given: &JsonRecord, fields: &[&str]) -> Result<PairQuote, Violation> {
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

fn given_price<'a>(given: &JsonRecord, fields: &[&'a str]) -> Option<(&'a str, BigDecimal)> {
    fields.iter().find(|field| given.contains_key(**field)).map(|field| (*field, number(given, field)))
}

/// Returns the given id, or else the next one.
fn free_id(given: &JsonRecord, taken: &Table) -> Result<u64, Vec<Violation>> {
    let next = taken.last_key_value().map_or(1, |(id, _)| id.saturating_add(1));
    let Some(id) = given.get("id") else {
        return Ok(next);
    };
    parse_id(id)
        .and_then(|id| if taken.contains_key(&id) { Err(id_taken(id)) } else { Ok(id) })
        .map_err(|violation| vec![violation])
}

fn parse_id(given: &Value) -> Result<u64, Violation> {
    let id = given.as_i64().and_then(|id| u64::try_from(id).ok()).filter(|id| *id > 0);
    id.ok_or_else(|| Violation::new("id", format!("must be an integer of at least 1, not {given}")))
}

fn id_taken(id: u64) -> Violation {
    Violation::new("id", format!("{id} is already taken; choose another id, or omit it to get the next one"))
}
