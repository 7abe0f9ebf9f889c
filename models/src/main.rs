//! Runs parts of botdesk under shuttle, which decides at each lock and each atomic which thread runs next.
//!
//! The modules are those of the client, compiled with the locks and atomics of shuttle: their `crate::sync` is the one of this
//! crate. Shuttle runs threads one at a time; it finds wrong orders of steps, not wrong memory orderings.

use shuttle::scheduler::DfsScheduler;
use shuttle::{Config, Runner};

#[path = "../../crates/client/src/process.rs"]
mod process;
mod process_models;
#[path = "../../crates/client/src/bulk/stop.rs"]
mod stop;
mod stop_models;
mod sync;

/// Runs a model in every order of its steps, and prints the number of orders. A wrong order panics.
fn in_every_order(name: &str, model: impl Fn() + Send + Sync + 'static) {
    let orders = Runner::new(DfsScheduler::new(None, false), Config::default()).run(model);
    println!("{name}: {orders} orders");
}

fn main() {
    in_every_order("two threads make the value of a process", || process_models::threads_make_a_value(&[true, true]));
    in_every_order("one thread makes the value of a process, one fails", || {
        process_models::threads_make_a_value(&[true, false]);
    });
    in_every_order("one request wakes a run that begins to wait", stop_models::one_request_wakes_a_run);
    in_every_order("two requests at once stop a run immediately", stop_models::two_requests_stop_a_run);
}
