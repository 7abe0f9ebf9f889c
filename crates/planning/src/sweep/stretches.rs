//! The stretches that a history is cut into, to try on each what was best on the one before.

use crate::backtest_history::PairHistory;
use botdesk_schema::input::Violation;
use botdesk_trading::engine::Milliseconds;

/// The fewest stretches that a history can be cut into: the best of the first is tried on the second.
pub const MIN_STRETCHES: u8 = 2;

/// The most stretches that a history can be cut into: a sweep holds figures of each for each combination.
pub const MAX_STRETCHES: usize = 1_000;

/// A stretch of time: from its start to before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The start.
    pub start: Milliseconds,
    /// The end.
    pub end: Milliseconds,
}

impl Stretch {
    /// Cuts histories into stretches of the same length; none if `count` is None.
    pub(super) fn cut(histories: &[PairHistory], count: Option<usize>) -> Result<Vec<Self>, Violation> {
        let Some(count) = count else { return Ok(Vec::new()) };
        if count < usize::from(MIN_STRETCHES) {
            return Err(Violation::new("folds", format!("must be at least {MIN_STRETCHES}, not {count}")));
        }
        if count > MAX_STRETCHES {
            return Err(Violation::new("folds", format!("must be at most {MAX_STRETCHES}, not {count}")));
        }
        let ends = histories.iter().filter_map(|history| {
            let candles = &history.candles;
            let last = candles.time(candles.len().checked_sub(1)?)?;
            Some((candles.time(0)?, last.saturating_add(candles.interval().unwrap_or(1))))
        });
        let (start, end) =
            ends.fold((i64::MAX, i64::MIN), |(start, end), (first, last)| (start.min(first), end.max(last)));
        let (length, parts) = (i128::from(end) - i128::from(start), i128::try_from(count).unwrap_or(i128::MAX));
        let bound = |part: usize| {
            let part = i128::try_from(part).unwrap_or(i128::MAX);
            i64::try_from(i128::from(start) + length * part / parts).unwrap_or(i64::MAX)
        };
        let stretches: Vec<_> =
            (0..count).map(|part| Self { start: bound(part), end: bound(part.saturating_add(1)) }).collect();
        let empty = |stretch: &Self| histories.iter().any(|history| stretch.of(history).candles.is_empty());
        match stretches.iter().position(empty) {
            None => Ok(stretches),
            Some(place) => {
                let message = format!("{count} stretches are too many: a pair has no candle in stretch {}", place + 1);
                Err(Violation::new("folds", message))
            }
        }
    }

    /// Returns the part of a history that is in the stretch.
    pub(super) fn of(&self, history: &PairHistory) -> PairHistory {
        let is_inside = |time: &&Milliseconds| (self.start..self.end).contains(*time);
        PairHistory {
            pair: history.pair.clone(),
            candles: history.candles.between(Some(self.start), Some(self.end)),
            signals: history.signals.iter().filter(is_inside).copied().collect(),
            // Those of other stretches are not outside of the sweep.
            signals_outside: history.signals_outside,
        }
    }
}
