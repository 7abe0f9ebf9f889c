//! The prices that a move visits, and the range in which nothing happens.

use super::random::SimulationStep;
use super::simulation::{BotSimulation, base_order_only, market, nonstop, number, safety_orders, stop_loss, target};
use crate::decimal::Decimal;
use crate::engine::movement::{PriceMove, QuietRange};
use crate::engine::{DcaBotConfig, DealConfig, StopLoss};
use crate::ladder::Direction::{Long, Short};

/// Returns what a price_move says about a price: whether it passes it, and the price at which a trigger there fills.
fn visits(from: &str, to: &str, price: &str) -> (bool, Option<String>) {
    let (from, to, price, market) = (number(from), number(to), number(price), market("USDT_BTC"));
    let price_move = PriceMove { from: &from, to: &to, market: &market };
    (price_move.passes(&price), price_move.trigger_fill_price(&price).map(|price| price.normalized().to_string()))
}

#[test]
fn a_move_passes_its_end_but_not_its_start() {
    assert_eq!(visits("100", "110", "100"), (false, None));
    assert_eq!(visits("100", "110", "110"), (true, Some("110".into())));
    assert_eq!(visits("100", "90", "90"), (true, Some("90".into())));
    assert_eq!(visits("100", "90", "100"), (false, None));
    assert_eq!(visits("100", "100", "100"), (false, None));
}

#[test]
fn a_trigger_is_rounded_in_the_direction_of_the_move_but_not_past_its_end() {
    assert_eq!(visits("100", "110", "105.001"), (true, Some("105.01".into())));
    assert_eq!(visits("100", "105.002", "105.001"), (true, Some("105.002".into())));
    assert_eq!(visits("110", "100", "105.009"), (true, Some("105".into())));
    assert_eq!(visits("110", "105.008", "105.009"), (true, Some("105.008".into())));
}

#[test]
fn the_first_of_two_prices_is_the_nearer_one() {
    let first = |from: &str, to: &str, left: Option<&str>, right: Option<&str>| {
        let (from, to, market) = (number(from), number(to), market("USDT_BTC"));
        PriceMove { from: &from, to: &to, market: &market }.first([left, right].into_iter().flatten().map(number))
    };
    assert_eq!(first("100", "110", Some("105"), Some("103")), Some(number("103")));
    assert_eq!(first("100", "90", Some("95"), Some("93")), Some(number("95")));
    assert_eq!(first("100", "90", None, Some("93")), Some(number("93")));
    assert_eq!(first("100", "90", None, None), None);
}

fn range(simulation: &BotSimulation) -> Option<[Option<Decimal>; 2]> {
    let range = simulation.bot.quiet_range(&market("USDT_BTC"), simulation.now);
    range.map(|QuietRange { lower, upper }| [lower.cloned(), upper.cloned()])
}

fn between(lower: &str, upper: &str) -> [Option<Decimal>; 2] {
    [lower, upper].map(|price| Some(number(price)))
}

#[test]
fn a_deal_is_quiet_between_its_nearest_orders() {
    let deal = |direction| DealConfig {
        safety_orders: safety_orders(2, "1"),
        targets: vec![target("2", "100")],
        stop_loss: Some(stop_loss("5")),
        ..base_order_only(direction)
    };
    assert_eq!(range(&BotSimulation::of_deal(deal(Long), "100")), Some(between("99", "102")));
    assert_eq!(range(&BotSimulation::of_deal(deal(Short), "100")), Some(between("98", "101")));
}

#[test]
fn a_deal_that_trails_is_quiet_between_its_exit_and_its_best_price() {
    let deal = DealConfig { targets: vec![target("1", "100")], trailing: Some(number("5")), ..base_order_only(Long) };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("110");
    assert_eq!(range(&simulation), Some(between("104.5", "110")));
}

#[test]
fn a_deal_that_trails_is_quiet_down_to_break_even() {
    let deal = DealConfig { targets: vec![target("1", "100")], trailing: Some(number("10")), ..base_order_only(Long) };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    simulation.move_to("110");
    assert_eq!(range(&simulation), Some(between("100", "110")));
}

#[test]
fn a_started_timeout_is_quiet_below_the_stop_loss() {
    let stop_loss = StopLoss { timeout: Some(1_000), ..stop_loss("5") };
    let mut simulation =
        BotSimulation::of_deal(DealConfig { stop_loss: Some(stop_loss), ..base_order_only(Long) }, "100");
    simulation.jump("90");
    assert_eq!(range(&simulation), Some([None, Some(number("95"))]));
}

#[test]
fn no_price_is_quiet_while_a_deal_may_open_or_is_being_cancelled() {
    let mut simulation = BotSimulation::new(nonstop(base_order_only(Long)));
    assert_eq!(range(&simulation), None);
    simulation.jump("100");
    assert_eq!(range(&simulation), Some([None, None]));
    simulation.apply(&SimulationStep::Cancel { delay: 1_000, disables: true });
    assert_eq!(range(&simulation), None);
}

#[test]
fn a_bot_that_waits_for_its_start_delay_is_quiet_until_an_edit_removes_the_delay() {
    let config = DcaBotConfig { start_delay: Some(1_000), ..nonstop(base_order_only(Long)) };
    let mut simulation = BotSimulation::new(config);
    simulation.jump("100");
    assert_eq!(range(&simulation), Some([None, None]));
    simulation.bot.config.start_delay = None;
    assert_eq!(range(&simulation), None);
    assert_eq!(simulation.jump("101").len(), 2);
}
