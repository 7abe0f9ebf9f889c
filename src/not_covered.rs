//! Errors for the operations of the service that the package does not cover yet.

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

use super::client::Client;
use super::generated::accounts::Accounts;
use super::generated::dca_bots::DcaBots;
use super::generated::grid_bots::GridBots;
use super::generated::smart_trades::SmartTrades;
use super::generated_records::account::Account;
use super::generated_records::dca_bot::DcaBot;
use super::generated_records::deal::Deal;
use super::generated_records::grid_bot::GridBot;
use botdesk_api::endpoint::PREFIX;
use botdesk_api::not_covered::{self, NotCovered};

/// Return the method and the path of an operation that the package does not cover yet; a resource has no operation.
#[pyfunction]
#[pyo3(signature = (resource, operation))]
pub(super) fn _not_covered(resource: &str, operation: Option<&str>) -> Option<(&'static str, &'static str)> {
    let found = match operation {
        Some(operation) => not_covered::operation(resource, operation),
        None => not_covered::resource(resource),
    };
    found.map(|row| (row.method.as_str(), row.path))
}

/// Returns the error for an attribute that does not exist, which says how to call what the package does not cover yet.
fn no_attribute(class: &str, name: &str, missing: Option<&NotCovered>) -> PyErr {
    let usual = format!("'{class}' object has no attribute '{name}'");
    let Some(row) = missing else { return PyAttributeError::new_err(usual) };
    let (method, path) = (row.method.as_str(), row.path);
    let advice =
        format!("botdesk does not cover this yet; until then: client.request(\"{method}\", \"{PREFIX}{path}\")");
    without_suggestion(PyAttributeError::new_err(format!("{usual}: {advice}")), name)
}

/// Sets the name of the attribute, and no object. Python would suggest an attribute of the object with a similar name, which does
/// something else: `disable` for `enable`.
fn without_suggestion(error: PyErr, name: &str) -> PyErr {
    Python::attach(|py| {
        let value = error.value(py);
        match value.setattr("name", name).and_then(|()| value.setattr("obj", py.None())) {
            Ok(()) => error,
            Err(raised) => raised,
        }
    })
}

/// Defines the error for operations that a resource, and each of its records, does not have yet.
macro_rules! not_covered {
    ($($class:ident of $resource:literal;)*) => {$(
        #[pymethods]
        impl $class {
            #[allow(clippy::unused_self, reason = "Python calls it so")]
            fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
                Err(no_attribute(stringify!($class), name, not_covered::operation($resource, name)))
            }
        }
    )*};
}

not_covered! {
    Account of "accounts";
    Accounts of "accounts";
    DcaBot of "dca_bots";
    DcaBots of "dca_bots";
    Deal of "deals";
    GridBot of "grid_bots";
    GridBots of "grid_bots";
    SmartTrades of "smart_trades";
}

#[pymethods]
impl Client {
    #[allow(clippy::unused_self, reason = "Python calls it so")]
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        Err(no_attribute("Client", name, not_covered::resource(name)))
    }
}
