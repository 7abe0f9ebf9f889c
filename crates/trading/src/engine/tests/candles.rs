//! Backtests, which skip all candles in which nothing happens, do what the reference does at every point of every candle.

use proptest::prelude::*;
use proptest::sample;

use super::exact_event::exact_events;
use super::random::{CandleRow, Chart, RandomBot, SimulationStep, histories};
use super::reference::Reference;
use crate::backtest::{Backtest, EngineBot, History, SimulatedBot};
use crate::candles::{Candles, CandlesBuilder, ExtremeOrder};
use crate::decimal::Decimal;
use crate::engine::{Milliseconds, SimulatedDcaBot};

fn candles(chart: &Chart) -> Candles {
    let mut builder = CandlesBuilder::default();
    for (time, prices) in &chart.candles {
        builder.times.push(*time);
        for (column, price) in builder.prices.iter_mut().zip(prices) {
            column.push_text(&price.to_string()).unwrap();
        }
    }
    builder.finish().unwrap()
}

fn backtest(settings: &RandomBot, charts: &[Chart], path: ExtremeOrder) -> Backtest {
    let markets = settings.simulation().prices.markets;
    let history =
        |(chart, market): (&Chart, _)| History { market, candles: candles(chart), signals: chart.signals.clone() };
    Backtest {
        bot: SimulatedBot::new(EngineBot::Dca(SimulatedDcaBot::new(settings.config()))),
        histories: charts.iter().zip(markets).map(history).collect(),
        balance: settings.exchange.balance.clone(),
        path,
    }
}

/// Returns the times and prices of a candle in the order in which the price reaches them.
fn points(
    (time, [open, high, low, close]): &CandleRow,
    length: Milliseconds,
    path: ExtremeOrder,
) -> [(Milliseconds, Decimal); 4] {
    let is_low_first = match path {
        ExtremeOrder::LowFirst => true,
        ExtremeOrder::HighFirst => false,
        ExtremeOrder::Nearest => open - low <= high - open,
    };
    let (first, second) = if is_low_first { (low, high) } else { (high, low) };
    let prices = [open, first, second, close].map(Clone::clone);
    let mut quarter = 0;
    prices.map(|price| {
        let at = time + (length * quarter).div_euclid(4);
        quarter += 1;
        (at, price)
    })
}

/// Returns what happens at each point, in the order of time; at the same time the first pair comes first.
fn steps(charts: &[Chart], path: ExtremeOrder) -> Vec<SimulationStep> {
    let mut points_of_all: Vec<_> = Vec::new();
    for (pair, Chart { candles, signals }) in charts.iter().enumerate() {
        let length = candles.windows(2).map(|pair| pair[1].0 - pair[0].0).min().unwrap();
        let mut signals = signals.iter().peekable();
        for candle in candles {
            for (index, (time, price)) in points(candle, length, path).into_iter().enumerate() {
                let price =
                    if index == 0 { SimulationStep::Jump(pair, price) } else { SimulationStep::Move(pair, price) };
                let mut is_signalled = false;
                while signals.next_if(|signal| **signal <= time).is_some() {
                    is_signalled = true;
                }
                points_of_all.push((time, price, is_signalled.then_some(SimulationStep::Signal(pair))));
            }
        }
    }
    points_of_all.sort_by_key(|(time, ..)| *time);
    let steps = points_of_all.into_iter();
    steps.flat_map(|(time, price, signal)| [SimulationStep::Advance(time), price].into_iter().chain(signal)).collect()
}

proptest! {
    #[test]
    fn a_backtest_does_what_the_reference_does_at_every_point(
        (settings, charts) in histories(20), path in sample::select(vec![ExtremeOrder::Nearest, ExtremeOrder::LowFirst, ExtremeOrder::HighFirst]),
    ) {
        let run = backtest(&settings, &charts, path).run(&|| false).unwrap();
        let mut reference = Reference::new(&settings);
        for step in steps(&charts, path) {
            reference.apply(&step);
        }
        prop_assert_eq!(exact_events(&run.events), reference.log);
    }
}
