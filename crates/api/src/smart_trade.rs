//! SmartTrades: the amount by which their funds can be reduced.

use super::endpoint::{Endpoint, Method, Permission, Takes};
use super::part::{Part, Shape};
use super::record::record;
use super::values::{Amount, Kind};

record! {
    /// The amount by which the funds of a SmartTrade can be reduced.
    ReduceFundsInfo {
        /// The highest amount by which the funds can be reduced.
        max_reduce_funds_amount: Amount, shown;
    }
}

/// Get the amount by which the funds of a SmartTrade can be reduced.
pub const REDUCE_FUNDS_INFO: Endpoint = Endpoint {
    operation: "smart_trades.reduce_funds_info",
    section: "Available reduce funds",
    method: Method::Get,
    path: "/v2/smart_trades/{id}/reduce_funds_info",
    permission: Permission::SmartTradesWrite,
    takes: Takes::Nothing,
    success: 200,
    answers: <ReduceFundsInfo as Kind>::SCHEMA,
    errors: &[400, 404],
};

/// This module's part of the API reference.
pub const PART: Part =
    Part { file: file!(), records: &[Shape::of::<ReduceFundsInfo>()], operations: &[REDUCE_FUNDS_INFO] };
