//! Fee and slippage.

use super::simulation::{BotSimulation, base_order_only, nonstop, number, on_signal, safety_orders, stop_loss, target};
use crate::engine::{DcaBotConfig, DealConfig};
use crate::ladder::Direction::{Long, Short};

#[test]
fn a_long_deal_earns_exit_less_fee_minus_entry_plus_fee() {
    let deal = DealConfig { targets: vec![target("1", "100")], ..base_order_only(Long) };
    let mut simulation = BotSimulation::new(nonstop(deal)).with_costs("0.001", "0");
    simulation.jump("100");
    // 100 × 1.01 ÷ 0.999 = 101.1011…, rounded up. 101.11 × 0.999 - 100 × 1.001 = 0.90889.
    let expected = ["take_profit: sell 1 at 101.11", "deal 1 closed: TakeProfit, 0.90889"];
    assert_eq!(simulation.move_to("101.11")[..2], expected);
}

#[test]
fn a_short_deal_earns_entry_less_fee_minus_exit_plus_fee() {
    let deal = DealConfig { targets: vec![target("1", "100")], ..base_order_only(Short) };
    let mut simulation = BotSimulation::new(nonstop(deal)).with_costs("0.001", "0");
    simulation.jump("100");
    // 100 × 0.99 ÷ 1.001 = 98.9010…, rounded down. 100 × 0.999 - 98.9 × 1.001 = 0.9011.
    let expected = ["take_profit: buy 1 at 98.9", "deal 1 closed: TakeProfit, 0.9011"];
    assert_eq!(simulation.move_to("98.9")[..2], expected);
}

#[test]
fn an_open_deal_is_valued_after_both_fees() {
    let mut simulation = BotSimulation::new(nonstop(base_order_only(Long))).with_costs("0.001", "0");
    simulation.jump("100");
    // 110 × 0.999 - 100 × 1.001 = 9.79.
    assert_eq!(simulation.bot.deals[0].profit(&number("110"), &number("0.001")), number("9.79"));
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
    // The step is at 101.11, as above.
    assert_eq!(simulation.move_to("102"), ["take_profit: sell 0.33 at 101.11"]);
    // 0.33 × 101.11 × 0.999 - 0.33 × 100 × 1.001 = 33.3329337 - 33.033.
    assert_eq!(simulation.bot.deals[0].realized_profit(&number("0.001")), number("0.2999337"));
}
