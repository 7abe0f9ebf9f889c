//! The Python class of something that happened to a bot in the market.

use std::borrow::Cow;

use jiff::Timestamp;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::names::{KindName, OrderName, ReasonName, SideName};
use crate::pickles::{Pickle, pickle, unpickle};
use crate::planning::candles::timestamp;
use crate::protocols::import_datetime;
use crate::values::NamedValues;
use crate::values::TradingDecimal;
use botdesk_display::html;

/// Something that happened to a bot while candles were played: an event of a `Moment`.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct MarketEvent(pub(super) botdesk_sandbox::MarketEvent);

#[pymethods]
impl MarketEvent {
    /// The kind of the event: `deal_opened`, `order_filled`, `deal_closed` or `bot_disabled`.
    #[getter]
    fn kind(&self) -> KindName<'_> {
        KindName(Cow::Borrowed(&self.0.kind))
    }

    /// The id of the bot, a DCA bot or a grid bot.
    #[getter]
    fn bot_id(&self) -> u64 {
        self.0.bot_id
    }

    /// The time, in UTC.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        Ok(timestamp(self.0.time))
    }

    /// The id of the deal; None for grid bots and for `bot_disabled`.
    #[getter]
    fn deal_id(&self) -> Option<u64> {
        self.0.deal_id
    }

    /// The pair, as `<QUOTE>_<BASE>`; None for `bot_disabled`.
    #[getter]
    fn pair(&self) -> Option<&str> {
        self.0.pair.as_deref()
    }

    /// The kind of the filled order; None for other events.
    #[getter]
    fn order(&self) -> Option<OrderName<'_>> {
        self.0.order.as_deref().map(Cow::Borrowed).map(OrderName)
    }

    /// The number of the filled order: of a `safety_order` or `take_profit` step from 1 on, of a `grid_line` from the lowest level, 0, on.
    /// None for other orders, of which a deal has only one.
    #[getter]
    fn number(&self) -> Option<u64> {
        self.0.number
    }

    /// The side of the filled order; None for other events.
    #[getter]
    fn side(&self) -> Option<SideName<'_>> {
        self.0.side.as_deref().map(Cow::Borrowed).map(SideName)
    }

    /// The price at which the order filled; None for other events.
    #[getter]
    fn price(&self) -> Option<TradingDecimal> {
        self.0.price.clone().map(TradingDecimal)
    }

    /// The quantity of the filled order, in the base currency; None for other events.
    #[getter]
    fn quantity(&self) -> Option<TradingDecimal> {
        self.0.quantity.clone().map(TradingDecimal)
    }

    /// The reason of `deal_closed`: `take_profit`, `stop_loss`, `timeout`, `by_hand`, `cancelled` or `failed`; or of `bot_disabled`:
    /// `stop_loss`, `deal_count` or `insufficient_balance`. None for other events.
    #[getter]
    fn reason(&self) -> Option<ReasonName<'_>> {
        self.0.reason.as_deref().map(Cow::Borrowed).map(ReasonName)
    }

    /// Return the attributes as a dict.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox(bots=0) as sandbox:
    ///     ...     _ = sandbox.add_dca_bot(pairs=["USDT_NEW"], is_enabled=True)
    ///     ...     moment = next(sandbox.play([[1704067200000, 100, 101, 99, 100]], pair="USDT_NEW"))
    ///     >>> moment.events[1].to_dict().get("order")
    ///     'base_order'
    fn to_dict<'py>(this: &Bound<'py, Self>) -> PyResult<NamedValues<'py>> {
        let attributes = PyDict::new(this.py());
        for (name, _) in this.get().0.columns() {
            attributes.set_item(name, this.getattr(name)?)?;
        }
        Ok(NamedValues(attributes))
    }

    fn __repr__(&self) -> String {
        format!("<MarketEvent {}>", self.0)
    }

    fn _repr_html_(&self) -> String {
        let fields: Vec<_> = self.0.fields().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        html::record("MarketEvent", &fields)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        pickle::<Self>(py, &self.0)
    }

    #[staticmethod]
    fn _restore(event: &str) -> PyResult<Self> {
        unpickle::<Self, _>(event).map(Self)
    }
}
