//! Comparison of requests with recorded ones.

use std::collections::BTreeMap;

use reqwest::Url;
use serde_json::{Map, Value};
use std::sync::Arc;

use botdesk_api::reference;

use super::secrets::{is_placeholder, secret_name};
use botdesk_schema::decimal;
use botdesk_schema::json::{Json, Scanner};
use botdesk_schema::operation::PREFIX;
use botdesk_schema::secrets::HIDDEN;

/// The parts of a request by which it is matched.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RequestKey {
    pub(super) method: String,
    /// The path, starting with `/public/api`.
    pub(super) path: String,
    /// The parameters of the query string and of a form, by name.
    parameters: BTreeMap<String, Vec<String>>,
    body: RequestBody,
}

#[derive(Clone, Debug, PartialEq)]
enum RequestBody {
    Json(Value),
    Text(String),
}

impl RequestKey {
    /// Returns the key of a request. Its path may have a prefix before `/public/api`.
    pub(super) fn new(method: &str, path: &str, query: Option<&str>, body: &[u8], is_form: bool) -> Self {
        let text = String::from_utf8_lossy(body);
        let form = Some(text.as_ref()).filter(|_| is_form);
        let mut parameters = BTreeMap::<_, Vec<_>>::new();
        for (name, value) in [query, form].into_iter().flatten().flat_map(pairs) {
            parameters.entry(name).or_default().push(value);
        }
        Self {
            method: method.to_ascii_uppercase(),
            path: path.find(PREFIX).and_then(|start| path.get(start..)).unwrap_or(path).to_owned(),
            parameters,
            body: if is_form { RequestBody::Text(String::new()) } else { RequestBody::of(&text) },
        }
    }

    /// Returns true if the request changes nothing, so that its response may be replayed again.
    pub(super) fn reads(&self) -> bool {
        reference::is_read(&self.method, &self.path)
    }

    /// Returns the method, the path and the query string, without the values of secrets.
    pub(super) fn described(&self) -> String {
        let shown = self.parameters.iter().flat_map(|(name, values)| {
            let secret = secret_name(name).is_some();
            values.iter().map(move |value| format!("{name}={}", if secret { HIDDEN } else { value }))
        });
        let query = shown.collect::<Vec<_>>().join("&");
        let query = if query.is_empty() { query } else { format!("?{query}") };
        format!("{} {}{query}", self.method, self.path)
    }

    /// Returns the similarity of two methods and paths: higher is more similar.
    pub(super) fn similarity(&self, other: &Self) -> f64 {
        let same_method = if self.method == other.method { 1.0 } else { 0.0 };
        if self.path == other.path {
            2.0 + same_method
        } else {
            strsim::jaro_winkler(&self.path, &other.path) + same_method
        }
    }

    /// Returns the differences between this recorded request and another one.
    pub(super) fn differences(&self, request: &Self) -> Vec<String> {
        let mut differences = Differences::default();
        differences.note("method", &self.method, &request.method);
        differences.note("path", &self.path, &request.path);
        differences.parameters(&self.parameters, &request.parameters);
        match (&self.body, &request.body) {
            (RequestBody::Json(recorded), RequestBody::Json(request)) => differences.json("", recorded, request, false),
            (recorded, request) if recorded == request => {}
            (recorded, request) => {
                differences.0.push(format!("body: recorded {}, requested {}", recorded.kind(), request.kind()));
            }
        }
        differences.0
    }
}

impl RequestBody {
    fn of(text: &str) -> Self {
        let json = Scanner::whole(text).ok().and_then(|span| Json::new(&Arc::from(text), span).to_value());
        json.map_or_else(|| Self::Text(text.trim().to_owned()), Self::Json)
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Json(_) => "JSON",
            Self::Text(text) if text.is_empty() => "nothing",
            Self::Text(_) => "another text",
        }
    }
}

fn pairs(parameters: &str) -> Vec<(String, String)> {
    // The URL itself is irrelevant: parsing it parses the parameters.
    let url = Url::parse(&format!("http://localhost/?{parameters}"));
    url.map(|url| url.query_pairs().into_owned().collect()).unwrap_or_default()
}

/// The differences between a recorded request and another one, without the values of secrets.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn note(&mut self, what: &str, recorded: &str, request: &str) {
        if recorded != request {
            self.0.push(format!("{what}: recorded {recorded}, requested {request}"));
        }
    }

    fn parameters(&mut self, recorded: &BTreeMap<String, Vec<String>>, request: &BTreeMap<String, Vec<String>>) {
        for name in union(recorded.keys(), request.keys()) {
            let [was, is] = [recorded, request].map(|all| all.get(name).map(Vec::as_slice).unwrap_or_default());
            let same = was.len() == is.len() && was.iter().zip(is).all(|(was, is)| was == is || stands_for(name, was));
            if !same {
                self.0.push(format!("query {name}: recorded {}, requested {}", listed(name, was), listed(name, is)));
            }
        }
    }

    fn json(&mut self, place: &str, recorded: &Value, request: &Value, secret: bool) {
        match (recorded, request) {
            (Value::String(placeholder), _) if secret && is_placeholder(placeholder) => {}
            (Value::Object(was), Value::Object(is)) => self.members(place, was, is, secret),
            (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
                for (index, (was, is)) in was.iter().zip(is).enumerate() {
                    self.json(&format!("{place}[{index}]"), was, is, secret);
                }
            }
            (recorded, request) if same_value(recorded, request) => {}
            (recorded, request) => {
                let shown = |value| if secret { HIDDEN.to_owned() } else { excerpt(value) };
                let place = if place.is_empty() { "body".to_owned() } else { format!("body {place}") };
                self.0.push(format!("{place}: recorded {}, requested {}", shown(recorded), shown(request)));
            }
        }
    }

    fn members(&mut self, place: &str, was: &Map<String, Value>, is: &Map<String, Value>, secret: bool) {
        for name in union(was.keys(), is.keys()) {
            let secret = secret || secret_name(name).is_some();
            let inner = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            match (was.get(name), is.get(name)) {
                (Some(was), Some(is)) => self.json(&inner, was, is, secret),
                (Some(was), None) => {
                    self.0.push(format!("body {inner}: recorded {}, not requested", shown(was, secret)));
                }
                (None, Some(is)) => self.0.push(format!("body {inner}: not recorded, requested {}", shown(is, secret))),
                (None, None) => {}
            }
        }
    }
}

/// Returns the names in either list, in the order of the first list.
fn union<'a>(one: impl Iterator<Item = &'a String>, other: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut names: Vec<_> = one.collect();
    for name in other {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns true if the recorded value is the placeholder of a secret, which matches any value.
fn stands_for(name: &str, recorded: &str) -> bool {
    secret_name(name).is_some() && is_placeholder(recorded)
}

/// Returns true if two values without members are the same. Numbers are compared as decimals.
fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => match (decimal::of(one), decimal::of(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        },
        _ => one == other,
    }
}

/// The maximum number of characters of a value in a difference.
const MAX_CHARS: usize = 60;

fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= MAX_CHARS { text } else { text.chars().take(MAX_CHARS).chain(['…']).collect() }
}

fn shown(value: &Value, secret: bool) -> String {
    if secret { HIDDEN.to_owned() } else { excerpt(value) }
}

fn listed(name: &str, values: &[String]) -> String {
    match values {
        [] => "nothing".to_owned(),
        _ if secret_name(name).is_some() => HIDDEN.to_owned(),
        values => values.join(", ").chars().take(MAX_CHARS).collect(),
    }
}
