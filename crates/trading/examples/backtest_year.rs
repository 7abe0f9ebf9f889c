//! Times the backtest of a year of minutes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "it is a benchmark"
)]

mod random_walk;

use std::sync::Arc;
use std::time::Instant;

use botdesk_trading::backtest::{Backtest, EngineBot, History, SimulatedBot, run_indexed};
use botdesk_trading::candles::ExtremeOrder;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{
    DcaBotConfig, DealConfig, Market, OrderVolume, SafetyOrders, SimulatedDcaBot, Target, VolumeUnit,
};
use botdesk_trading::ladder::Direction;
use botdesk_trading::position::{ProfitOf, TakeProfit};

fn number(string: &str) -> Decimal {
    string.parse().unwrap()
}

/// Returns a bot that shares nothing with others.
fn bot(config: &DcaBotConfig) -> SimulatedBot {
    let config = DcaBotConfig {
        deal: Arc::new(config.deal.as_ref().clone()),
        pairs: vec![Arc::from("USDT_BTC")],
        ..config.clone()
    };
    SimulatedBot::new(EngineBot::Dca(SimulatedDcaBot::new(config)))
}

fn main() {
    let volume = |amount: &str| OrderVolume { amount: number(amount), unit: VolumeUnit::Quote };
    let orders = SafetyOrders::new(6, volume("25"), number("1.2"), &number("1.1"), &number("1.3"));
    let deal = DealConfig {
        direction: Direction::Long,
        base_order: volume("20"),
        base_order_is_market: false,
        safety_orders: SafetyOrders { max_active: 6, ..orders },
        targets: vec![Target {
            take_profit: TakeProfit { percent: number("1.5"), of: ProfitOf::Total },
            closed: Decimal::HUNDRED,
        }],
        trailing: None,
        stop_loss: None,
    };
    let config = DcaBotConfig {
        deal: Arc::new(deal),
        pairs: vec![Arc::from("USDT_BTC")],
        is_nonstop: true,
        max_active_deals: 1,
        max_deals_per_pair: None,
        cooldown: 0,
        start_delay: None,
        deal_timeout: None,
        max_deals: None,
        disables_after_stop_loss: false,
        min_price: None,
        max_price: None,
    };
    for split in [1, 10] {
        let start = Instant::now();
        let candles = random_walk::year(split);
        println!("{} candles made in {:?}", candles.len(), start.elapsed());
        let market = Market {
            pair: Arc::from("USDT_BTC"),
            tick: number("0.01"),
            lot: number("0.00000001"),
            fee: number("0.001"),
            slippage: Decimal::ZERO,
        };
        let backtest = Backtest {
            bot: bot(&config),
            histories: vec![History { market: market.clone(), candles, signals: Vec::new() }],
            balance: Decimal::ZERO,
            path: ExtremeOrder::Nearest,
        };
        let mut times = Vec::new();
        for _ in 0..21 {
            let start = Instant::now();
            let run = backtest.run(&|| false).unwrap();
            let ran = start.elapsed();
            let deals = run.deals(&backtest, &|| false).unwrap();
            let made = start.elapsed();
            let summary = run.summary(&deals, &backtest);
            times.push((ran, made, start.elapsed(), run.events.len(), summary.deals, summary.profit));
        }
        times.sort();
        println!("run, with deals, with summary: {:?}", times[times.len() / 2]);
        for threads in [1, 2, 4] {
            let start = Instant::now();
            // Backtests of a sweep share nothing but the candles.
            let own = || Backtest {
                bot: bot(&config),
                histories: vec![History {
                    market: Market { pair: Arc::from("USDT_BTC"), ..market.clone() },
                    candles: backtest.histories[0].candles.clone(),
                    signals: Vec::new(),
                }],
                ..backtest.clone()
            };
            let backtests: Vec<_> = std::iter::repeat_with(own).take(1_000).collect();
            let work = |index: usize, should_stop: &dyn Fn() -> bool| {
                let backtest = &backtests[index];
                Some(backtest.figures(should_stop).ok()?.0)
            };
            let summaries = run_indexed(0..backtests.len(), threads, &work, &mut |_| false);
            println!("{} backtests on {threads} threads: {:?}", summaries.len(), start.elapsed());
        }
    }
}
