//! What arrived at the sandbox.

use std::collections::VecDeque;

use axum::http::request::Parts;

use crate::service::secrets::without_secrets;

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
    /// The query as it stands in the request line.
    pub query: Option<String>,
    /// The body, secrets hidden; empty where there was none or it was too large.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
}

impl Received {
    fn size(&self) -> usize {
        self.path.len() + self.query.as_ref().map_or(0, String::len) + self.body.len()
    }
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
            log.note(&parts, &vec![b'x'; length], 200);
        }
        log.requests()
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
