//! Authentication, permissions and errors.

use pkcs1::UintRef;
use pkcs1::der::{Decode, Encode};
use pkcs8::{Document, SubjectPublicKeyInfoRef};

use super::*;
use crate::PublicKeyError;

fn error(response: &Response) -> (u16, &str) {
    (response.status, response.body["error"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn an_unknown_key_of_any_bytes_is_rejected() {
    let client = TestClient::open(1).await;
    for headers in ["", "Apikey: nobody\r\n", "Apikey: \r\n", "Apikey: \u{fc}\u{1f600}\r\n"] {
        let response = client.send("GET", "/public/api/ver1/bots", headers, "").await;
        assert_eq!(error(&response), (401, "api_key_invalid_or_expired"), "{headers:?}");
    }
}

/// Returns the options of a sandbox that accepts only the documented form of the signed text.
fn strict() -> SandboxOptions {
    SandboxOptions { bots: 1, odd_values: true, strict_signatures: true, ..SandboxOptions::default() }
}

#[tokio::test]
async fn a_signature_that_does_not_match_is_rejected() {
    let client = TestClient::with(strict()).await;
    let good = signature(b"/public/api/ver1/bots");
    let (line, rest) = good.split_at(64);
    for bad in [
        String::new(),
        "no base64!".to_owned(),
        "\u{fc}".to_owned(),
        "AAAA".to_owned(),
        signature(b"/public/api/ver1/bots?"),
        signature(b"/ver1/bots"),
        good.to_ascii_lowercase(),
        good.trim_end_matches('=').to_owned(),
        format!("{line} {rest}"),
        STANDARD.encode([0; 256]),
        STANDARD.encode([255; 256]),
        STANDARD.encode([1; 512]),
    ] {
        let headers = format!("Apikey: {}\r\nSignature: {bad}\r\n", client.api_key);
        let response = client.send("GET", "/public/api/ver1/bots", &headers, "").await;
        assert_eq!(error(&response), (401, "signature_invalid"), "{bad:?}");
        assert_eq!(response.body["error_description"], "Provided signature is invalid");
    }
    let headers = format!("apikey: {}\r\n", client.api_key);
    assert_eq!(error(&client.send("GET", "/public/api/ver1/bots", &headers, "").await), (401, "signature_invalid"));
}

#[tokio::test]
async fn the_signature_covers_the_received_bytes() {
    let client = TestClient::open(1).await;
    for (sent, signed, status) in [
        ("?quote=a%20b", "?quote=a%20b", 200),
        ("?quote=a%20b", "?quote=a+b", 401),
        ("?quote=a%20b", "?quote=a b", 401),
        ("?quote=a%2fb", "?quote=a%2Fb", 401),
        ("?order_direction=[ASC]", "?order_direction=[ASC]", 200),
        ("?order_direction=[ASC]", "?order_direction=%5BASC%5D", 401),
        ("?quote=a|b", "?quote=a|b", 200),
        ("?limit=5&offset=1", "?offset=1&limit=5", 401),
        ("?", "", 200),
    ] {
        let signature = signature(format!("/public/api/ver1/bots{signed}").as_bytes());
        let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n", client.api_key);
        let response = client.send("GET", &format!("/public/api/ver1/bots{sent}"), &headers, "").await;
        assert_eq!(response.status, status, "{sent} signed as {signed}: {}", response.body);
    }
}

#[tokio::test]
async fn a_json_body_is_signed_with_no_separator_and_a_form_with_one() {
    let client = TestClient::with(strict()).await;
    let path = "/public/api/ver1/bots/41/update";
    let body = "{\"name\" : \"x\"}";
    for (kind, payload, status) in [
        ("application/json", format!("{path}{body}"), 400),
        ("application/json", format!("{path}?{body}"), 401),
        ("application/json", path.to_owned(), 401),
        ("application/json", format!("{path}{{\"name\":\"x\"}}"), 401),
        ("application/x-www-form-urlencoded", format!("{path}?name=x"), 400),
        ("application/x-www-form-urlencoded", format!("{path}name=x"), 401),
        ("application/x-www-form-urlencoded", path.to_owned(), 401),
    ] {
        let body = if kind.ends_with("json") { body } else { "name=x" };
        let signature = signature(payload.as_bytes());
        let headers = format!("Apikey: {}\r\nSignature: {signature}\r\nContent-Type: {kind}\r\n", client.api_key);
        assert_eq!(client.send("PATCH", path, &headers, body).await.status, status, "{kind} {payload}");
    }
}

#[tokio::test]
async fn a_query_and_a_form_have_the_same_signature() {
    let client = TestClient::open(0).await;
    let path = "/public/api/ver1/accounts/1001/rename";
    let signature = signature(format!("{path}?name=A%20b").as_bytes());
    let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n", client.api_key);
    let query = client.send("POST", &format!("{path}?name=A%20b"), &headers, "").await;
    for kind in ["application/x-www-form-urlencoded", "Application/X-WWW-Form-URLEncoded; charset=UTF-8"] {
        let form = client.send("POST", path, &format!("{headers}Content-Type: {kind}\r\n"), "name=A%20b").await;
        assert_eq!((query.status, form.status), (201, 201), "{kind}: {}", form.body);
        assert_eq!((&query.body["name"], &form.body["name"]), (&"A b".into(), &"A b".into()));
    }
}

#[tokio::test]
async fn json_with_the_content_type_of_a_form_is_rejected_with_the_reason() {
    let client = TestClient::open(0).await;
    let path = "/public/api/ver1/grid_bots/203/note";
    for body in [r#"{"note":"x"}"#, " \r\n{\"note\":", "[]"] {
        // Signed as JSON, signed as a form, and unsigned.
        for payload in [format!("{path}{body}"), format!("{path}?{body}"), String::new()] {
            let signature = signature(payload.as_bytes());
            let kind = "Content-Type: application/x-www-form-urlencoded";
            let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n{kind}\r\n", client.api_key);
            let response = client.send("POST", path, &headers, body).await;
            assert_eq!(error(&response), (400, "Bad request"), "{body}");
            assert_eq!(
                response.body["error_description"],
                "The body looks like JSON, but Content-Type is application/x-www-form-urlencoded; send \
                 Content-Type: application/json"
            );
        }
    }
    let kind = "Apikey: nobody\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    assert_eq!(error(&client.send("POST", path, kind, "{}").await), (401, "api_key_invalid_or_expired"));
}

#[tokio::test]
async fn the_signed_path_begins_at_public_api() {
    let client = TestClient::open(1).await;
    let signature = signature(b"/public/api/ver1/bots");
    let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n", client.api_key);
    assert_eq!(client.send("GET", "/proxy/one/public/api/ver1/bots", &headers, "").await.status, 200);
}

#[tokio::test]
async fn the_key_is_checked_before_the_signature_and_the_signature_before_the_permission() {
    let client = TestClient::open(1).await;
    let api_key = client.sandbox.add_key(&public_pem(), &[Permission::BotsRead]).unwrap();
    let path = "/public/api/ver1/bots/41/disable";
    let headers = format!("Apikey: {api_key}\r\nSignature: {}\r\n", signature(path.as_bytes()));
    let response = client.send("POST", path, &headers, "").await;
    assert_eq!(error(&response), (403, "Forbidden"));
    assert_eq!(response.body["error_description"], "The API key lacks the permission BOTS_WRITE");
    let headers = format!("Apikey: {api_key}\r\nSignature: AAAA\r\n");
    assert_eq!(error(&client.send("POST", path, &headers, "").await), (401, "signature_invalid"));
    assert_eq!(error(&client.send("POST", path, "Signature: AAAA\r\n", "").await), (401, "api_key_invalid_or_expired"));
    assert_eq!(client.show(41).await["is_enabled"], true);
}

#[tokio::test]
async fn a_key_of_one_sandbox_is_unknown_to_another() {
    let (one, other) = (TestClient::open(1).await, TestClient::open(1).await);
    let stranger = TestClient { sandbox: other.sandbox, api_key: one.api_key.clone() };
    assert_eq!(error(&stranger.get("/ver1/bots").await), (401, "api_key_invalid_or_expired"));
}

#[tokio::test]
async fn unknown_paths_and_records_are_not_found() {
    let client = TestClient::open(1).await;
    for target in [
        "/ver1/bots/99/show",
        "/ver1/bots/abc/show",
        "/ver1/bots/-41/show",
        "/ver1/bots/41.0/show",
        "/ver1/bots/99999999999999999999999/show",
        "/ver1/bots/41",
        "/ver1/bots/",
        "/ver2/bots",
        "",
    ] {
        let response = client.get(target).await;
        assert_eq!(error(&response), (404, "Not found"), "{target}");
    }
    for (method, action) in [("PATCH", "update"), ("POST", "disable"), ("POST", "cancel_all_deals")] {
        let response = client.request(method, &format!("/ver1/bots/99/{action}"), "").await;
        assert_eq!(error(&response), (404, "Not found"), "{action}");
    }
    assert_eq!(error(&client.send("GET", "/", "", "").await), (404, "Not found"));
    let response = client.request("POST", "/ver1/bots/41/clone", "").await;
    let description = "The sandbox does not mock this path; /openapi.json lists the paths that it mocks";
    assert_eq!(response.body, serde_json::json!({"error": "Not found", "error_description": description}));
}

#[tokio::test]
async fn a_wrong_method_gets_the_allowed_one() {
    let client = TestClient::open(1).await;
    let response = client.request("DELETE", "/ver1/bots/41/update", "").await;
    assert_eq!(error(&response), (405, "Method not allowed"));
    assert!(response.head.contains("allow: patch"), "{}", response.head);
}

#[tokio::test]
async fn a_body_over_a_mebibyte_is_rejected() {
    let client = TestClient::open(1).await;
    let response = client.request("PATCH", "/ver1/bots/41/update", &" ".repeat((1 << 20) + 1)).await;
    assert_eq!(error(&response), (413, "Payload too large"));
    let response = client.request("PATCH", "/ver1/bots/41/update", &" ".repeat(1 << 20)).await;
    assert_eq!(error(&response), (400, "record_invalid"));
    let bodies: Vec<_> = client.sandbox.requests().iter().map(|request| request.body.len()).collect();
    assert_eq!(bodies, [0, 1 << 20]);
}

/// Returns a request to disable a bot, with the signature of a body of `{}`.
fn disabling(client: &TestClient, headers: &str, rest: &str) -> Vec<u8> {
    let target = "/public/api/ver1/bots/41/disable";
    let (key, signature) = (&client.api_key, signature(format!("{target}{{}}").as_bytes()));
    let head = format!("POST {target} HTTP/1.1\r\nHost: sandbox\r\nApikey: {key}\r\nSignature: {signature}\r\n");
    format!("{head}Connection: close\r\n{headers}\r\n\r\n{rest}").into_bytes()
}

#[tokio::test]
async fn a_truncated_body_that_parses_is_not_executed() {
    let client = TestClient::open(1).await;
    let response =
        client.send_bytes(&disabling(&client, "Transfer-Encoding: chunked", "2\r\n{}\r\nno number\r\n")).await;
    assert_eq!(error(&response), (400, "Bad request"));

    let mut stream = client.connect().await;
    stream.write_all(&disabling(&client, "Content-Length: 3", "{}")).await.unwrap();
    stream.shutdown().await.unwrap();
    stream.read_to_end(&mut Vec::new()).await.unwrap();

    assert_eq!(client.show(41).await["is_enabled"], true);
}

#[tokio::test]
async fn every_response_is_json_with_a_request_id() {
    let client = TestClient::open(1).await;
    for (target, id) in [("/ver1/bots", "00000001"), ("/ver1/nothing", "00000002")] {
        let response = client.get(target).await;
        assert!(response.head.contains("content-type: application/json"), "{}", response.head);
        assert!(response.head.contains(&format!("x-request-id: sandbox-{id}")), "{}", response.head);
    }
}

#[tokio::test]
async fn requests_are_logged_without_secrets() {
    let client = TestClient::open(1).await;
    client.get("/ver1/bots?quote=a%20b").await;
    client.request("PATCH", "/ver1/bots/41/update", r#"{"url_secret":"hush"}"#).await;
    client.send("GET", "/nowhere", "Apikey: hush\r\nSignature: hush\r\n", "").await;
    let requests = client.sandbox.requests();
    let seen: Vec<_> = requests
        .iter()
        .map(|one| {
            (one.method.as_str(), one.path.as_str(), one.query.as_deref(), one.body.as_str(), one.status.unwrap())
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("GET", "/public/api/ver1/bots", Some("quote=a%20b"), "", 200),
            ("PATCH", "/public/api/ver1/bots/41/update", None, r#"{"url_secret":"<hidden>"}"#, 400),
            ("GET", "/nowhere", None, "", 404),
        ]
    );
    assert!(!format!("{requests:?}").contains("hush"));
    assert!(!format!("{requests:?}").contains(&client.api_key));
}

#[tokio::test]
async fn keys_of_every_length_and_both_formats_are_accepted() {
    let client = TestClient::open(1).await;
    let sent = signature(b"/public/api/ver1/bots");
    let pkcs1 = public_key(&modulus(), &[1, 0, 1], &[]).replace('\n', "\r\n");
    let pasted = format!("\u{feff}\n{}\n\n", public_pem().replace('\n', "\r\n"));
    // OpenSSL generated the key and the signature.
    let long = (include_str!("key_8192.pem").to_owned(), include_str!("key_8192.signature").to_owned());
    for (pem, signature) in [(pkcs1, sent.clone()), (pasted, sent), long] {
        let api_key = client.sandbox.add_key(&pem, &[Permission::BotsRead]).unwrap();
        let headers = format!("Apikey: {api_key}\r\nSignature: {signature}\r\n");
        assert_eq!(client.send("GET", "/public/api/ver1/bots", &headers, "").await.status, 200, "{pem}");
    }
}

#[tokio::test]
async fn other_keys_are_rejected_with_the_requirements() {
    let client = TestClient::open(0).await;
    let add = |pem: &str| client.sandbox.add_key(pem, &[]).unwrap_err();
    assert_eq!(add(""), PublicKeyError::NotPem);
    assert_eq!(add("private.pem"), PublicKeyError::NotPem);
    let other = public_pem().replace("PUBLIC KEY", "CERTIFICATE");
    assert_eq!(add(&other), PublicKeyError::OtherPem("CERTIFICATE".to_owned()));
    assert_eq!(add(&public_pem().replace("PUBLIC KEY", "RSA PUBLIC KEY")), PublicKeyError::NotRsa);
    let short = "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf\n9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQ==\n-----END PUBLIC KEY-----\n";
    assert_eq!(add(short), PublicKeyError::Bits(512));
    let curve = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9\nq9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==\n-----END PUBLIC KEY-----\n";
    assert_eq!(add(curve), PublicKeyError::NotRsa);
}

/// Returns the modulus of the key that signs the requests.
fn modulus() -> Vec<u8> {
    let (_, document) = Document::from_pem(&public_pem()).unwrap();
    let key = document.decode_msg::<SubjectPublicKeyInfoRef<'_>>().unwrap();
    let parts = pkcs1::RsaPublicKey::<UintRef<'_>>::from_der(key.subject_public_key.raw_bytes()).unwrap();
    parts.modulus.as_bytes().to_vec()
}

/// Returns the PEM of a public key with trailing bytes.
fn public_key(modulus: &[u8], exponent: &[u8], after: &[u8]) -> String {
    let parts = pkcs1::RsaPublicKey {
        modulus: UintRef::new(modulus).unwrap(),
        public_exponent: UintRef::new(exponent).unwrap(),
    };
    let text = STANDARD.encode([parts.to_der().unwrap().as_slice(), after].concat());
    let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
    format!("-----BEGIN RSA PUBLIC KEY-----\n{}\n-----END RSA PUBLIC KEY-----\n", lines.join("\n"))
}

#[tokio::test]
async fn an_impossible_public_key_is_rejected() {
    let client = TestClient::open(0).await;
    let modulus = modulus();
    let even: Vec<u8> = modulus[..255].iter().copied().chain([modulus[255] & 0xfe]).collect();
    let usual = [1, 0, 1];
    assert!(client.sandbox.add_key(&public_key(&modulus, &usual, &[]), &[]).is_ok());
    for pem in [
        public_key(&even, &usual, &[]),
        public_key(&modulus, &[1], &[]),
        public_key(&modulus, &[4], &[]),
        // One bit longer than the longest valid exponent.
        public_key(&modulus, &[2, 0, 0, 0, 1], &[]),
    ] {
        assert_eq!(client.sandbox.add_key(&pem, &[]).unwrap_err(), PublicKeyError::NotRsa, "{pem}");
    }
    let followed = public_key(&modulus, &usual, &[0]);
    assert_eq!(client.sandbox.add_key(&followed, &[]).unwrap_err(), PublicKeyError::NotPem);
    for (modulus, bits) in
        [([&[0x7f][..], &modulus[1..]].concat(), 2_047), ([&[1][..], &[0xff; 1_024]].concat(), 8_193)]
    {
        let rejected = client.sandbox.add_key(&public_key(&modulus, &usual, &[]), &[]).unwrap_err();
        assert_eq!(rejected, PublicKeyError::Bits(bits));
    }
}

#[tokio::test]
async fn every_operation_requires_its_own_permission() {
    let client = TestClient::open(1).await;
    for (method, target, body, needed) in [
        ("POST", "/ver1/accounts/new", "{}", Permission::AccountsWrite),
        ("POST", "/ver1/accounts/1001/rename?name=x", "", Permission::AccountsRead),
        ("POST", "/ver1/accounts/1001/load_balances", "", Permission::AccountsWrite),
        ("GET", "/ver1/accounts/1001/networks_info", "", Permission::AccountsRead),
        ("GET", "/ver1/accounts/1001/deposit_data", "", Permission::AccountsRead),
        ("GET", "/ver1/accounts/1001/leverage_data", "", Permission::AccountsRead),
        ("GET", "/ver1/bots", "", Permission::BotsRead),
        ("GET", "/ver1/bots/41/show", "", Permission::BotsRead),
        ("PATCH", "/ver1/bots/41/update", "{}", Permission::BotsWrite),
        ("POST", "/ver1/bots/41/disable", "", Permission::BotsWrite),
        ("POST", "/ver1/bots/41/cancel_all_deals", "", Permission::BotsWrite),
        ("PATCH", "/ver1/grid_bots/201/manual", "{}", Permission::BotsWrite),
        ("POST", "/ver1/grid_bots/201/note", "{}", Permission::BotsWrite),
        ("POST", "/ver1/grid_bots/203/enable", "", Permission::BotsWrite),
        ("GET", "/v2/smart_trades/301/reduce_funds_info", "", Permission::SmartTradesWrite),
    ] {
        for permission in Permission::ALL {
            let api_key = client.sandbox.add_key(&public_pem(), &[permission]).unwrap();
            let path = format!("/public/api{target}");
            let signature = signature(format!("{path}{body}").as_bytes());
            let headers = format!("Apikey: {api_key}\r\nSignature: {signature}\r\n");
            let status = client.send(method, &path, &headers, body).await.status;
            assert_eq!(status != 403, permission == needed, "{target} {permission:?}: {status}");
        }
    }
}

#[tokio::test]
async fn an_accepted_request_is_rejected_with_any_other_signature() {
    let client = TestClient::open(1).await;
    let good = signature(b"/public/api/ver1/bots");
    let other = signature(b"/public/api/ver1/bots/41/show");
    for (given, status) in [(&good, 200), (&good, 200), (&other, 401), (&good.to_ascii_lowercase(), 401), (&good, 200)]
    {
        let headers = format!("Apikey: {}\r\nSignature: {given}\r\n", client.api_key);
        assert_eq!(client.send("GET", "/public/api/ver1/bots", &headers, "").await.status, status, "{given}");
    }
}

#[tokio::test]
async fn a_signature_of_one_key_is_invalid_for_another() {
    let client = TestClient::open(1).await;
    assert_eq!(client.get("/ver1/bots").await.status, 200);
    let other = PrivateKey::generate(2_048).unwrap();
    let api_key = client.sandbox.add_key(&other.public_key_pem(), &Permission::ALL).unwrap();
    let headers = format!("Apikey: {api_key}\r\nSignature: {}\r\n", signature(b"/public/api/ver1/bots"));
    assert_eq!(error(&client.send("GET", "/public/api/ver1/bots", &headers, "").await), (401, "signature_invalid"));
}
