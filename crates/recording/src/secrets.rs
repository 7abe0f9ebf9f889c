//! The secrets of a recording: what is one, what stands in its place, and where else it turns up.

use std::collections::HashMap;

use aho_corasick::BuildError;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderName, PROXY_AUTHORIZATION, SET_COOKIE};

use botdesk_api::redaction::{SecretFinder, find_name};
use botdesk_api::secrets::NAMES;
use botdesk_client::credentials::signing::{API_KEY, SIGNATURE};

/// The headers that hold secrets.
pub(super) static HEADERS: [HeaderName; 6] =
    [API_KEY, SIGNATURE, AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE];

/// Returns the name of a secret if a header, parameter or field of this name holds one.
pub(super) fn secret_name(name: &str) -> Option<&'static str> {
    find_name(name, &NAMES.iter().chain(HEADERS.iter().map(HeaderName::as_str)))
}

/// Whether a value stands in the place of a secret, such as `<api_key-1>`, or there is nothing to hide.
pub(super) fn is_placeholder(value: &str) -> bool {
    if value.is_empty() {
        return true;
    }
    let inner = value.strip_prefix('<').and_then(|value| value.strip_suffix('>')).unwrap_or_default();
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    !inner.is_empty() && inner.chars().all(is_part)
}

/// The secrets that were met, and their placeholders.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    placeholders: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

impl Secrets {
    /// What stands in the place of a secret: the same for the same one.
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

    /// What finds the secrets in other places.
    pub(super) fn finder(&self) -> Result<SecretFinder, BuildError> {
        // A value that is itself the name of a secret or a header hides nothing and occurs everywhere.
        let secrets = self.placeholders.iter().filter(|(value, _)| secret_name(value).is_none());
        SecretFinder::new(secrets.map(|(value, placeholder)| (value.clone(), placeholder.clone())))
    }
}
