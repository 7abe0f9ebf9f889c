//! By how much the funds of SmartTrades can be reduced.

use super::*;

#[tokio::test]
async fn the_funds_of_a_trade_that_waits_can_be_reduced() {
    let desk = Desk::open(0).await;
    for id in [301, 303] {
        let target = format!("/v2/smart_trades/{id}/reduce_funds_info");
        let answer = desk.get(&target).await;
        let amount = answer.body["max_reduce_funds_amount"].as_str().unwrap();
        assert!(amount.parse::<f64>().unwrap() > 0.0);
        assert_eq!((answer.status, answer.body.as_object().unwrap().len()), (200, 1));
        assert_eq!(desk.get(&target).await.body, answer.body);
    }
}

#[tokio::test]
async fn the_funds_of_another_trade_cannot() {
    let desk = Desk::open(0).await;
    for id in [302, 304] {
        let answer = desk.get(&format!("/v2/smart_trades/{id}/reduce_funds_info")).await;
        assert_eq!((answer.status, &answer.body["error"]), (400, &"Wrong param(s)".into()));
        assert_eq!(answer.body["error_description"], "Reduce funds is not allowed in the current status");
    }
}

#[tokio::test]
async fn an_unknown_trade_is_not_found() {
    let desk = Desk::open(0).await;
    let answer = desk.get("/v2/smart_trades/999/reduce_funds_info").await;
    assert_eq!((answer.status, &answer.body["error"]), (404, &"Not found".into()));
    assert_eq!(answer.body["error_description"], "Smart Trade not found");
    assert_eq!(desk.get("/ver1/smart_trades/301/reduce_funds_info").await.status, 404);
}
