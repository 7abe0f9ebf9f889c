//! The types of inputs.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use crate::dca_bots::Direction;
use crate::safety_step::SafetyStep;
use crate::strategy::Strategy;
use crate::take_profit_step::TakeProfitStep;
use botdesk_schema::field::Schema;
use botdesk_schema::input::{Accepts, Audience, InputType, ListOf, Violation, excerpt, identifier};
use botdesk_schema::json::Json;
use botdesk_schema::json::Scanner;
use botdesk_schema::values::OneOf;
use serde_json::Value;

const STEPS: InputType = <ListOf<TakeProfitStep> as Accepts>::INPUT_TYPE;
const SAFETY_STEPS: InputType = <ListOf<SafetyStep> as Accepts>::INPUT_TYPE;
const STRATEGIES: InputType = <ListOf<Strategy> as Accepts>::INPUT_TYPE;
const DIRECTION: InputType = <OneOf<Direction> as Accepts>::INPUT_TYPE;

const ALL: [InputType; 14] = [
    InputType::Decimal,
    InputType::Fraction,
    InputType::Integer,
    InputType::Bool,
    InputType::Text,
    DIRECTION,
    InputType::Time,
    InputType::IsoTime,
    InputType::Pairs,
    InputType::Texts,
    STEPS,
    SAFETY_STEPS,
    STRATEGIES,
    InputType::Object,
];

fn accept(input_type: InputType, given: Value) -> Result<Value, String> {
    input_type.accept(given, Audience::Python)
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns what an edit sends of a value in a record.
fn carried(input_type: InputType, current: &str) -> Option<Value> {
    let source: Arc<str> = current.into();
    let span = Scanner::new(&source).unwrap().value().unwrap();
    let sent = input_type.carry(Json::new(&source, span));
    assert_eq!(input_type.reads(Json::new(&source, span)), sent.is_some(), "{input_type:?} {current}");
    sent
}

fn rejected(input_type: InputType, values: impl IntoIterator<Item = Value>) {
    for value in values {
        assert!(accept(input_type, value.clone()).is_err(), "{input_type:?} {value}");
    }
}

#[test]
fn a_decimal_is_a_string_or_a_number() {
    for (given, sent) in [
        (json!("0.10"), "0.10"),
        (number("0.10"), "0.10"),
        (json!(-5), "-5"),
        (json!("1.5e-7"), "0.00000015"),
        (number("1e3"), "1000"),
    ] {
        assert_eq!(accept(InputType::Decimal, given), Ok(sent.into()));
    }
    rejected(InputType::Decimal, [json!(""), json!("1,5"), json!("NaN"), json!("+1"), json!(true), json!(["1"])]);
}

#[test]
fn an_integer_is_a_number() {
    assert_eq!(accept(InputType::Integer, json!(2_376_446_537_u64)), Ok(json!(2_376_446_537_u64)));
    rejected(
        InputType::Integer,
        [number("1.5"), number("9223372036854775808.0"), number("9223372036854775808"), json!("5"), json!(true)],
    );
}

#[test]
fn an_integer_from_a_sheet_may_be_written_as_a_float() {
    assert_eq!(accept(InputType::Integer, number("4.0")), Ok(json!(4)));
    assert!(InputType::Integer.accept(number("4.0"), Audience::Http).is_err());
}

#[test]
fn a_fraction_is_a_decimal_or_a_percentage() {
    for (given, kept) in [(json!("0.1%"), "0.1%"), (json!("0.001"), "0.001"), (number("0.001"), "0.001")] {
        assert_eq!(accept(InputType::Fraction, given), Ok(kept.into()));
    }
    rejected(InputType::Fraction, [json!(""), json!("%"), json!("1 percent"), json!(true)]);
}

#[test]
fn a_boolean_is_only_true_or_false() {
    assert_eq!(accept(InputType::Bool, json!(false)), Ok(json!(false)));
    rejected(InputType::Bool, [json!(0), json!("true"), json!("")]);
}

#[test]
fn a_time_is_seconds_or_iso_8601() {
    for moment in [json!(1_709_280_000), json!("2024-03-01T08:00:00+01:00"), json!("2024-03-01T08:00:00")] {
        assert_eq!(accept(InputType::Time, moment.clone()), Ok(moment));
    }
    rejected(InputType::Time, [json!("yesterday"), json!("2024-02-30T08:00:00Z"), number("1.5"), json!("")]);
}

#[test]
fn a_time_may_be_sent_in_iso_8601() {
    let accept = |given: Value| accept(InputType::IsoTime, given);
    assert_eq!(accept(json!(1_709_280_000)), Ok(json!("2024-03-01T08:00:00.000Z")));
    for moment in [json!("2024-03-01T08:00:00+01:00"), json!("2024-03-01")] {
        assert_eq!(accept(moment.clone()), Ok(moment));
    }
    rejected(InputType::IsoTime, [json!("yesterday"), json!(99_999_999_999_999_i64), number("1.5"), json!("")]);
}

#[test]
fn a_choice_is_one_of_the_documented_values() {
    assert_eq!(accept(DIRECTION, json!("short")), Ok(json!("short")));
    assert_eq!(accept(DIRECTION, json!("Short")), Err("must be one of long, short, not \"Short\"".to_owned()));
    assert_eq!(accept(DIRECTION, json!(1)), Err("must be a string, not 1".to_owned()));
}

#[test]
fn one_pair_is_a_string_and_several_are_a_list() {
    assert_eq!(accept(InputType::Pairs, json!("USDT_ETH")), Ok(json!("USDT_ETH")));
    assert_eq!(accept(InputType::Pairs, json!(["USDT_ETH"])), Ok(json!("USDT_ETH")));
    assert_eq!(accept(InputType::Pairs, json!(["USDT_ETH", "USDT_BTC"])), Ok(json!(["USDT_ETH", "USDT_BTC"])));
    rejected(InputType::Pairs, [json!([]), json!([1]), json!(["USDT_ETH", null]), json!({})]);
}

#[test]
fn steps_are_sent_without_their_positions_and_whole_percentages_as_numbers() {
    let steps = json!([
        {"id": 0, "amount_percentage": "50", "profit_percentage": "1.50"},
        {"profit_percentage": 3, "amount_percentage": 50, "new": "5"},
    ]);
    let sent = json!([
        {"amount_percentage": 50, "profit_percentage": "1.50"},
        {"amount_percentage": 50, "profit_percentage": 3, "new": "5"},
    ]);
    assert_eq!(accept(STEPS, steps), Ok(sent));
    assert_eq!(accept(STEPS, json!([])), Ok(json!([])));
}

#[test]
fn a_malformed_step_is_reported_by_its_member() {
    for (step, message) in [
        (json!(5), "each step must be an object with amount_percentage and profit_percentage"),
        (json!({"amount": 5}), "each step needs amount_percentage"),
        (json!({"amount_percentage": 5}), "each step needs profit_percentage"),
        (
            json!({"amount_percentage": "half", "profit_percentage": 1}),
            "amount_percentage: must be a decimal (a str, Decimal or number), not \"half\"",
        ),
    ] {
        assert_eq!(accept(STEPS, json!([step])), Err(message.to_owned()));
    }
}

#[test]
fn safety_steps_are_sent_with_a_string_and_a_number_as_in_the_api_reference() {
    let steps = json!([
        {"deviation": number("-1.10"), "size": "10"},
        {"deviation": "-2.5", "size": "10.50", "editable": true, "new": 1},
    ]);
    let sent = json!([
        {"deviation": "-1.10", "size": 10},
        {"deviation": "-2.5", "size": number("10.50"), "new": 1},
    ]);
    assert_eq!(accept(SAFETY_STEPS, steps), Ok(sent));
    for (step, message) in [
        (json!({"size": 5}), "each step needs deviation"),
        (json!({"deviation": "x", "size": 5}), "deviation: must be a decimal (a str, Decimal or number), not \"x\""),
    ] {
        assert_eq!(accept(SAFETY_STEPS, json!([step])), Err(message.to_owned()));
    }
}

#[test]
fn strategies_are_objects_in_a_list() {
    let strategies = json!([{"strategy": "rsi", "options": {"points": 30}}]);
    assert_eq!(accept(STRATEGIES, strategies.clone()), Ok(strategies));
    rejected(STRATEGIES, [json!(["rsi"]), json!({"strategy": "rsi"}), json!("rsi")]);
}

#[test]
fn strings_are_passed_as_a_list() {
    assert_eq!(accept(InputType::Texts, json!(["a", "b"])), Ok(json!(["a", "b"])));
    rejected(InputType::Texts, [json!("a"), json!(["a", 1]), json!({})]);
}

#[test]
fn a_value_is_shown_as_python_writes_it() {
    for (value, shown) in [(json!(true), "True"), (json!(false), "False"), (Value::Null, "None"), (json!(1), "1")] {
        assert_eq!(excerpt(&value, Audience::Python), shown);
    }
}

#[test]
fn messages_for_http_clients_use_the_names_of_json() {
    let expected = [
        (InputType::Decimal, "a decimal, as a string or a number"),
        (InputType::Fraction, "a fraction, or a percentage such as 0.1%"),
        (InputType::Integer, "an integer"),
        (InputType::Bool, "true or false"),
        (InputType::Text, "a string"),
        (DIRECTION, "a string"),
        (InputType::Time, "an ISO 8601 timestamp, or seconds since 1970"),
        (InputType::IsoTime, "an ISO 8601 timestamp, or seconds since 1970"),
        (InputType::Pairs, "a pair such as USDT_BTC, or an array of pairs"),
        (InputType::Texts, "an array of strings"),
        (STEPS, "an array of objects with amount_percentage and profit_percentage"),
        (SAFETY_STEPS, "an array of objects with deviation and size"),
        (STRATEGIES, "an array of strategy objects"),
        (InputType::Object, "an object"),
    ];
    assert!(expected.iter().map(|(input_type, _)| *input_type).eq(ALL));
    for (input_type, expected) in expected {
        let message = format!("must be {expected}, not null");
        assert_eq!(input_type.accept(Value::Null, Audience::Http), Err(message), "{input_type:?}");
    }
}

#[test]
fn a_field_is_compared_by_its_type() {
    for (schema, input_type) in [
        (Schema::Decimal, InputType::Decimal),
        (Schema::Integer, InputType::Integer),
        (Schema::Bool, InputType::Bool),
        (Schema::Timestamp, InputType::Text),
        (Schema::OneOf(&["a"]), InputType::OneOf(&["a"])),
        (Schema::Object, InputType::Object),
    ] {
        assert_eq!(InputType::from(schema), input_type);
    }
}

#[test]
fn null_has_no_type() {
    for input_type in ALL {
        rejected(input_type, [Value::Null]);
    }
}

#[test]
fn an_error_shows_the_beginning_of_a_long_value() {
    let message = accept(InputType::Integer, json!("x ".repeat(10_000))).unwrap_err();
    assert_eq!(message, format!("must be a whole number, not \"{}", "x ".repeat(40).trim_end()));
}

#[test]
fn a_field_is_sent_back_in_the_type_of_its_input() {
    for (input_type, current, sent) in [
        (InputType::Decimal, r#""1.50""#, json!("1.50")),
        (InputType::Decimal, "1.50", json!("1.50")),
        (InputType::Decimal, r#""-3.3e-05""#, json!("-3.3e-05")),
        (InputType::Integer, r#""40""#, json!(40)),
        (InputType::Bool, r#""true""#, json!(true)),
        (InputType::Text, r#""Fr\u00fch""#, json!("Früh")),
        (DIRECTION, r#""sideways""#, json!("sideways")),
        (InputType::Pairs, r#"["USDT_ETH"]"#, json!("USDT_ETH")),
        (InputType::Pairs, r#"["USDT_ETH","USDT_BTC"]"#, json!(["USDT_ETH", "USDT_BTC"])),
        (InputType::Pairs, r#""USDT_ETH""#, json!("USDT_ETH")),
        (STEPS, r#"[{"id": 0, "amount_percentage": 100}]"#, json!([{"amount_percentage": 100}])),
        (
            SAFETY_STEPS,
            r#"[{"deviation": "-1.10", "size": 10, "editable": false}]"#,
            json!([{"deviation": "-1.10", "size": 10}]),
        ),
        (STRATEGIES, r#"[{"strategy": "rsi"}]"#, json!([{"strategy": "rsi"}])),
        (InputType::Object, r#"{"upper_breakeven_limit": 1}"#, json!({"upper_breakeven_limit": 1})),
    ] {
        assert_eq!(carried(input_type, current), Some(sent), "{input_type:?} {current}");
    }
}

#[test]
fn a_field_of_another_type_is_not_sent_back() {
    for (input_type, current) in [
        (InputType::Decimal, r#""NaN""#),
        (InputType::Decimal, "true"),
        (InputType::Integer, "1.5"),
        (InputType::Bool, "1"),
        (InputType::Text, "5"),
        (DIRECTION, "{}"),
        (InputType::Pairs, "5"),
        (STEPS, "{}"),
        (STEPS, "[5]"),
        (SAFETY_STEPS, "[5]"),
    ] {
        assert_eq!(carried(input_type, current), None, "{input_type:?} {current}");
    }
}

#[test]
fn an_identifier_is_a_whole_number_greater_than_0() {
    assert_eq!(identifier("id", &json!(2_376_446_537_u64)), Ok(2_376_446_537));
    assert_eq!(identifier("id", &number("41.0")), Ok(41));
    for given in [json!(0), json!(-41), number("41.5"), json!("41"), json!(true), Value::Null] {
        let message =
            format!("an identifier is a whole number greater than 0, not {}", excerpt(&given, Audience::Python));
        assert_eq!(identifier("id", &given), Err(Violation::new("id", message)));
    }
}

#[test]
fn an_identifier_has_an_upper_limit() {
    assert_eq!(identifier("id", &json!(i64::MAX)), Ok(i64::MAX as u64));
    for given in [1 << 63, u64::MAX] {
        let message = format!("an identifier is a whole number of at most 9223372036854775807, not {given}");
        assert_eq!(identifier("id", &json!(given)), Err(Violation::new("id", message)));
    }
}

proptest! {
    #[test]
    fn an_accepted_decimal_is_sent_back_unchanged(digits in r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,40})?(e-?[0-9]{1,2})?") {
        let sent = accept(InputType::Decimal, json!(digits)).unwrap();
        prop_assert_eq!(carried(InputType::Decimal, &sent.to_string()), Some(sent));
    }

    #[test]
    fn an_accepted_string_is_sent_back_unchanged(text in any::<String>()) {
        let sent = accept(InputType::Text, json!(text)).unwrap();
        prop_assert_eq!(&sent, &json!(text));
        prop_assert_eq!(carried(InputType::Text, &sent.to_string()), Some(sent));
    }
}
