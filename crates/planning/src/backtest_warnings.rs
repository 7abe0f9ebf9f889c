//! Notes about the candles and the balance of a backtest, in sentences.

use super::backtest_history::PairHistory;
use botdesk_schema::pair;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{DealConfig, Milliseconds};

/// Returns the warnings about candles.
pub(crate) fn history_warnings(histories: &[PairHistory]) -> Vec<String> {
    let last = histories.iter().filter_map(last_time).max();
    let warnings =
        |history| [gaps(history), single(history), seconds(history), ends_early(history, last), signals(history)];
    histories.iter().flat_map(warnings).flatten().collect()
}

/// Returns the warning about pairs of several quote currencies: their profits are added up as if they were of one.
pub(crate) fn several_quotes(histories: &[PairHistory]) -> Option<String> {
    pair::several_quotes(histories.iter().map(|history| history.pair.as_str()))
        .map(|message| format!("pairs {message}"))
}

fn last_time(history: &PairHistory) -> Option<Milliseconds> {
    history.candles.time(history.candles.len().checked_sub(1)?)
}

/// The price of a pair stays the same after its last candle, and deals may still open at it.
fn ends_early(history: &PairHistory, last: Option<Milliseconds>) -> Option<String> {
    let next = last_time(history)?.saturating_add(history.candles.interval()?);
    let message =
        || format!("the candles{} end before those of another pair; the price then stays the same", of_pair(history));
    last.is_some_and(|last| last > next).then(message)
}

fn gaps(history: &PairHistory) -> Option<String> {
    let (gaps, of) = (history.candles.gaps(), of_pair(history));
    match gaps {
        0 => None,
        1 => Some(format!("the candles{of} have 1 gap; the price stays the same in it, and jumps at its end")),
        _ => Some(format!("the candles{of} have {gaps} gaps; the price stays the same in each, and jumps at its end")),
    }
}

fn single(history: &PairHistory) -> Option<String> {
    let message = || {
        format!("there is only one candle{}; its length is unknown, so its prices have the same time", of_pair(history))
            + ", and drawdowns leave out its low and high"
    };
    history.candles.interval().is_none().then(message)
}

fn seconds(history: &PairHistory) -> Option<String> {
    history.candles.seconds_warning(&of_pair(history))
}

fn signals(history: &PairHistory) -> Option<String> {
    let (outside, of) = (history.signals_outside, of_pair(history));
    let all = outside.saturating_add(history.signals.len());
    match outside {
        0 => None,
        1 => Some(format!("1 of {all} signals{of} is before start or not before end; it asks for no deal")),
        _ => Some(format!("{outside} of {all} signals{of} are before start or not before end; they ask for no deal")),
    }
}

/// Returns the pair as part of a sentence; nothing if there is only one.
pub(super) fn of_pair(history: &PairHistory) -> String {
    if history.pair.is_empty() { String::new() } else { format!(" of {}", history.pair) }
}

/// Returns the warning about a base order that the balance does not pay.
pub(super) fn first_order_warning(
    deal: &DealConfig,
    balance: Option<&Decimal>,
    histories: &[PairHistory],
) -> Option<String> {
    let balance = balance?;
    let sizes = histories.iter().filter_map(|history| Some(deal.base_order.size(&history.first_price()?, balance)));
    let largest = sizes.max().filter(|size| size > balance)?;
    Some(format!(
        "the first order takes {}, more than the balance of {}; live it would be rejected, the backtest fills it",
        largest.normalized(),
        balance.normalized()
    ))
}
