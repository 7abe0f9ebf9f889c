//! The rules of inputs.

use serde_json::{Value, json};

use crate::dca_bots::{DcaBot, DcaBotEdit, DcaBotInputs};
use crate::samples::dca_bot;
use botdesk_schema::input::{Input, InputName, Inputs, RequestBuilder, Rule};
use botdesk_schema::record::Record;
use botdesk_schema::values::{Field, List, Text};

fn edit(input: InputName, value: impl Into<Value>) -> RequestBuilder {
    RequestBuilder::new(DcaBotEdit::INPUTS, [(input, Field::Value(value.into()))])
}

fn on(request: RequestBuilder, bot: &Value) -> RequestBuilder {
    request.carry_over(DcaBot::from_json(&bot.to_string()).unwrap().fields())
}

/// Returns the messages about one input of a request.
fn wrong(request: &RequestBuilder, input: &str) -> Vec<String> {
    request.violations().into_iter().filter(|found| found.field == input).map(|found| found.message).collect()
}

#[test]
fn between_includes_its_bounds() {
    for deals in [1, 199] {
        assert!(wrong(&edit(DcaBotInputs::max_active_deals, deals), "max_active_deals").is_empty());
    }
    for deals in [0, 200, -1] {
        let message = format!("must be between 1 and 199, not {deals}");
        assert_eq!(wrong(&edit(DcaBotInputs::max_active_deals, deals), "max_active_deals"), [message]);
    }
}

#[test]
fn bounds_are_compared_exactly() {
    let coefficient = |text: &str| {
        let request = edit(DcaBotInputs::martingale_volume_coefficient, text);
        wrong(&request, "martingale_volume_coefficient")
    };
    assert!(coefficient("10.000000000000000000000000000000").is_empty());
    assert_eq!(
        coefficient("10.000000000000000000000000000001"),
        ["must be between 0.1 and 10, not 10.000000000000000000000000000001"]
    );
}

#[test]
fn at_least_includes_its_bound() {
    assert!(wrong(&edit(DcaBotInputs::close_deals_timeout, 60), "close_deals_timeout").is_empty());
    assert_eq!(
        wrong(&edit(DcaBotInputs::close_deals_timeout, 59), "close_deals_timeout"),
        ["must be at least 60, not 59"]
    );
}

#[test]
fn exclusive_range_excludes_its_bounds() {
    for percent in ["-94.99", "0", "999.99"] {
        assert!(wrong(&edit(DcaBotInputs::min_price_percentage, percent), "min_price_percentage").is_empty());
    }
    for percent in ["-95", "1000"] {
        let message = format!("must be greater than -95 and lower than 1000, not {percent}");
        assert_eq!(wrong(&edit(DcaBotInputs::min_price_percentage, percent), "min_price_percentage"), [message]);
    }
}

#[test]
fn a_required_input_is_present_and_neither_none_nor_empty() {
    let none = RequestBuilder::new(DcaBotEdit::INPUTS, [(DcaBotEdit::name, Field::Null)]);
    for request in [none, edit(DcaBotEdit::name, ""), edit(DcaBotInputs::max_active_deals, 1)] {
        assert_eq!(wrong(&request, "name"), ["is required"]);
    }
    assert!(wrong(&edit(DcaBotEdit::name, "Calm"), "name").is_empty());
    assert!(wrong(&on(edit(DcaBotInputs::max_active_deals, 1), &json!({"name": "Calm"})), "name").is_empty());
}

#[test]
fn a_boolean_that_is_true_requires_its_number() {
    let trailing = |on| edit(DcaBotInputs::trailing_enabled, on);
    assert_eq!(wrong(&trailing(true), "trailing_deviation"), ["is required when trailing_enabled is true"]);
    assert!(wrong(&trailing(false), "trailing_deviation").is_empty());
    let record = json!({"trailing_deviation": "0.2"});
    assert!(wrong(&on(trailing(true), &record), "trailing_deviation").is_empty());
}

#[test]
fn an_input_for_some_records_is_rejected_for_others() {
    let several = || edit(DcaBotInputs::allowed_deals_on_same_pair, 2);
    let wrong = |request| wrong(&request, "allowed_deals_on_same_pair");
    assert_eq!(
        wrong(on(several(), &json!({"type": "Bot::SingleBot"}))),
        ["is only for a DCA bot whose type is Bot::MultiBot"]
    );
    assert!(wrong(on(several(), &json!({"type": "Bot::MultiBot"}))).is_empty());
    assert!(wrong(on(several(), &json!({}))).is_empty());
    assert!(wrong(several()).is_empty());
}

#[test]
fn several_pairs_make_a_multi_bot() {
    let deals = DcaBotInputs::allowed_deals_on_same_pair;
    let with = |pairs: Value| {
        let given = [(DcaBotInputs::pairs, pairs), (deals, json!(2))];
        let given = given.map(|(input, value)| (input, Field::Value(value)));
        on(RequestBuilder::new(DcaBotEdit::INPUTS, given), &json!({"type": "Bot::SingleBot"}))
    };
    assert_eq!(wrong(&with(json!(["USDT_BTC", "USDT_ETH"])), "allowed_deals_on_same_pair"), [""; 0]);
    assert_eq!(wrong(&with(json!(["USDT_BTC"])), "allowed_deals_on_same_pair").len(), 1);
}

#[test]
fn null_and_the_current_value_are_accepted_for_every_record() {
    let record = json!({"type": "Bot::SingleBot", "allowed_deals_on_same_pair": 1});
    let none = RequestBuilder::new(DcaBotEdit::INPUTS, [(DcaBotInputs::allowed_deals_on_same_pair, Field::Null)]);
    for request in [none, edit(DcaBotInputs::allowed_deals_on_same_pair, 1)] {
        assert_eq!(wrong(&on(request, &record), "allowed_deals_on_same_pair"), [""; 0]);
    }
}

#[test]
fn inputs_for_several_pairs_are_carried_over_with_them() {
    let record = json!({"type": "Bot::SingleBot", "allowed_deals_on_same_pair": 2});
    let request = on(edit(DcaBotInputs::pairs, json!(["USDT_BTC", "USDT_ETH"])), &record);
    assert_eq!(request.number(DcaBotInputs::allowed_deals_on_same_pair), Some(2.into()));
}

#[test]
fn own_bounds_are_inclusive_or_exclusive() {
    for (input, inside, outside, message) in [
        (DcaBotInputs::base_order_volume, "0.0001", "0", "must be greater than 0, not 0"),
        (DcaBotInputs::safety_order_volume, "0", "-0.1", "must be at least 0, not -0.1"),
        (DcaBotInputs::trailing_deviation, "99.9", "100", "must be lower than 100, not 100"),
    ] {
        let name = DcaBotEdit::INPUTS.get(input).unwrap().name;
        assert_eq!(wrong(&edit(input, inside), name), [""; 0]);
        let own = "(botdesk's own check; validate=False sends it anyway)";
        assert_eq!(wrong(&edit(input, outside), name), [format!("{message} {own}")]);
    }
}

#[test]
fn an_input_for_some_records_is_not_carried_over_for_others() {
    let carried = |kind: &str| {
        let record = json!({"type": kind, "allowed_deals_on_same_pair": 2});
        on(edit(DcaBotEdit::name, "Calm"), &record).number(DcaBotInputs::allowed_deals_on_same_pair)
    };
    assert_eq!(carried("Bot::MultiBot"), Some(2.into()));
    assert_eq!(carried("Bot::SingleBot"), None);
}

#[test]
fn a_value_that_means_none_is_not_carried_over() {
    let carried = |leverage: &str| {
        let request = on(edit(DcaBotEdit::name, "Calm"), &json!({"leverage_type": leverage}));
        request.value(DcaBotInputs::leverage_type).cloned()
    };
    assert_eq!(carried("not_specified"), None);
    assert_eq!(carried("cross"), Some("cross".into()));
}

#[test]
fn leverage_is_carried_over_only_with_its_type() {
    let carried = |leverage_type: &str| {
        let record = json!({"leverage_type": leverage_type, "leverage_custom_value": "3.0"});
        let request = on(edit(DcaBotEdit::name, "Calm"), &record);
        request.value(DcaBotInputs::leverage_custom_value).cloned()
    };
    assert_eq!(carried("not_specified"), None);
    assert_eq!(carried("cross"), Some("3.0".into()));
}

#[test]
fn the_current_values_of_the_record_are_not_checked() {
    let record = json!({"max_active_deals": 500, "close_deals_timeout": 5, "min_price_percentage": "-99"});
    let request = on(edit(DcaBotEdit::name, "Calm"), &record);
    for input in ["max_active_deals", "close_deals_timeout", "min_price_percentage"] {
        assert!(wrong(&request, input).is_empty(), "{input}");
    }
}

/// An input for each rule whose every side no single operation shows.
static WALLET: Inputs = Inputs {
    path: "",
    decimals: botdesk_schema::input::DecimalType::Number,
    subject: "a wallet",
    rows: &[
        Input::new::<Text>("kind", &[]),
        Input::new::<Text>("address", &[Rule::RequiredIfEquals(InputName::new("kind"), "cold")]),
        Input::new::<Text>("note", &[Rule::Characters(2, 4)]),
        Input::new::<List<Text>>("steps", &[]),
        Input::new::<Text>("profit", &[Rule::RequiredUnless(InputName::new("steps"))]),
    ],
    create_only: &["steps"],
    groups: &[],
    together: &[],
    set_derived: |_| (),
};

fn wallet<const N: usize>(given: [(&'static str, Value); N]) -> RequestBuilder {
    RequestBuilder::new(&WALLET, given.map(|(input, value)| (InputName::new(input), Field::Value(value))))
}

#[test]
fn a_value_of_another_input_requires_an_input() {
    assert_eq!(wrong(&wallet([("kind", json!("cold"))]), "address"), ["is required when kind is cold"]);
    for request in
        [wallet([]), wallet([("kind", json!("hot"))]), wallet([("kind", json!("cold")), ("address", json!("0x41"))])]
    {
        assert!(wrong(&request, "address").is_empty());
    }
}

#[test]
fn characters_are_counted_instead_of_bytes() {
    for note in ["ab", "üüüü"] {
        assert!(wrong(&wallet([("note", json!(note))]), "note").is_empty(), "{note}");
    }
    for (note, characters) in [("a", 1), ("abcde", 5)] {
        let message = format!("must have 2 to 4 characters, not {characters}");
        assert_eq!(wrong(&wallet([("note", json!(note))]), "note"), [message]);
    }
}

#[test]
fn a_list_with_elements_replaces_a_required_input() {
    for request in
        [wallet([]), wallet([("steps", json!(["a"]))]), wallet([("steps", json!([])), ("profit", json!("1"))])]
    {
        assert!(wrong(&request, "profit").is_empty());
    }
    let record = wallet([]).carry_over(dca_bot(&json!({})).fields());
    for request in [wallet([("steps", json!([]))]), record] {
        assert_eq!(wrong(&request, "profit"), ["is required"]);
    }
}
