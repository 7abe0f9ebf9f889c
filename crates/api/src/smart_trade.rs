//! SmartTrades: the amount by which their funds can be reduced.

use super::api_module::ApiModule;
use super::endpoint::{Endpoint, EndpointInputs, Method, Permission};
use super::record::{RecordSpec, record};
use super::values::{Decimal, FieldType};

record! {
    /// The amount by which the funds of a SmartTrade can be reduced.
    ReduceFundsInfo {
        /// The highest amount by which the funds can be reduced.
        max_reduce_funds_amount: Decimal, in_repr;
    }
}

/// Get the amount by which the funds of a SmartTrade can be reduced.
pub const REDUCE_FUNDS_INFO: Endpoint = Endpoint {
    operation: "smart_trades.reduce_funds_info",
    section: "Available reduce funds",
    method: Method::Get,
    path: "/v2/smart_trades/{id}/reduce_funds_info",
    permission: Permission::SmartTradesWrite,
    takes: EndpointInputs::Nothing,
    success: 200,
    response: <ReduceFundsInfo as FieldType>::SCHEMA,
    may_return_one: false,
    errors: &[400, 404],
};

/// This module's part of the API reference.
pub const API_MODULE: ApiModule =
    ApiModule { file: file!(), records: &[RecordSpec::of::<ReduceFundsInfo>()], operations: &[REDUCE_FUNDS_INFO] };
