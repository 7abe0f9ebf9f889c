//! The DCA bots, and the operations that act on their deals.

use bigdecimal::Zero;
use serde_json::Value;

use super::additions::{NamedValue, free_id, parse_fields};
use super::clock::timestamp;
use super::deals::{Deals, open_deals};
use super::defaults::object;
use super::inputs::{self, ParsedInputs, ValidationErrors};
use super::listings::check_pair;
use super::operations;
use super::random;
use super::record::{JsonRecord, integer, is_true, list, string};
use super::record_type::RecordType;
use super::resource::{PageTable, Resource, table};
use super::route::{Handler, RequestParams};
use super::saved::{Document, Problem, load_dca_bots, save_dca_bot};
use super::seed::{SeedOptions, SeedRecords, dca_bot_without_deals, seed_dca_bots};
use super::state::{BotWithDeals, DcaBotMut, DcaBotState, DealState, State};
use super::{blacklist, bot_deals, bot_lifecycle, statistics, strategies};
use botdesk_api::dca_bots::{DcaBot, DcaBotCreate, DcaBotEdit, DcaBotInputs, DcaBotShow, DealLimit, last_deviation};
use botdesk_schema::decimal;
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_schema::pair;
use botdesk_schema::values::Field;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The DCA bots.
pub(super) struct DcaBots;

/// The field with the open deals, which are records themselves.
const DEALS: &str = "active_deals";

/// The handlers by verb. The other operations have defaults.
pub(super) const HANDLERS: &[(&str, Handler)] = &[
    ("create", create),
    ("copy", bot_lifecycle::copy),
    ("enable", bot_lifecycle::enable),
    ("disable", disable),
    ("delete", bot_lifecycle::delete),
    ("close_all_deals", bot_deals::close_all_deals),
    ("cancel_all_deals", bot_deals::cancel_all_deals),
    ("start_deal", bot_deals::start_deal),
    ("strategies", strategies::list),
    ("blacklist", blacklist::blacklist),
    ("add_to_blacklist", blacklist::add),
    ("profit_by_day", statistics::profit_by_day),
    ("stats", statistics::stats),
    ("stats_by_date", statistics::stats_by_date),
    ("deals_stats", statistics::deals_stats),
];

impl Resource for DcaBots {
    table!(dca_bots);

    fn record(&self) -> RecordType {
        RecordType::of::<DcaBot>("a DCA bot")
    }

    fn template(&self) -> JsonRecord {
        dca_bot_without_deals()
    }

    fn show(&self, state: &State, id: u64, query: &RequestBuilder) -> Option<SerializedBody> {
        let bot = state.bot_with_deals(id)?;
        let events = state.dca_bot_states.get(&id).map(|state| state.events.as_slice()).unwrap_or_default();
        let bot_events = query.is_true(DcaBotShow::include_events).then_some(events);
        Some(SerializedBody::serialize(&BotWithDeals { bot_events, ..bot }))
    }

    fn matches(&self, record: &JsonRecord, filter: &str, value: &Value) -> Option<bool> {
        let enabled = match (filter, value.as_str()?) {
            ("scope", "enable" | "enabled") => true,
            ("scope", "disabled") => false,
            ("scope", _) => return Some(true),
            _ => return None,
        };
        Some(record.get("is_enabled") == Some(&Value::Bool(enabled)))
    }

    fn sort_field<'a>(&self, _record: &JsonRecord, key: &'a str) -> &'a str {
        if key == "profit" { "finished_deals_profit_usd" } else { key }
    }

    /// Replaces a null take profit with 0, which means the same if the bot uses steps.
    fn normalize_edit(&self, record: &JsonRecord, given: &mut ParsedInputs) {
        take_no_profit_beside_steps(given, list(record, "take_profit_steps"));
    }

    fn check_edit(&self, state: &State, record: &JsonRecord, request: &RequestBuilder, errors: &mut ValidationErrors) {
        const ACCOUNT: &str = "account_id";
        if !may_move_to_account(state, record, request) && !errors.has(ACCOUNT) {
            errors.add(ACCOUNT, "is not one of your accounts that may have DCA bots");
        }
        add_rules_of_the_service(request, errors);
    }

    /// Updates the account name with the account. Open deals stay on their account.
    fn complete_edit(
        &self,
        state: &State,
        current: &JsonRecord,
        edited: &mut JsonRecord,
        _request: &RequestBuilder,
    ) -> Result<(), ApiError> {
        strategies::write_as_returned(edited);
        update_derived_fields(edited);
        let is_moved = integer(edited, "account_id") != integer(current, "account_id");
        if let Some(account) = state.account_of(edited).filter(|_| is_moved) {
            edited.insert("account_name".to_owned(), account.get("name").cloned().unwrap_or_default());
        }
        Ok(())
    }

    fn after_edit(&self, state: &mut State, id: u64, at: &Value) {
        let Ok((mut bot, _)) = state.dca_bot(Some(id)) else { return };
        bot.add_event("Bot settings changed", at.clone());
        let name = bot.record.get("name").cloned().unwrap_or_default();
        for deal in bot.deals.values_mut().filter(|deal| deal.get("bot_id").and_then(Value::as_u64) == Some(id)) {
            deal.insert("bot_name".to_owned(), name.clone());
        }
    }

    fn seed(&self, options: &SeedOptions, records: &mut SeedRecords) {
        seed_dca_bots(options, records);
    }

    /// Writes each bot with its deals, its events and its timers.
    fn save(&self, state: &State, document: &mut Document) {
        let bot = |(id, record): (&u64, &JsonRecord)| save_dca_bot(state, self.record(), *id, record);
        document.insert(self.name().to_owned(), state.store.dca_bots.iter().map(bot).collect());
    }

    fn load(&self, state: &mut State, document: &mut Document) -> Result<(), Problem> {
        load_dca_bots(state, self.record(), self.name(), document)
    }

    fn page_table(&self) -> Option<PageTable> {
        Some(PageTable {
            columns: &[
                "id",
                "name",
                "is_enabled",
                "pairs",
                "active_deals_count",
                "finished_deals_count",
                "finished_deals_profit_usd",
                "active_deals_usd_profit",
            ],
            figures: &["finished_deals_profit_usd", "active_deals_usd_profit"],
            is_in_quote_currency: false,
        })
    }

    /// Adds a DCA bot with its open deals.
    fn add(&self, state: &mut State, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let (deals, given): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| name == DEALS);
        let given = parse_fields(self.record(), given)?;
        let one = |violation| vec![violation];
        let id = free_id(&given, &state.store.dca_bots).map_err(one)?;
        let mut record = self.new_record(state, id, given.clone()).map_err(one)?;
        let deals = deals.into_iter().next().map_or(Ok(Vec::new()), |(_, deals)| parse_deals(deals))?;
        let deals = open_deals(state, &record, deals).map_err(|(index, violation)| one(in_deal(index, violation)))?;
        let (deals, records): (Vec<_>, Vec<_>) = deals.into_iter().unzip();
        state.store.deals.extend(deals.iter().map(|deal: &DealState| deal.id).zip(records));
        let created = object! { "message": "Bot created", "created_at": timestamp(state.clock.now()) };
        let mut bot = DcaBotState { deals, events: vec![Value::Object(created)], ..DcaBotState::default() };
        DcaBotMut { record: &mut record, deals: &mut state.store.deals, state: &mut bot }.update_deal_totals();
        record.extend(given);
        state.store.dca_bots.insert(id, record);
        state.dca_bot_states.insert(id, bot);
        Ok(id)
    }

    fn new_record(&self, state: &mut State, id: u64, given: JsonRecord) -> Result<JsonRecord, Violation> {
        let mut record = self.template();
        record.extend(object! { "id": id, "url_secret": random::secret(state.seed, id, "url_secret") });
        record.extend(state.creation_times());
        record.extend(state.account_fields(&given)?);
        if !list(&given, "take_profit_steps").is_empty() {
            record.insert("take_profit".to_owned(), Value::Null);
        }
        record.extend(given);
        update_derived_fields(&mut record);
        let pairs = list(&record, "pairs");
        if pairs.is_empty() {
            return Err(Violation::new("pairs", "must have at least one pair, such as [\"USDT_BTC\"]"));
        }
        pairs.iter().try_for_each(|pair| check_pair("pairs", pair.as_str().unwrap_or_default()))?;
        match pair::several_quotes(pairs.iter().filter_map(Value::as_str)) {
            Some(message) => Err(Violation::new("pairs", message)),
            None => Ok(record),
        }
    }
}

/// Creates a disabled bot.
fn create(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let mut given = inputs::parse(DcaBotCreate::INPUTS, params)?;
    let is_given = |given: &ParsedInputs, input| given.iter().any(|(name, _)| *name == input);
    if !is_given(&given, DcaBotInputs::take_profit) {
        given.push((DcaBotInputs::take_profit, Field::Null));
    }
    take_no_profit_beside_steps(&mut given, &[]);
    let request = RequestBuilder::for_http(DcaBotCreate::INPUTS, given.clone());
    let mut errors = ValidationErrors::check(DcaBotCreate::INPUTS, &given, &request);
    add_rules_of_the_service(&request, &mut errors);
    errors.into_result()?;
    let account = request.value(DcaBotCreate::account_id).and_then(Value::as_u64);
    let account = account.and_then(|id| state.store.accounts.get(&id));
    let account = account.filter(|account| is_true(account, "bots_allowed")).ok_or_else(|| params.not_found())?;
    let account_name = string(account, "name").to_owned();
    let mut record = DcaBots.template();
    record.extend(bot_lifecycle::defaults_of_a_new_bot());
    operations::apply(&DcaBots, &mut record, &given, &request);
    strategies::write_as_returned(&mut record);
    record.extend(object! { "account_name": account_name });
    update_derived_fields(&mut record);
    let id = bot_lifecycle::next_id(state)?;
    bot_lifecycle::insert_new(state, id, record);
    let created = state.store.dca_bots.get(&id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(created))
}

/// Replaces a take profit that is null or absent with 0, which means the same, if the bot uses steps: those of the request, or else
/// the current ones.
fn take_no_profit_beside_steps(given: &mut ParsedInputs, current: &[Value]) {
    let steps = match given.iter().find(|(name, _)| *name == DcaBotInputs::take_profit_steps) {
        Some((_, Field::Value(steps))) => steps.as_array().map(Vec::as_slice).unwrap_or_default(),
        Some(_) => &[],
        None => current,
    };
    if steps.is_empty() {
        return;
    }
    for (name, value) in given {
        if *name == DcaBotInputs::take_profit && *value == Field::Null {
            *value = Field::Value(Value::from("0"));
        }
    }
}

/// Adds the violations of rules that only botdesk's own tables have, although the service has them too.
fn add_rules_of_the_service(request: &RequestBuilder, errors: &mut ValidationErrors) {
    const STOP_LOSS: &str = "stop_loss_percentage";
    const MOST_DEALS: &str = "max_active_deals";
    const STEPS: &str = "custom_safety_steps";
    // The service also refuses what these own rules warn of.
    for violation in request.violations().iter().filter(|violation| violation.is_own) {
        match violation.field.as_str() {
            MOST_DEALS if !errors.has(MOST_DEALS) => {
                let most = DealLimit::of(request).map_or(1, DealLimit::most);
                errors.add(MOST_DEALS, &format!("must be less than or equal to {most}"));
            }
            STEPS => errors.add(STEPS, violation.plain_message()),
            _ => {}
        }
    }
    if errors.has(STOP_LOSS)
        && let Some(last) = deviation_past_stop_loss(request)
    {
        errors.replace(STOP_LOSS, &format!("Stop Loss should be below the last safety order ({last})"));
    }
}

/// Parses the deals of a new bot.
fn parse_deals(deals: Result<Value, String>) -> Result<Vec<JsonRecord>, Vec<Violation>> {
    let violation = |message: &str| vec![Violation::new(DEALS, message)];
    let no_deals = || violation("must be a list of objects with fields of a deal");
    let Value::Array(deals) = deals.map_err(|message| violation(&message))? else {
        return Err(no_deals());
    };
    let objects = deals.into_iter().map(|deal| match deal {
        Value::Object(deal) => Ok(deal.into_iter().map(|(name, value)| (name, Ok(value))).collect()),
        _ => Err(no_deals()),
    });
    let objects: Vec<Vec<NamedValue>> = objects.collect::<Result<_, _>>()?;
    let parse = |(index, deal)| {
        let in_deal = |found: Vec<_>| found.into_iter().map(|violation| in_deal(index, violation)).collect();
        parse_fields(Deals.record(), deal).map_err(in_deal)
    };
    objects.into_iter().enumerate().map(parse).collect()
}

/// Prefixes the field of a violation with the index of its deal.
fn in_deal(index: usize, violation: Violation) -> Violation {
    Violation { field: format!("{DEALS}[{index}].{}", violation.field), ..violation }
}

/// Returns whether a bot may move to the account that an edit names.
///
/// The API reference has no rule for it, so any account of the user that allows DCA bots is valid.
fn may_move_to_account(state: &State, record: &JsonRecord, request: &RequestBuilder) -> bool {
    if !request.is_given(DcaBotEdit::account_id) {
        return true;
    }
    let id = request.value(DcaBotEdit::account_id).and_then(Value::as_i64);
    let account = id.and_then(|id| state.store.accounts.get(&u64::try_from(id).ok()?));
    id.is_some() && id == integer(record, "account_id")
        || account.is_some_and(|account| is_true(account, "bots_allowed"))
}

/// Returns the deviation of the last safety order, such as `7.0`, if the stop loss is not below it.
fn deviation_past_stop_loss(request: &RequestBuilder) -> Option<String> {
    let stop_loss = request.number(DcaBotInputs::stop_loss_percentage)?;
    let last = last_deviation(request).filter(|last| stop_loss <= *last)?;
    let percent = last.normalized().to_plain_string();
    Some(if percent.contains('.') { percent } else { format!("{percent}.0") })
}

fn disable(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (mut bot, clock) = state.dca_bot(params.id())?;
    bot.set("is_enabled", false);
    bot.add_event("Bot disabled", clock.tick());
    with_deals(state, params)
}

fn with_deals(state: &State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let bot = params.id().and_then(|id| state.bot_with_deals(id)).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&bot))
}

/// Updates the fields that depend on others.
fn update_derived_fields(record: &mut JsonRecord) {
    let length = |field: &str| record.get(field).and_then(Value::as_array).map_or(0, Vec::len);
    let take_profit = decimal::parse(string(record, "take_profit"));
    let steps_are_used = length("take_profit_steps") > 0 && take_profit.is_none_or(|percent| percent.is_zero());
    let several_pairs = length("pairs") > 1;
    if steps_are_used {
        record.insert("take_profit".to_owned(), Value::Null);
    }
    if several_pairs {
        record.insert("type".to_owned(), Value::from("Bot::MultiBot"));
        let per_pair = record.entry("allowed_deals_on_same_pair").or_insert(Value::Null);
        if per_pair.is_null() {
            *per_pair = Value::from(1);
        }
    }
}
