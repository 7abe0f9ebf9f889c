//! New SmartTrades: the record of one, and its start.

use serde_json::{Map, Value};

use super::additions::free_id;
use super::defaults::object;
use super::exchanges::trades_futures;
use super::inputs;
use super::listings::PairQuote;
use super::record::{JsonRecord, is_true, string};
use super::route::RequestParams;
use super::smart_trade_figures::{self as figures, digits, nested, nested_number, nested_string, text};
use super::smart_trade_life;
use super::smart_trade_orders::OrderId;
use super::smart_trade_plan::{COMMISSION, account_reference, figures_of_day};
use super::smart_trade_status::{Allowed, order_status, status};
use super::state::State;
use botdesk_api::smart_trade_inputs::SmartTradeCreate;
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// Creates a SmartTrade. The response shows it before the service goes on with it, which it does at once.
pub(super) fn create(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let given = inputs::parse(SmartTradeCreate::INPUTS, params)?;
    let request = RequestBuilder::for_http(SmartTradeCreate::INPUTS, given);
    check(&request)?;
    let given = inputs::given(&request);
    let account_id = given.get("account_id").and_then(Value::as_u64).unwrap_or_default();
    let account = state.store.accounts.get(&account_id);
    let account = account.filter(|account| is_true(account, "smart_trading_supported"));
    account.ok_or_else(|| params.error(403))?;
    create_on(state, account_id, &given)
}

/// Creates a SmartTrade on an account from checked inputs.
pub(super) fn create_on(state: &mut State, account_id: u64, given: &JsonRecord) -> Result<SerializedBody, ApiError> {
    let account = state.store.accounts.get(&account_id).ok_or_else(ApiError::not_found)?;
    let code = string(account, "market_code");
    let (reference, is_futures) = (
        account_reference(account_id, code, string(account, "name"), string(account, "exchange_name")),
        trades_futures(code),
    );
    let quote = state.market.quote(string(given, "pair"));
    let quote = quote.ok_or_else(|| ApiError::state_invalid("pair", "is not a pair of the account"))?;
    let id = free_id(&JsonRecord::new(), &state.store.smart_trades);
    let id = id.ok().ok_or_else(|| ApiError::invalid_field("base", "no id is free"))?;
    let now = state.clock.tick();
    let new = New { id, given, quote: &quote, is_futures, now: &now, first_step: 1 };
    let record = new.record(reference);
    let body = SerializedBody::serialize(&record);
    state.store.smart_trades.insert(id, record);
    start(state, id);
    Ok(body)
}

/// Fails if an input breaks a rule. What exceeds the limits of the exchange is a 422, all else a 400.
pub(super) fn check(request: &RequestBuilder) -> Result<(), ApiError> {
    let violations: Vec<Violation> = request.type_violations().into_iter().chain(request.violations()).collect();
    if violations.is_empty() {
        return Ok(());
    }
    if violations.iter().all(|violation| violation.message.contains("must add up to 100")) {
        return Err(ApiError::state_invalid("take_profit", "is invalid"));
    }
    let mut attributes = Map::new();
    for violation in violations {
        let messages = attributes.entry(in_brackets(&violation.field)).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(messages) = messages {
            messages.push(Value::from(violation.plain_message()));
        }
    }
    Err(ApiError::record_invalid(attributes))
}

/// Returns a path as the errors of the service have it: `position[units][value]`.
fn in_brackets(path: &str) -> String {
    let mut parts = path.split('.');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |path, part| match part.split_once('[') {
        Some((name, place)) => format!("{path}[{name}][{place}"),
        None => format!("{path}[{part}]"),
    })
}

/// Goes on with a new SmartTrade, as the service does.
fn start(state: &mut State, id: u64) {
    state.change_smart_trade(id, |trade, _, circumstances| smart_trade_life::start(trade, circumstances));
    state.visit_smart_trade(id);
    state.change_smart_trade(id, |trade, _, circumstances| figures::write(trade, circumstances.quote));
}

/// A SmartTrade to create, or the parts of one that an edit replaces.
pub(super) struct New<'a> {
    pub(super) id: u64,
    pub(super) given: &'a JsonRecord,
    pub(super) quote: &'a PairQuote,
    pub(super) is_futures: bool,
    pub(super) now: &'a Value,
    /// The number of its first take-profit step.
    pub(super) first_step: u64,
}

impl New<'_> {
    fn record(&self, account: JsonRecord) -> JsonRecord {
        let note = string(self.given, "note");
        let mut record = object! {
            "id": self.id,
            "version": 2,
            "account": account,
            "pair": self.quote.pair.as_str(),
            "instant": is_true(self.given, "instant"),
            "status": status("created"),
            "leverage": self.leverage(),
            "position": self.position(),
            "take_profit": self.take_profit(),
            "stop_loss": self.stop_loss(),
            "reduce_funds": object! { "steps": Vec::<Value>::new() },
            "market_close": JsonRecord::new(),
            "note": note,
            "note_raw": Some(note).filter(|note| !note.is_empty()),
            "skip_enter_step": is_true(self.given, "skip_enter_step"),
            "data": self.data(),
            "profit": object! { "volume": Value::Null, "usd": Value::Null, "percent": "0.0", "roe": Value::Null },
            "margin": object! { "amount": Value::Null, "total": Value::Null },
            "is_position_not_filled": true,
        };
        figures::write(&mut record, self.quote);
        record
    }

    fn value(&self, path: &str) -> Option<&Value> {
        nested(self.given, path).filter(|value| !value.is_null())
    }

    fn is_on(&self, path: &str) -> bool {
        self.value(path) == Some(&Value::Bool(true))
    }

    fn part(&self, path: &str) -> JsonRecord {
        self.value(path).and_then(Value::as_object).cloned().unwrap_or_default()
    }

    /// Leverage on an account without it is dropped silently.
    pub(super) fn leverage(&self) -> JsonRecord {
        if !self.is_futures || !self.is_on("leverage.enabled") {
            return object! { "enabled": false };
        }
        object! {
            "enabled": true,
            "type": self.value("leverage.type").cloned().unwrap_or_else(|| Value::from("cross")),
            "value": self.value("leverage.value").cloned().unwrap_or_else(|| Value::from(1)),
            "type_editable": true,
        }
    }

    fn position(&self) -> JsonRecord {
        let (side, order_type) =
            (nested_string(self.given, "position.type"), nested_string(self.given, "position.order_type"));
        let trigger = nested_number(self.given, "position.conditional.price.value");
        let limit = self.value("position.price.value").map(|_| nested_number(self.given, "position.price.value"));
        let otherwise = if order_type == "conditional" { trigger.clone() } else { self.quote.price.clone() };
        let price = limit.unwrap_or(otherwise);
        let units = nested_number(self.given, "position.units.value");
        let skips = is_true(self.given, "skip_enter_step");
        let mut position = object! {
            "type": side,
            "editable": skips,
            "units": object! { "value": text(&units), "editable": false },
            "price": object! {
                "value": text(&price),
                "value_without_commission": (!skips).then(|| text(&price)),
                "editable": true,
            },
            "total": object! { "value": text(&(&units * &price)) },
            "order_type": order_type,
            "status": order_status("to_process"),
        };
        if order_type == "conditional" {
            position.extend(object! { "conditional": self.conditional(side) });
        }
        position
    }

    /// Returns the condition of the entry.
    pub(super) fn conditional(&self, side: &str) -> JsonRecord {
        let trigger = nested_number(self.given, "position.conditional.price.value");
        let followed = self.value("position.conditional.price.type").cloned();
        let usual = Value::from(if side == "sell" { "bid" } else { "ask" });
        object! {
            "editable": true,
            "order_type": self.value("position.conditional.order_type").cloned(),
            "price": object! { "value": text(&trigger), "type": followed.unwrap_or(usual) },
            "trailing": trailing(&self.part("position.conditional.trailing")),
        }
    }

    pub(super) fn take_profit(&self) -> JsonRecord {
        let is_on = self.is_on("take_profit.enabled");
        let given = self.value("take_profit.steps").and_then(Value::as_array).filter(|_| is_on);
        let given = given.into_iter().flatten().filter_map(Value::as_object);
        let steps: Vec<_> = given.zip(1_u64..).map(|(step, number)| Value::Object(self.step(step, number))).collect();
        let in_percent =
            steps.iter().any(|step| step.pointer("/price/percent").is_some_and(|percent| !percent.is_null()));
        object! { "enabled": is_on, "price_type": if in_percent { "percentage" } else { "value" }, "steps": steps }
    }

    fn step(&self, given: &JsonRecord, number: u64) -> JsonRecord {
        object! {
            "id": OrderId::Step(self.first_step - 1 + number).of(self.id),
            "order_type": string(given, "order_type"),
            "editable": true,
            "units": object! { "value": Value::Null },
            "price": object! {
                "type": followed(given, "price.type"),
                "value": digits(given, "price.value"),
                "percent": digits(given, "price.percent"),
            },
            "volume": digits(given, "volume"),
            "total": Value::Null,
            "trailing": trailing(&nested(given, "trailing").and_then(Value::as_object).cloned().unwrap_or_default()),
            "status": order_status("idle"),
            "closed_at": Value::Null,
            "data": object! { "cancelable": true, "panic_sell_available": false },
            "position": number,
        }
    }

    pub(super) fn stop_loss(&self) -> JsonRecord {
        let given = self.part("stop_loss");
        if !is_true(&given, "enabled") {
            return object! { "enabled": false };
        }
        let is_on = |path: &str| nested(&given, path) == Some(&Value::Bool(true));
        let in_percent = nested(&given, "conditional.price.percent").is_some_and(|percent| !percent.is_null());
        let seconds = nested(&given, "timeout.value").filter(|_| is_on("timeout.enabled")).cloned();
        object! {
            "enabled": true,
            "price_type": if in_percent { "percentage" } else { "value" },
            "breakeven": is_true(&given, "breakeven"),
            "order_type": string(&given, "order_type"),
            "editable": true,
            "price": object! { "value": digits(&given, "price.value"), "percent": Value::Null },
            "conditional": object! {
                "price": object! {
                    "value": digits(&given, "conditional.price.value"),
                    "type": followed(&given, "conditional.price.type"),
                    "percent": digits(&given, "conditional.price.percent"),
                },
                "trailing": object! { "enabled": is_on("conditional.trailing.enabled"), "percent": Value::Null },
            },
            "timeout": object! { "enabled": is_on("timeout.enabled"), "value": seconds },
            "status": order_status("idle"),
        }
    }

    fn data(&self) -> JsonRecord {
        let mut data = Allowed::of("created").fields(false);
        data.extend(object! {
            "current_price": figures_of_day(self.quote),
            "target_price_type": "price",
            "orderbook_price_currency": self.quote.pair.split('_').next(),
            "base_order_finished": true,
            "missing_funds_to_close": "0.0",
            "liquidation_price": Value::Null,
            "average_enter_price": Value::Null,
            "average_close_price": Value::Null,
            "average_enter_price_without_commission": Value::Null,
            "average_close_price_without_commission": Value::Null,
            "finished": false,
            "base_position_step_finished": false,
            "entered_amount": "0.0",
            "entered_total": "0.0",
            "closed_amount": "0.0",
            "closed_total": "0.0",
            "commission": COMMISSION,
            "created_at": self.now.clone(),
            "updated_at": self.now.clone(),
            "type": self.kind(),
        });
        data
    }

    /// Returns the kind, which no request says.
    fn kind(&self) -> &'static str {
        let is_short = nested_string(self.given, "position.type") == "sell";
        match (is_true(self.given, "instant"), is_true(self.given, "skip_enter_step"), is_short) {
            (true, _, false) => "simple_buy",
            (true, _, true) => "simple_sell",
            (_, true, false) => "smart_sell",
            (_, true, true) => "smart_buy",
            (_, _, false) => "smart_trade",
            (_, _, true) => "smart_cover",
        }
    }
}

/// Returns the price that a trigger follows.
fn followed(given: &JsonRecord, path: &str) -> Value {
    nested(given, path).filter(|value| !value.is_null()).cloned().unwrap_or_else(|| Value::from("last"))
}

fn trailing(given: &JsonRecord) -> JsonRecord {
    let is_on = is_true(given, "enabled");
    object! { "enabled": is_on, "percent": if is_on { digits(given, "percent") } else { Value::Null } }
}
