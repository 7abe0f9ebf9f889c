//! The latest writes that were carried out. A search for what another write has made leaves out what they have made.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Mutex;

use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use crate::request::spec::RequestSpec;
use botdesk_api::reference;
use botdesk_schema::record::Fields;
use botdesk_system::lock::locked;

/// How many writes are kept. Those that matter were sent within seconds.
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
    /// The identifier of what it has made; None if no response told it.
    pub(crate) made: Option<String>,
    /// True if its response is missing, and what was found may be what another write has made.
    pub(crate) is_guess: bool,
    /// The time of the service when it was sent, and one when it was carried out.
    pub(crate) between: (Timestamp, Timestamp),
}

impl RecentWrites {
    /// Notes that a request was carried out, with its response, if its operation makes something that a list shows.
    pub(crate) fn add_request(
        &self,
        request: &RequestSpec,
        response: &str,
        sent: Instant,
        between: Option<(Timestamp, Timestamp)>,
    ) {
        let operation = reference::operation(&request.operation).filter(|operation| !operation.traces.is_empty());
        let (Some(_), Some(between)) = (operation, between) else { return };
        let record = request.returns.value(response).ok().and_then(|text| request.record.from_json(&text).ok());
        let made = record.as_ref().and_then(Fields::identifier).map(Cow::into_owned);
        let (path, body) = (request.path.clone(), request.json_body());
        self.add(CarriedOut { path, body, sent, made, is_guess: false, between });
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
    pub(crate) fn matching(&self, accepts: impl Fn(&CarriedOut) -> bool) -> Vec<CarriedOut> {
        let mut found: Vec<_> = locked(&self.writes).iter().filter(|write| accepts(write)).cloned().collect();
        found.sort_by_key(|write| write.sent);
        found
    }
}
