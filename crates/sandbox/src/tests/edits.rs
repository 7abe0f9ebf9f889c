//! Edits: changed fields, and every rule that an edit can break.

use serde_json::{Map, json};

use super::*;
use botdesk_api::dca_bots::DcaBotEdit;
use botdesk_api::samples::required_dca_bot_edit;
use botdesk_schema::input::Rule;

/// Returns a body with all required fields and `changes`.
fn body(changes: &Value) -> String {
    Value::Object(required_dca_bot_edit(changes)).to_string()
}

impl TestClient {
    async fn edit(&self, id: u64, changes: Value) -> Response {
        self.request("PATCH", &format!("/ver1/bots/{id}/update"), &body(&changes)).await
    }
}

#[tokio::test]
async fn an_edit_changes_only_the_given_fields() {
    let client = TestClient::open(1).await;
    let before = client.list("").await.remove(0);
    let response = client.edit(41, json!({"name": before["name"], "unknown": 5})).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let mut expected = before.clone();
    expected["take_profit"] = "1.5".into();
    expected["updated_at"] = response.body["updated_at"].clone();
    assert_eq!(response.body, expected);
    assert!(response.body["updated_at"].as_str() > before["updated_at"].as_str());
    assert_eq!(client.list("").await, [response.body]);
}

#[tokio::test]
async fn values_are_stored_in_the_types_of_the_api_reference() {
    let client = TestClient::open(1).await;
    let long = "1.00399920581210916146041542739112586575949572812639182";
    let text = body(&json!({
        "max_active_deals": "1",
        "cooldown": 300,
        "base_order_volume": 12.50,
        "min_volume_btc_24h": long,
        "close_deals_timeout": 60,
        "sl_to_breakeven_data": {"upper_breakeven_limit": 1},
    }));
    // `json!` would not write these digits and exponents.
    let text = text.replace("12.5,", "12.50,").replace("\"1.7\"", "1e0");
    let response = client.request("PATCH", "/ver1/bots/41/update", &text).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let value = |field: &str| response.body[field].clone();
    assert_eq!(value("max_active_deals"), 1);
    assert_eq!(value("cooldown"), "300");
    assert_eq!(value("base_order_volume"), "12.50");
    assert_eq!(value("martingale_volume_coefficient"), "1");
    assert_eq!(value("min_volume_btc_24h"), long);
    assert_eq!(value("close_deals_timeout"), 60);
    assert_eq!(value("pairs"), json!(["USDT_ETH"]));
    assert_eq!(value("sl_to_breakeven_data"), json!({"upper_breakeven_limit": 1}));
}

#[tokio::test]
async fn steps_are_stored_with_their_positions_and_replace_the_take_profit() {
    let client = TestClient::open(1).await;
    let steps = json!([{"amount_percentage": 50, "profit_percentage": "1.5"}, {"amount_percentage": "50", "profit_percentage": 3}]);
    for take_profit in [json!(0), json!("0"), Value::Null] {
        let response = client.edit(41, json!({"take_profit": take_profit, "take_profit_steps": steps})).await;
        assert_eq!(response.status, 200, "{}", response.body);
        assert_eq!(response.body["take_profit"], Value::Null);
        assert_eq!(
            response.body["take_profit_steps"],
            json!([
                {"amount_percentage": 50, "profit_percentage": "1.5", "id": 0},
                {"amount_percentage": 50, "profit_percentage": 3, "id": 1},
            ])
        );
    }
    // Steps that are not sent stay, and are validated together with the sent values.
    assert_eq!(client.edit(41, json!({"take_profit": "2"})).await.messages("take_profit").len(), 1);
    let response = client.edit(41, json!({"take_profit": "2", "take_profit_steps": []})).await;
    assert_eq!((&response.body["take_profit"], &response.body["take_profit_steps"]), (&"2".into(), &json!([])));
    assert_eq!(client.edit(41, json!({"take_profit": null})).await.messages("take_profit"), ["is required"]);
}

#[tokio::test]
async fn custom_safety_steps_are_stored_and_checked_with_the_number_of_orders() {
    let client = TestClient::open(1).await;
    let steps = json!([{"deviation": "-1.5", "size": 40}, {"deviation": "-6", "size": 90}]);
    let response = client.edit(41, json!({"custom_safety_steps": steps})).await;
    assert_eq!((response.status, &response.body["custom_safety_steps"]), (200, &steps));
    // An edit without them keeps them.
    assert_eq!(client.edit(41, json!({"cooldown": 5})).await.body["custom_safety_steps"], steps);
    for (steps, message) in [
        (json!([{"deviation": "1.5", "size": 40}]), "each deviation of a long bot must be below 0"),
        (json!([{"deviation": "-101", "size": 40}]), "each deviation must be between -100 and 10000 %, not -101 %"),
        (json!([{"deviation": "-1", "size": 0}]), "each size must be greater than 0, not 0"),
        (json!([{"deviation": "-1"}]), "each step needs size"),
    ] {
        let response = client.edit(41, json!({"custom_safety_steps": steps})).await;
        let messages = response.messages("custom_safety_steps");
        assert!(messages.len() == 1 && messages[0].starts_with(message), "{messages:?}");
    }
    let fewer = client.edit(41, json!({"max_safety_orders": 1})).await;
    assert_eq!(
        fewer.messages("custom_safety_steps"),
        ["must have at most as many steps as max_safety_orders, 1, and there are 2"]
    );
    assert_eq!(client.edit(41, json!({"custom_safety_steps": []})).await.body["custom_safety_steps"], json!([]));
    assert_eq!(client.edit(41, json!({"custom_safety_steps": null})).await.body["custom_safety_steps"], Value::Null);
}

#[tokio::test]
async fn a_bot_may_not_have_more_deals_than_its_pairs_allow() {
    let client = TestClient::open(2).await;
    let most = |number: u32| vec![format!("must be less than or equal to {number}")];
    assert_eq!(client.edit(41, json!({"max_active_deals": 199})).await.messages("max_active_deals"), most(1));
    let twelve: Vec<_> = (0..12).map(|number| format!("USDC_C{number}")).collect();
    let edit = |deals: u32, per_pair: u32| {
        json!({
            "pairs": twelve, "max_active_deals": deals, "allowed_deals_on_same_pair": per_pair,
            "strategy_list": [{"strategy": "manual"}], "take_profit_steps": [],
        })
    };
    assert_eq!(client.edit(42, edit(25, 1)).await.messages("max_active_deals"), most(12));
    assert_eq!(client.edit(42, edit(24, 2)).await.body["max_active_deals"], 24);
    // The other inputs of the bound can break it as well.
    let fewer = client.edit(42, json!({"pairs": ["USDC_BTC", "USDC_ETH"], "strategy_list": []})).await;
    assert_eq!(fewer.messages("max_active_deals"), most(4));
}

#[tokio::test]
async fn a_bot_that_gets_several_pairs_has_one_deal_on_each() {
    let client = TestClient::open(1).await;
    let manual = json!([{"strategy": "manual"}]);
    let edit = json!({"pairs": ["USDT_ETH", "USDT_BTC"], "strategy_list": manual, "max_active_deals": 2});
    let response = client.edit(41, edit).await;
    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(response.body["allowed_deals_on_same_pair"], 1);
}

#[tokio::test]
async fn missing_required_fields_are_reported_by_name() {
    let client = TestClient::open(2).await;
    // The second bot has steps, which don't replace a missing take profit.
    for id in [41, 42] {
        let response = client.request("PATCH", &format!("/ver1/bots/{id}/update"), "{}").await;
        for row in DcaBotEdit::INPUTS.rows {
            let required = row.rules.iter().any(|rule| matches!(rule, Rule::Required | Rule::RequiredUnless(_)));
            let expected: &[&str] = if required { &["is required"] } else { &[] };
            assert_eq!(response.messages(row.wire), expected, "{}", row.wire);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_an_object_is_rejected() {
    let client = TestClient::open(1).await;
    for body in ["[]", "null", "5", "{", "{\"name\":}", "{}{}", "name=x", "\u{fffd}"] {
        let response = client.request("PATCH", "/ver1/bots/41/update", body).await;
        assert_eq!(response.messages("base"), ["the body must be a JSON object"], "{body:?}");
    }
}

#[tokio::test]
async fn an_empty_body_lacks_every_required_field() {
    let client = TestClient::open(1).await;
    let empty = client.request("PATCH", "/ver1/bots/41/update", "").await;
    assert_eq!(empty.messages("name"), ["is required"]);
    assert_eq!(empty.body, client.request("PATCH", "/ver1/bots/41/update", "{}").await.body);
}

#[tokio::test]
async fn an_edit_may_name_the_account_of_its_bot() {
    let client = TestClient::open(1).await;
    let before = client.show(41).await;
    let response = client.edit(41, json!({"account_id": before["account_id"]})).await;
    let value = |field: &str| (&response.body[field], &before[field]);
    assert_eq!(response.status, 200, "{}", response.body);
    for field in ["account_id", "account_name"] {
        assert_eq!(value(field).0, value(field).1);
    }
}

#[tokio::test]
async fn an_edit_moves_a_bot_to_another_account_and_its_open_deals_stay() {
    let client = TestClient::open(1).await;
    let before = client.show(41).await;
    for account in [json!(1_002), json!("1002")] {
        let response = client.edit(41, json!({"account_id": account, "name": before["name"]})).await;
        assert_eq!(response.status, 200, "{}", response.body);
        let bot = client.show(41).await;
        assert_eq!((&bot["account_id"], &bot["account_name"]), (&1_002.into(), &"Demo futures".into()));
        assert_eq!(bot["active_deals"], before["active_deals"]);
    }
}

#[tokio::test]
async fn an_unknown_account_or_one_without_bots_is_rejected() {
    let client = TestClient::open(1).await;
    let before = client.show(41).await;
    let wallet = client.sandbox.add("accounts", fields(json!({"market_code": "ethereumwallet"}), json!({}))).unwrap();
    for account in [json!(999), json!(41), json!(wallet), json!(i64::MAX), Value::Null] {
        let response = client.edit(41, json!({"account_id": account})).await;
        assert_eq!(
            response.messages("account_id"),
            ["is not one of your accounts that may have DCA bots"],
            "{account}"
        );
    }
    for account in [0, -1] {
        let response = client.edit(41, json!({"account_id": account})).await;
        assert_eq!(response.messages("account_id").len(), 1, "{account}");
    }
    for account in ["main", "1001.0", ""] {
        let response = client.edit(41, json!({"account_id": account})).await;
        assert_eq!(response.messages("account_id"), [format!("must be an integer, not {account:?}")]);
    }
    assert_eq!(client.show(41).await, before);
}

#[tokio::test]
async fn each_broken_rule_is_reported_by_the_name_of_its_field() {
    let client = TestClient::open(2).await;
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
        let response = client.edit(41, json!({"take_profit": "0", field: value})).await;
        assert_eq!(response.messages(field).len(), 1, "{field}={value}: {}", response.body);
    }
    let multi = json!({"allowed_deals_on_same_pair": 2, "max_active_deals": 2, "take_profit_steps": []});
    assert_eq!(client.edit(42, multi).await.body["allowed_deals_on_same_pair"], 2);
}

#[tokio::test]
async fn a_boolean_that_is_true_requires_its_number() {
    let client = TestClient::open(1).await;
    for (flag, field) in
        [("trailing_enabled", "trailing_deviation"), ("stop_loss_timeout_enabled", "stop_loss_timeout_in_seconds")]
    {
        let response = client.edit(41, json!({flag: true})).await;
        assert_eq!(response.messages(field), [format!("is required when {flag} is true")]);
        assert_eq!(client.edit(41, json!({flag: true, field: 5})).await.status, 200);
        assert_eq!(client.edit(41, json!({flag: false})).await.status, 200);
    }
}

#[tokio::test]
async fn all_violations_are_reported_at_once_and_nothing_is_changed() {
    let client = TestClient::open(1).await;
    let before = client.list("").await;
    let response = client.edit(41, json!({"cooldown": -1, "max_active_deals": 0, "name": null})).await;
    for field in ["cooldown", "max_active_deals", "name"] {
        assert_eq!(response.messages(field).len(), 1, "{field}");
    }
    assert_eq!(client.list("").await, before);
}

#[tokio::test]
async fn a_stop_loss_above_the_last_safety_order_gets_the_message_of_the_service() {
    let client = TestClient::open(1).await;
    for (stop_loss, step, last) in [
        ("5", "1", Some("7.0")),
        ("7", "1", Some("7.0")),
        ("8", "1", None),
        ("0", "1", None),
        ("10", "1.5", Some("10.5")),
    ] {
        let response =
            client.edit(41, json!({"stop_loss_percentage": stop_loss, "safety_order_step_percentage": step})).await;
        match last {
            Some(last) => assert_eq!(
                response.messages("stop_loss_percentage"),
                [format!("Stop Loss should be below the last safety order ({last})")]
            ),
            None => assert_eq!(response.status, 200, "{stop_loss}: {}", response.body),
        }
    }
    assert_ne!(
        client.edit(41, json!({"stop_loss_percentage": "low"})).await.messages("stop_loss_percentage"),
        ["Stop Loss should be below the last safety order (7.0)"]
    );
}

#[tokio::test]
async fn null_is_rejected_for_choices_and_resets_other_fields() {
    let client = TestClient::open(1).await;
    assert_eq!(client.edit(41, json!({"min_profit_type": "base_order_volume"})).await.status, 200);
    for field in ["take_profit_type", "min_profit_type", "leverage_type", "trailing_enabled", "profit_currency"] {
        assert_eq!(client.edit(41, json!({field: null})).await.messages(field), ["is not included in the list"]);
    }
    assert_eq!(
        client.edit(41, json!({"take_profit_type": "most"})).await.messages("take_profit_type"),
        ["is not included in the list"]
    );
    let set =
        json!({"reinvesting_percentage": 10, "close_deals_timeout": 60, "cooldown": 5, "stop_loss_percentage": 9});
    let response = client.edit(41, set.clone()).await;
    assert_eq!((response.status, &response.body["reinvesting_percentage"]), (200, &"10".into()));
    let unset: Map<_, _> = set.as_object().unwrap().keys().map(|field| (field.clone(), Value::Null)).collect();
    let response = client.edit(41, Value::Object(unset)).await.body;
    assert_eq!((&response["reinvesting_percentage"], &response["close_deals_timeout"]), (&Value::Null, &Value::Null));
    assert_eq!((&response["cooldown"], &response["stop_loss_percentage"]), (&"0".into(), &"0.0".into()));
}

#[tokio::test]
async fn several_pairs_make_a_multi_bot() {
    let client = TestClient::open(1).await;
    let pairs = json!(["USDT_ETH", "USDT_BTC"]);
    let response = client.edit(41, json!({"pairs": pairs, "strategy_list": []})).await;
    assert_eq!((&response.body["pairs"], &response.body["type"]), (&pairs, &"Bot::MultiBot".into()));
}

/// Returns the editable fields of a bot.
fn editable(bot: &Value) -> Value {
    let fields = bot.as_object().unwrap().iter();
    let editable = fields.filter(|(field, _)| DcaBotEdit::INPUTS.rows.iter().any(|row| row.wire == field.as_str()));
    Value::Object(editable.map(|(field, value)| (field.clone(), value.clone())).collect())
}

#[tokio::test]
async fn a_record_that_is_sent_back_unchanged_is_accepted() {
    let client = TestClient::open(12).await;
    for bot in client.list("").await {
        let target = format!("/ver1/bots/{}/update", bot["id"]);
        let response = client.request("PATCH", &target, &editable(&bot).to_string()).await;
        assert_eq!(response.status, 200, "{}", response.body);
        let mut expected = bot.clone();
        expected["updated_at"] = response.body["updated_at"].clone();
        assert_eq!(response.body, expected);
    }
}

#[tokio::test]
async fn deals_on_the_same_pair_can_be_set_together_with_several_pairs() {
    let client = TestClient::open(1).await;
    let one = json!({"strategy_list": [], "pairs": ["USDT_ETH"], "allowed_deals_on_same_pair": 2});
    assert_eq!(client.edit(41, one).await.messages("allowed_deals_on_same_pair").len(), 1);
    let none = json!({"allowed_deals_on_same_pair": null});
    assert_eq!(client.edit(41, none).await.body["allowed_deals_on_same_pair"], Value::Null);
    let several = json!({"strategy_list": [], "pairs": ["USDT_ETH", "USDT_BTC"], "allowed_deals_on_same_pair": 2});
    let response = client.edit(41, several).await;
    assert_eq!((response.status, &response.body["allowed_deals_on_same_pair"]), (200, &json!(2)), "{}", response.body);
}

#[tokio::test]
async fn malformed_pairs_and_strategies_are_rejected() {
    let client = TestClient::open(1).await;
    for pairs in [json!("BTC-USDT"), json!("BTC/USDT"), json!("BTC"), json!("usdt_btc"), json!("USDT_BTC,USDT_ETH")] {
        let response = client.edit(41, json!({"pairs": pairs})).await;
        assert!(response.messages("pairs")[0].contains("is not a pair"), "{pairs}: {}", response.body);
    }
    for field in ["strategy_list", "close_strategy_list"] {
        for strategies in [json!([{}]), json!([{"strategy": 5}]), json!([{"options": {}}])] {
            assert_eq!(client.edit(41, json!({field: strategies})).await.messages(field).len(), 1, "{strategies}");
        }
        let nonstop = json!([{"strategy": "nonstop"}, {"options": {}}]);
        assert_eq!(client.edit(41, json!({field: nonstop})).await.status, 200);
    }
}

#[tokio::test]
async fn checks_of_the_client_are_not_made_by_the_service() {
    let client = TestClient::open(1).await;
    for (field, value) in [
        ("base_order_volume", "-80"),
        ("safety_order_volume", "0"),
        ("stop_loss_percentage", "150"),
        ("take_profit", "0"),
    ] {
        let response = client.edit(41, json!({field: value})).await;
        assert_eq!((response.status, &response.body[field]), (200, &value.into()), "{field}: {}", response.body);
    }
}
