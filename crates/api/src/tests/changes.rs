//! The changes of an edit.

use serde_json::json;

use crate::dca_bots::{DcaBot, DcaBotEdit};
use crate::samples::{dca_bot, dca_bot_edit};
use botdesk_schema::input::{Change, Inputs, differences, input_differences};
use botdesk_schema::record::Record;
use serde_json::Value;

const INPUTS: &Inputs = DcaBotEdit::INPUTS;

fn lines(changes: &[Change]) -> Vec<String> {
    changes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_change_is_an_input_that_differs_from_the_record() {
    let bot = json!({"cooldown": "300", "trailing_enabled": true});
    let edit = dca_bot_edit(&bot, &json!({"name": "Calm", "take_profit": "1.50", "cooldown": null}));
    assert_eq!(lines(&edit.changes()), ["name: Steady → Calm", "cooldown: 300 → None"]);
    let carried = lines(&edit.carried_over());
    assert!(carried.contains(&"take_profit: 1.5 → 1.50".to_owned()), "{carried:?}");
    assert!(carried.contains(&"trailing_enabled: True → True".to_owned()), "{carried:?}");
    assert!(carried.iter().all(|line| !line.starts_with("name") && !line.starts_with("cooldown")), "{carried:?}");
}

#[test]
fn a_change_has_its_field_and_both_values_as_strings() {
    let edit = dca_bot_edit(&json!({}), &json!({"name": "Calm"}));
    let [change] = edit.changes().try_into().unwrap();
    assert_eq!(change.cells(), ("name", "Steady".to_owned(), "Calm".to_owned()));
}

fn warnings(field: &str, old: &str, new: &str) -> usize {
    dca_bot_edit(&json!({field: old}), &json!({field: new})).changes().iter().filter_map(Change::warning).count()
}

#[test]
fn a_volume_that_changes_by_more_than_a_factor_of_ten_has_a_warning() {
    for (old, new, expected) in [
        ("80", "80000", 1),
        ("80000", "80", 1),
        ("80", "800.00000001", 1),
        ("80", "800", 0),
        ("80", "8", 0),
        ("80", "7.9999999", 1),
        ("0", "80", 0),
        ("80", "0", 0),
    ] {
        assert_eq!(warnings("base_order_volume", old, new), expected, "{old} → {new}");
    }
    let [change] = dca_bot_edit(&json!({}), &json!({"base_order_volume": "80000"})).changes().try_into().unwrap();
    let expected = "base_order_volume: 80.0 → 80000 is a change by more than a factor of ten; check every digit";
    assert_eq!(change.warning().as_deref(), Some(expected));
}

#[test]
fn a_pair_with_another_quote_currency_has_a_warning() {
    for (old, new, expected) in [("USDT_ETH", "ETH_USDT", 1), ("USDT_ETH", "BUSD_ETH", 1), ("USDT_ETH", "USDT_BTC", 0)]
    {
        let edit = dca_bot_edit(&json!({"pairs": [old]}), &json!({"pairs": new}));
        assert_eq!(edit.changes().iter().filter_map(Change::warning).count(), expected, "{old} → {new}");
    }
}

#[test]
fn percentages_and_times_have_no_warning() {
    for field in ["take_profit", "cooldown", "min_price_percentage"] {
        assert_eq!(warnings(field, "1", "50"), 0, "{field}");
    }
}

#[test]
fn null_fields_ignored_fields_and_defaults_are_left_out() {
    let bot = json!({"min_profit_type": null, "account_id": 7, "leverage_type": "not_specified"});
    let left_out = dca_bot_edit(&bot, &json!({"name": "Calm"})).left_out();
    let expected = [
        ("max_active_deals", "default: 1"),
        ("sl_to_breakeven_enabled", "default: False"),
        ("sl_to_breakeven_data", "the service does not return it; pass it to keep it"),
        ("leverage_type", "not_specified means none"),
        ("stop_loss_timeout_enabled", "default: False"),
        ("min_profit_type", "null"),
        ("account_id", "sent only if it is given"),
    ];
    assert_eq!(left_out, expected.map(|(name, reason)| (name, reason.to_owned())));
}

#[test]
fn settings_that_only_creating_a_bot_takes_are_left_out() {
    let bot = json!({"strategy": "long", "min_price": "100", "max_price": null, "safety_strategy_list": []});
    let left_out = dca_bot_edit(&bot, &json!({"name": "Calm"})).left_out();
    let create_only: Vec<_> =
        left_out.iter().filter(|(_, reason)| reason == "only creating a bot takes it").map(|(name, _)| *name).collect();
    assert_eq!(create_only, ["strategy", "safety_strategy_list", "min_price", "max_price"]);
}

#[test]
fn what_a_bot_of_one_pair_or_without_leverage_does_not_have_is_left_out() {
    let bot = json!({
        "type": "Bot::SingleBot", "allowed_deals_on_same_pair": 1, "leverage_type": "not_specified",
        "leverage_custom_value": "5",
    });
    let left_out = dca_bot_edit(&bot, &json!({"name": "Calm"})).left_out();
    for (name, reason) in [
        ("allowed_deals_on_same_pair", "only for a DCA bot whose type is Bot::MultiBot"),
        ("leverage_custom_value", "means nothing without leverage_type"),
    ] {
        assert!(left_out.contains(&(name, reason.to_owned())), "{left_out:?}");
    }
}

fn between(before: &Value, now: &Value) -> Vec<String> {
    lines(&input_differences(INPUTS.rows, dca_bot(before).fields(), dca_bot(now).fields()))
}

#[test]
fn a_field_that_both_states_have_is_compared() {
    assert_eq!(between(&json!({"cooldown": "300"}), &json!({"cooldown": 300.0})), [""; 0]);
    assert_eq!(between(&json!({"cooldown": "300"}), &json!({"cooldown": "301"})), ["cooldown: 300 → 301"]);
    assert_eq!(between(&json!({"cooldown": "300"}), &json!({"cooldown": null})), ["cooldown: 300 → None"]);
}

#[test]
fn a_field_that_one_state_has_is_not_compared() {
    assert_eq!(between(&json!({"cooldown": "300"}), &json!({})), [""; 0]);
    assert_eq!(between(&json!({}), &json!({"cooldown": "300"})), [""; 0]);
}

#[test]
fn a_field_with_a_documented_default_is_compared_if_the_edit_would_reset_it() {
    let deals = |number: Value| json!({"max_active_deals": number});
    // An edit that omits the field sets it to 1.
    assert_eq!(between(&json!({}), &deals(json!(1))), [""; 0]);
    assert_eq!(between(&json!({}), &deals(Value::Null)), [""; 0]);
    assert_eq!(between(&json!({}), &deals(json!(5))), ["max_active_deals: None → 5"]);
    // An edit that sends the field sets it to 5.
    assert_eq!(between(&deals(json!(5)), &json!({})), ["max_active_deals: 5 → None"]);
}

#[test]
fn some_fields_of_two_states_are_compared() {
    let rows = || DcaBot::ROWS.iter().enumerate().filter(|(_, row)| ["name", "cooldown"].contains(&row.name));
    let (before, now) = (
        dca_bot(&json!({"cooldown": "300", "max_active_deals": 1})),
        dca_bot(&json!({"cooldown": "60", "max_active_deals": 2})),
    );
    assert_eq!(lines(&differences(rows(), before.fields(), now.fields())), ["cooldown: 300 → 60"]);
    assert_eq!(lines(&differences(rows(), before.fields(), before.fields())), [""; 0]);
}
