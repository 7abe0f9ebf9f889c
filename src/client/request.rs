//! A call on its way: the endpoint, and the text of what is sent to it.

use serde_json::Value;

use super::error::Error;
use crate::service::endpoint::{Endpoint, Takes};
use crate::service::input::{Draft, Inputs, Violation, identifier};
use crate::service::record::Record;
use crate::service::values::{Field, Integer, Kind};

/// What a caller asks to set: each input by its index, and whether its rules are checked here.
#[derive(Clone, Debug)]
pub struct Given {
    /// The inputs.
    pub inputs: Vec<(usize, Field<Value>)>,
    /// What was given and can't be sent at all.
    pub refused: Vec<Violation>,
    /// Whether the rules are checked before anything is sent.
    pub validate: bool,
}

impl Given {
    fn draft(self, inputs: &'static Inputs) -> Draft {
        Draft::new(inputs, self.inputs).refusing(self.refused)
    }
}

/// A request to an endpoint: what travels in its path, its query and its body, all in ASCII.
#[derive(Clone, Debug)]
pub struct Call {
    /// The endpoint.
    pub endpoint: &'static Endpoint,
    /// The path from `/public/api` on.
    pub path: String,
    /// The query, percent-encoded.
    pub query: Option<String>,
    /// The JSON body.
    pub body: Option<String>,
    /// What was given and is a secret, so that no error may show it.
    pub secrets: Vec<String>,
}

impl Call {
    /// A call of an endpoint that takes nothing but perhaps an identifier.
    pub fn plain(endpoint: &'static Endpoint, id: Option<u64>) -> Self {
        Self { endpoint, path: endpoint.path(id), query: None, body: None, secrets: Vec::new() }
    }

    /// A call with the inputs that a caller gave.
    pub fn with(endpoint: &'static Endpoint, id: Option<u64>, given: Given) -> Result<Self, Error> {
        let validate = given.validate;
        match endpoint.takes.inputs() {
            Some(inputs) => Self::drafted(endpoint, id, &given.draft(inputs), validate),
            None => Ok(Self::plain(endpoint, id)),
        }
    }

    /// A call that edits a record: what the caller gave, and all else as the record holds it.
    pub fn edit<R: Record>(endpoint: &'static Endpoint, record: &R, given: Given) -> Result<Self, Error> {
        let id = record.fields().value("id").and_then(Integer::read).map_or(Value::Null, Value::from);
        let id = identifier("id", &id)?;
        let validate = given.validate;
        let Some(inputs) = endpoint.takes.inputs() else {
            return Ok(Self::plain(endpoint, Some(id)));
        };
        let draft = given.draft(inputs);
        if draft.is_empty() {
            return Err(nothing_to_change(inputs).into());
        }
        Self::drafted(endpoint, Some(id), &draft.carry_over(record.fields()), validate)
    }

    /// Refuses an edit, before the record is read for it, that is wrong whatever the record holds.
    pub fn check_edit(endpoint: &'static Endpoint, given: Given) -> Result<(), Error> {
        let validate = given.validate;
        let Some(inputs) = endpoint.takes.inputs() else {
            return Ok(());
        };
        let draft = given.draft(inputs);
        if draft.is_empty() {
            return Err(nothing_to_change(inputs).into());
        }
        refuse(if validate { draft.violations_of_changes() } else { draft.unsendable() })
    }

    /// The path and the query as they stand in the request line, from `/public/api` on.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    fn drafted(endpoint: &'static Endpoint, id: Option<u64>, draft: &Draft, validate: bool) -> Result<Self, Error> {
        refuse(if validate { draft.violations() } else { draft.unsendable() })?;
        let plain = Self { secrets: draft.secrets(), ..Self::plain(endpoint, id) };
        Ok(match endpoint.takes {
            Takes::Nothing => plain,
            Takes::Query(_) => Self { query: draft.query(), ..plain },
            Takes::Json(_) => Self { body: Some(draft.body()), ..plain },
        })
    }
}

fn refuse(violations: Vec<Violation>) -> Result<(), Error> {
    if violations.is_empty() { Ok(()) } else { Err(Error::Validation(violations)) }
}

fn nothing_to_change(inputs: &Inputs) -> Violation {
    let example = inputs.rows.first().map_or("", |input| input.name);
    Violation::new("edit", format!("changes nothing; name at least one field of {}, such as {example}", inputs.of))
}
