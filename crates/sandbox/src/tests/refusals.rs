//! Who is let in, and what there is.

use pkcs1::UintRef;
use pkcs1::der::Encode;
use rsa::traits::PublicKeyParts;

use super::*;
use crate::UnusableKey;

fn error(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.body["error"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn an_unknown_key_is_refused_whatever_its_bytes() {
    let desk = Desk::open(1).await;
    for headers in ["", "Apikey: nobody\r\n", "Apikey: \r\n", "Apikey: \u{fc}\u{1f600}\r\n"] {
        let answer = desk.send("GET", "/public/api/ver1/bots", headers, "").await;
        assert_eq!(error(&answer), (401, "api_key_invalid_or_expired"), "{headers:?}");
    }
}

#[tokio::test]
async fn a_signature_that_does_not_match_is_refused() {
    let desk = Desk::open(1).await;
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
        let headers = format!("Apikey: {}\r\nSignature: {bad}\r\n", desk.api_key);
        let answer = desk.send("GET", "/public/api/ver1/bots", &headers, "").await;
        assert_eq!(error(&answer), (401, "signature_invalid"), "{bad:?}");
        assert_eq!(answer.body["error_description"], "Provided signature is invalid");
    }
    let headers = format!("apikey: {}\r\n", desk.api_key);
    assert_eq!(error(&desk.send("GET", "/public/api/ver1/bots", &headers, "").await), (401, "signature_invalid"));
}

#[tokio::test]
async fn the_signature_is_over_the_bytes_that_arrived() {
    let desk = Desk::open(1).await;
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
        let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n", desk.api_key);
        let answer = desk.send("GET", &format!("/public/api/ver1/bots{sent}"), &headers, "").await;
        assert_eq!(answer.status, status, "{sent} signed as {signed}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_json_body_is_signed_with_no_separator_and_a_form_with_one() {
    let desk = Desk::open(1).await;
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
        let headers = format!("Apikey: {}\r\nSignature: {signature}\r\nContent-Type: {kind}\r\n", desk.api_key);
        assert_eq!(desk.send("PATCH", path, &headers, body).await.status, status, "{kind} {payload}");
    }
}

#[tokio::test]
async fn a_query_and_a_form_have_the_same_signature() {
    let desk = Desk::open(0).await;
    let path = "/public/api/ver1/accounts/1001/rename";
    let signature = signature(format!("{path}?name=A%20b").as_bytes());
    let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n", desk.api_key);
    let query = desk.send("POST", &format!("{path}?name=A%20b"), &headers, "").await;
    for kind in ["application/x-www-form-urlencoded", "Application/X-WWW-InputType-URLEncoded; charset=UTF-8"] {
        let form = desk.send("POST", path, &format!("{headers}Content-Type: {kind}\r\n"), "name=A%20b").await;
        assert_eq!((query.status, form.status), (201, 201), "{kind}: {}", form.body);
        assert_eq!((&query.body["name"], &form.body["name"]), (&"A b".into(), &"A b".into()));
    }
}

#[tokio::test]
async fn json_under_the_content_type_of_a_form_is_refused_with_the_reason() {
    let desk = Desk::open(0).await;
    let path = "/public/api/ver1/grid_bots/203/note";
    for body in [r#"{"note":"x"}"#, " \r\n{\"note\":", "[]"] {
        // Signed as JSON, signed as a form, and not signed at all.
        for payload in [format!("{path}{body}"), format!("{path}?{body}"), String::new()] {
            let signature = signature(payload.as_bytes());
            let kind = "Content-Type: application/x-www-form-urlencoded";
            let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n{kind}\r\n", desk.api_key);
            let answer = desk.send("POST", path, &headers, body).await;
            assert_eq!(error(&answer), (400, "Bad request"), "{body}");
            assert_eq!(
                answer.body["error_description"],
                "The body looks like JSON, but Content-Type is application/x-www-form-urlencoded; send \
                 Content-Type: application/json"
            );
        }
    }
    let kind = "Apikey: nobody\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    assert_eq!(error(&desk.send("POST", path, kind, "{}").await), (401, "api_key_invalid_or_expired"));
}

#[tokio::test]
async fn the_signed_path_begins_at_public_api() {
    let desk = Desk::open(1).await;
    let signature = signature(b"/public/api/ver1/bots");
    let headers = format!("Apikey: {}\r\nSignature: {signature}\r\n", desk.api_key);
    assert_eq!(desk.send("GET", "/proxy/one/public/api/ver1/bots", &headers, "").await.status, 200);
}

#[tokio::test]
async fn the_key_is_judged_before_the_signature_and_the_signature_before_the_permission() {
    let desk = Desk::open(1).await;
    let api_key = desk.sandbox.add_key(&public_pem(), &[Permission::BotsRead]).unwrap();
    let path = "/public/api/ver1/bots/41/disable";
    let headers = format!("Apikey: {api_key}\r\nSignature: {}\r\n", signature(path.as_bytes()));
    let answer = desk.send("POST", path, &headers, "").await;
    assert_eq!(error(&answer), (403, "Forbidden"));
    assert_eq!(answer.body["error_description"], "The API key lacks the permission BOTS_WRITE");
    let headers = format!("Apikey: {api_key}\r\nSignature: AAAA\r\n");
    assert_eq!(error(&desk.send("POST", path, &headers, "").await), (401, "signature_invalid"));
    assert_eq!(error(&desk.send("POST", path, "Signature: AAAA\r\n", "").await), (401, "api_key_invalid_or_expired"));
    assert_eq!(desk.show(41).await["is_enabled"], true);
}

#[tokio::test]
async fn a_key_of_one_sandbox_is_unknown_to_another() {
    let (one, other) = (Desk::open(1).await, Desk::open(1).await);
    let stranger = Desk { sandbox: other.sandbox, api_key: one.api_key.clone() };
    assert_eq!(error(&stranger.get("/ver1/bots").await), (401, "api_key_invalid_or_expired"));
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let desk = Desk::open(1).await;
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
        let answer = desk.get(target).await;
        assert_eq!((answer.status, answer.body), (404, serde_json::json!({"error": "Not found"})), "{target}");
    }
    for (method, action) in [("PATCH", "update"), ("POST", "disable"), ("POST", "cancel_all_deals")] {
        let answer = desk.ask(method, &format!("/ver1/bots/99/{action}"), "").await;
        assert_eq!(error(&answer), (404, "Not found"), "{action}");
    }
    assert_eq!(error(&desk.send("GET", "/", "", "").await), (404, "Not found"));
}

#[tokio::test]
async fn a_known_path_with_another_method_names_its_own() {
    let desk = Desk::open(1).await;
    let answer = desk.ask("DELETE", "/ver1/bots/41/update", "").await;
    assert_eq!(error(&answer), (405, "Method not allowed"));
    assert!(answer.head.contains("allow: patch"), "{}", answer.head);
}

#[tokio::test]
async fn a_body_past_a_mebibyte_is_refused() {
    let desk = Desk::open(1).await;
    let answer = desk.ask("PATCH", "/ver1/bots/41/update", &" ".repeat((1 << 20) + 1)).await;
    assert_eq!(error(&answer), (413, "Payload too large"));
    let answer = desk.ask("PATCH", "/ver1/bots/41/update", &" ".repeat(1 << 20)).await;
    assert_eq!(error(&answer), (400, "record_invalid"));
    let bodies: Vec<_> = desk.sandbox.requests().iter().map(|request| request.body.len()).collect();
    assert_eq!(bodies, [0, 1 << 20]);
}

/// A request to disable a bot, signed over a body of `{}`.
fn disabling(desk: &Desk, headers: &str, rest: &str) -> Vec<u8> {
    let target = "/public/api/ver1/bots/41/disable";
    let (key, signature) = (&desk.api_key, signature(format!("{target}{{}}").as_bytes()));
    let head = format!("POST {target} HTTP/1.1\r\nHost: sandbox\r\nApikey: {key}\r\nSignature: {signature}\r\n");
    format!("{head}Connection: close\r\n{headers}\r\n\r\n{rest}").into_bytes()
}

#[tokio::test]
async fn a_body_that_breaks_off_where_it_looks_whole_is_not_carried_out() {
    let desk = Desk::open(1).await;
    let answer = desk.send_bytes(&disabling(&desk, "Transfer-Encoding: chunked", "2\r\n{}\r\nno number\r\n")).await;
    assert_eq!(error(&answer), (400, "Bad request"));

    let mut stream = desk.connect().await;
    stream.write_all(&disabling(&desk, "Content-Length: 3", "{}")).await.unwrap();
    stream.shutdown().await.unwrap();
    stream.read_to_end(&mut Vec::new()).await.unwrap();

    assert_eq!(desk.show(41).await["is_enabled"], true);
}

#[tokio::test]
async fn every_answer_is_json_with_a_request_id() {
    let desk = Desk::open(1).await;
    for (target, id) in [("/ver1/bots", "00000001"), ("/ver1/nothing", "00000002")] {
        let answer = desk.get(target).await;
        assert!(answer.head.contains("content-type: application/json"), "{}", answer.head);
        assert!(answer.head.contains(&format!("x-request-id: sandbox-{id}")), "{}", answer.head);
    }
}

#[tokio::test]
async fn requests_are_noted_without_secrets() {
    let desk = Desk::open(1).await;
    desk.get("/ver1/bots?quote=a%20b").await;
    desk.ask("PATCH", "/ver1/bots/41/update", r#"{"url_secret":"hush"}"#).await;
    desk.send("GET", "/nowhere", "Apikey: hush\r\nSignature: hush\r\n", "").await;
    let requests = desk.sandbox.requests();
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
    assert!(!format!("{requests:?}").contains(&desk.api_key));
}

#[tokio::test]
async fn keys_of_every_length_and_both_forms_are_let_in() {
    let desk = Desk::open(1).await;
    let sent = signature(b"/public/api/ver1/bots");
    let pkcs1 = rsa::pkcs1::EncodeRsaPublicKey::to_pkcs1_pem(&RsaPublicKey::from(&*PRIVATE), LineEnding::CRLF).unwrap();
    let pasted = format!("\u{feff}\n{}\n\n", public_pem().replace('\n', "\r\n"));
    // Made by OpenSSL, the key and what it signed.
    let long = (include_str!("key_8192.pem").to_owned(), include_str!("key_8192.signature").to_owned());
    for (pem, signature) in [(pkcs1, sent.clone()), (pasted, sent), long] {
        let api_key = desk.sandbox.add_key(&pem, &[Permission::BotsRead]).unwrap();
        let headers = format!("Apikey: {api_key}\r\nSignature: {signature}\r\n");
        assert_eq!(desk.send("GET", "/public/api/ver1/bots", &headers, "").await.status, 200, "{pem}");
    }
}

#[tokio::test]
async fn other_keys_are_refused_with_what_is_needed() {
    let desk = Desk::open(0).await;
    let add = |pem: &str| desk.sandbox.add_key(pem, &[]).unwrap_err();
    assert_eq!(add(""), UnusableKey::NotPem);
    assert_eq!(add("private.pem"), UnusableKey::NotPem);
    let other = public_pem().replace("PUBLIC KEY", "CERTIFICATE");
    assert_eq!(add(&other), UnusableKey::OtherPem("CERTIFICATE".to_owned()));
    assert_eq!(add(&public_pem().replace("PUBLIC KEY", "RSA PUBLIC KEY")), UnusableKey::NotRsa);
    let short = "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf\n9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQ==\n-----END PUBLIC KEY-----\n";
    assert_eq!(add(short), UnusableKey::Bits(512));
    let curve = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9\nq9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==\n-----END PUBLIC KEY-----\n";
    assert_eq!(add(curve), UnusableKey::NotRsa);
}

/// The PEM of a public key, and of what follows it.
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
async fn a_public_key_that_no_private_one_has_is_refused() {
    let desk = Desk::open(0).await;
    let modulus = RsaPublicKey::from(&*PRIVATE).n().to_bytes_be();
    let even: Vec<u8> = modulus[..255].iter().copied().chain([modulus[255] & 0xfe]).collect();
    let usual = [1, 0, 1];
    assert!(desk.sandbox.add_key(&public_key(&modulus, &usual, &[]), &[]).is_ok());
    for pem in [
        public_key(&even, &usual, &[]),
        public_key(&modulus, &[1], &[]),
        public_key(&modulus, &[4], &[]),
        // One bit more than any exponent has.
        public_key(&modulus, &[2, 0, 0, 0, 1], &[]),
    ] {
        assert_eq!(desk.sandbox.add_key(&pem, &[]).unwrap_err(), UnusableKey::NotRsa, "{pem}");
    }
    let followed = public_key(&modulus, &usual, &[0]);
    assert_eq!(desk.sandbox.add_key(&followed, &[]).unwrap_err(), UnusableKey::NotPem);
    for (modulus, bits) in
        [([&[0x7f][..], &modulus[1..]].concat(), 2_047), ([&[1][..], &[0xff; 1_024]].concat(), 8_193)]
    {
        let refused = desk.sandbox.add_key(&public_key(&modulus, &usual, &[]), &[]).unwrap_err();
        assert_eq!(refused, UnusableKey::Bits(bits));
    }
}

#[tokio::test]
async fn every_operation_needs_its_own_permission() {
    let desk = Desk::open(1).await;
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
            let api_key = desk.sandbox.add_key(&public_pem(), &[permission]).unwrap();
            let path = format!("/public/api{target}");
            let signature = signature(format!("{path}{body}").as_bytes());
            let headers = format!("Apikey: {api_key}\r\nSignature: {signature}\r\n");
            let status = desk.send(method, &path, &headers, body).await.status;
            assert_eq!(status != 403, permission == needed, "{target} {permission:?}: {status}");
        }
    }
}

#[tokio::test]
async fn a_request_that_was_let_in_once_is_refused_with_any_other_signature() {
    let desk = Desk::open(1).await;
    let good = signature(b"/public/api/ver1/bots");
    let other = signature(b"/public/api/ver1/bots/41/show");
    for (given, status) in [(&good, 200), (&good, 200), (&other, 401), (&good.to_ascii_lowercase(), 401), (&good, 200)]
    {
        let headers = format!("Apikey: {}\r\nSignature: {given}\r\n", desk.api_key);
        assert_eq!(desk.send("GET", "/public/api/ver1/bots", &headers, "").await.status, status, "{given}");
    }
}

#[tokio::test]
async fn a_signature_that_was_right_of_one_key_is_none_of_another() {
    let desk = Desk::open(1).await;
    assert_eq!(desk.get("/ver1/bots").await.status, 200);
    let other = RsaPublicKey::from(&RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 2_048).unwrap());
    let api_key = desk.sandbox.add_key(&other.to_public_key_pem(LineEnding::LF).unwrap(), &Permission::ALL).unwrap();
    let headers = format!("Apikey: {api_key}\r\nSignature: {}\r\n", signature(b"/public/api/ver1/bots"));
    assert_eq!(error(&desk.send("GET", "/public/api/ver1/bots", &headers, "").await), (401, "signature_invalid"));
}
