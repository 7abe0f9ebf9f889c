//! The profit of a bot over time.

use serde::{Deserialize, Serialize};

use crate::decimal::Decimal;
use crate::engine::Milliseconds;

/// The profit of a bot at a time, in the quote currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EquityPoint {
    /// The time.
    pub time: Milliseconds,
    /// The profit of closed deals, or of the steps of a grid.
    pub realized: Decimal,
    /// The profit of open deals if they were closed at the price of the time, including the parts that are closed.
    pub unrealized: Decimal,
    /// The volume of the entries of open deals minus that of their exits, or the amount that the orders of a grid need.
    pub capital: Decimal,
}

impl EquityPoint {
    /// Returns the profit of everything.
    pub fn total(&self) -> Decimal {
        &self.realized + &self.unrealized
    }
}

/// Returns about `count` points, evenly distributed, and the last one, which may be there twice.
pub fn few_points(points: &[EquityPoint], count: usize) -> impl Iterator<Item = &EquityPoint> {
    let every = points.len() / count.max(1) + 1;
    points.iter().step_by(every).chain(points.last())
}

/// The largest fall of the profit from its highest value before.
#[derive(Default)]
pub(super) struct Drawdown {
    peak: Decimal,
    pub(super) deepest: Decimal,
}

impl Drawdown {
    pub(super) fn add(&mut self, point: &EquityPoint) {
        let total = point.total();
        if total > self.peak {
            self.peak = total;
            return;
        }
        let fall = &self.peak - &total;
        if fall > self.deepest {
            self.deepest = fall;
        }
    }
}
