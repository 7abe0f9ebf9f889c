//! Base orders, safety orders, and their volumes.

use super::simulation::{BotSimulation, base_order_only, nonstop, number, safety_orders, stop_loss, volume};
use crate::decimal::Decimal;
use crate::engine::{DealConfig, SafetyOrders, StopLoss, VolumeUnit};
use crate::ladder::Direction::{self, Long, Short};

fn ladder(direction: Direction, count: u32) -> DealConfig {
    DealConfig { safety_orders: safety_orders(count, "1"), ..base_order_only(direction) }
}

#[test]
fn a_base_order_fills_at_the_price_of_the_moment() {
    let mut simulation = BotSimulation::new(nonstop(base_order_only(Long)));
    assert_eq!(simulation.jump("100.005"), ["deal 1 opened on USDT_BTC", "base_order: buy 1 at 100.005"]);
    let mut simulation = BotSimulation::new(nonstop(base_order_only(Short)));
    assert_eq!(simulation.jump("100"), ["deal 1 opened on USDT_BTC", "base_order: sell 1 at 100"]);
}

#[test]
fn a_volume_is_in_quote_currency_in_base_currency_or_in_percent_of_the_balance() {
    let opens = |amount, unit| {
        let deal = DealConfig { base_order: volume(amount, unit), ..base_order_only(Long) };
        BotSimulation::new(nonstop(deal)).jump("300").remove(1)
    };
    // 100 ÷ 300 = 0.33333…, rounded up to the lot 0.0001.
    assert_eq!(opens("100", VolumeUnit::Quote), "base_order: buy 0.3334 at 300");
    assert_eq!(opens("0.25", VolumeUnit::Base), "base_order: buy 0.25 at 300");
    // 0.25001 rounded up to the lot.
    assert_eq!(opens("0.25001", VolumeUnit::Base), "base_order: buy 0.2501 at 300");
    // 1000 × 12 % ÷ 300 = 0.4.
    assert_eq!(opens("12", VolumeUnit::Percent), "base_order: buy 0.4 at 300");
}

#[test]
fn an_order_without_volume_opens_no_deal() {
    let deal = DealConfig { base_order: volume("0", VolumeUnit::Quote), ..base_order_only(Long) };
    assert!(BotSimulation::new(nonstop(deal)).jump("300").is_empty());
}

#[test]
fn safety_orders_grow_and_their_steps_widen() {
    let orders = SafetyOrders::new(3, volume("10", VolumeUnit::Quote), number("1"), &number("2"), &number("1.5"));
    // Deviations: 1, 1 + 2, 1 + 2 + 4. Volumes: 10, 10 × 1.5, 10 × 1.5².
    let figures: Vec<_> = orders.orders.iter().map(|order| (&order.deviation, &order.volume.amount)).collect();
    let expected = [("1", "10"), ("3", "15"), ("7", "22.5")].map(|(left, right)| (number(left), number(right)));
    assert_eq!(figures, expected.each_ref().map(|(left, right)| (left, right)));
    assert_eq!(orders.max_active, 3);
}

#[test]
fn a_move_fills_safety_orders_one_by_one_at_their_own_prices() {
    // 100 × 0.99, × 0.98, × 0.97.
    let mut simulation = BotSimulation::of_deal(ladder(Long, 3), "100");
    assert_eq!(simulation.move_to("98"), ["safety_order: buy 1 at 99", "safety_order: buy 1 at 98"]);
    assert_eq!(simulation.move_to("99.5"), [""; 0]);
    assert_eq!(simulation.move_to("90"), ["safety_order: buy 1 at 97"]);
    let mut simulation = BotSimulation::of_deal(ladder(Short, 3), "100");
    assert_eq!(simulation.move_to("102.5"), ["safety_order: sell 1 at 101", "safety_order: sell 1 at 102"]);
}

#[test]
fn a_jump_fills_all_safety_orders_that_it_reaches_at_their_own_prices() {
    let mut simulation = BotSimulation::of_deal(ladder(Long, 3), "100");
    assert_eq!(simulation.jump("97.5"), ["safety_order: buy 1 at 99", "safety_order: buy 1 at 98"]);
    assert_eq!(simulation.jump("97.01"), [""; 0]);
    assert_eq!(simulation.jump("97"), ["safety_order: buy 1 at 97"]);
}

#[test]
fn the_price_of_a_safety_order_is_rounded_to_the_tick_away_from_the_deal() {
    // 33.33 × 0.99 = 32.9967 and 33.33 × 1.01 = 33.6633.
    let mut simulation = BotSimulation::of_deal(ladder(Long, 1), "33.33");
    assert_eq!(simulation.move_to("30"), ["safety_order: buy 1 at 32.99"]);
    let mut simulation = BotSimulation::of_deal(ladder(Short, 1), "33.33");
    assert_eq!(simulation.move_to("35"), ["safety_order: sell 1 at 33.67"]);
}

#[test]
fn the_fill_of_one_order_places_the_next() {
    let mut deal = ladder(Long, 5);
    deal.safety_orders.max_active = 2;
    let mut simulation = BotSimulation::of_deal(deal, "100");
    let active = |simulation: &BotSimulation| simulation.bot.deals[0].active_safety_orders();
    assert_eq!(active(&simulation), 2);
    assert_eq!(simulation.jump("96.5").len(), 3);
    assert_eq!(active(&simulation), 2);
    simulation.jump("96");
    assert_eq!(active(&simulation), 1);
    simulation.jump("95");
    assert_eq!(active(&simulation), 0);
}

#[test]
fn a_bot_without_active_safety_orders_fills_none() {
    let mut deal = ladder(Long, 5);
    deal.safety_orders.max_active = 0;
    assert_eq!(BotSimulation::of_deal(deal, "100").move_to("50"), [""; 0]);
}

#[test]
fn a_safety_order_past_the_stop_loss_is_not_filled() {
    // The stop loss is at 98.5, between the safety orders at 99 and at 98.
    let deal = DealConfig { stop_loss: Some(stop_loss("1.5")), ..ladder(Long, 3) };
    let mut simulation = BotSimulation::of_deal(deal.clone(), "100");
    // -(100 - 97) - (99 - 97) = -5.
    let jump = ["safety_order: buy 1 at 99", "stop_loss: sell 2 at 97", "deal 1 closed: StopLoss, -5"];
    assert_eq!(simulation.jump("97"), jump);
    let mut simulation = BotSimulation::of_deal(deal.clone(), "100");
    // -(100 - 98.5) - (99 - 98.5) = -2.
    let moved = ["safety_order: buy 1 at 99", "stop_loss: sell 2 at 98.5", "deal 1 closed: StopLoss, -2"];
    assert_eq!(simulation.move_to("97"), moved);

    let waits = StopLoss { timeout: Some(1_000), ..stop_loss("1.5") };
    let mut simulation = BotSimulation::of_deal(DealConfig { stop_loss: Some(waits), ..deal }, "100");
    let waiting: Vec<_> = ["99", "98", "97"].map(|price| format!("safety_order: buy 1 at {price}")).into();
    assert_eq!(simulation.jump("97"), waiting);
}

#[test]
fn a_safety_order_at_the_price_of_the_stop_loss_is_filled_before() {
    let deal = DealConfig { stop_loss: Some(stop_loss("1")), ..ladder(Long, 1) };
    let mut simulation = BotSimulation::of_deal(deal, "100");
    let expected = ["safety_order: buy 1 at 99", "stop_loss: sell 2 at 99", "deal 1 closed: StopLoss, -1"];
    assert_eq!(simulation.move_to("98"), expected);
}

#[test]
fn a_ladder_that_reaches_below_0_stops_there() {
    let orders = SafetyOrders::new(3, volume("1", VolumeUnit::Quote), number("60"), &Decimal::ONE, &Decimal::ONE);
    let deal = DealConfig { safety_orders: orders, ..base_order_only(Long) };
    // 100 - 60 = 40; 100 - 120 is below 0.
    assert_eq!(BotSimulation::of_deal(deal, "100").move_to("0.01"), ["safety_order: buy 0.025 at 40"]);
}

#[test]
fn a_deal_uses_the_balance_if_a_volume_is_in_percent() {
    let percent = || volume("5", VolumeUnit::Percent);
    let ladder_in_percent = SafetyOrders::new(1, percent(), number("1"), &Decimal::ONE, &Decimal::ONE);
    assert!(!ladder(Long, 1).uses_balance());
    assert!(DealConfig { base_order: percent(), ..ladder(Long, 1) }.uses_balance());
    assert!(DealConfig { safety_orders: ladder_in_percent, ..ladder(Long, 1) }.uses_balance());
}

#[test]
fn the_published_sizes_add_up_to_the_published_budget() {
    let orders = SafetyOrders::new(3, volume("30", VolumeUnit::Quote), number("1"), &4.into(), &number("1.7")).orders;
    let sizes = orders.iter().map(|order| order.volume.amount.clone());
    assert_eq!(sizes.clone().collect::<Vec<_>>(), ["30", "51", "86.7"].map(number));
    assert_eq!(sizes.sum::<Decimal>() + Decimal::from(80), number("247.7"));
    let deviations: Vec<_> = orders.into_iter().map(|order| order.deviation).collect();
    assert_eq!(deviations, [1, 5, 21].map(Decimal::from));
}
