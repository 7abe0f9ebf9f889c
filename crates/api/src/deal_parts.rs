//! The records inside a deal: its take-profit steps, its events and its chart.

use botdesk_schema::input::{Accepts, InputType, Objects, Sent};
use botdesk_schema::record;
use botdesk_schema::record::Record as _;
use botdesk_schema::values::{Any, Bool, Decimal, Integer, List, Text, Timestamp};

record! {
    /// A take-profit target of a deal: a share of the position, and the order that sells it.
    DealStep {
        /// Zero-based position among the steps.
        id: Integer;
        /// Share of the position, in percent.
        amount_percentage: Decimal, in_repr;
        /// Profit at which it is sold, in percent.
        profit_percentage: Decimal, in_repr;
        /// True if the step can be changed.
        editable: Bool, sample(true);
        /// True if the step can be closed at the market price.
        panic_sellable: Bool, sample(true);
        /// Identifier of the step's order, by which the step is closed at the market price.
        trade_id: Integer;
        /// Time when the order was filled; None before.
        execution_timestamp: Timestamp, sample(null);
        /// Quantity of the order, in the base currency.
        initial_amount: Decimal;
        /// Price of the order.
        price: Decimal, in_repr;
        /// Status of the step, such as `Placed` or `Panic closing`.
        status: Text, in_repr, sample("Placed");
    }
}

record! {
    /// An event of a deal.
    DealEvent {
        /// What happened, in words.
        message: Text, in_repr;
        /// Time of the event.
        created_at: Timestamp, in_repr;
    }
}

record! {
    /// The next safety order of a deal.
    BuyStep {
        /// Price of the order.
        price: Decimal, in_repr;
        /// Quantity that was filled.
        filled: Decimal, in_repr;
    }
}

record! {
    /// The chart that the service draws of a deal.
    Chart {
        /// Number of digits of the profit after the point.
        progress_accuracy: Integer = "progressAccuracy", sample(2);
        /// True if the take profit trails the price. The `A` in its JSON name is a Cyrillic letter.
        ttp_activated: Bool = "TTP\u{410}ctivated";
        /// Average price of what was bought.
        buy_price: Decimal = "buyPrice", in_repr;
        /// Current price of the pair.
        current_price: Decimal = "currentPrice", in_repr;
        /// True if the deal earns when the price falls.
        inverted: Bool, in_repr;
        /// Stop losses, each as a price and whether it was reached; None without a stop loss.
        stop_losses: List<Any> = "stopLosses", sample(null);
        /// Price at which the position is liquidated.
        lp: Any = "LP", decimal;
        /// Next safety order on the exchange.
        buy_steps: List<BuyStep> = "buySteps";
        /// Targets, each with `type`, `label`, `price` and `position`.
        marks: List<Any>;
    }
}

/// The take-profit steps of a deal as an edit sends them: each with the `id` by which the service finds it.
#[derive(Debug)]
pub enum DealSteps {}

impl Accepts for DealSteps {
    const INPUT_TYPE: InputType = InputType::Objects(&Objects {
        record: DealStep::SPEC,
        noun: "step",
        members: &[("amount_percentage", Sent::NumberIfWhole), ("profit_percentage", Sent::NumberIfWhole)],
        unsent: &["editable", "panic_sellable", "trade_id", "execution_timestamp", "initial_amount", "price", "status"],
        problem: |_, _| None,
    });
}
