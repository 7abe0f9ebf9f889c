//! Secrets, HAR files and requests, without a socket.

mod cassettes;
mod har;
mod matching;
mod replaying;
mod scrubbing;

use std::time::Duration;

use jiff::Timestamp;

use botdesk_client::http::recorder::{RecordedExchange, RecordedResponse};

/// Returns a GET exchange with a response body.
fn exchange(target: &str, response: &str) -> RecordedExchange {
    RecordedExchange {
        started: Timestamp::UNIX_EPOCH,
        took: Duration::ZERO,
        method: "GET".to_owned(),
        url: format!("https://host.example{target}"),
        headers: Vec::new(),
        body: None,
        response: Some(RecordedResponse {
            status: 200,
            version: "HTTP/1.1".to_owned(),
            headers: Vec::new(),
            body: response.as_bytes().to_vec(),
        }),
        failure: None,
        messages: Vec::new(),
    }
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Returns the response body of an exchange.
fn body_of(exchange: &RecordedExchange) -> &str {
    std::str::from_utf8(&exchange.response.as_ref().unwrap().body).unwrap()
}
