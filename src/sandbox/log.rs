//! What arrived at the sandbox.

use std::collections::VecDeque;

use axum::http::request::Parts;

use crate::service::error::without_secrets;

/// How many requests are kept.
const MOST: usize = 10_000;

/// How many bytes the bodies that are kept may have together.
const MOST_BYTES: usize = 64 << 20;

/// A request as it arrived, without its key and its signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The method.
    pub method: String,
    /// The path as it stands in the request line.
    pub path: String,
    /// The query as it stands in the request line.
    pub query: Option<String>,
    /// The body, secrets hidden; empty where there was none or it was too large.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
}

/// The newest requests.
#[derive(Default)]
pub(super) struct Log {
    kept: VecDeque<Received>,
    bytes: usize,
}

impl Log {
    pub(super) fn note(&mut self, parts: &Parts, body: &[u8], status: u16) {
        let received = Received {
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(str::to_owned),
            body: without_secrets(&String::from_utf8_lossy(body)),
            status,
        };
        self.bytes += received.body.len();
        self.kept.push_back(received);
        while self.kept.len() > MOST || self.bytes > MOST_BYTES {
            let dropped = self.kept.pop_front();
            self.bytes -= dropped.map_or(0, |dropped| dropped.body.len());
        }
    }

    pub(super) fn requests(&self) -> Vec<Received> {
        self.kept.iter().cloned().collect()
    }
}
