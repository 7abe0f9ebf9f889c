//! Work such as many backtests, on several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The interval at which the calling thread looks whether the run must stop.
const INTERVAL: Duration = Duration::from_millis(20);

/// Work for an index. It is given a function that returns true if it must stop, and then returns None.
pub type IndexedWork<'a, T> = dyn Fn(usize, &dyn Fn() -> bool) -> Option<T> + Sync + 'a;

/// Runs work for each index of a range on several threads, and returns what it returns, in the order of the indices. Work that was
/// not finished when the run stopped has nothing.
///
/// The calling thread waits. It calls `on_step` with the number of indices that are done after each of them, and at least every
/// 20 ms; the run stops if that returns true.
pub fn run_indexed<T: Send>(
    indices: std::ops::Range<usize>,
    threads: usize,
    work: &IndexedWork<'_, T>,
    on_step: &mut dyn FnMut(usize) -> bool,
) -> Vec<Option<T>> {
    let mut results: Vec<Option<T>> = indices.clone().map(|_| None).collect();
    // Work that must not start is not started at all.
    if on_step(0) || indices.is_empty() {
        return results;
    }
    let (next, stop) = (AtomicUsize::new(indices.start), AtomicBool::new(false));
    let is_stopped = || stop.load(Ordering::Relaxed);
    let (sender, receiver) = mpsc::channel();
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < indices.end && !is_stopped());
    let worker = |sender: mpsc::Sender<_>| {
        while let Some(index) = take() {
            // The receiver is dropped only after all threads have ended.
            let _ = sender.send((index - indices.start, work(index, &is_stopped)));
        }
    };
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..threads.clamp(1, indices.len()) {
            let sender = sender.clone();
            started += usize::from(thread::Builder::new().spawn_scoped(scope, || worker(sender)).is_ok());
        }
        if started == 0 {
            worker(sender);
        } else {
            drop(sender);
        }
        let mut done = 0;
        loop {
            match receiver.recv_timeout(INTERVAL) {
                Ok((place, result)) => {
                    done += usize::from(result.is_some());
                    if let Some(slot) = results.get_mut(place) {
                        *slot = result;
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if !is_stopped() && on_step(done) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    results
}
