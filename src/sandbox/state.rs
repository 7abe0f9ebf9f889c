//! The methods of `Sandbox` that change its state or write the state file.

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

use crate::arguments::FilePath;
use crate::datetimes::to_timestamp;
use crate::exceptions::{ArgumentError, RustResult, raise_or_keep};
use crate::json;
use crate::protocols::{cast, cast_datetime, items};
use crate::sandbox::class::Sandbox;
use crate::sandbox::clock::Clock;
use botdesk_client::error::Error;
use botdesk_sandbox::SandboxServer;

#[pymethods]
impl Sandbox {
    /// The clock of the sandbox.
    #[getter]
    fn clock(this: Py<Self>) -> Clock {
        Clock(this)
    }

    /// Write the whole state to a file, for `Sandbox(state=path)`.
    ///
    /// The file is JSON with records, deals, events, the time of the clock and the prices of the market. It contains no API keys of
    /// the sandbox. Secrets in records, such as `url_secret` or the `api_key` of an account, are replaced by generated ones. The
    /// file is written atomically, and only its owner may read it. A sandbox that continues with it starts with a manual clock.
    ///
    /// Args:
    ///     path: The path of the file. An existing file is replaced.
    ///
    /// Raises:
    ///     ConfigurationError: The file can't be written.
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

    /// Return to the state at the start, that of the seed or of the state file.
    ///
    /// Bots, deals, accounts, prices and the clock are again as they were. Pending faults are removed, a playback ends, and
    /// `requests`, `faults.happened` and the usage of the rate limit are empty. API keys and clients stay valid.
    ///
    /// Raises:
    ///     ConfigurationError: Another process took the port while connections were refused.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     client = sandbox.client()
    ///     ...     client.dca_bots.disable(41).is_enabled
    ///     ...     sandbox.reset()
    ///     ...     client.dca_bots.get(41).is_enabled
    ///     False
    ///     True
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        let reset = py.detach(|| running.reset());
        reset.map_rust_err(|error| port_lost(running, &error)).or_py_err()
    }

    /// Add a record of any resource.
    ///
    /// `add_account`, `add_dca_bot`, `add_grid_bot` and `add_smart_trade` describe their resources. A deal belongs to the DCA bot
    /// of its `bot_id`, and is open unless `finished` is True. The id of a simple trade is the number at the end of its `uuid`.
    ///
    /// Args:
    ///     resource: The resource, such as `"deals"`.
    ///     record: Fields of the record, by attribute name. The others get the samples of the API reference, `id` the next
    ///         free id.
    ///
    /// Returns:
    ///     The id of the record.
    ///
    /// Raises:
    ///     ValidationError: The resource or a field is unknown, a value has the wrong type, or the id is taken.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot_id = sandbox.add("dca_bots", {"name": "Mine"})
    ///     ...     deal_id = sandbox.add("deals", {"bot_id": bot_id, "note": "By hand"})
    ///     ...     sandbox.client().dca_bots.get(bot_id).active_deals[0].note
    ///     'By hand'
    #[pyo3(signature = (resource, record: "dict[str, object] | None" = None))]
    fn add(&self, py: Python<'_>, resource: &str, record: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        let running = self.running().or_py_err()?;
        let mut values = Vec::new();
        for (name, value) in record.map(items).transpose()?.unwrap_or_default() {
            values.push((name.extract()?, raise_or_keep(field(&value))?));
        }
        py.detach(|| running.add(resource, values)).map_rust_err(Error::Validation).or_py_err()
    }

    /// Add an exchange account.
    ///
    /// Args:
    ///     fields: Fields of an `Account`, by attribute name. The others get the samples of the API reference, `id` the next
    ///         free id. `balances` is a dict with an amount of each currency, such as `{"USDT": "500"}`: the account has these, and
    ///         an order that costs more than is free is refused.
    ///
    /// Returns:
    ///     The id of the account.
    ///
    /// Raises:
    ///     ValidationError: A field is unknown, its value has the wrong type, or the id is taken.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     account_id = sandbox.add_account(name="Spare", market_code="demo_futures")
    ///     ...     sandbox.client().accounts.rename(account_id, "Renamed").exchange_name
    ///     'Demo Exchange Futures'
    #[pyo3(signature = (**fields: "object"))]
    fn add_account(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        self.add(py, "accounts", fields)
    }

    /// Add a DCA bot, optionally with open deals.
    ///
    /// By default a deal is opened at the market price. The fields that depend on its figures and on the bot's settings are
    /// computed.
    ///
    /// Args:
    ///     fields: Fields of a `DcaBot`, by attribute name. The others get the samples of the API reference. `active_deals` is a
    ///         list of dicts with fields of a `Deal`. Without `account_id` the bot trades on the first account with valid
    ///         API keys.
    ///
    /// Returns:
    ///     The id of the bot.
    ///
    /// Raises:
    ///     ValidationError: A field is unknown, its value has the wrong type, an id is taken, or the account does not exist.
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
        self.add(py, "dca_bots", fields)
    }

    /// Add a grid bot with levels between `lower_price` and `upper_price`, around the current price.
    ///
    /// Args:
    ///     fields: Fields of a `GridBot`, by attribute name. The others get the samples of the API reference. Without bounds the
    ///         grid reaches from 10 % below the current price to 10 % above it. Without `account_id` the bot trades on the first
    ///         account with valid API keys.
    ///
    /// Returns:
    ///     The id of the bot.
    ///
    /// Raises:
    ///     ValidationError: A field is unknown, its value has the wrong type, the id is taken, the account does not exist, or the
    ///         levels are impossible.
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
        self.add(py, "grid_bots", fields)
    }

    /// Add a SmartTrade.
    ///
    /// Args:
    ///     fields: Fields of the SmartTrade, by attribute name. `status` may be its code alone (`waiting_targets` by default).
    ///         `max_reduce_funds_amount` is the quantity of the position. The others are those of a limit order with two
    ///         targets and a stop loss.
    ///
    /// Returns:
    ///     The id of the SmartTrade.
    ///
    /// Raises:
    ///     ValidationError: A field is unknown, its value has the wrong type, or the id is taken.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     trade_id = sandbox.add_smart_trade(status="waiting_targets", max_reduce_funds_amount="1.5")
    ///     ...     sandbox.client().smart_trades.reduce_funds_info(trade_id).max_reduce_funds_amount
    ///     Decimal('1.5')
    #[pyo3(signature = (**fields: "object"))]
    fn add_smart_trade(&self, py: Python<'_>, fields: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        self.add(py, "smart_trades", fields)
    }
}

/// Returns the error of a sandbox that lost its port while connections were refused.
pub(crate) fn port_lost(sandbox: &SandboxServer, error: &std::io::Error) -> Error {
    Error::Configuration(format!("the sandbox can't listen on {} again: {error}", sandbox.url()))
}

/// Converts the value of a field. Times may be datetimes, also in lists of dicts such as the deals of a bot.
fn field(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    match cast::<PyList>(given) {
        Some(elements) => {
            elements.iter().map(|element| list_element(&element)).collect::<Result<_, _>>().map(Value::Array)
        }
        None => value(given),
    }
}

/// Converts an element of a list.
fn list_element(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    match cast::<PyDict>(given) {
        Some(dict) => json::members(dict, value),
        None => value(given),
    }
}

fn value(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    match cast_datetime(given)? {
        Some(_) => to_timestamp(given).map(|time| Value::from(format!("{time:.3}"))),
        None => json::from_python(given),
    }
}
