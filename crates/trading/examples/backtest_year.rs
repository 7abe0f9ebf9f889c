//! Times the backtest of a year of minutes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "it is a benchmark"
)]

use std::sync::Arc;
use std::time::Instant;

use botdesk_trading::backtest::{Backtest, BotState, History, SimulatedBot, run_all};
use botdesk_trading::candles::{Candles, CandlesBuilder, Number, Path};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{
    DcaBot, DcaBotConfig, DealConfig, Market, OrderVolume, SafetyOrders, Target, VolumeUnit,
};
use botdesk_trading::ladder::Direction;
use botdesk_trading::position::{ProfitOf, TakeProfit};

fn number(string: &str) -> Decimal {
    string.parse().unwrap()
}

/// Returns a random walk with this many candles for each of its minutes.
fn year(split: i64) -> Candles {
    let mut builder = CandlesBuilder::default();
    let mut random = 1_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(random >> 33).unwrap() % 2_000 - 1_000
    };
    let mut price = 4_200_000_i64;
    let mut push = |minute: i64, prices: [i64; 4]| {
        builder.times.push(1_704_067_200_000 + minute * 60_000 / split);
        for (column, price) in builder.prices.iter_mut().zip(prices) {
            column.push(Number { mantissa: price.into(), scale: 2 }).unwrap();
        }
    };
    for minute in 0..525_600 {
        let open = price;
        let (first, second) = (next() * 6, next() * 6);
        price = (price + next() * 6 + (4_200_000 - price) / 20_000).max(100_000);
        let high = open.max(price).max(open + first.abs() / 2);
        let low = open.min(price).min(open - second.abs() / 2);
        push(minute * split, [open, high, low, price]);
        for part in 1..split {
            push(minute * split + part, [price; 4]);
        }
    }
    builder.finish().unwrap()
}

/// Returns a bot that shares nothing with others.
fn bot(config: &DcaBotConfig) -> SimulatedBot {
    let config = DcaBotConfig {
        deal: Arc::new(config.deal.as_ref().clone()),
        pairs: vec![Arc::from("USDT_BTC")],
        ..config.clone()
    };
    SimulatedBot::new(BotState::Dca(DcaBot::new(config)))
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
        let candles = year(split);
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
            path: Path::Nearest,
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
            let summaries = run_all(&backtests, threads, &|_| {}, &|| false);
            println!("{} backtests on {threads} threads: {:?}", summaries.len(), start.elapsed());
        }
    }
}
