//! Paper and real mode: each account is of one, and lists have what is on accounts of the mode of the request.

use axum::http::HeaderMap;

use super::accounts::Accounts;
use super::record::{JsonRecord, string};
use super::resource::Resource as _;
use super::route::RequestParams;
use super::state::State;
use botdesk_schema::mode::{self, Mode};
use botdesk_server::api_error::ApiError;

/// Returns the mode that the headers of a request name; None if they name none.
pub(super) fn of_headers(headers: &HeaderMap) -> Result<Option<Mode>, ApiError> {
    let Some(value) = headers.get(mode::HEADER) else { return Ok(None) };
    let mode = value.to_str().ok().and_then(Mode::named);
    mode.map(Some).ok_or_else(|| ApiError::invalid_field("mode", "does not have a valid value"))
}

impl State {
    /// Returns true unless a request reads an account of the other mode. Writes, and all other reads by id, work in either mode.
    pub(super) fn shows(&self, params: &RequestParams<'_>) -> bool {
        let reads_account = params.operation.resource() == Accounts.name() && !params.operation.effect.writes();
        let account = params.id().filter(|_| reads_account).and_then(|id| self.store.accounts.get(&id));
        account.is_none_or(|account| of_account(account) == self.mode)
    }

    /// Returns true if lists in the mode of the request have a record: an account of the mode, or a record on one.
    pub(super) fn is_of_mode(&self, resource: &str, record: &JsonRecord) -> bool {
        let account = if resource == Accounts.name() { Some(record) } else { self.account_of_record(record) };
        account.map_or(Mode::Real, of_account) == self.mode
    }

    fn account_of_record(&self, record: &JsonRecord) -> Option<&JsonRecord> {
        let id = record.get("account_id").or_else(|| record.get("account")?.get("id"))?;
        self.store.accounts.get(&id.as_u64().or_else(|| id.as_str()?.parse().ok())?)
    }
}

fn of_account(account: &JsonRecord) -> Mode {
    Mode::of_exchange(string(account, "market_code"))
}
