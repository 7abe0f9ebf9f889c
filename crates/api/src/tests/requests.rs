//! Requests from inputs and the current record.

use serde_json::json;

use crate::accounts::AccountAdd;
use crate::dca_bots::{DcaBotEdit, DcaBotInputs, DcaBotList};
use crate::samples::dca_bot as bot;
use botdesk_schema::input::{Input, InputName, RequestBuilder, Violation};
use botdesk_schema::record::Record;
use botdesk_schema::values::Field;
use serde_json::Value;
use std::slice;

fn edit<const N: usize>(given: [(InputName, Field<Value>); N]) -> RequestBuilder {
    RequestBuilder::new(DcaBotEdit::INPUTS, given.map(|(input, value)| (input, value)))
}

fn rename() -> RequestBuilder {
    edit([(DcaBotEdit::name, Field::Value("Calm".into()))])
}

fn body(request: &RequestBuilder) -> Value {
    serde_json::from_str(&request.body()).unwrap()
}

#[test]
fn an_edit_sends_the_changes_and_the_other_fields_of_the_record() {
    let bot = bot(&json!({"id": 41, "cooldown": 300, "tsl_enabled": "true", "url_secret": "s"}));
    let request = rename().carry_over(bot.fields());
    assert_eq!(request.violations(), []);
    let expected = json!({
        "name": "Calm",
        "pairs": "USDT_ETH",
        "base_order_volume": "80.0",
        "take_profit": "1.5",
        "safety_order_volume": "30.0",
        "martingale_volume_coefficient": "1.7",
        "martingale_step_coefficient": "2.0",
        "max_safety_orders": 3,
        "active_safety_orders_count": 1,
        "cooldown": "300",
        "safety_order_step_percentage": "1.0",
        "take_profit_type": "total",
        "strategy_list": [{"strategy": "nonstop", "options": {}}],
        "tsl_enabled": true,
    });
    assert_eq!(body(&request), expected);
}

#[test]
fn inputs_have_the_order_of_the_api_reference() {
    let request = edit([
        (DcaBotInputs::close_deals_timeout, Field::Value(60.into())),
        (DcaBotEdit::name, Field::Value("Calm".into())),
    ]);
    assert_eq!(request.body(), r#"{"name":"Calm","close_deals_timeout":60}"#);
}

#[test]
fn null_fields_of_the_record_are_not_sent() {
    let bot = bot(&json!({"min_profit_percentage": null, "trailing_enabled": null}));
    let sent = body(&rename().carry_over(bot.fields()));
    assert_eq!((sent.get("min_profit_percentage"), sent.get("trailing_enabled")), (None, None));
}

#[test]
fn an_explicit_none_is_sent_and_not_replaced_by_the_record() {
    let bot = bot(&json!({"close_deals_timeout": 60}));
    let request = edit([(DcaBotInputs::close_deals_timeout, Field::Null)]).carry_over(bot.fields());
    assert_eq!(body(&request)["close_deals_timeout"], Value::Null);
    assert!(request.body().contains("close_deals_timeout"));
}

#[test]
fn a_required_field_that_cannot_be_sent_back_is_reported_as_missing() {
    let bot = bot(&json!({"base_order_volume": "NaN"}));
    let message = "the record holds \"NaN\", which can't be sent back; pass it as well";
    let asked = Violation::new("base_order_volume", message);
    assert_eq!(rename().carry_over(bot.fields()).violations(), [asked]);
    let given = edit([(DcaBotInputs::base_order_volume, Field::Value("5".into()))]);
    assert_eq!(given.carry_over(bot.fields()).violations(), []);
}

#[test]
fn an_undocumented_value_is_sent_only_if_the_caller_passes_it() {
    let bot = bot(&json!({"account_id": 1001}));
    assert_eq!(body(&rename().carry_over(bot.fields())).get("account_id"), None);
    let other = edit([(DcaBotEdit::account_id, Field::Value(1002.into()))]).carry_over(bot.fields());
    assert_eq!(body(&other)["account_id"], 1002);
}

#[test]
fn a_field_that_cannot_be_sent_back_must_be_passed() {
    let message = "the record holds \"NaN\", which can't be sent back; pass it as well";
    let request = rename().carry_over(bot(&json!({"cooldown": "NaN"})).fields());
    assert_eq!(request.violations(), [Violation::new("cooldown", message)]);
}

#[test]
fn a_service_keeps_a_field_that_cannot_be_sent_back() {
    let rename = [(DcaBotEdit::name, Field::Value("Calm".into()))];
    let request = RequestBuilder::for_http(DcaBotEdit::INPUTS, rename);
    let request = request.carry_over(bot(&json!({"cooldown": "NaN"})).fields());
    assert_eq!(request.violations(), []);
    assert!(request.is_absent(DcaBotInputs::cooldown));
}

#[test]
fn the_current_value_may_be_passed_although_edits_reject_it() {
    let bot = bot(&json!({"leverage_type": "not_specified"}));
    let echo = || edit([(DcaBotInputs::leverage_type, Field::Value("not_specified".into()))]);
    let request = echo().accept_echoes(bot.fields()).carry_over(bot.fields());
    assert_eq!(request.violations(), []);
    assert_eq!(body(&request).get("leverage_type"), None);
    assert_eq!(echo().carry_over(bot.fields()).violations().len(), 1);
}

#[test]
fn an_unsendable_value_is_reported_even_without_validation() {
    let refused = Violation::new("max_active_deals", "is not a number");
    let request = edit([(DcaBotInputs::cooldown, Field::Value("-1".into()))]).with_unsendable(vec![refused.clone()]);
    assert_eq!(request.unsendable(), slice::from_ref(&refused));
    let wrong = [refused, Violation::new("cooldown", "must be between 0 and 2592000, not -1")];
    assert_eq!(request.violations_of_changes(), wrong);
}

#[test]
fn a_request_is_empty_until_the_caller_passes_a_value_even_none() {
    assert!(edit([]).is_empty());
    assert!(edit([(DcaBotInputs::cooldown, Field::Absent)]).carry_over(bot(&json!({})).fields()).is_empty());
    assert!(!edit([(DcaBotInputs::cooldown, Field::Null)]).is_empty());
    assert!(!edit([]).with_unsendable(vec![Violation::new("cooldown", "is not a number")]).is_empty());
}

#[test]
fn a_value_of_the_wrong_type_is_reported_once() {
    let request = edit([(DcaBotInputs::take_profit_type, Field::Value("most".into()))]);
    let request = request.carry_over(bot(&json!({})).fields());
    assert_eq!(request.violations(), [Violation::new("take_profit_type", "must be one of base, total, not \"most\"")]);
}

#[test]
fn rules_about_several_inputs_are_checked_if_one_of_them_changes() {
    let bot = bot(&json!({"stop_loss_percentage": "6.5"}));
    assert_eq!(rename().carry_over(bot.fields()).violations(), []);
    let orders = |count: u64| edit([(DcaBotInputs::max_safety_orders, Field::Value(count.into()))]);
    let message = "must be below the last safety order, so more than 15 %, not 6.5 %";
    let violation = Violation::new("stop_loss_percentage", message);
    assert_eq!(orders(4).carry_over(bot.fields()).violations(), [violation]);
    // Setting the value that the record already has is not a change.
    assert_eq!(orders(3).carry_over(bot.fields()).violations(), []);
}

#[test]
fn the_current_value_of_the_record_is_accepted() {
    let record = json!({"close_deals_timeout": 5, "cooldown": "-1.0", "pairs": ["usdt_eth"]});
    let bot = bot(&record);
    let set = |timeout: u64, cooldown: &str| {
        let given = [
            (DcaBotInputs::close_deals_timeout, Field::Value(timeout.into())),
            (DcaBotInputs::cooldown, Field::Value(cooldown.into())),
            (DcaBotInputs::pairs, Field::Value("usdt_eth".into())),
        ];
        edit(given).carry_over(bot.fields()).violations().len()
    };
    assert_eq!((set(5, "-1"), set(6, "-1"), set(6, "-1.1")), (0, 1, 2));
}

#[test]
fn the_current_choice_of_the_record_is_accepted_on_demand() {
    let bot = bot(&json!({"leverage_type": "not_specified"}));
    let given = |leverage: &str| [(DcaBotInputs::leverage_type, Field::Value(leverage.into()))];
    let set = |leverage: &str| RequestBuilder::for_http(DcaBotEdit::INPUTS, given(leverage));
    let record = bot.fields();
    assert_eq!(set("not_specified").carry_over(record).violations().len(), 1);
    let accepted = set("not_specified").accept_echoes(record).carry_over(record);
    assert_eq!((accepted.violations(), accepted.is_unchanged(DcaBotInputs::leverage_type)), (vec![], true));
    assert_eq!(set("unlimited").accept_echoes(record).carry_over(record).violations().len(), 1);
}

#[test]
fn each_malformed_pair_is_reported_with_its_spelling() {
    let request = edit([(DcaBotInputs::pairs, Field::Value(json!(["BTC-USDT", "USDT_ETH", "usdt_xrp"])))]);
    let message = "'BTC-USDT' is not a pair; write it as 'USDT_BTC'; 'usdt_xrp' is not a pair; write it as 'USDT_XRP'";
    assert_eq!(request.violations_of_changes(), [Violation::new("pairs", message)]);
}

#[test]
fn a_pair_is_listed_once_and_a_strategy_may_be_listed_twice() {
    let pairs = edit([(DcaBotInputs::pairs, Field::Value(json!(["USDT_BTC", "USDT_ETH", "USDT_BTC"])))]);
    assert_eq!(pairs.violations_of_changes(), [Violation::new("pairs", "\"USDT_BTC\" is listed twice")]);
    let rsi = json!({"strategy": "rsi", "options": {}});
    let strategies = edit([(DcaBotInputs::strategy_list, Field::Value(json!([rsi, rsi])))]);
    assert_eq!(strategies.violations_of_changes(), []);
}

#[test]
fn malformed_elements_of_the_record_are_carried_over_and_accepted() {
    let bot = bot(&json!({"pairs": ["odd", "USDT_BTC"], "strategy_list": [{"new": 1.0}]}));
    let request = rename().carry_over(bot.fields());
    assert_eq!(request.violations(), []);
    assert_eq!(
        (&body(&request)["pairs"], &body(&request)["strategy_list"]),
        (&json!(["odd", "USDT_BTC"]), &json!([{"new": 1.0}]))
    );
    let wrong = |pairs: Value, strategies: Value| {
        let given =
            [(DcaBotInputs::pairs, Field::Value(pairs)), (DcaBotInputs::strategy_list, Field::Value(strategies))];
        let violations = edit(given).carry_over(bot.fields()).violations();
        violations.into_iter().map(|violation| violation.field).collect::<Vec<_>>()
    };
    let manual = json!({"strategy": "manual"});
    assert_eq!(wrong(json!(["odd", "USDT_ETH"]), json!([{"new": 1}, manual])), Vec::<String>::new());
    assert_eq!(wrong(json!(["odd", "eth"]), json!([{"new": 2}, manual])), ["pairs", "strategy_list"]);
}

#[test]
fn a_check_that_is_not_in_the_api_reference_is_marked() {
    let given = [
        (DcaBotInputs::base_order_volume, Field::Value("-80".into())),
        (DcaBotInputs::take_profit, Field::Value("0".into())),
    ];
    let violations = edit(given).carry_over(bot(&json!({})).fields()).violations();
    let own = "(botdesk's own check; validate=False sends it anyway)";
    let messages: Vec<_> = violations.iter().map(|violation| violation.message.as_str()).collect();
    let expected = [
        format!("must be greater than 0, not -80 {own}"),
        format!("must be greater than 0 if there are neither take_profit_steps nor a close_strategy_list {own}"),
    ];
    assert_eq!(messages, expected);
    assert!(violations.iter().all(|violation| violation.is_own));
}

#[test]
fn a_rule_about_several_inputs_is_checked_if_all_have_the_right_type() {
    let bot = bot(&json!({"stop_loss_percentage": "6.5"}));
    let given = |orders: Value| {
        let kind = (DcaBotInputs::take_profit_type, Field::Value("most".into()));
        let request = edit([(DcaBotInputs::max_safety_orders, Field::Value(orders)), kind]).carry_over(bot.fields());
        request.violations().into_iter().map(|violation| violation.field).collect::<Vec<_>>()
    };
    assert_eq!(given(4.into()), ["stop_loss_percentage", "take_profit_type"]);
    assert_eq!(given("many".into()), ["max_safety_orders", "take_profit_type"]);
}

#[test]
fn all_violations_are_reported_in_the_order_of_the_inputs() {
    let kind = (DcaBotInputs::take_profit_type, Field::Value("most".into()));
    let request = edit([kind, (DcaBotEdit::name, Field::Value("".into()))]).carry_over(bot(&json!({})).fields());
    let fields: Vec<_> = request.violations().into_iter().map(|violation| violation.field).collect();
    assert_eq!(fields, ["name", "take_profit_type"]);
}

#[test]
fn the_secrets_in_a_request_are_known() {
    let given = [
        (AccountAdd::name, Field::Value("Main".into())),
        (AccountAdd::api_key, Field::Value("hush".into())),
        (AccountAdd::passphrase, Field::Null),
    ];
    let request = RequestBuilder::new(AccountAdd::INPUTS, given.map(|(input, value)| (input, value)));
    assert_eq!(request.secrets(), ["hush"]);
    assert_eq!(rename().secrets(), Vec::<String>::new());
}

#[test]
fn a_secret_of_the_wrong_type_is_not_shown_in_the_error() {
    let request = RequestBuilder::new(AccountAdd::INPUTS, [(AccountAdd::api_key, Field::Value(41.into()))]);
    assert_eq!(request.type_violations(), [Violation::new("api_key", "has the wrong type")]);
}

#[test]
fn a_missing_list_has_no_elements() {
    assert_eq!(edit([]).elements(DcaBotInputs::strategy_list), &[] as &[Value]);
    let steps = (DcaBotInputs::strategy_list, Field::Value(json!([{"strategy": "manual"}])));
    assert_eq!(edit([steps]).elements(DcaBotInputs::strategy_list).len(), 1);
}

#[test]
fn a_bot_with_steps_is_sent_with_a_take_profit_of_0() {
    let steps = json!([
        {"id": 0, "amount_percentage": 50, "profit_percentage": "1.5"},
        {"id": 1, "amount_percentage": 50, "profit_percentage": 2},
    ]);
    let bot = bot(&json!({"take_profit": null, "take_profit_steps": steps}));
    let request = rename().carry_over(bot.fields());
    assert_eq!(request.violations(), []);
    assert_eq!(body(&request)["take_profit"], "0");
    assert_eq!(body(&request)["take_profit_steps"][1], json!({"amount_percentage": 50, "profit_percentage": 2}));
}

#[test]
fn a_request_without_values_has_an_empty_body_and_no_query() {
    assert_eq!(edit([]).body(), "{}");
    assert_eq!(RequestBuilder::new(DcaBotList::INPUTS, []).query(), None);
}

#[test]
fn the_error_for_an_unknown_name_suggests_the_nearest() {
    assert_eq!(DcaBotEdit::INPUTS.named("cooldown").map(Input::key), Ok(DcaBotInputs::cooldown));
    assert_eq!(
        DcaBotEdit::INPUTS.named("take_proft").map(Input::key),
        Err(Violation::new("take_proft", "is not a field of a DCA bot; did you mean take_profit?"))
    );
}
