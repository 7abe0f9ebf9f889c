//! Trailing: it starts at the take profit and closes the deal once the price falls back from its best value.

use super::simulation::{BotSimulation, base_order_only, nonstop, number, safety_orders, stop_loss, target};
use crate::engine::{DcaBotConfig, DealConfig};
use crate::ladder::Direction::{self, Long, Short};

fn trailing(direction: Direction) -> DealConfig {
    let trailing = Some(number("0.5"));
    DealConfig { targets: vec![target("1", "100")], trailing, ..base_order_only(direction) }
}

fn best(simulation: &BotSimulation) -> Option<String> {
    simulation.bot.deals[0].trailing_best.as_ref().map(|best| best.normalized().to_string())
}

#[test]
fn trailing_starts_at_the_take_profit_and_follows_the_best_price() {
    let mut simulation = BotSimulation::of_deal(trailing(Long), "100");
    simulation.move_to("100.99");
    assert_eq!(best(&simulation), None);
    simulation.move_to("101");
    assert_eq!(best(&simulation), Some("101".into()));
    simulation.move_to("103");
    simulation.move_to("102.9");
    assert_eq!(best(&simulation), Some("103".into()));
}

#[test]
fn in_a_move_trailing_closes_at_its_trigger_rounded_to_the_tick() {
    let mut simulation = BotSimulation::of_deal(trailing(Long), "100");
    simulation.move_to("102.01");
    // 102.01 × 0.995 = 101.49995.
    assert_eq!(simulation.move_to("101.5"), [""; 0]);
    assert_eq!(simulation.move_to("90"), ["trailing: sell 1 at 101.49", "deal 1 closed: TakeProfit, 1.49"]);
    let mut simulation = BotSimulation::of_deal(trailing(Short), "100");
    simulation.move_to("98.01");
    // 98.01 × 1.005 = 98.50005.
    assert_eq!(simulation.move_to("110"), ["trailing: buy 1 at 98.51", "deal 1 closed: TakeProfit, 1.49"]);
}

#[test]
fn a_trailing_exit_is_not_past_the_end_of_the_move() {
    let mut simulation = BotSimulation::of_deal(trailing(Long), "100");
    simulation.move_to("102.01");
    let closed = ["trailing: sell 1 at 101.495", "deal 1 closed: TakeProfit, 1.495"];
    assert_eq!(simulation.move_to("101.495"), closed);
}

#[test]
fn in_a_jump_trailing_closes_at_the_price_after_it() {
    let mut simulation = BotSimulation::of_deal(trailing(Long), "100");
    assert_eq!(simulation.jump("110"), [""; 0]);
    assert_eq!(best(&simulation), Some("110".into()));
    // 110 × 0.995 = 109.45.
    assert_eq!(simulation.jump("109.46"), [""; 0]);
    assert_eq!(simulation.jump("105"), ["trailing: sell 1 at 105", "deal 1 closed: TakeProfit, 5"]);
}

#[test]
fn the_start_of_trailing_is_a_visited_price() {
    // 33.33 × 1.01 = 33.6633: trailing starts at 33.67 and goes on to the end of the move.
    let mut simulation = BotSimulation::of_deal(trailing(Long), "33.33");
    simulation.move_to("34");
    assert_eq!(best(&simulation), Some("34".into()));
}

#[test]
fn a_deal_that_trails_keeps_its_safety_orders_and_its_stop_loss() {
    let deal = DealConfig {
        trailing: Some(number("5")),
        safety_orders: safety_orders(1, "1"),
        stop_loss: Some(stop_loss("2")),
        ..trailing(Long)
    };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("101");
    // Trailing would close at 101 × 0.95 = 95.95; the stop loss is at 98: (98 - 100) + (98 - 99) = -3.
    let expected = ["safety_order: buy 1 at 99", "stop_loss: sell 2 at 98", "deal 1 closed: StopLoss, -3"];
    assert_eq!(simulation.move_to("90"), expected);
}

#[test]
fn a_deal_that_trails_does_not_visit_its_take_profit_again() {
    let deal = DealConfig { trailing: Some(number("5")), ..trailing(Long) };
    let limited = DcaBotConfig { max_active_deals: 2, max_price: Some(number("100")), ..nonstop(deal) };
    let mut simulation = BotSimulation::new(limited);
    simulation.jump("100");
    simulation.move_to("102");
    simulation.move_to("100.5");
    simulation.bot.config.max_price = None;
    // A deal would open at 101, if the move visited it.
    assert_eq!(simulation.move_to("103"), ["deal 2 opened on USDT_BTC", "base_order: buy 1 at 103"]);
}
