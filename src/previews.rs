//! Previews of edits.

use std::future::ready;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::calls::Failed;
use crate::display::displayed_list::DisplayedList;
use crate::records::RecordAs;
use crate::runtime::bridge::sync_and_async;
use crate::to_python::input_value;
use crate::values::{AnyIterator, NamedValues};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::grid_bots::GridBot;
use botdesk_api::input::Change;
use botdesk_api::record::Record;
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::once::OneWrite;

/// An edit that was not sent yet: its changes, the fields that it sends unchanged, and the bytes of its body.
///
/// `bot.preview_edit(…)` returns one. It prints as a readable diff, and as a table in a notebook. Nothing is sent until
/// `apply()`.
#[pyclass(frozen, subclass, module = "botdesk")]
pub(crate) struct EditPreview {
    edit: Arc<Edit>,
    client: Arc<HttpClient>,
}

#[pymethods]
impl EditPreview {
    /// The changes. A field that already has its new value is not listed.
    #[getter]
    fn changes(&self) -> DisplayedList<FieldChange> {
        DisplayedList(self.edit.changes().into_iter().map(FieldChange).collect())
    }

    /// The destination of the edit: the URL of the service, the profile or the fingerprint of the private key, and the account of the
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
        for Change { name, form, new, .. } in self.edit.carried_over() {
            values.set_item(name, input_value(py, form, new.as_ref())?)?;
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
        self.edit.request.payload()
    }

    fn __repr__(&self) -> String {
        self.edit.text(&self.destination())
    }

    fn _repr_html_(&self) -> String {
        self.edit.html(&self.destination())
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
        input_value(py, self.0.form, self.0.old.as_ref())
    }

    /// The new value; None if it is null.
    #[getter(new)]
    fn new_value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        input_value(py, self.0.form, self.0.new.as_ref())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<AnyIterator<'py>> {
        let values = (self.field(), self.old(py)?, self.new_value(py)?).into_pyobject(py)?;
        values.call_method0("__iter__").map(AnyIterator)
    }

    fn __repr__(&self) -> String {
        format!("<FieldChange {}>", self.0)
    }
}

/// Defines the preview class of a record.
macro_rules! previews {
    ($($(#[$about:meta])* $preview:ident of $record:ident;)*) => {$(
        $(#[$about])*
        #[pyclass(frozen, extends = EditPreview, module = "botdesk")]
        pub(crate) struct $preview {
            edit: Arc<Edit>,
            client: Arc<HttpClient>,
            write: Arc<OneWrite>,
        }

        impl $preview {
            /// Returns the preview of an edit of this client.
            fn of(py: Python<'_>, client: Arc<HttpClient>, edit: Edit) -> PyResult<Bound<'_, PyAny>> {
                let edit = Arc::new(edit);
                let base = EditPreview { edit: Arc::clone(&edit), client: Arc::clone(&client) };
                let preview = Self { edit, client, write: Arc::default() };
                Ok(Bound::new(py, PyClassInitializer::from(base).add_subclass(preview))?.into_any())
            }

            /// The edit.
            pub(super) fn edit(&self) -> &Edit {
                &self.edit
            }
        }

    )*};
}

/// Sends an edit once a check succeeds, or returns an error if its preview was applied before.
async fn apply<R: Record>(
    client: Arc<HttpClient>,
    edit: Arc<Edit>,
    write: Arc<OneWrite>,
    check: impl Future<Output = Result<(), Error>>,
) -> Result<RecordAs<R>, Failed> {
    let permit = write.acquire().ok_or_else(|| {
        Error::Configuration(format!(
            "this preview of an edit of {} was applied already, at {}; use the record that it returned, or create \
            another preview",
            edit.record(),
            edit.destination(&client)
        ))
    })?;
    let check_and_send = async move {
        check.await?;
        match client.record(edit.request.clone()).await {
            Ok(fields) => Ok(RecordAs::new(&client, fields)),
            Err(error) => Err(Failed::of(&client, edit.operation, Some(edit.id), error)),
        }
    };
    permit.run(check_and_send, Failed::may_have_applied).await
}

/// Returns the preview of an edit as an object of the class of its record.
pub(super) fn preview_object(py: Python<'_>, client: Arc<HttpClient>, edit: Edit) -> PyResult<Bound<'_, PyAny>> {
    match edit.before().spec().name {
        "DcaBot" => DcaBotEditPreview::of(py, client, edit),
        "GridBot" => GridBotEditPreview::of(py, client, edit),
        _ => Ok(Bound::new(py, EditPreview { edit: Arc::new(edit), client })?.into_any()),
    }
}

previews! {
    /// The preview of an edit of a DCA bot.
    DcaBotEditPreview of DcaBot;
    /// The preview of an edit of a grid bot.
    GridBotEditPreview of GridBot;
}

sync_and_async! {
    impl DcaBotEditPreview {
        /// Send the edit.
        ///
        /// The bot is read again first. If a field that can be edited has changed since, nothing is sent, because the edit
        /// might undo that change or contradict it.
        ///
        /// A preview is applied once. It can be applied again if the call failed and certainly changed nothing.
        ///
        /// API reference: Edit DCA Bot. Permissions BOTS_READ and BOTS_WRITE.
        ///
        /// Args:
        ///     force: If True, send the edit without reading the bot again.
        ///
        /// Returns:
        ///     The bot after the change.
        ///
        /// Raises:
        ///     ConfigurationError: The preview was applied before.
        ///     EditConflictError: The bot has changed since; `fields` lists the changed fields. Nothing was sent.
        ///     RecordInvalidError: The service rejected the values of fields.
        ///     NotFoundError: The bot does not exist.
        ///     OutcomeUnknownError: The outcome is unknown: the bot may have been changed.
        ///     ApiError: The service returned an error.
        ///     TransportError: Nothing was changed.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     preview = sandbox.client().dca_bots.get(41).preview_edit(take_profit="2.5")
        ///     ...     preview.apply().take_profit
        ///     Decimal('2.5')
        #[signature (*, force = false)]
        fn apply | apply_async(&self, force: bool) -> RecordAs<DcaBot> {
            let (client, edit, write) = (Arc::clone(&self.client), Arc::clone(&self.edit), Arc::clone(&self.write));
            let (reader, read) = (Arc::clone(&client), Arc::clone(&edit));
            apply(client, edit, write, async move { if force { Ok(()) } else { read.check_unchanged(&reader).await } })
        }
    }
}

sync_and_async! {
    impl GridBotEditPreview {
        /// Send the edit.
        ///
        /// botdesk can't read a grid bot yet, so changes by others since the record was read are not detected, and the
        /// edit undoes them.
        ///
        /// A preview is applied once. It can be applied again if the call failed and certainly changed nothing.
        ///
        /// API reference: Edit Grid Bot. Permission BOTS_WRITE.
        ///
        /// Returns:
        ///     The bot after the change.
        ///
        /// Raises:
        ///     ConfigurationError: The preview was applied before.
        ///     RecordInvalidError: The service rejected the values of fields.
        ///     NotFoundError: The bot does not exist.
        ///     OutcomeUnknownError: The outcome is unknown: the bot may have been changed.
        ///     ApiError: The service returned an error.
        ///     TransportError: Nothing was sent.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     bot = sandbox.client().grid_bots.set_note(203, "Mind the range")
        ///     ...     bot.preview_edit(grids_quantity=11).apply().grids_quantity
        ///     11
        #[signature ()]
        fn apply | apply_async(&self) -> RecordAs<GridBot> {
            let (client, edit, write) = (Arc::clone(&self.client), Arc::clone(&self.edit), Arc::clone(&self.write));
            apply(client, edit, write, ready(Ok(())))
        }
    }
}
