//! Runs parts of botdesk under shuttle, which decides at each lock and each atomic which thread runs next.
//!
//! The modules are those of the client, compiled with the locks and atomics of shuttle: their `crate::sync` is the one of this
//! crate, and their `tokio` is that of shuttle. Shuttle runs threads one at a time; it finds wrong orders of steps, not wrong memory
//! orderings.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use shuttle::scheduler::{DfsScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

mod credentials;
mod http;
mod limiter_models;
mod pool_models;
#[path = "../../crates/client/src/process.rs"]
mod process;
mod process_models;
mod rate_limit;
mod recorder_models;
mod signature_models;
#[path = "../../crates/client/src/bulk/stop.rs"]
mod stop;
mod stop_models;
mod sync;

/// The number of orders of a model that has too many to run all of them.
const RANDOM_ORDERS: usize = 200_000;

/// The seed of the random orders. They are the same in each run, except for those of the connection pool.
const SEED: u64 = 1;

/// True once a model was chosen.
static IS_ANY_CHOSEN: AtomicBool = AtomicBool::new(false);

/// Returns true if the arguments choose a model: by a part of its name, or all models without one.
fn is_chosen(name: &str) -> bool {
    let is_chosen = std::env::args().nth(1).is_none_or(|part| name.contains(&part));
    IS_ANY_CHOSEN.fetch_or(is_chosen, Ordering::Relaxed);
    is_chosen
}

/// Runs a model in every order of its steps, and prints the number of orders. A wrong order panics.
fn in_every_order(name: &str, model: impl Fn() + Send + Sync + 'static) {
    run(name, "orders", DfsScheduler::new(None, false), model);
}

/// Runs a model in random orders of its steps. A wrong order panics.
fn in_random_orders(name: &str, model: impl Fn() + Send + Sync + 'static) {
    run(name, "random orders", RandomScheduler::new_from_seed(SEED, RANDOM_ORDERS), model);
}

fn run(name: &str, kind: &str, scheduler: impl Scheduler + 'static, model: impl Fn() + Send + Sync + 'static) {
    if is_chosen(name) {
        let orders = Runner::new(scheduler, Config::default()).run(model);
        println!("{name}: {orders} {kind}");
    }
}

fn main() -> ExitCode {
    in_every_order("two threads make the value of a process", || process_models::threads_make_a_value(&[true, true]));
    in_every_order("one thread makes the value of a process, one fails", || {
        process_models::threads_make_a_value(&[true, false]);
    });
    in_every_order("one request wakes a bulk run that begins to wait", stop_models::one_request_wakes_a_run);
    in_every_order("two requests at once stop a bulk run immediately", stop_models::two_requests_stop_a_run);
    in_every_order("two threads sign the same payload", signature_models::threads_sign_the_same_payload);
    in_every_order("two threads sign, and the cache has room for one", signature_models::the_cache_has_room_for_one);
    in_every_order("a response comes while the recorder is finished", recorder_models::a_response_comes_at_the_end);
    in_random_orders(
        "two requests are recorded until the recorder is finished",
        recorder_models::two_requests_are_recorded,
    );
    // The map of pools is not sorted, so its steps are not the same in each run.
    in_random_orders(
        "a connection pool is opened while its client is closed",
        pool_models::a_pool_is_opened_while_its_client_is_closed,
    );
    in_random_orders("three callers share a limit of one request", || limiter_models::callers_share_a_limit(1));
    in_random_orders("three callers share a limit of two requests", || limiter_models::callers_share_a_limit(2));
    in_random_orders(
        "a caller leaves the queue of the rate limiter while a request ends",
        limiter_models::a_caller_leaves_the_queue,
    );
    in_random_orders("a ban ends the wait of all callers", limiter_models::a_ban_ends_all_waits);
    if IS_ANY_CHOSEN.load(Ordering::Relaxed) {
        return ExitCode::SUCCESS;
    }
    eprintln!("no model has this in its name; docs/unsafe.md lists them");
    ExitCode::FAILURE
}
