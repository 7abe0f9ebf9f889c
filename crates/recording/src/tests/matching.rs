//! Matching of requests, and the messages about differences.

use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::matching::RequestKey;

const PATH: &str = "/public/api/ver1/bots/41/update";

fn query(query: &str) -> RequestKey {
    RequestKey::new("GET", "/public/api/ver1/bots", Some(query), b"", false)
}

fn body(body: &str) -> RequestKey {
    RequestKey::new("PATCH", PATH, None, body.as_bytes(), false)
}

#[test]
fn the_order_of_parameters_and_members_does_not_matter() {
    assert!(query("a=1&b=2&b=3").differences(&query("b=2&a=1&b=3")).is_empty());
    assert!(body(r#"{"a": 1, "b": {"c": 2, "d": 3}}"#).differences(&body(r#"{"b":{"d":3,"c":2},"a":1}"#)).is_empty());
}

#[test]
fn the_encoding_of_parameters_does_not_matter() {
    assert!(query("name=a%20b%2F").differences(&query("name=a+b/")).is_empty());
}

#[test]
fn a_form_matches_the_same_query() {
    let form = RequestKey::new("GET", "/public/api/ver1/bots", None, b"limit=5", true);
    assert!(query("limit=5").differences(&form).is_empty());
}

#[test]
fn the_prefix_of_the_path_does_not_matter() {
    let prefixed = RequestKey::new("get", "/gate/public/api/ver1/bots", None, b"", false);
    assert!(query("").differences(&prefixed).is_empty());
}

#[test]
fn numbers_are_compared_by_their_decimal_value() {
    for (one, other, same) in [
        ("1.10", "1.1", true),
        ("1e2", "100", true),
        ("0.1", "0.10000000000000000001", false),
        ("1e999999", "1e999999", true),
        ("1e999999", "1e999998", false),
        ("1.5", "\"1.5\"", false),
    ] {
        let [one, other] = [one, other].map(|number| body(&format!("{{\"x\": {number}}}")));
        assert_eq!(one.differences(&other).is_empty(), same);
    }
}

#[test]
fn a_placeholder_matches_any_value() {
    let recorded = body(r#"{"api_key": "<api_key-1>", "name": "<api_key-1>"}"#);
    assert!(recorded.differences(&body(r#"{"api_key": "mine", "name": "<api_key-1>"}"#)).is_empty());
    assert_eq!(
        recorded.differences(&body(r#"{"api_key": "mine", "name": "mine"}"#)),
        [r#"body name: recorded "<api_key-1>", requested "mine""#]
    );
    assert!(query("address=%3Caddress-1%3E").differences(&query("address=0x47")).is_empty());
}

#[test]
fn differences_are_described_without_secrets() {
    for (recorded, asked, expected) in [
        (
            query("limit=5"),
            query("limit=6&offset=1"),
            vec!["query limit: recorded 5, requested 6", "query offset: recorded nothing, requested 1"],
        ),
        (query("address=a"), query("address=b"), vec!["query address: recorded <hidden>, requested <hidden>"]),
        (
            body(r#"{"a": [1, {"b": null}]}"#),
            body(r#"{"a": [1, {"b": true}]}"#),
            vec!["body a[1].b: recorded null, requested true"],
        ),
        (body(r#"{"a": [1]}"#), body(r#"{"a": [1, 2]}"#), vec!["body a: recorded [1], requested [1,2]"]),
        (
            body(r#"{"a": 1}"#),
            body(r#"{"secret": "x"}"#),
            vec!["body a: recorded 1, not requested", "body secret: not recorded, requested <hidden>"],
        ),
        (body("{}"), body(""), vec!["body: recorded JSON, requested nothing"]),
        (body("one"), body("other"), vec!["body: recorded another text, requested another text"]),
    ] {
        assert_eq!(recorded.differences(&asked), expected);
    }
}

#[test]
fn a_request_is_described_without_secrets() {
    assert_eq!(query("limit=5&address=0x47").described(), "GET /public/api/ver1/bots?address=<hidden>&limit=5");
}

#[test]
fn a_request_of_the_same_path_is_nearer_than_any_other() {
    let asked = query("limit=5");
    let same_path = RequestKey::new("POST", "/public/api/ver1/bots", None, b"", false);
    let same_method = RequestKey::new("GET", "/public/api/ver1/bots/1/show", None, b"", false);
    assert!(same_path.similarity(&asked) > same_method.similarity(&asked));
}

proptest! {
    #[test]
    fn members_in_any_order_are_the_same(members in proptest::collection::btree_map("[a-z]{1,5}", any::<i64>(), 0..8)) {
        let forward: Map<String, Value> = members.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
        let backward: Map<String, Value> = members.iter().rev().map(|(name, value)| (name.clone(), (*value).into())).collect();
        let [forward, backward] = [forward, backward].map(|members| body(&Value::Object(members).to_string()));
        prop_assert_eq!(forward.differences(&backward), Vec::<String>::new());
    }

    #[test]
    fn a_changed_number_is_always_reported(before in any::<i32>(), after in any::<i32>()) {
        prop_assume!(before != after);
        let [recorded, asked] = [before, after].map(|number| body(&format!("{{\"deep\": [{{\"x\": {number}.50}}]}}")));
        let expected = format!("body deep[0].x: recorded {before}.50, requested {after}.50");
        prop_assert_eq!(recorded.differences(&asked), [expected]);
    }

    #[test]
    fn requests_cause_no_panic(text in any::<String>(), other in any::<String>()) {
        let [one, other] = [&text, &other].map(|text| RequestKey::new("GET", text, Some(text), text.as_bytes(), false));
        prop_assert!(one.differences(&one).is_empty());
        prop_assert!(one.similarity(&other).is_finite());
    }
}
