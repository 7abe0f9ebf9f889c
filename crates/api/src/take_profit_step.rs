//! Take-profit steps: the targets of a bot that sells in parts.

use super::record::record;
use super::values::{Decimal, Integer};

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
