//! The operations on SmartTrades.

use std::borrow::Cow;

use bigdecimal::{BigDecimal, Signed as _};
use serde_json::Value;

use super::additions::{NamedValue, free_id, parse_fields};
use super::clock;
use super::defaults::object;
use super::listings::PairQuote;
use super::operations::parse_time;
use super::record::{JsonRecord, number, string};
use super::record_type::RecordType;
use super::resource::{Resource, table};
use super::route::{Handler, RequestParams};
use super::saved::{self, Document, Problem};
use super::seed::{SeedOptions, SeedRecords, seed_smart_trades};
use super::smart_trade_edits;
use super::smart_trade_figures::{has_ended, nested, nested_number, nested_string, text};
use super::smart_trade_funds as funds;
use super::smart_trade_new::create;
use super::smart_trade_orders::trades as orders;
use super::smart_trade_plan::{
    Entry, Kind, SmartTradePlan, Times, USUAL_STATUS, USUAL_STEPS, USUAL_STOP_LOSS, account_reference,
};
use super::smart_trade_status::{WAITING_TARGETS, status};
use super::smart_trade_writes::{self as writes, find};
use super::sort_value::{CREATED_AT, SortValue};
use super::state::State;
use botdesk_api::smart_trades::{ReduceFundsInfo, SmartTrade};
use botdesk_schema::decimal;
use botdesk_schema::input::Violation;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The field with the reducible amount, which belongs to no record.
const REDUCIBLE: &str = "max_reduce_funds_amount";

/// The pair of a new SmartTrade.
const DEFAULT_PAIR: &str = "USDT_ETH";

/// The quantity of a new SmartTrade.
const DEFAULT_QUANTITY: i64 = 1;

/// The SmartTrades.
pub(super) struct SmartTrades;

/// The handlers by verb. The other operations have defaults.
pub(super) const HANDLERS: &[(&str, Handler)] = &[
    ("reduce_funds_info", reduce_funds_info),
    ("trades", trades),
    ("create", create),
    ("edit", smart_trade_edits::edit),
    ("add_funds", funds::add_funds),
    ("reduce_funds", funds::reduce_funds),
    ("set_note", writes::set_note),
    ("close", writes::close),
    ("cancel", writes::cancel),
    ("force_start", writes::force_start),
    ("close_trade", writes::close_trade),
    ("cancel_trade", writes::cancel_trade),
];

impl Resource for SmartTrades {
    table!(smart_trades);

    fn record(&self) -> RecordType {
        RecordType::of::<SmartTrade>("a SmartTrade")
    }

    fn seed(&self, options: &SeedOptions, records: &mut SeedRecords) {
        seed_smart_trades(options, records);
    }

    fn matches(&self, record: &JsonRecord, filter: &str, value: &Value) -> Option<bool> {
        let created = || parse_time(nested(record, "data.created_at")?).zip(parse_time(value));
        Some(match filter {
            "account_id" => nested(record, "account.id") == Some(value),
            "type" => nested_string(record, "data.type") == value,
            "status" => is_in_group(record, value.as_str().unwrap_or_default()),
            "from" => created().is_some_and(|(created, from)| created >= from),
            "to" => created().is_some_and(|(created, to)| created <= to),
            _ => return None,
        })
    }

    fn sort_value(&self, record: &JsonRecord, key: Option<&str>) -> Option<SortValue> {
        let time = |field: &str| nested_string(record, &format!("data.{field}")).to_owned();
        Some(match key {
            Some("profit") => SortValue::Number(nested_number(record, "profit.volume")),
            Some("profit_percentage") => SortValue::Number(nested_number(record, "profit.percent")),
            Some("status") => SortValue::Group(!has_ended(record), time(CREATED_AT)),
            key => SortValue::Text(time(key.unwrap_or(CREATED_AT))),
        })
    }

    /// In lists the fee is a string, alone it is a number.
    fn listed<'a>(&self, state: &'a State, id: u64) -> Option<Cow<'a, JsonRecord>> {
        let mut record = self.current(state, id)?.into_owned();
        if let Some(commission) = record.get_mut("data").and_then(|data| data.get_mut("commission"))
            && commission.is_number()
        {
            *commission = Value::from(commission.to_string());
        }
        Some(Cow::Owned(record))
    }

    /// Adds a SmartTrade. Its status may be the code alone, and the amount by which its funds can be reduced may be given.
    fn add(&self, state: &mut State, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let (reducible, given) = given.into_iter().partition(|(name, _)| name == REDUCIBLE);
        let reducible = parse_fields(RecordType::of::<ReduceFundsInfo>("a SmartTrade"), reducible);
        let given = parse_fields(self.record(), given.into_iter().map(with_whole_status).collect());
        let (reducible, given) = match (reducible, given) {
            (Ok(reducible), Ok(given)) => (reducible, given),
            (reducible, given) => return Err([reducible.err(), given.err()].into_iter().flatten().flatten().collect()),
        };
        let one = |violation| vec![violation];
        let id = free_id(&given, &state.store.smart_trades).map_err(one)?;
        let quantity = reducible.contains_key(REDUCIBLE).then(|| number(&reducible, REDUCIBLE));
        let record = new_record(state, id, given, quantity).map_err(one)?;
        state.store.smart_trades.insert(id, record);
        Ok(id)
    }

    /// Reads the SmartTrades. Files of older versions have only an identifier, a status and an amount of each.
    fn load(&self, state: &mut State, document: &mut Document) -> Result<(), Problem> {
        for (at, record) in saved::take::<JsonRecord>(document, self.name())? {
            let record = match record.get("status") {
                Some(Value::String(_)) => upgraded(state, &record, &at)?,
                _ => record,
            };
            let record = state.restored(record, self.record(), &at)?;
            saved::insert(&mut state.store.smart_trades, record, &at)?;
        }
        saved::load_smart_trade_orders(state, document)?;
        saved::load_smart_trade_steps(state, document)?;
        saved::load_smart_trade_timers(state, document)
    }

    fn save_more(&self, state: &State, document: &mut Document) {
        saved::save_smart_trade_orders(state, document);
        saved::save_smart_trade_steps(state, document);
        saved::save_smart_trade_timers(state, document);
    }
}

/// Returns a field of a new SmartTrade; the code of a status becomes a whole one.
fn with_whole_status((name, value): NamedValue) -> NamedValue {
    match value {
        Ok(Value::String(code)) if name == "status" => (name, Ok(Value::Object(status(&code)))),
        value => (name, value),
    }
}

/// Returns true if a SmartTrade is in a group of the list.
fn is_in_group(trade: &JsonRecord, group: &str) -> bool {
    let code = nested_string(trade, "status.basic_type");
    let is_finished = has_ended(trade) && !matches!(code, "cancelled" | "failed");
    match group {
        "all" => true,
        "active" => !has_ended(trade),
        "finished" => is_finished,
        // A simple buy or sell has no profit: its volume is null.
        "successfully_finish" => is_finished && has_profit(trade),
        code_of_end => code == code_of_end,
    }
}

/// Returns true if the profit of a SmartTrade is known, and is not a loss.
fn has_profit(trade: &JsonRecord) -> bool {
    let volume = nested(trade, "profit.volume").and_then(decimal::of);
    volume.is_some_and(|volume| !volume.is_negative())
}

fn new_record(
    state: &mut State,
    id: u64,
    given: JsonRecord,
    quantity: Option<BigDecimal>,
) -> Result<JsonRecord, Violation> {
    let account = state.account_fields(&JsonRecord::new())?;
    let account = account.get("account_id").and_then(Value::as_u64).and_then(|id| reference(state, id));
    let pair = Some(string(&given, "pair")).filter(|pair| !pair.is_empty()).unwrap_or(DEFAULT_PAIR);
    let quote = state.quote_or_list(pair, &given, &[])?;
    let code = nested(&given, "status.basic_type").and_then(Value::as_str).unwrap_or(USUAL_STATUS).to_owned();
    let now = clock::timestamp(state.clock.now());
    let mut record = usual(id, &code, account.unwrap_or_default(), &quote, quantity, &now);
    record.extend(given);
    Ok(record)
}

/// Returns a SmartTrade with the usual targets, whose position can be reduced by a quantity.
fn usual(
    id: u64,
    code: &str,
    account: JsonRecord,
    quote: &PairQuote,
    quantity: Option<BigDecimal>,
    now: &str,
) -> JsonRecord {
    let quantity = quantity.unwrap_or_else(|| DEFAULT_QUANTITY.into());
    SmartTradePlan {
        id,
        kind: Kind::SmartTrade,
        status: code,
        account,
        quote,
        leverage: None,
        entry: Entry { order_type: "limit", price: quote.price.clone(), quantity, trailing: None },
        steps: &USUAL_STEPS,
        stop_loss: Some(USUAL_STOP_LOSS),
        reduced: None,
        closed_at_market: Some(quote.price.clone()),
        fee: BigDecimal::from(0),
        note: "",
        times: Times { created: now.to_owned(), updated: now.to_owned(), ended: now.to_owned() },
    }
    .record()
}

/// Returns the SmartTrade of an older state file: its identifier, its status and its amount, and the rest as usual.
fn upgraded(state: &State, old: &JsonRecord, at: &str) -> Result<JsonRecord, Problem> {
    if old.get(REDUCIBLE).is_some_and(|amount| decimal::of(amount).is_none()) {
        return Err(format!("{at}: {REDUCIBLE} is not a decimal"));
    }
    let account = state.store.accounts.keys().next_back().and_then(|id| reference(state, *id)).unwrap_or_default();
    let listed = state.market.quote(DEFAULT_PAIR).or_else(|| state.market.quote(state.market.listings.keys().next()?));
    let unlisted = || PairQuote {
        pair: DEFAULT_PAIR.to_owned(),
        price: BigDecimal::from(1),
        tick: BigDecimal::new(1.into(), 2),
        usd: BigDecimal::from(1),
    };
    let quote = listed.unwrap_or_else(unlisted);
    let id = old.get("id").and_then(Value::as_u64).unwrap_or_default();
    let quantity = old.contains_key(REDUCIBLE).then(|| number(old, REDUCIBLE));
    let mut record = usual(id, string(old, "status"), account, &quote, quantity, &clock::timestamp(state.clock.now()));
    record.insert("id".to_owned(), old.get("id").cloned().unwrap_or_default());
    Ok(record)
}

/// Returns the reference of SmartTrades to an account.
pub(super) fn reference(state: &State, id: u64) -> Option<JsonRecord> {
    let account = state.store.accounts.get(&id)?;
    let text = |field: &str| string(account, field);
    Some(account_reference(id, text("market_code"), text("name"), text("exchange_name")))
}

fn reduce_funds_info(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (_, trade) = find(state, params)?;
    if nested_string(trade, "status.basic_type") != WAITING_TARGETS {
        return Err(ApiError::not_allowed("Reduce funds"));
    }
    let rest = nested_number(trade, "data.entered_amount") - nested_number(trade, "data.closed_amount");
    Ok(SerializedBody::serialize(&object! { "max_reduce_funds_amount": text(&rest) }))
}

fn trades(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (id, trade) = find(state, params)?;
    let tick = state.market.tick(string(trade, "pair"));
    let removed = state.smart_trade_steps.filled(id);
    Ok(SerializedBody::serialize(&orders(trade, removed, id, &tick, &state.fee())))
}
