//! HAR files that load, and those that do not.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{exchange, header};
use crate::har::{Har, HarError};
use botdesk_client::http::recorder::RecordedExchange;

const CHROMIUM: &str = include_str!("../../../../tests/fixtures/har/chromium.har");

fn read(har: &Value) -> Result<Vec<(usize, RecordedExchange)>, HarError> {
    Har::parse(&har.to_string()).and_then(|har| har.exchanges())
}

fn entry(response: &Value) -> Value {
    let request = json!({"method": "GET", "url": "https://host.example/public/api/ver1/bots"});
    json!({"log": {"entries": [{"request": request, "response": response}]}})
}

#[test]
fn a_written_file_can_be_read() {
    let mut written = exchange("/public/api/ver1/bots?limit=1", "\u{e9}");
    written.headers = vec![header("content-type", "application/json")];
    written.body = Some(vec![0xff, 0x00]);
    written.response.as_mut().unwrap().version = String::new();
    let text = Har::of(std::slice::from_ref(&written)).to_text().unwrap();
    assert_eq!(Har::parse(&text).unwrap().exchanges().unwrap(), [(1, written)]);
}

#[test]
fn fields_may_be_missing_null_or_unknown() {
    let read = read(&entry(&json!({"status": 200, "headers": null, "content": null, "_unknown": {"x": 1}}))).unwrap();
    let response = read[0].1.response.clone().unwrap();
    assert_eq!((response.status, response.headers.len(), response.body.len()), (200, 0, 0));
}

#[test]
fn an_entry_without_a_response_has_a_reason() {
    for (response, why) in [
        (json!({"status": 0, "_error": "net::ERR_CONNECTION_REFUSED"}), Some("net::ERR_CONNECTION_REFUSED".to_owned())),
        (json!({"status": 0}), None),
        (json!({"status": 0, "_error": {"code": 5}}), None),
    ] {
        let read = read(&entry(&response)).unwrap();
        assert_eq!((&read[0].1.response, &read[0].1.failure), (&None, &why));
    }
}

#[test]
fn other_hosts_and_paths_are_skipped() {
    let urls = ["https://host.example/app.js", "data:text/plain,x", "not an address", "https://x/public/apix"];
    let entries = urls.map(|url| json!({"request": {"method": "GET", "url": url}, "response": {"status": 101}}));
    assert_eq!(read(&json!({"log": {"entries": entries}})).unwrap(), []);
}

#[test]
fn an_entry_that_can_not_be_replayed_is_reported_by_its_number() {
    for (response, expected) in [
        (
            json!({"status": 200, "content": {"size": 5}}),
            "entry 1: the response body is missing; save the HAR with content",
        ),
        (
            json!({"status": 200, "content": {"text": "%", "encoding": "base64"}}),
            "entry 1: a body is declared as Base64, but is not valid Base64",
        ),
        (json!({"status": 101}), "entry 1: its status is not an HTTP status"),
        (json!({"status": -1}), "entry 1: its status is not an HTTP status"),
    ] {
        assert_eq!(read(&entry(&response)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn the_error_for_a_malformed_file_has_the_location_and_no_content() {
    for (text, expected) in [
        ("", "it is not JSON (line 1, column 0)"),
        ("{\"log\": \"hunter2\"", "it is JSON but not a HAR"),
        ("{\"log\": {\n\"entries\": [hunter2]}}", "it is not JSON (line 2, column 13)"),
        ("[]", "it is JSON but not a HAR"),
        ("{\"log\": {\"entries\": [\"hunter2\"]}}", "it is JSON but not a HAR"),
        (
            "{\"log\": {\"entries\": [{\"request\": {\"method\": \"GET\", \"url\": \"x\"}}]}}",
            "it is JSON but not a HAR",
        ),
    ] {
        let message = Har::parse(text).unwrap_err().to_string();
        assert!(message.starts_with(expected) && !message.contains("hunter2"), "{text}: {message}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert!(Har::parse("\u{feff}{\"log\": {\"entries\": []}}").is_ok());
}

proptest! {
    #[test]
    fn strings_cause_no_panic(text in any::<String>()) {
        let _ = Har::parse(&text).and_then(|har| har.exchanges());
    }

    #[test]
    fn corrupted_files_cause_no_panic(at in 0..CHROMIUM.len(), length in 0_usize..200, other in r#"[\PC"\\{}\[\]0-9]{0,20}"#) {
        let head = CHROMIUM.get(..at).unwrap_or_default();
        let tail = CHROMIUM.get(at + length..).unwrap_or_default();
        let _ = Har::parse(&format!("{head}{other}{tail}")).and_then(|har| har.exchanges());
    }
}
