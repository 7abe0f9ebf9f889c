//! Removal of secrets from exchanges.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use reqwest::header::HeaderName;
use serde_json::{Value, json};

use super::{body_of, exchange, header};
use crate::har::Har;
use crate::scrub::{RemainingSecret, scrub, scrub_with};
use crate::secrets::{HEADERS, is_placeholder};
use botdesk_client::http::recorder::RecordedExchange;
use botdesk_schema::json::ascii;
use botdesk_schema::secrets;

/// Returns the names of all fields, parameters and headers that hold secrets.
fn names() -> Vec<&'static str> {
    secrets::NAMES.iter().chain(HEADERS.iter().map(HeaderName::as_str)).collect()
}

fn clean(exchange: RecordedExchange) -> RecordedExchange {
    scrub(vec![exchange]).unwrap().exchanges.remove(0)
}

fn clean_body(body: &str) -> String {
    body_of(&clean(exchange("/public/api/ver1/bots", body))).to_owned()
}

/// Returns the secret that the check finds in exchanges after secrets were removed.
fn left(exchanges: Vec<RecordedExchange>) -> Option<RemainingSecret> {
    let scrubbed = scrub(exchanges).unwrap();
    scrubbed.remaining_secret(&Har::of(&scrubbed.exchanges)).unwrap()
}

#[test]
fn every_documented_secret_has_a_placeholder() {
    let names = names();
    for name in [
        "apikey",
        "signature",
        "api_key",
        "secret",
        "passphrase",
        "url_secret",
        "customer_id",
        "address",
        "address_tag",
    ] {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn the_secret_of_a_key_is_replaced_in_any_spelling() {
    const SECRET: &str = "5ecre+/of=a_key-0123456789";
    let base64 = STANDARD.encode(SECRET);
    let percent_encoded = SECRET.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    for spelling in [SECRET.to_owned(), SECRET.to_uppercase(), SECRET.replace('/', "\\/"), percent_encoded, base64] {
        let body = format!(r#"{{"name":"of {spelling} here"}}"#);
        let exchanges = vec![exchange("/public/api/ver1/bots", &body)];
        let scrubbed = scrub_with(exchanges, &[SECRET]).unwrap();
        assert!(body_of(&scrubbed.exchanges[0]).starts_with(r#"{"name":"of <key_secret-1>"#), "{spelling}");
        assert!(scrubbed.remaining_secret(&Har::of(&scrubbed.exchanges)).unwrap().is_none());
    }
}

#[test]
fn everything_but_secrets_is_kept_byte_for_byte() {
    for body in [
        r#"{ "price" : 1.10, "e": 1E5, "escaped": "\u00e9\/", "id": 41, "id": 42 }"#,
        r#"[{"url_secret": null, "api_key": "", "error_attributes": {"api_key": ["is wrong"]}}]"#,
        "<html>502 \u{fffd}</html>",
        "",
    ] {
        assert_eq!(clean_body(body), body);
    }
}

#[test]
fn a_secret_becomes_a_placeholder_whatever_its_type() {
    for (body, expected) in [
        (r#"{"url_secret": "top-secret"}"#, r#"{"url_secret": "<url_secret-1>"}"#),
        (r#"{"customer_id": 1234567890}"#, r#"{"customer_id": "<customer_id-1>"}"#),
        (r#"{"secret": ["one", {"x": "two"}]}"#, r#"{"secret": ["<secret-1>", {"x": "<secret-2>"}]}"#),
        (r#"{"API_KEY": "top-secret"}"#, r#"{"API_KEY": "<api_key-1>"}"#),
        (r#"{"url_secret": "cut-off-he"#, r#"{"url_secret": "<url_secret-1>""#),
        (r#"{"log": "{\"secret\": \"top-secret\"}"}"#, r#"{"log": "{\"secret\": \"<secret-1>\"}"}"#),
        (r#"{"api\u005fkey": "top-secret"}"#, r#"{"api\u005fkey": "<api_key-1>"}"#),
    ] {
        assert_eq!(clean_body(body), expected);
    }
}

#[test]
fn the_same_secret_becomes_the_same_placeholder_everywhere() {
    let mut first = exchange("/public/api/ver1/bots?api_key=top%2Fsecret&x=a%20b", r#"{"name": "of top/secret"}"#);
    first.headers = vec![header("Apikey", "the-api-key"), header("X-Note", "from the-api-key")];
    let second = exchange("/public/api/ver1/top/secret", r#"{"secret": "top\/secret", "other": "the-api-key"}"#);
    let clean = scrub(vec![first, second]).unwrap().exchanges;
    assert_eq!(clean[0].url, "https://host.example/public/api/ver1/bots?api_key=%3Capi_key-1%3E&x=a%20b");
    assert_eq!(clean[0].headers, [header("Apikey", "<apikey-1>"), header("X-Note", "from <apikey-1>")]);
    assert_eq!(body_of(&clean[0]), r#"{"name": "of <api_key-1>"}"#);
    assert_eq!(clean[1].url, "https://host.example/public/api/ver1/%3Capi_key-1%3E");
    assert_eq!(body_of(&clean[1]), r#"{"secret": "<api_key-1>", "other": "<apikey-1>"}"#);
}

#[test]
fn a_short_secret_is_redacted_in_its_field_and_as_a_word() {
    let body = r#"{"secret": "S123", "name": "S123 and S1234", "price": "0.S123", "code": "S1"}"#;
    let expected = r#"{"secret": "<secret-1>", "name": "<secret-1> and S1234", "price": "0.S123", "code": "S1"}"#;
    assert_eq!(clean_body(body), expected);
}

#[test]
fn a_long_secret_is_found_although_a_short_one_overlaps_it() {
    let body = r#"{"secret": "abcd", "passphrase": "cdefghijkl", "name": "abcdefghijkl"}"#;
    let expected = r#"{"secret": "<secret-1>", "passphrase": "<passphrase-1>", "name": "ab<passphrase-1>"}"#;
    assert_eq!(clean_body(body), expected);
}

#[test]
fn a_secret_that_equals_a_name_is_redacted_only_in_its_field() {
    assert_eq!(
        clean_body(r#"{"secret": "signature", "passphrase": "x"}"#),
        r#"{"secret": "<secret-1>", "passphrase": "<passphrase-1>"}"#
    );
}

#[test]
fn a_password_in_a_url_is_redacted() {
    let mut given = exchange("", "");
    given.url = "https://user:hunter2222@host.example/public/api/ver1/bots".to_owned();
    assert_eq!(clean(given).url, "https://host.example/public/api/ver1/bots");
}

#[test]
fn parameters_of_a_form_are_scrubbed() {
    let mut given = exchange("/public/api/ver1/accounts/new", "");
    given.headers = vec![header("content-type", "application/x-www-form-urlencoded; charset=utf-8")];
    given.body = Some(b"name=a+b&secret=top+secret".to_vec());
    assert_eq!(clean(given).body.unwrap(), b"name=a+b&secret=%3Csecret-1%3E");
}

#[test]
fn json_under_the_content_type_of_a_form_is_scrubbed() {
    let mut given = exchange("/public/api/ver1/accounts/new", "");
    given.headers = vec![header("content-type", "application/x-www-form-urlencoded")];
    given.body = Some(br#"{"name":"a","secret":"top secret"}"#.to_vec());
    assert_eq!(clean(given).body.unwrap(), br#"{"name":"a","secret":"<secret-1>"}"#);
}

#[test]
fn a_binary_body_is_unchanged() {
    let mut given = exchange("/public/api/ver1/bots", "");
    given.response.as_mut().unwrap().body = vec![0xff, 0x00, 0xfe];
    assert_eq!(clean(given).response.unwrap().body, [0xff, 0x00, 0xfe]);
}

#[test]
fn a_secret_is_redacted_in_any_escapes() {
    let secret = "top-secret+value";
    for echo in [
        every_byte_encoded(secret),
        every_byte_encoded(&every_byte_encoded(secret)),
        every_byte_encoded(secret).replace('%', "\\u00"),
        "top&#45;secret&plus;value".to_owned(),
        STANDARD.encode(secret),
    ] {
        let body = json!({"secret": secret, "echo": echo}).to_string();
        let clean = clean_body(&body);
        assert!(clean.starts_with(r#"{"secret":"<secret-1>","echo":"<secret-1>"#), "{clean}");
        assert_eq!(left(vec![exchange("/", &body)]), None);
    }
}

#[test]
fn a_secret_that_can_not_be_redacted_is_found() {
    let secret = "top-secret-value";
    for echo in [
        STANDARD.encode(every_byte_encoded(secret)),
        format!("x{}", STANDARD.encode(format!(" {}", every_byte_encoded(secret)))),
    ] {
        let body = json!({"secret": secret, "echo": echo}).to_string();
        let left = left(vec![exchange("/", "{}"), exchange("/", &body)]);
        assert_eq!(
            left,
            Some(RemainingSecret { secret: "<secret-1>".to_owned(), form: "in Base64", entry: 2 }),
            "{echo}"
        );
    }
}

#[test]
fn a_quoted_secret_is_redacted_in_a_string_similar_to_json() {
    let secret = "\"quoted-secret\"";
    let scrubbed = scrub(planted("address", secret, 0)).unwrap();
    let har = Har::of(&scrubbed.exchanges);
    assert_eq!(scrubbed.remaining_secret(&har).unwrap(), None);
    assert!(!har.to_text().unwrap().contains("quoted-secret"));
}

fn every_byte_encoded(text: &str) -> String {
    text.bytes().map(percent_encoding::percent_encode_byte).collect()
}

/// Returns exchanges with a secret in one of its own places, and in all kinds of other places.
fn planted(name: &str, secret: &str, deep: usize) -> Vec<RecordedExchange> {
    let quoted = Value::from(secret).to_string();
    let encoded = every_byte_encoded(secret);
    let nested = (0..deep).fold(json!({name: secret}), |inner, level| match level % 3 {
        0 => json!([inner]),
        1 => json!({"inner": inner, "x": 1.5}),
        _ => Value::from(inner.to_string()),
    });
    let mut held = exchange("/public/api/ver1/bots", &json!({"held": nested}).to_string());
    held.failure = Some(format!("no response for {secret}"));
    held.headers = vec![header("x-echo", secret)];
    let mut sent = exchange(&format!("/public/api/{encoded}?q={encoded}#{encoded}"), &format!("<p>{secret}</p>"));
    sent.body = Some(format!("{{\"echo\": {}, \"cut\": {quoted}", ascii(&quoted)).into_bytes());
    let in_query = exchange(&format!("/public/api/ver1/bots?{name}={encoded}"), &format!("[{quoted}]"));
    vec![held, sent, in_query]
}

proptest! {
    #[test]
    fn a_secret_planted_anywhere_is_never_written(
        name in prop::sample::select(names()),
        secret in r"[\PC&&[^<>]]{8,40}",
        deep in 0_usize..9,
    ) {
        prop_assume!(!is_placeholder(&secret));
        let scrubbed = scrub(planted(name, &secret, deep)).unwrap();
        let har = Har::of(&scrubbed.exchanges);
        prop_assert_eq!(scrubbed.remaining_secret(&har).unwrap(), None);
        let text = har.to_text().unwrap();
        prop_assert!(!text.contains(&secret), "{}", text);
        prop_assert!(!text.contains(&Value::from(secret).to_string()), "{}", text);
    }

    #[test]
    fn any_body_is_scrubbed_without_a_panic_and_no_secret_remains(body in r#"[\[\]{}":,\\a-c0-9_e. \n]{0,60}"#) {
        let body = body.replace('a', "\"secret\"").replace('b', "top-secret");
        prop_assert_eq!(left(vec![exchange("/public/api/ver1/bots", &body)]), None);
    }

    #[test]
    fn a_clean_exchange_is_unchanged(name in prop::sample::select(names()), secret in "[a-z]{8,20}") {
        let once = scrub(planted(name, &secret, 4)).unwrap().exchanges;
        prop_assert_eq!(&scrub(once.clone()).unwrap().exchanges, &once);
    }
}
