//! Many backtests at once, on several threads.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::run::Backtest;
use super::summary::Summary;

/// Runs backtests on several threads, and returns their figures in the same order. A backtest that was not finished when
/// `should_stop` stopped the run has none.
///
/// `on_done` is called after each with the number of those that are done. It may be called from any of the threads.
pub fn run_all(
    backtests: &[Backtest],
    threads: usize,
    on_done: &(dyn Fn(usize) + Sync),
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Option<Summary>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let summaries = Mutex::new(vec![None; backtests.len()]);
    let work = || {
        while let Some((index, backtest)) = take(backtests, &next).filter(|_| !should_stop()) {
            let Ok(run) = backtest.run(should_stop) else {
                return;
            };
            let summary = run.summary(&run.deals(backtest), backtest);
            let mut summaries = summaries.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(place) = summaries.get_mut(index) {
                *place = Some(summary);
            }
            drop(summaries);
            on_done(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.clamp(1, backtests.len().max(1)) {
            scope.spawn(work);
        }
        work();
    });
    summaries.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn take<'a>(backtests: &'a [Backtest], next: &AtomicUsize) -> Option<(usize, &'a Backtest)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, backtests.get(index)?))
}
