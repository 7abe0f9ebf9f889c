//! Resources: the attributes of a client with the operations of one kind of record.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;

use crate::exceptions::type_name;
use crate::views::{names, offered, whose};
use botdesk_client::http::HttpClient;

/// A part of a client: the operations of one kind of record.
#[pyclass(frozen, subclass, module = "botdesk._native")]
pub(crate) struct Resource {
    pub(super) client: Arc<HttpClient>,
}

#[pymethods]
impl Resource {
    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<{}: {}>", Self::title(this)?, names(&this.get_type())?))
    }

    fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(offered(Self::title(this)?, &this.get_type())?.html())
    }

    /// Return what the object offers as text, for a terminal.
    fn _offered(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(offered(Self::title(this)?, &this.get_type())?.text(2))
    }
}

impl Resource {
    fn title(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("{} of {}", type_name(this)?, whose(&this.get().client)))
    }
}

/// Returns an object of a Python class with the operations of this client.
pub(super) fn resource<'py>(class: &Bound<'py, PyAny>, client: &Arc<HttpClient>) -> PyResult<Bound<'py, PyAny>> {
    let resource = Bound::new(class.py(), Resource { client: Arc::clone(client) })?.into_any();
    // The Python classes add only methods, so an object of the native class can become one of theirs.
    resource.setattr(intern!(class.py(), "__class__"), class)?;
    Ok(resource)
}
