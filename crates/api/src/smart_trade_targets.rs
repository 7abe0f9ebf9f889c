//! The targets of a SmartTrade: its take-profit steps and its stop loss.

use super::choices::{OrderType, PriceType};
use super::smart_trade_position::{SmartTradeTrailing, Status};
use botdesk_schema::choices;
use botdesk_schema::record;
use botdesk_schema::values::{Bool, Decimal, Integer, List, OneOf, Timestamp};

choices! {
    /// Notation of the prices of targets.
    TargetPriceType = "value" | "percentage";
}

record! {
    /// The take profit of a SmartTrade.
    TakeProfit {
        /// True if the SmartTrade has a take profit; it stays true after the end.
        enabled: Bool, in_repr;
        /// Notation in which the prices of the steps were given.
        price_type: OneOf<TargetPriceType>;
        /// The steps; empty without take profit, and after a cancellation or a failure.
        steps: List<SmartTradeStep>, in_repr;
    }
}

record! {
    /// A step of the take profit of a SmartTrade.
    SmartTradeStep {
        /// Identifier of the trade; an edit gives it another one.
        id: Integer, in_repr;
        /// Order type of the step.
        order_type: OneOf<OrderType>, in_repr;
        /// True if the step can be changed.
        editable: Bool, sample(true);
        /// Quantity of the step.
        units: StepUnits, in_repr, sample({});
        /// Price of the step.
        price: StepPrice, in_repr, sample({});
        /// Part of the position that the step closes, in percent.
        volume: Decimal, in_repr, sample("100.0");
        /// Value of the step in the quote currency; None while it is `idle`.
        total: Decimal, nullable;
        /// Distance at which the step follows the price.
        trailing: SmartTradeTrailing, sample({});
        /// Status of the step.
        status: Status, in_repr, sample({});
        /// Time when the step was closed; None while it is open.
        closed_at: Timestamp, sample(null);
        /// The actions that the step allows.
        data: Actions, sample({});
        /// Number of the step, starting at 1.
        position: Integer, sample(1);
    }
}

record! {
    /// The quantity of a take-profit step.
    StepUnits {
        /// Quantity in the base currency; None while the step is `idle`.
        value: Decimal, in_repr, nullable;
    }
}

record! {
    /// The price of a take-profit step.
    StepPrice {
        /// The price that the step follows.
        r#type: OneOf<PriceType>, sample("last");
        /// Trigger price, or price of the limit order.
        value: Decimal, in_repr, in_cell;
        /// The price as a distance from the entry, in percent.
        percent: Decimal, in_repr, in_cell_with(%), sample(null);
    }
}

record! {
    /// The actions that a trade of a SmartTrade allows.
    Actions {
        /// True if the trade can be cancelled.
        cancelable: Bool, in_repr;
        /// True if the trade can be closed at market price.
        panic_sell_available: Bool, in_repr;
    }
}

record! {
    /// The stop loss of a SmartTrade. Without stop loss it has only `enabled`.
    SmartTradeStopLoss {
        /// True if the SmartTrade has a stop loss.
        enabled: Bool, in_repr;
        /// Notation in which the price was given.
        price_type: OneOf<TargetPriceType>, nullable;
        /// True if the stop loss moves to the price at which the position breaks even.
        breakeven: Bool, nullable;
        /// Order type of the stop loss.
        order_type: OneOf<OrderType>, in_repr, nullable;
        /// True if the stop loss can be changed.
        editable: Bool, nullable;
        /// Price of the order.
        price: StopLossPrice, nullable;
        /// Quantity of the order; absent from most responses.
        units: StopLossUnits, nullable;
        /// Value of the order; absent from most responses.
        total: StopLossTotal, nullable;
        /// Trigger of the stop loss.
        conditional: StopLossConditional, in_repr, nullable;
        /// Time that the price must stay beyond the trigger.
        timeout: StopLossTimeout, nullable;
        /// Status of the stop loss.
        status: Status, in_repr, nullable;
        /// Time when the stop loss was closed; absent from most responses.
        closed_at: Timestamp, sample(null);
    }
}

record! {
    /// The price of the order of a stop loss.
    StopLossPrice {
        /// Price of a limit order; None for a market order.
        value: Decimal, in_repr, sample(null);
        /// The price as a distance from the entry, in percent.
        percent: Decimal, in_repr, sample(null);
    }
}

record! {
    /// The quantity of the order of a stop loss.
    StopLossUnits {
        /// Quantity in the base currency.
        value: Decimal, in_repr, sample(null);
    }
}

record! {
    /// The value of the order of a stop loss.
    StopLossTotal {
        /// Value in the quote currency.
        value: Decimal, in_repr, sample(null);
    }
}

record! {
    /// The trigger of a stop loss.
    StopLossConditional {
        /// The price that triggers the stop loss.
        price: StopLossTrigger, in_repr, sample({});
        /// Distance at which the stop loss follows the price.
        trailing: SmartTradeTrailing, in_repr, sample({});
    }
}

record! {
    /// The price that triggers a stop loss.
    StopLossTrigger {
        /// The trigger price.
        value: Decimal, in_repr;
        /// The price that is compared with the trigger.
        r#type: OneOf<PriceType>, sample("last");
        /// The trigger as a distance from the entry, in percent.
        percent: Decimal, in_repr, sample(null);
    }
}

record! {
    /// The time that the price must stay beyond the trigger of a stop loss.
    StopLossTimeout {
        /// True if the stop loss waits.
        enabled: Bool, in_repr;
        /// The time, in seconds.
        value: Integer, in_repr, sample(null);
    }
}
