//! What arrived at the sandbox.

use std::collections::VecDeque;

use axum::http::request::Parts;

use botdesk_api::redaction::Redactor;
use botdesk_api::secrets::{NAMES, collect_secrets, redact_parameters};
use botdesk_server::request::{is_form, looks_like_json};

/// How many requests are kept.
const MOST: usize = 10_000;

/// How many bytes the requests that are kept may have together.
const MOST_BYTES: usize = 64 << 20;

/// A request as it arrived, without its key and its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The path as it stands in the request line.
    pub path: String,
    /// The query as it stands in the request line, secrets hidden.
    pub query: Option<String>,
    /// The body, secrets hidden; empty where there was none or it was too large.
    pub body: String,
    /// The status of the answer; None where none was sent.
    pub status: Option<u16>,
    /// Whether what was asked was done, be it answered or not.
    pub carried_out: bool,
    /// The kind of the fault that befell the request.
    pub fault: Option<&'static str>,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// The status of the answer, if one is sent.
    pub(super) status: Option<u16>,
    /// Whether what was asked was done.
    pub(super) carried_out: bool,
    /// The kind of the fault that befell it.
    pub(super) fault: Option<&'static str>,
}

impl Received {
    fn size(&self) -> usize {
        self.path.len() + self.query.as_ref().map_or(0, String::len) + self.body.len()
    }
}

/// A body that may be JSON without its secrets, wherever in it they stand.
fn clean(body: &str) -> String {
    let secrets = serde_json::from_str(body).map(|value| collect_secrets(&value)).unwrap_or_default();
    Redactor::new(secrets.iter().map(String::as_str), NAMES).redact(body)
}

/// The newest requests.
#[derive(Default)]
pub(super) struct Log {
    kept: VecDeque<Received>,
    bytes: usize,
}

impl Log {
    pub(super) fn note(&mut self, parts: &Parts, body: &[u8], outcome: Outcome) {
        let is_form = is_form(parts) && !looks_like_json(body);
        let body = String::from_utf8_lossy(body);
        let received = Received {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(redact_parameters),
            body: if is_form { redact_parameters(&body) } else { clean(&body) },
            status: outcome.status,
            carried_out: outcome.carried_out,
            fault: outcome.fault,
        };
        self.bytes += received.size();
        self.kept.push_back(received);
        while self.kept.len() > MOST || self.bytes > MOST_BYTES {
            let dropped = self.kept.pop_front();
            self.bytes -= dropped.map_or(0, |dropped| dropped.size());
        }
    }

    pub(super) fn requests(&self) -> Vec<Received> {
        self.kept.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn noted(bodies: impl IntoIterator<Item = usize>) -> Vec<Received> {
        let mut log = Log::default();
        for (number, length) in bodies.into_iter().enumerate() {
            let (parts, ()) = Request::get(format!("/{number}")).body(()).unwrap().into_parts();
            log.note(&parts, &vec![b'x'; length], Outcome::default());
        }
        log.requests()
    }

    #[test]
    fn secrets_are_hidden_in_queries_and_forms_as_well() {
        let mut log = Log::default();
        let request =
            Request::post("/?api_key=hunter2&name=x").header("content-type", "application/x-www-form-urlencoded");
        let (parts, ()) = request.body(()).unwrap().into_parts();
        log.note(&parts, b"name=y&secret=hunter2", Outcome::default());
        let kept = log.requests();
        assert_eq!(kept[0].query.as_deref(), Some("api_key=<hidden>&name=x"));
        assert_eq!(kept[0].body, "name=y&secret=<hidden>");
    }

    #[test]
    fn secrets_are_hidden_in_json_that_is_sent_as_a_form() {
        let mut log = Log::default();
        let request = Request::post("/").header("content-type", "application/x-www-form-urlencoded");
        let (parts, ()) = request.body(()).unwrap().into_parts();
        log.note(&parts, br#"{"secret":"hunter2","name":"x"}"#, Outcome::default());
        assert_eq!(log.requests()[0].body, r#"{"secret":"<hidden>","name":"x"}"#);
    }

    #[test]
    fn a_secret_is_hidden_in_a_list_and_where_it_stands_again() {
        let mut log = Log::default();
        let (parts, ()) = Request::post("/").body(()).unwrap().into_parts();
        log.note(&parts, br#"{"secret":["hunter2hunter2"],"name":"hunter2hunter2","api_key":"x"}"#, Outcome::default());
        assert_eq!(log.requests()[0].body, r#"{"secret":"<hidden>","name":"<hidden>","api_key":"<hidden>"}"#);
    }

    #[test]
    fn the_newest_requests_are_kept() {
        let kept = noted((0..10_002).map(|_| 0));
        assert_eq!((kept.len(), kept[0].path.as_str()), (10_000, "/2"));
    }

    #[test]
    fn large_requests_push_out_more() {
        let kept = noted([20 << 20, 1, 20 << 20, 40 << 20]);
        assert_eq!(kept.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["/1", "/2", "/3"]);
    }
}
