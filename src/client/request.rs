//! A call on its way: the endpoint, and the text of what is sent to it.

use std::collections::HashSet;

use crate::service::dca_bot::{self, DcaBot};
use crate::service::endpoint::{Endpoint, Takes};
use crate::service::input::{Draft, Inputs, Violation};
use crate::service::record::Record;
use crate::service::values::Field;

use super::error::Error;

/// What a caller asks to set: each input by its index, and whether its rules are checked here.
#[derive(Clone, Debug)]
pub struct Given {
    /// The inputs.
    pub inputs: Vec<(usize, Field<serde_json::Value>)>,
    /// What was given and can't be sent at all.
    pub refused: Vec<Violation>,
    /// Whether the rules are checked before anything is sent.
    pub validate: bool,
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
}

impl Call {
    /// A call of an endpoint that takes nothing but perhaps an identifier.
    pub fn plain(endpoint: &'static Endpoint, id: Option<u64>) -> Self {
        Self { endpoint, path: endpoint.path(id), query: None, body: None }
    }

    /// A call with the inputs that a caller gave.
    pub fn with(endpoint: &'static Endpoint, id: Option<u64>, given: Given) -> Result<Self, Error> {
        match endpoint.takes {
            Takes::Nothing => Ok(Self::plain(endpoint, id)),
            Takes::Query(rows) | Takes::Json(rows) => {
                let draft = Draft::new(rows, given.inputs);
                Self::drafted(endpoint, id, &draft, given.refused, given.validate)
            }
        }
    }

    /// A call that edits a DCA bot: what the caller gave, and all else as the bot holds it.
    pub fn edit(bot: &DcaBot, given: Given) -> Result<Self, Error> {
        let id =
            bot.id().map_err(|unreadable| Error::Decode { message: unreadable.to_string(), body: String::new() })?;
        let id = id.and_then(|id| u64::try_from(id).ok()).ok_or_else(|| Violation::new("id", "the record has none"))?;
        let inputs: &'static Inputs = dca_bot::DcaBotEdit::INPUTS;
        let draft = Draft::new(inputs, given.inputs);
        if draft.changed().next().is_none() && given.refused.is_empty() {
            return Err(nothing_to_change().into());
        }
        Self::drafted(&dca_bot::EDIT, Some(id), &draft.carry_over(bot.fields()), given.refused, given.validate)
    }

    /// Refuses an edit, before the bot is read for it, that is wrong whatever the bot holds.
    pub fn check_changes(given: &Given) -> Result<(), Error> {
        let changes = given.inputs.iter().any(|(_, value)| *value != Field::Absent);
        match (given.refused.as_slice(), changes) {
            ([], true) => Ok(()),
            ([], false) => Err(nothing_to_change().into()),
            (refused, _) => Err(Error::Validation(refused.to_vec())),
        }
    }

    /// The path and the query as they stand in the request line, from `/public/api` on.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    fn drafted(
        endpoint: &'static Endpoint,
        id: Option<u64>,
        draft: &Draft,
        mut violations: Vec<Violation>,
        validate: bool,
    ) -> Result<Self, Error> {
        if validate {
            let refused: HashSet<String> = violations.iter().map(|violation| violation.field.clone()).collect();
            violations.extend(draft.violations().into_iter().filter(|found| !refused.contains(&found.field)));
        }
        if !violations.is_empty() {
            return Err(Error::Validation(violations));
        }
        let plain = Self::plain(endpoint, id);
        Ok(match endpoint.takes {
            Takes::Nothing => plain,
            Takes::Query(_) => Self { query: draft.query(), ..plain },
            Takes::Json(_) => Self { body: Some(draft.body()), ..plain },
        })
    }
}

fn nothing_to_change() -> Violation {
    Violation::new("edit", "changes nothing; name at least one field, such as take_profit=\"1.5\"")
}
