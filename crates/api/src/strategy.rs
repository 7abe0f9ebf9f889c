//! Strategies that open and close deals.

use super::api_module::{ApiModule, RecordSpec};
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

/// This module's part of the API reference.
pub const API_MODULE: ApiModule =
    ApiModule { file: file!(), records: &[RecordSpec::of::<Strategy>()], operations: &[] };
