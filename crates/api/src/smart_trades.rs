//! SmartTrades: the amount by which their funds can be reduced.

use botdesk_schema::error::ApiErrorKind::WrongParams;
use botdesk_schema::operation::{get, refusal};
use botdesk_schema::permission::Permission::SmartTradesWrite;
use botdesk_schema::record;
use botdesk_schema::resource::Resource;
use botdesk_schema::values::Decimal;

record! {
    /// The amount by which the funds of a SmartTrade can be reduced.
    ReduceFundsInfo {
        /// The highest amount by which the funds can be reduced.
        max_reduce_funds_amount: Decimal, in_repr;
    }
}

/// The SmartTrades.
pub const RESOURCE: Resource = Resource::new("smart_trades", "The SmartTrades.")
    .called("SmartTrade", "a SmartTrade", "SmartTrades")
    .id("smart_trade_id", &["301"])
    .about_id("; its status must be `waiting_targets`")
    .operations(&[get("smart_trades.reduce_funds_info", "/v2/smart_trades/{id}/reduce_funds_info")
        .section("Available reduce funds")
        .says("Get the amount by which the funds of {record} can be reduced.", "The amounts.")
        .returns::<ReduceFundsInfo>()
        .needs(SmartTradesWrite)
        .refuses(&[refusal(400, WrongParams, "The status of the SmartTrade does not allow it.")])
        .example(&[], &["{call}.max_reduce_funds_amount > 0"], "True")]);
