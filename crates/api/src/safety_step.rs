//! Custom safety steps: the safety orders of a bot that places each at a distance, and with a size, of its own.

use botdesk_schema::input::{Accepts, InputType, ListedObject, Objects, Sent};
use botdesk_schema::record;
use botdesk_schema::record::Record as _;
use botdesk_schema::values::{Bool, Decimal};

record! {
    /// A safety order of a bot with steps of its own: its distance from the base order's price, and its size.
    SafetyStep {
        /// Distance from the base order's price in percent: negative below it, positive above it.
        deviation: Decimal, in_repr, sample("-1.0");
        /// Size of the order, in the unit of `safety_order_volume_type`.
        size: Decimal, in_repr, sample(10);
        /// Permission to change the step, until its order has filled; steps of bots do not have it.
        editable: Bool, sample(true);
    }
}

impl ListedObject for SafetyStep {
    const OBJECTS: &'static Objects = &Objects {
        record: Self::SPEC,
        noun: "step",
        members: &[("deviation", Sent::Text), ("size", Sent::Number)],
        unsent: &["id", "editable"],
        problem: |_, _| None,
    };
}

/// The custom safety steps of a deal. Unlike those of a bot, they are sent back with `editable`: the service recognizes the finished
/// ones by it.
#[derive(Debug)]
pub enum DealSafetySteps {}

impl Accepts for DealSafetySteps {
    const INPUT_TYPE: InputType = InputType::Objects(&Objects { unsent: &["id"], ..*SafetyStep::OBJECTS });
}
