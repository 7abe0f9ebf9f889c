//! Custom requests: to any path of the API, also one that the API reference does not have.

use serde_json::Value;

use crate::error::Error;
use crate::request::spec::{RequestSpec, check};
use botdesk_schema::input::{Violation, encode_query};
use botdesk_schema::json::ascii;
use botdesk_schema::method::Method;
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
        check(violations)?;
        let (Ok(method), Ok(path)) = (method, path) else {
            return Err(Error::Validation(Vec::new()));
        };
        // Each parameter is an object of its own, because a name may occur several times.
        let parameters = self.query.iter().map(|pair| Value::Object([pair.clone()].into_iter().collect()));
        let secrets = parameters.chain(self.json.clone()).flat_map(|given| secrets::collect_secrets(&given));
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
        };
        assert_eq!(invalid(request), ["method", "path", "query", "json"]);
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
