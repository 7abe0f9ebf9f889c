//! The changes that a watch reports.

use std::sync::Arc;

use jiff::Timestamp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::exceptions::type_name;
use crate::hints::output_type;
use crate::previews::FieldChange;
use crate::protocols::import_datetime;
use crate::records::OneRecord;
use crate::subclass::of_class;
use crate::values::typed_objects;
use botdesk_client::http::HttpClient;
use botdesk_client::watch;
use botdesk_display::html;
use botdesk_display::text_table::Table;
use botdesk_schema::input::Change;

/// A change of a record, or of one of the records in it, that a watch reports.
#[pyclass(frozen, subclass, module = "botdesk")]
pub(crate) struct RecordChange {
    change: watch::RecordChange,
    client: Arc<HttpClient>,
}

/// A change as an object of the class of its record, such as `DcaBotChange`.
pub(crate) struct ChangeOfRecord(RecordChange);

impl ChangeOfRecord {
    pub(super) fn new(change: watch::RecordChange, client: &Arc<HttpClient>) -> Self {
        Self(RecordChange { change, client: Arc::clone(client) })
    }
}

impl<'py> IntoPyObject<'py> for ChangeOfRecord {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(ANY);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = format!("{}Change", self.0.change.record.spec().name);
        of_class(Bound::new(py, self.0)?.into_any(), &class)
    }
}

#[pymethods]
impl RecordChange {
    /// The kind: `appeared`, `vanished`, `enabled`, `disabled`, `edited`; of what ends `opened`, `changed`, `closed`; or that of a record in the record, such as `deal_opened`.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::intern(py, self.change.kind_name())
    }

    /// The record after the change; if it vanished, as it was last.
    #[getter]
    fn record(&self) -> OneRecord {
        OneRecord { fields: self.change.record.clone(), client: Some(Arc::clone(&self.client)) }
    }

    /// The record before the change; None if it appeared.
    #[getter]
    fn before(&self) -> Option<OneRecord> {
        let before = self.change.before.clone();
        before.map(|fields| OneRecord { fields, client: Some(Arc::clone(&self.client)) })
    }

    /// The record in it after the change; if it is gone, as it was last. None for a change of the record itself.
    #[getter]
    fn _nested(&self) -> Option<OneRecord> {
        self.change.nested.clone().map(|fields| OneRecord { fields, client: None })
    }

    /// The record in it before the change; None if it was opened, and for a change of the record itself.
    #[getter]
    fn _nested_before(&self) -> Option<OneRecord> {
        self.change.nested_before.clone().map(|fields| OneRecord { fields, client: None })
    }

    /// The changed fields by name, each with its `old` and its `new` value.
    ///
    /// Volatile fields, such as the price and the profit, are not listed; the records have them.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<FieldChanges<'py>> {
        field_changes(py, &self.change.fields)
    }

    /// The time of the poll that found the change, in UTC. It happened between the previous poll and this time.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> PyResult<Time<'py>> {
        time(py, self.change.at)
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<{} {}>", type_name(this)?, this.get().change))
    }

    /// Return the columns of a list of changes.
    #[staticmethod]
    fn _list_columns() -> [&'static str; 4] {
        ["at", "kind", "of", "changes"]
    }

    /// Return the cells of these columns.
    fn _list_cells(&self) -> [String; 4] {
        let changes: Vec<_> = self.change.fields.iter().map(ToString::to_string).collect();
        let at = self.change.at.to_string();
        [at, self.change.kind_name().to_owned(), self.change.about(), changes.join("; ")]
    }

    fn _repr_html_(&self) -> String {
        let row = |(field, old, new): (&str, String, String)| vec![field.to_owned(), old, new];
        let table = Table {
            title: format!("{}: {}", self.change.kind_name(), self.change.about()),
            heads: vec!["field", "old", "new"],
            rows: self.change.fields.iter().map(|change| row(change.cells())).collect(),
            notes: vec![format!("seen {}", self.change.at)],
            ..Table::default()
        };
        // Without changed fields, such as those of a bot that vanished, there is nothing to put into a table.
        if table.rows.is_empty() {
            html::record(&table.title, &[("seen".to_owned(), self.change.at.to_string())])
        } else {
            table.html()
        }
    }
}

/// Returns changes of fields by name.
pub(crate) fn field_changes<'py>(py: Python<'py>, changes: &[Change]) -> PyResult<FieldChanges<'py>> {
    let fields = PyDict::new(py);
    for change in changes {
        fields.set_item(change.name, FieldChange(change.clone()))?;
    }
    Ok(FieldChanges(fields))
}

/// Returns a point in time, in UTC.
pub(crate) fn time(py: Python<'_>, at: Timestamp) -> PyResult<Time<'_>> {
    import_datetime(py)?;
    Ok(Time(at.into_pyobject(py)?.into_any()))
}

typed_objects! {
    /// Changes of fields by name.
    FieldChanges(PyDict) => type_hint_subscript!(DICT, STR, FieldChange::TYPE_HINT);
    /// A point in time.
    Time(PyAny) => DATETIME;
}
