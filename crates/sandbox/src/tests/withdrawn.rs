//! Requests that the API reference no longer has.

use serde_json::json;

use super::*;
use crate::router;

#[tokio::test]
async fn ping_and_time_need_no_key() {
    let client = TestClient::open(0).await;
    let ping = client.send("GET", "/public/api/ver1/ping", "", "").await;
    assert_eq!((ping.status, ping.body), (200, json!({ "pong": "pong" })));
    let time = client.send("GET", "/public/api/ver1/time", "", "").await;
    assert_eq!((time.status, time.body), (200, json!({ "server_time": client.sandbox.now().as_second() })));
}

#[tokio::test]
async fn the_permissions_are_those_of_the_key() {
    let mut client = TestClient::open(0).await;
    client.api_key = client.sandbox.add_key(&public_pem(), &[Permission::BotsRead, Permission::AccountsRead]).unwrap();
    let info = client.get("/ver1/users/permissions_info").await;
    assert_eq!((info.status, info.body), (200, json!({ "permissions": ["BOTS_READ", "ACCOUNTS_READ"] })));
    let change = client.request("POST", "/ver1/users/change_mode", r#"{"mode":"paper"}"#).await;
    assert_eq!(change.status, 403);
}

#[tokio::test]
async fn the_mode_is_real_until_it_is_changed_and_after_a_reset() {
    let client = TestClient::open(0).await;
    let mode = async || client.get("/ver1/users/current_mode").await.body;
    assert_eq!(mode().await, json!({ "mode": "real" }));
    for encoding in ALL_ENCODINGS {
        for chosen in ["paper", "real", "paper"] {
            let changed = client.send_values(encoding, "POST", "/ver1/users/change_mode", &[("mode", chosen)]).await;
            assert_eq!((changed.status, changed.body), (201, json!(true)), "{encoding:?}");
            assert_eq!(mode().await, json!({ "mode": chosen }), "{encoding:?}");
        }
    }
    client.sandbox.reset().unwrap();
    assert_eq!(mode().await, json!({ "mode": "real" }));
}

#[tokio::test]
async fn an_unknown_mode_or_language_is_invalid() {
    let client = TestClient::open(0).await;
    for (method, target, field) in
        [("POST", "/ver1/users/change_mode", "mode"), ("PUT", "/ver1/users/locale", "locale")]
    {
        for body in [format!(r#"{{"{field}":"demo"}}"#), String::new()] {
            let response = client.request(method, target, &body).await;
            assert_eq!(response.messages(field).len(), 1, "{body}: {}", response.body);
        }
    }
}

#[tokio::test]
async fn the_language_is_stored() {
    let client = TestClient::open(0).await;
    let response = client.request("PUT", "/ver1/users/locale", r#"{"locale":"pt"}"#).await;
    assert_eq!((response.status, response.body), (200, json!({ "locale": "pt" })));
}

#[test]
fn a_withdrawn_request_is_no_operation_of_the_client() {
    assert!(router::operations().all(|operation| operation.resource() != "withdrawn"));
}

#[tokio::test]
async fn a_smart_trade_stays_as_it_is_if_it_is_processed_by_force() {
    let client = TestClient::open(0).await;
    let before = client.get("/v2/smart_trades/301").await.body;
    let answer = client.request("POST", "/v2/smart_trades/301/force_process", "").await;
    assert_eq!((answer.status, answer.body), (201, before));
    let unknown = client.request("POST", "/v2/smart_trades/999/force_process", "").await;
    assert_eq!(unknown.status, 404);
}
