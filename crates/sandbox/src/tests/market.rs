//! What deals do as prices move and time passes.

use bigdecimal::{BigDecimal, Zero};
use jiff::SignedDuration;
use serde_json::json;

use super::*;
use crate::state::World;
use crate::{clock, seed};

/// A world in which one DCA bot trades one pair.
struct Desk {
    world: World,
    bot: u64,
}

/// A bot whose ladder is a published one: 80, then 30, 51 and 86.7, at 1, 5 and 21 % from 2561.66911.
fn published(changes: Value) -> Desk {
    let defaults = json!({
        "pairs": ["USDT_ETH"], "is_enabled": true, "martingale_step_coefficient": "4", "max_safety_orders": 3,
        "stop_loss_percentage": "22",
    });
    let mut world = seed::world(1, 0);
    let bot = world.add_dca_bot(fields(defaults, changes)).unwrap();
    Desk { world, bot }
}

impl Desk {
    fn opened(changes: Value) -> Self {
        let mut desk = published(changes);
        desk.price("2561.66911");
        assert_eq!(desk.open().len(), 1);
        desk
    }

    fn price(&mut self, price: &str) {
        self.world.set_price("USDT_ETH", price.parse().unwrap()).unwrap();
    }

    fn advance(&mut self, seconds: i64) {
        let until = clock::later(self.world.clock.now(), SignedDuration::from_secs(seconds));
        self.world.pass(until);
    }

    fn bot(&self) -> Value {
        serde_json::to_value(self.world.dca_bots[&self.bot].shown()).unwrap()
    }

    fn open(&self) -> Vec<Value> {
        self.bot()["active_deals"].as_array().unwrap().clone()
    }

    fn deal(&self) -> Value {
        self.open()[0].clone()
    }

    /// The deal that closed last.
    fn closed(&self) -> Value {
        Value::Object(self.world.dca_bots[&self.bot].finished.last().unwrap().clone())
    }

    fn closed_deals(&self) -> usize {
        self.world.dca_bots[&self.bot].finished.len()
    }

    fn shut(&mut self) {
        self.world.dca_bots.get_mut(&self.bot).unwrap().set("is_enabled", false);
    }
}

fn figures(deal: &Value, fields: &[&str]) -> Vec<String> {
    let figure = |field: &&str| deal[*field].as_str().map_or_else(|| deal[*field].to_string(), str::to_owned);
    fields.iter().map(figure).collect()
}

fn number(value: &Value) -> BigDecimal {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn an_enabled_nonstop_bot_opens_a_deal_at_the_price() {
    let desk = Desk::opened(json!({}));
    let deal = desk.deal();
    assert_eq!(
        figures(&deal, &["status", "pair", "base_order_average_price", "bought_average_price", "current_price"]),
        ["bought", "USDT_ETH", "2561.66911", "2561.66911", "2561.66911"]
    );
    assert_eq!(
        figures(&deal, &["bought_amount", "take_profit_price", "stop_loss_price", "actual_profit"]),
        ["0.03122964", "2587.29", "1998.1019058", "0"]
    );
    let bot = desk.bot();
    assert_eq!((&bot["active_deals_count"], &bot["deletable?"]), (&json!(1), &json!(false)));
    assert_eq!((&deal["bot_id"], &deal["created_at"]), (&bot["id"], &json!(clock::text(desk.world.clock.now()))));
}

#[test]
fn other_bots_open_none() {
    for changes in [
        json!({"is_enabled": false}),
        json!({"strategy_list": [{"strategy": "manual"}]}),
        json!({"strategy_list": []}),
        json!({"pairs": ["USDT_BTC"]}),
        json!({"max_active_deals": 0}),
        json!({"min_price": "2600"}),
        json!({"max_price": "2500"}),
        json!({"base_order_volume": "0"}),
    ] {
        let mut desk = published(changes.clone());
        desk.price("2561.66911");
        assert_eq!(desk.open(), [Value::Null; 0], "{changes}");
    }
}

#[test]
fn a_bot_opens_one_deal_at_a_time_and_no_more_than_it_may() {
    let mut desk = published(json!({"max_active_deals": 2}));
    for (price, open) in [("2561", 1), ("2562", 2), ("2563", 2)] {
        desk.price(price);
        assert_eq!(desk.open().len(), open);
    }
}

#[test]
fn a_safety_order_fills_at_its_own_price() {
    let mut desk = Desk::opened(json!({}));
    desk.price("2536.06");
    assert_eq!(desk.deal()["completed_safety_orders_count"], 0);
    desk.price("2536.05");
    let deal = desk.deal();
    assert_eq!((&deal["completed_safety_orders_count"], &deal["current_active_safety_orders"]), (&json!(1), &json!(1)));
    // 0.03122964 × 2561.66911 + 0.01182942 × 2536.05
    assert_eq!(figures(&deal, &["bought_amount", "bought_volume"]), ["0.04305906", "110.0000046954204"]);
    assert_eq!(deal["take_profit_price"], "2580.18");
}

#[test]
fn a_price_that_falls_through_several_rungs_fills_them_one_after_the_other() {
    let mut desk = Desk::opened(json!({"active_safety_orders_count": 1}));
    desk.price("2023.71");
    let deal = desk.deal();
    assert_eq!((&deal["completed_safety_orders_count"], &deal["current_active_safety_orders"]), (&json!(3), &json!(0)));
    let mut in_steps = Desk::opened(json!({"active_safety_orders_count": 3}));
    for (price, filled) in [("2536.05", 1), ("2433.58", 2), ("2023.71", 3)] {
        in_steps.price(price);
        assert_eq!(in_steps.deal()["completed_safety_orders_count"], filled);
    }
    let fields = ["bought_amount", "bought_volume", "take_profit_price", "actual_profit"];
    assert_eq!(figures(&deal, &fields), figures(&in_steps.deal(), &fields));
}

#[test]
fn no_safety_order_is_placed_where_none_may_be() {
    for changes in [json!({"max_safety_orders": 0}), json!({"active_safety_orders_count": 0})] {
        let mut desk = Desk::opened(changes);
        desk.price("2023.71");
        assert_eq!(desk.deal()["completed_safety_orders_count"], 0);
    }
}

#[test]
fn at_the_take_profit_price_the_deal_closes_at_that_price() {
    let mut desk = Desk::opened(json!({}));
    desk.shut();
    desk.price("2587.28");
    assert_eq!(desk.open().len(), 1);
    desk.price("9999");
    assert_eq!(desk.open().len(), 0);
    let deal = desk.closed();
    assert_eq!(
        figures(&deal, &["status", "localized_status", "finished?", "sold_amount", "sold_average_price"]),
        ["completed", "Completed", "true", "0.03122964", "2587.29"]
    );
    assert_eq!(number(&deal["final_profit"]), number(&deal["sold_volume"]) - number(&deal["bought_volume"]));
    assert_eq!((&deal["final_profit_percentage"], &deal["closed_at"]), (&json!("1"), &deal["updated_at"]));
    let bot = desk.bot();
    assert_eq!(
        figures(&bot, &["active_deals_count", "deletable?", "finished_deals_count", "active_deals_usd_profit"]),
        ["0", "true", "1", "0.0"]
    );
    assert_eq!(number(&bot["finished_deals_profit_usd"]), number(&deal["usd_final_profit"]));
}

#[test]
fn a_bot_that_took_its_profit_opens_the_next_deal_at_once() {
    let mut desk = Desk::opened(json!({}));
    desk.price("2600");
    assert_eq!((desk.closed_deals(), &desk.deal()["base_order_average_price"]), (1, &json!("2600")));
    assert_ne!(desk.closed()["id"], desk.deal()["id"]);
}

#[test]
fn the_stop_loss_closes_at_the_price() {
    let mut desk = Desk::opened(json!({}));
    desk.price("1998.1019059");
    assert_eq!(desk.closed_deals(), 0);
    desk.price("1990");
    let deal = desk.closed();
    assert_eq!(
        figures(&deal, &["status", "sold_average_price", "completed_safety_orders_count"]),
        ["stop_loss_finished", "1990", "3"]
    );
    assert!(number(&deal["final_profit"]) < BigDecimal::zero());
    assert_eq!((&desk.bot()["is_enabled"], desk.open().len()), (&json!(true), 1));
}

#[test]
fn a_stop_loss_may_disable_the_bot() {
    let mut desk = Desk::opened(json!({"stop_loss_type": "stop_loss_and_disable_bot"}));
    desk.price("1990");
    assert_eq!((&desk.bot()["is_enabled"], desk.open().len()), (&json!(false), 0));
}

#[test]
fn a_stop_loss_with_a_timeout_waits() {
    let waits = json!({"stop_loss_timeout_enabled": true, "stop_loss_timeout_in_seconds": 300});
    let mut desk = Desk::opened(waits.clone());
    desk.shut();
    desk.price("1990");
    desk.advance(299);
    assert_eq!(desk.open().len(), 1);
    desk.price("1980");
    desk.advance(1);
    assert_eq!(figures(&desk.closed(), &["status", "sold_average_price"]), ["stop_loss_finished", "1980"]);

    let mut desk = Desk::opened(waits);
    desk.price("1990");
    desk.advance(299);
    desk.price("2000");
    desk.advance(3_600);
    assert_eq!(desk.closed_deals(), 0);
}

#[test]
fn a_trailing_stop_loss_follows_the_best_price() {
    let mut desk = Desk::opened(json!({"tsl_enabled": true, "take_profit": "50"}));
    desk.price("3000");
    assert_eq!(figures(&desk.deal(), &["tsl_max_price", "stop_loss_price"]), ["3000", "2340"]);
    desk.price("2700");
    assert_eq!(desk.deal()["stop_loss_price"], "2340");
    desk.price("2340");
    assert_eq!(desk.closed()["status"], "stop_loss_finished");
}

#[test]
fn a_trailing_take_profit_closes_once_the_price_falls_back() {
    let mut desk = Desk::opened(json!({"trailing_enabled": true, "trailing_deviation": "1"}));
    desk.shut();
    for price in ["2587.29", "2700", "2690", "2673.01"] {
        desk.price(price);
        assert_eq!(desk.open().len(), 1, "{price}");
    }
    assert_eq!(desk.deal()["trailing_max_price"], "2700");
    desk.price("2673");
    assert_eq!(figures(&desk.closed(), &["status", "sold_average_price"]), ["completed", "2673"]);
}

#[test]
fn steps_close_a_deal_in_parts() {
    let steps = json!([
        {"id": 0, "amount_percentage": 50, "profit_percentage": 1},
        {"id": 1, "amount_percentage": 50, "profit_percentage": 2},
    ]);
    let breakeven = json!({"upper_breakeven_limit": 0});
    let mut desk = Desk::opened(json!({"take_profit_steps": steps}));
    desk.shut();
    desk.world.dca_bots.get_mut(&desk.bot).unwrap().deals[0].record.extend(
        json!({"sl_to_breakeven_enabled": true, "sl_to_breakeven_data": breakeven}).as_object().unwrap().clone(),
    );
    desk.price("2590");
    let deal = desk.deal();
    assert_eq!(
        figures(&deal, &["sold_amount", "reserved_base_coin", "take_profit_price", "current_active_safety_orders"]),
        ["0.01561482", "0.01561482", "2612.91", "0"]
    );
    assert_eq!(deal["stop_loss_price"], "2561.66911");
    desk.price("2612.91");
    let deal = desk.closed();
    assert_eq!((&deal["status"], &deal["sold_amount"]), (&json!("completed"), &deal["bought_amount"]));
    assert_eq!(deal["final_profit_percentage"], "1.5");
}

#[test]
fn a_price_past_all_steps_closes_all_parts_at_their_prices() {
    let steps = json!([
        {"id": 0, "amount_percentage": 40, "profit_percentage": 1},
        {"id": 1, "amount_percentage": 60, "profit_percentage": 2},
    ]);
    let mut desk = Desk::opened(json!({"take_profit_steps": steps}));
    desk.price("2700");
    assert_eq!(figures(&desk.closed(), &["status", "final_profit_percentage"]), ["completed", "1.6"]);
}

#[test]
fn a_short_deal_sells_first() {
    let mut desk = Desk::opened(json!({"strategy": "short", "stop_loss_percentage": "22"}));
    let deal = desk.deal();
    assert_eq!(
        figures(&deal, &["sold_amount", "bought_amount", "take_profit_price", "stop_loss_price"]),
        ["0.03122964", "0", "2536.05", "3125.2363142"]
    );
    desk.price("2600");
    assert_eq!(desk.deal()["completed_safety_orders_count"], 1);
    assert!(number(&desk.deal()["actual_profit"]) < BigDecimal::zero());
    desk.price("2500");
    let deal = desk.closed();
    assert_eq!((&deal["status"], &deal["bought_amount"]), (&json!("completed"), &deal["sold_amount"]));
    assert!(number(&deal["final_profit"]) > BigDecimal::zero());
}

#[test]
fn a_take_profit_may_be_of_the_base_order() {
    let mut desk = Desk::opened(json!({"take_profit_type": "base", "take_profit": "10"}));
    desk.price("2536.05");
    // 8 USDT of profit over 0.04305907.
    assert_eq!(desk.deal()["take_profit_price"], "2740.43");
}

#[test]
fn volumes_may_be_counted_in_the_base_currency_or_in_parts_of_the_balance() {
    let desk = Desk::opened(json!({"base_order_volume_type": "base_currency", "base_order_volume": "0.5"}));
    assert_eq!(desk.deal()["bought_amount"], "0.5");
    let mut desk = published(json!({"base_order_volume_type": "percent", "base_order_volume": "10"}));
    let account = desk.bot()["account_id"].as_u64().unwrap();
    desk.world.accounts.get_mut(&account).unwrap().insert("usd_amount".to_owned(), json!("5000"));
    desk.price("2500");
    assert_eq!(desk.deal()["bought_volume"], "500");
}

#[test]
fn a_deal_that_is_being_cancelled_has_no_orders() {
    let mut desk = Desk::opened(json!({}));
    let bot = desk.world.dca_bots.get_mut(&desk.bot).unwrap();
    bot.deals[0].record.insert("status".to_owned(), json!("cancel_pending"));
    desk.shut();
    for price in ["2023.71", "9999"] {
        desk.price(price);
        assert_eq!(figures(&desk.deal(), &["status", "current_price"]), ["cancel_pending", price]);
        assert_eq!(desk.deal()["completed_safety_orders_count"], 0);
    }
}

#[test]
fn a_bot_rests_after_a_deal() {
    let mut desk = Desk::opened(json!({"cooldown": "300"}));
    desk.price("2600");
    desk.price("2601");
    assert_eq!((desk.closed_deals(), desk.open().len()), (1, 0));
    desk.advance(299);
    assert_eq!(desk.open().len(), 0);
    desk.advance(1);
    assert_eq!((desk.open().len(), &desk.deal()["base_order_average_price"]), (1, &json!("2601")));
}

#[test]
fn a_signal_waits_before_it_opens_a_deal() {
    let mut desk = published(json!({"deal_start_delay_seconds": 60}));
    desk.price("2561.66911");
    desk.advance(59);
    assert_eq!(desk.open().len(), 0);
    desk.price("2562");
    desk.advance(1);
    assert_eq!((desk.open().len(), &desk.deal()["base_order_average_price"]), (1, &json!("2562")));
}

#[test]
fn a_bot_that_was_disabled_meanwhile_opens_none() {
    let mut desk = published(json!({"deal_start_delay_seconds": 60}));
    desk.price("2561.66911");
    desk.shut();
    desk.advance(3_600);
    assert_eq!(desk.open().len(), 0);
}

#[test]
fn a_deal_that_is_open_for_too_long_is_closed() {
    let mut desk = Desk::opened(json!({"close_deals_timeout": 600, "cooldown": "7200"}));
    let opened = desk.deal()["created_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    desk.price("2570");
    desk.advance(3_600);
    let deal = desk.closed();
    assert_eq!(figures(&deal, &["status", "sold_average_price"]), ["completed", "2570"]);
    // It was closed at its time, though the clock has gone on since.
    assert_eq!(deal["closed_at"], clock::text(clock::later(opened, SignedDuration::from_secs(600))));
    assert_eq!(desk.open().len(), 0);
    desk.advance(7_200);
    assert_eq!((desk.closed_deals(), desk.open().len()), (2, 0));
}

#[test]
fn a_bot_disables_itself_after_so_many_deals() {
    let mut desk = Desk::opened(json!({"disable_after_deals_count": 2}));
    desk.price("2600");
    assert_eq!((&desk.bot()["is_enabled"], desk.open().len()), (&json!(true), 1));
    desk.price("2700");
    assert_eq!((&desk.bot()["is_enabled"], desk.open().len()), (&json!(false), 0));
    assert_eq!(desk.bot()["deals_counter"], 2);
}

#[test]
fn a_bot_with_several_pairs_keeps_to_its_deals_on_one() {
    let pairs = json!(["USDT_ETH", "USDT_BTC"]);
    let mut desk = published(json!({"pairs": pairs, "max_active_deals": 3, "allowed_deals_on_same_pair": 1}));
    desk.price("2561");
    desk.price("2562");
    assert_eq!(desk.open().len(), 1);
    desk.world.set_price("USDT_BTC", 60_000.into()).unwrap();
    assert_eq!(desk.open().len(), 2);
}

#[test]
fn very_long_times_do_not_hang() {
    let mut desk = Desk::opened(json!({"close_deals_timeout": 60}));
    desk.advance(2_000_000_000);
    assert_eq!(desk.closed_deals(), 1_000);
}

#[test]
fn odd_prices_are_refused() {
    let mut world = seed::world(1, 1);
    for (pair, price) in [("USDT_ETH", 0), ("USDT_ETH", -1), ("usdt_eth", 1), ("ETH", 1), ("", 1)] {
        assert!(world.set_price(pair, price.into()).is_err(), "{pair} {price}");
    }
}

#[test]
fn odd_records_spoil_nothing() {
    for changes in [
        json!({"martingale_step_coefficient": "0"}),
        json!({"safety_order_step_percentage": "-5", "max_safety_orders": 9}),
        json!({"safety_order_step_percentage": "200"}),
        json!({"stop_loss_percentage": "100"}),
        json!({"cooldown": "-1"}),
        json!({"cooldown": "1e900"}),
        json!({"max_safety_orders": 9_000_000_000_000_000_000_u64}),
        json!({"take_profit": "0"}),
        json!({"take_profit": null}),
        json!({"trailing_enabled": null}),
        json!({"close_deals_timeout": -5}),
        json!({"deal_start_delay_seconds": -5}),
    ] {
        let mut desk = published(changes);
        for price in ["2561", "0.00000001", "1e30", "2000"] {
            desk.price(price);
            desk.advance(10);
        }
    }
}
