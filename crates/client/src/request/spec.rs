//! A call on its way: the endpoint, and the text of what is sent to it.

use std::borrow::Cow;

use serde_json::Value;

use crate::error::Error;
use botdesk_api::endpoint::{Endpoint, Method, Takes};
use botdesk_api::input::{Draft, Inputs, Violation};
use botdesk_api::secrets::without_parameters;
use botdesk_api::values::Field;

/// What a caller asks to set: each input by its index, and whether its rules are checked here.
#[derive(Clone, Debug)]
pub struct InputValues {
    /// The inputs.
    pub inputs: Vec<(usize, Field<Value>)>,
    /// What was given and can't be sent at all.
    pub refused: Vec<Violation>,
    /// Whether the rules are checked before anything is sent.
    pub validate: bool,
}

impl InputValues {
    /// The draft that it makes of a table of inputs.
    pub fn draft(self, inputs: &'static Inputs) -> Draft {
        Draft::new(inputs, self.inputs).refusing(self.refused)
    }
}

/// A request: what travels in its path, its query and its body, all in ASCII.
#[derive(Clone, Debug)]
pub struct RequestSpec {
    /// What the operation is called, such as `dca_bots.edit`.
    pub operation: Cow<'static, str>,
    /// How it asks.
    pub method: Method,
    /// The path from `/public/api` on.
    pub path: String,
    /// The identifier in the path.
    pub id: Option<u64>,
    /// The query, percent-encoded.
    pub query: Option<String>,
    /// The JSON body.
    pub body: Option<String>,
    /// What was given and is a secret, so that no error may show it.
    pub secrets: Vec<String>,
}

impl RequestSpec {
    /// A call of an endpoint that takes nothing but perhaps an identifier.
    pub fn plain(endpoint: &'static Endpoint, id: Option<u64>) -> Self {
        Self {
            operation: endpoint.operation.into(),
            method: endpoint.method,
            path: endpoint.path(id),
            id,
            query: None,
            body: None,
            secrets: Vec::new(),
        }
    }

    /// A call with the inputs that a caller gave.
    pub fn with(endpoint: &'static Endpoint, id: Option<u64>, given: InputValues) -> Result<Self, Error> {
        let validate = given.validate;
        match endpoint.takes.inputs() {
            Some(inputs) => Self::drafted(endpoint, id, &given.draft(inputs), validate),
            None => Ok(Self::plain(endpoint, id)),
        }
    }

    /// The path and the query as they stand in the request line, from `/public/api` on.
    pub fn target(&self) -> String {
        self.target_with(self.query.as_deref())
    }

    fn target_with(&self, query: Option<&str>) -> String {
        match query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// What is signed: the path, then `?` and the query, or the body.
    pub fn payload(&self) -> String {
        self.target() + self.body.as_deref().unwrap_or_default()
    }

    /// What is signed, without the secrets in its query.
    pub(crate) fn redacted_payload(&self) -> String {
        let query = self.query.as_deref().map(without_parameters);
        self.target_with(query.as_deref()) + self.body.as_deref().unwrap_or_default()
    }

    /// A call with the inputs of a draft.
    pub(crate) fn drafted(
        endpoint: &'static Endpoint,
        id: Option<u64>,
        draft: &Draft,
        validate: bool,
    ) -> Result<Self, Error> {
        refuse(if validate { draft.violations() } else { draft.unsendable() })?;
        let plain = Self { secrets: draft.secrets(), ..Self::plain(endpoint, id) };
        Ok(match endpoint.takes {
            Takes::Nothing => plain,
            Takes::Query(_) => Self { query: draft.query(), ..plain },
            Takes::Json(_) => Self { body: Some(draft.body()), ..plain },
        })
    }
}

/// Refuses what breaks rules.
pub(crate) fn refuse(violations: Vec<Violation>) -> Result<(), Error> {
    if violations.is_empty() { Ok(()) } else { Err(Error::Validation(violations)) }
}
