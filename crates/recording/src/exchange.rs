//! Converts exchanges to entries of a HAR, and back.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use reqwest::{StatusCode, Url};

use super::har::{
    Content, Creator, Empty, Har, HarEntry, HarError, HarLog, HarMessage, HarRequest, HarResponse, Pair, PostData,
    Timings,
};
use botdesk_client::http::recorder::{RecordedExchange, RecordedMessage, RecordedResponse};
use botdesk_schema::operation::PREFIX;

/// The creator named in the HAR files of this crate.
const CREATOR: &str = "botdesk";

/// The encoding of a body that is not text.
const BASE64: &str = "base64";

/// The value for an unknown size.
const UNKNOWN: i64 = -1;

/// The value for an unknown content type.
const UNKNOWN_CONTENT_TYPE: &str = "x-unknown";

impl Har {
    /// Converts exchanges to a HAR.
    pub(super) fn of(exchanges: &[RecordedExchange]) -> Self {
        let creator = Creator { name: CREATOR.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        Self { log: HarLog { version: "1.2", creator, entries: exchanges.iter().map(entry).collect() } }
    }

    /// Returns true if this crate wrote the HAR, which then contains no secrets.
    pub(super) fn is_own(&self) -> bool {
        self.log.creator.name == CREATOR
    }

    /// Returns the exchanges with the service, each with the number of its entry, starting at 1. Entries of other hosts and
    /// paths are skipped.
    pub(super) fn exchanges(&self) -> Result<Vec<(usize, RecordedExchange)>, HarError> {
        let numbered = self.log.entries.iter().enumerate().map(|(index, entry)| (index + 1, entry));
        let of_service = numbered.filter(|(_, entry)| is_of_service(&entry.request.url) || !entry.messages.is_empty());
        let exchange = |(number, entry)| match exchange(entry) {
            Ok(exchange) => Ok((number, exchange)),
            Err(why) => Err(HarError::Entry { number, why }),
        };
        of_service.map(exchange).collect()
    }
}

fn is_of_service(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.path().contains(&format!("{PREFIX}/")))
}

/// Replaces the times by fixed ones and removes ports and dates, so that the file depends only on the requests and the responses.
pub(super) fn reproducible(exchanges: Vec<RecordedExchange>) -> Vec<RecordedExchange> {
    let at = |second| Timestamp::from_second(FIRST.saturating_add(second)).unwrap_or_default();
    let settled = |(second, exchange): (i64, RecordedExchange)| RecordedExchange {
        started: at(second),
        took: Duration::ZERO,
        messages: exchange.messages.into_iter().map(|message| RecordedMessage { at: at(second), ..message }).collect(),
        url: without_port(&exchange.url),
        response: exchange.response.map(without_date),
        failure: exchange.failure.map(|_| "no response, or an incomplete one".to_owned()),
        ..exchange
    };
    (0..).zip(exchanges).map(settled).collect()
}

/// The start of a reproducible recording: 2024-01-01T00:00:00Z.
const FIRST: i64 = 1_704_067_200;

fn without_port(url: &str) -> String {
    let settled = Url::parse(url).ok().and_then(|mut url| url.set_port(None).is_ok().then_some(url));
    settled.map_or_else(|| url.to_owned(), |url| url.to_string())
}

fn without_date(mut response: RecordedResponse) -> RecordedResponse {
    response.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("date"));
    response
}

fn entry(exchange: &RecordedExchange) -> HarEntry {
    let milliseconds = exchange.took.as_secs_f64() * 1_000.0;
    let version = exchange.response.as_ref().map_or_else(|| "HTTP/1.1".to_owned(), |response| response.version.clone());
    HarEntry {
        started_date_time: format!("{:.3}", exchange.started),
        time: milliseconds,
        request: request(exchange, version),
        response: response(exchange),
        cache: Empty {},
        timings: Timings { send: 0.0, wait: milliseconds, receive: 0.0 },
        messages: exchange.messages.iter().map(har_message).collect(),
    }
}

/// The opcode of a text frame.
const TEXT: u8 = 1;

/// The direction of a frame that the client sent.
const SENT: &str = "send";

fn har_message(message: &RecordedMessage) -> HarMessage {
    let direction = if message.is_sent { SENT } else { "receive" };
    let time = message.at.as_duration().as_secs_f64();
    HarMessage { direction: direction.to_owned(), time, opcode: TEXT, data: message.text.clone() }
}

fn recorded_message(message: &HarMessage) -> RecordedMessage {
    let is_sent = message.direction == SENT;
    RecordedMessage { at: Timestamp::UNIX_EPOCH, is_sent, text: message.data.clone() }
}

fn request(exchange: &RecordedExchange, http_version: String) -> HarRequest {
    let query = Url::parse(&exchange.url).ok();
    let query = query.iter().flat_map(Url::query_pairs);
    let post_data = exchange.body.as_ref().map(|body| {
        let (text, encoding) = text_of(body);
        PostData { mime_type: media_type(&exchange.headers), params: Vec::new(), text: Some(text), encoding }
    });
    HarRequest {
        method: exchange.method.clone(),
        url: exchange.url.clone(),
        http_version,
        cookies: [],
        headers: pairs(&exchange.headers),
        query_string: query.map(|(name, value)| Pair { name: name.into_owned(), value: value.into_owned() }).collect(),
        post_data,
        headers_size: UNKNOWN,
        body_size: size(exchange.body.as_deref().unwrap_or_default()),
    }
}

fn response(exchange: &RecordedExchange) -> HarResponse {
    let recorded = exchange.response.as_ref();
    let status = recorded.map_or(0, |response| response.status);
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let redirect = recorded.and_then(|response| header(&response.headers, "location"));
    let content = recorded.map_or_else(Content::default, |response| {
        let (text, encoding) = text_of(&response.body);
        Content { size: size(&response.body), mime_type: media_type(&response.headers), text: Some(text), encoding }
    });
    HarResponse {
        status: i64::from(status),
        status_text: reason.unwrap_or_default().to_owned(),
        http_version: recorded.map_or_else(String::new, |response| response.version.clone()),
        cookies: [],
        headers: recorded.map(|response| pairs(&response.headers)).unwrap_or_default(),
        content,
        redirect_url: redirect.unwrap_or_default().to_owned(),
        headers_size: UNKNOWN,
        body_size: recorded.map_or(UNKNOWN, |response| size(&response.body)),
        error: exchange.failure.clone(),
    }
}

fn pairs(headers: &[(String, String)]) -> Vec<Pair> {
    headers.iter().map(|(name, value)| Pair { name: name.clone(), value: value.clone() }).collect()
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn media_type(headers: &[(String, String)]) -> String {
    header(headers, "content-type").unwrap_or(UNKNOWN_CONTENT_TYPE).to_owned()
}

fn size(body: &[u8]) -> i64 {
    i64::try_from(body.len()).unwrap_or(UNKNOWN)
}

/// Returns a body as text, with its encoding if it is not text.
fn text_of(body: &[u8]) -> (String, Option<String>) {
    match std::str::from_utf8(body) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (STANDARD.encode(body), Some(BASE64.to_owned())),
    }
}

fn exchange(entry: &HarEntry) -> Result<RecordedExchange, &'static str> {
    Ok(RecordedExchange {
        started: Timestamp::UNIX_EPOCH,
        took: Duration::ZERO,
        method: entry.request.method.to_ascii_uppercase(),
        url: entry.request.url.clone(),
        headers: header_pairs(&entry.request.headers),
        body: sent(entry.request.post_data.as_ref())?,
        // A stream has frames in place of a response.
        response: if entry.messages.is_empty() { recorded_response(&entry.response)? } else { None },
        failure: entry.response.error.clone().filter(|error| !error.is_empty()),
        messages: entry.messages.iter().filter(|message| message.opcode == TEXT).map(recorded_message).collect(),
    })
}

/// Returns the headers without the pseudo-headers of HTTP/2, such as `:path`.
fn header_pairs(headers: &[Pair]) -> Vec<(String, String)> {
    let own = headers.iter().filter(|header| !header.name.starts_with(':'));
    own.map(|header| (header.name.clone(), header.value.clone())).collect()
}

fn sent(data: Option<&PostData>) -> Result<Option<Vec<u8>>, &'static str> {
    let Some(data) = data else {
        return Ok(None);
    };
    let body = if let Some(text) = &data.text {
        bytes(text, data.encoding.as_deref())?
    } else {
        let mut form = Url::parse("http://localhost").map_err(|_| "it has no body that can be read")?;
        form.query_pairs_mut().extend_pairs(data.params.iter().map(|pair| (&pair.name, &pair.value)));
        form.query().unwrap_or_default().as_bytes().to_vec()
    };
    Ok(Some(body).filter(|body| !body.is_empty()))
}

fn recorded_response(response: &HarResponse) -> Result<Option<RecordedResponse>, &'static str> {
    let Content { size, text, encoding, .. } = &response.content;
    let status = match u16::try_from(response.status) {
        Ok(status @ 200..=999) => status,
        // Browsers write 0 if there was no response.
        Ok(0) => return Ok(None),
        _ => return Err("its status is not an HTTP status"),
    };
    if text.is_none() && *size > 0 && response.error.is_none() {
        return Err("the response body is missing; save the HAR with content");
    }
    let body = bytes(text.as_deref().unwrap_or_default(), encoding.as_deref())?;
    Ok(Some(RecordedResponse { status, version: String::new(), headers: header_pairs(&response.headers), body }))
}

fn bytes(text: &str, encoding: Option<&str>) -> Result<Vec<u8>, &'static str> {
    match encoding {
        Some(encoding) if encoding.eq_ignore_ascii_case(BASE64) => {
            let compact: String = text.split_ascii_whitespace().collect();
            STANDARD.decode(compact).map_err(|_| "a body is declared as Base64, but is not valid Base64")
        }
        _ => Ok(text.as_bytes().to_vec()),
    }
}
