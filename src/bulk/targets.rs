//! The records that something is to be done to, as a caller names them.

use std::sync::Arc;

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::{PyClass, PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::arguments::{INT, Identifier};
use crate::exceptions::{CatchException, RustResult};
use crate::protocols::cast;
use crate::records::{Acting, RecordClass};
use botdesk_api::input::Violation;
use botdesk_client::bulk::Target;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;

/// Records, identifiers, or both.
pub(super) struct Targets<A: Acting>(Result<Vec<Named<A>>, &'static str>);

/// A target and the road of the client that made its record, or what is wrong with what stands in its place.
type Named<A> = Result<(Target<<A as RecordClass>::Core>, Option<Arc<HttpClient>>), Violation>;

impl<A: Acting> Targets<A> {
    /// The targets of calls over a road, or all that is wrong with the argument of that name.
    pub(super) fn of(self, name: &str, road: &HttpClient) -> Result<Vec<Target<A::Core>>, Error> {
        let named = self.0.map_rust_err(|message| Violation::new(name, message))?;
        let (mut targets, mut violations) = (Vec::with_capacity(named.len()), Vec::new());
        for (place, named) in named.into_iter().enumerate() {
            match named {
                // Its identifier may be that of another record there.
                Ok((_, Some(made_by))) if !made_by.is_same_account(road) => violations.push(Violation::new(
                    format!("{name}[{place}]"),
                    "is a record of a client of another API key or address; its identifier, if it is known there, may \
                     mean another record",
                )),
                Ok((target, _)) => targets.push(target),
                Err(found) => violations.push(Violation::new(format!("{name}[{place}]"), found.message)),
            }
        }
        if violations.is_empty() { Ok(targets) } else { Err(Error::Validation(violations)) }
    }
}

impl<'py, A> FromPyObject<'_, 'py> for Targets<A>
where
    A: Acting<Core: Clone> + PyClass<Frozen = True> + Sync,
{
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Iterable"),
        type_hint_union!(<A as PyTypeInfo>::TYPE_HINT, INT)
    );

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // What a walk over pages fails with, for one, is for the caller as it is.
        let Some(elements) = given.try_iter().none_if_exception(given.py())? else {
            return Ok(Self(Err("a list of records or of identifiers is needed")));
        };
        let mut targets = Vec::new();
        // In a loop, because the adapters of iterators ask Python for a length, and only write out what that raises.
        for element in elements {
            targets.push(named::<A>(&element?)?);
        }
        Ok(Self(Ok(targets)))
    }
}

fn named<A>(given: &Bound<'_, PyAny>) -> PyResult<Named<A>>
where
    A: Acting<Core: Clone> + PyClass<Frozen = True> + Sync,
{
    if let Some(record) = cast::<A>(given) {
        let record = record.get();
        let target = |id| (Target { id, record: Some(record.core().clone()) }, record.road().rust_ok());
        return Ok(record.id_in_path().map(target));
    }
    let id: Identifier = given.extract()?;
    Ok(id.of("id").map(|id| (Target { id, record: None }, None)))
}
