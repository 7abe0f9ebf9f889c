//! Checks the account of a write in paper mode.
//!
//! The mode chooses what is shown; the account decides where money is spent. So before the first write to an account, the client reads
//! it in paper mode, and sends the write only if it is a paper account.

use std::pin::Pin;

use serde_json::Value;

use super::client::HttpClient;
use crate::error::Error;
use crate::request::spec::RequestSpec;
use botdesk_api::reference;
use botdesk_schema::id::{Id, IdSpec, IdType};
use botdesk_schema::input::Violation;
use botdesk_schema::mode::Mode;
use botdesk_schema::operation::{Operation, PREFIX};
use botdesk_schema::permission::Security;
use botdesk_schema::resource::Resource;
use botdesk_schema::secrets::shown_line;

/// The name of the resource of the accounts.
const ACCOUNTS: &str = "accounts";

/// The most characters of a response that an error shows.
const LONGEST_SHOWN: usize = 80;

impl HttpClient {
    /// Returns an error if a write in paper mode is to an account that is not a paper account, or may not be one.
    pub(super) async fn check_paper_account(&self, spec: &RequestSpec) -> Result<(), Error> {
        let is_checked = self.settings.mode == Some(Mode::Paper) && spec.security == Security::Signed;
        if !is_checked || !spec.effect.writes() {
            return Ok(());
        }
        for account in self.accounts_of(spec).await? {
            if !self.paper_accounts.known().paper.contains(&account) {
                self.read_paper_account(account).await?;
                self.paper_accounts.known().paper.insert(account);
            }
        }
        Ok(())
    }

    /// Returns the accounts that a write names, and that of the record in its path; none if it concerns no account.
    async fn accounts_of(&self, spec: &RequestSpec) -> Result<Vec<u64>, Error> {
        let mut accounts = named_accounts(spec)?;
        match target_of(spec) {
            Target::OneAccount(id) => accounts.push(id),
            Target::Record(read, id) => accounts.push(self.account_of_record(read, id).await?),
            Target::Unknown if accounts.is_empty() => {
                return Err(refused(&format!(
                    "it is not known which account {} is about; send it from a client with another mode if you are \
                     sure: client.with_options(mode=None)",
                    spec.path
                )));
            }
            Target::Nothing | Target::Unknown => {}
        }
        Ok(accounts)
    }

    async fn account_of_record(&self, read: &'static Operation, id: Id) -> Result<u64, Error> {
        let request = RequestSpec::plain(read, [id]);
        let path = request.path.clone();
        if let Some(account) = self.paper_accounts.known().of_records.get(&path) {
            return Ok(*account);
        }
        let record = self.read(request).await?;
        let account = integer(record.get("account_id")).or_else(|| integer(record.get("account")?.get("id")));
        let account = account.ok_or_else(|| refused(&format!("the account of {path} can't be read")))?;
        self.paper_accounts.known().of_records.insert(path, account);
        Ok(account)
    }

    /// Reads an account in paper mode; returns an error unless it is a paper account.
    async fn read_paper_account(&self, id: u64) -> Result<(), Error> {
        let unreadable = || refused(&format!("the account {id} can't be read"));
        let read = reference::reading(ACCOUNTS).ok_or_else(unreadable)?;
        let account = match self.read(RequestSpec::plain(read, [id])).await {
            Ok(account) => account,
            Err(error) if error.status() == Some(404) => {
                return Err(refused(&format!(
                    "the account {id} is not one of your paper accounts; use the id of one (accounts.list() with this \
                     client lists them), or mode=\"real\" to trade real money"
                )));
            }
            Err(error) if error.status() == Some(403) => {
                return Err(refused(&format!(
                    "the service does not let this key read the account {id}, so it is not known whether it is a paper \
                     account; give the key the permission ACCOUNTS_READ"
                )));
            }
            Err(error) => return Err(error),
        };
        let exchange = account.get("market_code").and_then(Value::as_str).unwrap_or_default();
        if Mode::of_exchange(exchange) == Mode::Paper {
            return Ok(());
        }
        let exchange = shown_line(exchange, LONGEST_SHOWN);
        Err(refused(&format!(
            "the account {id} is a real one (its exchange is {exchange:?}); use the id of a paper account \
             (accounts.list() with this client lists them), or mode=\"real\" to trade real money"
        )))
    }

    /// Sends a request that reads a record. It is boxed, because a write that is being sent awaits it.
    fn read(&self, request: RequestSpec) -> Pin<Box<dyn Future<Output = Result<Value, Error>> + Send + '_>> {
        Box::pin(async move {
            let record = self.record(request).await?;
            Ok(serde_json::from_str(record.text()).unwrap_or_default())
        })
    }
}

fn refused(why: &str) -> Error {
    Error::from(Violation::new("mode", format!("the mode is \"paper\", but {why}; nothing was sent")))
}

/// What the path of a write is about.
enum Target {
    /// Nothing on an account, such as the list of pairs that no bot trades.
    Nothing,
    /// An account.
    OneAccount(u64),
    /// A record, and the operation that reads it.
    Record(&'static Operation, Id),
    /// It has an identifier of something that botdesk can't read.
    Unknown,
}

/// Returns what a write is about, by the beginning of its path: also for a custom request that botdesk has no operation for.
fn target_of(spec: &RequestSpec) -> Target {
    let path = spec.path.strip_prefix(PREFIX).unwrap_or(&spec.path);
    let mut resources = reference::RESOURCES.iter();
    let found = resources.find_map(|resource| {
        let read = resource.reading()?;
        record_in(path, read, resource).map(|id| (resource, read, id))
    });
    match found {
        Some((resource, _, id)) if resource.name == ACCOUNTS => id.number().map_or(Target::Nothing, Target::OneAccount),
        Some((_, read, id)) => Target::Record(read, id),
        None if path.split('/').any(|segment| integer_in(segment).is_some()) => Target::Unknown,
        None => Target::Nothing,
    }
}

/// Returns the identifier in a path that begins like the one that reads a record.
fn record_in(path: &str, read: &'static Operation, resource: &'static Resource) -> Option<Id> {
    let spec: IdSpec = resource.ids(read).next()?;
    let mut segments = path.split('/');
    for expected in read.path.split('/') {
        let segment = segments.next()?;
        if expected.starts_with('{') {
            let given = match spec.id_type {
                IdType::Integer => Value::from(integer_in(segment)?),
                IdType::Uuid => Value::from(segment),
            };
            return spec.parse(&given, read.takes_summary).ok();
        }
        if expected != segment {
            return None;
        }
    }
    None
}

fn integer_in(segment: &str) -> Option<u64> {
    segment.bytes().all(|byte| byte.is_ascii_digit()).then(|| segment.parse().ok()).flatten()
}

/// Returns the accounts that the body and the query string name.
fn named_accounts(spec: &RequestSpec) -> Result<Vec<u64>, Error> {
    const NAME: &str = "account_id";
    let mut accounts = Vec::new();
    if let Some(given) = spec.json_body().get(NAME).filter(|given| !given.is_null()) {
        let unreadable = || refused(&format!("{NAME} is not the id of an account"));
        accounts.push(integer(Some(given)).ok_or_else(unreadable)?);
    }
    accounts.extend(spec.number_in_query(NAME));
    Ok(accounts)
}

/// Returns an integer, which may be written as a string.
fn integer(value: Option<&Value>) -> Option<u64> {
    let value = value?;
    value.as_u64().or_else(|| integer_in(value.as_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::custom::CustomRequest;

    fn target(path: &str) -> String {
        let request = CustomRequest { method: "POST".to_owned(), path: path.to_owned(), ..CustomRequest::default() };
        match target_of(&request.spec(Vec::new()).unwrap()) {
            Target::Nothing => "nothing".to_owned(),
            Target::OneAccount(id) => format!("account {id}"),
            Target::Record(read, id) => format!("{} {id}", read.name),
            Target::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn the_path_names_the_record_of_a_write() {
        for (path, expected) in [
            ("/ver1/bots/41/disable", "dca_bots.get 41"),
            ("/ver1/bots/41/start_new_deal", "dca_bots.get 41"),
            ("/ver1/deals/7/panic_sell", "deals.get 7"),
            ("/ver1/grid_bots/71/enable", "grid_bots.get 71"),
            ("/v2/smart_trades/9/trades/3/close_by_market", "smart_trades.get 9"),
            ("/ver1/accounts/1001/rename", "account 1001"),
            ("/ver1/accounts/new", "nothing"),
            ("/ver1/bots/create_bot", "nothing"),
            ("/ver1/users/change_mode", "nothing"),
            ("/ver1/unknown/41/close", "unknown"),
        ] {
            assert_eq!(target(path), expected, "{path}");
        }
    }

    #[test]
    fn the_body_and_the_query_string_name_accounts() {
        let spec = |json: &str, query: Option<&str>| {
            let request = CustomRequest { method: "POST".to_owned(), path: "/ver1/x".to_owned(), ..Default::default() };
            RequestSpec {
                body: Some(json.to_owned()),
                query: query.map(str::to_owned),
                ..request.spec(Vec::new()).unwrap()
            }
        };
        let named = |json, query| named_accounts(&spec(json, query)).ok();
        assert_eq!(named(r#"{"account_id":1001}"#, Some("account_id=1002")), Some(vec![1001, 1002]));
        assert_eq!(named(r#"{"account_id":"1001"}"#, None), Some(vec![1001]));
        assert_eq!(named(r#"{"account_id":null}"#, None), Some(vec![]));
        assert_eq!(named(r#"{"account_id":"main"}"#, None), None);
        assert_eq!(named("[]", None), Some(vec![]));
    }
}
