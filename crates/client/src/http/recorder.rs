//! What went over the wire, for whoever records it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reqwest::header::HeaderMap;
use reqwest::{Request, StatusCode, Version};

use botdesk_system::lock::locked;

/// A request, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedExchange {
    /// When the request was sent.
    pub started: Timestamp,
    /// How long it took to the end of the answer.
    pub took: Duration,
    /// The method.
    pub method: String,
    /// The whole address, with the query.
    pub url: String,
    /// The headers of the request.
    pub headers: Vec<(String, String)>,
    /// The body of the request.
    pub body: Option<Vec<u8>>,
    /// The answer, as far as it came.
    pub answer: Option<RecordedResponse>,
    /// Why there is no answer, or not all of it.
    pub failure: Option<String>,
}

/// An answer as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedResponse {
    /// The status.
    pub status: u16,
    /// The version of HTTP.
    pub version: String,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body, no longer compressed.
    pub body: Vec<u8>,
}

/// What was recorded so far, in the order in which the requests were sent.
#[derive(Debug)]
pub struct Recorder {
    /// The process that records. In a forked child a thread that the fork left behind may hold the lock.
    process: u32,
    state: Mutex<RecorderState>,
}

#[derive(Debug, Default)]
struct RecorderState {
    exchanges: Vec<RecordedExchange>,
    finished: bool,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { process: std::process::id(), state: Mutex::default() }
    }
}

impl Recorder {
    /// What was recorded. What is still on its way is among it, without an answer, which would come too late.
    pub fn finish(&self) -> Vec<RecordedExchange> {
        let Some(mut state) = self.state() else {
            return Vec::new();
        };
        state.finished = true;
        state.exchanges.clone()
    }

    /// Whether it takes no more: it was finished, or belongs to another process.
    pub(crate) fn is_finished(&self) -> bool {
        self.state().is_none_or(|state| state.finished)
    }

    /// How many exchanges were begun.
    pub fn len(&self) -> usize {
        self.state().map_or(0, |state| state.exchanges.len())
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The reel, in the process that records.
    fn state(&self) -> Option<MutexGuard<'_, RecorderState>> {
        (self.process == std::process::id()).then(|| locked(&self.state))
    }

    /// The place of an exchange that begins; None where the tape takes no more.
    fn begin(&self, exchange: RecordedExchange) -> Option<usize> {
        let mut state = self.state().filter(|state| !state.finished)?;
        state.exchanges.push(exchange);
        Some(state.exchanges.len() - 1)
    }

    fn end(&self, place: usize, took: Duration, answer: Option<RecordedResponse>, failure: Option<String>) {
        let mut state = self.state().filter(|state| !state.finished);
        if let Some(exchange) = state.as_mut().and_then(|state| state.exchanges.get_mut(place)) {
            (exchange.took, exchange.answer, exchange.failure) = (took, answer, failure);
        }
    }
}

/// An exchange that is being recorded. Dropped before its end, it stays without an answer.
pub(crate) struct PendingExchange {
    recorder: Arc<Recorder>,
    place: usize,
    begun: Instant,
}

impl PendingExchange {
    /// Begins with a request that is about to be sent; None where the tape takes no more.
    pub(crate) fn of(recorder: Arc<Recorder>, request: &Request) -> Option<Self> {
        let exchange = RecordedExchange {
            started: Timestamp::now(),
            took: Duration::ZERO,
            method: request.method().to_string(),
            url: request.url().to_string(),
            headers: texts(request.headers()),
            body: request.body().and_then(reqwest::Body::as_bytes).map(<[u8]>::to_vec),
            answer: None,
            failure: Some("nobody waited for the answer".to_owned()),
        };
        let place = recorder.begin(exchange)?;
        Some(Self { recorder, place, begun: Instant::now() })
    }

    /// Ends with an answer, and why it is not whole where it is not.
    pub(crate) fn answered(
        self,
        (status, version): (StatusCode, Version),
        headers: &HeaderMap,
        body: &[u8],
        failure: Option<String>,
    ) {
        let answer = RecordedResponse {
            status: status.as_u16(),
            version: format!("{version:?}"),
            headers: texts(headers),
            body: body.to_vec(),
        };
        self.recorder.end(self.place, self.begun.elapsed(), Some(answer), failure);
    }

    /// Ends without an answer.
    pub(crate) fn failed(self, why: String) {
        self.recorder.end(self.place, self.begun.elapsed(), None, Some(why));
    }
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect()
}
