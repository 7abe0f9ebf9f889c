//! The HTTP client against a socket: the requests that it sends, and the results of the responses.

// Clippy takes only the test functions themselves for tests.
#![allow(clippy::expect_used)]

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use botdesk_api::accounts::Account;
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::samples::operation;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::error::{Error, TransportFailure};
use botdesk_client::http::events::{EventKind, Listener, with_listener};
use botdesk_client::http::retry::RetryPolicy;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::pages::Paginator;
use botdesk_client::rate_limit::RateLimit;
use botdesk_client::request::base_url::BaseUrl;
use botdesk_client::request::spec::{InputValues, RequestSpec};
use botdesk_schema::error::ApiErrorKind;
use botdesk_schema::input::Rule;
use botdesk_schema::operation::{Operation, get};
use botdesk_schema::record::Record as _;
use botdesk_schema::values::{Integer, List};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const BOT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"id\":41}";

fn key() -> Arc<PrivateKey> {
    let pem = include_bytes!("../../../tests/fixtures/keys/rsa_2048.pem");
    Arc::new(PrivateKey::from_pem(pem, None).expect("the test key can be read"))
}

/// Serves one request with these bytes, closes the connection, and returns the head of the request.
async fn service(response: &'static str) -> (String, JoinHandle<String>) {
    services([response]).await
}

/// Serves one request after another, each on its own connection, and returns the head of the last request.
async fn services<const N: usize>(responses: [&'static str; N]) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let served = tokio::spawn(async move {
        let mut head = Vec::new();
        for response in responses {
            let (mut connection, _) = listener.accept().await.expect("a client connects");
            head.clear();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(connection.read_u8().await.expect("a request arrives"));
            }
            connection.write_all(response.as_bytes()).await.expect("the client listens");
        }
        String::from_utf8(head).expect("a head is ASCII")
    });
    (url, served)
}

fn client(url: &str) -> HttpClient {
    let base_url = BaseUrl::parse(url, false).expect("the URL is valid");
    let settings = Settings { retries: RetryPolicy::NONE, ..Settings::new(base_url) };
    HttpClient::new("an-api-key", key(), settings).expect("the client can be made")
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn the_signature_covers_the_path_after_the_prefix() {
    let (url, served) = service(BOT).await;
    client(&format!("{url}/gate/")).record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.unwrap();
    let head = served.await.unwrap();
    assert!(head.starts_with("GET /gate/public/api/ver1/bots/41/show HTTP/1.1\r\n"), "{head}");
    assert_eq!(header(&head, "apikey"), Some("an-api-key"));
    let signature = key().sign(b"/public/api/ver1/bots/41/show").unwrap();
    assert_eq!(header(&head, "signature"), Some(signature.as_str()));
}

#[tokio::test]
async fn a_response_becomes_a_record() {
    let (url, _) = service(BOT).await;
    let bot = client(&url).record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.unwrap();
    assert_eq!(DcaBot::from_fields(bot).id().unwrap(), Some(41));
}

botdesk_schema::inputs! {
    /// The inputs of a list with numbered pages.
    NumberedPages of "a list" {
        /// Number of the page.
        page: Integer [Rule::AtLeast("1")];
        /// Most records on a page.
        per_page: Integer [Rule::Between("1", "2")];
    }
}

const ACCOUNTS: Operation =
    get("accounts.list", "/ver1/accounts").query(NumberedPages::INPUTS).returns::<List<Account>>();

async fn listed<const N: usize>(pages: [&'static str; N]) -> (Vec<i64>, String) {
    let (url, served) = services(pages).await;
    let given = InputValues { inputs: Vec::new(), unsendable: Vec::new(), validate: true };
    let mut pages = Paginator::new(Arc::new(client(&url)), &ACCOUNTS, Vec::new(), given).expect("the inputs are valid");
    let mut ids = Vec::new();
    while let Some(account) = pages.next().await.expect("the service responds") {
        ids.push(Account::from_fields(account).id().ok().flatten().expect("it has an id"));
    }
    (ids, served.await.expect("it served all pages"))
}

#[tokio::test]
async fn numbered_pages_are_read_up_to_one_that_is_not_full() {
    let (ids, last) = listed([
        "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n[{\"id\":1},{\"id\":2}]",
        "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n[{\"id\":3},{\"id\":4}]",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[{\"id\":5}]",
    ])
    .await;
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert!(last.starts_with("GET /public/api/ver1/accounts?page=3&per_page=2 HTTP/1.1\r\n"), "{last}");
}

#[tokio::test]
async fn a_numbered_list_that_shifts_is_read_again() {
    let (ids, last) = listed([
        "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n[{\"id\":1},{\"id\":2}]",
        "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n[{\"id\":2},{\"id\":3}]",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n[{\"id\":9},{\"id\":1}]",
        "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n[{\"id\":2},{\"id\":3}]",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
    ])
    .await;
    assert_eq!(ids, [1, 2, 3, 9]);
    assert!(last.starts_with("GET /public/api/ver1/accounts?page=3&per_page=2 HTTP/1.1\r\n"), "{last}");
}

#[tokio::test]
async fn an_error_response_keeps_its_status_and_its_body() {
    let (url, _) = service("HTTP/1.1 404 Not Found\r\nContent-Length: 21\r\n\r\n{\"error\":\"Not found\"}").await;
    let Err(Error::Api(response)) = client(&url).record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await
    else {
        panic!("it is a success");
    };
    assert_eq!((response.kind, response.status), (ApiErrorKind::NotFound, 404));
    assert_eq!(response.raw_body, "{\"error\":\"Not found\"}");
}

#[tokio::test]
async fn a_read_whose_connection_breaks_fails() {
    let (url, _) = service("").await;
    let error = client(&url).record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.unwrap_err();
    assert!(matches!(error, Error::Transport { failure: TransportFailure::Broken, sent: true, .. }), "{error:?}");
}

#[tokio::test]
async fn a_write_whose_connection_breaks_may_have_been_applied() {
    let (url, _) = service("").await;
    let error = client(&url).record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await.unwrap_err();
    assert!(
        matches!(error, Error::Transport { failure: TransportFailure::OutcomeUnknown, sent: true, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_write_without_a_connection_has_sent_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&url).record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await.unwrap_err();
    assert!(matches!(error, Error::Transport { failure: TransportFailure::Connection, sent: false, .. }), "{error:?}");
    assert!(error.to_string().ends_with("; nothing was sent"), "{error}");
    let error =
        retrying_client(&url).record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await.unwrap_err();
    assert!(matches!(error, Error::Transport { failure: TransportFailure::Connection, sent: false, .. }), "{error:?}");
    assert!(error.to_string().ends_with("; nothing was sent; tried 2 times"), "{error}");
}

#[tokio::test]
async fn a_retry_waits_for_the_random_share_of_the_backoff() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = BaseUrl::parse(&format!("http://{}", listener.local_addr().unwrap()), false).unwrap();
    drop(listener);
    let retries = RetryPolicy {
        retries: 1,
        backoff: Duration::from_millis(8),
        max_backoff: Duration::from_secs(1),
        ..RetryPolicy::NONE
    };
    let settings = Settings { retries, random_share: Arc::new(|| 0.25), ..Settings::new(base_url) };
    let client = HttpClient::new("an-api-key", key(), settings).unwrap();
    let (sender, waits) = channel();
    let listener: Listener = Arc::new(move |event| {
        if let EventKind::Retry { wait, .. } = event.kind {
            sender.send(wait).unwrap();
        }
    });
    let call = client.record(RequestSpec::plain(operation("dca_bots.get"), Some(41)));
    with_listener(Some(listener), call).await.unwrap_err();
    assert_eq!(waits.try_iter().collect::<Vec<_>>(), [Duration::from_millis(2)]);
}

#[tokio::test]
async fn a_request_is_not_sent_if_the_client_is_closed_just_before() {
    let (url, _) = service(BOT).await;
    let client = Arc::new(client(&url));
    let closing = Arc::clone(&client);
    let close: Listener = Arc::new(move |event| {
        if matches!(event.kind, EventKind::Start) {
            closing.close();
        }
    });
    let call = client.record(RequestSpec::plain(operation("dca_bots.disable"), Some(41)));
    let error = with_listener(Some(close), call).await.unwrap_err();
    assert!(matches!(error, Error::Closed(_)), "{error:?}");
    assert!(!error.may_have_applied());
}

#[tokio::test]
async fn a_request_that_waits_for_the_rate_limit_is_not_sent_after_the_client_is_closed() {
    let (url, _) = service(BOT).await;
    let settings = client(&url).settings().clone();
    let limit = RateLimit { requests: 1, per: Duration::from_secs(3_600) };
    let client = Arc::new(client(&url).with_settings(Settings { rate_limit: Some(limit.into()), ..settings }).unwrap());
    client.record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.unwrap();
    let waiting = Arc::clone(&client);
    let call =
        tokio::spawn(async move { waiting.record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await });
    // The runtime has one thread, so the call runs until it waits.
    tokio::task::yield_now().await;
    client.close();
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Closed(_)), "{error:?}");
    assert!(error.to_string().contains("dca_bots.disable was not sent"), "{error}");
}

#[tokio::test]
async fn a_call_that_is_dropped_closes_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Arc::new(client(&format!("http://{}", listener.local_addr().unwrap())));
    let call =
        tokio::spawn(async move { client.record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await });
    let (mut connection, _) = listener.accept().await.unwrap();
    connection.read_u8().await.unwrap();
    call.abort();
    // Ends only if the other side is closed.
    connection.read_to_end(&mut Vec::new()).await.unwrap();
}

/// Serves one request with these bytes, and stops listening before that.
async fn service_that_leaves(response: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.expect("a client connects");
        drop(listener);
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(connection.read_u8().await.expect("a request arrives"));
        }
        connection.write_all(response.as_bytes()).await.expect("the client listens");
    });
    url
}

fn retrying_client(url: &str) -> HttpClient {
    let settings = client(url).settings().clone();
    let retries = RetryPolicy { retries: 1, ..RetryPolicy::NONE };
    client(url).with_settings(Settings { retries, ..settings }).expect("the client can be made")
}

#[tokio::test]
async fn a_rate_limited_write_without_a_connection_for_the_retry_has_changed_nothing() {
    let rate_limited =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let url = service_that_leaves(rate_limited).await;
    let error =
        retrying_client(&url).record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await.unwrap_err();
    assert!(matches!(error, Error::Transport { failure: TransportFailure::Connection, sent: false, .. }), "{error:?}");
    assert!(
        error.to_string().ends_with("; tried 2 times, and the service rejected an earlier attempt (429)"),
        "{error}"
    );
    assert!(!error.to_string().contains("nothing was sent"), "{error}");
}

#[tokio::test]
async fn a_read_without_a_connection_for_the_retry_may_have_arrived_before() {
    let url = service_that_leaves("").await;
    let error =
        retrying_client(&url).record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.unwrap_err();
    assert!(matches!(error, Error::Transport { failure: TransportFailure::Connection, sent: true, .. }), "{error:?}");
    assert!(error.to_string().ends_with("; tried 2 times, and an earlier attempt may have arrived"), "{error}");
    assert!(!error.to_string().contains("nothing was sent"), "{error}");
}

#[tokio::test]
async fn a_read_that_breaks_twice_counts_its_attempts() {
    let (url, _) = services(["", ""]).await;
    let error =
        retrying_client(&url).record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.unwrap_err();
    assert!(matches!(error, Error::Transport { failure: TransportFailure::Broken, sent: true, .. }), "{error:?}");
    assert!(error.to_string().starts_with("the connection broke during dca_bots.get ("), "{error}");
    assert!(error.to_string().ends_with("); tried 2 times"), "{error}");
}

#[tokio::test]
async fn a_rate_limited_write_whose_retry_breaks_may_have_been_applied() {
    let rate_limited =
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let (url, _) = services([rate_limited, ""]).await;
    let error =
        retrying_client(&url).record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await.unwrap_err();
    assert!(
        matches!(error, Error::Transport { failure: TransportFailure::OutcomeUnknown, sent: true, .. }),
        "{error:?}"
    );
    assert!(error.to_string().ends_with("look before you repeat it; tried 2 times"), "{error}");
}

/// A service that sends a second response to the first request on demand, and serves one request on each further connection.
struct UnrequestedResponse {
    url: String,
    /// Requests the second response.
    go: Sender<()>,
    /// Confirms that it was sent.
    sent: Receiver<()>,
    /// Returns what else arrived on the first connection before the client closed it.
    served: thread::JoinHandle<String>,
}

impl UnrequestedResponse {
    fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let (go, requested) = channel();
        let (confirm, sent) = channel();
        let served = thread::spawn(move || {
            let (mut first, _) = listener.accept().expect("a client connects");
            respond(&mut first, "first");
            requested.recv().expect("the test goes on");
            first.write_all(response("unrequested").as_bytes()).expect("the client listens");
            confirm.send(()).expect("the test waits");
            let mut rest = String::new();
            first.read_to_string(&mut rest).expect("the client closes the connection");
            if rest.is_empty() {
                let (mut second, _) = listener.accept().expect("the client connects again");
                respond(&mut second, "second");
            }
            rest
        });
        Self { url, go, sent, served }
    }

    /// Makes a call before the second response arrives and one after it, and returns the name in the response to the latter. The runtime's
    /// thread is blocked in between, so that it can't handle what arrives.
    async fn call_twice(client: HttpClient, go: Sender<()>, sent: Receiver<()>) -> String {
        client.record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.expect("the service responds");
        go.send(()).expect("the service runs");
        sent.recv().expect("the service runs");
        let bot = client
            .record(RequestSpec::plain(operation("dca_bots.disable"), Some(41)))
            .await
            .expect("the service responds");
        DcaBot::from_fields(bot).name().expect("it can be read").expect("it is there").to_string()
    }
}

/// Reads a request without a body, and sends a bot with this name.
fn respond(connection: &mut std::net::TcpStream, name: &str) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        connection.read_exact(&mut byte).expect("a request arrives");
        head.extend(byte);
    }
    connection.write_all(response(name).as_bytes()).expect("the client listens");
}

fn response(name: &str) -> String {
    let body = format!("{{\"id\":41,\"name\":\"{name}\"}}");
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn a_response_that_came_before_the_request_is_not_its_response() {
    let UnrequestedResponse { url, go, sent, served } = UnrequestedResponse::start();
    assert_eq!(UnrequestedResponse::call_twice(client(&url), go, sent).await, "second");
    assert_eq!(served.join().unwrap(), "", "the connection carried another request");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_response_that_came_before_the_request_is_not_its_response_on_a_runtime_of_threads() {
    let UnrequestedResponse { url, go, sent, served } = UnrequestedResponse::start();
    assert_eq!(tokio::spawn(UnrequestedResponse::call_twice(client(&url), go, sent)).await.unwrap(), "second");
    assert_eq!(served.join().unwrap(), "", "the connection carried another request");
}
