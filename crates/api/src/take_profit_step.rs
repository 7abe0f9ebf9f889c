//! Take-profit steps: the targets of a bot that sells in parts.

use botdesk_schema::input::{ListedObject, Objects, Sent};
use botdesk_schema::record;
use botdesk_schema::record::Record as _;
use botdesk_schema::values::{Decimal, Integer};

record! {
    /// A take-profit target: a share of the position, and the profit at which it is sold.
    TakeProfitStep {
        /// Zero-based position among the steps.
        id: Integer;
        /// Share of the position that is sold, in percent.
        amount_percentage: Decimal, in_repr;
        /// Profit at which it is sold, in percent.
        profit_percentage: Decimal, in_repr;
    }
}

impl ListedObject for TakeProfitStep {
    const OBJECTS: &'static Objects = &Objects {
        record: Self::SPEC,
        noun: "step",
        members: &[("amount_percentage", Sent::NumberIfWhole), ("profit_percentage", Sent::NumberIfWhole)],
        unsent: &["id", "editable"],
        problem: |_, _| None,
    };
}
