//! The operations on simple trades.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::inputs;
use super::operations::{matching_ids, page};
use super::record::{JsonRecord, string};
use super::record_type::RecordType;
use super::resource::{Resource, table};
use super::route::{Handler, RequestParams};
use super::saved::{self, Document, Problem};
use super::seed::{SeedOptions, SeedRecords, seed_trades};
use super::simple_trade::{SimpleTradePlan, is_over, uuid_of};
use super::smart_trade_figures::nested_string;
use super::state::State;
use super::store::Table;
use super::trade_writes as writes;
use botdesk_api::trades::SimpleTrade;
use botdesk_schema::id::Id;
use botdesk_schema::input::Violation;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The largest page of a list.
const MAX_PAGE: usize = 1_000;

/// The pair of a new trade.
const DEFAULT_PAIR: &str = "USDT_ETH";

/// The quantity of a new trade.
const DEFAULT_QUANTITY: i64 = 1;

/// The simple trades. The table has them by a number that only the sandbox knows.
pub(super) struct Trades;

/// The handlers by verb. The other operations have defaults.
pub(super) const HANDLERS: &[(&str, Handler)] =
    &[("get", get), ("active", active), ("history", history), ("create", writes::create), ("cancel", writes::cancel)];

impl Resource for Trades {
    table!(trades);

    fn record(&self) -> RecordType {
        RecordType::of::<SimpleTrade>("a simple trade")
    }

    fn seed(&self, options: &SeedOptions, records: &mut SeedRecords) {
        seed_trades(options, records);
    }

    /// Returns a limit order at the current price, whose identifier ends with the number.
    fn new_record(&self, state: &mut State, id: u64, given: JsonRecord) -> Result<JsonRecord, Violation> {
        let account = state.account_fields(&given)?;
        let pair = Some(string(&given, "pair")).filter(|pair| !pair.is_empty()).unwrap_or(DEFAULT_PAIR);
        let quote = state.quote_or_list(pair, &given, &[])?;
        let code = given.get("status").and_then(|status| status.get("value")).and_then(Value::as_str);
        let now = state.clock.now().as_second();
        let mut record = SimpleTradePlan {
            uuid: uuid_of(id),
            account_id: account.get("account_id").and_then(Value::as_u64).unwrap_or_default(),
            pair: quote.pair.clone(),
            status: code.unwrap_or("order_placed"),
            side: "buy",
            order_type: "limit",
            price: quote.price.clone(),
            filled_at: quote.price.clone(),
            quantity: BigDecimal::from(DEFAULT_QUANTITY),
            condition: None,
            trailing: None,
            timeout: None,
            created_at: now,
            closed_at: now,
        }
        .record();
        record.extend(given);
        let uuid = string(&record, "uuid");
        if state.store.trades.values().any(|other| string(other, "uuid") == uuid) {
            return Err(Violation::new("uuid", format!("{uuid} is already taken; choose another one, or omit it")));
        }
        Ok(record)
    }

    /// Reads the trades, which have no number in a state file.
    fn load(&self, state: &mut State, document: &mut Document) -> Result<(), Problem> {
        for (at, record) in saved::take::<JsonRecord>(document, self.name())? {
            let record = state.restored(record, self.record(), &at)?;
            let uuid = string(&record, "uuid");
            if state.store.trades.values().any(|other| string(other, "uuid") == uuid) {
                return Err(format!("{at}: the uuid {uuid} appears twice"));
            }
            let number = free_number(uuid, &state.store.trades);
            state.store.trades.insert(number, record);
        }
        saved::load_simple_trade_states(state, document)
    }

    fn save_more(&self, state: &State, document: &mut Document) {
        saved::save_simple_trade_states(state, document);
    }
}

/// Returns the number at the end of a trade's identifier, or the next one if that is no free number.
fn free_number(uuid: &str, taken: &Table) -> u64 {
    let last = uuid.rsplit('-').next().and_then(|digits| digits.parse().ok());
    let next = || taken.last_key_value().map_or(1, |(number, _)| number.saturating_add(1));
    last.filter(|number| *number > 0 && !taken.contains_key(number)).unwrap_or_else(next)
}

fn get(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let uuid = params.ids.first().map(Id::to_string).unwrap_or_default();
    let found = state.store.trades.values().find(|trade| string(trade, "uuid") == uuid);
    found.map(SerializedBody::serialize).ok_or_else(|| params.not_found())
}

fn active(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    listed(state, params, false)
}

fn history(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    listed(state, params, true)
}

/// Returns a page of the trades that are over, or of the others.
fn listed(state: &State, params: &RequestParams<'_>, over: bool) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let ids = matching_ids(&Trades, state, &query);
    let trades = ids.iter().filter_map(|id| state.store.trades.get(id));
    let trades = trades.filter(|trade| is_over(nested_string(trade, "status.value")) == over);
    Ok(SerializedBody::serialize(&page(&query, trades).take(MAX_PAGE).collect::<Vec<_>>()))
}
