//! What goes wrong on purpose, against bytes on a socket.

use std::io::ErrorKind;
use std::time::Duration;

use super::*;
use crate::{Details, Fault, Kind};

/// The bot that is written to, and the request that does.
const DISABLE: &str = "/public/api/ver1/bots/41/disable";

impl Desk {
    async fn fault(&self, operation: &str, kind: &str, times: Option<u32>, details: Details) {
        self.sandbox.add_fault(Fault::described(operation, kind, times, details).unwrap()).await;
    }

    async fn one(&self, kind: &str) {
        self.fault("dca_bots.disable", kind, Some(1), Details::default()).await;
    }

    async fn status(&self, status: u16, details: Details) -> Answer {
        self.fault("*", "status", Some(1), Details { status: Some(status), ..details }).await;
        self.get("/ver1/bots").await
    }

    fn request(&self, method: &str, path: &str) -> String {
        let (key, signature) = (&self.api_key, signature(path.as_bytes()));
        format!("{method} {path} HTTP/1.1\r\nHost: sandbox\r\nApikey: {key}\r\nSignature: {signature}\r\n")
    }

    /// All that comes back for the only request of a connection.
    async fn bytes(&self, method: &str, path: &str) -> Vec<u8> {
        let mut stream = self.connect().await;
        let request = format!("{}Connection: close\r\n\r\n", self.request(method, path));
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        answer
    }

    /// Head and body of what comes back to a write.
    async fn disabled(&self) -> (String, Vec<u8>) {
        let answer = self.bytes("POST", DISABLE).await;
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
        (String::from_utf8(answer[..end].to_vec()).unwrap().to_ascii_lowercase(), answer[end..].to_vec())
    }

    async fn is_enabled(&self) -> bool {
        self.show(41).await["is_enabled"].as_bool().unwrap()
    }

    /// Status, whether it was carried out, and the fault, of the request that came first.
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
async fn a_connection_closed_before_leaves_the_write_undone() {
    let desk = Desk::open(1).await;
    desk.one("close_before").await;
    assert_eq!(desk.bytes("POST", DISABLE).await, b"");
    assert_eq!(desk.first(), (None, false, Some("close_before")));
    assert!(desk.is_enabled().await);
}

#[tokio::test]
async fn a_connection_closed_after_leaves_the_write_done() {
    let desk = Desk::open(1).await;
    desk.one("close_after").await;
    assert_eq!(desk.bytes("POST", DISABLE).await, b"");
    assert_eq!(desk.first(), (None, true, Some("close_after")));
    assert!(!desk.is_enabled().await);
}

#[tokio::test]
async fn a_refused_write_is_not_carried_out_by_closing_after_it() {
    let desk = Desk::open(1).await;
    desk.one("close_after").await;
    assert_eq!(desk.bytes("POST", "/public/api/ver1/bots/99/disable").await, b"");
    assert_eq!(desk.first(), (None, false, Some("close_after")));
}

#[tokio::test]
async fn a_request_that_stalls_is_noted_and_ends_with_the_sandbox() {
    let desk = Desk::open(1).await;
    desk.one("stall").await;
    let mut stream = desk.connect().await;
    stream.write_all(format!("{}\r\n", desk.request("POST", DISABLE)).as_bytes()).await.unwrap();
    while desk.sandbox.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(desk.is_enabled().await);
    assert_eq!(desk.first(), (None, false, Some("stall")));
    desk.sandbox.stop();
    let mut answer = Vec::new();
    // It may end in a reset.
    let _ = stream.read_to_end(&mut answer).await;
    assert_eq!(answer, b"");
}

#[tokio::test]
async fn an_answer_that_trickles_arrives_whole() {
    let desk = Desk::open(1).await;
    for interval in [None, Some(Duration::from_micros(1))] {
        desk.fault("smart_trades.reduce_funds_info", "trickle", Some(1), Details { interval, ..Details::default() })
            .await;
        let answer = desk.get("/v2/smart_trades/301/reduce_funds_info").await;
        assert_eq!(answer.status, 200);
        assert!(answer.body["max_reduce_funds_amount"].is_string());
    }
}

#[tokio::test]
async fn a_cut_body_is_half_of_what_was_announced() {
    let desk = Desk::open(1).await;
    desk.one("cut_body").await;
    let (head, body) = desk.disabled().await;
    assert!(head.starts_with("http/1.1 201 created\r\n"), "{head}");
    assert_eq!(body.len(), length(&head) / 2);
    assert_eq!(desk.first(), (Some(201), true, Some("cut_body")));
    assert!(!desk.is_enabled().await);
}

#[tokio::test]
async fn a_wrong_length_is_shorter_than_the_body() {
    let desk = Desk::open(1).await;
    desk.one("wrong_length").await;
    let (head, body) = desk.disabled().await;
    assert_eq!(body.len(), length(&head) + 1);
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["id"], 41);
}

#[tokio::test]
async fn bodies_that_no_client_can_read_come_as_successes() {
    for kind in ["wrong_json", "bad_utf8", "deep_json"] {
        let desk = Desk::open(1).await;
        desk.one(kind).await;
        let answer = desk.bytes("POST", DISABLE).await;
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 201 "), "{kind}: {head}");
        assert!(serde_json::from_str::<Value>(body).is_err() || body.contains('\u{fffd}'), "{kind}: {body}");
        assert_eq!(desk.first(), (Some(201), true, Some(kind)));
        assert!(!desk.is_enabled().await, "{kind}");
    }
}

#[tokio::test]
async fn a_huge_body_is_as_long_as_it_says_and_longer_than_any_client_takes() {
    let desk = Desk::open(1).await;
    desk.one("huge_body").await;
    let (head, body) = desk.disabled().await;
    assert!(body.len() > 32 << 20 && body.len() == length(&head));
    assert!(serde_json::from_slice::<Value>(&body).unwrap().is_object());
}

#[tokio::test]
async fn a_bomb_is_small_until_it_is_unpacked() {
    let desk = Desk::open(1).await;
    desk.one("gzip_bomb").await;
    let answer = desk.bytes("POST", DISABLE).await;
    assert!(answer.len() < 1 << 20 && String::from_utf8_lossy(&answer).contains("content-encoding: gzip"));
    let start = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    let unpacked = std::io::copy(&mut flate2::read::GzDecoder::new(&answer[start..]), &mut std::io::sink()).unwrap();
    assert!(unpacked > 32 << 20);
}

#[tokio::test]
async fn a_flood_has_thousands_of_headers() {
    let desk = Desk::open(1).await;
    desk.one("header_flood").await;
    assert!(desk.disabled().await.0.lines().count() > 2_000);
}

#[tokio::test]
async fn a_redirect_leads_elsewhere_and_carries_nothing_out() {
    let desk = Desk::open(1).await;
    for (location, shown) in
        [(None, "http://elsewhere.invalid/"), (Some("http://127.0.0.1:9/x"), "http://127.0.0.1:9/x")]
    {
        let details = Details { location: location.map(str::to_owned), ..Details::default() };
        desk.fault("*", "redirect", Some(1), details).await;
        let answer = desk.ask("POST", "/ver1/bots/41/disable", "").await;
        assert_eq!(answer.status, 302);
        assert!(answer.head.contains(&format!("location: {shown}\r\n")), "{}", answer.head);
    }
    assert!(desk.is_enabled().await);
}

#[tokio::test]
async fn statuses_come_with_the_documents_bodies() {
    let desk = Desk::open(1).await;
    for (status, error) in [
        (400, "record_invalid"),
        (401, "signature_invalid"),
        (403, "Forbidden"),
        (404, "Not found"),
        (418, "I'm a teapot"),
        (422, "unknown_market_api_error"),
        (429, "Too many requests"),
        (500, "Internal Server Error"),
        (503, "Service Unavailable"),
    ] {
        let answer = desk.status(status, Details::default()).await;
        assert_eq!((answer.status, answer.body["error"].as_str()), (status, Some(error)));
        assert!(!answer.head.contains("retry-after"), "{}", answer.head);
    }
    for status in [502, 504] {
        let answer = desk.status(status, Details::default()).await;
        assert!(answer.status == status && answer.head.contains("content-type: text/html"), "{}", answer.head);
    }
}

#[tokio::test]
async fn a_429_says_when_to_come_back_or_that_the_plan_is_too_small() {
    let desk = Desk::open(1).await;
    for when in ["7", "Wed, 21 Oct 2037 07:28:00 GMT"] {
        let answer = desk.status(429, Details { retry_after: Some(when.to_owned()), ..Details::default() }).await;
        assert!(answer.head.contains(&format!("retry-after: {}\r\n", when.to_ascii_lowercase())), "{}", answer.head);
    }
    let answer = desk.status(429, Details { plan: true, ..Details::default() }).await;
    let said = "The request type 'read' is not available with your current subscription plan";
    assert_eq!((answer.status, answer.body["error_description"].as_str()), (429, Some(said)));
}

#[tokio::test]
async fn a_fault_befalls_its_operation_as_often_as_it_says() {
    let desk = Desk::open(1).await;
    let status = |status| Details { status: Some(status), ..Details::default() };
    desk.fault("dca_bots.get", "status", Some(2), status(503)).await;
    desk.fault("dca_bots.get", "status", None, status(500)).await;
    let mut seen = vec![desk.get("/ver1/bots").await.status];
    for _ in 0..4 {
        seen.push(desk.get("/ver1/bots/41/show").await.status);
    }
    assert_eq!(seen, [200, 503, 503, 500, 500]);
    let pending: Vec<_> = desk.sandbox.pending_faults().iter().map(|fault| (fault.operation, fault.times)).collect();
    assert_eq!(pending, [("dca_bots.get", None)]);
    desk.sandbox.clear_faults().unwrap();
    assert_eq!(desk.get("/ver1/bots/41/show").await.status, 200);
    let happened = desk.sandbox.happened_faults();
    assert_eq!(happened.len(), 4);
    assert_eq!((happened[0].kind, happened[0].operation), (Kind::Status, Some("dca_bots.get")));
    let request = ("GET".to_owned(), "/public/api/ver1/bots/41/show".to_owned());
    assert_eq!(happened[0].request, Some(request));
}

impl Desk {
    /// The answers to requests that their keys and signatures do not let in.
    async fn shut_out(&self) -> Vec<Answer> {
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
        let mut answers = Vec::new();
        for headers in &headers {
            answers.push(self.send("GET", LIST, headers, "").await);
        }
        // The signature is of another request.
        answers.push(self.send("GET", &format!("{LIST}?limit=1"), &headers[4].replace(&reader, key), "").await);
        answers
    }
}

#[tokio::test]
async fn a_request_that_is_not_let_in_uses_up_no_fault() {
    let desk = Desk::open(1).await;
    for operation in ["dca_bots.list", "*"] {
        desk.fault(operation, "close_after", Some(1), Details::default()).await;
        let statuses: Vec<_> = desk.shut_out().await.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [401, 401, 401, 401, 403, 401]);
        assert_eq!(desk.sandbox.pending_faults().len(), 1);
        assert_eq!(desk.bytes("GET", "/public/api/ver1/bots").await, b"");
        assert_eq!(desk.sandbox.pending_faults(), []);
    }
    assert_eq!(desk.sandbox.happened_faults().len(), 2);
}

#[tokio::test]
async fn a_request_that_the_rate_limit_refuses_uses_up_no_fault() {
    let desk = Desk::with(Options { bots: 1, rate_limit: Some(1), ..Options::default() }).await;
    assert_eq!(desk.get("/ver1/bots").await.status, 200);
    desk.fault("*", "status", Some(1), Details { status: Some(503), ..Details::default() }).await;
    let mut statuses = Vec::new();
    for _ in 0..13 {
        statuses.push(desk.get("/ver1/bots").await.status);
    }
    assert_eq!(statuses, [[429; 11].as_slice(), &[418; 2]].concat());
    assert_eq!(desk.sandbox.pending_faults().len(), 1);
}

#[tokio::test]
async fn a_request_that_a_fault_befalls_counts_for_the_rate_limit() {
    let desk = Desk::with(Options { bots: 1, rate_limit: Some(2), ..Options::default() }).await;
    desk.fault("*", "status", Some(1), Details { status: Some(503), ..Details::default() }).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(desk.get("/ver1/bots").await.status);
    }
    assert_eq!(statuses, [503, 200, 429]);
}

#[tokio::test]
async fn chance_counts_only_the_requests_that_are_let_in() {
    async fn befallen(desk: &Desk, others: bool) -> Vec<Option<&'static str>> {
        desk.sandbox.add_random_faults(0.5, 1);
        let mut befallen = Vec::new();
        for _ in 0..20 {
            if others {
                desk.shut_out().await;
            }
            desk.bytes("GET", "/public/api/ver1/bots").await;
            befallen.push(desk.sandbox.requests().last().unwrap().fault);
        }
        befallen
    }
    let desk = Desk::open(1).await;
    assert_eq!(befallen(&desk, false).await, befallen(&desk, true).await);
}

#[tokio::test]
async fn a_request_of_an_unknown_path_uses_up_a_fault_where_it_is_let_in() {
    let desk = Desk::open(1).await;
    let status = || Details { status: Some(503), ..Details::default() };
    desk.fault("*", "status", Some(1), status()).await;
    assert_eq!(desk.send("GET", "/public/api/ver1/nothing", "", "").await.status, 404);
    assert_eq!(desk.send("GET", "/elsewhere", "", "").await.status, 404);
    assert_eq!(desk.get("/ver1/nothing").await.status, 503);
}

#[tokio::test]
async fn nobody_listens_while_connections_are_refused() {
    let desk = Desk::open(1).await;
    let mut kept = desk.connect().await;
    kept.write_all(format!("{}\r\n", desk.request("GET", "/public/api/ver1/bots")).as_bytes()).await.unwrap();
    let mut begin = [0; 12];
    kept.read_exact(&mut begin).await.unwrap();
    desk.fault("*", "refuse", None, Details::default()).await;
    let address = desk.sandbox.url().strip_prefix("http://").unwrap();
    for _ in 0..3 {
        let refused = TcpStream::connect(address).await.map(|_| ()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    }
    let mut rest = Vec::new();
    kept.read_to_end(&mut rest).await.unwrap();
    desk.sandbox.clear_faults().unwrap();
    assert_eq!(desk.get("/ver1/bots").await.status, 200);
    assert_eq!(desk.sandbox.requests().len(), 2);
}

#[tokio::test]
async fn a_refusal_may_end_by_itself() {
    let desk = Desk::open(1).await;
    desk.fault("*", "refuse", None, Details { seconds: Some(Duration::from_millis(1)), ..Details::default() }).await;
    let address = desk.sandbox.url().strip_prefix("http://").unwrap();
    while TcpStream::connect(address).await.is_err() {
        tokio::task::yield_now().await;
    }
    assert_eq!((desk.get("/ver1/bots").await.status, desk.sandbox.pending_faults().len()), (200, 0));
}

#[tokio::test]
async fn a_sandbox_that_refuses_can_be_stopped() {
    let desk = Desk::open(1).await;
    desk.fault("*", "refuse", None, Details::default()).await;
    desk.sandbox.stop();
    desk.sandbox.port_freed().await;
    let port = desk.sandbox.url().rsplit(':').next().unwrap().parse().unwrap();
    Desk::with(Options { port, ..Options::default() }).await;
}

#[tokio::test]
async fn as_many_connections_are_reset_as_was_said() {
    let desk = Desk::open(1).await;
    desk.fault("*", "reset", Some(2), Details::default()).await;
    for _ in 0..2 {
        let mut stream = desk.connect().await;
        let error = stream.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    assert_eq!(desk.get("/ver1/bots").await.status, 200);
    assert_eq!((desk.sandbox.happened_faults().len(), desk.sandbox.requests().len()), (2, 1));
}

#[tokio::test]
async fn chance_is_the_same_for_the_same_seed() {
    async fn befallen(seed: u64) -> Vec<Option<&'static str>> {
        let desk = Desk::open(1).await;
        desk.sandbox.add_random_faults(0.5, seed);
        for _ in 0..30 {
            desk.bytes("GET", "/public/api/ver1/bots").await;
        }
        desk.sandbox.requests().iter().map(|request| request.fault).collect()
    }
    let first = befallen(1).await;
    assert_eq!(first, befallen(1).await);
    assert_ne!(first, befallen(2).await);
    assert!(first.iter().any(Option::is_none) && first.iter().flatten().count() > 5);
}

#[tokio::test]
async fn a_key_that_asks_too_often_is_refused_and_its_address_banned_at_last() {
    let desk = Desk::with(Options { bots: 1, rate_limit: Some(2), ..Options::default() }).await;
    let mut seen = Vec::new();
    for _ in 0..15 {
        seen.push(desk.get("/ver1/bots").await);
    }
    let statuses: Vec<_> = seen.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [[200; 2].as_slice(), &[429; 11], &[418; 2]].concat());
    assert!(seen[2..].iter().all(|answer| answer.head.contains("\r\nretry-after: ")));
    assert!(desk.sandbox.requests()[2..].iter().all(|request| !request.carried_out));
}
