//! Custom requests: to any path of the API, also one that the API reference does not have.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::error::Error;
use crate::request::spec::{RequestSpec, check};
use botdesk_schema::input::{Violation, encode_query};
use botdesk_schema::json::ascii;
use botdesk_schema::key_text::{has_secret, shown_name};
use botdesk_schema::method::Method;
use botdesk_schema::mode;
use botdesk_schema::operation::{PREFIX, Returns};
use botdesk_schema::permission::Security;
use botdesk_schema::record::RecordSpec;
use botdesk_schema::secrets;

/// A custom request.
#[derive(Clone, Debug, Default)]
pub struct CustomRequest {
    /// The method, in upper or lower case.
    pub method: String,
    /// The path, as in the API reference (`/ver1/bots`) or from `/public/api` on.
    pub path: String,
    /// The parameters of the query string, in order.
    pub query: Vec<(String, Value)>,
    /// The JSON body: an object or an array.
    pub json: Option<Value>,
    /// The headers, beside those of the client.
    pub headers: Vec<(String, String)>,
}

impl CustomRequest {
    /// Returns the request to send, or all violations.
    pub fn spec(self, mut violations: Vec<Violation>) -> Result<RequestSpec, Error> {
        let method = method(&self.method).map_err(|violation| violations.push(violation));
        let path = path(&self.path).map_err(|violation| violations.push(violation));
        violations.extend(self.query.iter().find_map(unsupported_value));
        if self.json.as_ref().is_some_and(|json| !json.is_object() && !json.is_array()) {
            violations.push(Violation::new("json", "must be a dict or a list"));
        }
        let headers = headers(&self.headers, &mut violations);
        check(violations)?;
        let (Ok(method), Ok(path)) = (method, path) else {
            return Err(Error::Validation(Vec::new()));
        };
        // Each parameter is an object of its own, because a name may occur several times.
        let parameters = self.query.iter().map(|pair| Value::Object([pair.clone()].into_iter().collect()));
        let secrets = parameters.chain(self.json.clone()).flat_map(|given| secrets::collect_secrets(&given));
        let secrets = secrets.chain(secrets_in(&headers));
        Ok(RequestSpec {
            operation: format!("{} {path}", method.as_str()).into(),
            method,
            path,
            effect: method.effect(),
            security: Security::Signed,
            limit: None,
            ids: Vec::new(),
            record: &RecordSpec::NOTHING,
            returns: &Returns::ANY,
            query: encode_query(self.query.iter().map(|(name, value)| (name.as_str(), value))),
            secrets: secrets.collect(),
            headers,
            body: self.json.map(|json| ascii(&json.to_string())),
        })
    }
}

fn method(name: &str) -> Result<Method, Violation> {
    Method::named(name).ok_or_else(|| {
        let names = Method::ALL.map(Method::as_str).join(", ");
        Violation::new("method", format!("must be one of {names}, not {name:?}"))
    })
}

/// Returns the path from `/public/api` on. No URL parser may change it: what is signed must be what is sent.
fn path(given: &str) -> Result<String, Violation> {
    let error = |message: &str| Err(Violation::new("path", message));
    if !given.starts_with('/') {
        return error("must begin with /, such as /ver1/bots");
    }
    if given.contains(['?', '#']) {
        return error("must not have ? or #; pass the parameters as query");
    }
    if given.contains(['{', '}']) {
        return error("has a placeholder; replace it by the identifier");
    }
    if has_secret(given) {
        return error("has what looks like a secret, which would be in logs");
    }
    if !given.bytes().all(is_of_a_path) {
        return error("has characters that a path can't have; write them as %XX");
    }
    let relative = given.strip_prefix(PREFIX).filter(|rest| rest.starts_with('/')).unwrap_or(given);
    if relative.split('/').any(is_relative) {
        return error("must not have the segments . and ..");
    }
    Ok(format!("{PREFIX}{relative}"))
}

/// Returns true if a byte needs no percent-encoding in a path.
fn is_of_a_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-._~%!$&()*+,;=:@".contains(&byte)
}

/// Returns true if a segment is `.` or `..`, percent-encoded or not.
fn is_relative(segment: &str) -> bool {
    let plain = segment.replace("%2e", ".").replace("%2E", ".");
    plain == "." || plain == ".."
}

/// The headers that the client sets. Another value of one would break the request, its signature or the reading of the response.
const OWN_HEADERS: [(&str, &str); 13] = [
    ("apikey", "the client sends that of its API key"),
    ("signature", "the client signs the request"),
    (mode::HEADER, "use mode of Client or with_options"),
    ("content-type", "pass the body as json"),
    ("content-length", BY_CLIENT),
    ("accept-encoding", BY_CLIENT),
    ("host", BY_CLIENT),
    ("connection", BY_CLIENT),
    ("transfer-encoding", BY_CLIENT),
    ("te", BY_CLIENT),
    ("trailer", BY_CLIENT),
    ("upgrade", BY_CLIENT),
    ("expect", BY_CLIENT),
];

const BY_CLIENT: &str = "the client sets it";

/// The longest value of a header, in bytes. Servers reject longer headers.
const LONGEST_HEADER: usize = 8_192;

/// Returns the headers to send. A violation names the header and never its value, which may be a secret.
fn headers(given: &[(String, String)], violations: &mut Vec<Violation>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        match header(name, value) {
            Ok((known, _)) if headers.contains_key(&known) => {
                violations.push(Violation::new("headers", format!("{name} is given twice, in different case")));
            }
            Ok((name, value)) => _ = headers.insert(name, value),
            Err(message) => violations.push(Violation::new("headers", message)),
        }
    }
    headers
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let invalid = |_| format!("{} is not the name of a header; use letters, digits and -", shown_name(name));
    let known = HeaderName::try_from(name).map_err(invalid)?;
    if let Some((_, why)) = OWN_HEADERS.iter().find(|(own, _)| *own == known.as_str()) {
        return Err(format!("{name} can't be given: {why}"));
    }
    if value.len() > LONGEST_HEADER {
        return Err(format!("the value of {name} has {} bytes, more than {LONGEST_HEADER}", value.len()));
    }
    let mut value = HeaderValue::try_from(value)
        .ok()
        .filter(|value| value.to_str().is_ok() && value.as_bytes().trim_ascii() == value.as_bytes())
        .ok_or_else(|| {
            format!(
                "the value of {name} has a line end, a control character, a character outside of ASCII, or white space \
                 around it; remove it"
            )
        })?;
    value.set_sensitive(true);
    Ok((known, value))
}

/// The headers that carry credentials, beside those with the name of a secret field.
const SECRET_HEADERS: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// Returns the values that no error may show.
fn secrets_in(headers: &HeaderMap) -> impl Iterator<Item = String> {
    let is_secret = |name: &HeaderName| {
        let name = name.as_str();
        SECRET_HEADERS.contains(&name) || secrets::secret_name(&name.replace('-', "_")).is_some()
    };
    let secret = headers.iter().filter(move |(name, _)| is_secret(name));
    secret.filter_map(|(_, value)| value.to_str().ok()).filter(|value| !value.is_empty()).map(str::to_owned)
}

fn unsupported_value((name, value): &(String, Value)) -> Option<Violation> {
    let is_plain = !matches!(value, Value::Array(_) | Value::Object(_));
    (!is_plain)
        .then(|| Violation::new("query", format!("{name} must be a string, a number, a Boolean or a list of these")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::request::base_url::BaseUrl;

    fn get(path: &str) -> CustomRequest {
        CustomRequest { method: "get".to_owned(), path: path.to_owned(), ..CustomRequest::default() }
    }

    fn invalid(request: CustomRequest) -> Vec<String> {
        match request.spec(Vec::new()) {
            Err(Error::Validation(violations)) => violations.into_iter().map(|violation| violation.field).collect(),
            other => panic!("it is valid: {other:?}"),
        }
    }

    #[test]
    fn a_path_may_have_the_prefix_or_not() {
        for path in ["/ver1/bots", "/public/api/ver1/bots"] {
            assert_eq!(get(path).spec(Vec::new()).unwrap().path, "/public/api/ver1/bots");
        }
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_rejected() {
        for path in [
            "",
            "ver1/bots",
            "https://host.example/",
            "/ver1/../../admin",
            "/ver1/%2e%2E/admin",
            "/ver1/bots?limit=1",
            "/ver1/bots#x",
            "/ver1/bots/{bot_id}/show",
            "/ver1/bots\r\nHost: host.example",
            "/ver1/bots\\..",
            "/ver1/böts",
            "/ver1/a b",
        ] {
            assert_eq!(invalid(get(path)), ["path"], "{path}");
        }
    }

    #[test]
    fn all_violations_are_returned_together() {
        let request = CustomRequest {
            method: "TRACE".to_owned(),
            path: "bots".to_owned(),
            query: vec![("a".to_owned(), json!({}))],
            json: Some(json!("text")),
            headers: vec![("Apikey".to_owned(), "x".to_owned())],
        };
        assert_eq!(invalid(request), ["method", "path", "query", "json", "headers"]);
    }

    fn with_header(name: &str, value: &str) -> CustomRequest {
        CustomRequest { headers: vec![(name.to_owned(), value.to_owned())], ..get("/ver1/bots") }
    }

    #[test]
    fn a_header_of_the_client_or_one_that_cannot_be_sent_is_rejected_without_its_value() {
        for name in ["Apikey", "SIGNATURE", "Forced-Mode", "Content-Type", "Host", "a b", "", "a:b", "a\r\nb"] {
            let error = with_header(name, "s3cret").spec(Vec::new()).unwrap_err().to_string();
            assert!(error.contains("headers: ") && !error.contains("s3cret"), "{error}");
        }
        for value in ["s3cret\r\nHost: x", "s3cret\n", " s3cret", "s3crét", "s3cret\0", &"s3cret".repeat(2_000)] {
            let error = with_header("X-Plan", value).spec(Vec::new()).unwrap_err().to_string();
            assert!(error.contains("the value of X-Plan ") && !error.contains("s3cr"), "{error}");
        }
    }

    #[test]
    fn a_header_is_kept_and_its_value_is_not_debugged() {
        let spec = with_header("X-Plan", "a-value").spec(Vec::new()).unwrap();
        assert_eq!(spec.headers.get("x-plan").unwrap(), "a-value");
        assert!(!format!("{spec:?}").contains("a-value"));
        assert!(spec.secrets.is_empty());
        let spec = with_header("Authorization", "a-value").spec(Vec::new()).unwrap();
        assert_eq!(spec.secrets, ["a-value"]);
    }

    #[test]
    fn a_body_is_ascii_and_keeps_its_digits() {
        let json = serde_json::from_str(r#"{"name":"é","price":1.10}"#).unwrap();
        let call =
            CustomRequest { method: "POST".to_owned(), json: Some(json), ..get("/ver1/x") }.spec(Vec::new()).unwrap();
        assert_eq!(call.body.as_deref(), Some(r#"{"name":"\u00e9","price":1.10}"#));
    }

    proptest! {
        #[test]
        fn a_path_that_is_accepted_is_what_is_sent(path in "[ -~é/.%]{0,40}") {
            let Ok(call) = get(&format!("/{path}")).spec(Vec::new()) else { return Ok(()) };
            let url = BaseUrl::parse("https://host.example", false).unwrap().join(&call.target());
            prop_assert_eq!(url.path(), call.path);
            prop_assert_eq!(url.query(), None);
        }
    }
}
