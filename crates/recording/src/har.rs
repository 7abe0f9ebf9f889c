//! HAR 1.2: the format that is written, and the subset that is read from files of other programs.
//!
//! Only the parts that a replay needs are read, so that files with missing, additional or mistyped fields load.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The reason why a string is not a HAR. The message does not repeat the string, which may contain secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HarError {
    /// The text is not JSON, or is cut off.
    #[error("it is not JSON (line {line}, column {column})")]
    NotJson {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// The JSON has another structure.
    #[error(
        "it is JSON but not a HAR (line {line}, column {column}); a HAR has log.entries, each with request and response"
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
        /// Its number, starting at 1.
        number: usize,
        /// The cause.
        why: &'static str,
    },
}

/// A HAR file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Har {
    pub(super) log: HarLog,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HarLog {
    #[serde(skip_deserializing)]
    pub(super) version: &'static str,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) creator: Creator,
    pub(super) entries: Vec<HarEntry>,
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
pub(super) struct HarEntry {
    #[serde(skip_deserializing)]
    pub(super) started_date_time: String,
    #[serde(skip_deserializing)]
    pub(super) time: f64,
    pub(super) request: HarRequest,
    pub(super) response: HarResponse,
    #[serde(skip_deserializing)]
    pub(super) cache: Empty,
    #[serde(skip_deserializing)]
    pub(super) timings: Timings,
    /// The frames of a stream; a field of Chromium.
    #[serde(
        rename = "_webSocketMessages",
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub(super) messages: Vec<HarMessage>,
}

/// A frame of a stream, as Chromium writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct HarMessage {
    /// `send` or `receive`.
    #[serde(rename = "type")]
    pub(super) direction: String,
    /// The time, in seconds since 1970.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) time: f64,
    /// The kind of the frame: 1 for text.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) opcode: u8,
    /// The text.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) data: String,
}

/// An object without members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Empty {}

/// The duration of each part of an exchange, in milliseconds; -1 if it is not known.
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
pub(super) struct HarRequest {
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
pub(super) struct HarResponse {
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
    /// The reason why the response is missing or incomplete; a field of Chromium.
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

/// Deserializes a value, or the default in place of null.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Deserializes a string, or None in place of any other type: fields that HAR does not define may have any type.
fn text_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_str().map(str::to_owned))
}

impl Har {
    /// Parses the text of a file.
    pub fn parse(text: &str) -> Result<Self, HarError> {
        // serde's own message would repeat the unexpected value.
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            if error.is_data() { HarError::NotHar { line, column } } else { HarError::NotJson { line, column } }
        })
    }

    /// Returns the text of the file, indented so that changes in it are readable.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}
