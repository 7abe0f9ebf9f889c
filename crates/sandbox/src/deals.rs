//! The deals of DCA bots.

use std::sync::Arc;

use serde_json::Value;

use super::additions::{NamedValue, given_price, id_taken, parse_fields, parse_id};
use super::deal_actions;
use super::deal_conversion;
use super::deal_edits;
use super::deal_reads;
use super::listings::{PairQuote, check_price};
use super::market::{balance, milliseconds, new_record};
use super::operations;
use super::record::{JsonRecord, integer, is_true, list, string};
use super::record_type::RecordType;
use super::resource::{PageTable, Resource, table};
use super::route::{Handler, RequestParams};
use super::saved::{Document, Problem};
use super::state::{DealState, State};
use botdesk_api::deals::Deal;
use botdesk_planning::engine_config::deal_config;
use botdesk_schema::input::Violation;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{self, Market};

/// The field with the price at which a deal was opened.
const BASE_PRICE: &str = "base_order_average_price";

/// The fields that can set the price of a new pair.
const PRICES: [&str; 2] = ["current_price", BASE_PRICE];

/// The statuses of deals that are not over.
const UNFINISHED: [&str; 6] = [
    "base_order_placed",
    "bought",
    "ttp_order_placed",
    "close_strategy_activated",
    "panic_sell_pending",
    "cancel_pending",
];

/// The deals of DCA bots, open and finished.
pub(super) struct Deals;

/// The handlers by verb. The other operations have defaults.
pub(super) const HANDLERS: &[(&str, Handler)] = &[
    ("list", list_deals),
    ("get", deal_reads::get),
    ("orders", deal_reads::orders),
    ("data_for_adding_funds", deal_reads::data_for_adding_funds),
    ("edit", edit),
    ("close", deal_actions::close),
    ("close_step", deal_actions::close_step),
    ("cancel", deal_actions::cancel),
    ("set_max_safety_orders", deal_actions::set_max_safety_orders),
    ("add_funds", deal_actions::add_funds),
    ("cancel_order", deal_actions::cancel_order),
    ("convert_to_smart_trade", deal_conversion::convert),
];

impl Resource for Deals {
    table!(deals);

    fn record(&self) -> RecordType {
        RecordType::of::<Deal>("a deal")
    }

    fn matches(&self, record: &JsonRecord, filter: &str, value: &Value) -> Option<bool> {
        let value = value.as_str()?;
        match (filter, value) {
            ("scope", "null") => Some(true),
            ("scope", "active") => Some(UNFINISHED.contains(&string(record, "status"))),
            ("scope", "finished") => Some(!UNFINISHED.contains(&string(record, "status"))),
            ("scope", status) => Some(string(record, "status") == status),
            ("note", text) => Some(string(record, "note").to_lowercase().contains(&text.to_lowercase())),
            _ => None,
        }
    }

    fn sort_field<'a>(&self, record: &JsonRecord, key: &'a str) -> &'a str {
        match (key, is_true(record, "finished?")) {
            ("profit", true) => "final_profit",
            ("profit", false) => "actual_profit",
            ("profit_percentage", true) => "final_profit_percentage",
            ("profit_percentage", false) => "actual_profit_percentage",
            (field, _) => field,
        }
    }

    fn stores(&self, input: &str) -> bool {
        input != deal_edits::TIMEOUT
    }

    /// Lets the engine read the bot of an edited deal again.
    fn after_edit(&self, state: &mut State, id: u64, _at: &Value) {
        let bot = state.store.deals.get(&id).and_then(|deal| u64::try_from(integer(deal, "bot_id")?).ok());
        if let Some(bot) = bot.and_then(|bot| state.dca_bot_states.get_mut(&bot)) {
            bot.engine = None;
        }
    }

    /// Writes nothing: state files have the deals in the entries of their bots.
    fn save(&self, _state: &State, _document: &mut Document) {}

    fn load(&self, _state: &mut State, _document: &mut Document) -> Result<(), Problem> {
        Ok(())
    }

    fn page_table(&self) -> Option<PageTable> {
        Some(PageTable {
            columns: &[
                "id",
                "bot_id",
                "bot_name",
                "pair",
                "status",
                "entry_price",
                "current_price",
                "take_profit_price",
                "stop_loss_price",
                "safety_orders",
                "profit",
            ],
            figures: &["entry_price", "current_price", "take_profit_price", "stop_loss_price", "profit"],
            is_in_quote_currency: true,
        })
    }

    fn page_records<'a>(&self, state: &'a State) -> Vec<&'a JsonRecord> {
        state.store.dca_bots.keys().flat_map(|bot| state.open_deals(*bot)).collect()
    }

    fn page_field(&self, record: &JsonRecord, column: &'static str) -> &'static str {
        match column {
            // A short deal begins with a sale.
            "entry_price" if string(record, "strategy") == "short" => "sold_average_price",
            "entry_price" => "bought_average_price",
            "safety_orders" => "completed_safety_orders_count",
            "profit" => "actual_profit",
            field => field,
        }
    }

    /// Adds a deal to its bot. One with `finished?` is among the finished ones.
    fn add(&self, state: &mut State, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let given = parse_fields(self.record(), given)?;
        let bot = integer(&given, "bot_id").and_then(|id| u64::try_from(id).ok());
        let known = bot.and_then(|id| Some((id, state.store.dca_bots.get(&id)?.clone())));
        let (bot, record) = known.ok_or_else(|| {
            let message = "must be the id of a DCA bot of the sandbox, which has the deal";
            vec![Violation::new("bot_id", message)]
        })?;
        let (deal, deal_record) = open_deal(state, &record, &given, &[]).map_err(|violation| vec![violation])?;
        let id = deal.id;
        if let Ok((mut bot, _)) = state.dca_bot(Some(bot)) {
            if is_true(&deal_record, "finished?") {
                bot.state.finished.push(id);
            } else {
                bot.state.deals.push(deal);
            }
            bot.deals.insert(id, deal_record);
            bot.update_deal_totals();
        }
        Ok(id)
    }
}

fn list_deals(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_history();
    operations::list(&Deals, state, params)
}

fn edit(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    deal_edits::edit(&Deals, state, params)
}

/// Opens deals of a new bot. An error is the index of the invalid deal, and the violation.
pub(super) fn open_deals(
    state: &mut State,
    bot: &JsonRecord,
    given: Vec<JsonRecord>,
) -> Result<Vec<(DealState, JsonRecord)>, (usize, Violation)> {
    let mut opened = Vec::new();
    for (index, given) in given.into_iter().enumerate() {
        opened.push(open_deal(state, bot, &given, &opened).map_err(|violation| (index, violation))?);
    }
    Ok(opened)
}

fn open_deal(
    state: &mut State,
    bot: &JsonRecord,
    given: &JsonRecord,
    earlier: &[(DealState, JsonRecord)],
) -> Result<(DealState, JsonRecord), Violation> {
    if given.contains_key("id") {
        state.write_history();
    }
    let id = given.get("id").map_or(Ok(state.next_deal), parse_id)?;
    if state.store.deals.contains_key(&id) || earlier.iter().any(|(deal, _)| deal.id == id) {
        return Err(id_taken(id));
    }
    let first_pair = list(bot, "pairs").first().and_then(Value::as_str).unwrap_or_default();
    let pair = if given.contains_key("pair") { string(given, "pair") } else { first_pair };
    if let Some((field, price)) = given_price(given, &[BASE_PRICE]) {
        check_price(field, &price)?;
    }
    let quote = state.quote_or_list(pair, given, &PRICES)?;
    state.next_deal = state.next_deal.max(id.saturating_add(1));
    Ok(deal_at(state, &quote, bot, id, given))
}

/// Opens a deal at the given price, or else at the market price, and moves it to the market price.
fn deal_at(state: &State, quote: &PairQuote, bot: &JsonRecord, id: u64, given: &JsonRecord) -> (DealState, JsonRecord) {
    let base_price = given_price(given, &[BASE_PRICE]).map(|(_, price)| price);
    let (now, market) = (state.clock.now(), quote.market(&state.costs));
    // A given average price has its fee in it.
    let fee = if base_price.is_some() { Decimal::ZERO } else { market.fee.clone() };
    let opening_market = Market { fee, ..market.clone() };
    let opening_quote = PairQuote { price: base_price.unwrap_or_else(|| quote.price.clone()), ..quote.clone() };
    let balance = balance(&state.store.accounts, bot, quote).into();
    let mut deal_state = DealState { id, ..DealState::default() };
    let mut record = new_record(bot, state.market_type(bot), id, &opening_quote, now);
    record.extend(given.clone());
    let price = (&opening_quote.price).into();
    let opening = engine::Quote { market: &opening_market, price: &price, balance: &balance };
    let config = Arc::new(deal_config(&record));
    if let Some((deal, _)) = engine::Deal::open(id, &config, &opening, milliseconds(now)) {
        record.insert(BASE_PRICE.to_owned(), deal.base_price.to_string().into());
        deal_state.write(&mut record, &deal, &opening_quote, &market, now);
    }
    // Given amounts replace the computed ones. Fields that depend on them are recalculated unless they are given, too.
    record.extend(given.clone());
    let deal = deal_state.read(&record, &market, &balance);
    deal_state.write(&mut record, &deal, quote, &market, now);
    record.extend(given.clone());
    (deal_state, record)
}
