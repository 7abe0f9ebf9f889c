//! The operations of `client.smart_trades`.

use botdesk_api::smart_trade::REDUCE_FUNDS_INFO;

use crate::operation::{Operation, OperationExample, Resource};

pub(crate) const RESOURCE: Resource = Resource {
    name: "smart_trades",
    class: "SmartTrades",
    about: "The SmartTrades: `client.smart_trades`.",
    record: None,
    noun: "SmartTrade",
    any: "a SmartTrade",
    several: "SmartTrades",
    id: "smart_trade_id",
    about_id: "; its status must be `waiting_targets`",
    can_be_missing: true,
    example_id: "301",
    example_ids: "[301]",
    example_record: ("", ""),
    operations: &[Operation {
        summary: "Get the amount by which the funds of {record} can be reduced.",
        returns: "The amounts.",
        raises: &[("WrongParamsError", "The status of the SmartTrade does not allow it.")],
        example: OperationExample {
            statements: &["{call}.max_reduce_funds_amount > 0"],
            output: "True",
            ..OperationExample::DEFAULT
        },
        ..Operation::of(&REDUCE_FUNDS_INFO)
    }],
};
