//! The targets of a bulk run, as an argument.

use pyo3::prelude::*;

use crate::arguments::Identifier;
use crate::exceptions::{CatchException, RustResult};
use crate::hints::input_type;
use crate::protocols::cast;
use crate::records::Record;
use botdesk_client::bulk::Target;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_schema::id::IdSpec;
use botdesk_schema::input::Violation;
use botdesk_schema::record::RecordSpec;

/// Records, identifiers, or both.
pub(crate) struct Targets(Result<Vec<GivenTarget>, &'static str>);

/// A record or an identifier.
enum GivenTarget {
    Record(Py<Record>),
    Id(Identifier),
}

impl Targets {
    /// Returns the targets of a run of this client, or all errors of the argument `name`.
    pub(crate) fn of(
        self,
        name: &str,
        client: &HttpClient,
        spec: &RecordSpec,
        id: IdSpec,
    ) -> Result<Vec<Target>, Error> {
        let given = self.0.map_rust_err(|message| Violation::new(name, message))?;
        let (mut targets, mut violations) = (Vec::with_capacity(given.len()), Vec::new());
        for (place, given) in given.into_iter().enumerate() {
            match given.target(client, spec, id) {
                Ok(target) => targets.push(target),
                Err(message) => violations.push(Violation::new(format!("{name}[{place}]"), message)),
            }
        }
        if violations.is_empty() { Ok(targets) } else { Err(Error::Validation(violations)) }
    }
}

impl GivenTarget {
    /// Returns the target, or the message of its error.
    fn target(self, client: &HttpClient, spec: &RecordSpec, id: IdSpec) -> Result<Target, String> {
        let record = match &self {
            Self::Record(record) => record.get(),
            Self::Id(_) => return self.by_id(id),
        };
        let target_id = record.id_as(id).map_rust_err(|violation| violation.message)?;
        let kind = record.fields().spec().name;
        // Its id may belong to another record of the wanted kind.
        if kind != spec.name {
            return Err(format!("is a {kind}; pass a {} or its id", spec.name));
        }
        // Its id may belong to another record in this client's account.
        if record.client().rust_ok().is_some_and(|with_client| !with_client.is_same_account(client)) {
            return Err(
                "is a record of a client with another API key or base URL; its id may belong to another record \
                        there"
                    .to_owned(),
            );
        }
        Ok(Target { id: target_id, record: Some(record.fields().clone()) })
    }

    fn by_id(self, id: IdSpec) -> Result<Target, String> {
        let Self::Id(given) = self else { return Err("is no id".to_owned()) };
        let id = given.parse(id, false).map_rust_err(|violation| violation.message)?;
        Ok(Target { id, record: None })
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

fn parsed(given: &Bound<'_, PyAny>) -> PyResult<GivenTarget> {
    if let Some(record) = cast::<Record>(given) {
        return Ok(GivenTarget::Record(record.to_owned().unbind()));
    }
    given.extract().map(GivenTarget::Id)
}
