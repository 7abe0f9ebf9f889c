//! Simple trades: single orders, with a trigger, a trailing distance or a timeout if they need one.

use super::choices::{OrderSide, OrderType, PriceType};
use super::smart_trade_data::TriggerCondition;
use botdesk_schema::choices;
use botdesk_schema::input::Rule::{AtLeast, Own, ServiceDefault};
use botdesk_schema::inputs;
use botdesk_schema::operation::{Style, get};
use botdesk_schema::permission::Permission::SmartTradesRead;
use botdesk_schema::record;
use botdesk_schema::resource::Resource;
use botdesk_schema::values::{Any, Bool, Decimal, Integer, List, OneOf, Text};

choices! {
    /// Time in force of an order.
    TimeInForce = "gtc" | "ioc" | "fok" | "post_only";
    /// Side of a position on a futures account.
    PositionSide = "both" | "long" | "short";
    /// Sort key of active simple trades.
    ActiveOrder = "pair" | "created_at";
    /// Sort key of simple trades that are over.
    HistoryOrder = "pair" | "created_at" | "closed_at";
    /// Sort order of simple trades.
    TradeDirection = "asc" | "desc";
}

record! {
    /// A simple trade: one order that the service places and watches.
    SimpleTrade {
        /// Identifier of the trade.
        uuid: Text, identifier, in_repr;
        /// Identifier of the account.
        account_id: Integer;
        /// The pair, as `<QUOTE>_<BASE>`.
        pair: Text, in_repr, sample("USDT_ETH");
        /// Time when the trade was created, in seconds since 1970.
        created_at: Integer;
        /// Time when the trade ended, in seconds since 1970; None while it is active.
        closed_at: Integer, sample(null);
        /// The order.
        order: SimpleOrder, in_repr, sample({});
        /// Quantity of the order.
        units: SimpleUnits, in_repr, sample({});
        /// Limit price of the order.
        price: SimplePrice, sample({});
        /// Value of the order when the trade was created.
        total: SimpleTotal, sample({});
        /// Trigger of the order.
        conditional: SimpleConditional, sample({});
        /// Distance at which the trade follows the price.
        trailing: SimpleTrailing, sample({});
        /// Time that the condition must hold.
        timeout: SimpleTimeout, sample({});
        /// Leverage of the order.
        leverage: SimpleLeverage, sample({});
        /// Status of the trade.
        status: SimpleStatus, in_repr, sample({});
        /// The filled part of the order.
        filled: Filled, in_repr, sample({});
        /// The actions that the trade allows.
        data: SimpleData, sample({});
    }
}

record! {
    /// The order of a simple trade.
    SimpleOrder {
        /// Order type.
        r#type: OneOf<OrderType>, in_repr, in_cell;
        /// Side of the order.
        side: OneOf<OrderSide>, in_repr, in_cell;
        /// Time in force; None for a market order.
        strategy: OneOf<TimeInForce>, in_repr, nullable;
        /// Side of the position: `both` in one-way mode.
        position_side: OneOf<PositionSide>;
        /// True if the order may only reduce a position.
        reduce_only: Bool;
    }
}

record! {
    /// The quantity of a simple trade.
    SimpleUnits {
        /// Quantity in the base currency.
        value: Decimal, in_repr;
    }
}

record! {
    /// The limit price of a simple trade.
    SimplePrice {
        /// The price; None for a market order.
        value: Decimal, in_repr, nullable;
    }
}

record! {
    /// The value of a simple trade when it was created.
    SimpleTotal {
        /// Value in the quote currency.
        value: Decimal, in_repr;
    }
}

record! {
    /// The leverage of a simple trade.
    SimpleLeverage {
        /// Leverage type: `cross`, `isolated`, or None without leverage.
        r#type: Text, in_repr, sample(null);
    }
}

record! {
    /// The actions that a simple trade allows.
    SimpleData {
        /// True if the trade can be cancelled.
        cancelable: Bool, in_repr;
    }
}

record! {
    /// The condition of a simple trade.
    SimpleConditional {
        /// True if the order waits for the condition.
        enabled: Bool, in_repr;
        /// Comparison of the current price with the trigger.
        value: OneOf<TriggerCondition>, in_repr, sample(null);
        /// The trigger.
        price: SimpleTrigger, in_repr, sample({});
    }
}

record! {
    /// The trigger of a simple trade.
    SimpleTrigger {
        /// The trigger price.
        value: Decimal, in_repr, sample(null);
        /// The price that is compared with the trigger.
        r#type: OneOf<PriceType>, in_repr, sample(null);
    }
}

record! {
    /// The distance at which a simple trade follows the price.
    SimpleTrailing {
        /// True if the trade follows the price.
        enabled: Bool, in_repr;
        /// The distance, in the quote currency.
        value: Decimal, in_repr, sample(null);
        /// The distance, in percent.
        percent: Decimal, in_repr, sample(null);
    }
}

record! {
    /// The time that the condition of a simple trade must hold before the order is placed.
    SimpleTimeout {
        /// True if the trade waits.
        enabled: Bool, in_repr;
        /// The time in seconds, as a number or as a string.
        value: Any, in_repr, sample(null);
    }
}

record! {
    /// The status of a simple trade.
    SimpleStatus {
        /// Code of the status, such as `order_placed`; the response of a cancellation has `basic_type` instead.
        value: Text, in_repr, in_cell, sample("order_placed");
        /// Code of the status under its other name.
        basic_type: Text, in_repr, sample(null);
        /// Reason of the failure; None unless the trade failed.
        error: Text, in_repr, sample(null);
    }
}

record! {
    /// The filled part of a simple trade.
    Filled {
        /// Filled quantity in the base currency.
        units: Decimal, in_repr, in_cell;
        /// Filled value in the quote currency.
        total: Decimal, in_repr;
        /// Average price; None if nothing is filled.
        price: Decimal, in_repr, nullable;
        /// Filled part of the order, in percent.
        value: Decimal;
    }
}

inputs! {
    /// The filters, the order and the page of active simple trades.
    ActiveTradesQuery of "a list of active simple trades" {
        /// Only trades of this account.
        account_id: Integer [Own(&AtLeast("1"))];
        /// Only trades on this pair, as `<QUOTE>_<BASE>`.
        pair: Text;
        /// Sort key; the service's default is `created_at`.
        order_by: OneOf<ActiveOrder> [ServiceDefault("\"created_at\"")];
        /// Sort order; the service's default is `asc`.
        order_direction: OneOf<TradeDirection> [ServiceDefault("\"asc\"")];
        /// Most trades to return at once; the service's default is 10.
        limit: Integer [ServiceDefault("10"), Own(&AtLeast("1"))];
        /// Number of trades to skip; the service's default is 0.
        offset: Integer [ServiceDefault("0"), Own(&AtLeast("0"))];
    }
}

inputs! {
    /// The filters, the order and the page of simple trades that are over.
    TradeHistoryQuery of "a list of simple trades that are over" {
        /// Only trades of this account.
        account_id: Integer [Own(&AtLeast("1"))];
        /// Only trades on this pair, as `<QUOTE>_<BASE>`.
        pair: Text;
        /// Sort key; the service's default is `created_at`.
        order_by: OneOf<HistoryOrder> [ServiceDefault("\"created_at\"")];
        /// Sort order; the service's default is `asc`.
        order_direction: OneOf<TradeDirection> [ServiceDefault("\"asc\"")];
        /// Most trades to return at once; the service's default is 10.
        limit: Integer [ServiceDefault("10"), Own(&AtLeast("1"))];
        /// Number of trades to skip; the service's default is 0.
        offset: Integer [ServiceDefault("0"), Own(&AtLeast("0"))];
    }
}

/// The simple trades.
pub const RESOURCE: Resource = Resource::new("trades", "The simple trades.")
    .of::<SimpleTrade>()
    .called("trade", "a simple trade", "simple trades")
    .uuid(&["0b9c5e4a-7d21-4c63-9f08-000000000501"])
    .operations(&[
        get("trades.get", "/ver1/trades/{uuid}")
            .section("Get simple trade")
            .says("Get {record} as it is now.", "The trade.")
            .returns::<SimpleTrade>()
            .within("trade")
            .needs(SmartTradesRead)
            .example(&[], &["trade = {call}", "trade.order.side"], "'buy'"),
        get("trades.active", "/ver1/trades")
            .section("Get active simple trades")
            .says("List the simple trades that are active.", "The trades of the page.")
            .query(ActiveTradesQuery::INPUTS)
            .style(Style::Keyword)
            .returns::<List<SimpleTrade>>()
            .within("trades")
            .needs(SmartTradesRead)
            .example(&["limit=2"], &["trades = {call}", "[trade.closed_at for trade in trades]"], "[None, None]"),
        get("trades.history", "/ver1/trades/history")
            .section("Simple trades history")
            .says("List the simple trades that are over: completed, cancelled or failed.", "The trades of the page.")
            .query(TradeHistoryQuery::INPUTS)
            .style(Style::Keyword)
            .returns::<List<SimpleTrade>>()
            .within("trades")
            .needs(SmartTradesRead)
            .example(
                &["order_by=\"closed_at\"", "order_direction=\"desc\"", "limit=2"],
                &["trades = {call}", "all(trade.closed_at for trade in trades)"],
                "True",
            ),
    ]);
