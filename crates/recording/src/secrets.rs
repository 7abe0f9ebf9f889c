//! The secrets of a recording, their placeholders, and the search for other occurrences.

use std::collections::HashMap;

use aho_corasick::BuildError;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderName, PROXY_AUTHORIZATION, SET_COOKIE};

use botdesk_client::credentials::signing::{API_KEY, SIGNATURE};
use botdesk_schema::redaction::{SecretFinder, find_name};
use botdesk_schema::secrets::NAMES;

/// The headers that hold secrets.
pub(super) static HEADERS: [HeaderName; 6] =
    [API_KEY, SIGNATURE, AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE];

/// Returns the name of a secret if a header, parameter or field of this name holds one.
pub(super) fn secret_name(name: &str) -> Option<&'static str> {
    find_name(name, &NAMES.iter().chain(HEADERS.iter().map(HeaderName::as_str)))
}

/// Returns true if a value is a placeholder such as `<api_key-1>`, or empty.
pub(super) fn is_placeholder(value: &str) -> bool {
    if value.is_empty() {
        return true;
    }
    let inner = value.strip_prefix('<').and_then(|value| value.strip_suffix('>')).unwrap_or_default();
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    !inner.is_empty() && inner.chars().all(is_part)
}

/// The secrets that were found, and their placeholders.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    placeholders: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

impl Secrets {
    /// Returns the placeholder of a secret, always the same for the same secret.
    pub(super) fn placeholder(&mut self, name: &'static str, value: &str) -> String {
        if let Some(placeholder) = self.placeholders.get(value) {
            return placeholder.clone();
        }
        let count = self.counts.entry(name).or_default();
        *count += 1;
        let placeholder = format!("<{name}-{count}>");
        self.placeholders.insert(value.to_owned(), placeholder.clone());
        placeholder
    }

    /// Returns the search for other occurrences of the secrets.
    pub(super) fn finder(&self) -> Result<SecretFinder, BuildError> {
        // A value that is the name of a secret or a header hides nothing and occurs everywhere.
        let secrets = self.placeholders.iter().filter(|(value, _)| secret_name(value).is_none());
        SecretFinder::new(secrets.map(|(value, placeholder)| (value.clone(), placeholder.clone())))
    }
}
