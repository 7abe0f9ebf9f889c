//! Times a sweep of 1 000 combinations over a year of minutes.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "it is a benchmark")]

#[path = "../../trading/examples/random_walk/mod.rs"]
mod random_walk;

use std::time::Instant;

use botdesk_planning::backtest_history::PairHistory;
use botdesk_planning::sweep::{Combinations, SweepBot, SweepDefinition, SweepOutcome, SweepParameter, SweepPlan};
use botdesk_trading::backtest::run_indexed;
use serde_json::json;

fn main() {
    let setting = |name: &str, value: &str| (name.to_owned(), Some(json!(value)));
    let bot = SweepBot::Inputs(vec![
        setting("base_order_volume", "20"),
        setting("safety_order_volume", "25"),
        setting("safety_order_step_percentage", "1.2"),
        setting("martingale_step_coefficient", "1.1"),
        setting("martingale_volume_coefficient", "1.3"),
    ]);
    let profits = (100..300).map(|percent| Some(json!(format!("{}.{:02}", percent / 100, percent % 100)))).collect();
    let parameters =
        [("take_profit", profits), ("max_safety_orders", (4..9).map(|count| Some(json!(count))).collect())];
    let parameters = parameters.map(|(name, values)| SweepParameter::new(&bot, name, values).unwrap());
    let combinations = Combinations::new(parameters.into()).unwrap();
    let market = vec![setting("fee", "0.001")];
    let definition = SweepDefinition { bot, combinations, market, has_signals: false, folds: None };
    let history =
        PairHistory { pair: String::new(), candles: random_walk::year(1), signals: Vec::new(), signals_outside: 0 };
    let plan = SweepPlan::new(definition, vec![history]).unwrap();
    for threads in [1, 2, 4] {
        let start = Instant::now();
        let work = |index: usize, should_stop: &dyn Fn() -> bool| plan.outcome(index, should_stop).ok();
        let outcomes = run_indexed(0..plan.combinations().count(), threads, &work, &mut |_| false);
        let done = outcomes.iter().flatten().filter(|outcome| matches!(outcome, SweepOutcome::Done { .. })).count();
        println!("{done} combinations on {threads} threads: {:?}", start.elapsed());
    }
}
