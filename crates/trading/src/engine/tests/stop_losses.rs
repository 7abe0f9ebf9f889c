//! Stop losses: plain, trailing, and with a timeout.

use super::simulation::{BotSimulation, base_order_only, market, number, safety_orders, stop_loss, target};
use crate::engine::{DealConfig, StopLoss};
use crate::ladder::Direction::{self, Long, Short};

fn stops(direction: Direction, stop_loss: StopLoss) -> DealConfig {
    DealConfig { stop_loss: Some(stop_loss), ..base_order_only(direction) }
}

fn trails(percent: &str) -> StopLoss {
    StopLoss { is_trailing: true, ..stop_loss(percent) }
}

fn waits(percent: &str, timeout: i64) -> StopLoss {
    StopLoss { timeout: Some(timeout), ..stop_loss(percent) }
}

#[test]
fn in_a_jump_a_stop_loss_fills_at_the_price_after_it() {
    let mut simulation = BotSimulation::of_deal(stops(Long, stop_loss("10")), "100");
    assert_eq!(simulation.jump("90.01"), [""; 0]);
    assert_eq!(simulation.jump("80"), ["stop_loss: sell 1 at 80", "deal 1 closed: StopLoss, -20"]);
    let mut simulation = BotSimulation::of_deal(stops(Short, stop_loss("10")), "100");
    assert_eq!(simulation.jump("120"), ["stop_loss: buy 1 at 120", "deal 1 closed: StopLoss, -20"]);
}

#[test]
fn in_a_move_a_stop_loss_fills_at_its_price_rounded_away_to_the_tick() {
    // 33.33 × 0.9 = 29.997 and 33.33 × 1.1 = 36.663.
    let mut simulation = BotSimulation::of_deal(stops(Long, stop_loss("10")), "33.33");
    assert_eq!(simulation.move_to("20"), ["stop_loss: sell 1 at 29.99", "deal 1 closed: StopLoss, -3.34"]);
    let mut simulation = BotSimulation::of_deal(stops(Short, stop_loss("10")), "33.33");
    assert_eq!(simulation.move_to("50"), ["stop_loss: buy 1 at 36.67", "deal 1 closed: StopLoss, -3.34"]);
}

#[test]
fn in_a_move_a_stop_loss_does_not_fill_past_the_end() {
    let mut simulation = BotSimulation::of_deal(stops(Long, stop_loss("10")), "33.33");
    assert_eq!(simulation.move_to("29.998"), [""; 0]);
    assert_eq!(simulation.move_to("29.995"), ["stop_loss: sell 1 at 29.995", "deal 1 closed: StopLoss, -3.335"]);
}

#[test]
fn a_trailing_stop_loss_follows_the_best_price() {
    let mut simulation = BotSimulation::of_deal(stops(Long, trails("10")), "100");
    simulation.move_to("120");
    simulation.move_to("110");
    // 120 × 0.9 = 108.
    assert_eq!(simulation.move_to("100"), ["stop_loss: sell 1 at 108", "deal 1 closed: StopLoss, 8"]);
    let mut simulation = BotSimulation::of_deal(stops(Short, trails("10")), "100");
    simulation.jump("80");
    // 80 × 1.1 = 88.
    assert_eq!(simulation.move_to("100"), ["stop_loss: buy 1 at 88", "deal 1 closed: StopLoss, 12"]);
}

#[test]
fn a_trailing_stop_loss_starts_at_the_base_order() {
    let mut simulation = BotSimulation::of_deal(stops(Long, trails("10")), "100");
    simulation.move_to("95");
    assert_eq!(simulation.move_to("80"), ["stop_loss: sell 1 at 90", "deal 1 closed: StopLoss, -10"]);
}

#[test]
fn the_best_price_counts_only_for_a_trailing_stop_loss() {
    let price = |stop_loss| {
        let mut simulation = BotSimulation::of_deal(stops(Long, stop_loss), "100");
        // A record may have a best price from before an edit.
        simulation.bot.deals[0].stop_loss_best = Some(number("120"));
        simulation.bot.deals[0].stop_loss_price(&market("USDT_BTC"))
    };
    assert_eq!((price(trails("10")), price(stop_loss("10"))), (Some(number("108")), Some(number("90"))));
}

#[test]
fn a_stop_loss_with_a_timeout_closes_the_deal_when_it_is_over() {
    let mut simulation = BotSimulation::of_deal(stops(Long, waits("10", 5_000)), "100");
    assert_eq!(simulation.move_to("85"), [""; 0]);
    assert_eq!(simulation.wait(4_999), [""; 0]);
    assert_eq!(simulation.move_to("80"), [""; 0]);
    // It fills at the price of the moment.
    assert_eq!(simulation.wait(1), ["stop_loss: sell 1 at 80", "deal 1 closed: StopLoss, -20"]);
}

#[test]
fn the_timeout_of_a_stop_loss_starts_again_after_the_price_recovered() {
    let mut simulation = BotSimulation::of_deal(stops(Long, waits("10", 5_000)), "100");
    simulation.move_to("90");
    simulation.wait(4_000);
    // Only a price above the stop loss is a recovery.
    simulation.move_to("90");
    assert_eq!(simulation.bot.deals[0].stops_at, Some(5_000));
    simulation.move_to("90.01");
    assert_eq!(simulation.bot.deals[0].stops_at, None);
    assert_eq!(simulation.wait(4_000), [""; 0]);
    simulation.move_to("89");
    assert_eq!(simulation.wait(4_999), [""; 0]);
    assert_eq!(simulation.wait(1), ["stop_loss: sell 1 at 89", "deal 1 closed: StopLoss, -11"]);
}

#[test]
fn a_move_through_a_stop_loss_with_a_timeout_and_back_starts_nothing() {
    let mut simulation = BotSimulation::of_deal(stops(Short, waits("10", 5_000)), "100");
    simulation.move_to("115");
    simulation.move_to("105");
    assert_eq!(simulation.wait(60_000), [""; 0]);
}

#[test]
fn a_take_profit_comes_before_a_timeout_that_has_started() {
    let deal = DealConfig { targets: vec![target("1", "100")], ..stops(Long, waits("10", 5_000)) };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("85");
    assert_eq!(simulation.jump("105"), ["take_profit: sell 1 at 101", "deal 1 closed: TakeProfit, 1"]);
    assert_eq!(simulation.wait(60_000), [""; 0]);
}

#[test]
fn a_stop_loss_is_measured_from_the_base_order_after_safety_orders() {
    let deal = DealConfig { safety_orders: safety_orders(1, "5"), ..stops(Long, stop_loss("10")) };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    // (90 - 100) + (90 - 95) = -15.
    let expected = ["safety_order: buy 1 at 95", "stop_loss: sell 2 at 90", "deal 1 closed: StopLoss, -15"];
    assert_eq!(simulation.move_to("80"), expected);
}
