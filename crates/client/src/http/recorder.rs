//! Keeps requests and responses as they were sent and received.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::sync::{Mutex, MutexGuard, locked};

/// A request and its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedExchange {
    /// When the request was sent.
    pub started: Timestamp,
    /// The time from the request to the end of the response.
    pub took: Duration,
    /// The method.
    pub method: String,
    /// The URL, with the query string.
    pub url: String,
    /// The headers of the request.
    pub headers: Vec<(String, String)>,
    /// The body of the request.
    pub body: Option<Vec<u8>>,
    /// The response, as far as it came.
    pub response: Option<RecordedResponse>,
    /// The reason why the response is missing or incomplete.
    pub failure: Option<String>,
    /// The frames of a stream, if the request opened one.
    pub messages: Vec<RecordedMessage>,
}

/// A text frame of a stream, as it was sent or received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMessage {
    /// When it was sent or received.
    pub at: Timestamp,
    /// True if the client sent it.
    pub is_sent: bool,
    /// The text.
    pub text: String,
}

/// A response as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedResponse {
    /// The status.
    pub status: u16,
    /// The HTTP version.
    pub version: String,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Vec<u8>,
}

/// Records exchanges in the order in which the requests were sent.
#[derive(Debug)]
pub struct Recorder {
    /// The process that records. In a forked child the lock may be held by a thread that does not exist there.
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
    /// Stops the recorder and returns the exchanges. A request in flight is among them, without a response.
    pub fn finish(&self) -> Vec<RecordedExchange> {
        let Some(mut state) = self.state() else {
            return Vec::new();
        };
        state.finished = true;
        state.exchanges.clone()
    }

    /// Returns true if it records no more: it was finished, or belongs to another process.
    pub(crate) fn is_finished(&self) -> bool {
        self.state().is_none_or(|state| state.finished)
    }

    /// Returns the number of exchanges.
    pub fn len(&self) -> usize {
        self.state().map_or(0, |state| state.exchanges.len())
    }

    /// Returns true if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the state, in the process that records.
    fn state(&self) -> Option<MutexGuard<'_, RecorderState>> {
        (self.process == std::process::id()).then(|| locked(&self.state))
    }

    /// Adds an exchange and returns its index; None if the recorder is finished.
    pub(crate) fn start(&self, exchange: RecordedExchange) -> Option<usize> {
        let mut state = self.state().filter(|state| !state.finished)?;
        state.exchanges.push(exchange);
        Some(state.exchanges.len() - 1)
    }

    /// Stores the end of an exchange, unless the recorder is finished.
    pub(crate) fn end(
        &self,
        index: usize,
        took: Duration,
        response: Option<RecordedResponse>,
        failure: Option<String>,
    ) {
        self.change(index, |exchange| (exchange.took, exchange.response, exchange.failure) = (took, response, failure));
    }

    /// Changes an exchange, unless the recorder is finished.
    fn change(&self, index: usize, change: impl FnOnce(&mut RecordedExchange)) {
        let mut state = self.state().filter(|state| !state.finished);
        if let Some(exchange) = state.as_mut().and_then(|state| state.exchanges.get_mut(index)) {
            change(exchange);
        }
    }
}

/// A connection of a stream that is recorded.
#[derive(Debug)]
pub(crate) struct StreamRecording {
    recorder: Arc<Recorder>,
    index: usize,
}

impl StreamRecording {
    /// Starts with a connection to a URL; None if the recorder is finished.
    pub(crate) fn start(recorder: Arc<Recorder>, url: &str) -> Option<Self> {
        const SWITCHING_PROTOCOLS: u16 = 101;
        let (headers, body) = (Vec::new(), Vec::new());
        let response = RecordedResponse { status: SWITCHING_PROTOCOLS, version: "HTTP/1.1".to_owned(), headers, body };
        let index = recorder.start(RecordedExchange {
            started: Timestamp::now(),
            took: Duration::ZERO,
            method: "GET".to_owned(),
            url: url.to_owned(),
            headers: Vec::new(),
            body: None,
            response: Some(response),
            failure: None,
            messages: Vec::new(),
        })?;
        Some(Self { recorder, index })
    }

    /// Returns true if this recorder records the connection.
    pub(crate) fn is_of(&self, recorder: &Arc<Recorder>) -> bool {
        Arc::ptr_eq(&self.recorder, recorder)
    }

    /// Adds a frame.
    pub(crate) fn add(&self, is_sent: bool, text: &str) {
        let message = RecordedMessage { at: Timestamp::now(), is_sent, text: text.to_owned() };
        self.recorder.change(self.index, |exchange| exchange.messages.push(message));
    }
}
