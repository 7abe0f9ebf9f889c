//! Take profits: of the total and of the base order, and in steps.

use super::random::SimulationStep;
use super::simulation::{BotSimulation, base_order_only, market, number, safety_orders, stop_loss, target};
use crate::engine::{DealConfig, EventKind, StopLoss, Target};
use crate::ladder::Direction::{self, Long, Short};
use crate::position::{ProfitOf, TakeProfit};

fn with_targets<const N: usize>(direction: Direction, targets: [Target; N]) -> DealConfig {
    DealConfig { targets: targets.into(), ..base_order_only(direction) }
}

#[test]
fn a_take_profit_fills_at_its_own_price_in_a_move_and_in_a_jump() {
    let closed = ["take_profit: sell 1 at 101", "deal 1 closed: TakeProfit, 1"];
    assert_eq!(BotSimulation::of_deal(with_targets(Long, [target("1", "100")]), "100").move_to("105"), closed);
    assert_eq!(BotSimulation::of_deal(with_targets(Long, [target("1", "100")]), "100").jump("105"), closed);
    let closed = ["take_profit: buy 1 at 99", "deal 1 closed: TakeProfit, 1"];
    assert_eq!(BotSimulation::of_deal(with_targets(Short, [target("1", "100")]), "100").move_to("95"), closed);
    assert_eq!(BotSimulation::of_deal(with_targets(Short, [target("1", "100")]), "100").jump("95"), closed);
}

#[test]
fn a_take_profit_is_rounded_to_the_tick_so_that_it_earns_no_less() {
    // 33.33 × 1.01 = 33.6633 and 33.33 × 0.99 = 32.9967.
    let mut long = BotSimulation::of_deal(with_targets(Long, [target("1", "100")]), "33.33");
    assert_eq!(long.move_to("33.66"), [""; 0]);
    assert_eq!(long.move_to("33.67"), ["take_profit: sell 1 at 33.67", "deal 1 closed: TakeProfit, 0.34"]);
    let mut short = BotSimulation::of_deal(with_targets(Short, [target("1", "100")]), "33.33");
    assert_eq!(short.move_to("32.99"), ["take_profit: buy 1 at 32.99", "deal 1 closed: TakeProfit, 0.34"]);
}

#[test]
fn a_safety_order_lowers_the_take_profit() {
    let deal = DealConfig { safety_orders: safety_orders(1, "10"), ..with_targets(Long, [target("10", "100")]) };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("90");
    // (100 + 90) ÷ 2 × 1.1 = 104.5, which earns 2 × 104.5 - 190.
    assert_eq!(simulation.move_to("110"), ["take_profit: sell 2 at 104.5", "deal 1 closed: TakeProfit, 19"]);
}

#[test]
fn a_take_profit_of_the_base_order_counts_the_base_order_alone() {
    let of_base = TakeProfit { percent: number("10"), of: ProfitOf::BaseOrder };
    let target = Target { take_profit: of_base, closed: number("100") };
    let deal = DealConfig { safety_orders: safety_orders(1, "10"), ..with_targets(Long, [target]) };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("90");
    // (190 + 100 × 10 %) ÷ 2 = 100.
    assert_eq!(simulation.move_to("110"), ["take_profit: sell 2 at 100", "deal 1 closed: TakeProfit, 10"]);
}

#[test]
fn steps_close_their_percentages_of_the_deal() {
    let steps = [target("1", "33"), target("2", "66"), target("3", "100")];
    let mut simulation = BotSimulation::of_deal(with_targets(Long, steps), "100");
    assert_eq!(simulation.move_to("101.5"), ["take_profit: sell 0.33 at 101"]);
    // The profit of the closed part: 0.33 × 1.
    let realized = simulation.bot.deals[0].realized_profit();
    assert_eq!(realized, number("0.33"));
    assert_eq!(simulation.move_to("102"), ["take_profit: sell 0.33 at 102"]);
    // 0.33 × 1 + 0.33 × 2 + 0.34 × 3 = 2.01.
    assert_eq!(simulation.move_to("103"), ["take_profit: sell 0.34 at 103", "deal 1 closed: TakeProfit, 2.01"]);
}

#[test]
fn a_jump_over_several_steps_fills_each_at_its_own_price() {
    let steps = [target("1", "50"), target("2", "100")];
    let mut simulation = BotSimulation::of_deal(with_targets(Short, steps), "100");
    // 0.5 × 1 + 0.5 × 2 = 1.5.
    let expected = ["take_profit: buy 0.5 at 99", "take_profit: buy 0.5 at 98", "deal 1 closed: TakeProfit, 1.5"];
    assert_eq!(simulation.jump("90"), expected);
}

#[test]
fn the_quantity_of_a_step_is_rounded_down_to_the_lot() {
    let deal = with_targets(Long, [target("1", "0.005"), target("2", "0.015"), target("3", "100")]);
    let mut simulation = BotSimulation::of_deal(deal, "100");
    // 1 × 0.005 % = 0.00005 is less than the lot 0.0001; 1 × 0.015 % = 0.00015 is one lot.
    let expected = ["take_profit: sell 0.0001 at 102", "take_profit: sell 0.9999 at 103"];
    assert_eq!(simulation.move_to("103")[..2], expected);
}

#[test]
fn after_a_step_there_are_no_safety_orders() {
    let deal = DealConfig {
        safety_orders: safety_orders(3, "1"),
        ..with_targets(Long, [target("1", "50"), target("2", "100")])
    };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("101");
    assert_eq!(simulation.bot.deals[0].active_safety_orders(), 0);
    assert_eq!(simulation.move_to("50"), [""; 0]);
}

#[test]
fn each_step_moves_the_stop_loss_one_level_up_to_the_limit() {
    let prices = |limit: usize| {
        let stop_loss = StopLoss { breakeven_limit: Some(limit), ..stop_loss("5") };
        let steps = [target("1", "25"), target("2", "50"), target("3", "75"), target("4", "100")];
        let deal = DealConfig { stop_loss: Some(stop_loss), ..with_targets(Long, steps) };
        let mut simulation = BotSimulation::of_deal(deal, "100");
        ["100.5", "101", "102", "103"].map(|price| {
            simulation.move_to(price);
            simulation.bot.deals[0].stop_loss_price(&market("USDT_BTC")).unwrap().normalized().to_string()
        })
    };
    // 0 is the base order's price, 1 the first step.
    assert_eq!(prices(0), ["95", "100", "100", "100"]);
    assert_eq!(prices(1), ["95", "100", "101", "101"]);
    assert_eq!(prices(2), ["95", "100", "101", "102"]);
    assert_eq!(prices(9), ["95", "100", "101", "102"]);
}

#[test]
fn a_stop_loss_at_break_even_closes_the_rest() {
    let stop_loss = StopLoss { breakeven_limit: Some(1), ..stop_loss("5") };
    let steps = [target("1", "50"), target("2", "100")];
    let mut simulation =
        BotSimulation::of_deal(DealConfig { stop_loss: Some(stop_loss), ..with_targets(Long, steps) }, "100");
    simulation.move_to("101.5");
    // 0.5 × 1 + 0.5 × 0.
    assert_eq!(simulation.move_to("90"), ["stop_loss: sell 0.5 at 100", "deal 1 closed: StopLoss, 0.5"]);
}

#[test]
fn a_target_that_moves_the_stop_loss_past_the_price_starts_its_timer_again() {
    let of_base_order = |percent, closed| {
        let Target { take_profit, closed } = target(percent, closed);
        Target { take_profit: TakeProfit { of: ProfitOf::BaseOrder, ..take_profit }, closed }
    };
    let deal = DealConfig {
        stop_loss: Some(StopLoss { timeout: Some(60_000), breakeven_limit: Some(0), ..stop_loss("5") }),
        safety_orders: safety_orders(1, "10"),
        ..with_targets(Long, [of_base_order("1", "50"), of_base_order("99", "100")])
    };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("90");
    assert_eq!(simulation.bot.deals[0].stops_at, Some(60_000));
    simulation.wait(30_000);
    // The price leaves the stop loss at 95. At 95.5, the first target moves it to 100.
    assert_eq!(simulation.move_to("96"), ["take_profit: sell 1 at 95.5"]);
    assert_eq!(simulation.bot.deals[0].stops_at, Some(90_000));
}

#[test]
fn a_trailing_stop_loss_is_not_lowered_to_break_even() {
    let stop_loss = StopLoss { breakeven_limit: Some(0), is_trailing: true, ..stop_loss("1") };
    let steps = [target("2", "50"), target("10", "100")];
    let mut simulation =
        BotSimulation::of_deal(DealConfig { stop_loss: Some(stop_loss), ..with_targets(Long, steps) }, "100");
    simulation.move_to("102");
    simulation.move_to("105");
    // 1 % below 105: 0.5 × 2 + 0.5 × 3.95.
    assert_eq!(simulation.move_to("98"), ["stop_loss: sell 0.5 at 103.95", "deal 1 closed: StopLoss, 2.975"]);
}

#[test]
fn a_deal_whose_first_targets_sell_everything_is_closed_by_them() {
    let steps = [target("1", "100"), target("2", "150")];
    let mut simulation = BotSimulation::of_deal(with_targets(Long, steps), "100");
    assert_eq!(simulation.move_to("105"), ["take_profit: sell 1 at 101", "deal 1 closed: TakeProfit, 1"]);
}

#[test]
fn a_deal_without_targets_stays_open() {
    let mut simulation = BotSimulation::of_deal(base_order_only(Long), "100");
    assert_eq!(simulation.move_to("1000"), [""; 0]);
    assert_eq!(simulation.bot.deals[0].take_profit_price(&market("USDT_BTC")), None);
}

#[test]
fn a_closed_deal_has_the_take_profit_of_its_last_step() {
    let deal = with_targets(Long, [target("1", "50"), target("2", "100")]);
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.apply(&SimulationStep::Jump(0, number("105")));
    let Some(EventKind::DealClosed { deal, .. }) = simulation.events.last().map(|event| &event.kind) else {
        panic!("the deal is open");
    };
    assert_eq!(deal.take_profit_price(&market("USDT_BTC")), Some(number("102")));
}
