//! Strategies that open and close deals.

use super::part::{Part, Shape};
use super::record::record;
use super::values::{Object, Text};

record! {
    /// A strategy that opens or closes deals, or places safety orders.
    Strategy {
        /// Code of the strategy, such as `nonstop`, `manual`, `qfl`, `trading_view` or `rsi`.
        strategy: Text, shown;
        /// Settings of the strategy.
        options: Object, shown, sample({});
    }
}

/// This module's part of the API reference.
pub const PART: Part = Part { file: file!(), records: &[Shape::of::<Strategy>()], operations: &[] };
