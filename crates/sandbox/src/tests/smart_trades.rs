//! The reduce-funds query of SmartTrades.

use super::*;

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
