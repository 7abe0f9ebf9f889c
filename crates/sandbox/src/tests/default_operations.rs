//! Operations that need no code of their own, as rows that the API reference does not have yet.

use serde_json::json;

use super::*;
use crate::resources;
use crate::route::RequestParams;
use crate::router::{self, Route};
use botdesk_api::accounts::Account;
use botdesk_api::dca_bots::{Direction, OrderDirection};
use botdesk_api::deals::Deal;
use botdesk_api::grid_bots::GridBot;
use botdesk_schema::field::Schema;
use botdesk_schema::id::Id;
use botdesk_schema::input::{InputType, Rule};
use botdesk_schema::operation::{Operation, get, patch, post};
use botdesk_schema::record::Record;
use botdesk_schema::refusal::RefusalBody;
use botdesk_schema::values::{Decimal, FieldType, Integer, List, OneOf, Text};
use botdesk_server::api_error::ApiError;

botdesk_schema::inputs! {
    /// The filters and the page of a list.
    ListInputs of "a list" {
        /// Number of the page.
        page: Integer [Rule::Default(1), Rule::AtLeast("1")];
        /// Most records on a page.
        per_page: Integer [Rule::Between("1", "100"), Rule::ServiceDefault("4")];
        /// Only deals of this bot.
        bot_id: Integer;
        /// Only records of this account.
        account_id: Integer;
        /// Only deals of this direction.
        strategy: OneOf<Direction>;
        /// Only records of pairs with this quote currency.
        quote: Text;
        /// Only records of pairs with this base currency.
        base: Text;
        /// Only records created before this time.
        to: botdesk_schema::input::Time;
        /// Sort key.
        order: Text;
        /// Sort order.
        order_direction: OneOf<OrderDirection>;
    }
}

botdesk_schema::inputs! {
    /// The inputs of an edit.
    AccountEdit of "an account" {
        /// Name of the account.
        name: Text [Rule::Required, Rule::Characters(2, 20)];
        /// Period of the automatic balance.
        auto_balance_period: Integer;
    }
}

botdesk_schema::inputs! {
    /// The inputs of an edit.
    DealEdit of "a deal" {
        /// Take profit in percent.
        take_profit: Decimal [Rule::Above("0")];
    }
}

/// Returns the route of an operation; None if it needs a handler.
fn route(operation: &Operation) -> Option<Route> {
    Route::of(Box::leak(Box::new(*operation)))
}

/// Returns the route of a list of records.
fn list<R: Record + FieldType>(name: &'static str) -> Option<Route> {
    route(&get(name, "/ver1/records").query(ListInputs::INPUTS).returns::<List<R>>())
}

fn call(route: &Route, state: &mut State, id: Option<u64>, query: &str, body: &str) -> Result<Value, ApiError> {
    let (ids, body) = (id.into_iter().map(Id::Number).collect(), body.as_bytes());
    let params = RequestParams { operation: route.operation, ids, query: Some(query), body, is_form: false, key: None };
    let body: Vec<u8> = route.execute(state, &params)?.into();
    Ok(serde_json::from_slice(&body).unwrap())
}

fn listed(route: &Route, state: &mut State, query: &str) -> Vec<Value> {
    call(route, state, None, query, "").unwrap().as_array().unwrap().clone()
}

#[test]
fn accounts_are_listed_page_by_page() {
    let list = list::<Account>("accounts.list").unwrap();
    let mut state = initial_state(1, 0);
    let mut page = |query: &str| ids(&listed(&list, &mut state, query));
    let whole = page("per_page=100");
    assert_eq!(whole.len(), 6);
    assert_eq!(page(""), whole[..4]);
    assert_eq!(page("page=2"), whole[4..]);
    assert_eq!(page("page=2&per_page=2"), whole[2..4]);
    assert_eq!(page("page=9"), [0; 0]);
    let real = state.store.accounts.values().filter(|account| account["market_code"] != "paper_trading");
    let mut names: Vec<_> = real.map(|account| account["name"].clone()).collect();
    names.sort_by_key(|name| name.as_str().unwrap().to_owned());
    let sorted = listed(&list, &mut state, "per_page=100&order=name&order_direction=ASC");
    assert_eq!(sorted.iter().map(|account| account["name"].clone()).collect::<Vec<_>>(), names);
}

#[test]
fn deals_are_listed_by_their_fields() {
    let list = list::<Deal>("deals.list").unwrap();
    let mut state = initial_state(1, 12);
    // Its finished deals would fill several pages.
    state.unwritten_history = None;
    let all = listed(&list, &mut state, "per_page=100");
    assert_eq!(all.len(), state.store.deals.len());
    assert!(all.is_sorted_by_key(|deal| std::cmp::Reverse(deal["created_at"].as_str().unwrap().to_owned())));
    let mut check = |query: &str, keeps: &dyn Fn(&Value) -> bool| {
        let expected: Vec<_> = all.iter().filter(|deal| keeps(deal)).cloned().collect();
        assert!(!expected.is_empty() && expected.len() < all.len(), "{query} keeps nothing or all");
        assert_eq!(listed(&list, &mut state, &format!("per_page=100&{query}")), expected, "{query}");
    };
    let pair = |deal: &Value| deal["pair"].as_str().unwrap().to_owned();
    check("bot_id=42", &|deal| deal["bot_id"] == 42);
    check("strategy=short", &|deal| deal["strategy"] == "short");
    check("base=ETH", &|deal| pair(deal).ends_with("_ETH"));
    check("quote=USDT", &|deal| pair(deal).starts_with("USDT_"));
    let middle = all[all.len() / 2]["created_at"].as_str().unwrap().to_owned();
    check(&format!("to={middle}"), &|deal| deal["created_at"].as_str().unwrap() < middle.as_str());
    let profit = |deal: &Value| deal["actual_profit"].as_str().unwrap().parse::<f64>().unwrap();
    let by_profit = listed(&list, &mut state, "per_page=100&order=actual_profit&order_direction=ASC");
    assert!(by_profit.is_sorted_by(|left, right| profit(left) <= profit(right)));
}

#[test]
fn grid_bots_are_listed_by_account() {
    let list = list::<GridBot>("grid_bots.list").unwrap();
    let mut state = initial_state(1, 0);
    assert_eq!(ids(&listed(&list, &mut state, "account_id=1002")), [204]);
    assert_eq!(ids(&listed(&list, &mut state, "base=BTC&order=created_at")).len(), 2);
    assert_eq!(listed(&list, &mut state, "account_id=5"), [Value::Null; 0]);
}

#[test]
fn a_deal_is_returned_by_its_id() {
    let get = route(&get("deals.get", "/ver1/deals/{id}/show").returns::<Deal>()).unwrap();
    let mut state = initial_state(1, 1);
    let deal = call(&get, &mut state, Some(410), "", "").unwrap();
    assert_eq!((&deal["id"], &deal["bot_id"]), (&json!(410), &json!(41)));
    assert_eq!(call(&get, &mut state, Some(9), "", ""), Err(ApiError::refused(404, RefusalBody::NOT_FOUND)));
    state.move_price("USDT_ETH", "9000".parse().unwrap()).unwrap();
    assert_eq!(call(&get, &mut state, Some(410), "", "").unwrap()["finished?"], true);
}

#[test]
fn checked_inputs_of_an_edit_are_stored() {
    let edit =
        route(&patch("accounts.settings", "/ver1/accounts/{id}").edits(AccountEdit::INPUTS).returns::<Account>())
            .unwrap();
    let mut state = initial_state(1, 0);
    let before = state.store.accounts[&1_001].clone();
    let body = json!({"name": "Main", "auto_balance_period": 24, "unknown": 1}).to_string();
    let edited = call(&edit, &mut state, Some(1_001), "", &body).unwrap();
    assert_eq!((&edited["name"], &edited["auto_balance_period"]), (&json!("Main"), &json!(24)));
    assert!(edited["updated_at"].as_str() > before["updated_at"].as_str());
    assert_eq!(edited, Value::Object(state.store.accounts[&1_001].clone()));
    let expected = before.keys().filter(|field| before[*field] != edited[*field]).collect::<Vec<_>>();
    assert_eq!(expected, ["name", "auto_balance_period", "updated_at"]);
    let error = call(&edit, &mut state, Some(1_001), "", r#"{"name": "M"}"#).unwrap_err();
    assert_eq!(error.status, 400);
    assert_eq!(call(&edit, &mut state, Some(9), "", &body), Err(ApiError::not_found()));
    assert_eq!(Value::Object(state.store.accounts[&1_001].clone()), edited);
}

#[test]
fn the_market_uses_the_new_values_of_an_edited_deal() {
    let edit = route(&patch("deals.edit", "/ver1/deals/{id}").edits(DealEdit::INPUTS).returns::<Deal>()).unwrap();
    let mut state = initial_state(1, 1);
    let is_open = |state: &mut State, price: &str| {
        state.set_price("USDT_ETH", price.parse().unwrap()).unwrap();
        state.open_deals(41).any(|deal| deal["id"] == 410)
    };
    assert!(is_open(&mut state, "3400"));
    call(&edit, &mut state, Some(410), "", r#"{"take_profit": "90"}"#).unwrap();
    assert!(is_open(&mut state, "4000"));
    call(&edit, &mut state, Some(410), "", r#"{"take_profit": "2"}"#).unwrap();
    assert!(!is_open(&mut state, "4000"));
}

#[test]
fn every_filter_of_a_list_is_known() {
    for operation in router::operations() {
        let Some(resource) = resources::named(operation.resource()) else { continue };
        let of_records = |schema: Schema| schema.record().is_some_and(|spec| spec.name == resource.record().name);
        let is_list = matches!(operation.returns.schema, Schema::List(of) if of_records(*of)) && !operation.has_id();
        for input in operation.inputs().filter(|_| is_list).map_or(&[][..], |inputs| inputs.rows) {
            let name = input.wire;
            let choice = match input.input_type {
                InputType::OneOf([first, ..]) => Value::from(*first),
                _ => Value::Null,
            };
            let by_resource = resource.matches(&resource.template(), name, &choice).is_some();
            let is_field = resource.record().row(name).is_some();
            let is_known = by_resource || is_field || crate::operations::KNOWN_LIST_INPUTS.concat().contains(&name);
            assert!(is_known, "{}: {name} is neither a field nor a known filter", operation.name);
        }
    }
}

#[test]
fn any_other_operation_needs_a_handler() {
    assert!(route(&post("deals.archive", "/ver1/deals/{id}/archive").returns::<Deal>()).is_none());
    assert!(route(&get("deals.accounts", "/ver1/deals/{id}/accounts").returns::<List<Account>>()).is_none());
    assert!(route(&get("deals.account", "/ver1/deals/{id}/account").returns::<Account>()).is_none());
    assert!(route(&get("nothing.get", "/ver1/nothing/{id}").returns::<Deal>()).is_none());
}
