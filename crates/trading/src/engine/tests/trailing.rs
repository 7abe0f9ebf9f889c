//! Trailing: it starts at the take profit and closes the deal once the price falls back from its best value.

use super::random::SimulationStep;
use super::simulation::{BotSimulation, base_order_only, nonstop, number, on_signal, safety_orders, stop_loss, target};
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

/// Returns a deal with a safety order at 98 that trails by a percentage from 101 on.
fn with_safety_order(deviation: &str) -> DealConfig {
    DealConfig { trailing: Some(number(deviation)), safety_orders: safety_orders(1, "2"), ..trailing(Long) }
}

#[test]
fn trailing_ends_without_a_sale_when_the_price_falls_to_break_even() {
    let mut simulation = BotSimulation::of_deal(with_safety_order("5"), "100");
    simulation.move_to("101.5");
    assert_eq!(best(&simulation), Some("101.5".into()));
    assert_eq!(simulation.move_to("100.01"), [""; 0]);
    assert_eq!(best(&simulation), Some("101.5".into()));
    simulation.move_to("100");
    assert_eq!(best(&simulation), None);
    assert_eq!(simulation.move_to("97"), ["safety_order: buy 1 at 98"]);
    // The deal waits for its target again: (100 + 98) ÷ 2 × 1.01 = 99.99.
    simulation.move_to("99.99");
    assert_eq!(best(&simulation), Some("99.99".into()));
}

#[test]
fn a_jump_past_the_limit_and_break_even_ends_trailing_without_a_sale() {
    let mut simulation = BotSimulation::of_deal(with_safety_order("0.2"), "100");
    simulation.move_to("101.5");
    assert_eq!(simulation.jump("97.5"), ["safety_order: buy 1 at 98"]);
    assert_eq!(best(&simulation), None);
    let mut simulation = BotSimulation::of_deal(DealConfig { direction: Short, ..with_safety_order("0.2") }, "100");
    simulation.move_to("98.5");
    assert_eq!(simulation.jump("102.5"), ["safety_order: sell 1 at 102"]);
}

#[test]
fn break_even_is_the_average_with_the_fees_of_both_orders() {
    let mut simulation = BotSimulation::new(on_signal(trailing(Long))).with_costs("0.001", "0");
    simulation.jump("100");
    simulation.apply(&SimulationStep::Signal(0));
    simulation.log();
    // Trailing starts at 101.21. Its limit is 101.21 × 0.995 = 100.70395; break even is 100.1 ÷ 0.999 = 100.2002…
    simulation.move_to("101.21");
    assert_eq!(simulation.jump("100.2"), [""; 0]);
    assert_eq!(best(&simulation), None);
    simulation.move_to("101.21");
    // 100.21 × 0.999 - 100.1 = 0.00979.
    assert_eq!(simulation.jump("100.21"), ["trailing: sell 1 at 100.21", "deal 1 closed: TakeProfit, 0.00979"]);
}

#[test]
fn the_safety_orders_of_a_deal_that_trails_are_withdrawn() {
    let mut simulation = BotSimulation::of_deal(with_safety_order("0.5"), "100");
    let active = |simulation: &BotSimulation| simulation.bot.deals[0].active_safety_orders();
    simulation.move_to("100.99");
    assert_eq!(active(&simulation), 1);
    simulation.move_to("101");
    assert_eq!(active(&simulation), 0);
    simulation.jump("99");
    assert_eq!(active(&simulation), 1);
}

#[test]
fn a_deal_that_trails_keeps_its_stop_loss() {
    let deal = DealConfig { stop_loss: Some(stop_loss("-0.5")), ..trailing(Long) };
    let mut simulation = BotSimulation::of_deal(DealConfig { trailing: Some(number("5")), ..deal }, "100");
    simulation.move_to("101");
    // A stop loss in profit, at 100.5, is reached before break even.
    assert_eq!(simulation.move_to("90"), ["stop_loss: sell 1 at 100.5", "deal 1 closed: StopLoss, 0.5"]);
}

#[test]
fn a_deal_that_trails_does_not_visit_its_take_profit_again() {
    let deal = DealConfig { trailing: Some(number("5")), ..trailing(Long) };
    let limited = DcaBotConfig {
        max_active_deals: 2,
        max_deals_per_pair: Some(2),
        max_price: Some(number("100")),
        ..nonstop(deal)
    };
    let mut simulation = BotSimulation::new(limited);
    simulation.jump("100");
    simulation.move_to("102");
    simulation.move_to("100.5");
    simulation.bot.config.max_price = None;
    // A deal would open at 101, if the move visited it.
    assert_eq!(simulation.move_to("103"), ["deal 2 opened on USDT_BTC", "base_order: buy 1 at 103"]);
}
