//! Work such as many backtests, on several threads.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// The interval at which the calling thread looks whether the run must stop.
const INTERVAL: Duration = Duration::from_millis(20);

/// Work for an index. It is given a function that returns true if it must stop, and then returns None.
pub type IndexedWork<'a, T> = dyn Fn(usize, &dyn Fn() -> bool) -> Option<T> + Sync + 'a;

/// Runs work for each index of a range on several threads, and returns what it returns, in the order of the indices. Work that was
/// not finished when the run stopped has nothing.
///
/// The calling thread waits. It calls `on_step` with the number of indices that are done every 20 ms, and at the end; the run stops if
/// that returns true.
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
    let (next, done, stop) = (AtomicUsize::new(indices.start), AtomicUsize::new(0), AtomicBool::new(false));
    let is_stopped = || stop.load(Ordering::Relaxed);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < indices.end && !is_stopped());
    let collected = Mutex::new(&mut results);
    // Nothing is sent: the channel is closed when the last worker has ended. A message for each result would wake the calling thread,
    // which would take the cores from the workers.
    let (sender, receiver) = mpsc::channel::<Infallible>();
    let worker = |_open: mpsc::Sender<Infallible>| {
        let mut own = Vec::new();
        while let Some(index) = take() {
            let result = work(index, &is_stopped);
            done.fetch_add(usize::from(result.is_some()), Ordering::Relaxed);
            own.push((index - indices.start, result));
        }
        let mut results = collected.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, result) in own {
            if let Some(slot) = results.get_mut(place) {
                *slot = result;
            }
        }
    };
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..threads.clamp(1, indices.len()) {
            let open = sender.clone();
            started += usize::from(thread::Builder::new().spawn_scoped(scope, || worker(open)).is_ok());
        }
        if started == 0 {
            worker(sender);
        } else {
            drop(sender);
        }
        loop {
            let has_ended = receiver.recv_timeout(INTERVAL) == Err(mpsc::RecvTimeoutError::Disconnected);
            if !is_stopped() && on_step(done.load(Ordering::Relaxed)) {
                stop.store(true, Ordering::Relaxed);
            }
            if has_ended {
                break;
            }
        }
    });
    results
}
