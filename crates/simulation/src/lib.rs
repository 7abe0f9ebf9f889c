//! Simulates days or weeks of a script that watches and edits bots, in minutes.
//!
//! The client and the sandbox run on one thread and speak HTTP over the loopback, as always, but the clock of their timers is virtual:
//! it jumps to the next timer when nothing else is to be done. It does not advance while a request is on its way, so that the speed of the
//! machine does not matter; `traffic` says when that is. Faults, kills, restarts, edits and prices are random. All random numbers come
//! from one seed, so that a run can be repeated.
//!
//! | module | content |
//! |---|---|
//! | `checks` | what must be true of every request, every write and every change |
//! | `journal` | the latest events and the counts of a run |
//! | `traffic` | the attempts on their way, which stop the clock |
//! | `faults` | random faults, and those that are pending |
//! | `observer` | passes each event of the client and each request of the sandbox to the checks |
//! | `world` | the sandbox, its market, and the network |
//! | `kill` | when the script is killed |
//! | `relay` | a proxy that holds requests back |
//! | `script` | the script: a watch, edits, and bursts of reads |
//! | `run` | a run from its start to its end |
//!
//! All clients of a process share one rate limiter, and a simulated restart stays in the process. So a restarted script knows the requests
//! and bans of the one before.

mod checks;
mod faults;
mod journal;
mod kill;
mod observer;
mod relay;
mod run;
mod script;
mod traffic;
mod world;

pub use journal::SimulationSummary;
pub use run::{SimulationFailure, SimulationOptions, run};
