//! Deals that are being cancelled.

use super::random::SimulationStep;
use super::simulation::{BotSimulation, base_order_only, nonstop, safety_orders, stop_loss, target};
use crate::engine::{DcaBotConfig, DealConfig};
use crate::ladder::Direction::Long;

fn cancelling(config: DcaBotConfig) -> BotSimulation {
    let mut simulation = BotSimulation::new(config);
    simulation.jump("100");
    simulation.apply(&SimulationStep::Cancel { delay: 1_000, disables: true });
    simulation
}

fn deal() -> DealConfig {
    DealConfig {
        safety_orders: safety_orders(3, "1"),
        targets: vec![target("1", "100")],
        stop_loss: Some(stop_loss("5")),
        ..base_order_only(Long)
    }
}

#[test]
fn a_deal_is_cancelled_after_its_delay() {
    let mut simulation = cancelling(nonstop(deal()));
    assert_eq!(simulation.wait(999), [""; 0]);
    assert_eq!(simulation.wait(1), ["deal 1 closed: Cancelled, -100"]);
    assert_eq!(simulation.wait(60_000), [""; 0]);
}

#[test]
fn a_deal_is_cancelled_as_soon_as_the_price_moves_and_fills_no_orders() {
    for price in ["110", "99", "50"] {
        assert_eq!(cancelling(nonstop(deal())).move_to(price), ["deal 1 closed: Cancelled, -100"]);
        assert_eq!(cancelling(nonstop(deal())).jump(price), ["deal 1 closed: Cancelled, -100"]);
    }
}

#[test]
fn a_deal_timeout_does_not_close_a_deal_that_is_being_cancelled() {
    let config = DcaBotConfig { deal_timeout: Some(500), ..nonstop(deal()) };
    assert_eq!(cancelling(config).wait(1_000), ["deal 1 closed: Cancelled, -100"]);
}

#[test]
fn no_pause_follows_a_cancelled_deal() {
    let mut simulation = cancelling(DcaBotConfig { cooldown: 60_000, ..nonstop(deal()) });
    simulation.bot.is_enabled = true;
    let expected = ["deal 1 closed: Cancelled, -100", "deal 2 opened on USDT_BTC", "base_order: buy 1 at 100.5"];
    assert_eq!(simulation.move_to("100.5"), expected);
    assert_eq!(simulation.bot.timers, []);
}
