//! The status, the leverage and the position of a SmartTrade.

use super::choices::{OrderSide, PriceType};
use botdesk_schema::choices;
use botdesk_schema::record;
use botdesk_schema::values::{Bool, Decimal, OneOf, Text};

choices! {
    /// Order type of the entry of a SmartTrade.
    EntryOrderType = "market" | "limit" | "conditional";
}

record! {
    /// The status of a SmartTrade or of a part of it.
    Status {
        /// Code of the status, the same as `basic_type`.
        r#type: Text, sample("waiting_targets");
        /// Code of the status, such as `waiting_targets` or `order_placed`; that of `type` if the response has no other.
        basic_type: Text, also(type), in_repr, sample("waiting_targets");
        /// The status in words, which may be localized.
        title: Text, in_cell, sample("Waiting Targets");
        /// Reason of the failure; absent unless it failed.
        error: Text, in_repr, sample(null);
    }
}

record! {
    /// The leverage of a SmartTrade. Without leverage it has only `enabled`.
    Leverage {
        /// True if the SmartTrade uses leverage.
        enabled: Bool, in_repr;
        /// Leverage type: `cross`, `isolated` or another.
        r#type: Text, in_repr, sample(null);
        /// The leverage.
        value: Decimal, in_repr, sample(null);
        /// True if the leverage type can be changed.
        type_editable: Bool, nullable;
    }
}

record! {
    /// The entry of a SmartTrade.
    Position {
        /// Side of the order that opens the position.
        r#type: OneOf<OrderSide>, in_repr;
        /// True if the settings of the position can be changed.
        editable: Bool;
        /// Quantity of the position.
        units: PositionUnits, sample({});
        /// Price of the position.
        price: PositionPrice, sample({});
        /// Value of the position.
        total: PositionTotal, sample({});
        /// Order type of the entry.
        order_type: OneOf<EntryOrderType>, in_repr, sample("limit");
        /// Status of the entry.
        status: Status, in_repr, sample({});
        /// Trigger of a conditional entry; absent from any other.
        conditional: PositionConditional, nullable;
    }
}

record! {
    /// The quantity of a position.
    PositionUnits {
        /// Quantity in the base currency: the wanted one, or the filled one after the fee.
        value: Decimal, in_repr;
        /// True if the quantity can be changed.
        editable: Bool;
    }
}

record! {
    /// The price of a position.
    PositionPrice {
        /// Price with the fee; of a market order that is not filled yet, the current one.
        value: Decimal, in_repr;
        /// Price without the fee.
        value_without_commission: Decimal, in_repr, nullable;
        /// True if the price can be changed.
        editable: Bool;
    }
}

record! {
    /// The value of a position.
    PositionTotal {
        /// Value in the quote currency.
        value: Decimal, in_repr;
        /// Value without the fee; absent from most responses.
        value_without_commission: Decimal, in_repr, nullable;
    }
}

record! {
    /// The trigger of a conditional entry.
    PositionConditional {
        /// True if the trigger can be changed.
        editable: Bool;
        /// Type of the order that the trigger places.
        order_type: OneOf<EntryOrderType>, in_repr;
        /// The price that triggers the order.
        price: EntryTrigger, in_repr, sample({});
        /// Distance at which the entry follows the price.
        trailing: SmartTradeTrailing, in_repr, sample({});
    }
}

record! {
    /// The price that triggers a conditional entry.
    EntryTrigger {
        /// The trigger price.
        value: Decimal, in_repr;
        /// The price that is compared with the trigger.
        r#type: OneOf<PriceType>, in_repr, sample("last");
    }
}

record! {
    /// The distance at which an entry, a take-profit step or a stop loss follows the price.
    SmartTradeTrailing {
        /// True if it follows the price.
        enabled: Bool, in_repr;
        /// The distance, in percent.
        percent: Decimal, in_repr, sample(null);
    }
}
