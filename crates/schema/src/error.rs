//! Error responses: their bodies, and the documented error that each of them is.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::json::{Json, Scanner};
use super::redaction::Redactor;

/// The kind of an error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiErrorKind {
    /// The inputs were invalid.
    RecordInvalid,
    /// The state of the record does not allow it.
    WrongParams,
    /// The signature does not match.
    SignatureInvalid,
    /// The API key is unknown or expired, or the IP address is not allowed.
    Authentication,
    /// The API key lacks the permission, or the account can't do it.
    Forbidden,
    /// The record does not exist.
    NotFound,
    /// The exchange rejects the API key of the account.
    InvalidApiKey,
    /// The exchange returned an error.
    MarketApi,
    /// Too many requests.
    RateLimited,
    /// The subscription plan does not include the request.
    PlanRestricted,
    /// The IP address is temporarily banned.
    IpBanned,
    /// The service failed.
    Server,
    /// Anything else.
    Other,
}

impl ApiErrorKind {
    /// Returns true if no other request can succeed either.
    pub fn is_fatal(self) -> bool {
        matches!(self, Self::Authentication | Self::SignatureInvalid | Self::PlanRestricted | Self::IpBanned)
    }
}

/// The errors identified by `error` in the body, with any status below 500.
pub const BY_CODE: &[(&str, ApiErrorKind)] = &[
    ("record_invalid", ApiErrorKind::RecordInvalid),
    ("invalid_request", ApiErrorKind::RecordInvalid),
    ("Wrong param(s)", ApiErrorKind::WrongParams),
    ("unprocessable_entity", ApiErrorKind::WrongParams),
    ("Cant be cancelled", ApiErrorKind::WrongParams),
    ("account_not_deletable", ApiErrorKind::WrongParams),
    ("bnb_dust_limit_error", ApiErrorKind::WrongParams),
    ("signature_invalid", ApiErrorKind::SignatureInvalid),
    ("api_key_invalid_or_expired", ApiErrorKind::Authentication),
    ("access_denied", ApiErrorKind::Forbidden),
    ("not_found", ApiErrorKind::NotFound),
    ("Volume data not found", ApiErrorKind::NotFound),
    ("invalid_api_key", ApiErrorKind::InvalidApiKey),
    ("unknown_market_api_error", ApiErrorKind::MarketApi),
];

/// The codes of a 500 that mean a state and no fault, so that a read with one is not repeated.
const STATES: [&str; 2] = ["grid_lines_not_marked", "pair_not_supported"];

/// The errors identified by the status.
pub const BY_STATUS: &[(u16, ApiErrorKind)] = &[
    (401, ApiErrorKind::Authentication),
    (403, ApiErrorKind::Forbidden),
    (404, ApiErrorKind::NotFound),
    (418, ApiErrorKind::IpBanned),
    (429, ApiErrorKind::RateLimited),
];

/// Returns true if a write may have been applied although the response has this status.
///
/// A 2xx means that it was applied. The other 4xx are documented or concern only the request itself, so it was not applied. The
/// rest are uncertain. A 303 points to the result of the request, and other 1xx and 3xx come from proxies. After a 409, the
/// conflicting write may be the same one. With 408, 425, 499 and any 5xx, a proxy may have timed out after it forwarded the
/// request.
pub fn may_have_applied(status: u16) -> bool {
    matches!(status, 100..200 | 300..400 | 408 | 409 | 425 | 499 | 500..)
}

/// The words in the body of a 429 that waiting does not resolve.
const PLAN: &str = "subscription plan";

fn names_plan(text: &str) -> bool {
    text.to_ascii_lowercase().contains(PLAN)
}

/// Returns true if the sentence of an error is about the plan: either word of [`PLAN`] is enough.
fn is_about_plan(error: &str) -> bool {
    let is_named = |word: &str| PLAN.split(' ').any(|name| word.eq_ignore_ascii_case(name));
    error.split(|character: char| !character.is_alphanumeric()).any(is_named)
}

/// Returns true if two codes are the same apart from case, and from blanks in place of underscores.
fn is_same_code(left: &str, right: &str) -> bool {
    let plain = |byte: u8| if byte == b'_' { b' ' } else { byte.to_ascii_lowercase() };
    left.trim().bytes().map(plain).eq(right.bytes().map(plain))
}

/// An error body with the documented members that it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorBody {
    /// A code such as `record_invalid`, or a sentence such as `Not found`.
    pub error: Option<String>,
    /// The description of the error; may be any string from an exchange.
    pub error_description: Option<String>,
    /// The messages for each field.
    pub error_attributes: Vec<(String, Vec<String>)>,
    /// True if the body, JSON or not, names the subscription plan.
    names_plan: bool,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    error: Value,
    #[serde(default)]
    error_description: Value,
    #[serde(default)]
    error_attributes: Value,
}

impl ErrorBody {
    /// Parses the body of a response. A body that is HTML, empty or cut off results in an empty error body.
    pub fn parse(body: &str) -> Self {
        // An array would be taken for the members in their order, and a long one would fill the memory.
        let span = Scanner::whole(body).ok().filter(|_| body.trim_ascii_start().starts_with('{'));
        let json = span.and_then(|span| Json::new(&Arc::from(body), span).to_lossy_value());
        let Some(wire) = json.and_then(|json| serde_json::from_value::<Wire>(json).ok()) else {
            return Self { names_plan: names_plan(body), ..Self::default() };
        };
        let [error, error_description] = [&wire.error, &wire.error_description].map(text);
        // The unescaped body is searched too, because escapes could hide the words.
        let names_plan = names_plan(body)
            || error.as_deref().is_some_and(is_about_plan)
            || error_description.as_deref().is_some_and(names_plan);
        Self { error, error_description, error_attributes: attributes(&wire.error_attributes), names_plan }
    }

    /// Returns the error body without secrets.
    #[must_use]
    pub fn redacted(self, redactor: &Redactor) -> Self {
        let redact = |text: String| redactor.redact(&text);
        let messages = |messages: Vec<String>| messages.into_iter().map(redact).collect();
        let attributes = self.error_attributes.into_iter();
        Self {
            error: self.error.map(redact),
            error_description: self.error_description.map(redact),
            error_attributes: attributes.map(|(field, texts)| (redact(field), messages(texts))).collect(),
            names_plan: self.names_plan,
        }
    }

    /// Returns the error in one line; None if the body names none.
    pub fn summary(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        let description = self.error_description.as_ref().map(|description| format!(" ({description})"));
        Some(format!("{error}{}", description.unwrap_or_default()))
    }

    /// Returns the class of the service's exception, such as `JSON::ParserError`; None if the error names none.
    pub fn exception_class(&self) -> Option<&str> {
        let (_, class) = self.error.as_deref()?.rsplit_once('#')?;
        let is_name = |part: &str| {
            part.starts_with(|first: char| first.is_ascii_uppercase())
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        Some(class.trim()).filter(|class| class.split("::").all(is_name))
    }

    /// Returns true if the error names a reason that another attempt would meet again.
    pub fn is_lasting(&self) -> bool {
        let is_state = |error: &str| STATES.iter().any(|code| is_same_code(error, code));
        self.exception_class().is_some() || self.error.as_deref().is_some_and(is_state)
    }

    /// Returns the kind of the error, by its code if it has one, else by its status.
    pub fn kind(&self, status: u16) -> ApiErrorKind {
        if status == 429 && self.names_plan {
            return ApiErrorKind::PlanRestricted;
        }
        if status >= 500 {
            return ApiErrorKind::Server;
        }
        // Whatever the body of a 418 or a 429 says, clients that continue are banned for longer.
        let by_code = self.error.as_deref().filter(|_| !matches!(status, 418 | 429)).and_then(kind_of_code);
        let by_status = || BY_STATUS.iter().find(|(code, _)| *code == status).map(|(_, kind)| *kind);
        by_code.or_else(by_status).unwrap_or(ApiErrorKind::Other)
    }
}

/// Returns the kind of a code: exactly, or else apart from case and blanks.
fn kind_of_code(error: &str) -> Option<ApiErrorKind> {
    let exact = BY_CODE.iter().find(|(code, _)| *code == error);
    exact.or_else(|| BY_CODE.iter().find(|(code, _)| is_same_code(error, code))).map(|(_, kind)| *kind)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn attributes(value: &Value) -> Vec<(String, Vec<String>)> {
    let messages = |value: &Value| match value {
        Value::Array(messages) => messages.iter().filter_map(text).collect(),
        other => text(other).into_iter().collect(),
    };
    let members = value.as_object().into_iter().flatten();
    members.map(|(field, value)| (field.clone(), messages(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(status: u16, body: &str) -> ApiErrorKind {
        ErrorBody::parse(body).kind(status)
    }

    #[test]
    fn each_documented_error_has_its_kind() {
        for (status, body, expected) in [
            (
                400,
                r#"{"error":"record_invalid","error_description":"Invalid parameters"}"#,
                ApiErrorKind::RecordInvalid,
            ),
            (400, r#"{"error":"Wrong param(s)"}"#, ApiErrorKind::WrongParams),
            (401, r#"{"error":"signature_invalid"}"#, ApiErrorKind::SignatureInvalid),
            (401, r#"{"error":"api_key_invalid_or_expired"}"#, ApiErrorKind::Authentication),
            (403, r#"{"error":"Forbidden"}"#, ApiErrorKind::Forbidden),
            (403, r#"{"error":"Forbidden. Unavailable for this account."}"#, ApiErrorKind::Forbidden),
            (404, r#"{"error":"Not found"}"#, ApiErrorKind::NotFound),
            (400, r#"{"error":"Not found"}"#, ApiErrorKind::NotFound),
            (400, r#"{"error":"not_found"}"#, ApiErrorKind::NotFound),
            (404, r#"{"error":"Volume data not found"}"#, ApiErrorKind::NotFound),
            (400, r#"{"error":"unprocessable_entity"}"#, ApiErrorKind::WrongParams),
            (422, r#"{"error":"Cant be cancelled"}"#, ApiErrorKind::WrongParams),
            (422, r#"{"error":"account_not_deletable"}"#, ApiErrorKind::WrongParams),
            (422, r#"{"error":"bnb_dust_limit_error"}"#, ApiErrorKind::WrongParams),
            (422, r#"{"error":"invalid_request"}"#, ApiErrorKind::RecordInvalid),
            (422, r#"{"error":"record_invalid"}"#, ApiErrorKind::RecordInvalid),
            (400, r#"{"error":"access_denied"}"#, ApiErrorKind::Forbidden),
            (400, r#"{"error":"Record Invalid"}"#, ApiErrorKind::RecordInvalid),
            (422, r#"{"error":"NOT_FOUND "}"#, ApiErrorKind::NotFound),
            (
                429,
                r#"{"error":"Requests of this type (read) are not part of your plan"}"#,
                ApiErrorKind::PlanRestricted,
            ),
            (429, r#"{"error":"Please explain: too many requests"}"#, ApiErrorKind::RateLimited),
            (500, r#"{"error":"grid_lines_not_marked"}"#, ApiErrorKind::Server),
            (422, r#"{"error":"invalid_api_key"}"#, ApiErrorKind::InvalidApiKey),
            (422, r#"{"error":"unknown_market_api_error"}"#, ApiErrorKind::MarketApi),
            (418, "", ApiErrorKind::IpBanned),
            (429, "", ApiErrorKind::RateLimited),
            (418, r#"{"error":"record_invalid"}"#, ApiErrorKind::IpBanned),
            (429, r#"{"error":"record_invalid"}"#, ApiErrorKind::RateLimited),
            (502, "<html>", ApiErrorKind::Server),
            (302, "", ApiErrorKind::Other),
        ] {
            assert_eq!(kind(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_documented_error_means_that_nothing_was_applied() {
        let refusals = [400, 401, 402, 403, 404, 405, 410, 412, 413, 415, 418, 422, 423, 426, 428, 429, 431, 451];
        let applied: Vec<u16> = refusals.into_iter().filter(|status| may_have_applied(*status)).collect();
        assert_eq!(applied, Vec::<u16>::new());
        assert!(BY_STATUS.iter().all(|(status, _)| !may_have_applied(*status)));
    }

    #[test]
    fn an_ambiguous_status_leaves_the_outcome_of_a_write_unknown() {
        let silent =
            [101, 103, 300, 301, 302, 303, 304, 307, 308, 408, 409, 425, 499, 500, 502, 503, 504, 520, 599, 999];
        let closed: Vec<u16> = silent.into_iter().filter(|status| !may_have_applied(*status)).collect();
        assert_eq!(closed, Vec::<u16>::new());
    }

    #[test]
    fn a_429_of_the_plan_is_not_a_429_of_the_rate_limit() {
        let body = r#"{"error":"forbidden","error_description":"The request type 'read' is not available with your current subscription plan"}"#;
        assert_eq!(kind(429, body), ApiErrorKind::PlanRestricted);
        let escaped = r#"{"error":"not available with your current \u0053ubscription plan"}"#;
        for body in [escaped, "<html>Upgrade your Subscription Plan</html>", r#"["subscription plan"]"#] {
            assert_eq!(kind(429, body), ApiErrorKind::PlanRestricted, "{body}");
            assert_eq!(kind(403, body), ApiErrorKind::Forbidden, "{body}");
        }
    }

    #[test]
    fn half_of_a_surrogate_pair_does_not_hide_the_error() {
        let body =
            r#"{"error":"record_invalid","error_description":"a\ud83d","error_attributes":{"pair":["b\udc00"]}}"#;
        let parsed = ErrorBody::parse(body);
        assert_eq!(parsed.kind(400), ApiErrorKind::RecordInvalid);
        assert_eq!(parsed.error_description.as_deref(), Some("a\u{fffd}\u{fffd}\u{fffd}"));
        let plan = r#"{"error":"\ud83d not available with your current subscription plan"}"#;
        assert_eq!(kind(429, plan), ApiErrorKind::PlanRestricted);
    }

    #[test]
    fn attributes_of_any_type_are_parsed() {
        let body =
            ErrorBody::parse(r#"{"error":"record_invalid","error_attributes":{"pair":["a","b"],"name":"c","x":null}}"#);
        let expected = [("pair", vec!["a", "b"]), ("name", vec!["c"]), ("x", vec![])];
        let expected =
            expected.map(|(field, messages)| (field.to_owned(), messages.into_iter().map(str::to_owned).collect()));
        assert_eq!(body.error_attributes, Vec::from(expected));
    }

    #[test]
    fn a_body_that_is_not_json_has_no_details() {
        for body in ["", "<html>502</html>", "{\"error\":\"Not fo", "[]", "5", "[\"record_invalid\"]"] {
            assert_eq!(ErrorBody::parse(body), ErrorBody::default(), "{body}");
        }
    }

    #[test]
    fn the_class_of_an_exception_is_behind_the_number_sign() {
        for (error, class) in [
            ("Unknown error occurred #JSON::ParserError", Some("JSON::ParserError")),
            ("unknown_error#NoMethodError", Some("NoMethodError")),
            ("unknown_error", None),
            ("deal #12", None),
            ("see #a page", None),
        ] {
            let body = ErrorBody { error: Some(error.to_owned()), ..ErrorBody::default() };
            assert_eq!(body.exception_class(), class, "{error}");
            assert_eq!(body.is_lasting(), class.is_some(), "{error}");
        }
        for error in ["grid_lines_not_marked", "Pair not supported"] {
            assert!(ErrorBody { error: Some(error.to_owned()), ..ErrorBody::default() }.is_lasting(), "{error}");
        }
    }
}
