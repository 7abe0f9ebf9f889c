//! Bots: when they open deals, how many, and when they disable themselves.

use super::random::SimulationStep;
use super::simulation::{BotSimulation, PAIRS, base_order_only, nonstop, number, on_signal, stop_loss, target};
use crate::engine::{DcaBotConfig, DealConfig, StopLoss};
use crate::ladder::Direction::Long;

const OPENED: &str = "deal 1 opened on USDT_BTC";

/// Returns the settings of a bot that takes 1 % of profit or stops at 5 % of loss.
fn bot() -> DcaBotConfig {
    nonstop(DealConfig { targets: vec![target("1", "100")], stop_loss: Some(stop_loss("5")), ..base_order_only(Long) })
}

fn on_two_pairs(config: DcaBotConfig) -> DcaBotConfig {
    DcaBotConfig { pairs: PAIRS.map(Into::into).into(), ..config }
}

fn base_prices(simulation: &BotSimulation) -> Vec<String> {
    simulation.bot.deals.iter().map(|deal| deal.base_price.normalized().to_string()).collect()
}

#[test]
fn without_a_pause_the_next_deal_opens_at_the_price_and_time_at_which_the_last_one_ended() {
    let mut simulation = BotSimulation::new(bot());
    simulation.jump("100");
    simulation.wait(500);
    simulation.apply(&SimulationStep::Move(0, number("103")));
    assert!(simulation.events.iter().all(|event| event.at == 500 || event.at == 0));
    // 101 × 1.01 = 102.01; 102.01 × 1.01 = 103.0301.
    let expected = [
        "take_profit: sell 1 at 101",
        "deal 1 closed: TakeProfit, 1",
        "deal 2 opened on USDT_BTC",
        "base_order: buy 1 at 101",
        "take_profit: sell 1 at 102.01",
        "deal 2 closed: TakeProfit, 1.01",
        "deal 3 opened on USDT_BTC",
        "base_order: buy 1 at 102.01",
    ];
    assert_eq!(simulation.log(), expected);
}

#[test]
fn after_a_jump_the_next_deal_opens_at_the_price_after_it() {
    let mut simulation = BotSimulation::new(bot());
    simulation.jump("100");
    assert_eq!(simulation.jump("110")[3], "base_order: buy 1 at 110");
    assert_eq!(simulation.jump("90")[3], "base_order: buy 1 at 90");
}

#[test]
fn a_bot_without_the_strategy_nonstop_opens_deals_on_signals_only() {
    let mut simulation = BotSimulation::new(DcaBotConfig { is_nonstop: false, ..bot() });
    assert_eq!(simulation.jump("100"), [""; 0]);
    simulation.apply(&SimulationStep::Signal(0));
    assert_eq!(simulation.log(), [OPENED, "base_order: buy 1 at 100"]);
    // It has one deal already.
    simulation.apply(&SimulationStep::Signal(0));
    assert_eq!(simulation.log(), [""; 0]);
    assert_eq!(simulation.move_to("110").len(), 2);
    assert_eq!(simulation.wait(60_000), [""; 0]);
}

#[test]
fn several_deals_open_one_at_each_price() {
    let config = DcaBotConfig { max_active_deals: 3, max_deals_per_pair: Some(3), ..nonstop(base_order_only(Long)) };
    let mut simulation = BotSimulation::new(config);
    for price in ["100", "101", "102", "103"] {
        simulation.jump(price);
    }
    assert_eq!(base_prices(&simulation), ["100", "101", "102"]);
}

#[test]
fn each_of_several_deals_follows_its_own_base_order() {
    let mut simulation = BotSimulation::new(DcaBotConfig { max_active_deals: 2, max_deals_per_pair: Some(2), ..bot() });
    simulation.jump("100");
    simulation.jump("100.5");
    // The first closes at 101 and makes room for a third at 101; the second closes at 100.5 × 1.01 = 101.505.
    let expected = [
        "take_profit: sell 1 at 101",
        "deal 1 closed: TakeProfit, 1",
        "deal 3 opened on USDT_BTC",
        "base_order: buy 1 at 101",
        "take_profit: sell 1 at 101.51",
        "deal 2 closed: TakeProfit, 1.01",
        "deal 4 opened on USDT_BTC",
        "base_order: buy 1 at 101.51",
    ];
    assert_eq!(simulation.move_to("101.6"), expected);
}

#[test]
fn a_bot_has_one_deal_on_each_pair_unless_it_allows_more() {
    let limited = DcaBotConfig { max_active_deals: 3, ..nonstop(base_order_only(Long)) };
    let mut simulation = BotSimulation::new(on_two_pairs(limited.clone()));
    simulation.jump("100");
    assert_eq!(simulation.jump("101"), [""; 0]);
    simulation.apply(&SimulationStep::Jump(1, number("10")));
    assert_eq!(simulation.log(), ["deal 2 opened on USDT_ETH", "base_order: buy 1 at 10"]);
    let mut simulation = BotSimulation::new(DcaBotConfig { max_deals_per_pair: Some(2), ..limited });
    simulation.jump("100");
    assert_eq!(simulation.jump("101").len(), 2);
    assert_eq!(simulation.jump("102"), [""; 0]);
}

#[test]
fn a_price_concerns_the_deals_on_its_own_pair_alone() {
    let mut simulation = BotSimulation::new(DcaBotConfig { max_active_deals: 2, ..on_two_pairs(bot()) });
    simulation.jump("100");
    simulation.apply(&SimulationStep::Jump(1, number("10")));
    simulation.log();
    simulation.apply(&SimulationStep::Jump(1, number("9")));
    assert_eq!(simulation.log()[..2], ["stop_loss: sell 1 at 9", "deal 2 closed: StopLoss, -1"]);
    assert_eq!(simulation.bot.deals[0].id, 1);
}

#[test]
fn a_cooldown_pauses_the_bot_after_a_deal() {
    let mut simulation = BotSimulation::new(DcaBotConfig { cooldown: 5_000, ..bot() });
    simulation.jump("100");
    assert_eq!(simulation.move_to("102").len(), 2);
    assert_eq!(simulation.wait(4_999), [""; 0]);
    assert_eq!(simulation.move_to("103"), [""; 0]);
    assert_eq!(simulation.wait(1), ["deal 2 opened on USDT_BTC", "base_order: buy 1 at 103"]);
}

#[test]
fn a_cooldown_also_holds_back_signals() {
    let mut simulation = BotSimulation::new(DcaBotConfig { cooldown: 5_000, is_nonstop: false, ..bot() });
    simulation.jump("100");
    simulation.apply(&SimulationStep::Signal(0));
    simulation.move_to("102");
    simulation.apply(&SimulationStep::Signal(0));
    assert_eq!(simulation.wait(5_000), [""; 0]);
    simulation.apply(&SimulationStep::Signal(0));
    assert_eq!(simulation.log()[1], "base_order: buy 1 at 102");
}

#[test]
fn a_start_delay_passes_between_the_signal_and_the_base_order() {
    let mut simulation = BotSimulation::new(DcaBotConfig { start_delay: Some(2_000), ..bot() });
    assert_eq!(simulation.jump("100"), [""; 0]);
    simulation.wait(1_000);
    simulation.move_to("105");
    assert_eq!(simulation.wait(999), [""; 0]);
    assert_eq!(simulation.wait(1), [OPENED, "base_order: buy 1 at 105"]);
}

#[test]
fn a_start_delay_follows_a_cooldown() {
    let config = DcaBotConfig { cooldown: 5_000, start_delay: Some(2_000), ..bot() };
    let mut simulation = BotSimulation::new(config);
    simulation.jump("100");
    simulation.wait(2_000);
    simulation.move_to("102");
    assert_eq!(simulation.wait(6_999), [""; 0]);
    assert_eq!(simulation.wait(1), ["deal 2 opened on USDT_BTC", "base_order: buy 1 at 102"]);
}

#[test]
fn a_deal_timeout_closes_the_deal_at_the_price_of_the_moment() {
    let mut simulation = BotSimulation::new(DcaBotConfig { deal_timeout: Some(60_000), ..bot() });
    simulation.jump("100");
    simulation.move_to("99");
    assert_eq!(simulation.wait(59_999), [""; 0]);
    let expected =
        ["timeout: sell 1 at 99", "deal 1 closed: Timeout, -1", "deal 2 opened on USDT_BTC", "base_order: buy 1 at 99"];
    assert_eq!(simulation.wait(1), expected);
}

#[test]
fn the_earlier_one_of_two_timers_closes_a_deal_and_a_stop_loss_goes_first() {
    let closes_as = |deal_timeout, stop_timeout| {
        let stop_loss = StopLoss { timeout: Some(stop_timeout), ..stop_loss("5") };
        let deal = DealConfig { stop_loss: Some(stop_loss), ..base_order_only(Long) };
        let config = DcaBotConfig { deal_timeout: Some(deal_timeout), max_deals: Some(1), ..nonstop(deal) };
        let mut simulation = BotSimulation::new(config);
        simulation.jump("100");
        simulation.jump("90");
        simulation.wait(5_000).remove(1)
    };
    assert_eq!(closes_as(3_000, 2_000), "deal 1 closed: StopLoss, -10");
    assert_eq!(closes_as(2_000, 3_000), "deal 1 closed: Timeout, -10");
    assert_eq!(closes_as(2_000, 2_000), "deal 1 closed: StopLoss, -10");
}

#[test]
fn a_bot_disables_itself_as_soon_as_the_last_of_a_number_of_deals_opens() {
    let mut simulation = BotSimulation::new(DcaBotConfig { max_deals: Some(2), ..bot() });
    simulation.jump("100");
    let log = simulation.move_to("105");
    let expected = [
        "deal 2 opened on USDT_BTC",
        "base_order: buy 1 at 101",
        "disabled: DealCount",
        "take_profit: sell 1 at 102.01",
        "deal 2 closed: TakeProfit, 1.01",
    ];
    assert_eq!(log[2..], expected);
    assert_eq!(simulation.jump("200"), [""; 0]);
}

#[test]
fn deals_that_are_open_at_once_count_too() {
    let many = DcaBotConfig { max_active_deals: 3, max_deals_per_pair: Some(3), max_deals: Some(3), ..bot() };
    let mut simulation = BotSimulation::new(many);
    for price in ["100", "100.1", "100.2", "105", "110"] {
        simulation.jump(price);
    }
    assert_eq!(simulation.bot.opened_deals, 3);
    assert!(simulation.bot.deals.is_empty());
}

#[test]
fn a_bot_disables_itself_after_a_stop_loss() {
    let mut simulation = BotSimulation::new(DcaBotConfig { disables_after_stop_loss: true, ..bot() });
    simulation.jump("100");
    assert_eq!(simulation.move_to("102").len(), 4);
    // 101 × 0.95 = 95.95.
    let expected = ["stop_loss: sell 1 at 95.95", "deal 2 closed: StopLoss, -5.05", "disabled: StopLoss"];
    assert_eq!(simulation.move_to("90"), expected);
    assert_eq!(simulation.wait(60_000), [""; 0]);
}

#[test]
fn a_disabled_bot_keeps_its_deals() {
    let mut simulation = BotSimulation::new(bot());
    simulation.jump("100");
    simulation.bot.is_enabled = false;
    assert_eq!(simulation.move_to("102"), ["take_profit: sell 1 at 101", "deal 1 closed: TakeProfit, 1"]);
}

#[test]
fn deals_open_within_the_price_limits_and_at_them() {
    let limits = DcaBotConfig { min_price: Some(number("99")), max_price: Some(number("101")), ..bot() };
    for (price, opens) in [("98.99", false), ("99", true), ("100", true), ("101", true), ("101.01", false)] {
        assert_eq!(!BotSimulation::new(limits.clone()).jump(price).is_empty(), opens, "{price}");
    }
}

#[test]
fn a_price_limit_is_not_a_price_that_a_move_visits() {
    let limits = DcaBotConfig { min_price: Some(number("99")), ..nonstop(base_order_only(Long)) };
    let mut simulation = BotSimulation::new(limits);
    simulation.jump("98");
    assert_eq!(simulation.move_to("100"), [OPENED, "base_order: buy 1 at 100"]);
}

/// Returns a bot with two deals on two pairs, which have a price.
fn two_pairs_on_signal(config: DcaBotConfig) -> BotSimulation {
    let config = DcaBotConfig { max_active_deals: 2, is_nonstop: false, ..on_two_pairs(config) };
    let mut simulation = BotSimulation::new(config);
    simulation.jump("100");
    simulation.apply(&SimulationStep::Jump(1, number("10")));
    simulation
}

#[test]
fn each_pair_has_a_start_delay_of_its_own() {
    let mut simulation = two_pairs_on_signal(DcaBotConfig { start_delay: Some(30_000), ..bot() });
    simulation.apply(&SimulationStep::Signal(1));
    simulation.wait(5_000);
    simulation.apply(&SimulationStep::Signal(0));
    // A signal for a pair that is waiting already is lost.
    simulation.apply(&SimulationStep::Signal(1));
    assert_eq!(simulation.wait(24_999), [""; 0]);
    assert_eq!(simulation.wait(1), ["deal 1 opened on USDT_ETH", "base_order: buy 1 at 10"]);
    assert_eq!(simulation.wait(4_999), [""; 0]);
    assert_eq!(simulation.wait(1), ["deal 2 opened on USDT_BTC", "base_order: buy 1 at 100"]);
}

#[test]
fn the_pause_after_a_deal_holds_back_its_own_pair_alone() {
    let mut simulation = two_pairs_on_signal(DcaBotConfig { cooldown: 3_600_000, ..bot() });
    simulation.apply(&SimulationStep::Signal(0));
    simulation.move_to("102");
    simulation.log();
    simulation.apply(&SimulationStep::Signal(0));
    assert_eq!(simulation.log(), [""; 0]);
    simulation.apply(&SimulationStep::Signal(1));
    assert_eq!(simulation.log(), ["deal 2 opened on USDT_ETH", "base_order: buy 1 at 10"]);
    assert_eq!(simulation.wait(3_599_999), [""; 0]);
    simulation.wait(1);
    simulation.apply(&SimulationStep::Signal(0));
    assert_eq!(simulation.log()[0], "deal 3 opened on USDT_BTC");
}

#[test]
fn a_start_that_finds_no_room_when_it_is_due_is_lost() {
    let mut simulation = two_pairs_on_signal(DcaBotConfig { start_delay: Some(30_000), ..bot() });
    simulation.bot.config.max_active_deals = 1;
    simulation.apply(&SimulationStep::Signal(1));
    simulation.apply(&SimulationStep::Signal(0));
    // The pairs of the bot come in their order.
    assert_eq!(simulation.wait(30_000), ["deal 1 opened on USDT_BTC", "base_order: buy 1 at 100"]);
    assert_eq!(simulation.wait(60_000), [""; 0]);
    assert_eq!(simulation.bot.timers, []);
}

#[test]
fn timers_fire_in_order_at_their_own_times() {
    let config = DcaBotConfig { deal_timeout: Some(1_000), cooldown: 500, ..nonstop(base_order_only(Long)) };
    let mut simulation = BotSimulation::new(config);
    simulation.jump("100");
    simulation.apply(&SimulationStep::Advance(4_000));
    let times: Vec<_> = simulation.events.iter().map(|event| event.at).collect();
    // Opened at 0 (already logged), closed 1000 later, opened 500 later, and so on.
    assert_eq!(times, [1_000, 1_000, 1_500, 1_500, 2_500, 2_500, 3_000, 3_000, 4_000, 4_000]);
}

#[test]
fn a_signal_on_a_pair_that_the_bot_does_not_trade_opens_nothing() {
    let mut simulation = BotSimulation::new(on_signal(base_order_only(Long)));
    simulation.apply(&SimulationStep::Jump(1, number("10")));
    simulation.apply(&SimulationStep::Signal(1));
    assert_eq!(simulation.log(), [""; 0]);
}
