//! The candles of a bot's pairs, from the arguments of a backtest.

use super::candles_argument::CandlesArgument;
use super::signals_argument::{Signals, SignalsArgument};
use super::time_argument::TimeArgument;
use crate::planning::candles::timestamp;
use botdesk_planning::backtest_history::PairHistory;
use botdesk_schema::input::Violation;
use botdesk_trading::candles::Candles;

/// The arguments of a backtest that are about its candles.
#[derive(Clone)]
pub(crate) struct HistoryArguments {
    /// The candles.
    pub(crate) candles: CandlesArgument,
    /// The signals.
    pub(crate) signals: Option<SignalsArgument>,
    /// The time of the first candle.
    pub(crate) start: Option<TimeArgument>,
    /// The time before which the last candle opens.
    pub(crate) end: Option<TimeArgument>,
}

impl HistoryArguments {
    /// Returns the candles of each pair of a bot. `others` are pairs that may have candles too.
    pub(crate) fn of_pairs(&self, pairs: &[String], others: &[String]) -> Result<Vec<PairHistory>, Violation> {
        let by_pair = self.candles_by_pair(pairs, others)?;
        let signals = self.signals_by_pair(&by_pair, others)?;
        by_pair
            .into_iter()
            .zip(signals)
            .map(|((pair, candles), signals)| self.history(pair, &candles, signals))
            .collect()
    }

    fn history(&self, pair: String, candles: &Candles, signals: Option<&Signals>) -> Result<PairHistory, Violation> {
        let window = self.window(&pair, candles)?;
        let are_times = matches!(signals, Some(Signals::Times(_)));
        let given = signals.map_or(Ok(Vec::new()), |signals| signals.times(candles, &named("signals", &pair)))?;
        let first = window.time(0).unwrap_or(i64::MAX);
        let next = candles.index_from(first) + window.len();
        // A signal before the first candle that counts, but not before the start, acts at that candle.
        let start = self.start.as_ref().map(|time| time.of("start")).transpose()?.unwrap_or(first);
        let end = candles.time(next).unwrap_or(i64::MAX);
        let (signals, outside): (Vec<_>, Vec<_>) = given.into_iter().partition(|time| (start..end).contains(time));
        // A column of booleans belongs to the candles, and is cut with them.
        let signals_outside = if are_times { outside.len() } else { 0 };
        Ok(PairHistory { pair, candles: window, signals, signals_outside })
    }

    /// Returns the candles from `start` on and before `end`.
    fn window(&self, pair: &str, candles: &Candles) -> Result<Candles, Violation> {
        let start = self.start.as_ref().map(|time| time.of("start")).transpose()?;
        let end = self.end.as_ref().map(|time| time.of("end")).transpose()?;
        let window = candles.between(start, end);
        if !window.is_empty() {
            return Ok(window);
        }
        let shown = |index| timestamp(candles.time(index).unwrap_or_default());
        let of = if pair.is_empty() { String::new() } else { format!(" of {pair}") };
        let message = format!(
            "no candle{of} is left between start and end; the candles are from {} to {}",
            shown(0),
            shown(candles.len().saturating_sub(1))
        );
        Err(Violation::new(if start.is_some() { "start" } else { "end" }, message))
    }

    fn candles_by_pair(&self, pairs: &[String], others: &[String]) -> Result<Vec<(String, Candles)>, Violation> {
        match (&self.candles, pairs) {
            (CandlesArgument::Single(candles), []) => Ok(vec![(String::new(), candles.clone())]),
            (CandlesArgument::Single(candles), [pair]) => Ok(vec![(pair.clone(), candles.clone())]),
            (CandlesArgument::Single(_), _) => Err(needs_mapping("candles", pairs)),
            (CandlesArgument::ByPair(given), []) if given.is_empty() => {
                Err(Violation::new("candles", "has no pair; pass candles for at least one"))
            }
            (CandlesArgument::ByPair(given), []) => Ok(given.clone()),
            (CandlesArgument::ByPair(given), _) => {
                refuse_unknown("candles", given, pairs, others)?;
                let missing: Vec<_> = pairs.iter().filter(|pair| find(given, pair).is_none()).collect();
                if !missing.is_empty() {
                    let message = format!("has no candles of {}; the bot trades {}", list(&missing), list(pairs));
                    return Err(Violation::new("candles", message));
                }
                let of = |pair: &String| Some((pair.clone(), find(given, pair)?.clone()));
                Ok(pairs.iter().filter_map(of).collect())
            }
        }
    }

    /// Returns the signals of each pair; None for pairs without any.
    fn signals_by_pair(
        &self,
        candles: &[(String, Candles)],
        others: &[String],
    ) -> Result<Vec<Option<&Signals>>, Violation> {
        let pairs: Vec<_> = candles.iter().map(|(pair, _)| pair.clone()).collect();
        match &self.signals {
            None => Ok(vec![None; pairs.len()]),
            Some(SignalsArgument::Single(signals)) if pairs.len() == 1 => Ok(vec![Some(signals)]),
            Some(SignalsArgument::Single(_)) => Err(needs_mapping("signals", &pairs)),
            Some(SignalsArgument::ByPair(given)) => {
                refuse_unknown("signals", given, &pairs, others)?;
                Ok(pairs.iter().map(|pair| find(given, pair)).collect())
            }
        }
    }
}

/// Returns the name of an argument, with the pair if it has several.
fn named(argument: &str, pair: &str) -> String {
    if pair.is_empty() { argument.to_owned() } else { format!("{argument}[{pair:?}]") }
}

fn find<'a, T>(given: &'a [(String, T)], pair: &str) -> Option<&'a T> {
    given.iter().find(|(key, _)| key == pair).map(|(_, value)| value)
}

fn list<S: AsRef<str>>(pairs: &[S]) -> String {
    pairs.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

fn needs_mapping(argument: &str, pairs: &[String]) -> Violation {
    let message =
        format!("the bot has {} pairs ({}); pass a mapping from pair to {argument}", pairs.len(), list(pairs));
    Violation::new(argument, message)
}

fn refuse_unknown<T>(
    argument: &str,
    given: &[(String, T)],
    pairs: &[String],
    others: &[String],
) -> Result<(), Violation> {
    let unknown = given.iter().map(|(pair, _)| pair).filter(|pair| !pairs.contains(pair) && !others.contains(pair));
    let unknown: Vec<_> = unknown.collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let message = format!("the bot does not trade {}, but {}", list(&unknown), list(pairs));
    Err(Violation::new(argument, message))
}
