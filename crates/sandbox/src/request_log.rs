//! The log of received requests.

use std::collections::VecDeque;
use std::time::Duration;

use axum::http::request::Parts;

use botdesk_schema::redaction::Redactor;
use botdesk_schema::secrets::{NAMES, collect_secrets, redact_parameters};
use botdesk_server::request::{is_form, looks_like_json};

/// The maximum number of requests in the log.
const MAX_REQUESTS: usize = 10_000;

/// The maximum total size of the requests in the log, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// A received request, without its API key and its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The method.
    pub method: String,
    /// The path, as in the request line.
    pub path: String,
    /// The query string, as in the request line but with secrets redacted.
    pub query: Option<String>,
    /// The body with secrets redacted; empty if the request had none or it was too large.
    pub body: String,
    /// The status of the response; None if none was sent.
    pub status: Option<u16>,
    /// True if the request was executed, even if no response was sent.
    pub carried_out: bool,
    /// The kind of the fault that the request triggered.
    pub fault: Option<&'static str>,
    /// The form of the text that was signed; None if no valid signature was checked.
    pub signed_form: Option<&'static str>,
    /// The time from the arrival of the request until its response was ready, or until it was certain that it gets none.
    pub duration: Duration,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestOutcome {
    /// The status of the response, if one is sent.
    pub(super) status: Option<u16>,
    /// True if the request was executed.
    pub(super) carried_out: bool,
    /// The kind of the fault that it triggered.
    pub(super) fault: Option<&'static str>,
    /// The form of the text that was signed.
    pub(super) signed_form: Option<&'static str>,
    /// The time that it took.
    pub(super) duration: Duration,
}

impl LoggedRequest {
    fn size(&self) -> usize {
        self.path.len() + self.query.as_ref().map_or(0, String::len) + self.body.len()
    }
}

/// Redacts the secrets in a body. If it is JSON, every other occurrence of a secret is redacted too.
fn redact_body(body: &str) -> String {
    let secrets = serde_json::from_str(body).map(|value| collect_secrets(&value)).unwrap_or_default();
    Redactor::new(secrets.iter().map(String::as_str), NAMES).redact(body)
}

/// The newest requests, oldest first.
#[derive(Default)]
pub(super) struct RequestLog {
    requests: VecDeque<LoggedRequest>,
    bytes: usize,
}

impl RequestLog {
    pub(super) fn add(&mut self, parts: &Parts, body: &[u8], outcome: RequestOutcome) {
        let is_form = is_form(parts) && !looks_like_json(body);
        let body = String::from_utf8_lossy(body);
        let request = LoggedRequest {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(redact_parameters),
            body: if is_form { redact_parameters(&body) } else { redact_body(&body) },
            status: outcome.status,
            carried_out: outcome.carried_out,
            fault: outcome.fault,
            signed_form: outcome.signed_form,
            duration: outcome.duration,
        };
        self.bytes += request.size();
        self.requests.push_back(request);
        while self.requests.len() > MAX_REQUESTS || self.bytes > MAX_BYTES {
            let dropped = self.requests.pop_front();
            self.bytes -= dropped.map_or(0, |dropped| dropped.size());
        }
    }

    pub(super) fn requests(&self) -> Vec<LoggedRequest> {
        self.requests.iter().cloned().collect()
    }

    /// Returns up to `limit` requests, newest first, and the number of all.
    pub(super) fn newest(&self, limit: usize) -> (Vec<LoggedRequest>, usize) {
        (self.requests.iter().rev().take(limit).cloned().collect(), self.requests.len())
    }

    /// Returns the requests, and forgets them.
    pub(super) fn take(&mut self) -> Vec<LoggedRequest> {
        std::mem::take(self).requests.into()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn logged(bodies: impl IntoIterator<Item = usize>) -> Vec<LoggedRequest> {
        let mut log = RequestLog::default();
        for (number, length) in bodies.into_iter().enumerate() {
            let (parts, ()) = Request::get(format!("/{number}")).body(()).unwrap().into_parts();
            log.add(&parts, &vec![b'x'; length], RequestOutcome::default());
        }
        log.requests()
    }

    #[test]
    fn secrets_are_hidden_in_query_strings_and_forms() {
        let mut log = RequestLog::default();
        let request =
            Request::post("/?api_key=hunter2&name=x").header("content-type", "application/x-www-form-urlencoded");
        let (parts, ()) = request.body(()).unwrap().into_parts();
        log.add(&parts, b"name=y&secret=hunter2", RequestOutcome::default());
        let requests = log.requests();
        assert_eq!(requests[0].query.as_deref(), Some("api_key=<hidden>&name=x"));
        assert_eq!(requests[0].body, "name=y&secret=<hidden>");
    }

    #[test]
    fn secrets_are_hidden_in_json_sent_as_a_form() {
        let mut log = RequestLog::default();
        let request = Request::post("/").header("content-type", "application/x-www-form-urlencoded");
        let (parts, ()) = request.body(()).unwrap().into_parts();
        log.add(&parts, br#"{"secret":"hunter2","name":"x"}"#, RequestOutcome::default());
        assert_eq!(log.requests()[0].body, r#"{"secret":"<hidden>","name":"x"}"#);
    }

    #[test]
    fn a_secret_in_a_list_is_hidden_everywhere() {
        let mut log = RequestLog::default();
        let (parts, ()) = Request::post("/").body(()).unwrap().into_parts();
        log.add(
            &parts,
            br#"{"secret":["hunter2hunter2"],"name":"hunter2hunter2","api_key":"x"}"#,
            RequestOutcome::default(),
        );
        assert_eq!(log.requests()[0].body, r#"{"secret":"<hidden>","name":"<hidden>","api_key":"<hidden>"}"#);
    }

    #[test]
    fn the_newest_requests_are_kept() {
        let kept = logged((0..10_002).map(|_| 0));
        assert_eq!((kept.len(), kept[0].path.as_str()), (10_000, "/2"));
    }

    #[test]
    fn taken_requests_are_no_longer_in_the_log() {
        let mut log = RequestLog::default();
        let (parts, ()) = Request::get("/1").body(()).unwrap().into_parts();
        log.add(&parts, b"x", RequestOutcome::default());
        assert_eq!(log.take().iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["/1"]);
        assert_eq!((log.take(), log.requests(), log.bytes), (Vec::new(), Vec::new(), 0));
    }

    #[test]
    fn large_requests_push_out_more() {
        let kept = logged([20 << 20, 1, 20 << 20, 40 << 20]);
        assert_eq!(kept.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["/1", "/2", "/3"]);
    }
}
