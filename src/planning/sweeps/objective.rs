//! The figure by which the combinations of a sweep are compared.

use std::cmp::{Ordering, Reverse};

use crate::display::columns::Columns as _;
use crate::planning::backtests::BacktestSummary;
use botdesk_display::arrow::Calculated;
use botdesk_planning::sweep::Figures;
use botdesk_schema::input::{Violation, nearest};
use botdesk_trading::decimal::Decimal;

/// The figures of which less is better.
pub(super) const MINIMISED: &[&str] = &[
    "lost",
    "drawdown",
    "most_capital",
    "budget",
    "time_in_market",
    "mean_duration",
    "longest_duration",
    "most_safety_orders",
    "fees",
];

/// A figure of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Objective(pub(super) &'static str);

impl Objective {
    /// Returns the figure with a name, or the violation by an unknown one.
    pub(super) fn of(name: &str) -> Result<Self, Violation> {
        let names = BacktestSummary::NAMES;
        names.iter().find(|known| **known == name).map(|known| Self(known)).ok_or_else(|| {
            let hint = nearest(names.iter().copied(), name).map(|nearest| format!("; did you mean {nearest}?"));
            Violation::new("objective", format!("'{name}' is not a figure of the summary{}", hint.unwrap_or_default()))
        })
    }

    /// Returns the column of the figure.
    pub(super) fn column(self, summaries: &[&BacktestSummary]) -> Option<Calculated> {
        let columns = BacktestSummary::columns(summaries);
        columns.into_iter().find(|(name, _)| *name == self.0).map(|(_, column)| column)
    }

    /// Returns the rank of each of some figures: 1 for the best ones, and one more than the number of better ones for all others.
    pub(super) fn ranks(self, figures: &[&Figures]) -> Vec<usize> {
        let values = self.values(figures);
        let value = |index: usize| values.get(index).and_then(Option::as_ref);
        let mut ranks = vec![0; figures.len()];
        let mut before = None;
        for (place, index) in self.order(&values).into_iter().enumerate() {
            let rank = match before {
                Some((rank, other)) if self.compare(value(other), value(index)).is_eq() => rank,
                _ => place + 1,
            };
            if let Some(slot) = ranks.get_mut(index) {
                *slot = rank;
            }
            before = Some((rank, index));
        }
        ranks
    }

    /// Returns the indices of figures from the best to the worst. Equal ones stay in their order; those without a value come last.
    pub(super) fn ranking(self, figures: &[&Figures]) -> Vec<usize> {
        self.order(&self.values(figures))
    }

    fn order(self, values: &[Option<Decimal>]) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..values.len()).collect();
        let value = |index: &usize| values.get(*index).and_then(Option::as_ref);
        ranking.sort_by(|left, right| self.compare(value(left), value(right)));
        ranking
    }

    fn values(self, figures: &[&Figures]) -> Vec<Option<Decimal>> {
        let summaries: Vec<_> = figures.iter().map(|figures| summary(figures)).collect();
        let column = self.column(&summaries.iter().collect::<Vec<_>>());
        column.map_or_else(|| vec![None; figures.len()], numbers)
    }

    fn compare(self, left: Option<&Decimal>, right: Option<&Decimal>) -> Ordering {
        match (left, right) {
            (Some(left), Some(right)) if MINIMISED.contains(&self.0) => left.cmp(right),
            (Some(left), Some(right)) => Reverse(left).cmp(&Reverse(right)),
            (left, right) => right.is_some().cmp(&left.is_some()),
        }
    }
}

/// Returns the figures as the class of summaries.
pub(super) fn summary(figures: &Figures) -> BacktestSummary {
    BacktestSummary::new(figures.summary.clone(), figures.budget.as_ref())
}

fn numbers(column: Calculated) -> Vec<Option<Decimal>> {
    match column {
        Calculated::Integers(values) | Calculated::Times(values) | Calculated::Durations(values) => {
            values.into_iter().map(|value| value.map(Decimal::from)).collect()
        }
        Calculated::Decimals(values) => {
            use crate::exceptions::RustResult as _;
            values.into_iter().map(|value| value?.parse().rust_ok()).collect()
        }
        Calculated::Texts(values) => values.into_iter().map(|_| None).collect(),
        Calculated::Booleans(values) => values.into_iter().map(|_| None).collect(),
    }
}
