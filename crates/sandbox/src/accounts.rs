//! What the operations on exchange accounts do.

use serde_json::Value;

use super::defaults::{self, object};
use super::exchanges::{self, Exchange};
use super::inputs::{self, Complaints};
use super::record::{Record, text};
use super::route::{Asked, Route};
use super::state::World;
use botdesk_api::account::{
    ADD, Account, AccountAdd, AccountRename, DEPOSIT_DATA, DepositQuery, LEVERAGE_DATA, LOAD_BALANCES, LeverageQuery,
    NETWORKS_INFO, NetworksQuery, RENAME,
};
use botdesk_api::input::RequestBuilder;
use botdesk_server::answer::{Refusal, Told};

/// The operations on exchange accounts.
pub(super) const ROUTES: &[Route] = &[
    Route { endpoint: ADD, handler: add },
    Route { endpoint: RENAME, handler: rename },
    Route { endpoint: LOAD_BALANCES, handler: load_balances },
    Route { endpoint: NETWORKS_INFO, handler: networks_info },
    Route { endpoint: DEPOSIT_DATA, handler: deposit_data },
    Route { endpoint: LEVERAGE_DATA, handler: leverage_data },
];

/// How many kinds of leverage a page has.
const PAGE: usize = 50;

fn word(draft: &RequestBuilder, index: usize) -> &str {
    draft.value(index).and_then(Value::as_str).unwrap_or_default()
}

/// An account that was just connected: its balances are not loaded yet.
pub(super) fn connected(id: u64, code: &str, api_key: &str) -> Record {
    let mut account = defaults::sample::<Account>();
    exchanges::describe(&mut account, code);
    account.extend(object! { "id": id, "api_key": api_key });
    account
}

fn add(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let given = inputs::parse(AccountAdd::INPUTS, asked)?;
    let draft = RequestBuilder::for_http(AccountAdd::INPUTS, given.clone());
    let mut complaints = Complaints::about(AccountAdd::INPUTS, &given, &draft);
    complain_of_exchange(&mut complaints, &draft);
    complain_of_connected(&mut complaints, &draft, world);
    complaints.refuse()?;
    let mut made = vec![account(world, &draft, word(&draft, AccountAdd::r#type as usize))];
    for related in draft.elements(AccountAdd::types_to_create as usize) {
        made.push(account(world, &draft, related.as_str().unwrap_or_default()));
    }
    Ok(Told::of(&made.first()))
}

/// Some exchanges issue a customer identifier or a secret phrase.
fn complain_of_exchange(complaints: &mut Complaints, draft: &RequestBuilder) {
    let exchange = Exchange::of_code(word(draft, AccountAdd::r#type as usize));
    let missing =
        exchange.and_then(|exchange| exchange.asks_for).filter(|input| word(draft, *input as usize).is_empty());
    if let Some(row) = missing.and_then(|input| AccountAdd::INPUTS.rows.get(input as usize)) {
        complaints.add(row.wire, "is required");
    }
}

fn complain_of_connected(complaints: &mut Complaints, draft: &RequestBuilder, world: &World) {
    let api_key = word(draft, AccountAdd::api_key as usize);
    if !api_key.is_empty() && world.accounts.values().any(|account| text(account, "api_key") == api_key) {
        complaints.add("api_key", "This account is already connected");
    }
}

/// Makes an account of a kind, with what the draft says of it.
fn account(world: &mut World, draft: &RequestBuilder, code: &str) -> Record {
    let id = world.accounts.last_key_value().map_or(1, |(id, _)| id + 1);
    let [name, api_key] = [AccountAdd::name, AccountAdd::api_key].map(|input| word(draft, input as usize));
    let mut account = connected(id, code, api_key);
    let now = world.clock.tick();
    let customer_id = draft.value(AccountAdd::customer_id as usize).cloned();
    account.extend(object! { "name": name, "customer_id": customer_id, "created_at": now.clone(), "updated_at": now });
    world.accounts.insert(id, account.clone());
    account
}

fn rename(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (account, clock) = world.account(asked.id)?;
    let query = inputs::validated(AccountRename::INPUTS, asked)?;
    let name = word(&query, AccountRename::name as usize);
    account.extend(object! { "name": name, "updated_at": clock.tick() });
    let renamed = Told::of(account);
    for record in world.records_on(asked.id.unwrap_or_default()) {
        record.insert("account_name".to_owned(), Value::from(name));
    }
    Ok(renamed)
}

fn load_balances(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let held = exchanges::holdings(world.seed, asked.id.unwrap_or_default());
    let (account, clock) = world.account(asked.id)?;
    if account.get("api_key_invalid") == Some(&Value::Bool(true)) {
        return Err(Refusal::invalid_exchange_key());
    }
    exchanges::value(account, &held);
    account.insert("updated_at".to_owned(), clock.tick());
    Ok(Told::of(account))
}

/// Returns the exchange of an account; fails if its networks are not known.
fn exchange_with_networks(world: &mut World, id: Option<u64>) -> Result<&'static Exchange, Refusal> {
    let (account, _) = world.account(id)?;
    let exchange = Exchange::of_code(text(account, "market_code")).filter(|exchange| exchange.has_networks);
    exchange.ok_or_else(Refusal::unavailable_for_account)
}

fn networks_info(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    if exchange_with_networks(world, asked.id)?.lists_one_network {
        let query = inputs::validated(DepositQuery::INPUTS, asked)?;
        let (currency, network) = currency_and_network(&query);
        return Ok(Told::of(&exchanges::network(currency, network)));
    }
    let query = inputs::validated(NetworksQuery::INPUTS, asked)?;
    let purpose = query.value(NetworksQuery::purpose as usize).and_then(Value::as_str);
    Ok(Told::of(&exchanges::networks(purpose)))
}

fn currency_and_network(query: &RequestBuilder) -> (&str, &str) {
    (word(query, DepositQuery::currency as usize), word(query, DepositQuery::network as usize))
}

fn deposit_data(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    exchange_with_networks(world, asked.id)?;
    let query = inputs::validated(DepositQuery::INPUTS, asked)?;
    let (currency, network) = currency_and_network(&query);
    let data = exchanges::deposit(world.seed, asked.id.unwrap_or_default(), currency, network);
    data.map(|data| Told::of(&data)).map_err(Refusal::of_exchange)
}

fn leverage_data(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (account, _) = world.account(asked.id)?;
    let query = inputs::validated(LeverageQuery::INPUTS, asked)?;
    let page = query.value(LeverageQuery::page as usize).and_then(Value::as_u64).unwrap_or(1);
    let earlier = usize::try_from(page - 1).unwrap_or(usize::MAX).saturating_mul(PAGE);
    let leverage = exchanges::leverage(text(account, "market_code"));
    Ok(Told::of(&leverage.iter().skip(earlier).take(PAGE).collect::<Vec<_>>()))
}
