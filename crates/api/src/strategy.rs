//! Strategies: what opens and closes deals.

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

/// What this file writes down of the document.
pub const PART: Part = Part { file: file!(), records: &[Shape::of::<Strategy>()], operations: &[] };
