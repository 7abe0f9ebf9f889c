//! The world of a sandbox: what is added to it, what its market does, and the file that holds it.

use crate::raise::{IntoPyErr as _, OrPyErr as _};
use bigdecimal::BigDecimal;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList};
use pyo3::{type_hint_identifier, type_hint_union};
use serde_json::Value;

use super::arguments::{FilePath, STR};
use super::clock::{Clock, moment};
use super::decimals::DECIMAL;
use super::exceptions::{ArgumentError, CatchException, RustResult, raise_or_keep, repr_of};
use super::json;
use super::protocols::{cast, cast_datetime, items};
use super::sandbox::Sandbox;
use botdesk_api::decimal;
use botdesk_api::input::Violation;
use botdesk_client::error::Error;
use botdesk_sandbox::{self, Given};

#[pymethods]
impl Sandbox {
    /// The clock that all timestamps of the sandbox come from.
    #[getter]
    fn clock(this: Py<Self>) -> Clock {
        Clock(this)
    }

    /// Write the whole world into a file, for `Sandbox(state=path)`.
    ///
    /// The file is JSON and holds records, deals, events, the clock and the market's prices. Of the API keys of the
    /// sandbox it holds none, and of secrets in records, such as `url_secret` or the `api_key` of an account, made-up
    /// values in place of what a caller gave. A file that is there is replaced as a whole; only its owner may read it.
    /// A sandbox that goes on with it begins with a manual clock.
    ///
    /// Args:
    ///     path: Where to write it.
    ///
    /// Raises:
    ///     ConfigurationError: The file can't be written there.
    ///
    /// Example:
    ///     >>> import tempfile
    ///     >>> import botdesk
    ///     >>> with tempfile.TemporaryDirectory() as folder:
    ///     ...     with botdesk.Sandbox() as sandbox:
    ///     ...         bot_id = sandbox.add_dca_bot(name="Kept")
    ///     ...         sandbox.dump(f"{folder}/desk.json")
    ///     ...     with botdesk.Sandbox(state=f"{folder}/desk.json") as sandbox:
    ///     ...         sandbox.client().dca_bots.get(bot_id).name
    ///     'Kept'
    fn dump(&self, py: Python<'_>, path: FilePath) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        py.detach(|| running.dump(&path.0))
            .map_rust_err(|error| Error::Configuration(error.to_string()))
            .or_py_err()?;
        Ok(())
    }

    /// Add an exchange account.
    ///
    /// Args:
    ///     fields: Fields of an `Account`, by the names of its attributes; all others are as the document's samples show
    ///         them, and `id` is the next one.
    ///
    /// Returns:
    ///     The identifier of the account.
    ///
    /// Raises:
    ///     ValidationError: A field is not one of an account, its value is of another type, or the id is taken.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     account_id = sandbox.add_account(name="Spare", market_code="demo_futures")
    ///     ...     sandbox.client().accounts.rename(account_id, "Renamed").exchange_name
    ///     'Demo Exchange Futures'
    #[pyo3(signature = (**fields: "object"))]
    fn add_account(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        self.add(py, fields, botdesk_sandbox::Sandbox::add_account)
    }

    /// Add a DCA bot, with open deals if they are given.
    ///
    /// A deal of which nothing is said was opened at the market's price. What follows from its figures and the bot's
    /// settings is worked out.
    ///
    /// Args:
    ///     fields: Fields of a `DcaBot`, by the names of its attributes; all others are as the document's samples show
    ///         them. `active_deals` is a list of dicts with fields of a `Deal`. Without `account_id` the bot trades on
    ///         the first account whose keys are valid.
    ///
    /// Returns:
    ///     The identifier of the bot.
    ///
    /// Raises:
    ///     ValidationError: A field is not one of a bot or a deal, its value is of another type, an id is taken, or
    ///         there is no such account.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     deal = {"pair": "USDT_ETH", "base_order_average_price": "2561.66911"}
    ///     ...     bot_id = sandbox.add_dca_bot(name="Mine", pairs=["USDT_ETH"], active_deals=[deal])
    ///     ...     sandbox.client().dca_bots.get(bot_id).active_deals[0].bought_average_price
    ///     Decimal('2561.66911')
    #[pyo3(signature = (**fields: "object"))]
    fn add_dca_bot(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        self.add(py, fields, botdesk_sandbox::Sandbox::add_dca_bot)
    }

    /// Add a grid bot. Its levels are laid between `lower_price` and `upper_price`, around the current price.
    ///
    /// Args:
    ///     fields: Fields of a `GridBot`, by the names of its attributes; all others are as the document's samples show
    ///         them. Without bounds the grid reaches from 10 % below the current price to 10 % above it; without
    ///         `account_id` the bot trades on the first account whose keys are valid.
    ///
    /// Returns:
    ///     The identifier of the bot.
    ///
    /// Raises:
    ///     ValidationError: A field is not one of a grid bot, its value is of another type, the id is taken, there is no
    ///         such account, or the levels can't be laid.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot_id = sandbox.add_grid_bot(
    ///     ...         pair="USDT_BTC", lower_price=56000, upper_price=70000, grids_quantity=40
    ///     ...     )
    ///     ...     bot = sandbox.client().grid_bots.set_note(bot_id, "As published")
    ///     ...     print(bot.grid_lines[4].price)
    ///     57435.9
    #[pyo3(signature = (**fields: "object"))]
    fn add_grid_bot(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        self.add(py, fields, botdesk_sandbox::Sandbox::add_grid_bot)
    }

    /// Add a SmartTrade.
    ///
    /// Args:
    ///     fields: `id`, `status` (`waiting_targets` if it is left out) and `max_reduce_funds_amount`.
    ///
    /// Returns:
    ///     The identifier of the SmartTrade.
    ///
    /// Raises:
    ///     ValidationError: A field is not one of these, its value is of another type, or the id is taken.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     trade_id = sandbox.add_smart_trade(status="waiting_targets", max_reduce_funds_amount="1.5")
    ///     ...     sandbox.client().smart_trades.reduce_funds_info(trade_id).max_reduce_funds_amount
    ///     Decimal('1.5')
    #[pyo3(signature = (**fields: "object"))]
    fn add_smart_trade(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        self.add(py, fields, botdesk_sandbox::Sandbox::add_smart_trade)
    }

    /// Move the price of a pair, and with it all that trades the pair.
    ///
    /// Safety orders that the price reaches fill at their own prices, one after the other. At the take-profit price a
    /// deal closes, in parts where it has steps; a trailing one closes once the price falls back. At the stop loss it
    /// closes at the price, after its timeout if it has one. An enabled bot whose strategy is `nonstop` then opens a
    /// deal, unless it has as many as it may or still rests after the last one.
    ///
    /// A grid's order that the price reaches fills at its level; the level that was empty before then gets an order to
    /// the other side. Each order to sell takes the profit of one step. A stop loss that is on disables the bot.
    ///
    /// The clock stands. The exchange takes no fee and trades quantities of 8 decimal places. A pair that is not traded
    /// yet is from then on, with the tick that gives this price six digits.
    ///
    /// Args:
    ///     pair: The pair, as `<QUOTE>_<BASE>`.
    ///     price: The price, greater than 0: a text, a Decimal or an int.
    ///
    /// Raises:
    ///     ValidationError: It is no pair or no price.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot_id = sandbox.add_dca_bot(pairs=["USDT_ETH"], is_enabled=True)
    ///     ...     sandbox.set_price("USDT_ETH", "2561.66911")
    ///     ...     sandbox.set_price("USDT_ETH", "2536.05")
    ///     ...     deal = sandbox.client().dca_bots.get(bot_id).active_deals[0]
    ///     ...     deal.completed_safety_orders_count, deal.take_profit_price
    ///     (1, Decimal('2580.18'))
    fn set_price(&self, py: Python<'_>, pair: &str, price: Exact) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        py.detach(|| running.set_price(pair, price.0)).or_py_err()?;
        Ok(())
    }
}

type Add = fn(&botdesk_sandbox::Sandbox, Vec<Given>) -> Result<u64, Vec<Violation>>;

impl Sandbox {
    fn add(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>, add: Add) -> PyResult<u64> {
        let running = self.running().or_py_err()?;
        let mut given = Vec::new();
        for (name, value) in fields.map(items).transpose()?.unwrap_or_default() {
            given.push((name.extract()?, raise_or_keep(field(&value))?));
        }
        py.detach(|| add(running, given)).map_rust_err(Error::Validation).or_py_err()
    }
}

/// A price without the error of a float.
struct Exact(BigDecimal);

impl<'py> FromPyObject<'_, 'py> for Exact {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(STR, DECIMAL, type_hint_identifier!("builtins", "int"));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(exact(&given)?))
    }
}

fn exact(given: &Bound<'_, PyAny>) -> PyResult<BigDecimal> {
    if !given.is_instance_of::<PyFloat>() {
        let value = raise_or_keep(json::from_python(given))?.rust_ok();
        if let Some(price) = value.and_then(|value| decimal::of(&value)) {
            return Ok(price);
        }
    }
    let given = repr_of(given).none_if_exception(given.py())?.unwrap_or_default();
    let message = format!("a decimal as text, Decimal or int is needed, not {given}");
    Err(Violation::new("price", message).into_py_err())
}

/// The value of a field. Times may be datetimes, those of deals in a list as well.
fn field(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    match cast::<PyList>(given) {
        Some(elements) => {
            elements.iter().map(|element| element_of(&element)).collect::<Result<_, _>>().map(Value::Array)
        }
        None => value(given),
    }
}

/// The value of an element of a list.
fn element_of(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    match cast::<PyDict>(given) {
        Some(dict) => json::members(dict, value),
        None => value(given),
    }
}

fn value(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    match cast_datetime(given)? {
        Some(_) => moment(given).map(|time| Value::from(format!("{time:.3}"))),
        None => json::from_python(given),
    }
}
