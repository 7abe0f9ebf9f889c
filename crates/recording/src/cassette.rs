//! A cassette: the recorded requests and responses of a HAR file, checked for secrets.

use std::path::{Path, PathBuf};

use reqwest::Url;

use super::error::RecordingError;
use super::har::{Har, HarError};
use super::matching::RequestKey;
use super::scrub::{is_form, scrub};
use super::secrets::is_placeholder;
use super::stream_frames::StreamFrame;
use super::text::TextVisitor;
use botdesk_client::http::recorder::{RecordedExchange, RecordedResponse};
use botdesk_system::files;

/// A recorded request and its response.
#[derive(Clone, Debug)]
pub(super) struct Interaction {
    pub(super) request: RequestKey,
    /// The response; None if there was none.
    pub(super) response: Option<RecordedResponse>,
    /// True if the response is incomplete.
    pub(super) is_incomplete: bool,
}

/// The exchanges with the service that a HAR file holds.
#[derive(Clone, Debug)]
pub struct Cassette {
    pub(super) path: PathBuf,
    pub(super) interactions: Vec<Interaction>,
    /// The frames that the service sent over each connection of a stream.
    pub(super) streams: Vec<Vec<StreamFrame>>,
}

impl Cassette {
    /// Reads a HAR file without changing it.
    ///
    /// Returns an error if a file that botdesk wrote contains a secret, which must have been added later. A file of another program
    /// may contain secrets; they are removed in memory.
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let unreadable = |error| RecordingError::Unusable { path: path.to_owned(), verb: "read", error };
        let bytes = files::read(path, files::MAX_DATA_LENGTH).map_err(unreadable)?;
        Self::read(path, bytes)
    }

    /// Parses a HAR file; `path` is its name in messages.
    pub fn read(path: &Path, bytes: Vec<u8>) -> Result<Self, RecordingError> {
        let is_incomplete = |error| RecordingError::InvalidHar { path: path.to_owned(), error };
        let text = String::from_utf8(bytes).map_err(|_| is_incomplete(HarError::NotJson { line: 1, column: 0 }))?;
        let har = Har::parse(&text).map_err(is_incomplete)?;
        let exchanges = har.exchanges().map_err(is_incomplete)?;
        if har.is_own() {
            refuse_secrets(path, &exchanges)?;
        }
        let exchanges = exchanges.into_iter().map(|(_, exchange)| exchange).collect();
        let unreadable = |error| RecordingError::Unusable { path: path.to_owned(), verb: "read", error };
        let scrubbed = scrub(exchanges).map_err(|error| unreadable(std::io::Error::other(error)))?;
        let (requests, streams): (Vec<_>, Vec<_>) =
            scrubbed.exchanges.into_iter().partition(|exchange| exchange.messages.is_empty());
        let streams = streams.iter().map(|stream| StreamFrame::received(&stream.messages)).collect();
        Ok(Self { path: path.to_owned(), interactions: requests.into_iter().map(Interaction::of).collect(), streams })
    }
}

impl Interaction {
    fn of(exchange: RecordedExchange) -> Self {
        Self { request: request(&exchange), is_incomplete: exchange.failure.is_some(), response: exchange.response }
    }
}

fn request(exchange: &RecordedExchange) -> RequestKey {
    let url = Url::parse(&exchange.url).ok();
    let (path, query) = url.as_ref().map_or(("", None), |url| (url.path(), url.query()));
    let body = exchange.body.as_deref().unwrap_or_default();
    RequestKey::new(&exchange.method, path, query, body, is_form(&exchange.headers))
}

fn refuse_secrets(path: &Path, exchanges: &[(usize, RecordedExchange)]) -> Result<(), RecordingError> {
    for (entry, exchange) in exchanges {
        let mut search = SecretSearch::default();
        super::scrub::visit(&mut exchange.clone(), &mut search);
        if let Some(name) = search.found {
            let request = request(exchange);
            let place = format!("{} {}", request.method, request.path);
            return Err(RecordingError::Secret { path: path.to_owned(), entry: *entry, place, name: name.to_owned() });
        }
    }
    Ok(())
}

/// A visitor that searches for a secret and changes nothing.
#[derive(Default)]
struct SecretSearch {
    found: Option<&'static str>,
}

impl TextVisitor for SecretSearch {
    fn secret(&mut self, name: &'static str, value: &str) -> String {
        if !is_placeholder(value) {
            self.found.get_or_insert(name);
        }
        value.to_owned()
    }

    fn text(&mut self, text: &str) -> String {
        text.to_owned()
    }
}
