//! The changes that a watch reports.

use std::convert::Infallible;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::hints::output_type;
use crate::previews::FieldChange;
use crate::protocols::import_datetime;
use crate::records::RecordAs;
use crate::values::typed_objects;
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::deals::Deal;
use botdesk_api::html;
use botdesk_api::record::Record as _;
use botdesk_api::table::Table;
use botdesk_client::http::HttpClient;
use botdesk_client::watch::{BotChange, ChangeKind};

/// A change of a DCA bot, or of one of its deals, that a watch reports.
///
/// Its records have the client of the watch, so `change.bot.disable()` works.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotChange {
    pub(super) change: BotChange,
    pub(super) client: Arc<HttpClient>,
}

#[pymethods]
impl DcaBotChange {
    /// The kind: `appeared`, `vanished`, `enabled`, `disabled`, `edited`, `deal_opened`, `deal_changed` or `deal_closed`.
    #[getter]
    fn kind(&self) -> KindName {
        KindName(self.change.kind)
    }

    /// The bot after the change; if it vanished, as it was last.
    #[getter]
    fn bot(&self) -> RecordAs<DcaBot> {
        RecordAs::new(&self.client, self.change.bot.fields().clone())
    }

    /// The bot before the change; None if it appeared.
    #[getter]
    fn before(&self) -> Option<RecordAs<DcaBot>> {
        let before = self.change.before.as_ref()?;
        Some(RecordAs::new(&self.client, before.fields().clone()))
    }

    /// The deal after the change; if it is gone, as it was last. None for a change of the bot.
    #[getter]
    fn deal(&self) -> Option<RecordAs<Deal>> {
        self.change.deal.as_ref().map(|deal| RecordAs::alone(deal.fields().clone()))
    }

    /// The deal before the change; None if it was opened, and for a change of the bot.
    #[getter]
    fn deal_before(&self) -> Option<RecordAs<Deal>> {
        self.change.deal_before.as_ref().map(|deal| RecordAs::alone(deal.fields().clone()))
    }

    /// The changed fields by name, each with its `old` and its `new` value.
    ///
    /// Volatile fields, such as the price and the profit, are not listed; `bot` and `deal` have them.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<FieldChanges<'py>> {
        let fields = PyDict::new(py);
        for change in &self.change.fields {
            fields.set_item(change.name, FieldChange(change.clone()))?;
        }
        Ok(FieldChanges(fields))
    }

    /// The time of the poll that found the change, in UTC. It happened between the previous poll and this time.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> PyResult<Time<'py>> {
        import_datetime(py)?;
        Ok(Time(self.change.at.into_pyobject(py)?.into_any()))
    }

    fn __repr__(&self) -> String {
        format!("<DcaBotChange {}>", self.change)
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
        [at, self.change.kind.name().to_owned(), self.change.subject(), changes.join("; ")]
    }

    fn _repr_html_(&self) -> String {
        let row = |(field, old, new): (&str, String, String)| vec![field.to_owned(), old, new];
        let table = Table {
            title: format!("{}: {}", self.change.kind.name(), self.change.subject()),
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

/// The name of a kind of change.
struct KindName(ChangeKind);

impl<'py> IntoPyObject<'py> for KindName {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    output_type!(Literal::<ChangeKind>::HINT);

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyString::intern(py, self.0.name()))
    }
}

typed_objects! {
    /// Changes of fields by name.
    FieldChanges(PyDict) => type_hint_subscript!(DICT, STR, FieldChange::TYPE_HINT);
    /// A point in time.
    Time(PyAny) => DATETIME;
}
