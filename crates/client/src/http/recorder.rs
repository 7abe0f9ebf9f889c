//! What went over the wire, for whoever records it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reqwest::header::HeaderMap;
use reqwest::{Request, StatusCode, Version};

use botdesk_system::lock::locked;

/// A request, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
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
    pub answer: Option<Answer>,
    /// Why there is no answer, or not all of it.
    pub failure: Option<String>,
}

/// An answer as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
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
pub struct Tape {
    /// The process that records. In a forked child a thread that the fork left behind may hold the lock.
    process: u32,
    reel: Mutex<Reel>,
}

#[derive(Debug, Default)]
struct Reel {
    exchanges: Vec<Exchange>,
    finished: bool,
}

impl Default for Tape {
    fn default() -> Self {
        Self { process: std::process::id(), reel: Mutex::default() }
    }
}

impl Tape {
    /// What was recorded. What is still on its way is among it, without an answer, which would come too late.
    pub fn finish(&self) -> Vec<Exchange> {
        let Some(mut reel) = self.reel() else {
            return Vec::new();
        };
        reel.finished = true;
        reel.exchanges.clone()
    }

    /// Whether it takes no more: it was finished, or belongs to another process.
    pub(crate) fn is_finished(&self) -> bool {
        self.reel().is_none_or(|reel| reel.finished)
    }

    /// How many exchanges were begun.
    pub fn len(&self) -> usize {
        self.reel().map_or(0, |reel| reel.exchanges.len())
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The reel, in the process that records.
    fn reel(&self) -> Option<MutexGuard<'_, Reel>> {
        (self.process == std::process::id()).then(|| locked(&self.reel))
    }

    /// The place of an exchange that begins; None where the tape takes no more.
    fn begin(&self, exchange: Exchange) -> Option<usize> {
        let mut reel = self.reel().filter(|reel| !reel.finished)?;
        reel.exchanges.push(exchange);
        Some(reel.exchanges.len() - 1)
    }

    fn end(&self, place: usize, took: Duration, answer: Option<Answer>, failure: Option<String>) {
        let mut reel = self.reel().filter(|reel| !reel.finished);
        if let Some(exchange) = reel.as_mut().and_then(|reel| reel.exchanges.get_mut(place)) {
            (exchange.took, exchange.answer, exchange.failure) = (took, answer, failure);
        }
    }
}

/// An exchange that is being recorded. Dropped before its end, it stays without an answer.
pub(crate) struct Recording {
    tape: Arc<Tape>,
    place: usize,
    begun: Instant,
}

impl Recording {
    /// Begins with a request that is about to be sent; None where the tape takes no more.
    pub(crate) fn of(tape: Arc<Tape>, request: &Request) -> Option<Self> {
        let exchange = Exchange {
            started: Timestamp::now(),
            took: Duration::ZERO,
            method: request.method().to_string(),
            url: request.url().to_string(),
            headers: texts(request.headers()),
            body: request.body().and_then(reqwest::Body::as_bytes).map(<[u8]>::to_vec),
            answer: None,
            failure: Some("nobody waited for the answer".to_owned()),
        };
        let place = tape.begin(exchange)?;
        Some(Self { tape, place, begun: Instant::now() })
    }

    /// Ends with an answer, and why it is not whole where it is not.
    pub(crate) fn answered(
        self,
        (status, version): (StatusCode, Version),
        headers: &HeaderMap,
        body: &[u8],
        failure: Option<String>,
    ) {
        let answer = Answer {
            status: status.as_u16(),
            version: format!("{version:?}"),
            headers: texts(headers),
            body: body.to_vec(),
        };
        self.tape.end(self.place, self.begun.elapsed(), Some(answer), failure);
    }

    /// Ends without an answer.
    pub(crate) fn failed(self, why: String) {
        self.tape.end(self.place, self.begun.elapsed(), None, Some(why));
    }
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect()
}
