//! Edits: what they change, and each rule that they can break.

use serde_json::{Map, json};

use super::*;
use botdesk_api::dca_bot::DcaBotEdit;
use botdesk_api::input::Rule;
use botdesk_api::samples::required_dca_bot_edit;

/// A body with every field that an edit must have, and `changes`.
fn body(changes: &Value) -> String {
    Value::Object(required_dca_bot_edit(changes)).to_string()
}

impl Desk {
    async fn edit(&self, id: u64, changes: Value) -> Answer {
        self.ask("PATCH", &format!("/ver1/bots/{id}/update"), &body(&changes)).await
    }
}

#[tokio::test]
async fn an_edit_changes_what_it_says_and_nothing_else() {
    let desk = Desk::open(1).await;
    let before = desk.list("").await.remove(0);
    let answer = desk.edit(41, json!({"name": before["name"], "unknown": 5})).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut expected = before.clone();
    expected["take_profit"] = "1.5".into();
    expected["updated_at"] = answer.body["updated_at"].clone();
    assert_eq!(answer.body, expected);
    assert!(answer.body["updated_at"].as_str() > before["updated_at"].as_str());
    assert_eq!(desk.list("").await, [answer.body]);
}

#[tokio::test]
async fn values_are_held_in_the_forms_of_the_document() {
    let desk = Desk::open(1).await;
    let long = "1.00399920581210916146041542739112586575949572812639182";
    let text = body(&json!({
        "max_active_deals": "7",
        "cooldown": 300,
        "base_order_volume": 12.50,
        "min_volume_btc_24h": long,
        "close_deals_timeout": 60,
        "sl_to_breakeven_data": {"upper_breakeven_limit": 1},
    }));
    // Digits and exponents that `json!` would not write.
    let text = text.replace("12.5,", "12.50,").replace("\"1.7\"", "1e0");
    let answer = desk.ask("PATCH", "/ver1/bots/41/update", &text).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let held = |field: &str| answer.body[field].clone();
    assert_eq!(held("max_active_deals"), 7);
    assert_eq!(held("cooldown"), "300");
    assert_eq!(held("base_order_volume"), "12.50");
    assert_eq!(held("martingale_volume_coefficient"), "1");
    assert_eq!(held("min_volume_btc_24h"), long);
    assert_eq!(held("close_deals_timeout"), 60);
    assert_eq!(held("pairs"), json!(["USDT_ETH"]));
    assert_eq!(held("sl_to_breakeven_data"), json!({"upper_breakeven_limit": 1}));
}

#[tokio::test]
async fn steps_are_held_with_their_places_and_take_the_place_of_the_take_profit() {
    let desk = Desk::open(1).await;
    let steps = json!([{"amount_percentage": 50, "profit_percentage": "1.5"}, {"amount_percentage": "50", "profit_percentage": 3}]);
    for take_profit in [json!(0), json!("0"), Value::Null] {
        let answer = desk.edit(41, json!({"take_profit": take_profit, "take_profit_steps": steps})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(answer.body["take_profit"], Value::Null);
        assert_eq!(
            answer.body["take_profit_steps"],
            json!([
                {"amount_percentage": 50, "profit_percentage": "1.5", "id": 0},
                {"amount_percentage": 50, "profit_percentage": 3, "id": 1},
            ])
        );
    }
    // Steps that are not sent stay, and are judged with what is.
    assert_eq!(desk.edit(41, json!({"take_profit": "2"})).await.messages("take_profit").len(), 1);
    let answer = desk.edit(41, json!({"take_profit": "2", "take_profit_steps": []})).await;
    assert_eq!((&answer.body["take_profit"], &answer.body["take_profit_steps"]), (&"2".into(), &json!([])));
    assert_eq!(desk.edit(41, json!({"take_profit": null})).await.messages("take_profit"), ["is required"]);
}

#[tokio::test]
async fn every_required_field_is_missed_by_its_name() {
    let desk = Desk::open(2).await;
    // The second bot holds steps, which do not stand in for the take profit.
    for id in [41, 42] {
        let answer = desk.ask("PATCH", &format!("/ver1/bots/{id}/update"), "{}").await;
        for row in DcaBotEdit::INPUTS.rows {
            let required = row.rules.iter().any(|rule| matches!(rule, Rule::Required | Rule::RequiredUnless(_)));
            let expected: &[&str] = if required { &["is required"] } else { &[] };
            assert_eq!(answer.messages(row.wire), expected, "{}", row.wire);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_no_object_is_refused() {
    let desk = Desk::open(1).await;
    for body in ["[]", "null", "5", "{", "{\"name\":}", "{}{}", "name=x", "\u{fffd}"] {
        let answer = desk.ask("PATCH", "/ver1/bots/41/update", body).await;
        assert_eq!(answer.messages("base"), ["the body must be a JSON object"], "{body:?}");
    }
}

#[tokio::test]
async fn an_empty_body_misses_every_required_field() {
    let desk = Desk::open(1).await;
    let empty = desk.ask("PATCH", "/ver1/bots/41/update", "").await;
    assert_eq!(empty.messages("name"), ["is required"]);
    assert_eq!(empty.body, desk.ask("PATCH", "/ver1/bots/41/update", "{}").await.body);
}

#[tokio::test]
async fn an_edit_may_name_the_account_of_its_bot() {
    let desk = Desk::open(1).await;
    let before = desk.show(41).await;
    let answer = desk.edit(41, json!({"account_id": before["account_id"]})).await;
    let held = |field: &str| (&answer.body[field], &before[field]);
    assert_eq!(answer.status, 200, "{}", answer.body);
    for field in ["account_id", "account_name"] {
        assert_eq!(held(field).0, held(field).1);
    }
}

#[tokio::test]
async fn an_edit_moves_a_bot_to_another_account_and_its_open_deals_stay() {
    let desk = Desk::open(1).await;
    let deals = desk.show(41).await["active_deals"].clone();
    for account in [json!(1_002), json!("1002")] {
        let answer = desk.edit(41, json!({"account_id": account})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let bot = desk.show(41).await;
        assert_eq!((&bot["account_id"], &bot["account_name"]), (&1_002.into(), &"Demo futures".into()));
        assert_eq!(bot["active_deals"], deals);
    }
}

#[tokio::test]
async fn an_account_that_the_user_does_not_have_or_that_has_no_bots_is_refused() {
    let desk = Desk::open(1).await;
    let before = desk.show(41).await;
    let wallet = desk.sandbox.add_account(fields(json!({"market_code": "ethereumwallet"}), json!({}))).unwrap();
    for account in [json!(999), json!(41), json!(wallet), json!(i64::MAX), Value::Null] {
        let answer = desk.edit(41, json!({"account_id": account})).await;
        assert_eq!(answer.messages("account_id"), ["is not one of your accounts that may have DCA bots"], "{account}");
    }
    for account in [0, -1] {
        let answer = desk.edit(41, json!({"account_id": account})).await;
        assert_eq!(answer.messages("account_id").len(), 1, "{account}");
    }
    for account in ["main", "1001.0", ""] {
        let answer = desk.edit(41, json!({"account_id": account})).await;
        assert_eq!(answer.messages("account_id"), [format!("must be an integer, not {account:?}")]);
    }
    assert_eq!(desk.show(41).await, before);
}

#[tokio::test]
async fn each_rule_is_judged_by_the_name_of_its_field() {
    let desk = Desk::open(2).await;
    let step = |amount: u64| json!({"amount_percentage": amount, "profit_percentage": 1});
    for (field, value) in [
        ("max_active_deals", json!(0)),
        ("max_active_deals", json!(200)),
        ("max_active_deals", json!("many")),
        ("max_active_deals", json!(1.5)),
        ("martingale_volume_coefficient", json!("0.09")),
        ("martingale_step_coefficient", json!(10.01)),
        ("max_safety_orders", json!(201)),
        ("cooldown", json!(2_592_001)),
        ("cooldown", json!("NaN")),
        ("reinvesting_percentage", json!("100.1")),
        ("min_price_percentage", json!(-95)),
        ("max_price_percentage", json!("1000")),
        ("close_deals_timeout", json!(59)),
        ("name", json!(5)),
        ("pairs", json!([1])),
        ("strategy_list", json!("nonstop")),
        ("take_profit_steps", json!([step(50), step(51)])),
        ("take_profit_steps", json!([step(20), step(20), step(20), step(20), step(20)])),
        ("sl_to_breakeven_enabled", json!(true)),
        ("sl_to_breakeven_data", json!({"upper_breakeven_limit": 3})),
        ("allowed_deals_on_same_pair", json!(2)),
        ("tsl_enabled", json!("yes")),
    ] {
        let answer = desk.edit(41, json!({"take_profit": "0", field: value})).await;
        assert_eq!(answer.messages(field).len(), 1, "{field}={value}: {}", answer.body);
    }
    let multi = json!({"allowed_deals_on_same_pair": 2, "take_profit_steps": []});
    assert_eq!(desk.edit(42, multi).await.body["allowed_deals_on_same_pair"], 2);
}

#[tokio::test]
async fn a_flag_that_is_switched_on_asks_for_its_number() {
    let desk = Desk::open(1).await;
    for (flag, field) in
        [("trailing_enabled", "trailing_deviation"), ("stop_loss_timeout_enabled", "stop_loss_timeout_in_seconds")]
    {
        let answer = desk.edit(41, json!({flag: true})).await;
        assert_eq!(answer.messages(field), [format!("is required when {flag} is true")]);
        assert_eq!(desk.edit(41, json!({flag: true, field: 5})).await.status, 200);
        assert_eq!(desk.edit(41, json!({flag: false})).await.status, 200);
    }
}

#[tokio::test]
async fn all_violations_are_told_at_once_and_nothing_is_changed() {
    let desk = Desk::open(1).await;
    let before = desk.list("").await;
    let answer = desk.edit(41, json!({"cooldown": -1, "max_active_deals": 0, "name": null})).await;
    for field in ["cooldown", "max_active_deals", "name"] {
        assert_eq!(answer.messages(field).len(), 1, "{field}");
    }
    assert_eq!(desk.list("").await, before);
}

#[tokio::test]
async fn a_stop_loss_above_the_last_safety_order_is_refused_in_the_services_words() {
    let desk = Desk::open(1).await;
    for (stop_loss, step, last) in [
        ("5", "1", Some("7.0")),
        ("7", "1", Some("7.0")),
        ("8", "1", None),
        ("0", "1", None),
        ("10", "1.5", Some("10.5")),
    ] {
        let answer =
            desk.edit(41, json!({"stop_loss_percentage": stop_loss, "safety_order_step_percentage": step})).await;
        match last {
            Some(last) => assert_eq!(
                answer.messages("stop_loss_percentage"),
                [format!("Stop Loss should be below the last safety order ({last})")]
            ),
            None => assert_eq!(answer.status, 200, "{stop_loss}: {}", answer.body),
        }
    }
    assert_ne!(
        desk.edit(41, json!({"stop_loss_percentage": "low"})).await.messages("stop_loss_percentage"),
        ["Stop Loss should be below the last safety order (7.0)"]
    );
}

#[tokio::test]
async fn a_null_is_refused_where_the_value_is_one_of_a_list_and_else_unsets_the_field() {
    let desk = Desk::open(1).await;
    assert_eq!(desk.edit(41, json!({"min_profit_type": "base_order_volume"})).await.status, 200);
    for field in ["take_profit_type", "min_profit_type", "leverage_type", "trailing_enabled", "profit_currency"] {
        assert_eq!(desk.edit(41, json!({field: null})).await.messages(field), ["is not included in the list"]);
    }
    assert_eq!(
        desk.edit(41, json!({"take_profit_type": "most"})).await.messages("take_profit_type"),
        ["is not included in the list"]
    );
    let set =
        json!({"reinvesting_percentage": 10, "close_deals_timeout": 60, "cooldown": 5, "stop_loss_percentage": 9});
    let answer = desk.edit(41, set.clone()).await;
    assert_eq!((answer.status, &answer.body["reinvesting_percentage"]), (200, &"10".into()));
    let unset: Map<_, _> = set.as_object().unwrap().keys().map(|field| (field.clone(), Value::Null)).collect();
    let answer = desk.edit(41, Value::Object(unset)).await.body;
    assert_eq!((&answer["reinvesting_percentage"], &answer["close_deals_timeout"]), (&Value::Null, &Value::Null));
    assert_eq!((&answer["cooldown"], &answer["stop_loss_percentage"]), (&"0".into(), &"0.0".into()));
}

#[tokio::test]
async fn several_pairs_make_a_multi_bot() {
    let desk = Desk::open(1).await;
    let pairs = json!(["USDT_ETH", "USDT_BTC"]);
    let answer = desk.edit(41, json!({"pairs": pairs, "strategy_list": []})).await;
    assert_eq!((&answer.body["pairs"], &answer.body["type"]), (&pairs, &"Bot::MultiBot".into()));
}

/// The fields of a bot that an edit takes, as its record holds them.
fn editable(bot: &Value) -> Value {
    let fields = bot.as_object().unwrap().iter();
    let editable = fields.filter(|(field, _)| DcaBotEdit::INPUTS.rows.iter().any(|row| row.wire == field.as_str()));
    Value::Object(editable.map(|(field, value)| (field.clone(), value.clone())).collect())
}

#[tokio::test]
async fn a_record_that_is_sent_back_as_it_came_is_accepted_and_changes_nothing() {
    let desk = Desk::open(12).await;
    for bot in desk.list("").await {
        let target = format!("/ver1/bots/{}/update", bot["id"]);
        let answer = desk.ask("PATCH", &target, &editable(&bot).to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let mut expected = bot.clone();
        expected["updated_at"] = answer.body["updated_at"].clone();
        assert_eq!(answer.body, expected);
    }
}

#[tokio::test]
async fn deals_on_the_same_pair_may_be_set_with_the_pairs_that_make_them_possible() {
    let desk = Desk::open(1).await;
    let one = json!({"strategy_list": [], "pairs": ["USDT_ETH"], "allowed_deals_on_same_pair": 2});
    assert_eq!(desk.edit(41, one).await.messages("allowed_deals_on_same_pair").len(), 1);
    let none = json!({"allowed_deals_on_same_pair": null});
    assert_eq!(desk.edit(41, none).await.body["allowed_deals_on_same_pair"], Value::Null);
    let several = json!({"strategy_list": [], "pairs": ["USDT_ETH", "USDT_BTC"], "allowed_deals_on_same_pair": 2});
    let answer = desk.edit(41, several).await;
    assert_eq!((answer.status, &answer.body["allowed_deals_on_same_pair"]), (200, &json!(2)), "{}", answer.body);
}

#[tokio::test]
async fn malformed_pairs_and_strategies_are_refused() {
    let desk = Desk::open(1).await;
    for pairs in [json!("BTC-USDT"), json!("BTC/USDT"), json!("BTC"), json!("usdt_btc"), json!("USDT_BTC,USDT_ETH")] {
        let answer = desk.edit(41, json!({"pairs": pairs})).await;
        assert!(answer.messages("pairs")[0].contains("is not a pair"), "{pairs}: {}", answer.body);
    }
    for field in ["strategy_list", "close_strategy_list"] {
        for strategies in [json!([{}]), json!([{"strategy": 5}]), json!([{"options": {}}])] {
            assert_eq!(desk.edit(41, json!({field: strategies})).await.messages(field).len(), 1, "{strategies}");
        }
        let nonstop = json!([{"strategy": "nonstop"}, {"options": {}}]);
        assert_eq!(desk.edit(41, json!({field: nonstop})).await.status, 200);
    }
}

#[tokio::test]
async fn checks_of_the_client_alone_are_not_the_services() {
    let desk = Desk::open(1).await;
    for (field, value) in [
        ("base_order_volume", "-80"),
        ("safety_order_volume", "0"),
        ("stop_loss_percentage", "150"),
        ("take_profit", "0"),
    ] {
        let answer = desk.edit(41, json!({field: value})).await;
        assert_eq!((answer.status, &answer.body[field]), (200, &value.into()), "{field}: {}", answer.body);
    }
}
