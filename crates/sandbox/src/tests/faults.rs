//! Injected faults, checked by the bytes on a socket.

use std::io::ErrorKind;
use std::time::Duration;

use super::*;
use crate::{Fault, FaultKind, FaultOptions};

/// A request that writes to a bot.
const DISABLE: &str = "/public/api/ver1/bots/41/disable";

impl TestClient {
    async fn fault(&self, operation: &str, kind: &str, times: Option<u32>, options: FaultOptions) {
        self.sandbox.add_fault(Fault::new(operation, kind, times, options).unwrap()).await;
    }

    async fn one(&self, kind: &str) {
        self.fault("dca_bots.disable", kind, Some(1), FaultOptions::default()).await;
    }

    async fn status(&self, status: u16, options: FaultOptions) -> Response {
        self.fault("*", "status", Some(1), FaultOptions { status: Some(status), ..options }).await;
        self.get("/ver1/bots").await
    }

    fn request_head(&self, method: &str, path: &str) -> String {
        let (key, signature) = (&self.api_key, signature(path.as_bytes()));
        format!("{method} {path} HTTP/1.1\r\nHost: sandbox\r\nApikey: {key}\r\nSignature: {signature}\r\n")
    }

    /// Returns all bytes that a connection receives for one request.
    async fn bytes(&self, method: &str, path: &str) -> Vec<u8> {
        let mut stream = self.connect().await;
        let request = format!("{}Connection: close\r\n\r\n", self.request_head(method, path));
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        response
    }

    /// Returns the head and the body of the response to a write.
    async fn disabled(&self) -> (String, Vec<u8>) {
        let response = self.bytes("POST", DISABLE).await;
        let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
        (String::from_utf8(response[..end].to_vec()).unwrap().to_ascii_lowercase(), response[end..].to_vec())
    }

    async fn is_enabled(&self) -> bool {
        self.show(41).await["is_enabled"].as_bool().unwrap()
    }

    /// Returns the status, whether it was executed, and the fault of the first request.
    fn first(&self) -> (Option<u16>, bool, Option<&'static str>) {
        let first = self.sandbox.requests().remove(0);
        (first.status, first.carried_out, first.fault)
    }
}

fn length(head: &str) -> usize {
    let (_, rest) = head.split_once("content-length: ").unwrap();
    rest.split_once("\r\n").unwrap().0.parse().unwrap()
}

#[tokio::test]
async fn close_before_does_not_execute_the_write() {
    let client = TestClient::open(1).await;
    client.one("close_before").await;
    assert_eq!(client.bytes("POST", DISABLE).await, b"");
    assert_eq!(client.first(), (None, false, Some("close_before")));
    assert!(client.is_enabled().await);
}

#[tokio::test]
async fn close_after_executes_the_write() {
    let client = TestClient::open(1).await;
    client.one("close_after").await;
    assert_eq!(client.bytes("POST", DISABLE).await, b"");
    assert_eq!(client.first(), (None, true, Some("close_after")));
    assert!(!client.is_enabled().await);
}

#[tokio::test]
async fn close_after_does_not_execute_an_invalid_write() {
    let client = TestClient::open(1).await;
    client.one("close_after").await;
    assert_eq!(client.bytes("POST", "/public/api/ver1/bots/99/disable").await, b"");
    assert_eq!(client.first(), (None, false, Some("close_after")));
}

#[tokio::test]
async fn a_stalled_request_is_logged_and_ends_with_the_sandbox() {
    let client = TestClient::open(1).await;
    client.one("stall").await;
    let mut stream = client.connect().await;
    stream.write_all(format!("{}\r\n", client.request_head("POST", DISABLE)).as_bytes()).await.unwrap();
    while client.sandbox.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(client.is_enabled().await);
    assert_eq!(client.first(), (None, false, Some("stall")));
    client.sandbox.stop();
    let mut response = Vec::new();
    // The connection may end with a reset.
    let _ = stream.read_to_end(&mut response).await;
    assert_eq!(response, b"");
}

#[tokio::test]
async fn a_trickled_response_arrives_completely() {
    let client = TestClient::open(1).await;
    for interval in [None, Some(Duration::from_micros(1))] {
        client
            .fault(
                "smart_trades.reduce_funds_info",
                "trickle",
                Some(1),
                FaultOptions { interval, ..FaultOptions::default() },
            )
            .await;
        let response = client.get("/v2/smart_trades/301/reduce_funds_info").await;
        assert_eq!(response.status, 200);
        assert!(response.body["max_reduce_funds_amount"].is_string());
    }
}

#[tokio::test]
async fn a_cut_body_is_half_of_its_content_length() {
    let client = TestClient::open(1).await;
    client.one("cut_body").await;
    let (head, body) = client.disabled().await;
    assert!(head.starts_with("http/1.1 201 created\r\n"), "{head}");
    assert_eq!(body.len(), length(&head) / 2);
    assert_eq!(client.first(), (Some(201), true, Some("cut_body")));
    assert!(!client.is_enabled().await);
}

#[tokio::test]
async fn a_wrong_length_is_shorter_than_the_body() {
    let client = TestClient::open(1).await;
    client.one("wrong_length").await;
    let (head, body) = client.disabled().await;
    assert_eq!(body.len(), length(&head) + 1);
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["id"], 41);
}

#[tokio::test]
async fn malformed_bodies_have_a_success_status() {
    for kind in ["wrong_json", "bad_utf8", "deep_json"] {
        let client = TestClient::open(1).await;
        client.one(kind).await;
        let response = client.bytes("POST", DISABLE).await;
        let text = String::from_utf8_lossy(&response);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 201 "), "{kind}: {head}");
        assert!(serde_json::from_str::<Value>(body).is_err() || body.contains('\u{fffd}'), "{kind}: {body}");
        assert_eq!(client.first(), (Some(201), true, Some(kind)));
        assert!(!client.is_enabled().await, "{kind}");
    }
}

#[tokio::test]
async fn a_huge_body_has_its_content_length_and_exceeds_the_limit_of_clients() {
    let client = TestClient::open(1).await;
    client.one("huge_body").await;
    let (head, body) = client.disabled().await;
    assert!(body.len() > 32 << 20 && body.len() == length(&head));
    assert!(serde_json::from_slice::<Value>(&body).unwrap().is_object());
}

#[tokio::test]
async fn a_gzip_bomb_is_small_until_it_is_decompressed() {
    let client = TestClient::open(1).await;
    client.one("gzip_bomb").await;
    let response = client.bytes("POST", DISABLE).await;
    assert!(response.len() < 1 << 20 && String::from_utf8_lossy(&response).contains("content-encoding: gzip"));
    let start = response.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    let unpacked = std::io::copy(&mut flate2::read::GzDecoder::new(&response[start..]), &mut std::io::sink()).unwrap();
    assert!(unpacked > 32 << 20);
}

#[tokio::test]
async fn a_header_flood_has_thousands_of_headers() {
    let client = TestClient::open(1).await;
    client.one("header_flood").await;
    assert!(client.disabled().await.0.lines().count() > 2_000);
}

#[tokio::test]
async fn a_redirect_does_not_execute_the_request() {
    let client = TestClient::open(1).await;
    for (location, shown) in
        [(None, "http://elsewhere.invalid/"), (Some("http://127.0.0.1:9/x"), "http://127.0.0.1:9/x")]
    {
        let options = FaultOptions { location: location.map(str::to_owned), ..FaultOptions::default() };
        client.fault("*", "redirect", Some(1), options).await;
        let response = client.request("POST", "/ver1/bots/41/disable", "").await;
        assert_eq!(response.status, 302);
        assert!(response.head.contains(&format!("location: {shown}\r\n")), "{}", response.head);
    }
    assert!(client.is_enabled().await);
}

#[tokio::test]
async fn statuses_have_the_bodies_of_the_api_reference() {
    let client = TestClient::open(1).await;
    for (status, error) in [
        (400, "record_invalid"),
        (401, "signature_invalid"),
        (403, "Forbidden"),
        (404, "Not found"),
        (422, "unknown_market_api_error"),
        (429, "Too many requests"),
        (500, "Internal Server Error"),
        (503, "Service Unavailable"),
    ] {
        let response = client.status(status, FaultOptions::default()).await;
        assert_eq!((response.status, response.body["error"].as_str()), (status, Some(error)));
        assert!(!response.head.contains("retry-after"), "{}", response.head);
    }
    let banned = client.status(418, FaultOptions::default()).await;
    assert_eq!((banned.status, banned.body), (418, Value::Null));
    for status in [502, 504, 520, 524] {
        let response = client.status(status, FaultOptions::default()).await;
        assert!(response.status == status && response.head.contains("content-type: text/html"), "{}", response.head);
    }
}

#[tokio::test]
async fn a_429_has_a_retry_after_or_reports_the_plan() {
    let client = TestClient::open(1).await;
    for when in ["7", "Wed, 21 Oct 2037 07:28:00 GMT"] {
        let response =
            client.status(429, FaultOptions { retry_after: Some(when.to_owned()), ..FaultOptions::default() }).await;
        assert!(
            response.head.contains(&format!("retry-after: {}\r\n", when.to_ascii_lowercase())),
            "{}",
            response.head
        );
    }
    let response = client.status(429, FaultOptions { plan: true, ..FaultOptions::default() }).await;
    let message = "The request type 'read' is not available with your current subscription plan";
    assert_eq!((response.status, response.body), (429, serde_json::json!({ "error": message })));
}

#[tokio::test]
async fn a_fault_is_injected_into_its_operation_this_many_times() {
    let client = TestClient::open(1).await;
    let status = |status| FaultOptions { status: Some(status), ..FaultOptions::default() };
    client.fault("dca_bots.get", "status", Some(2), status(503)).await;
    client.fault("dca_bots.get", "status", None, status(500)).await;
    let mut seen = vec![client.get("/ver1/bots").await.status];
    for _ in 0..4 {
        seen.push(client.get("/ver1/bots/41/show").await.status);
    }
    assert_eq!(seen, [200, 503, 503, 500, 500]);
    let pending: Vec<_> = client.sandbox.pending_faults().iter().map(|fault| (fault.operation, fault.times)).collect();
    assert_eq!(pending, [("dca_bots.get", None)]);
    client.sandbox.clear_faults().unwrap();
    assert_eq!(client.get("/ver1/bots/41/show").await.status, 200);
    let happened = client.sandbox.injected_faults();
    assert_eq!(happened.len(), 4);
    assert_eq!((happened[0].kind, happened[0].operation), (FaultKind::Status, Some("dca_bots.get")));
    let request = ("GET".to_owned(), "/public/api/ver1/bots/41/show".to_owned());
    assert_eq!(happened[0].request, Some(request));
}

impl TestClient {
    /// Returns the responses to requests with invalid keys and signatures.
    async fn unauthenticated(&self) -> Vec<Response> {
        const LIST: &str = "/public/api/ver1/bots";
        let signature = signature(LIST.as_bytes());
        let reader = self.sandbox.add_key(&public_pem(), &[Permission::AccountsRead]).unwrap();
        let (key, unknown) = (&self.api_key, "0".repeat(64));
        let headers = [
            String::new(),
            format!("Apikey: {key}\r\n"),
            format!("Apikey: {key}\r\nSignature: AAAA\r\n"),
            format!("Apikey: {unknown}\r\nSignature: {signature}\r\n"),
            format!("Apikey: {reader}\r\nSignature: {signature}\r\n"),
        ];
        let mut responses = Vec::new();
        for headers in &headers {
            responses.push(self.send("GET", LIST, headers, "").await);
        }
        // The signature is that of another request.
        responses.push(self.send("GET", &format!("{LIST}?limit=1"), &headers[4].replace(&reader, key), "").await);
        responses
    }
}

#[tokio::test]
async fn an_unauthenticated_request_triggers_no_fault() {
    let client = TestClient::open(1).await;
    for operation in ["dca_bots.list", "*"] {
        client.fault(operation, "close_after", Some(1), FaultOptions::default()).await;
        let statuses: Vec<_> = client.unauthenticated().await.iter().map(|response| response.status).collect();
        assert_eq!(statuses, [401, 401, 401, 401, 403, 401]);
        assert_eq!(client.sandbox.pending_faults().len(), 1);
        assert_eq!(client.bytes("GET", "/public/api/ver1/bots").await, b"");
        assert_eq!(client.sandbox.pending_faults(), []);
    }
    assert_eq!(client.sandbox.injected_faults().len(), 2);
}

#[tokio::test]
async fn a_rate_limited_request_triggers_no_fault() {
    let client =
        TestClient::with(SandboxOptions { bots: 1, limits: LimitOptions::per_minute(1), ..SandboxOptions::default() })
            .await;
    assert_eq!(client.get("/ver1/bots").await.status, 200);
    client.fault("*", "status", Some(1), FaultOptions { status: Some(503), ..FaultOptions::default() }).await;
    let mut statuses = Vec::new();
    for _ in 0..13 {
        statuses.push(client.get("/ver1/bots").await.status);
    }
    assert_eq!(statuses, [[429; 11].as_slice(), &[418; 2]].concat());
    assert_eq!(client.sandbox.pending_faults().len(), 1);
}

#[tokio::test]
async fn a_request_with_a_fault_counts_for_the_rate_limit() {
    let client =
        TestClient::with(SandboxOptions { bots: 1, limits: LimitOptions::per_minute(2), ..SandboxOptions::default() })
            .await;
    client.fault("*", "status", Some(1), FaultOptions { status: Some(503), ..FaultOptions::default() }).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(client.get("/ver1/bots").await.status);
    }
    assert_eq!(statuses, [503, 200, 429]);
}

#[tokio::test]
async fn random_faults_are_drawn_only_for_authenticated_requests() {
    async fn faults(client: &TestClient, others: bool) -> Vec<Option<&'static str>> {
        client.sandbox.add_random_faults(0.5, 1);
        let mut befallen = Vec::new();
        for _ in 0..20 {
            if others {
                client.unauthenticated().await;
            }
            client.bytes("GET", "/public/api/ver1/bots").await;
            befallen.push(client.sandbox.requests().last().unwrap().fault);
        }
        befallen
    }
    let client = TestClient::open(1).await;
    assert_eq!(faults(&client, false).await, faults(&client, true).await);
}

#[tokio::test]
async fn an_authenticated_request_of_an_unknown_path_triggers_a_fault() {
    let client = TestClient::open(1).await;
    let status = || FaultOptions { status: Some(503), ..FaultOptions::default() };
    client.fault("*", "status", Some(1), status()).await;
    assert_eq!(client.send("GET", "/public/api/ver1/nothing", "", "").await.status, 404);
    assert_eq!(client.send("GET", "/elsewhere", "", "").await.status, 404);
    assert_eq!(client.get("/ver1/nothing").await.status, 503);
}

#[tokio::test]
async fn connections_are_refused() {
    let client = TestClient::open(1).await;
    let mut kept = client.connect().await;
    kept.write_all(format!("{}\r\n", client.request_head("GET", "/public/api/ver1/bots")).as_bytes()).await.unwrap();
    let mut begin = [0; 12];
    kept.read_exact(&mut begin).await.unwrap();
    client.fault("*", "refuse", None, FaultOptions::default()).await;
    let address = client.sandbox.url().strip_prefix("http://").unwrap();
    for _ in 0..3 {
        let rejected = TcpStream::connect(address).await.map(|_| ()).unwrap_err();
        assert_eq!(rejected.kind(), ErrorKind::ConnectionRefused);
    }
    let mut rest = Vec::new();
    kept.read_to_end(&mut rest).await.unwrap();
    client.sandbox.clear_faults().unwrap();
    assert_eq!(client.get("/ver1/bots").await.status, 200);
    assert_eq!(client.sandbox.requests().len(), 2);
}

#[tokio::test]
async fn refused_connections_can_have_a_duration() {
    let client = TestClient::open(1).await;
    client
        .fault("*", "refuse", None, FaultOptions { seconds: Some(Duration::from_millis(1)), ..FaultOptions::default() })
        .await;
    let address = client.sandbox.url().strip_prefix("http://").unwrap();
    while TcpStream::connect(address).await.is_err() {
        tokio::task::yield_now().await;
    }
    assert_eq!((client.get("/ver1/bots").await.status, client.sandbox.pending_faults().len()), (200, 0));
}

#[tokio::test]
async fn a_sandbox_that_refuses_connections_can_be_stopped() {
    let client = TestClient::open(1).await;
    client.fault("*", "refuse", None, FaultOptions::default()).await;
    client.sandbox.stop();
    client.sandbox.port_freed().await;
    let port = client.sandbox.url().rsplit(':').next().unwrap().parse().unwrap();
    TestClient::with(SandboxOptions { port, ..SandboxOptions::default() }).await;
}

#[tokio::test]
async fn this_many_connections_are_reset() {
    let client = TestClient::open(1).await;
    client.fault("*", "reset", Some(2), FaultOptions::default()).await;
    for _ in 0..2 {
        let mut stream = client.connect().await;
        let error = stream.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    assert_eq!(client.get("/ver1/bots").await.status, 200);
    assert_eq!((client.sandbox.injected_faults().len(), client.sandbox.requests().len()), (2, 1));
}

#[tokio::test]
async fn random_faults_are_the_same_for_the_same_seed() {
    async fn faults(seed: u64) -> Vec<Option<&'static str>> {
        let client = TestClient::open(1).await;
        client.sandbox.add_random_faults(0.5, seed);
        for _ in 0..30 {
            client.bytes("GET", "/public/api/ver1/bots").await;
        }
        client.sandbox.requests().iter().map(|request| request.fault).collect()
    }
    let first = faults(1).await;
    assert_eq!(first, faults(1).await);
    assert_ne!(first, faults(2).await);
    assert!(first.iter().any(Option::is_none) && first.iter().flatten().count() > 5);
}

#[tokio::test]
async fn a_key_that_exceeds_its_limit_is_blocked_and_then_its_ip_is_banned() {
    let limits = LimitOptions { retry_after: true, ..LimitOptions::per_minute(2) };
    let client = TestClient::with(SandboxOptions { bots: 1, limits, ..SandboxOptions::default() }).await;
    let mut seen = Vec::new();
    for _ in 0..15 {
        seen.push(client.get("/ver1/bots").await);
    }
    let statuses: Vec<_> = seen.iter().map(|response| response.status).collect();
    assert_eq!(statuses, [[200; 2].as_slice(), &[429; 11], &[418; 2]].concat());
    assert!(seen[2..].iter().all(|response| response.head.contains("\r\nretry-after: ")));
    assert!(client.sandbox.requests()[2..].iter().all(|request| !request.carried_out));
}

#[tokio::test]
async fn a_ban_rejects_every_request_of_the_address_until_it_is_over() {
    let client = TestClient::open(1).await;
    let seconds = Some(std::time::Duration::from_secs(240));
    client.fault("dca_bots.list", "ban", Some(1), FaultOptions { seconds, ..FaultOptions::default() }).await;
    let ping = async || client.send("GET", "/public/api/ver1/ping", "", "").await.status;
    assert_eq!(ping().await, 200);
    assert_eq!(client.get("/ver1/bots").await.status, 418);
    assert_eq!((client.get("/ver1/accounts").await.status, ping().await), (418, 418));
    client.sandbox.advance(jiff::SignedDuration::from_secs(240)).unwrap();
    assert_eq!((client.get("/ver1/bots").await.status, ping().await), (200, 200));
}

#[tokio::test]
async fn every_response_has_a_request_id_of_its_own() {
    let client =
        TestClient::with(SandboxOptions { limits: LimitOptions::per_minute(4), ..SandboxOptions::default() }).await;
    for status in [503, 502] {
        client.fault("*", "status", Some(1), FaultOptions { status: Some(status), ..FaultOptions::default() }).await;
    }
    client.fault("*", "ban", Some(1), FaultOptions::default()).await;
    let mut ids = Vec::new();
    for target in ["/ver1/none", "/ver1/ping", "/ver1/bots", "/ver1/bots", "/ver1/bots"] {
        let response = client.get(target).await;
        ids.push(response.head.split_once("\r\nx-request-id: ").unwrap().1.split("\r\n").next().unwrap().to_owned());
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
