//! A cassette: the recorded requests and answers of a HAR file, made sure that no secret is among them.

use std::path::{Path, PathBuf};

use reqwest::Url;

use super::error::RecordingError;
use super::har::{Har, HarError};
use super::matching::Asked;
use super::scrub::{is_form, scrub};
use super::secrets::is_placeholder;
use super::text::Visitor;
use botdesk_client::http::recorder::{RecordedExchange, RecordedResponse};
use botdesk_system::files;

/// A request that was recorded, and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) asked: Asked,
    /// The answer; None where none came.
    pub(super) answer: Option<RecordedResponse>,
    /// Whether the answer, if there is one, breaks off.
    pub(super) broken: bool,
}

/// The exchanges with the service that a HAR file holds.
#[derive(Clone, Debug)]
pub struct Cassette {
    pub(super) path: PathBuf,
    pub(super) tracks: Vec<Track>,
}

impl Cassette {
    /// Reads a HAR file, which stays as it is.
    ///
    /// One that botdesk wrote is refused if it holds a secret: somebody put it there. One that something else wrote
    /// holds secrets by its nature, which are taken out in memory.
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let unreadable = |error| RecordingError::Unusable { path: path.to_owned(), verb: "read", error };
        let bytes = files::read(path, files::LONGEST_DATA).map_err(unreadable)?;
        Self::read(path, bytes)
    }

    /// Reads what a HAR file holds; `path` is what messages call it.
    pub fn read(path: &Path, bytes: Vec<u8>) -> Result<Self, RecordingError> {
        let broken = |error| RecordingError::Broken { path: path.to_owned(), error };
        let text = String::from_utf8(bytes).map_err(|_| broken(HarError::NotJson { line: 1, column: 0 }))?;
        let har = Har::parse(&text).map_err(broken)?;
        let exchanges = har.exchanges().map_err(broken)?;
        if har.is_own() {
            refuse_secrets(path, &exchanges)?;
        }
        let exchanges = exchanges.into_iter().map(|(_, exchange)| exchange).collect();
        let unreadable = |error| RecordingError::Unusable { path: path.to_owned(), verb: "read", error };
        let scrubbed = scrub(exchanges).map_err(|error| unreadable(std::io::Error::other(error)))?;
        let tracks = scrubbed.exchanges.into_iter().map(Track::of).collect();
        Ok(Self { path: path.to_owned(), tracks })
    }
}

impl Track {
    fn of(exchange: RecordedExchange) -> Self {
        Self { asked: asked(&exchange), broken: exchange.failure.is_some(), answer: exchange.answer }
    }
}

fn asked(exchange: &RecordedExchange) -> Asked {
    let url = Url::parse(&exchange.url).ok();
    let (path, query) = url.as_ref().map_or(("", None), |url| (url.path(), url.query()));
    let body = exchange.body.as_deref().unwrap_or_default();
    Asked::new(&exchange.method, path, query, body, is_form(&exchange.headers))
}

fn refuse_secrets(path: &Path, exchanges: &[(usize, RecordedExchange)]) -> Result<(), RecordingError> {
    for (entry, exchange) in exchanges {
        let mut search = Search::default();
        super::scrub::visit(&mut exchange.clone(), &mut search);
        if let Some(name) = search.found {
            let asked = asked(exchange);
            let place = format!("{} {}", asked.method, asked.path);
            return Err(RecordingError::Secret { path: path.to_owned(), entry: *entry, place, name: name.to_owned() });
        }
    }
    Ok(())
}

/// A visitor that looks for a secret and changes nothing.
#[derive(Default)]
struct Search {
    found: Option<&'static str>,
}

impl Visitor for Search {
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
