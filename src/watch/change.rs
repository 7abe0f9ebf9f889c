//! The changes that a watch gives.

use std::convert::Infallible;
use std::sync::Arc;

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript};

use crate::arguments::STR;
use crate::generated::records::dca_bot::DcaBot;
use crate::generated::records::deal::Deal;
use crate::previews::FieldChange;
use crate::protocols::import_datetime;
use crate::records::Acting;
use crate::values::{Literal, hinted};
use botdesk_api::table::Table;
use botdesk_client::http::HttpClient;
use botdesk_client::watch::{BotChange, ChangeKind};

/// A change of a DCA bot, or of one of its deals, as a watch saw it.
///
/// `kind` says what it is. Its records remember the client, so that `change.bot.disable()` works.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotChange {
    pub(super) change: BotChange,
    pub(super) road: Arc<HttpClient>,
}

#[pymethods]
impl DcaBotChange {
    /// What it is: `appeared`, `vanished`, `enabled`, `disabled`, `edited`, `deal_opened`, `deal_changed` or `deal_closed`.
    #[getter]
    fn kind(&self) -> KindName {
        KindName(self.change.kind)
    }

    /// The bot as it is now; one that vanished, as it was seen last.
    #[getter]
    fn bot(&self) -> DcaBot {
        DcaBot::made_by(Arc::clone(&self.road), self.change.bot.clone())
    }

    /// The bot as it was before; None where it appeared.
    #[getter]
    fn before(&self) -> Option<DcaBot> {
        let before = self.change.before.clone()?;
        Some(DcaBot::made_by(Arc::clone(&self.road), before))
    }

    /// The deal as it is now; one that is gone, as it was seen last. None where the change is one of the bot.
    #[getter]
    fn deal(&self) -> Option<Deal> {
        self.change.deal.clone().map(Deal::from)
    }

    /// The deal as it was before; None where it was opened, and where the change is one of the bot.
    #[getter]
    fn deal_before(&self) -> Option<Deal> {
        self.change.deal_before.clone().map(Deal::from)
    }

    /// The fields that differ, by their names, each with its `old` and its `new` value.
    ///
    /// What moves by itself, such as the price and the profit, is not in it; `bot` and `deal` have it.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<FieldChanges<'py>> {
        let fields = PyDict::new(py);
        for change in &self.change.fields {
            fields.set_item(change.name, FieldChange(change.clone()))?;
        }
        Ok(FieldChanges(fields))
    }

    /// When the watch saw it, in UTC. It happened some time between the poll before and this time.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> PyResult<Time<'py>> {
        import_datetime(py)?;
        Ok(Time(self.change.at.into_pyobject(py)?.into_any()))
    }

    fn __repr__(&self) -> String {
        format!("<DcaBotChange {}>", self.change)
    }

    fn _repr_html_(&self) -> String {
        let row = |(field, old, new): (&str, String, String)| vec![field.to_owned(), old, new];
        Table {
            title: format!("{}: {}", self.change.kind.name(), self.change.subject()),
            heads: vec!["field", "old", "new"],
            rows: self.change.fields.iter().map(|change| row(change.cells())).collect(),
            notes: vec![format!("seen {}", self.change.at)],
            ellipsis: None,
        }
        .html()
    }
}

/// The name of a kind of change.
struct KindName(ChangeKind);

impl<'py> IntoPyObject<'py> for KindName {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    const OUTPUT_TYPE: PyStaticExpr = Literal::<ChangeKind>::HINT;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyString::intern(py, self.0.name()))
    }
}

hinted! {
    /// Changes of fields by their names.
    FieldChanges(PyDict) => type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"), STR, <FieldChange as PyTypeInfo>::TYPE_HINT
    );
    /// A point in time.
    Time(PyAny) => type_hint_identifier!("datetime", "datetime");
}
