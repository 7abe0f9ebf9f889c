//! The SmartTrades of a client.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use super::arguments::Identifier;
use super::bridge::twins;
use super::calls::plain;
use super::records::ReduceFundsInfo;
use botdesk_api::smart_trade::REDUCE_FUNDS_INFO;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::RequestSpec;

/// The SmartTrades: `client.smart_trades`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct SmartTrades {
    pub(super) road: Arc<HttpClient>,
}

twins! {
    impl SmartTrades {
        /// Ask by how much the funds of a SmartTrade can be reduced.
        ///
        /// Document: Available reduce funds. Permission SMART_TRADES_WRITE.
        ///
        /// Args:
        ///     smart_trade_id: Identifier of the SmartTrade; its status must be `waiting_targets`.
        ///
        /// Raises:
        ///     ValidationError: An argument breaks a rule; nothing was sent.
        ///     WrongParamsError: The status of the SmartTrade does not allow it.
        ///     NotFoundError: There is no such SmartTrade.
        ///     ApiError: The service refused.
        ///     TransportError: No answer came.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> with botdesk.Sandbox() as sandbox:
        ///     ...     sandbox.client().smart_trades.reduce_funds_info(301).max_reduce_funds_amount > 0
        ///     True
        #[signature (smart_trade_id)]
        fn reduce_funds_info | reduce_funds_info_async(&self, smart_trade_id: Identifier) -> ReduceFundsInfo {
            let call = RequestSpec::plain(&REDUCE_FUNDS_INFO, Some(smart_trade_id.of("smart_trade_id").or_py_err()?));
            plain(Arc::clone(&self.road), call)
        }
    }
}
