//! Records a request when it is sent, and its response when it comes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reqwest::Request;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::recorder::{RecordedExchange, RecordedResponse, Recorder};
use super::response::RawResponse;
use crate::credentials::signing::{API_KEY, SIGNATURE};
use botdesk_schema::secrets::HIDDEN;

/// An exchange whose response is outstanding. If it is dropped, it stays without a response.
pub(crate) struct PendingExchange {
    recorder: Arc<Recorder>,
    index: usize,
    started: Instant,
}

impl PendingExchange {
    /// Starts with a request that is about to be sent; None if the recorder is finished.
    pub(crate) fn start(recorder: Arc<Recorder>, request: &Request) -> Option<Self> {
        let exchange = RecordedExchange {
            started: Timestamp::now(),
            took: Duration::ZERO,
            method: request.method().to_string(),
            url: request.url().to_string(),
            headers: strings(request.headers()),
            body: request.body().and_then(reqwest::Body::as_bytes).map(<[u8]>::to_vec),
            response: None,
            failure: Some("the response was not waited for".to_owned()),
            messages: Vec::new(),
        };
        let index = recorder.start(exchange)?;
        Some(Self { recorder, index, started: Instant::now() })
    }

    /// Ends with a response, which may be incomplete.
    pub(crate) fn finish(self, response: &RawResponse) {
        let recorded = RecordedResponse {
            status: response.status.as_u16(),
            version: format!("{:?}", response.version),
            headers: strings(&response.headers),
            body: response.body.clone(),
        };
        let failure = response.body_error.as_ref().map(ToString::to_string);
        self.recorder.end(self.index, self.started.elapsed(), Some(recorded), failure);
    }

    /// Ends without a response.
    pub(crate) fn fail(self, why: String) {
        self.recorder.end(self.index, self.started.elapsed(), None, Some(why));
    }
}

fn strings(headers: &HeaderMap) -> Vec<(String, String)> {
    // A header of the caller may be a secret that no recording knows. Those of the client get placeholders later.
    let is_hidden =
        |name: &HeaderName, value: &HeaderValue| value.is_sensitive() && ![API_KEY, SIGNATURE].contains(name);
    let text = |name: &HeaderName, value: &HeaderValue| {
        if is_hidden(name, value) { HIDDEN.to_owned() } else { String::from_utf8_lossy(value.as_bytes()).into_owned() }
    };
    headers.iter().map(|(name, value)| (name.to_string(), text(name, value))).collect()
}
