//! HAR 1.2: what is written, and what is read of files that others wrote.
//!
//! Only what a replay needs is read, so that files with fields missing, added or of other types load.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Why a text is no HAR. The text itself is not repeated: it may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HarError {
    /// The text is not JSON, or cut.
    #[error("it is not JSON (line {line}, column {column})")]
    NotJson {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// The JSON is of another shape.
    #[error(
        "it is JSON but no HAR (line {line}, column {column}); a HAR has log.entries, each with request and response"
    )]
    NotHar {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// An entry can't be replayed.
    #[error("entry {number}: {why}")]
    Entry {
        /// Its number, from 1 on.
        number: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// A HAR file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Har {
    pub(super) log: Log,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Log {
    #[serde(skip_deserializing)]
    pub(super) version: &'static str,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) creator: Creator,
    pub(super) entries: Vec<Entry>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Creator {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) version: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    #[serde(skip_deserializing)]
    pub(super) started_date_time: String,
    #[serde(skip_deserializing)]
    pub(super) time: f64,
    pub(super) request: Request,
    pub(super) response: Response,
    #[serde(skip_deserializing)]
    pub(super) cache: Empty,
    #[serde(skip_deserializing)]
    pub(super) timings: Timings,
}

/// An object without members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Empty {}

/// How long each part of an exchange took, in milliseconds; -1 where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Timings {
    pub(super) send: f64,
    pub(super) wait: f64,
    pub(super) receive: f64,
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pair {
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) value: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: String,
    #[serde(skip_deserializing)]
    pub(super) http_version: String,
    #[serde(skip_deserializing)]
    pub(super) cookies: [Empty; 0],
    #[serde(default, deserialize_with = "or_default")]
    pub(super) headers: Vec<Pair>,
    #[serde(skip_deserializing)]
    pub(super) query_string: Vec<Pair>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) post_data: Option<PostData>,
    #[serde(skip_deserializing)]
    pub(super) headers_size: i64,
    #[serde(skip_deserializing)]
    pub(super) body_size: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PostData {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) mime_type: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub(super) params: Vec<Pair>,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) encoding: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) status: i64,
    #[serde(skip_deserializing)]
    pub(super) status_text: String,
    #[serde(skip_deserializing)]
    pub(super) http_version: String,
    #[serde(skip_deserializing)]
    pub(super) cookies: [Empty; 0],
    #[serde(default, deserialize_with = "or_default")]
    pub(super) headers: Vec<Pair>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) content: Content,
    #[serde(rename = "redirectURL", skip_deserializing)]
    pub(super) redirect_url: String,
    #[serde(skip_deserializing)]
    pub(super) headers_size: i64,
    #[serde(skip_deserializing)]
    pub(super) body_size: i64,
    /// Why there is no answer, or not all of it; a field of Chromium's.
    #[serde(rename = "_error", default, deserialize_with = "text_if_any", skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) size: i64,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) mime_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) encoding: Option<String>,
}

/// A value, or the default where there is null in its place.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// A text, or nothing where something else stands in its place: what is no part of HAR may be of any type.
fn text_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_str().map(str::to_owned))
}

impl Har {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, HarError> {
        // serde's own message would repeat a value that it did not expect.
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            if error.is_data() { HarError::NotHar { line, column } } else { HarError::NotJson { line, column } }
        })
    }

    /// The text of the file: indented, so that what changed in it can be read.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}
