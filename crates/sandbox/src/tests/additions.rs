//! Added records.

use serde_json::json;

use super::*;
use crate::state::State;
use botdesk_api::accounts::Account;
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::grid_bots::GridBot;
use botdesk_api::smart_trades::SmartTrade;
use botdesk_api::trades::SimpleTrade;
use botdesk_schema::input::Violation;
use botdesk_schema::record::Record;

type Added = Result<u64, Vec<Violation>>;

fn given(message: Value) -> Vec<crate::NamedValue> {
    fields(message, json!({}))
}

fn violations(added: Added) -> Vec<(String, String)> {
    added.unwrap_err().into_iter().map(|found| (found.field, found.message)).collect()
}

fn one(field: &str, message: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), message.to_owned())]
}

fn has_all_fields<R: Record>(record: &serde_json::Map<String, Value>) {
    let record = R::from_json(&Value::Object(record.clone()).to_string()).unwrap();
    let missing: Vec<_> =
        R::ROWS.iter().filter(|row| record.fields().value(row.wire).is_none() && row.listed).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(record.unreadable(), []);
}

#[test]
fn every_field_is_optional() {
    let mut state = odd_state(1, 1);
    let account = state.add("accounts", Vec::new()).unwrap();
    let dca_bot = state.add("dca_bots", Vec::new()).unwrap();
    let grid_bot = state.add("grid_bots", Vec::new()).unwrap();
    let trade = state.add("smart_trades", Vec::new()).unwrap();
    assert_eq!((account, dca_bot, grid_bot, trade), (1_003, 42, 2_376_446_602, 305));
    has_all_fields::<Account>(&state.store.accounts[&account]);
    has_all_fields::<DcaBot>(&state.store.dca_bots[&dca_bot]);
    has_all_fields::<GridBot>(&state.store.grid_bots[&grid_bot]);
    has_all_fields::<SmartTrade>(&state.store.smart_trades[&trade]);
    let simple_trade = state.add("trades", Vec::new()).unwrap();
    has_all_fields::<SimpleTrade>(&state.store.trades[&simple_trade]);
    let bot = &state.store.dca_bots[&dca_bot];
    assert_eq!(
        (&bot["pairs"], &bot["account_id"], &bot["account_name"]),
        (&json!(["USDT_BTC"]), &json!(102), &json!("Regional"))
    );
    assert_ne!(bot["url_secret"], "");
}

#[test]
fn every_documented_field_can_be_set() {
    let mut state = odd_state(1, 0);
    for row in
        DcaBot::ROWS.iter().filter(|row| row.name != "active_deals" && row.name != "id" && row.name != "account_id")
    {
        let sample: Value = serde_json::from_str(row.sample).unwrap();
        let id = state.add("dca_bots", vec![(row.name.to_owned(), Ok(sample.clone()))]).unwrap();
        assert_eq!(state.store.dca_bots[&id][row.wire], sample, "{}", row.name);
    }
}

#[test]
fn a_taken_id_is_rejected() {
    let mut state = odd_state(1, 1);
    let message = |id| format!("{id} is already taken; choose another id, or omit it to get the next one");
    assert_eq!(violations(state.add("accounts", given(json!({"id": 101})))), one("id", &message(101)));
    assert_eq!(violations(state.add("dca_bots", given(json!({"id": 41})))), one("id", &message(41)));
    assert_eq!(violations(state.add("grid_bots", given(json!({"id": 201})))), one("id", &message(201)));
    assert_eq!(violations(state.add("smart_trades", given(json!({"id": 301})))), one("id", &message(301)));
    let deal = json!({"active_deals": [{"id": 410}]});
    assert_eq!(violations(state.add("dca_bots", given(deal))), one("active_deals[0].id", &message(410)));
    for id in [json!(0), json!(-1), json!(null), json!("seven")] {
        assert_eq!(violations(state.add("accounts", given(json!({"id": id}))))[0].0, "id", "{id}");
    }
    assert_eq!(state.add("accounts", given(json!({"id": 7}))), Ok(7));
}

#[test]
fn an_account_must_exist() {
    let mut state = odd_state(1, 0);
    let message = "account 9 does not exist; add one with add_account";
    assert_eq!(violations(state.add("dca_bots", given(json!({"account_id": 9})))), one("account_id", message));
    assert_eq!(violations(state.add("grid_bots", given(json!({"account_id": 9})))), one("account_id", message));
    state.store.accounts.clear();
    assert_eq!(violations(state.add("dca_bots", Vec::new()))[0].0, "account_id");
}

#[test]
fn a_failed_addition_leaves_the_state_unchanged() {
    let mut state = odd_state(1, 2);
    let before = state.to_json().unwrap();
    let deals = json!([{"pair": "USDT_NEW", "current_price": "5"}, {"pair": "USDT_OLD"}]);
    assert_eq!(violations(state.add("dca_bots", given(json!({"active_deals": deals}))))[0].0, "active_deals[1].pair");
    let grid = json!({"pair": "USDT_NEW", "current_price": "5", "quantity_per_grid": "0"});
    assert_eq!(violations(state.add("grid_bots", given(grid)))[0].0, "quantity_per_grid");
    assert_eq!(state.to_json().unwrap(), before);
}

#[test]
fn an_enabled_grid_starts_at_the_given_price() {
    let mut state = odd_state(1, 0);
    let grid = json!({"pair": "USDT_BTC", "current_price": "120", "lower_price": "100", "upper_price": "140"});
    let mut started = |changes: Value| {
        let id = state.add("grid_bots", fields(grid.clone(), changes)).unwrap();
        state.store.grid_bots[&id]["start_price"].clone()
    };
    assert_eq!(started(json!({"is_enabled": true})), "120");
    assert_eq!(started(json!({"is_enabled": true, "start_price": "110"})), "110");
}

#[test]
fn a_grid_with_swapped_bounds_is_rejected() {
    let grid = json!({"lower_price": 5, "upper_price": "1"});
    assert_eq!(
        violations(odd_state(1, 0).add("grid_bots", given(grid))),
        one("upper_price", "must be above lower_price (5)")
    );
}

#[test]
fn missing_fields_of_a_deal_are_computed() {
    let mut state = odd_state(1, 0);
    state.set_price("USDT_ETH", "2500".parse().unwrap()).unwrap();
    let deals = json!([{}, {"base_order_average_price": 2561.66911, "note": "mine"}, {"bought_amount": "1", "bought_volume": "2400"}]);
    let bot = state.add("dca_bots", given(json!({"pairs": ["USDT_ETH"], "active_deals": deals}))).unwrap();
    assert_eq!(state.store.dca_bots[&bot]["active_deals_count"], 3);
    let deals: Vec<_> = state.open_deals(bot).collect();
    let figures = |place: usize, field: &str| deals[place][field].as_str().unwrap().to_owned();
    assert_eq!([figures(0, "bought_average_price"), figures(0, "take_profit_price")], ["2500", "2525.00"]);
    assert_eq!(
        [figures(1, "bought_average_price"), figures(1, "current_price"), figures(1, "note")],
        ["2561.66911", "2500", "mine"]
    );
    assert_eq!(
        [figures(2, "bought_average_price"), figures(2, "actual_profit"), figures(2, "take_profit_price")],
        ["2400", "100", "2424.00"]
    );
}

#[test]
fn fields_of_deals_are_validated() {
    let mut state = odd_state(1, 0);
    let mut add = |deals: Value| violations(state.add("dca_bots", given(json!({"active_deals": deals}))));
    assert_eq!(
        add(json!([{}, {"bought_amuont": "1"}])),
        one("active_deals[1].bought_amuont", "is not a field of a deal; did you mean bought_amount?")
    );
    assert_eq!(
        add(json!([{"bought_amount": "much"}])),
        one("active_deals[0].bought_amount", "must be a decimal, not \"much\"")
    );
    assert_eq!(add(json!([{"base_order_average_price": "0"}]))[0].0, "active_deals[0].base_order_average_price");
    for deals in [json!({}), json!(["deal"]), json!(null), json!(5)] {
        assert_eq!(add(deals), one("active_deals", "must be a list of objects with fields of a deal"));
    }
}

#[test]
fn a_pair_without_a_price_is_rejected() {
    let mut state = odd_state(1, 0);
    let message = "USDT_NEW has no price yet; set it with set_price, or pass current_price";
    assert_eq!(violations(state.add("grid_bots", given(json!({"pair": "USDT_NEW"})))), one("pair", message));
    assert!(
        violations(state.add("dca_bots", given(json!({"pairs": ["eth"]}))))[0].1.starts_with("'eth' is not a pair")
    );
    assert_eq!(violations(state.add("dca_bots", given(json!({"pairs": []}))))[0].0, "pairs");
}

#[test]
fn a_deal_is_added_to_its_bot() {
    let mut state = odd_state(1, 1);
    let id = state.add("deals", given(json!({"bot_id": 41, "note": "mine"}))).unwrap();
    assert_eq!(id, 411);
    let deal = state.open_deals(41).last().unwrap();
    assert_eq!((&deal["id"], &deal["note"], &deal["pair"]), (&json!(411), &json!("mine"), &json!("USDT_ETH")));
    assert_eq!(state.store.dca_bots[&41]["active_deals_count"], 2);
    let finished = json!({"bot_id": 41, "finished?": true, "status": "completed", "id": 7});
    assert_eq!(state.add("deals", given(finished)), Ok(7));
    assert_eq!(state.finished_deals(41).last().unwrap()["status"], "completed");
    assert_eq!(state.store.dca_bots[&41]["active_deals_count"], 2);
    for deal in [json!({}), json!({"bot_id": 9})] {
        let message = "must be the id of a DCA bot of the sandbox, which has the deal";
        assert_eq!(violations(state.add("deals", given(deal))), one("bot_id", message));
    }
    assert_eq!(violations(state.add("deals", given(json!({"bot_id": 41, "id": 7}))))[0].0, "id");
    assert_eq!(violations(state.add("deals", given(json!({"bot_id": 41, "pair": "USDT_OLD"}))))[0].0, "pair");
}

#[test]
fn an_unknown_resource_is_reported_with_the_known_ones() {
    let message = "must be one of accounts, dca_bots, deals, grid_bots, smart_trades, trades, not \"dca_bot\"; did you mean dca_bots?";
    assert_eq!(violations(odd_state(1, 0).add("dca_bot", Vec::new())), one("resource", message));
}

#[test]
fn a_bot_with_steps_has_no_take_profit() {
    let mut state: State = odd_state(1, 0);
    let steps = json!({"take_profit_steps": [{"id": 0, "amount_percentage": 100, "profit_percentage": 1}]});
    let id = state.add("dca_bots", given(steps)).unwrap();
    assert_eq!(state.store.dca_bots[&id]["take_profit"], Value::Null);
}
