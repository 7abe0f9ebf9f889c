//! Cassettes that load, and those that do not.

use std::io::Write as _;

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::{Cassette, RecordingError};

fn loaded(text: &str) -> Result<Cassette, RecordingError> {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let cassette = Cassette::load(file.path());
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), text);
    cassette
}

fn written_by(creator: &str, header: &Value, body: &str) -> String {
    let request = json!({
        "method": "GET", "url": "https://host.example/public/api/ver1/bots", "headers": [header],
    });
    let entry = json!({"request": request, "response": {"status": 200, "content": {"text": body}}});
    json!({"log": {"creator": {"name": creator}, "entries": [entry]}}).to_string()
}

#[test]
fn a_secret_in_a_recording_of_botdesk_is_rejected_without_showing_it() {
    let plain = json!({"name": "Accept", "value": "*/*"});
    for (header, body, name) in [
        (json!({"name": "Apikey", "value": "hunter2"}), "{}", "apikey"),
        (json!({"name": "SIGNATURE", "value": "hunter2"}), "{}", "signature"),
        (plain.clone(), r#"[{"url_secret": "hunter2"}]"#, "url_secret"),
        (plain.clone(), r#"{"address": "hunter2"}"#, "address"),
        (plain, r#"{"customer_id": 4711"#, "customer_id"),
    ] {
        let message = loaded(&written_by("botdesk", &header, body)).unwrap_err().to_string();
        let expected =
            format!("entry 1 (GET /public/api/ver1/bots) has a secret where a placeholder such as <{name}-1>");
        assert!(message.contains(&expected) && !message.contains("hunter2"), "{message}");
    }
}

#[test]
fn placeholders_are_not_secrets() {
    let header = json!({"name": "Apikey", "value": "<API_KEY>"});
    let body = r#"{"url_secret": "<hidden>", "api_key": "<api_key-12>", "customer_id": null, "address_tag": ""}"#;
    assert_eq!(loaded(&written_by("botdesk", &header, body)).unwrap().interactions.len(), 1);
}

#[test]
fn secrets_in_a_file_of_another_program_are_redacted_in_memory() {
    let header = json!({"name": "Apikey", "value": "hunter2222"});
    let cassette = loaded(&written_by("WebInspector", &header, r#"{"name": "of hunter2222"}"#)).unwrap();
    let response = cassette.interactions[0].response.as_ref().unwrap();
    assert_eq!(response.body, br#"{"name": "of <apikey-1>"}"#);
}

#[test]
fn a_file_that_is_not_utf_8_is_rejected() {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(&[0xff, 0xfe]).unwrap();
    assert!(Cassette::load(file.path()).unwrap_err().to_string().ends_with("it is not JSON (line 1, column 0)"));
}
