//! The operations on exchange accounts.

use std::borrow::Cow;

use serde_json::Value;

use super::additions::{NamedValue, free_id, parse_fields};
use super::balance::Balance;
use super::balances::{self, VALUE_FIELDS};
use super::defaults::{self, object};
use super::exchanges::{self, EXCHANGES, ExchangeType};
use super::funds::GivenBalances;
use super::inputs::{self, ValidationErrors};
use super::operations;
use super::random;
use super::record::{JsonRecord, string};
use super::record_type::RecordType;
use super::resource::{Resource, table};
use super::route::{Handler, RequestParams};
use super::saved::{self, Document, Problem, load_holdings, save_holdings};
use super::seed::{SeedOptions, SeedRecords, default_dca_bots, seed_accounts};
use super::state::State;
use super::store::Store;
use super::{
    account_edits, account_sales, account_summary, active_entities, balance_history, balance_rows, dust, volumes,
};
use botdesk_api::accounts::{Account, AccountAdd, AccountType, DepositQuery, NetworksQuery, TypesQuery, UNAVAILABLE};
use botdesk_schema::decimal;
use botdesk_schema::input::{InputName, RequestBuilder, Violation};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The default exchange type of an account.
const DEFAULT_EXCHANGE: &str = "demo_spot";

/// The exchange accounts.
pub(super) struct Accounts;

/// The handlers by verb. The other operations have defaults.
pub(super) const HANDLERS: &[(&str, Handler)] = &[
    ("get", get),
    ("types_to_connect", types_to_connect),
    ("active_trading_entities", active_entities::active_trading_entities),
    ("balance_chart_data", balance_history::balance_chart_data),
    ("pie_chart_data", balance_rows::pie_chart_data),
    ("table_data", balance_rows::table_data),
    ("daily_volume", volumes::daily_volume),
    ("monthly_volume", volumes::monthly_volume),
    ("total_volume", volumes::total_volume),
    ("add", add),
    ("edit", account_edits::edit),
    ("rename", rename),
    ("sell_all_to_btc", account_sales::sell_all_to_btc),
    ("sell_all_to_usd", account_sales::sell_all_to_usd),
    ("convert_dust_to_bnb", dust::convert_dust_to_bnb),
    ("remove", remove),
    ("load_balances", load_balances),
    ("networks_info", networks_info),
    ("deposit_data", deposit_data),
    ("leverage_data", leverage_data),
];

impl Resource for Accounts {
    table!(accounts);

    fn record(&self) -> RecordType {
        RecordType::of::<Account>("an account")
    }

    /// Returns an account with its value at the current prices.
    fn current<'a>(&self, state: &'a State, id: u64) -> Option<Cow<'a, JsonRecord>> {
        state.valued_account(id).map(Cow::Owned)
    }

    fn seed(&self, options: &SeedOptions, records: &mut SeedRecords) {
        // The accounts do not depend on the number of bots.
        seed_accounts(options, &default_dca_bots(options.seed), records);
    }

    /// Adds an account. With `balances` it has these, and no order on it can cost more.
    fn add(&self, state: &mut State, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let one = |violation| vec![violation];
        let (balances, given): (Vec<_>, Vec<_>) = given.into_iter().partition(|(name, _)| name == BALANCES);
        let balances =
            balances.into_iter().next().map(|(_, balances)| read_balances(balances)).transpose().map_err(one)?;
        let given = parse_fields(self.record(), given)?;
        if let Some(field) = VALUE_FIELDS.iter().find(|field| balances.is_some() && given.contains_key(**field)) {
            return Err(one(Violation::new(*field, "follows from balances; pass one of the two")));
        }
        let id = free_id(&given, &state.store.accounts).map_err(one)?;
        let record = self.new_record(state, id, given).map_err(one)?;
        state.store.accounts.insert(id, record);
        if let Some(balances) = balances {
            state.give_account(id, &balances);
        }
        Ok(id)
    }

    fn new_record(&self, state: &mut State, id: u64, given: JsonRecord) -> Result<JsonRecord, Violation> {
        let code = Some(string(&given, "market_code")).filter(|code| !code.is_empty()).unwrap_or(DEFAULT_EXCHANGE);
        let mut account = exchanges::new_account(id, code, &random::secret(state.seed, id, "api_key"));
        account.extend(state.creation_times());
        if VALUE_FIELDS.iter().any(|field| given.contains_key(*field)) {
            state.given_values.insert(id);
        }
        account.extend(given);
        Ok(account)
    }

    fn save_more(&self, state: &State, document: &mut Document) {
        if !state.given_values.is_empty() {
            document.insert(GIVEN_VALUES.to_owned(), state.given_values.iter().copied().collect());
        }
        save_holdings(state, document);
    }

    fn load_more(&self, state: &mut State, document: &mut Document) -> Result<(), Problem> {
        for (at, id) in saved::take(document, GIVEN_VALUES)? {
            if !state.store.accounts.contains_key(&id) {
                return Err(format!("{at}: no account has the id {id}"));
            }
            state.given_values.insert(id);
        }
        load_holdings(state, document)
    }
}

/// The name of the balances of an account that is added.
const BALANCES: &str = "balances";

/// Reads the balances of an account that is added: an object with an amount of each currency.
fn read_balances(given: Result<Value, String>) -> Result<GivenBalances, Violation> {
    let given = given.map_err(|message| Violation::new(BALANCES, message))?;
    let Value::Object(given) = given else {
        let message = format!("must have an amount of each currency, such as {{\"USDT\": \"10000\"}}, not {given}");
        return Err(Violation::new(BALANCES, message));
    };
    let amount = |(code, amount): (String, Value)| match decimal::of(&amount) {
        Some(amount) => Ok((code, amount)),
        None => Err(Violation::new(BALANCES, format!("the amount of {code} must be a number, not {amount}"))),
    };
    GivenBalances::new(BALANCES, given.into_iter().map(amount).collect::<Result<Vec<_>, _>>()?)
}

/// The list of the accounts that were added with a value, in a state file.
const GIVEN_VALUES: &str = "accounts_with_given_values";

/// Returns an account, or the summary of the accounts.
fn get(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let account = match params.id() {
        Some(id) => state.valued_account(id).ok_or_else(|| params.not_found())?,
        None => account_summary::summary(state),
    };
    Ok(SerializedBody::serialize(&account))
}

/// Returns the account types of an exchange: those whose codes begin like the given one.
fn types_to_connect(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let [code, api_key] = [TypesQuery::r#type, TypesQuery::api_key].map(|input| string_input(&query, input));
    if ExchangeType::of_code(code).is_none() {
        return Err(ApiError::invalid_field(TypesQuery::r#type.as_str(), "does not have a valid value"));
    }
    let family = |code: &'static str| code.split('_').next();
    let types = EXCHANGES.iter().filter(|exchange| family(exchange.code) == code.split('_').next());
    let accounts = &state.store.accounts;
    let is_connected = |exchange: &ExchangeType| {
        let has = |account: &JsonRecord, field: &str, value: &str| string(account, field) == value;
        accounts.values().any(|one| has(one, "market_code", exchange.code) && has(one, "api_key", api_key))
    };
    let record = |exchange: &ExchangeType| {
        let mut record = defaults::sample::<AccountType>();
        record.extend(object! { "type": exchange.code, "connected": is_connected(exchange) });
        record
    };
    Ok(SerializedBody::serialize(&types.map(record).collect::<Vec<_>>()))
}

fn string_input(request: &RequestBuilder, name: InputName) -> &str {
    request.value(name).and_then(Value::as_str).unwrap_or_default()
}

fn add(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let given = inputs::parse(AccountAdd::INPUTS, params)?;
    let request = RequestBuilder::for_http(AccountAdd::INPUTS, given.clone());
    let mut errors = ValidationErrors::check(AccountAdd::INPUTS, &given, &request);
    check_exchange_inputs(&mut errors, &request);
    check_not_connected(&mut errors, &request, state);
    errors.into_result()?;
    let mut created = vec![create_account(state, &request, string_input(&request, AccountAdd::r#type))];
    for related in request.elements(AccountAdd::types_to_create) {
        created.push(create_account(state, &request, related.as_str().unwrap_or_default()));
    }
    Ok(SerializedBody::serialize(&created.first()))
}

/// Some exchanges require a customer id or a passphrase.
fn check_exchange_inputs(errors: &mut ValidationErrors, request: &RequestBuilder) {
    let exchange = ExchangeType::of_code(string_input(request, AccountAdd::r#type));
    let missing =
        exchange.and_then(|exchange| exchange.required_input).filter(|input| string_input(request, *input).is_empty());
    if let Some(row) = missing.and_then(|input| AccountAdd::INPUTS.get(input)) {
        errors.add(row.wire, "is required");
    }
}

fn check_not_connected(errors: &mut ValidationErrors, request: &RequestBuilder, state: &State) {
    let api_key = string_input(request, AccountAdd::api_key);
    if !api_key.is_empty() && state.store.accounts.values().any(|account| string(account, "api_key") == api_key) {
        errors.add("api_key", "This account is already connected");
    }
}

/// Creates an account of an exchange type with the given inputs.
fn create_account(state: &mut State, request: &RequestBuilder, code: &str) -> JsonRecord {
    let id = state.store.accounts.last_key_value().map_or(1, |(id, _)| id + 1);
    let [name, api_key] = [AccountAdd::name, AccountAdd::api_key].map(|input| string_input(request, input));
    let mut account = exchanges::new_account(id, code, api_key);
    let now = state.clock.tick();
    let customer_id = request.value(AccountAdd::customer_id).cloned();
    account.extend(object! { "name": name, "customer_id": customer_id, "created_at": now.clone(), "updated_at": now });
    state.store.accounts.insert(id, account.clone());
    account
}

/// Renames an account, also in the records of its bots.
fn rename(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    operations::merge(&Accounts, state, params)?;
    state.copy_account_name(params.id().unwrap_or_default());
    get(state, params)
}

/// Removes an account without active entities, and with it the bots and trades that it has.
fn remove(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = params.id_in(&state.store.accounts)?;
    state.write_history();
    if active_entities::has_any(state, id) {
        return Err(ApiError::account_not_deletable());
    }
    state.clock.tick();
    state.store.accounts.remove(&id);
    state.given_values.remove(&id);
    state.holdings.remove(&id);
    state.limited_accounts.remove(&id);
    state.dust_conversions.remove(&id);
    let is_gone = |record: &JsonRecord| active_entities::account_of(record) == Some(id);
    let Store { dca_bots, deals, grid_bots, smart_trades, .. } = &mut state.store;
    let bots: Vec<u64> = dca_bots.iter().filter(|(_, bot)| is_gone(bot)).map(|(id, _)| *id).collect();
    let grids: Vec<u64> = grid_bots.iter().filter(|(_, bot)| is_gone(bot)).map(|(id, _)| *id).collect();
    for bot in &bots {
        dca_bots.remove(bot);
        let finished = state.dca_bot_states.remove(bot).map(|bot| bot.finished).unwrap_or_default();
        deals.retain(|id, _| !finished.contains(id));
    }
    grid_bots.retain(|_, bot| !is_gone(bot));
    smart_trades.retain(|_, trade| !is_gone(trade));
    for grid in grids {
        state.forget_grid(grid);
        state.grid_histories.remove(&grid);
    }
    Ok(SerializedBody::serialize(&true))
}

fn load_balances(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = params.id().unwrap_or_default();
    let value = balances::value_fields(&state.loaded_ledger(id), &state.market);
    let (account, clock) = state.account(params.id())?;
    if account.get("api_key_invalid") == Some(&Value::Bool(true)) {
        return Err(ApiError::invalid_exchange_key());
    }
    account.extend(value);
    account.insert("updated_at".to_owned(), clock.tick());
    let body = SerializedBody::serialize(account);
    state.given_values.remove(&id);
    Ok(body)
}

/// Returns the exchange type of an account; fails if it has no networks.
fn exchange_with_networks(state: &mut State, id: Option<u64>) -> Result<&'static ExchangeType, ApiError> {
    let (account, _) = state.account(id)?;
    let exchange = ExchangeType::of_code(string(account, "market_code")).filter(|exchange| exchange.has_networks);
    exchange.ok_or_else(|| ApiError::refused(403, UNAVAILABLE))
}

fn networks_info(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    if exchange_with_networks(state, params.id())?.lists_one_network {
        let query = inputs::validated(DepositQuery::INPUTS, params)?;
        let (currency, network) = currency_and_network(&query);
        return Ok(SerializedBody::serialize(&exchanges::network(currency, network)));
    }
    let query = inputs::validated(NetworksQuery::INPUTS, params)?;
    let purpose = query.value(NetworksQuery::purpose).and_then(Value::as_str);
    Ok(SerializedBody::serialize(&exchanges::networks(purpose)))
}

fn currency_and_network(query: &RequestBuilder) -> (&str, &str) {
    (string_input(query, DepositQuery::currency), string_input(query, DepositQuery::network))
}

fn deposit_data(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    exchange_with_networks(state, params.id())?;
    let query = inputs::validated(DepositQuery::INPUTS, params)?;
    let (currency, network) = currency_and_network(&query);
    let id = params.id().unwrap_or_default();
    let mut data = exchanges::deposit_address(state.seed, id, currency, network).map_err(ApiError::exchange_error)?;
    let balances = state.exchange_balances(id);
    let balance = balances.iter().find(|balance| balance.code == currency);
    data.extend(balance.map_or_else(balances::no_deposit_fields, Balance::deposit_fields));
    Ok(SerializedBody::serialize(&data))
}

fn leverage_data(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (account, _) = state.account(params.id())?;
    let query = inputs::validated(params.inputs(), params)?;
    let leverage = exchanges::leverage(string(account, "market_code"));
    Ok(SerializedBody::serialize(&operations::page(&query, leverage.iter()).collect::<Vec<_>>()))
}
