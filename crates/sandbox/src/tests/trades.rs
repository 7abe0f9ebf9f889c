//! Simple trades: their lists, and their records.

use bigdecimal::BigDecimal;
use serde_json::json;

use super::*;
use botdesk_schema::decimal;

async fn listed(client: &TestClient, target: &str) -> Vec<Value> {
    let response = client.get(&format!("/ver1/trades{target}")).await;
    assert_eq!(response.status, 200, "{target}: {}", response.body);
    response.body["trades"].as_array().unwrap().clone()
}

fn number(value: &Value) -> BigDecimal {
    decimal::of(value).unwrap()
}

#[tokio::test]
async fn a_trade_is_active_or_over() {
    let client = TestClient::open(0).await;
    let (active, over) = (listed(&client, "").await, listed(&client, "/history").await);
    assert_eq!((active.len(), over.len()), (4, 4));
    assert!(active.iter().all(|trade| trade["closed_at"].is_null() && trade["data"]["cancelable"] == true));
    assert!(over.iter().all(|trade| trade["closed_at"].as_i64() > trade["created_at"].as_i64()));
    assert!(over.iter().all(|trade| trade["data"]["cancelable"] == false));
}

#[tokio::test]
async fn lists_are_filtered_sorted_and_cut_to_pages() {
    let client = TestClient::open(0).await;
    let all = listed(&client, "").await;
    let created = |trade: &Value| trade["created_at"].as_i64().unwrap();
    assert!(all.is_sorted_by_key(created));
    let mut reversed = listed(&client, "?order_direction=desc").await;
    reversed.reverse();
    assert_eq!(reversed, all);
    assert_eq!(listed(&client, "?limit=1&offset=2").await, all[2..3]);
    assert!(
        listed(&client, "?order_by=pair").await.is_sorted_by_key(|trade| trade["pair"].as_str().unwrap().to_owned())
    );
    let on = listed(&client, "?account_id=1002").await;
    assert_eq!((on.len(), &on[0]["account_id"]), (1, &json!(1002)));
    assert!(listed(&client, "/history?pair=USDT_BTC").await.iter().all(|trade| trade["pair"] == "USDT_BTC"));
    let closed = listed(&client, "/history?order_by=closed_at").await;
    assert!(closed.is_sorted_by_key(|trade| trade["closed_at"].as_i64().unwrap()));
}

#[tokio::test]
async fn the_figures_of_a_trade_agree_with_each_other() {
    let client = TestClient::open(0).await;
    for trade in [listed(&client, "").await, listed(&client, "/history").await].concat() {
        let (filled, units) = (&trade["filled"], number(&trade["units"]["value"]));
        assert_eq!(trade["price"]["value"].is_null(), trade["order"]["type"] == "market");
        if let Value::String(_) = trade["price"]["value"] {
            assert_eq!(number(&trade["total"]["value"]), &units * number(&trade["price"]["value"]));
        }
        if trade["status"]["value"] == "finished" {
            assert_eq!((number(&filled["units"]), &filled["value"]), (units.clone(), &json!("100.0")));
            assert_eq!(number(&filled["total"]), units * number(&filled["price"]));
        } else {
            assert_eq!(*filled, json!({"units": "0.0", "total": "0.0", "price": null, "value": "0.0"}));
        }
        assert_eq!(trade["status"]["error"].is_string(), trade["status"]["value"] == "failed");
    }
}

#[tokio::test]
async fn a_trade_is_returned_by_its_uuid() {
    let client = TestClient::open(0).await;
    let first = listed(&client, "").await.remove(0);
    let uuid = first["uuid"].as_str().unwrap();
    assert_eq!(client.get(&format!("/ver1/trades/{uuid}")).await.body, json!({"trade": first}));
    let unknown = client.get("/ver1/trades/5ed7c4d2-4d3b-4c2c-8b4a-6e0a3f1f9f00").await;
    let expected = json!({"error": "not_found", "error_description": "Not Found"});
    assert_eq!((unknown.status, unknown.body), (404, expected));
    assert_eq!(client.get("/ver1/trades/501").await.status, 404);
}

#[test]
fn an_added_trade_has_a_uuid_of_its_own() {
    let mut state = initial_state(1, 0);
    let id = state.add("trades", fields(json!({"pair": "USDT_BTC"}), json!({}))).unwrap();
    assert_eq!(state.store.trades[&id]["uuid"], "0b9c5e4a-7d21-4c63-9f08-000000000509");
    let again = fields(json!({"uuid": "0b9c5e4a-7d21-4c63-9f08-000000000509"}), json!({}));
    assert_eq!(state.add("trades", again).unwrap_err()[0].field, "uuid");
}
