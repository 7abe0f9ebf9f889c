//! The sandbox over the wire, tested with a client that shares no code with botdesk's own.

mod accounts;
mod additions;
mod backtests;
mod default_operations;
mod demo;
mod edits;
mod errors;
mod faults;
mod grid_bots;
mod grid_lines;
mod invariants;
mod ledger;
mod lists;
mod market;
mod page;
mod playback;
mod smart_trades;
mod state;
mod state_file;
mod trades;
mod transitions;
mod withdrawn;

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::initial_state::seeded_state;
use super::seed::{SeedOptions, ValueStyle};
use super::state::State;
use super::{LimitOptions, SandboxOptions, SandboxServer};
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_schema::input::encode_query;
use botdesk_schema::permission::Permission;
use botdesk_trading::decimal::Decimal;

static PRIVATE: LazyLock<PrivateKey> = LazyLock::new(|| PrivateKey::generate(2_048).unwrap());

fn public_pem() -> String {
    PRIVATE.public_key_pem()
}

fn signature(payload: &[u8]) -> String {
    PRIVATE.sign(payload).unwrap()
}

/// A client with its own sandbox.
struct TestClient {
    sandbox: SandboxServer,
    api_key: String,
}

/// The encoding of the values of a request.
#[derive(Clone, Copy, Debug)]
enum Encoding {
    Query,
    Form,
    Json,
}

const ALL_ENCODINGS: [Encoding; 3] = [Encoding::Query, Encoding::Form, Encoding::Json];

/// A response of the sandbox.
struct Response {
    status: u16,
    head: String,
    body: Value,
}

impl TestClient {
    async fn open(bots: usize) -> Self {
        Self::with(SandboxOptions { bots, odd_values: true, fee: Decimal::ZERO, ..SandboxOptions::default() }).await
    }

    async fn with(options: SandboxOptions) -> Self {
        let sandbox = SandboxServer::start(options).await.unwrap();
        let api_key = sandbox.add_key(&public_pem(), &Permission::ALL).unwrap();
        Self { sandbox, api_key }
    }

    /// Sends a signed request; `target` is relative to `/public/api`.
    async fn request(&self, method: &str, target: &str, body: &str) -> Response {
        let target = format!("/public/api{target}");
        let signature = signature(format!("{target}{body}").as_bytes());
        self.send(method, &target, &format!("Apikey: {}\r\nSignature: {signature}\r\n", self.api_key), body).await
    }

    async fn get(&self, target: &str) -> Response {
        self.request("GET", target, "").await
    }

    /// Returns the bots of a list.
    async fn list(&self, query: &str) -> Vec<Value> {
        let target = if query.is_empty() { "/ver1/bots".to_owned() } else { format!("/ver1/bots?{query}") };
        let response = self.get(&target).await;
        assert_eq!(response.status, 200, "{query}: {}", response.body);
        response.body.as_array().unwrap().clone()
    }

    async fn show(&self, id: u64) -> Value {
        let response = self.get(&format!("/ver1/bots/{id}/show")).await;
        assert_eq!(response.status, 200, "{}", response.body);
        response.body
    }

    /// Sends values in one of the encodings of the API reference, with their signature.
    async fn send_values(&self, encoding: Encoding, method: &str, target: &str, values: &[(&str, &str)]) -> Response {
        let path = format!("/public/api{target}");
        let members = values.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
        let members = Value::Object(members.collect());
        let encoded = encode_query(values.iter().map(|(name, _)| (*name, &members[*name]))).unwrap_or_default();
        let mark = if encoded.is_empty() { "" } else { "?" };
        let parameters = format!("{path}{mark}{encoded}");
        let (target, kind, body, payload) = match encoding {
            Encoding::Query => (parameters.clone(), "text/plain", String::new(), parameters),
            Encoding::Form => (path, "application/x-www-form-urlencoded", encoded, parameters),
            Encoding::Json => (path.clone(), "application/json", members.to_string(), format!("{path}{members}")),
        };
        let signature = signature(payload.as_bytes());
        let headers = format!("Apikey: {}\r\nSignature: {signature}\r\nContent-Type: {kind}\r\n", self.api_key);
        self.send(method, &target, &headers, &body).await
    }

    async fn send(&self, method: &str, target: &str, headers: &str, body: &str) -> Response {
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        );
        self.send_bytes(&[head.as_bytes(), body.as_bytes()].concat()).await
    }

    async fn send_bytes(&self, request: &[u8]) -> Response {
        let mut stream = self.connect().await;
        stream.write_all(request).await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        let response = String::from_utf8(response).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Response { status, head: head.to_ascii_lowercase(), body: serde_json::from_str(body).unwrap_or_default() }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.sandbox.url().strip_prefix("http://").unwrap()).await.unwrap()
    }
}

impl Response {
    /// Returns the messages for a field of a rejected request.
    fn messages(&self, field: &str) -> Vec<&str> {
        assert_eq!((self.status, &self.body["error"]), (400, &Value::from("record_invalid")), "{}", self.body);
        assert_eq!(self.body["error_description"], "Invalid parameters");
        let messages = self.body["error_attributes"][field].as_array().into_iter().flatten();
        messages.map(|message| message.as_str().unwrap()).collect()
    }
}

/// Returns the state of a seed, without fees.
fn initial_state(seed: u64, bots: usize) -> State {
    seeded_state(SeedOptions { seed, bots, values: ValueStyle::Plausible, fee: Decimal::ZERO })
}

/// Returns the same state with odd values.
fn odd_state(seed: u64, bots: usize) -> State {
    seeded_state(SeedOptions { seed, bots, values: ValueStyle::Odd, fee: Decimal::ZERO })
}

fn ids(bots: &[Value]) -> Vec<u64> {
    bots.iter().map(|bot| bot["id"].as_u64().unwrap()).collect()
}

/// Returns the fields of the first object, overridden by those of the second one.
fn fields(first: Value, changes: Value) -> Vec<super::NamedValue> {
    let (Value::Object(mut first), Value::Object(changes)) = (first, changes) else {
        panic!("expected objects");
    };
    first.extend(changes);
    first.into_iter().map(|(name, value)| (name, Ok(value))).collect()
}
