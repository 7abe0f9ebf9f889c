//! Disabling, cancelling, and the lifecycle of a sandbox.

use super::*;

#[tokio::test]
async fn disabling_leaves_the_deals_active() {
    let client = TestClient::open(3).await;
    let before = client.show(41).await;
    assert_eq!(before["is_enabled"], true);
    let response = client.request("POST", "/ver1/bots/41/disable", "").await;
    assert_eq!((response.status, &response.body["is_enabled"]), (201, &Value::Bool(false)));
    assert_eq!(response.body["active_deals"], before["active_deals"]);
    assert_eq!(response.body["active_deals"][0]["status"], "bought");
    assert!(response.body["updated_at"].as_str() > before["updated_at"].as_str());
    assert_eq!(client.show(41).await, response.body);
}

#[tokio::test]
async fn cancelling_marks_every_deal() {
    let client = TestClient::open(3).await;
    let before = client.show(42).await["active_deals"].as_array().unwrap().len();
    let response = client.request("POST", "/ver1/bots/42/cancel_all_deals", "").await;
    assert_eq!((response.status, &response.body["is_enabled"]), (200, &Value::Bool(false)));
    let deals = response.body["active_deals"].as_array().unwrap();
    assert!(deals.len() == before && before > 1, "{before}");
    for deal in deals {
        assert_eq!((&deal["status"], &deal["localized_status"]), (&"cancel_pending".into(), &"Cancel pending".into()));
        assert_eq!((&deal["cancellable?"], &deal["panic_sellable?"]), (&false.into(), &false.into()));
    }
    assert_eq!(client.show(42).await, response.body);
}

#[tokio::test]
async fn each_write_is_later_than_the_one_before() {
    let client = TestClient::open(12).await;
    let mut times = vec![client.list("sort_by=updated_at&limit=1").await[0]["updated_at"].as_str().unwrap().to_owned()];
    for action in ["disable", "cancel_all_deals", "disable"] {
        let response = client.request("POST", &format!("/ver1/bots/41/{action}"), "").await;
        times.push(response.body["updated_at"].as_str().unwrap().to_owned());
    }
    assert!(times.is_sorted_by(|left, right| left < right), "{times:?}");
}

#[tokio::test]
async fn events_are_returned_on_request() {
    let client = TestClient::open(1).await;
    client.request("POST", "/ver1/bots/41/disable", "").await;
    assert!(client.show(41).await.get("bot_events").is_none());
    assert!(client.get("/ver1/bots/41/show?include_events=false").await.body.get("bot_events").is_none());
    let response = client.get("/ver1/bots/41/show?include_events=true").await;
    assert_eq!(response.body["bot_events"].as_array().unwrap().len(), 2);
    assert_eq!(response.body["bot_events"][1]["message"], "Bot disabled");
}

#[tokio::test]
async fn two_sandboxes_share_nothing() {
    let (one, other) = (TestClient::open(1).await, TestClient::open(1).await);
    one.request("POST", "/ver1/bots/41/disable", "").await;
    assert_eq!(other.show(41).await["is_enabled"], true);
    assert_eq!((one.sandbox.requests().len(), other.sandbox.requests().len()), (1, 1));
}

#[tokio::test]
async fn the_error_for_a_port_in_use_names_it() {
    let client = TestClient::open(0).await;
    let address = client.sandbox.url().strip_prefix("http://").unwrap();
    let port = address.rsplit(':').next().unwrap().parse().unwrap();
    let error = SandboxServer::start(SandboxOptions { port, ..SandboxOptions::default() }).await.err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
    assert!(error.to_string().contains(address), "{error}");
}

#[tokio::test]
async fn a_stopped_sandbox_drops_its_connections_and_frees_its_port() {
    let client = TestClient::open(0).await;
    let mut silent = client.connect().await;
    let mut idle = client.connect().await;
    idle.write_all(b"GET /nowhere HTTP/1.1\r\nHost: sandbox\r\n\r\n").await.unwrap();
    assert!(idle.read(&mut [0; 4096]).await.unwrap() > 0);
    let mut midway = client.connect().await;
    midway.write_all(b"POST /nowhere HTTP/1.1\r\nHost: sandbox\r\nContent-Length: 9\r\n\r\nabc").await.unwrap();
    client.sandbox.stop();
    client.sandbox.stop();
    client.sandbox.port_freed().await;
    for stream in [&mut silent, &mut idle, &mut midway] {
        // The connection ends, with or without a reset.
        assert!(matches!(stream.read(&mut [0; 64]).await, Ok(0) | Err(_)));
    }
    let address = client.sandbox.url().strip_prefix("http://").unwrap();
    assert!(TcpStream::connect(address).await.is_err());
    let port = address.rsplit(':').next().unwrap().parse().unwrap();
    SandboxServer::start(SandboxOptions { port, ..SandboxOptions::default() }).await.unwrap();
}

#[tokio::test]
async fn dropping_a_sandbox_stops_it() {
    let client = TestClient::open(0).await;
    let mut stream = client.connect().await;
    drop(client);
    assert!(matches!(stream.read(&mut [0; 64]).await, Ok(0) | Err(_)));
}

#[test]
fn a_sandbox_can_be_started_and_kept_on_any_thread() {
    fn is_sendable<T: Send>(_: &T) {}
    fn is_shareable<T: Send + Sync>() {}
    is_sendable(&SandboxServer::start(SandboxOptions::default()));
    is_shareable::<SandboxServer>();
}
