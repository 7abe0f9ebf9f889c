//! Times a sweep of 1 000 combinations over a year of minutes.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "it is a benchmark")]

use std::time::Instant;

use botdesk_planning::backtest_history::PairHistory;
use botdesk_planning::sweep::{Combinations, Outcome, SweepBot, SweepDefinition, SweepParameter, SweepPlan};
use botdesk_trading::backtest::run_indexed;
use botdesk_trading::candles::{Candles, CandlesBuilder, Number};
use serde_json::json;

/// Returns a random walk.
fn year() -> Candles {
    let mut builder = CandlesBuilder::default();
    let mut random = 1_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(random >> 33).unwrap() % 2_000 - 1_000
    };
    let mut price = 4_200_000_i64;
    for minute in 0..525_600 {
        let open = price;
        let (first, second) = (next() * 6, next() * 6);
        price = (price + next() * 6 + (4_200_000 - price) / 20_000).max(100_000);
        let high = open.max(price).max(open + first.abs() / 2);
        let low = open.min(price).min(open - second.abs() / 2);
        builder.times.push(1_704_067_200_000 + minute * 60_000);
        for (column, price) in builder.prices.iter_mut().zip([open, high, low, price]) {
            column.push(Number { mantissa: price.into(), scale: 2 }).unwrap();
        }
    }
    builder.finish().unwrap()
}

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
    let history = PairHistory { pair: String::new(), candles: year(), signals: Vec::new(), signals_outside: 0 };
    let plan = SweepPlan::new(definition, vec![history]).unwrap();
    for threads in [1, 2, 4] {
        let start = Instant::now();
        let work = |index: usize, should_stop: &dyn Fn() -> bool| plan.outcome(index, should_stop).ok();
        let outcomes = run_indexed(0..plan.combinations().count(), threads, &work, &mut |_| false);
        let done = outcomes.iter().flatten().filter(|outcome| matches!(outcome, Outcome::Done { .. })).count();
        println!("{done} combinations on {threads} threads: {:?}", start.elapsed());
    }
}
