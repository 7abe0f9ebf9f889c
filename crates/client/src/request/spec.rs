//! The request of an operation: its path, its query string and its body.

use std::borrow::Cow;

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::error::Error;
use botdesk_api::reference;
use botdesk_schema::id::Id;
use botdesk_schema::input::{InputName, Inputs, RequestBuilder, Violation};
use botdesk_schema::method::{Effect, Method};
use botdesk_schema::operation::{Operation, OwnLimit, Returns, Takes};
use botdesk_schema::permission::Security;
use botdesk_schema::record::RecordSpec;
use botdesk_schema::secrets::redact_parameters;
use botdesk_schema::values::Field;

/// The input values of a call, each with the name of its input.
#[derive(Clone, Debug)]
pub struct InputValues {
    /// The values.
    pub inputs: Vec<(InputName, Field<Value>)>,
    /// The violations of values that can't be sent at all.
    pub unsendable: Vec<Violation>,
    /// False to let the service check the rules.
    pub validate: bool,
}

impl InputValues {
    /// Returns the values of a call without inputs.
    pub fn none() -> Self {
        Self { inputs: Vec::new(), unsendable: Vec::new(), validate: true }
    }

    /// Returns the builder of a request with these values.
    pub fn into_builder(self, inputs: &'static Inputs) -> RequestBuilder {
        RequestBuilder::new(inputs, self.inputs).with_unsendable(self.unsendable)
    }
}

/// No identifiers, for the path of an operation that has none.
pub const NO_ID: [u64; 0] = [];

/// A request: its path, its query string and its body, all in ASCII.
#[derive(Clone, Debug)]
pub struct RequestSpec {
    /// The operation, such as `dca_bots.edit`.
    pub operation: Cow<'static, str>,
    /// The method.
    pub method: Method,
    /// The path from `/public/api` on.
    pub path: String,
    /// What the request does at the service.
    pub effect: Effect,
    /// Whether it is signed.
    pub security: Security,
    /// The rate limit of its own; None if the general one applies.
    pub limit: Option<OwnLimit>,
    /// The identifiers in the path.
    pub ids: Vec<Id>,
    /// The record that the response has, alone or in a list.
    pub record: &'static RecordSpec,
    /// What the response has.
    pub returns: &'static Returns,
    /// The query string, percent-encoded.
    pub query: Option<String>,
    /// The JSON body.
    pub body: Option<String>,
    /// The headers of the caller. None is one that the client sets.
    pub headers: HeaderMap,
    /// The secrets among the values, which no error may show.
    pub secrets: Vec<String>,
}

impl RequestSpec {
    /// Returns a request without inputs.
    pub fn plain(operation: &'static Operation, ids: impl IntoIterator<Item: Into<Id>>) -> Self {
        let ids: Vec<Id> = ids.into_iter().map(Into::into).collect();
        Self {
            operation: operation.name.into(),
            method: operation.method,
            effect: operation.effect,
            security: operation.security,
            limit: operation.limit,
            path: operation.path(&ids),
            ids,
            record: operation.record(),
            returns: &operation.returns,
            query: None,
            body: None,
            headers: HeaderMap::new(),
            secrets: Vec::new(),
        }
    }

    /// Returns a request with input values, or their violations.
    pub fn with(
        operation: &'static Operation,
        ids: impl IntoIterator<Item: Into<Id>>,
        given: InputValues,
    ) -> Result<Self, Error> {
        let validate = given.validate;
        match operation.inputs() {
            Some(inputs) => Self::from_builder(operation, ids, &given.into_builder(inputs).derived(), validate),
            None => Ok(Self::plain(operation, ids)),
        }
    }

    /// Returns the number that identifies the requested record; None if the path has no identifier or several.
    pub fn id(&self) -> Option<u64> {
        match self.ids.as_slice() {
            [id] => id.number(),
            _ => None,
        }
    }

    /// Returns the identifier that the record in the response must have: that in the path, or the word for all records, if it is of
    /// the same resource.
    pub fn asked(&self) -> Option<&Id> {
        let [id] = self.ids.as_slice() else { return None };
        let resource = reference::resource_of(self.record.name)?;
        (self.operation.split('.').next() == Some(resource.name)).then_some(id)
    }

    /// Returns the body; null without one, or if it is no JSON.
    pub(crate) fn json_body(&self) -> Value {
        self.body.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default()
    }

    /// Returns the path and the query string of the request line, from `/public/api` on.
    pub fn target(&self) -> String {
        self.target_with(self.query.as_deref())
    }

    /// Returns the number that the query string has under a name.
    pub fn number_in_query(&self, name: &str) -> Option<u64> {
        let mut parameters = self.query.as_deref()?.split('&').filter_map(|parameter| parameter.split_once('='));
        parameters.find(|(found, _)| *found == name)?.1.parse().ok()
    }

    fn target_with(&self, query: Option<&str>) -> String {
        match query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// Returns the signature payload: the path, then `?` and the query string, or the body.
    pub fn payload(&self, body_separator: &str) -> String {
        self.payload_with(self.query.as_deref(), body_separator)
    }

    /// Returns the signature payload without the secrets in the query string.
    pub(crate) fn redacted_payload(&self, body_separator: &str) -> String {
        let query = self.query.as_deref().map(redact_parameters);
        self.payload_with(query.as_deref(), body_separator)
    }

    fn payload_with(&self, query: Option<&str>, body_separator: &str) -> String {
        let target = self.target_with(query);
        match &self.body {
            Some(body) if query.is_none() => target + body_separator + body,
            Some(body) => target + body,
            None => target,
        }
    }

    /// Returns a request with the inputs of a builder.
    pub(crate) fn from_builder(
        operation: &'static Operation,
        ids: impl IntoIterator<Item: Into<Id>>,
        builder: &RequestBuilder,
        validate: bool,
    ) -> Result<Self, Error> {
        let mut violations = if validate { builder.violations() } else { builder.unsendable() };
        if !operation.may_skip_rules() {
            violations = violations.into_iter().map(Violation::not_skippable).collect();
        }
        check(violations)?;
        let plain = Self { secrets: builder.secrets(), ..Self::plain(operation, ids) };
        Ok(match operation.takes {
            Takes::Nothing => plain,
            Takes::Query(_) => Self { query: builder.query(), ..plain },
            Takes::Json(_) => Self { body: Some(builder.body()), ..plain },
        })
    }
}

/// Returns an error if there are violations.
pub(crate) fn check(violations: Vec<Violation>) -> Result<(), Error> {
    if violations.is_empty() { Ok(()) } else { Err(Error::Validation(violations)) }
}
