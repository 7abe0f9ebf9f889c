//! Take-profit steps: the targets of a bot that sells in parts.

use super::part::{Part, Shape};
use super::record::record;
use super::values::{Amount, Integer};

record! {
    /// A take-profit target: a share of the position, and the profit at which it is sold.
    TakeProfitStep {
        /// Zero-based position among the steps.
        id: Integer;
        /// Share of the position that is sold, in percent.
        amount_percentage: Amount, shown;
        /// Profit at which it is sold, in percent.
        profit_percentage: Amount, shown;
    }
}

/// This module's part of the API reference.
pub const PART: Part = Part { file: file!(), records: &[Shape::of::<TakeProfitStep>()], operations: &[] };
