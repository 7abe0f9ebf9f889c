//! A simulated day, and the same one again.

use botdesk_simulation::{SimulationOptions, run};

#[test]
fn a_day_of_faults_and_kills_breaks_no_promise() {
    let summary = run(SimulationOptions { hours: 24, seed: 1 }).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(summary.done > 0 && summary.failed > 0 && summary.unknown > 0 && summary.killed > 0, "{summary}");
    assert!(summary.restarts > 0 && summary.bans > 0 && summary.changes > 0, "{summary}");
}

#[test]
fn the_same_seed_gives_the_same_events() {
    let [one, again, other] =
        [2, 2, 3].map(|seed| run(SimulationOptions { hours: 2, seed }).unwrap_or_else(|failure| panic!("{failure}")));
    assert_eq!(one, again);
    assert_ne!(one.digest, other.digest);
}
