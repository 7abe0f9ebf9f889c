//! Previews of edits.

use std::marker::PhantomData;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::calls::{Failed, Reply};
use crate::display::displayed_list::DisplayedList;
use crate::hints::input_type;
use crate::protocols::cast;
use crate::records::OneRecord;
use crate::runtime::bridge::sync_and_async;
use crate::subclass::of_class;
use crate::to_python::input_value;
use crate::values::{AnyIterator, NamedValues};
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::once::OneWrite;
use botdesk_schema::input::Change;
use botdesk_schema::record::Record;

/// An edit that was not sent yet: its changes, the fields that it sends unchanged, and the bytes of its body.
///
/// `bot.preview_edit(…)` returns one. It prints as a readable diff, and as a table in a notebook. Nothing is sent until
/// `apply()`.
#[pyclass(frozen, subclass, module = "botdesk")]
#[derive(Clone)]
pub(crate) struct EditPreview {
    edit: Arc<Edit>,
    client: Arc<HttpClient>,
    write: Arc<OneWrite>,
}

#[pymethods]
impl EditPreview {
    /// The changes. A field that already has its new value is not listed.
    #[getter]
    fn changes(&self) -> DisplayedList<FieldChange> {
        DisplayedList(self.edit.changes().into_iter().map(FieldChange).collect())
    }

    /// The destination of the edit: the URL of the service, the profile or the fingerprint of the key, and the account of the
    /// bot as far as its record has it.
    #[getter]
    fn destination(&self) -> String {
        self.edit.destination(&self.client)
    }

    /// The changes that may be mistakes, each in a sentence: a volume or a price changes by more than a factor of ten.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.edit.warnings()
    }

    /// The fields that are sent unchanged, each with its value.
    #[getter]
    fn carried_over<'py>(&self, py: Python<'py>) -> PyResult<NamedValues<'py>> {
        let values = PyDict::new(py);
        for Change { name, input_type, new, .. } in self.edit.carried_over() {
            values.set_item(name, input_value(py, input_type, new.as_ref())?)?;
        }
        Ok(NamedValues(values))
    }

    /// The fields that are left out, each with the reason. A field of the record is null, has no meaning in an edit, or is
    /// taken only by the creation of a bot. A field that the record lacks has a default of the service, or the service never
    /// returns it, such as `sl_to_breakeven_enabled`. The service may set a field that is left out to its default.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<NamedValues<'py>> {
        let reasons = PyDict::new(py);
        for (name, reason) in self.edit.left_out() {
            reasons.set_item(name, reason)?;
        }
        Ok(NamedValues(reasons))
    }

    /// The method of the request.
    #[getter]
    fn method(&self) -> &'static str {
        self.edit.request.method.as_str()
    }

    /// The path of the request, from `/public/api` on.
    #[getter]
    fn path(&self) -> &str {
        &self.edit.request.path
    }

    /// The body, byte for byte as it is sent.
    #[getter]
    fn body(&self) -> &str {
        self.edit.request.body.as_deref().unwrap_or_default()
    }

    /// The payload of the signature: the path and the body.
    #[getter]
    fn payload(&self) -> String {
        self.edit.request.payload(self.client.key().body_separator())
    }

    fn __repr__(&self) -> String {
        self.edit.text(&self.destination())
    }

    fn _repr_html_(&self) -> String {
        self.edit.html(&self.destination())
    }
}

impl EditPreview {
    /// Returns the edit.
    pub(super) fn edit(&self) -> &Arc<Edit> {
        &self.edit
    }
}

/// Return the record of an edit; its changes, each in one line; and the lines about the fields that stay as they are.
#[pyfunction]
pub(super) fn _edit_lines(preview: &EditPreview) -> (String, Vec<String>, Vec<String>) {
    let edit = &preview.edit;
    (edit.record().to_owned(), edit.change_lines(), edit.unchanged())
}

/// The change of a field, by an edit or reported by a watch. It unpacks into `field, old, new`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct FieldChange(pub(super) Change);

#[pymethods]
impl FieldChange {
    /// The name of the field.
    #[getter]
    fn field(&self) -> &'static str {
        self.0.name
    }

    /// The old value; None if the record had none.
    #[getter]
    fn old<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        input_value(py, self.0.input_type, self.0.old.as_ref())
    }

    /// The new value; None if it is null.
    #[getter(new)]
    fn new_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        input_value(py, self.0.input_type, self.0.new.as_ref())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<AnyIterator<'py>> {
        let values = (self.field(), self.old(py)?, self.new_value(py)?).into_pyobject(py)?;
        values.call_method0("__iter__").map(AnyIterator)
    }

    fn __repr__(&self) -> String {
        format!("<FieldChange {}>", self.0)
    }
}

/// Sends an edit once a check succeeds, or returns an error if its preview was applied before.
async fn apply(preview: EditPreview, force: bool) -> Result<Reply, Failed> {
    let EditPreview { edit, client, write } = preview;
    let permit = write.acquire().ok_or_else(|| {
        Error::Configuration(format!(
            "this preview of an edit of {} was applied already, at {}; use the record that it returned, or create \
            another preview",
            edit.record(),
            edit.destination(&client)
        ))
    })?;
    let check_and_send = async move {
        if !force {
            edit.check_unchanged(&client).await?;
        }
        match client.record(edit.request.clone()).await {
            Ok(fields) => Ok(Reply::One(OneRecord { fields, client: Some(client) })),
            Err(error) => Err(Failed::of(&client, edit.operation, Some(edit.id.into()), error)),
        }
    };
    permit.run(check_and_send, Failed::may_have_applied).await
}

sync_and_async! {
    impl EditPreview {
        /// Send the edit; unless it is forced, only if the record has not changed since.
        #[signature (force = false)]
        fn _apply | _apply_async(&self, force: bool) -> Reply {
            apply(self.clone(), force)
        }
    }
}

/// Returns the preview of an edit as an object of the class of its record, such as `DcaBotEditPreview`.
pub(super) fn preview_object(py: Python<'_>, client: Arc<HttpClient>, edit: Edit) -> PyResult<Bound<'_, PyAny>> {
    let class = format!("{}EditPreview", edit.before().spec().name);
    let preview = EditPreview { edit: Arc::new(edit), client, write: Arc::default() };
    of_class(Bound::new(py, preview)?.into_any(), &class)
}

/// The edit in a preview of an edit of a record, as an argument.
pub(super) struct EditOf<R>(pub(super) Arc<Edit>, PhantomData<R>);

impl<'py, R: Record> FromPyObject<'_, 'py> for EditOf<R> {
    type Error = PyErr;

    input_type!(EditPreview::TYPE_HINT);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let edit = cast::<EditPreview>(&given).map(|preview| Arc::clone(&preview.get().edit));
        let edit = edit.filter(|edit| edit.before().spec().name == R::SPEC.name);
        let wrong = || {
            let class = given.get_type().name()?;
            Ok(PyTypeError::new_err(format!("must be a preview of an edit of a {}, not {class}", R::SPEC.name)))
        };
        edit.map_or_else(|| wrong().and_then(Err), |edit| Ok(Self(edit, PhantomData)))
    }
}
