//! The latest writes that were carried out: what they have made is not what a later write with an unknown outcome has made.

use std::collections::VecDeque;
use std::sync::Mutex;

use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use crate::request::spec::RequestSpec;
use botdesk_api::document;
use botdesk_system::lock::locked;

/// How many writes are kept.
const KEPT: usize = 200;

/// The latest writes that were carried out and have made something that a list shows.
#[derive(Debug, Default)]
pub(crate) struct RecentWrites {
    writes: Mutex<VecDeque<CarriedOut>>,
}

/// A write that was carried out.
#[derive(Clone, Debug)]
pub(crate) struct CarriedOut {
    /// The path, which has the identifiers.
    pub(crate) path: String,
    pub(crate) body: Value,
    pub(crate) sent: Instant,
    /// The time of the service when it was sent.
    pub(crate) sent_at: Timestamp,
}

impl RecentWrites {
    /// Notes that a request was carried out, if its operation makes something that a list shows.
    pub(crate) fn note(&self, request: &RequestSpec, sent: Instant, sent_at: Option<Timestamp>) {
        let operation = document::operation(&request.operation).filter(|operation| !operation.traces.is_empty());
        if let (Some(_), Some(sent_at)) = (operation, sent_at) {
            self.add(CarriedOut { path: request.path.clone(), body: request.json_body(), sent, sent_at });
        }
    }

    /// Adds a write, unless it is known.
    pub(crate) fn add(&self, write: CarriedOut) {
        let mut writes = locked(&self.writes);
        if writes.iter().any(|known| known.sent == write.sent && known.path == write.path) {
            return;
        }
        if writes.len() == KEPT {
            writes.pop_front();
        }
        writes.push_back(write);
    }

    /// Returns the writes that a function accepts, in the order in which they were sent.
    pub(crate) fn which(&self, accepts: impl Fn(&CarriedOut) -> bool) -> Vec<CarriedOut> {
        let mut found: Vec<_> = locked(&self.writes).iter().filter(|write| accepts(write)).cloned().collect();
        found.sort_by_key(|write| write.sent);
        found
    }
}
