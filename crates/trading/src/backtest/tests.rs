//! Backtests with figures worked by hand.

use std::sync::Arc;

use super::*;
use crate::candles::{Candles, CandlesBuilder, ExtremeOrder};
use crate::decimal::Decimal;
use crate::engine::{
    DcaBotConfig, DealConfig, Market, OrderVolume, SafetyOrders, SimulatedDcaBot, StopLoss, Target, VolumeUnit,
};
use crate::ladder::Direction;
use crate::position::{ProfitOf, TakeProfit};

const START: i64 = 1_704_067_200_000;

fn number(string: &str) -> Decimal {
    string.parse().unwrap()
}

/// Returns candles of an hour each, with rows of open, high, low and close.
fn hours(rows: &[[&str; 4]]) -> Candles {
    let mut builder = CandlesBuilder::default();
    for (row, hour) in rows.iter().zip(0..) {
        builder.times.push(START + 3_600_000 * hour);
        for (column, price) in builder.prices.iter_mut().zip(row) {
            column.push_text(price).unwrap();
        }
    }
    builder.finish().unwrap()
}

/// Returns a bot that buys for 100, buys for 100 more 2 % lower, and takes 1 % profit.
fn bot() -> SimulatedBot {
    let volume = OrderVolume { amount: Decimal::HUNDRED, unit: VolumeUnit::Quote };
    let deal = DealConfig {
        direction: Direction::Long,
        base_order: volume.clone(),
        base_order_is_market: false,
        safety_orders: SafetyOrders::new(1, volume, number("2"), &Decimal::ONE, &Decimal::ONE),
        targets: vec![Target {
            take_profit: TakeProfit { percent: Decimal::ONE, of: ProfitOf::Total },
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
    SimulatedBot::new(EngineBot::Dca(SimulatedDcaBot::new(config)))
}

/// Returns a bot on two pairs that buys for 100 at up to 101, trails a profit of 10 % by 5 %, and pauses for 50 minutes after a stop
/// loss of 2 %.
fn bot_on_two_pairs() -> SimulatedBot {
    let SimulatedBot { state: EngineBot::Dca(SimulatedDcaBot { config, .. }), .. } = bot() else {
        panic!("not a DCA bot")
    };
    let stop_loss = StopLoss { percent: number("2"), is_trailing: false, timeout: None, breakeven_limit: None };
    let take_profit = TakeProfit { percent: number("10"), of: ProfitOf::Total };
    let deal = DealConfig {
        safety_orders: SafetyOrders { orders: Vec::new(), max_active: 0 },
        targets: vec![Target { take_profit, closed: Decimal::HUNDRED }],
        trailing: Some(number("5")),
        stop_loss: Some(stop_loss),
        ..config.deal.as_ref().clone()
    };
    let config = DcaBotConfig {
        deal: Arc::new(deal),
        pairs: vec![Arc::from("USDT_BTC"), Arc::from("USDT_ETH")],
        max_active_deals: 2,
        cooldown: 3_000_000,
        max_price: Some(number("101")),
        ..config
    };
    SimulatedBot::new(EngineBot::Dca(SimulatedDcaBot::new(config)))
}

fn history(pair: &str, rows: &[[&str; 4]], fee: &str) -> History {
    let market = Market {
        pair: Arc::from(pair),
        tick: number("0.01"),
        lot: number("0.0001"),
        fee: number(fee),
        slippage: Decimal::ZERO,
    };
    History { market, candles: hours(rows), signals: Vec::new() }
}

fn backtest_of(bot: SimulatedBot, histories: Vec<History>) -> Backtest {
    Backtest { bot, histories, balance: Decimal::ZERO, path: ExtremeOrder::Nearest }
}

fn backtest(rows: &[[&str; 4]], fee: &str) -> Backtest {
    backtest_of(bot(), vec![history("USDT_BTC", rows, fee)])
}

#[test]
fn a_deal_with_a_safety_order() {
    let backtest = backtest(&[["100", "100", "97", "98"], ["98", "100.5", "98", "100.5"]], "0.001");
    let run = backtest.run(&|| false).unwrap();
    let deals = run.deals(&backtest, &|| false).unwrap();
    // The safety order is at 100 × 1.001 × 0.98, rounded down. 1 at 100 and 1.0195 at 98.09 (100 ÷ 98.09 rounded up to the lot) are
    // 2.0195 for 200.002755 × 1.001. The target is 200.202757755 × 1.01 ÷ (2.0195 × 0.999) = 100.2263…, rounded up to 100.23.
    let deal = &deals[0];
    assert_eq!((deal.status, deal.safety_orders), (DealStatus::Completed, 1));
    assert_eq!((&deal.quantity, &deal.volume), (&number("2.0195"), &number("200.202757755")));
    assert_eq!((&deal.base_price, &deal.average_price), (&number("100.1"), &number("99.134814436741767764")));
    // 100.23 × 0.999.
    assert_eq!(deal.exit_price, Some(number("100.12977")));
    // 2.0195 × 100.23 = 202.414485: profit 202.414485 × 0.999 − 200.202757755, fee (202.414485 + 200.002755) × 0.001.
    assert_eq!((&deal.profit, &deal.fee), (&number("2.00931276"), &number("0.40241724")));
    assert_eq!(deal.profit_percentage, number("1"));
    // The deepest price is 97: 2.0195 × 97 × 0.999 − 200.202757755 = −4.5071…, which is 2.25 % of 200.202757755.
    assert_eq!(deal.drawdown_percentage, number("2.25"));
    assert_eq!((deal.opened_at, deal.closed_at), (START, Some(START + 5_400_000)));
    // The next deal opens at the price and the time at which the first one closed.
    assert_eq!(
        (deals[1].status, deals[1].opened_at, &deals[1].base_price),
        (DealStatus::Open, START + 5_400_000, &number("100.33023"))
    );

    let summary = run.summary(&deals, &backtest);
    assert_eq!((summary.deals, summary.won, summary.lost, summary.most_safety_orders), (1, 1, 0, 1));
    assert_eq!((&summary.profit, &summary.most_capital), (&number("2.00931276"), &number("200.202757755")));
    assert_eq!(summary.time_in_market, Decimal::HUNDRED);
    assert_eq!(run.figures(&backtest), summary);
    assert_eq!(backtest.figures(&|| false), Ok((summary, false)));
    assert_eq!(run.orders(&backtest, &|| false).unwrap().len(), 4);
}

#[test]
fn capital_counts_between_orders_of_the_same_time() {
    let backtest = backtest(&[["100", "103.1", "100", "103.1"], ["103.1", "103.1", "103.1", "103.1"]], "0");
    let run = backtest.run(&|| false).unwrap();
    // One move opens deals at 101, 102.01 and 103.04. The second of them takes the most: 0.9803 × 102.01.
    let capital: Vec<_> = run.equity.iter().map(|point| &point.capital).collect();
    assert_eq!(capital, [&number("100"), &number("100.00032"), &number("100.00032")]);
    assert_eq!(run.figures(&backtest).most_capital, number("100.000403"));
}

#[test]
fn a_safety_order_lowers_the_average_price_and_the_take_profit() {
    let backtest = backtest(&[["100", "100", "97", "98"], ["98", "100.5", "98", "100.5"]], "0.001");
    let run = backtest.run(&|| false).unwrap();
    let prices = run.deal_prices(&backtest, &|| false).unwrap();
    // 100.1 × 1.01 ÷ 0.999 = 101.2022…, rounded up; then 200.202757755 ÷ 2.0195, and the target of the test above.
    let expected = [(START, "100.1", "101.21"), (START + 1_800_000, "99.134814436741767764", "100.23")];
    for (prices, (from, average, take_profit)) in prices.iter().zip(expected) {
        assert_eq!((prices.deal, prices.from), (1, from));
        assert_eq!((&prices.average_price, &prices.take_profit_price), (&number(average), &Some(number(take_profit))));
    }
    let ends: Vec<_> = prices.iter().map(|prices| prices.until).collect();
    assert_eq!(ends, [START + 1_800_000, START + 5_400_000, START + 6_300_000]);
    // The second deal is open until the last price.
    assert_eq!((prices[2].deal, prices[2].from), (2, START + 5_400_000));
}

#[test]
fn rows_are_not_made_after_a_stop() {
    let backtest = backtest(&[["100", "100", "97", "98"], ["98", "100.5", "98", "100.5"]], "0.001");
    let run = backtest.run(&|| false).unwrap();
    assert_eq!(run.deals(&backtest, &|| true), Err(Interrupted));
    assert_eq!(run.orders(&backtest, &|| true), Err(Interrupted));
    assert_eq!(run.deal_prices(&backtest, &|| true), Err(Interrupted));
}

#[test]
fn a_candle_is_ambiguous_if_other_orders_fill_in_the_other_order() {
    // The low first fills the safety order, the high first takes profit before.
    let both = backtest(&[["100", "101.5", "97", "100"], ["100", "100", "100", "100"]], "0");
    assert_eq!(both.ambiguous_candles(&|| false), Ok(1));
    let one = backtest(&[["100", "101.5", "99.5", "101"], ["101", "101", "101", "101"]], "0");
    assert_eq!(one.ambiguous_candles(&|| false), Ok(0));
}

#[test]
fn a_candle_is_ambiguous_if_a_deal_opens_on_another_pair_in_the_other_order() {
    let btc = [["100"; 4], ["100", "103", "97", "100"]];
    let eth = [["102"; 4], ["100", "100", "99", "99"]];
    let mut bot = bot_on_two_pairs();
    if let EngineBot::Dca(bot) = &mut bot.state {
        bot.config.max_active_deals = 1;
    }
    let backtest = backtest_of(bot, vec![history("USDT_BTC", &btc, "0"), history("USDT_ETH", &eth, "0")]);
    // The first deal stops at 98 and makes room for one on the other pair: with the low first a quarter of an hour earlier, at 100
    // instead of 99. The order on the other pair matters too.
    let run = backtest.run(&|| false).unwrap();
    let deals = run.deals(&backtest, &|| false).unwrap();
    let opened: Vec<_> = deals.iter().map(|deal| (&*deal.pair, deal.base_price.clone())).collect();
    assert_eq!(opened, [("USDT_BTC", number("100")), ("USDT_ETH", number("100"))]);
    assert_eq!(backtest.ambiguous_candles(&|| false), Ok(2));
}

#[test]
fn a_candle_is_not_ambiguous_if_only_the_order_of_the_deals_differs() {
    let SimulatedBot { state: EngineBot::Dca(SimulatedDcaBot { config, .. }), .. } = bot_on_two_pairs() else {
        panic!("not a DCA bot")
    };
    let volume = config.deal.base_order.clone();
    let deal = DealConfig {
        safety_orders: SafetyOrders::new(1, volume, number("2"), &Decimal::ONE, &Decimal::ONE),
        stop_loss: None,
        ..config.deal.as_ref().clone()
    };
    let bot = SimulatedBot::new(EngineBot::Dca(SimulatedDcaBot::new(DcaBotConfig { deal: Arc::new(deal), ..config })));
    let rows = [["100"; 4], ["100", "101", "97", "98"]];
    let histories = vec![history("USDT_BTC", &rows, "0"), history("USDT_ETH", &rows, "0")];
    let backtest = Backtest { path: ExtremeOrder::LowFirst, ..backtest_of(bot, histories) };
    // Each deal fills its safety order at 98, with the low first or last.
    let orders = backtest.run(&|| false).unwrap().orders(&backtest, &|| false).unwrap();
    assert_eq!(orders.iter().map(|order| order.deal).collect::<Vec<_>>(), [1, 2, 1, 2].map(Some));
    assert_eq!(backtest.ambiguous_candles(&|| false), Ok(0));
}

#[test]
fn many_backtests_give_the_figures_of_each() {
    let rows = [["100", "101.5", "97", "100"], ["100", "103", "97", "100"], ["100", "100", "90", "99"]];
    let backtests: Vec<_> = ["0", "0.001", "0.01"].map(|fee| backtest(&rows, fee)).into();
    let expected = backtests.iter().map(|backtest| {
        let run = backtest.run(&|| false).unwrap();
        Some(run.summary(&run.deals(backtest, &|| false).unwrap(), backtest))
    });
    let expected: Vec<_> = expected.collect();
    let work = |index: usize, should_stop: &dyn Fn() -> bool| {
        let backtest = &backtests[index];
        Some(backtest.figures(should_stop).ok()?.0)
    };
    assert_eq!(run_indexed(0..3, 2, &work, &mut |_| false), expected);
    assert_eq!(run_indexed(0..3, 2, &work, &mut |_| true), [None, None, None]);
}

#[test]
fn indexed_work_returns_its_results_in_order_and_reports_the_last_step() {
    let mut steps = Vec::new();
    let mut on_step = |done| {
        steps.push(done);
        false
    };
    let results = run_indexed(3..7, 3, &|index, _| Some(index * 10), &mut on_step);
    assert_eq!(results, [Some(30), Some(40), Some(50), Some(60)]);
    assert_eq!((steps.first(), steps.last()), (Some(&0), Some(&4)));
}

#[test]
fn indexed_work_that_is_stopped_keeps_what_is_done() {
    // The second index runs until it is stopped.
    let work = |index: usize, is_stopped: &dyn Fn() -> bool| {
        while index == 1 && !is_stopped() {
            std::thread::yield_now();
        }
        (index != 1).then_some(index)
    };
    assert_eq!(run_indexed(0..3, 1, &work, &mut |done| done == 1), [Some(0), None, None]);
}
