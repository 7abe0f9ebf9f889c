//! The Python class of an event.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::records::OneRecord;
use crate::values::typed_objects;
use crate::watch::{FieldChanges, Time, field_changes, time};
use botdesk_client::http::HttpClient;
use botdesk_client::stream;
use botdesk_display::html;
use botdesk_schema::key_text::shown_message;

/// An event of a stream: a record that was created, that changed or that is gone; with `states=True` also a change of the
/// connection.
///
/// Its records have the client of the stream, so `event.record.refresh()` works.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct StreamEvent {
    pub(super) event: stream::StreamEvent,
    pub(super) client: Arc<HttpClient>,
}

typed_objects! {
    /// The record of an event. It is None only if the caller has asked for changes of the connection, so the type leaves that out.
    EventRecord(PyAny) => ANY;
}

impl StreamEvent {
    fn record_of(&self, fields: Option<&botdesk_schema::record::Fields>) -> Option<OneRecord> {
        Some(OneRecord { fields: fields?.clone(), client: Some(Arc::clone(&self.client)) })
    }
}

#[pymethods]
impl StreamEvent {
    /// The resource of the record, such as `deals`; None for a change of the connection.
    #[getter]
    fn resource(&self) -> Option<&'static str> {
        self.event.resource
    }

    /// The kind: of deals and SmartTrades `opened`, `changed`, `closed`; of what does not end `appeared`, `edited`, `enabled`,
    /// `disabled`, `vanished`; `unknown` for a record without an id. Of the connection `connected`, `disconnected`, `gap_filled`,
    /// `polling`.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::intern(py, self.event.kind)
    }

    /// The record as it is now, such as a `Deal`; if it vanished, as it was last. None for a change of the connection.
    #[getter]
    fn record<'py>(&self, py: Python<'py>) -> PyResult<EventRecord<'py>> {
        self.record_of(self.event.record.as_ref()).into_pyobject(py).map(EventRecord)
    }

    /// The pair of prices, as `<QUOTE>_<BASE>`; None for everything else.
    #[getter]
    fn pair(&self) -> Option<String> {
        self.event.pair.as_deref().map(shown_message)
    }

    /// The record as it was last known; None if this is the first that is known of it.
    #[getter]
    fn before(&self) -> Option<OneRecord> {
        self.record_of(self.event.before.as_ref())
    }

    /// The changed fields by name, each with its `old` and its `new` value; empty if `before` is None.
    ///
    /// Volatile fields, such as the price and the profit, are not listed; the records have them.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<FieldChanges<'py>> {
        field_changes(py, &self.event.fields)
    }

    /// Where the state comes from: `stream` if the service sent it; `list` if a list had what was not sent while there was no
    /// connection; `poll` if there is no stream. Records of lists have no `bot_events` and no `buy_steps`. None for a change of
    /// the connection.
    #[getter]
    fn origin(&self) -> Option<&'static str> {
        self.event.origin.map(stream::Origin::as_str)
    }

    /// The time when it was received, in UTC, by the clock of this machine.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> PyResult<Time<'py>> {
        time(py, self.event.at)
    }

    /// Why the connection changed; None for a record.
    #[getter]
    fn reason(&self) -> Option<String> {
        self.event.reason.as_deref().map(shown_message)
    }

    fn __repr__(&self) -> String {
        format!("<StreamEvent {}>", self.event)
    }

    fn _repr_html_(&self) -> String {
        let mut fields = vec![("at".to_owned(), self.event.at.to_string())];
        fields.extend(self.event.fields.iter().map(|change| {
            let (name, old, new) = change.cells();
            (name.to_owned(), format!("{old} → {new}"))
        }));
        html::record(&self.event.to_string(), &fields)
    }

    /// Return the columns of a list of events.
    #[staticmethod]
    fn _list_columns() -> [&'static str; 4] {
        ["at", "event", "origin", "changes"]
    }

    /// Return the cells of these columns.
    fn _list_cells(&self) -> [String; 4] {
        let changes: Vec<_> = self.event.fields.iter().map(ToString::to_string).collect();
        let origin = self.origin().unwrap_or_default().to_owned();
        [self.event.at.to_string(), self.event.to_string(), origin, changes.join("; ")]
    }
}
