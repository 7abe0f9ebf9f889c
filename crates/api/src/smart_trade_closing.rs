//! The orders that close a SmartTrade, or a part of it, before its targets are reached.

use super::choices::OrderType;
use super::smart_trade_position::Status;
use super::smart_trade_targets::Actions;
use botdesk_schema::record;
use botdesk_schema::values::{Decimal, Integer, List, OneOf, Timestamp};

record! {
    /// The reductions of a SmartTrade.
    ReduceFunds {
        /// The reductions, oldest first.
        steps: List<ReduceStep>, in_repr;
    }
}

record! {
    /// A reduction of a SmartTrade: a part of the position that is closed before the targets.
    ReduceStep {
        /// Identifier of the trade.
        id: Integer, in_repr;
        /// Order type of the reduction.
        r#type: OneOf<OrderType>, also(order_type), in_repr, sample("market");
        /// Status of the reduction.
        status: Status, in_repr, sample({});
        /// Quantity of the reduction.
        units: ReduceUnits, in_repr, sample({});
        /// Price of the reduction.
        price: ReducePrice, in_repr, sample({});
        /// Value of the reduction.
        total: ReduceTotal, sample({});
        /// Time when the reduction was closed; None while it is open.
        closed_at: Timestamp, sample(null);
        /// The actions that the reduction allows.
        data: Actions, sample({});
    }
}

record! {
    /// The quantity of a reduction.
    ReduceUnits {
        /// Quantity in the base currency.
        value: Decimal, in_repr;
    }
}

record! {
    /// The price of a reduction.
    ReducePrice {
        /// Price with the fee.
        value: Decimal, in_repr, in_cell;
        /// Price without the fee.
        value_without_commission: Decimal, in_repr;
    }
}

record! {
    /// The value of a reduction.
    ReduceTotal {
        /// Value in the quote currency.
        value: Decimal, in_repr;
    }
}

record! {
    /// The order that closes a SmartTrade at market price. It has no fields until there is one.
    MarketClose {
        /// Identifier of the trade.
        id: Integer, in_repr, nullable;
        /// Order type.
        r#type: OneOf<OrderType>, in_repr, nullable;
        /// Status of the order.
        status: Status, in_repr, nullable;
        /// Quantity of the order.
        units: MarketCloseUnits, in_repr, nullable;
        /// Price of the order.
        price: MarketClosePrice, in_repr, nullable;
        /// Value of the order.
        total: MarketCloseTotal, nullable;
    }
}

record! {
    /// The quantity of the order that closes a SmartTrade at market price.
    MarketCloseUnits {
        /// Quantity in the base currency.
        value: Decimal, in_repr;
    }
}

record! {
    /// The price of the order that closes a SmartTrade at market price.
    MarketClosePrice {
        /// Price with the fee.
        value: Decimal, in_repr, in_cell;
        /// Price without the fee.
        value_without_commission: Decimal, in_repr;
    }
}

record! {
    /// The value of the order that closes a SmartTrade at market price.
    MarketCloseTotal {
        /// Value in the quote currency.
        value: Decimal, in_repr;
    }
}
