//! Fee and slippage.

use super::simulation::{BotSimulation, base_order_only, nonstop, number, on_signal, safety_orders, stop_loss, target};
use crate::engine::{DcaBotConfig, DealConfig};
use crate::ladder::Direction::{Long, Short};

#[test]
fn a_long_deal_earns_exit_less_fee_minus_entry_plus_fee() {
    let deal = DealConfig { targets: vec![target("1", "100")], ..base_order_only(Long) };
    let mut simulation = BotSimulation::new(nonstop(deal)).with_costs("0.001", "0");
    simulation.jump("100");
    // 100 × 1.001 × 1.01 ÷ 0.999 = 101.2022…, rounded up. 101.21 × 0.999 - 100 × 1.001 = 1.00879.
    let expected = ["take_profit: sell 1 at 101.21", "deal 1 closed: TakeProfit, 1.00879"];
    assert_eq!(simulation.move_to("101.21")[..2], expected);
}

#[test]
fn a_short_deal_earns_entry_less_fee_minus_exit_plus_fee() {
    let deal = DealConfig { targets: vec![target("1", "100")], ..base_order_only(Short) };
    let mut simulation = BotSimulation::new(nonstop(deal)).with_costs("0.001", "0");
    simulation.jump("100");
    // 100 × 0.999 × 0.99 ÷ 1.001 = 98.8021…, rounded down. 100 × 0.999 - 98.8 × 1.001 = 1.0012.
    let expected = ["take_profit: buy 1 at 98.8", "deal 1 closed: TakeProfit, 1.0012"];
    assert_eq!(simulation.move_to("98.8")[..2], expected);
}

#[test]
fn an_open_deal_is_valued_after_both_fees() {
    let mut simulation = BotSimulation::new(nonstop(base_order_only(Long))).with_costs("0.001", "0");
    simulation.jump("100");
    // 110 × 0.999 - 100 × 1.001 = 9.79.
    assert_eq!(simulation.bot.deals[0].profit(&number("110"), &simulation.prices.markets[0]), number("9.79"));
}

#[test]
fn slippage_makes_market_orders_worse_and_rounds_them_to_the_worse_side() {
    let deal = |direction| DealConfig { stop_loss: Some(stop_loss("10")), ..base_order_only(direction) };
    let slipping = |direction| BotSimulation::new(on_signal(deal(direction))).with_costs("0", "0.0015");
    let mut long = slipping(Long);
    long.jump("33.33");
    long.apply(&super::random::SimulationStep::Signal(0));
    // 33.33 × 1.0015 = 33.379995, rounded up.
    assert_eq!(long.log()[1], "base_order: buy 1 at 33.38");
    // The stop loss triggers at 33.38 × 0.9 = 30.042, rounded down to 30.04; 30.04 × 0.9985 = 29.99494, rounded down.
    assert_eq!(long.move_to("20"), ["stop_loss: sell 1 at 29.99", "deal 1 closed: StopLoss, -3.39"]);
    let mut short = slipping(Short);
    short.jump("33.33");
    short.apply(&super::random::SimulationStep::Signal(0));
    // 33.33 × 0.9985 = 33.280005, rounded down.
    assert_eq!(short.log()[1], "base_order: sell 1 at 33.28");
    // 33.28 × 1.1 = 36.608, rounded up to 36.61; 36.61 × 1.0015 = 36.664915, rounded up.
    assert_eq!(short.move_to("50"), ["stop_loss: buy 1 at 36.67", "deal 1 closed: StopLoss, -3.39"]);
}

#[test]
fn safety_orders_and_the_stop_loss_are_measured_from_the_average_with_its_fee() {
    let deal =
        DealConfig { safety_orders: safety_orders(1, "1"), stop_loss: Some(stop_loss("2")), ..base_order_only(Long) };
    let mut simulation = BotSimulation::new(on_signal(deal)).with_costs("0.001", "0");
    simulation.jump("100");
    simulation.apply(&super::random::SimulationStep::Signal(0));
    simulation.log();
    // 100.1 × 0.99 = 99.099 and 100.1 × 0.98 = 98.098, both rounded down.
    assert_eq!(simulation.move_to("98.5"), ["safety_order: buy 1 at 99.09"]);
    assert_eq!(simulation.move_to("98")[0], "stop_loss: sell 2 at 98.09");
}

#[test]
fn a_safety_order_that_slippage_puts_past_the_price_fills_at_once() {
    let deal = DealConfig { safety_orders: safety_orders(3, "0.4"), ..base_order_only(Long) };
    let mut simulation = BotSimulation::new(nonstop(deal)).with_costs("0", "0.01");
    // The base order fills at 101: 101 × 0.996 and 101 × 0.992 are above the price of 100, 101 × 0.988 = 99.788 is below.
    let expected = [
        "deal 1 opened on USDT_BTC",
        "base_order: buy 1 at 101",
        "safety_order: buy 1 at 100.59",
        "safety_order: buy 1 at 100.19",
    ];
    assert_eq!(simulation.jump("100"), expected);
    assert_eq!(simulation.move_to("99"), ["safety_order: buy 1 at 99.78"]);
}

#[test]
fn limit_orders_have_no_slippage() {
    let deal = DealConfig {
        base_order_is_market: false,
        safety_orders: safety_orders(1, "1"),
        targets: vec![target("1", "100")],
        ..base_order_only(Long)
    };
    let mut simulation = BotSimulation::new(nonstop(deal)).with_costs("0", "0.005");
    assert_eq!(simulation.jump("100")[1], "base_order: buy 1 at 100");
    assert_eq!(simulation.move_to("99"), ["safety_order: buy 1 at 99"]);
    // 99.5 × 1.01 = 100.495, rounded up.
    assert_eq!(simulation.move_to("101")[0], "take_profit: sell 2 at 100.5");
}

#[test]
fn trailing_and_timeouts_have_slippage() {
    let deal = DealConfig {
        base_order_is_market: false,
        targets: vec![target("1", "100")],
        trailing: Some(number("1")),
        ..base_order_only(Long)
    };
    let config = DcaBotConfig { deal_timeout: Some(1_000), max_deals: Some(2), ..nonstop(deal) };
    let mut simulation = BotSimulation::new(config).with_costs("0", "0.01");
    simulation.jump("100");
    simulation.move_to("110");
    // 110 × 0.99 = 108.9 triggers; 108.9 × 0.99 = 107.811, rounded down.
    assert_eq!(simulation.move_to("108.9")[0], "trailing: sell 1 at 107.81");
    // 108.9 × 0.99, as above.
    assert_eq!(simulation.wait(1_000)[0], "timeout: sell 1 at 107.81");
}

#[test]
fn the_realized_profit_is_that_of_the_closed_part_after_fees() {
    let deal = DealConfig { targets: vec![target("1", "33"), target("2", "100")], ..base_order_only(Long) };
    let mut simulation = BotSimulation::new(nonstop(deal)).with_costs("0.001", "0");
    simulation.jump("100");
    // The step is at 101.21, as above.
    assert_eq!(simulation.move_to("102"), ["take_profit: sell 0.33 at 101.21"]);
    // 0.33 × 101.21 × 0.999 - 0.33 × 100 × 1.001 = 33.3659007 - 33.033.
    assert_eq!(simulation.bot.deals[0].realized_profit(), number("0.3329007"));
}
