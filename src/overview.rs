//! The view of everything that a client can see, which is read and drawn in Python.

use pyo3::prelude::*;

use crate::client::Client;
use crate::values::typed_objects;

typed_objects! {
    /// An overview.
    Overview(PyAny) => type_hint_identifier!("botdesk", "Overview");
    /// A coroutine that returns an overview.
    OverviewCoroutine(PyAny) => type_hint_subscript!(COROUTINE, ANY, ANY, type_hint_identifier!("botdesk", "Overview"));
}

#[pymethods]
impl Client {
    /// Read accounts, balances, bots, deals and profits, and show them in one view.
    ///
    /// The view displays itself in a notebook, and prints as text in a terminal. It takes about ten requests, more with
    /// more than 100 bots. Profits are those of DCA bots, in USD as the service reports it; days and months are in UTC.
    ///
    /// The time of the view is that of the service, from the response to `/ver1/validate`. If the key may not send that request, or it
    /// fails, the time is that of this machine, and `warnings` says so. Deals without a profit in USD are counted in `warnings` too.
    ///
    /// API reference: All connected exchanges and wallets, Information about the balances, List DCA Bots, Get the list of Grid Bots,
    /// List deals, Get DCA Bots stats. Permissions ACCOUNTS_READ and BOTS_READ.
    ///
    /// Returns:
    ///     The view.
    ///
    /// Raises:
    ///     ApiError: The service returned an error, other than to `/ver1/validate`; or one that every request would get, such as 401.
    ///     TransportError: No response was received, other than to `/ver1/validate`.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     view = sandbox.client().overview()
    ///     >>> (view.dca_bots, view.active_deals)
    ///     ((9, 12), 16)
    fn overview<'py>(slf: &Bound<'py, Self>) -> PyResult<Overview<'py>> {
        slf.py().import("botdesk._overview")?.getattr("read")?.call1((slf,)).map(Overview)
    }

    /// Read accounts, balances, bots, deals and profits, and show them in one view; see `overview`.
    ///
    /// API reference: All connected exchanges and wallets, Information about the balances, List DCA Bots, Get the list of Grid Bots,
    /// List deals, Get DCA Bots stats. Permissions ACCOUNTS_READ and BOTS_READ.
    ///
    /// Returns:
    ///     The view.
    ///
    /// Raises:
    ///     ApiError: The service returned an error, other than to `/ver1/validate`; or one that every request would get, such as 401.
    ///     TransportError: No response was received, other than to `/ver1/validate`.
    ///
    /// Example:
    ///     >>> import asyncio
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     view = asyncio.run(sandbox.client().overview_async())
    ///     >>> (view.dca_bots, view.active_deals)
    ///     ((9, 12), 16)
    fn overview_async<'py>(slf: &Bound<'py, Self>) -> PyResult<OverviewCoroutine<'py>> {
        slf.py().import("botdesk._overview")?.getattr("read_async")?.call1((slf,)).map(OverviewCoroutine)
    }
}
