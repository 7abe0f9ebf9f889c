//! SmartTrades: their lists, their figures, their trades, and the reduce-funds query.

use bigdecimal::{BigDecimal, Zero};

use super::*;
use botdesk_schema::decimal;

#[tokio::test]
async fn the_funds_of_a_waiting_trade_can_be_reduced() {
    let client = TestClient::open(0).await;
    for id in [301, 303] {
        let target = format!("/v2/smart_trades/{id}/reduce_funds_info");
        let response = client.get(&target).await;
        let amount = response.body["max_reduce_funds_amount"].as_str().unwrap();
        assert!(amount.parse::<f64>().unwrap() > 0.0);
        assert_eq!((response.status, response.body.as_object().unwrap().len()), (200, 1));
        assert_eq!(client.get(&target).await.body, response.body);
    }
}

#[tokio::test]
async fn the_funds_of_another_trade_cannot() {
    let client = TestClient::open(0).await;
    for id in [302, 304] {
        let response = client.get(&format!("/v2/smart_trades/{id}/reduce_funds_info")).await;
        assert_eq!((response.status, &response.body["error"]), (400, &"Wrong param(s)".into()));
        assert_eq!(response.body["error_description"], "Reduce funds is not allowed in the current status");
    }
}

#[tokio::test]
async fn an_unknown_trade_is_not_found() {
    let client = TestClient::open(0).await;
    let response = client.get("/v2/smart_trades/999/reduce_funds_info").await;
    assert_eq!((response.status, &response.body["error"]), (404, &"Not found".into()));
    assert_eq!(response.body["error_description"], "Smart Trade not found");
    assert_eq!(client.get("/ver1/smart_trades/301/reduce_funds_info").await.status, 404);
}

/// Returns the SmartTrades of a page.
async fn listed(client: &TestClient, query: &str) -> Vec<Value> {
    let mark = if query.is_empty() { "" } else { "?" };
    let response = client.get(&format!("/v2/smart_trades{mark}{query}")).await;
    assert_eq!(response.status, 200, "{query}: {}", response.body);
    response.body.as_array().unwrap().clone()
}

fn number(value: &Value) -> BigDecimal {
    decimal::of(value).unwrap_or_else(|| panic!("{value} is not a decimal"))
}

#[tokio::test]
async fn a_list_has_ten_trades_by_default_and_active_ones_first() {
    let client = TestClient::open(0).await;
    let all = listed(&client, "per_page=100").await;
    assert_eq!(all.len(), 13);
    assert_eq!(listed(&client, "").await, all[..10]);
    assert_eq!(listed(&client, "page=2").await, all[10..]);
    assert_eq!(listed(&client, "page=3").await, [Value::Null; 0]);
    assert_eq!(ids(&all[..6]), [303, 302, 301, 300, 299, 298]);
    assert!(all[6..].iter().all(|trade| trade["data"]["closed_at"].is_string()));
}

/// Returns true if a filter keeps a SmartTrade.
type Keeps<'a> = &'a dyn Fn(&Value) -> bool;

#[tokio::test]
async fn a_list_is_filtered_by_what_a_trade_contains() {
    let client = TestClient::open(0).await;
    let all = listed(&client, "per_page=100").await;
    let middle = all[5]["data"]["created_at"].as_str().unwrap().to_owned();
    let created = |trade: &Value| trade["data"]["created_at"].as_str().unwrap().to_owned();
    let closed = |trade: &Value| trade["data"]["closed_at"].is_string();
    let finished = |trade: &Value| trade["data"]["finished"] == true;
    let won = |trade: &Value| trade["profit"]["volume"].as_str().is_some_and(|volume| !volume.starts_with('-'));
    let cases: [(&str, Keeps<'_>); 12] = [
        ("account_id=1002", &|trade| trade["account"]["id"] == 1002),
        ("pair=USDT_SOL", &|trade| trade["pair"] == "USDT_SOL"),
        ("base=BTC", &|trade| trade["pair"] == "USDT_BTC"),
        ("type=smart_cover", &|trade| trade["data"]["type"] == "smart_cover"),
        ("status=active", &|trade| !closed(trade)),
        ("status=finished", &finished),
        ("status=successfully_finish", &|trade| finished(trade) && won(trade)),
        ("status=cancelled", &|trade| trade["status"]["basic_type"] == "cancelled"),
        ("status=failed", &|trade| trade["status"]["basic_type"] == "failed"),
        (&format!("from={middle}"), &|trade| created(trade) >= middle),
        (&format!("to={middle}"), &|trade| created(trade) <= middle),
        ("status=active&account_id=1001", &|trade| !closed(trade) && trade["account"]["id"] == 1001),
    ];
    for (query, keeps) in cases {
        let expected: Vec<_> = all.iter().filter(|trade| keeps(trade)).cloned().collect();
        assert!(!expected.is_empty() && expected.len() < all.len(), "{query} keeps nothing or all");
        assert_eq!(listed(&client, &format!("per_page=100&{query}")).await, expected, "{query}");
    }
    assert_eq!(listed(&client, "per_page=100&status=all").await, all);
}

#[tokio::test]
async fn a_list_is_sorted_by_what_a_trade_contains() {
    let client = TestClient::open(0).await;
    let profit = |trade: &Value| decimal::of(&trade["profit"]["volume"]).unwrap_or_default();
    let by_profit = listed(&client, "per_page=100&order_by=profit").await;
    assert!(by_profit.is_sorted_by(|left, right| profit(left) >= profit(right)));
    for key in ["created_at", "updated_at"] {
        let sorted = listed(&client, &format!("per_page=100&order_by={key}&order_direction=ASC")).await;
        assert!(sorted.is_sorted_by_key(|trade| trade["data"][key].as_str().unwrap().to_owned()), "{key}");
    }
}

#[tokio::test]
async fn a_fee_is_a_string_in_lists_and_a_number_alone() {
    let client = TestClient::open(0).await;
    let mut one = client.get("/v2/smart_trades/303").await.body;
    assert_eq!(one["data"]["commission"].to_string(), "0.001");
    one["data"]["commission"] = "0.001".into();
    assert_eq!(listed(&client, "per_page=1").await, [one]);
}

#[tokio::test]
async fn the_figures_of_a_trade_agree_with_each_other() {
    for seed in 1..6 {
        let options = SandboxOptions { bots: 0, seed, ..SandboxOptions::default() };
        let client = TestClient::with(options).await;
        for trade in listed(&client, "per_page=100").await {
            check_figures(&trade);
        }
    }
}

fn check_figures(trade: &Value) {
    let (data, id, steps) = (&trade["data"], &trade["id"], &trade["take_profit"]["steps"]);
    let [entered, total, closed, closed_total] =
        ["entered_amount", "entered_total", "closed_amount", "closed_total"].map(|field| number(&data[field]));
    assert_eq!(trade["is_position_not_filled"], Value::Bool(entered.is_zero()), "{id}");
    let steps = steps.as_array().unwrap();
    if !steps.is_empty() {
        let shares: BigDecimal = steps.iter().map(|step| number(&step["volume"])).sum();
        assert_eq!(shares, BigDecimal::from(100), "{id}");
    }
    let mut units = BigDecimal::zero();
    for step in steps.iter().filter(|step| step["status"]["basic_type"] != "idle") {
        let amount = number(&step["units"]["value"]);
        assert_eq!(number(&step["total"]), &amount * number(&step["price"]["value"]), "{id}");
        units += amount;
    }
    let is_open = data["closed_at"].is_null();
    if is_open && !units.is_zero() {
        assert_eq!(units, &entered - &closed, "{id}");
    }
    if data["finished"] == true && trade["instant"] == false {
        assert_eq!(closed, entered, "{id}");
    }
    let profit = &trade["profit"];
    if profit["volume"].is_null() {
        assert_eq!(profit["percent"], "0.0", "{id}");
        return;
    }
    let short = trade["position"]["type"] == "sell";
    let (price, fee) = (number(&data["current_price"][if short { "ask" } else { "bid" }]), number(&data["commission"]));
    let rest = (entered - closed) * price * (if short { BigDecimal::from(1) + fee } else { BigDecimal::from(1) - fee });
    let value = closed_total + rest;
    let volume = if short { &total - value } else { value - &total };
    assert_eq!(number(&profit["volume"]), volume, "{id}");
    let percent = (&volume * BigDecimal::from(100) / total).with_scale_round(2, bigdecimal::RoundingMode::HalfEven);
    assert_eq!(number(&profit["percent"]), percent, "{id}");
    let is_reached = |step: &Value| {
        let (target, last) = (number(&step["price"]["value"]), number(&data["current_price"]["last"]));
        if short { last <= target } else { last >= target }
    };
    assert!(!is_open || !steps.iter().any(is_reached), "{id}: a target was reached");
}

#[tokio::test]
async fn the_profit_of_an_open_trade_follows_the_price() {
    let client = TestClient::open(0).await;
    let profit = async || number(&client.get("/v2/smart_trades/301").await.body["profit"]["volume"]);
    let closed = async || client.get("/v2/smart_trades/292").await.body["profit"].clone();
    let (before, final_profit) = (profit().await, closed().await);
    client.sandbox.set_price("USDT_ETH", BigDecimal::from(3_600)).unwrap();
    let trade = client.get("/v2/smart_trades/301").await.body;
    assert_eq!(trade["data"]["current_price"]["last"], "3600.0");
    assert!(profit().await > before);
    check_figures(&trade);
    assert_eq!(closed().await, final_profit);
}

#[tokio::test]
async fn the_reducible_amount_is_what_a_trade_has_not_closed() {
    let client = TestClient::open(0).await;
    for id in [301, 303] {
        let data = client.get(&format!("/v2/smart_trades/{id}")).await.body["data"].clone();
        let info = client.get(&format!("/v2/smart_trades/{id}/reduce_funds_info")).await.body;
        let rest = number(&data["entered_amount"]) - number(&data["closed_amount"]);
        assert_eq!(number(&info["max_reduce_funds_amount"]), rest);
    }
}

/// Returns the trades of a SmartTrade.
async fn trades_of(client: &TestClient, id: u64) -> Vec<Value> {
    let response = client.get(&format!("/v2/smart_trades/{id}/trades")).await;
    assert_eq!(response.status, 200, "{}", response.body);
    response.body.as_array().unwrap().clone()
}

#[tokio::test]
async fn the_trades_of_a_trade_are_its_entry_and_its_targets() {
    let client = TestClient::open(0).await;
    for trade in listed(&client, "per_page=100").await {
        let id = trade["id"].as_u64().unwrap();
        let trades = trades_of(&client, id).await;
        let of = |purpose: &str| trades.iter().filter(|each| each["trade_purpose"] == purpose).collect::<Vec<_>>();
        assert_eq!(of("position").len(), usize::from(trade["skip_enter_step"] == false), "{id}");
        let steps = trade["take_profit"]["steps"].as_array().unwrap();
        assert!(of("take_profit").iter().map(|each| &each["id"]).eq(steps.iter().map(|step| &step["id"])), "{id}");
        assert_eq!(of("stop_loss").len(), usize::from(trade["stop_loss"]["enabled"] == true), "{id}");
        if let [entry] = of("position")[..] {
            assert_eq!(entry["status"], trade["position"]["status"]["basic_type"], "{id}");
            assert_eq!(entry["realised_amount"], trade["data"]["entered_amount"], "{id}");
        }
        let closing = trades.iter().filter(|each| each["trade_purpose"] != "position");
        let closed: BigDecimal = closing.map(|each| number(&each["realised_amount"])).sum();
        assert_eq!(closed, number(&trade["data"]["closed_amount"]), "{id}");
        let known: std::collections::BTreeSet<_> = trades.iter().map(|each| each["id"].as_u64().unwrap()).collect();
        assert_eq!(known.len(), trades.len(), "{id}");
    }
}

#[tokio::test]
async fn an_unknown_smart_trade_has_the_status_of_its_page() {
    let client = TestClient::open(0).await;
    for (target, status) in [("/v2/smart_trades/999", 400), ("/v2/smart_trades/999/trades", 404)] {
        let response = client.get(target).await;
        assert_eq!((response.status, &response.body["error"]), (status, &"Not found".into()), "{target}");
    }
}

#[tokio::test]
async fn a_renamed_account_has_its_name_in_trades() {
    let client = TestClient::open(0).await;
    client.request("POST", "/ver1/accounts/1002/rename", r#"{"name": "Main"}"#).await;
    assert_eq!(client.get("/v2/smart_trades/303").await.body["account"]["name"], "Main");
    assert_eq!(client.get("/v2/smart_trades/301").await.body["account"]["name"], "Demo spot");
}
