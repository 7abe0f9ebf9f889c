//! Deals at changing prices and times.

use bigdecimal::{BigDecimal, Zero};
use jiff::SignedDuration;
use serde_json::json;

use super::*;
use crate::clock;
use crate::state::{DcaBotMut, State};

/// A state in which one DCA bot trades one pair.
struct TestMarket {
    state: State,
    bot: u64,
}

/// Returns a bot with a published ladder: 80, then 30, 51 and 86.7, at 1, 5 and 21 % from 2561.66911.
fn published(changes: Value) -> TestMarket {
    let defaults = json!({
        "pairs": ["USDT_ETH"], "is_enabled": true, "martingale_step_coefficient": "4", "max_safety_orders": 3,
        "stop_loss_percentage": "22",
    });
    let mut state = odd_state(1, 0);
    let bot = state.add("dca_bots", fields(defaults, changes)).unwrap();
    TestMarket { state, bot }
}

impl TestMarket {
    fn opened(changes: Value) -> Self {
        let mut market = published(changes);
        market.price("2561.66911");
        assert_eq!(market.open().len(), 1);
        market
    }

    fn price(&mut self, price: &str) {
        self.state.set_price("USDT_ETH", price.parse().unwrap()).unwrap();
    }

    fn advance(&mut self, seconds: i64) {
        let until = clock::later(self.state.clock.now(), SignedDuration::from_secs(seconds));
        self.state.advance_to(until);
    }

    fn bot(&self) -> Value {
        serde_json::to_value(self.state.bot_with_deals(self.bot)).unwrap()
    }

    fn open(&self) -> Vec<Value> {
        self.bot()["active_deals"].as_array().unwrap().clone()
    }

    fn deal(&self) -> Value {
        self.open()[0].clone()
    }

    /// Returns the deal that closed last.
    fn closed(&self) -> Value {
        Value::Object(self.state.finished_deals(self.bot).last().unwrap().clone())
    }

    fn closed_deals(&self) -> usize {
        self.state.finished_deals(self.bot).count()
    }

    /// Returns the bot for modification.
    fn record(&mut self) -> DcaBotMut<'_> {
        self.state.dca_bot(Some(self.bot)).ok().unwrap().0
    }

    /// Returns the record of the only open deal for modification.
    fn deal_record(&mut self) -> &mut serde_json::Map<String, Value> {
        let DcaBotMut { deals, state, .. } = self.record();
        deals.get_mut(&state.deals[0].id).unwrap()
    }

    fn disable(&mut self) {
        self.record().set("is_enabled", false);
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
    let market = TestMarket::opened(json!({}));
    let deal = market.deal();
    assert_eq!(
        figures(&deal, &["status", "pair", "base_order_average_price", "bought_average_price", "current_price"]),
        ["bought", "USDT_ETH", "2561.66911", "2561.66911", "2561.66911"]
    );
    assert_eq!(
        figures(&deal, &["bought_amount", "take_profit_price", "stop_loss_price", "actual_profit"]),
        ["0.03122964", "2587.29", "1998.1019058", "0"]
    );
    let bot = market.bot();
    assert_eq!((&bot["active_deals_count"], &bot["deletable?"]), (&json!(1), &json!(false)));
    assert_eq!(
        (&deal["bot_id"], &deal["created_at"]),
        (&bot["id"], &json!(clock::timestamp(market.state.clock.now())))
    );
}

#[test]
fn other_bots_open_no_deals() {
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
        let mut market = published(changes.clone());
        market.price("2561.66911");
        assert_eq!(market.open(), [Value::Null; 0], "{changes}");
    }
}

#[test]
fn a_bot_opens_one_deal_at_a_time_up_to_its_limit() {
    let mut market = published(json!({"max_active_deals": 2, "allowed_deals_on_same_pair": 2}));
    for (price, open) in [("2561", 1), ("2562", 2), ("2563", 2)] {
        market.price(price);
        assert_eq!(market.open().len(), open);
    }
}

#[test]
fn custom_safety_steps_place_the_safety_orders_of_a_deal() {
    let steps = json!([{"deviation": "-1.5", "size": 40}, {"deviation": "-6", "size": 90}]);
    let mut market = TestMarket::opened(json!({"custom_safety_steps": steps}));
    let editable = |market: &TestMarket| {
        let deal = market.deal();
        let steps = deal["custom_safety_steps"].as_array().unwrap().clone();
        steps.iter().map(|step| step["editable"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(editable(&market), [true, true]);
    // 2561.66911 × (1 - 1.5 %), rounded down to the tick.
    market.price("2523.25");
    assert_eq!(market.deal()["completed_safety_orders_count"], 0);
    market.price("2523.24");
    assert_eq!(market.deal()["completed_safety_orders_count"], 1);
    assert_eq!(editable(&market), [false, true]);
    market.price("2407.96");
    assert_eq!(editable(&market), [false, false]);
    assert_eq!(market.deal()["current_active_safety_orders"], 0);
}

#[test]
fn a_safety_order_fills_at_its_own_price() {
    let mut market = TestMarket::opened(json!({}));
    market.price("2536.06");
    assert_eq!(market.deal()["completed_safety_orders_count"], 0);
    market.price("2536.05");
    let deal = market.deal();
    assert_eq!((&deal["completed_safety_orders_count"], &deal["current_active_safety_orders"]), (&json!(1), &json!(1)));
    // 0.03122964 × 2561.66911 + 0.01182942 × 2536.05
    assert_eq!(figures(&deal, &["bought_amount", "bought_volume"]), ["0.04305906", "110.0000046954204"]);
    assert_eq!(deal["take_profit_price"], "2580.18");
}

#[test]
fn a_price_that_passes_several_safety_orders_fills_them_in_order() {
    let mut market = TestMarket::opened(json!({"active_safety_orders_count": 1}));
    market.price("2023.71");
    let deal = market.deal();
    assert_eq!((&deal["completed_safety_orders_count"], &deal["current_active_safety_orders"]), (&json!(3), &json!(0)));
    let mut in_steps = TestMarket::opened(json!({"active_safety_orders_count": 3}));
    for (price, filled) in [("2536.05", 1), ("2433.58", 2), ("2023.71", 3)] {
        in_steps.price(price);
        assert_eq!(in_steps.deal()["completed_safety_orders_count"], filled);
    }
    let fields = ["bought_amount", "bought_volume", "take_profit_price", "actual_profit"];
    assert_eq!(figures(&deal, &fields), figures(&in_steps.deal(), &fields));
}

#[test]
fn no_safety_order_is_placed_if_none_may_be_active() {
    for changes in [json!({"max_safety_orders": 0}), json!({"active_safety_orders_count": 0})] {
        let mut market = TestMarket::opened(changes);
        market.price("2023.71");
        assert_eq!(market.deal()["completed_safety_orders_count"], 0);
    }
}

#[test]
fn at_the_take_profit_price_the_deal_closes_at_that_price() {
    let mut market = TestMarket::opened(json!({}));
    market.disable();
    market.price("2587.28");
    assert_eq!(market.open().len(), 1);
    market.price("9999");
    assert_eq!(market.open().len(), 0);
    let deal = market.closed();
    assert_eq!(
        figures(&deal, &["status", "localized_status", "finished?", "sold_amount", "sold_average_price"]),
        ["completed", "Completed", "true", "0.03122964", "2587.29"]
    );
    assert_eq!(number(&deal["final_profit"]), number(&deal["sold_volume"]) - number(&deal["bought_volume"]));
    assert_eq!((&deal["final_profit_percentage"], &deal["closed_at"]), (&json!("1"), &deal["updated_at"]));
    let bot = market.bot();
    assert_eq!(
        figures(&bot, &["active_deals_count", "deletable?", "finished_deals_count", "active_deals_usd_profit"]),
        ["0", "true", "1", "0.0"]
    );
    assert_eq!(number(&bot["finished_deals_profit_usd"]), number(&deal["usd_final_profit"]));
}

#[test]
fn a_bot_that_took_profit_opens_the_next_deal_immediately() {
    let mut market = TestMarket::opened(json!({}));
    market.price("2600");
    assert_eq!((market.closed_deals(), &market.deal()["base_order_average_price"]), (1, &json!("2600")));
    assert_ne!(market.closed()["id"], market.deal()["id"]);
}

#[test]
fn the_stop_loss_closes_at_the_price() {
    let mut market = TestMarket::opened(json!({}));
    market.price("1998.1019059");
    assert_eq!(market.closed_deals(), 0);
    market.price("1990");
    let deal = market.closed();
    assert_eq!(
        figures(&deal, &["status", "sold_average_price", "completed_safety_orders_count"]),
        ["stop_loss_finished", "1990", "3"]
    );
    assert!(number(&deal["final_profit"]) < BigDecimal::zero());
    assert_eq!((&market.bot()["is_enabled"], market.open().len()), (&json!(true), 1));
}

#[test]
fn a_stop_loss_can_disable_the_bot() {
    let mut market = TestMarket::opened(json!({"stop_loss_type": "stop_loss_and_disable_bot"}));
    market.price("1990");
    assert_eq!((&market.bot()["is_enabled"], market.open().len()), (&json!(false), 0));
}

#[test]
fn a_stop_loss_with_a_timeout_waits() {
    let waits = json!({"stop_loss_timeout_enabled": true, "stop_loss_timeout_in_seconds": 300});
    let mut market = TestMarket::opened(waits.clone());
    market.disable();
    market.price("1990");
    market.advance(299);
    assert_eq!(market.open().len(), 1);
    market.price("1980");
    market.advance(1);
    assert_eq!(figures(&market.closed(), &["status", "sold_average_price"]), ["stop_loss_finished", "1980"]);

    let mut market = TestMarket::opened(waits);
    market.price("1990");
    market.advance(299);
    market.price("2000");
    market.advance(3_600);
    assert_eq!(market.closed_deals(), 0);
}

#[test]
fn a_trailing_stop_loss_follows_the_best_price() {
    let mut market = TestMarket::opened(json!({"tsl_enabled": true, "take_profit": "50"}));
    market.price("3000");
    assert_eq!(figures(&market.deal(), &["tsl_max_price", "stop_loss_price"]), ["3000", "2340"]);
    market.price("2700");
    assert_eq!(market.deal()["stop_loss_price"], "2340");
    market.price("2340");
    assert_eq!(market.closed()["status"], "stop_loss_finished");
}

#[test]
fn a_trailing_take_profit_closes_once_the_price_falls_back() {
    let mut market = TestMarket::opened(json!({"trailing_enabled": true, "trailing_deviation": "1"}));
    market.disable();
    for price in ["2587.29", "2700", "2690", "2673.01"] {
        market.price(price);
        assert_eq!(market.open().len(), 1, "{price}");
    }
    assert_eq!(market.deal()["trailing_max_price"], "2700");
    market.price("2673");
    assert_eq!(figures(&market.closed(), &["status", "sold_average_price"]), ["completed", "2673"]);
}

#[test]
fn steps_close_a_deal_in_parts() {
    let steps = json!([
        {"id": 0, "amount_percentage": 50, "profit_percentage": 1},
        {"id": 1, "amount_percentage": 50, "profit_percentage": 2},
    ]);
    let breakeven = json!({"upper_breakeven_limit": 0});
    let mut market = TestMarket::opened(json!({"take_profit_steps": steps}));
    market.disable();
    market.deal_record().extend(
        json!({"sl_to_breakeven_enabled": true, "sl_to_breakeven_data": breakeven}).as_object().unwrap().clone(),
    );
    market.price("2590");
    let deal = market.deal();
    assert_eq!(
        figures(&deal, &["sold_amount", "reserved_second_coin", "take_profit_price", "current_active_safety_orders"]),
        ["0.01561482", "0.01561482", "2590", "0"]
    );
    assert_eq!(deal["stop_loss_price"], "2561.66911");
    market.price("2612.91");
    let deal = market.closed();
    assert_eq!((&deal["status"], &deal["sold_amount"]), (&json!("completed"), &deal["bought_amount"]));
    assert_eq!(deal["final_profit_percentage"], "1.5");
}

#[test]
fn each_step_closes_its_share_rounded_down_to_the_lot_and_the_last_one_the_rest() {
    let steps: Vec<_> = [33, 33, 34]
        .into_iter()
        .zip(1..)
        .map(|(amount, profit)| json!({"id": profit - 1, "amount_percentage": amount, "profit_percentage": profit}))
        .collect();
    let mut market = TestMarket::opened(json!({
        "take_profit_steps": steps, "base_order_volume": "0.00000005", "base_order_volume_type": "base_currency",
    }));
    let mut sold = |price: &str| {
        market.price(price);
        market.deal()["sold_amount"].clone()
    };
    // 33 % of 5 lots are 1.65 lots.
    assert_eq!([sold("2590"), sold("2613")], ["0.00000001", "0.00000002"]);
    market.disable();
    market.price("2639");
    assert_eq!(market.closed()["sold_amount"], "0.00000005");
}

#[test]
fn a_price_past_all_steps_closes_all_parts_at_their_prices() {
    let steps = json!([
        {"id": 0, "amount_percentage": 40, "profit_percentage": 1},
        {"id": 1, "amount_percentage": 60, "profit_percentage": 2},
    ]);
    let mut market = TestMarket::opened(json!({"take_profit_steps": steps}));
    market.price("2700");
    assert_eq!(figures(&market.closed(), &["status", "final_profit_percentage"]), ["completed", "1.6"]);
}

#[test]
fn a_short_deal_sells_first() {
    let mut market = TestMarket::opened(json!({"strategy": "short", "stop_loss_percentage": "22"}));
    let deal = market.deal();
    assert_eq!(
        figures(&deal, &["sold_amount", "bought_amount", "take_profit_price", "stop_loss_price"]),
        ["0.03122964", "0", "2536.05", "3125.2363142"]
    );
    market.price("2600");
    assert_eq!(market.deal()["completed_safety_orders_count"], 1);
    assert!(number(&market.deal()["actual_profit"]) < BigDecimal::zero());
    market.price("2500");
    let deal = market.closed();
    assert_eq!((&deal["status"], &deal["bought_amount"]), (&json!("completed"), &deal["sold_amount"]));
    assert!(number(&deal["final_profit"]) > BigDecimal::zero());
}

#[test]
fn a_take_profit_can_refer_to_the_base_order() {
    let mut market = TestMarket::opened(json!({"take_profit_type": "base", "take_profit": "10"}));
    market.price("2536.05");
    // A profit of 8 USDT on 0.04305907.
    assert_eq!(market.deal()["take_profit_price"], "2740.43");
}

#[test]
fn volumes_can_be_in_the_base_currency_or_in_percent_of_the_balance() {
    let market = TestMarket::opened(json!({"base_order_volume_type": "base_currency", "base_order_volume": "0.5"}));
    assert_eq!(market.deal()["bought_amount"], "0.5");
    let mut market = published(json!({"base_order_volume_type": "percent", "base_order_volume": "10"}));
    let account = market.bot()["account_id"].as_u64().unwrap();
    market.state.store.accounts.get_mut(&account).unwrap().insert("usd_amount".to_owned(), json!("5000"));
    market.price("2500");
    assert_eq!(market.deal()["bought_volume"], "500");
}

#[test]
fn a_deal_that_is_being_cancelled_is_cancelled_at_the_next_price() {
    let mut market = TestMarket::opened(json!({}));
    market.deal_record().insert("status".to_owned(), json!("cancel_pending"));
    market.disable();
    market.price("2023.71");
    assert_eq!(market.open().len(), 0);
    let deal = market.closed();
    assert_eq!(
        figures(&deal, &["status", "localized_status", "finished?", "completed_safety_orders_count", "current_price"]),
        ["cancelled", "Cancelled", "true", "0", "2023.71"]
    );
    assert_eq!((&deal["final_profit"], &market.bot()["finished_deals_count"]), (&json!("0"), &json!("0")));
}

#[test]
fn a_bot_has_a_cooldown_after_a_deal() {
    let mut market = TestMarket::opened(json!({"cooldown": "300"}));
    market.price("2600");
    market.price("2601");
    assert_eq!((market.closed_deals(), market.open().len()), (1, 0));
    market.advance(299);
    assert_eq!(market.open().len(), 0);
    market.advance(1);
    assert_eq!((market.open().len(), &market.deal()["base_order_average_price"]), (1, &json!("2601")));
}

#[test]
fn a_start_delay_postpones_a_deal() {
    let mut market = published(json!({"deal_start_delay_seconds": 60}));
    market.price("2561.66911");
    market.advance(59);
    assert_eq!(market.open().len(), 0);
    market.price("2562");
    market.advance(1);
    assert_eq!((market.open().len(), &market.deal()["base_order_average_price"]), (1, &json!("2562")));
}

#[test]
fn a_bot_that_was_disabled_meanwhile_opens_no_deal() {
    let mut market = published(json!({"deal_start_delay_seconds": 60}));
    market.price("2561.66911");
    market.disable();
    market.advance(3_600);
    assert_eq!(market.open().len(), 0);
}

#[test]
fn a_deal_that_is_open_for_too_long_is_closed() {
    let mut market = TestMarket::opened(json!({"close_deals_timeout": 600, "cooldown": "7200"}));
    let opened = market.deal()["created_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    market.price("2570");
    market.advance(3_600);
    let deal = market.closed();
    assert_eq!(figures(&deal, &["status", "sold_average_price"]), ["completed", "2570"]);
    // It was closed at its timeout, although the clock advanced further.
    assert_eq!(deal["closed_at"], clock::timestamp(clock::later(opened, SignedDuration::from_secs(600))));
    assert_eq!(market.open().len(), 0);
    market.advance(7_200);
    assert_eq!((market.closed_deals(), market.open().len()), (2, 0));
}

#[test]
fn a_bot_disables_itself_as_soon_as_the_last_deal_of_its_limit_opens() {
    let mut market = TestMarket::opened(json!({"disable_after_deals_count": 2}));
    assert_eq!((&market.bot()["is_enabled"], &market.bot()["deals_counter"]), (&json!(true), &json!(1)));
    market.price("2600");
    assert_eq!((&market.bot()["is_enabled"], market.open().len()), (&json!(false), 1));
    assert_eq!(market.bot()["deals_counter"], 2);
    market.price("2700");
    assert_eq!((market.open().len(), market.closed_deals()), (0, 2));
}

#[test]
fn a_bot_with_several_pairs_respects_its_limit_of_deals_on_one() {
    let pairs = json!(["USDT_ETH", "USDT_BTC"]);
    let mut market = published(json!({"pairs": pairs, "max_active_deals": 3, "allowed_deals_on_same_pair": 1}));
    market.price("2561");
    market.price("2562");
    assert_eq!(market.open().len(), 1);
    market.state.set_price("USDT_BTC", 60_000.into()).unwrap();
    assert_eq!(market.open().len(), 2);
}

#[test]
fn very_long_times_do_not_hang() {
    let mut market = TestMarket::opened(json!({"close_deals_timeout": 60}));
    market.advance(2_000_000_000);
    assert_eq!(market.closed_deals(), 1_000);
}

#[test]
fn invalid_prices_are_rejected() {
    let mut state = odd_state(1, 1);
    for (pair, price) in [("USDT_ETH", 0), ("USDT_ETH", -1), ("usdt_eth", 1), ("ETH", 1), ("", 1)] {
        assert!(state.set_price(pair, price.into()).is_err(), "{pair} {price}");
    }
}

#[test]
fn malformed_records_cause_no_panic() {
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
        let mut market = published(changes);
        for price in ["2561", "0.00000001", "1e30", "2000"] {
            market.price(price);
            market.advance(10);
        }
    }
}
