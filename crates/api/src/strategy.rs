//! Strategies that open and close deals.

use super::record::record;
use super::values::{Object, Text};

record! {
    /// A strategy that opens or closes deals, or places safety orders.
    Strategy {
        /// Code of the strategy, such as `nonstop`, `manual`, `qfl`, `trading_view` or `rsi`.
        strategy: Text, in_repr;
        /// Settings of the strategy.
        options: Object, in_repr, sample({});
    }
}
