//! The rules about several inputs of an edit, at the bounds of each.

use serde_json::{Value, json};

use super::*;
use crate::samples::dca_bot_edit;

/// Returns each violation by an edit as `field: message`.
fn violations(bot: &Value, changes: &Value) -> Vec<String> {
    let found = dca_bot_edit(bot, changes).violations();
    found.iter().map(|violation| format!("{}: {}", violation.field, violation.plain_message())).collect()
}

fn assert_accepted(bot: &Value, changes: &Value) {
    assert_eq!(violations(bot, changes), [""; 0], "{changes} on {bot}");
}

fn assert_rejected(bot: &Value, changes: &Value, violation: &str) {
    assert_eq!(violations(bot, changes), [violation], "{changes} on {bot}");
}

fn steps(amounts: &[&str]) -> Value {
    let steps = amounts.iter().zip(1..);
    steps.map(|(amount, profit)| json!({"amount_percentage": amount, "profit_percentage": profit})).collect()
}

#[test]
fn several_steps_require_a_take_profit_of_0() {
    assert_accepted(&json!({}), &json!({"take_profit": "0", "take_profit_steps": steps(&["50", "50"])}));
    assert_accepted(&json!({}), &json!({"take_profit_steps": steps(&["100"])}));
    assert_accepted(&json!({}), &json!({"take_profit": "1.5", "take_profit_steps": []}));
    assert_rejected(
        &json!({}),
        &json!({"take_profit_steps": steps(&["50", "50"])}),
        "take_profit: must be 0 if there are several take_profit_steps, and there are 2; pass take_profit=0 to use \
         the steps, or take_profit_steps=[] to take all profit at 1.5 %",
    );
}

#[test]
fn a_bot_with_steps_and_without_a_take_profit_is_sent_with_0() {
    let take_profit = |bot: &Value| {
        let request = dca_bot_edit(bot, &json!({"name": "Calm"}));
        request.value(DcaBotInputs::take_profit).cloned()
    };
    assert_eq!(take_profit(&json!({"take_profit": null, "take_profit_steps": steps(&["100"])})), Some(json!("0")));
    assert_eq!(take_profit(&json!({"take_profit": "2", "take_profit_steps": steps(&["100"])})), Some(json!("2")));
    assert_eq!(take_profit(&json!({"take_profit": null, "take_profit_steps": []})), None);
}

#[test]
fn the_amounts_of_at_most_four_steps_add_up_to_100() {
    let with = |amounts: &[&str]| json!({"take_profit": "0", "take_profit_steps": steps(amounts)});
    for amounts in [&["100"] as &[_], &["99", "1"], &["25", "25", "25", "25"]] {
        assert_accepted(&json!({}), &with(amounts));
    }
    for (amounts, problem) in [
        (&["20", "20", "20", "20", "20"] as &[_], "at most 4 targets are possible, not 5"),
        (&["100", "0"], "each amount must be more than 0 %, not 0 %"),
        (&["110", "-10"], "each amount must be more than 0 %, not -10 %"),
        (&["50", "49"], "the amounts must add up to 100 %, not 99 %"),
        (&["50", "51"], "the amounts must add up to 100 %, not 101 %"),
    ] {
        assert_rejected(&json!({}), &with(amounts), &format!("take_profit_steps: {problem}"));
    }
}

#[test]
fn each_step_takes_profit() {
    let with = |profit: &str| json!({"take_profit_steps": [{"amount_percentage": "100", "profit_percentage": profit}]});
    assert_accepted(&json!({}), &with("1"));
    for profit in ["0", "-1"] {
        let violation = format!("take_profit_steps: each profit must be more than 0 %, not {profit} %");
        assert_rejected(&json!({}), &with(profit), &violation);
    }
}

#[test]
fn only_a_bot_with_one_pair_is_nonstop() {
    let with = |strategies: &[&str], pairs: &[&str]| {
        let strategies: Value = strategies.iter().map(|code| json!({"strategy": code, "options": {}})).collect();
        json!({"strategy_list": strategies, "pairs": pairs})
    };
    assert_accepted(&json!({}), &with(&["nonstop"], &["USDT_BTC"]));
    assert_accepted(&json!({}), &with(&["rsi"], &["USDT_BTC", "USDT_ETH"]));
    for strategies in [&["nonstop"] as &[_], &["rsi", "nonstop"]] {
        assert_rejected(
            &json!({}),
            &with(strategies, &["USDT_BTC", "USDT_ETH"]),
            "strategy_list: nonstop is only for a bot with one pair, and there are 2",
        );
    }
}

#[test]
fn a_stop_loss_at_break_even_needs_two_steps() {
    let with = |amounts: &[&str]| json!({"take_profit": "0", "take_profit_steps": steps(amounts)});
    let on = json!({"sl_to_breakeven_enabled": true});
    assert_accepted(&with(&["50", "50"]), &on);
    assert_accepted(&with(&["100"]), &json!({"sl_to_breakeven_enabled": false}));
    assert_rejected(&with(&["100"]), &on, "sl_to_breakeven_enabled: needs at least two take_profit_steps; there are 1");
}

#[test]
fn a_stop_loss_moves_to_one_of_three_prices() {
    for limit in [json!(0), json!(1), json!(2)] {
        assert_accepted(&json!({}), &json!({"sl_to_breakeven_data": {"upper_breakeven_limit": limit}}));
    }
    for data in [json!({"upper_breakeven_limit": 3}), json!({"upper_breakeven_limit": -1}), json!({"limit": 0})] {
        assert_rejected(
            &json!({}),
            &json!({"sl_to_breakeven_data": data}),
            "sl_to_breakeven_data: needs upper_breakeven_limit: 0 (the base order's price), 1 (the first target) or 2 (the \
             second)",
        );
    }
}

#[test]
fn a_stop_loss_is_below_the_last_safety_order() {
    // The bot has 3 safety orders: 1 %, 1 + 2 % and 1 + 2 + 4 % away.
    let stop = |percent: &str| json!({"stop_loss_percentage": percent});
    for percent in ["7.001", "99.999", "0"] {
        assert_accepted(&json!({}), &stop(percent));
    }
    for percent in ["7", "6.999"] {
        let violation = "stop_loss_percentage: must be below the last safety order, so more than 7 %, not";
        assert_rejected(&json!({}), &stop(percent), &format!("{violation} {percent} %"));
    }
}

#[test]
fn a_stop_loss_is_checked_if_the_safety_orders_move() {
    let bot = json!({"stop_loss_percentage": "10"});
    assert_accepted(&bot, &json!({"safety_order_step_percentage": "1.4"}));
    for (changes, last) in [
        (json!({"safety_order_step_percentage": "2"}), "14"),
        (json!({"martingale_step_coefficient": "3"}), "13"),
        (json!({"max_safety_orders": 4}), "15"),
    ] {
        let violation = "stop_loss_percentage: must be below the last safety order, so more than";
        assert_rejected(&bot, &changes, &format!("{violation} {last} %, not 10 %"));
    }
}

#[test]
fn a_stop_loss_without_known_safety_orders_is_not_compared_with_them() {
    let stop = json!({"stop_loss_percentage": "0.5"});
    assert_accepted(&json!({"max_safety_orders": 0}), &stop);
    assert_accepted(&json!({"custom_safety_steps": [{"step": 1}]}), &stop);
    for steps in [json!([]), Value::Null] {
        let violation = "stop_loss_percentage: must be below the last safety order, so more than 7 %, not 0.5 %";
        assert_rejected(&json!({"custom_safety_steps": steps}), &stop, violation);
    }
}

#[test]
fn a_stop_loss_is_below_the_last_custom_safety_step() {
    let steps = json!([{"deviation": "-1.1", "size": 10}, {"deviation": "-6", "size": 10}]);
    let bot = json!({"custom_safety_steps": steps, "max_safety_orders": 2});
    let violation = "stop_loss_percentage: must be below the last safety order, so more than 6 %, not 3 %";
    assert_rejected(&bot, &json!({"stop_loss_percentage": "3"}), violation);
    assert_accepted(&bot, &json!({"stop_loss_percentage": "7"}));
}

#[test]
fn custom_safety_steps_lead_away_from_the_base_order() {
    let steps = |deviations: &[&str]| -> Value {
        deviations.iter().map(|deviation| json!({"deviation": deviation, "size": 10})).collect()
    };
    let change = |deviations| json!({"custom_safety_steps": steps(deviations)});
    let (long, short) = (json!({"strategy": "long"}), json!({"strategy": "short"}));
    assert_accepted(&long, &change(&["-1.1", "-2", "-100"]));
    assert_accepted(&short, &change(&["1.1", "2", "10000"]));
    for (bot, deviations, wrong) in [
        (&long, &["1.1"] as &[_], "long bot must be below 0 and below the deviation before it, not 1.1 %"),
        (&long, &["-2", "-2"], "long bot must be below 0 and below the deviation before it, not -2 %"),
        (&short, &["-1"], "short bot must be above 0 and above the deviation before it, not -1 %"),
        (&short, &["3", "2"], "short bot must be above 0 and above the deviation before it, not 2 %"),
    ] {
        assert_rejected(bot, &change(deviations), &format!("custom_safety_steps: each deviation of a {wrong}"));
    }
    let range = "custom_safety_steps: each deviation must be between -100 and 10000 %, not -100.1 %";
    assert_rejected(&long, &change(&["-100.1"]), range);
}

#[test]
fn custom_safety_steps_have_a_size_and_are_at_most_as_many_as_the_orders() {
    let step = |size: u32, place: u32| json!({"deviation": format!("-{place}"), "size": size});
    let steps = |sizes: &[u32]| -> Value { sizes.iter().zip(1..).map(|(size, place)| step(*size, place)).collect() };
    assert_accepted(&json!({}), &json!({"custom_safety_steps": steps(&[10, 20, 30])}));
    assert_rejected(
        &json!({}),
        &json!({"custom_safety_steps": steps(&[0])}),
        "custom_safety_steps: each size must be greater than 0, not 0",
    );
    assert_rejected(
        &json!({}),
        &json!({"custom_safety_steps": steps(&[10, 20, 30, 40])}),
        "custom_safety_steps: must have at most as many steps as max_safety_orders, 3, and there are 4",
    );
}

#[test]
fn a_bot_has_at_most_as_many_deals_as_its_pairs_allow() {
    let several = |number: usize, per_pair: Value| {
        let pairs: Vec<_> = (0..number).map(|number| format!("USDT_C{number}")).collect();
        json!({
            "pairs": pairs, "type": "Bot::MultiBot", "allowed_deals_on_same_pair": per_pair,
            "strategy_list": [{"strategy": "manual"}],
        })
    };
    let deals = |number: u32| json!({"max_active_deals": number});
    assert_accepted(&json!({}), &deals(1));
    assert_accepted(&several(12, json!(1)), &deals(12));
    assert_accepted(&several(3, json!(2)), &deals(6));
    for (bot, number, limit) in [
        (json!({}), 3, "1 (1 pair, 1 deal on each by allowed_deals_on_same_pair)"),
        (several(12, Value::Null), 25, "12 (12 pairs, 1 deal on each by allowed_deals_on_same_pair)"),
        (several(3, json!(2)), 7, "6 (3 pairs, 2 deals on each by allowed_deals_on_same_pair)"),
    ] {
        let violation = format!("max_active_deals: must be less than or equal to {limit}, not {number}");
        assert_rejected(&bot, &deals(number), &violation);
    }
    let fewer = json!({"pairs": ["USDT_C0", "USDT_C1"]});
    let bot = json!({"max_active_deals": 3, "pairs": several(3, json!(1))["pairs"], "strategy_list": [{"strategy": "manual"}]});
    let violation = "max_active_deals: must be less than or equal to 2 (2 pairs, 1 deal on each by allowed_deals_on_same_pair), not 3";
    assert_rejected(&bot, &fewer, violation);
    // A bot that has more already can be edited otherwise.
    assert_accepted(&json!({"max_active_deals": 3}), &json!({"cooldown": "5"}));
}

#[test]
fn the_last_safety_order_of_more_orders_than_allowed_is_not_calculated() {
    let orders = |number: u32| {
        let changes = json!({"max_safety_orders": number, "martingale_step_coefficient": "1"});
        last_deviation(&dca_bot_edit(&json!({}), &changes))
    };
    assert_eq!(orders(200), Some(200.into()));
    assert_eq!(orders(201), None);
    assert_eq!(orders(0), None);
}

#[test]
fn the_stop_loss_of_a_long_bot_is_above_a_price_of_0() {
    let long = json!({"strategy": "long"});
    assert_accepted(&long, &json!({"stop_loss_percentage": "99.999"}));
    assert_accepted(&json!({"strategy": "short"}), &json!({"stop_loss_percentage": "100"}));
    assert_rejected(
        &long,
        &json!({"stop_loss_percentage": "100"}),
        "stop_loss_percentage: must be lower than 100 for a long bot, not 100",
    );
}

#[test]
fn a_bot_takes_profit_at_a_percentage_at_steps_or_by_a_strategy() {
    let rejected =
        "take_profit: must be greater than 0 if there are neither take_profit_steps nor a close_strategy_list";
    assert_rejected(&json!({}), &json!({"take_profit": "0"}), rejected);
    assert_accepted(&json!({}), &json!({"take_profit": "0.001"}));
    assert_accepted(&json!({"take_profit_steps": steps(&["100"])}), &json!({"take_profit": "0"}));
    let by_strategy = json!({"close_strategy_list": [{"strategy": "rsi", "options": {}}]});
    assert_accepted(&by_strategy, &json!({"take_profit": "0"}));
}

#[test]
fn safety_orders_have_a_volume_and_a_distance() {
    for input in ["safety_order_volume", "safety_order_step_percentage"] {
        let change = json!({input: "0"});
        let one = format!("{input}: must be greater than 0 if max_safety_orders is 1, not 0");
        assert_rejected(&json!({"max_safety_orders": 1}), &change, &one);
        assert_accepted(&json!({"max_safety_orders": 0}), &change);
        assert_accepted(&json!({"custom_safety_steps": [{"step": 1}]}), &change);
        assert_accepted(&json!({}), &json!({input: "0.001"}));
    }
}

#[test]
fn trailing_has_a_deviation() {
    let bot = |trailing: bool| json!({"trailing_enabled": trailing, "trailing_deviation": "0.5"});
    assert_accepted(&bot(true), &json!({"trailing_deviation": "0.001"}));
    assert_accepted(&bot(false), &json!({"trailing_deviation": "0"}));
    assert_rejected(
        &bot(true),
        &json!({"trailing_deviation": "0"}),
        "trailing_deviation: must be greater than 0 if trailing_enabled is true, not 0",
    );
}
