//! Removes the secrets from exchanges, and checks that none is left.

use std::borrow::Cow;

use aho_corasick::BuildError;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str};
use reqwest::Url;
use serde_json::Value;

use super::har::Har;
use super::secrets::{Secrets, is_placeholder, secret_name};
use super::text::{TextVisitor, rewritten};
use botdesk_client::http::recorder::RecordedExchange;
use botdesk_schema::json::text_of;
use botdesk_schema::redaction::SecretFinder;
use botdesk_server::request::looks_like_json;

/// Exchanges without secrets, and the search for those that were removed.
#[derive(Debug)]
pub(super) struct Scrubbed {
    pub(super) exchanges: Vec<RecordedExchange>,
    finder: SecretFinder,
}

/// Replaces all secrets with placeholders: first it collects the values of secret headers, parameters and fields from all
/// exchanges, then it replaces them wherever they occur.
pub(super) fn scrub(exchanges: Vec<RecordedExchange>) -> Result<Scrubbed, BuildError> {
    scrub_with(exchanges, &[])
}

/// Does the same as `scrub`, and also replaces the secrets of keys, which no header, parameter or field names.
pub(super) fn scrub_with(mut exchanges: Vec<RecordedExchange>, key_secrets: &[&str]) -> Result<Scrubbed, BuildError> {
    let mut collector = SecretCollector::default();
    for secret in key_secrets {
        collector.0.placeholder(KEY_SECRET, secret);
    }
    for exchange in &exchanges {
        visit(&mut exchange.clone(), &mut collector);
    }
    let finder = collector.0.finder()?;
    let mut scrubber = Scrubber { secrets: collector.0, finder: &finder };
    for exchange in &mut exchanges {
        visit(exchange, &mut scrubber);
    }
    Ok(Scrubbed { exchanges, finder })
}

/// The name of the secret of a key in its placeholder.
const KEY_SECRET: &str = "key_secret";

/// A visitor that collects the secrets and changes nothing else.
#[derive(Default)]
struct SecretCollector(Secrets);

impl TextVisitor for SecretCollector {
    fn secret(&mut self, name: &'static str, value: &str) -> String {
        self.0.placeholder(name, value)
    }

    fn text(&mut self, text: &str) -> String {
        text.to_owned()
    }
}

struct Scrubber<'a> {
    secrets: Secrets,
    finder: &'a SecretFinder,
}

impl TextVisitor for Scrubber<'_> {
    fn secret(&mut self, name: &'static str, value: &str) -> String {
        self.secrets.placeholder(name, value)
    }

    fn text(&mut self, text: &str) -> String {
        self.finder.replace(text)
    }
}

/// Visits all parts of an exchange, always in the same order, because placeholders are numbered.
pub(super) fn visit(exchange: &mut RecordedExchange, visitor: &mut dyn TextVisitor) {
    exchange.url = visit_url(&exchange.url, visitor);
    // JSON with the content type of a form is JSON: its secrets are members, not parameters.
    let is_form = is_form(&exchange.headers) && !exchange.body.as_deref().is_some_and(looks_like_json);
    visit_headers(&mut exchange.headers, visitor);
    if let Some(sent) = &mut exchange.body {
        if is_form {
            *sent = parameters(&String::from_utf8_lossy(sent), visitor).into_bytes();
        } else {
            visit_body(sent, visitor);
        }
    }
    if let Some(response) = &mut exchange.response {
        visit_headers(&mut response.headers, visitor);
        visit_body(&mut response.body, visitor);
    }
    if let Some(failure) = &mut exchange.failure {
        *failure = visitor.text(failure);
    }
    for message in &mut exchange.messages {
        message.text = rewritten(&message.text, visitor);
    }
}

/// Returns true if the headers declare the body as a form.
pub(super) fn is_form(headers: &[(String, String)]) -> bool {
    let kind = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    kind.is_some_and(|(_, kind)| kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded"))
}

fn visit_headers(headers: &mut [(String, String)], visitor: &mut dyn TextVisitor) {
    for (name, value) in headers {
        *value = placeholder_for(name, value, visitor).unwrap_or_else(|| rewritten(value, visitor));
    }
}

/// Returns the placeholder for the value of a header or a parameter; None if it is not secret.
fn placeholder_for(name: &str, value: &str, visitor: &mut dyn TextVisitor) -> Option<String> {
    let name = secret_name(name)?;
    Some(if is_placeholder(value) { value.to_owned() } else { visitor.secret(name, value) })
}

fn visit_body(body: &mut Vec<u8>, visitor: &mut dyn TextVisitor) {
    let text = text_of(body.clone());
    let clean = rewritten(&text, visitor);
    // Bytes that are not text stay unchanged if they contain no secrets.
    if clean != text {
        *body = clean.into_bytes();
    }
}

/// The characters that must be escaped in a URL.
const UNSAFE: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'/').add(b'<').add(b'>').add(b'?');

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, UNSAFE).to_string()
}

fn visit_url(url: &str, visitor: &mut dyn TextVisitor) -> String {
    let (url, fragment) = url.split_once('#').map_or((url, None), |(url, fragment)| (url, Some(fragment)));
    let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
    // A secret may contain a slash, and a segment may be encoded.
    let known = visitor.text(path).replace('<', "%3C").replace('>', "%3E");
    let segments = known.split('/').map(|segment| {
        let text = percent_decode_str(segment).decode_utf8_lossy();
        let clean = visitor.text(&text);
        if clean == text { segment.to_owned() } else { encoded(&clean) }
    });
    let mut whole = segments.collect::<Vec<_>>().join("/");
    if let Some(query) = query {
        whole.extend(["?", &parameters(query, visitor)]);
    }
    if let Some(fragment) = fragment {
        whole.extend(["#", &parameters(fragment, visitor)]);
    }
    // A user name and a password in a URL are secrets of the user.
    if let Ok(mut parsed) = Url::parse(&whole)
        && (parsed.password().is_some() || !parsed.username().is_empty())
        && parsed.set_username("").is_ok()
        && parsed.set_password(None).is_ok()
    {
        return parsed.to_string();
    }
    whole
}

/// Rewrites the parameters of a query string or a form. Unchanged ones keep their encoding.
fn parameters(query: &str, visitor: &mut dyn TextVisitor) -> String {
    let each = query.split('&').map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let [name_text, text] = [name, value].map(decoded);
        let clean = placeholder_for(&name_text, &text, visitor).unwrap_or_else(|| rewritten(&text, visitor));
        let clean_name =
            if secret_name(&name_text).is_some() { name_text.to_string() } else { visitor.text(&name_text) };
        if clean == text && clean_name == name_text {
            return pair.to_owned();
        }
        let value = if clean == text { value.to_owned() } else { encoded(&clean) };
        let name = if clean_name == name_text { name.to_owned() } else { encoded(&clean_name) };
        format!("{name}={value}")
    });
    each.collect::<Vec<_>>().join("&")
}

fn decoded(text: &str) -> Cow<'_, str> {
    let spaced = text.replace('+', " ");
    Cow::Owned(percent_decode_str(&spaced).decode_utf8_lossy().into_owned())
}

/// A secret that is left in a recording.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RemainingSecret {
    /// The placeholder of the secret.
    pub(super) secret: String,
    /// The encoding of the secret.
    pub(super) form: &'static str,
    /// The number of the entry, starting at 1.
    pub(super) entry: usize,
}

impl Scrubbed {
    /// Returns a secret that is left in a HAR: plain, escaped, percent-encoded or in Base64.
    pub(super) fn remaining_secret(&self, har: &Har) -> Result<Option<RemainingSecret>, serde_json::Error> {
        for (index, entry) in har.log.entries.iter().enumerate() {
            if let Some((secret, form)) = self.remaining_in(&serde_json::to_value(entry)?) {
                return Ok(Some(RemainingSecret { secret, form, entry: index + 1 }));
            }
        }
        Ok(None)
    }

    fn remaining_in(&self, value: &Value) -> Option<(String, &'static str)> {
        match value {
            Value::String(text) => self.remaining_in_text(text),
            Value::Array(elements) => elements.iter().find_map(|element| self.remaining_in(element)),
            Value::Object(members) => members.values().find_map(|member| self.remaining_in(member)),
            _ => None,
        }
    }

    fn remaining_in_text(&self, text: &str) -> Option<(String, &'static str)> {
        let found = |text: &str, form| self.finder.first(text).map(|secret| (secret.to_owned(), form));
        let encoded = || from_base64(text).find_map(|bytes| found(&String::from_utf8_lossy(&bytes), "in Base64"));
        found(text, "as plain text").or_else(encoded)
    }
}

/// The shortest Base64 that may contain a secret.
const SHORTEST_BASE64: usize = 11;

/// Decodes the parts of a string that may be Base64, at every offset where it may begin.
fn from_base64(text: &str) -> impl Iterator<Item = Vec<u8>> {
    const TOLERANT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let is_digit = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '-' | '_');
    let parts = text.split(move |character| !is_digit(character)).filter(|part| part.len() >= SHORTEST_BASE64);
    parts.map(|part| part.replace('-', "+").replace('_', "/")).flat_map(|part| {
        (0..4_usize).filter_map(move |from| {
            let part = part.get(from..)?;
            let even = part.len() - usize::from(part.len() % 4 == 1);
            TOLERANT.decode(part.get(..even)?).ok()
        })
    })
}
