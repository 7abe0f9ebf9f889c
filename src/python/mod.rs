//! The binding: the only folder that names pyo3.

#![allow(
    clippy::too_many_arguments,
    clippy::iter_not_returning_iterator,
    clippy::needless_pass_by_value,
    clippy::wrong_self_convention,
    reason = "names and arguments are those of the Python methods"
)]

mod accounts;
mod arguments;
mod bridge;
mod calls;
mod client;
mod dca_bots;
mod errors;
mod grid_bots;
mod json;
mod records;
mod runtime;
mod sandbox;
mod smart_trades;
mod values;

/// The Rust core of botdesk.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::accounts::Accounts;
    #[pymodule_export]
    use super::client::Client;
    #[pymodule_export]
    use super::dca_bots::{DcaBotAsyncIterator, DcaBotIterator, DcaBots};
    #[pymodule_export]
    use super::grid_bots::GridBots;
    #[pymodule_export]
    use super::records::{
        Account, DcaBot, Deal, DepositData, GridBot, GridLine, LeverageType, Money, Network, NetworkInfo,
        ReduceFundsInfo, Strategy, TakeProfitStep,
    };
    #[pymodule_export]
    use super::runtime::_shutdown;
    #[pymodule_export]
    use super::sandbox::{ReceivedRequest, Sandbox};
    #[pymodule_export]
    use super::smart_trades::SmartTrades;
}
