//! The leased budgets of this process.

use std::convert::Infallible;
use std::sync::{Mutex, mpsc as channel};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::worker::WorkerJob;
use crate::process::PerProcess;
use botdesk_system::lock::locked;

static BUDGETS: PerProcess<Mutex<Vec<mpsc::UnboundedSender<WorkerJob>>>> = PerProcess::new();

/// Adds a budget, which lasts as long as the process.
pub(super) fn add(jobs: mpsc::UnboundedSender<WorkerJob>) {
    let Ok(budgets) = BUDGETS.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
    locked(budgets).push(jobs);
}

/// Gives back the leased requests that this process will not send, before it exits. What can't be given back within `timeout` counts until
/// its lease ends.
pub fn give_back_leases(timeout: Duration) {
    let Some(budgets) = BUDGETS.get() else { return };
    let deadline = Instant::now() + timeout;
    let waiting: Vec<_> = locked(budgets).iter().map(give_back).collect();
    for done in waiting {
        // It fails if the time is up.
        let _ = done.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }
}

fn give_back(jobs: &mpsc::UnboundedSender<WorkerJob>) -> channel::Receiver<()> {
    let (reply, done) = channel::channel();
    // It fails only if the worker has ended; then nothing is waited for.
    let _ = jobs.send(WorkerJob::GiveBack { reply });
    done
}
