//! The targets of a bulk run, as an argument.

use std::sync::Arc;

use pyo3::prelude::*;

use crate::arguments::Identifier;
use crate::exceptions::{CatchException, RustResult};
use crate::hints::input_type;
use crate::protocols::cast;
use crate::records::Record;
use botdesk_client::bulk::Target;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_schema::input::Violation;
use botdesk_schema::record::RecordSpec;

/// Records, identifiers, or both.
pub(crate) struct Targets(Result<Vec<ParsedTarget>, &'static str>);

/// A target and the client of its record, or the error of the element.
type ParsedTarget = Result<(Target, Option<Arc<HttpClient>>), Violation>;

impl Targets {
    /// Returns the targets of a run of this client, or all errors of the argument `name`.
    pub(crate) fn of(self, name: &str, client: &HttpClient, spec: &RecordSpec) -> Result<Vec<Target>, Error> {
        let parsed = self.0.map_rust_err(|message| Violation::new(name, message))?;
        let (mut targets, mut violations) = (Vec::with_capacity(parsed.len()), Vec::new());
        for (place, parsed) in parsed.into_iter().enumerate() {
            match parsed {
                // Its id may belong to another record of the wanted kind.
                Ok((Target { record: Some(record), .. }, _)) if record.spec().name != spec.name => {
                    let message = format!("is a {}; pass a {} or its id", record.spec().name, spec.name);
                    violations.push(Violation::new(format!("{name}[{place}]"), message));
                }
                // Its id may belong to another record in this client's account.
                Ok((_, Some(with_client))) if !with_client.is_same_account(client) => violations.push(Violation::new(
                    format!("{name}[{place}]"),
                    "is a record of a client with another API key or base URL; its id may belong to another record \
                    there",
                )),
                Ok((target, _)) => targets.push(target),
                Err(found) => violations.push(Violation::new(format!("{name}[{place}]"), found.message)),
            }
        }
        if violations.is_empty() { Ok(targets) } else { Err(Error::Validation(violations)) }
    }
}

impl<'py> FromPyObject<'_, 'py> for Targets {
    type Error = PyErr;

    input_type!(ANY);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Some(elements) = given.try_iter().none_if_exception(given.py())? else {
            return Ok(Self(Err("must be a list of records or ids")));
        };
        let mut targets = Vec::new();
        // The exceptions of an iterator, such as the errors of an iteration over pages, are raised unchanged. So this is a loop:
        // iterator adapters ask Python for a length, and only print its exceptions.
        for element in elements {
            targets.push(parsed(&element?)?);
        }
        Ok(Self(Ok(targets)))
    }
}

fn parsed(given: &Bound<'_, PyAny>) -> PyResult<ParsedTarget> {
    if let Some(record) = cast::<Record>(given) {
        let record = record.get();
        let target = |id| (Target { id, record: Some(record.fields().clone()) }, record.client().rust_ok());
        return Ok(record.id_in_path().map(target));
    }
    let id: Identifier = given.extract()?;
    Ok(id.of("id").map(|id| (Target { id, record: None }, None)))
}
