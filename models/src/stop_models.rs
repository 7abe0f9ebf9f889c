//! A bulk run that is stopped while it begins to wait.

use std::future::poll_fn;
use std::task::Poll;

use shuttle::sync::Arc;
use shuttle::{future, thread};

use crate::stop::{RunState, StopSignal};

/// One thread requests a stop.
pub fn one_request_wakes_a_run() {
    a_run_waits_for(RunState::Finishing, 1);
}

/// Two threads request a stop at once.
pub fn two_requests_stop_a_run() {
    a_run_waits_for(RunState::Stopped, 2);
}

/// Requests a stop from some threads at once while a run waits for a state. Shuttle reports a run that is never woken as a deadlock.
fn a_run_waits_for(expected: RunState, requests: usize) {
    let stop = Arc::new(StopSignal::default());
    let request = |_| {
        let stop = Arc::clone(&stop);
        thread::spawn(move || stop.request())
    };
    let threads: Vec<_> = (0..requests).map(request).collect();
    future::block_on(poll_fn(|context| if stop.watch(context) == expected { Poll::Ready(()) } else { Poll::Pending }));
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(stop.is_requested());
}
