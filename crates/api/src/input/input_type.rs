//! The types of inputs: the accepted values, and their encoding in a request.

use std::marker::PhantomData;

use bigdecimal::{BigDecimal, ToPrimitive as _};
use serde_json::{Number, Value};

use super::Violation;
use super::objects::{ListedObject, Objects};
use crate::decimal;
use crate::json::Json;
use crate::pair;
use crate::row::Schema;
use crate::values::{Bool, Choices, Decimal, FieldType, Integer, List, Object, OneOf, Text};

/// The reader of a message. Messages use the values and types of the reader's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A caller of the Python package.
    Python,
    /// A client of the HTTP API, in any language.
    Http,
}

/// The type of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputType {
    /// A decimal; it is sent as a string.
    Decimal,
    /// A part of a whole, such as a fee: a decimal, or a percentage such as `0.1%`. It is part of no request.
    Fraction,
    /// A whole number.
    Integer,
    /// A boolean.
    Bool,
    /// A string.
    Text,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A time: seconds since 1970 or ISO 8601.
    Time,
    /// One pair or several.
    Pairs,
    /// A list of strings.
    Texts,
    /// A list of objects.
    Objects(&'static Objects),
    /// A JSON object.
    Object,
}

/// A type that an input can have.
pub trait Accepts {
    /// The type of the input.
    const INPUT_TYPE: InputType;
}

/// A time: seconds since 1970 or ISO 8601.
#[derive(Debug)]
pub enum Time {}

/// One pair or several.
#[derive(Debug)]
pub enum Pairs {}

/// A list of objects.
#[derive(Debug)]
pub struct ListOf<R>(PhantomData<fn() -> R>);

/// A part of a whole: a decimal such as 0.001, or a percentage such as `0.1%`.
#[derive(Debug)]
pub enum Fraction {}

macro_rules! accepts {
    ($($kind:ty => $form:expr;)*) => {$(
        impl Accepts for $kind {
            const INPUT_TYPE: InputType = $form;
        }
    )*};
}

accepts! {
    Decimal => InputType::Decimal;
    Fraction => InputType::Fraction;
    Integer => InputType::Integer;
    Bool => InputType::Bool;
    Text => InputType::Text;
    Time => InputType::Time;
    Pairs => InputType::Pairs;
    List<Text> => InputType::Texts;
    Object => InputType::Object;
}

impl<R: ListedObject> Accepts for ListOf<R> {
    const INPUT_TYPE: InputType = InputType::Objects(R::OBJECTS);
}

impl<C: Choices> Accepts for OneOf<C> {
    const INPUT_TYPE: InputType = InputType::OneOf(C::VALUES);
}

impl From<Schema> for InputType {
    /// Returns the input type that compares and shows values of a schema.
    fn from(schema: Schema) -> Self {
        match schema {
            Schema::Decimal => Self::Decimal,
            Schema::Integer => Self::Integer,
            Schema::Bool => Self::Bool,
            Schema::Text | Schema::Timestamp => Self::Text,
            Schema::OneOf(values) => Self::OneOf(values),
            Schema::List(_) | Schema::Object | Schema::Any | Schema::Record(_) => Self::Object,
        }
    }
}

impl InputType {
    /// Describes the accepted values in the terms of the reader.
    fn description(self, audience: Audience) -> String {
        let (python, http) = match self {
            Self::Decimal => ("a decimal (a str, Decimal or number)", "a decimal, as a string or a number"),
            Self::Fraction => (
                "a fraction such as 0.001, or a percentage such as \"0.1%\"",
                "a fraction, or a percentage such as 0.1%",
            ),
            Self::Integer => ("a whole number", "an integer"),
            Self::Bool => ("True or False", "true or false"),
            Self::Text | Self::OneOf(_) => ("a string", "a string"),
            Self::Time => (
                "seconds since 1970, an ISO 8601 string, a datetime with a timezone, or a date",
                "an ISO 8601 timestamp, or seconds since 1970",
            ),
            Self::Pairs => {
                ("a pair such as USDT_BTC, or a list of them", "a pair such as USDT_BTC, or an array of pairs")
            }
            Self::Texts => ("a list of strings", "an array of strings"),
            Self::Objects(objects) => return objects.description(audience),
            Self::Object => ("an object", "an object"),
        };
        match audience {
            Audience::Python => python.to_owned(),
            Audience::Http => http.to_owned(),
        }
    }

    /// Returns the message for a value that is rejected.
    fn rejection(self, given: &Value, audience: Audience) -> String {
        let (expected, given) = (self.description(audience), excerpt(given, audience));
        format!("must be {expected}, not {given}")
    }

    /// Returns the message for a secret that is rejected; it does not show the value.
    pub(super) fn secret_rejection(self, audience: Audience) -> String {
        match audience {
            Audience::Python => "has the wrong type".to_owned(),
            Audience::Http => format!("must be {}", self.description(audience)),
        }
    }

    /// Converts a value to the form in which it is sent.
    pub(super) fn accept(self, given: Value, audience: Audience) -> Result<Value, String> {
        let rejected = |given: &Value| self.rejection(given, audience);
        match (self, given) {
            (Self::Decimal, Value::String(text)) => decimal_value(&text).ok_or_else(|| rejected(&Value::String(text))),
            (Self::Fraction, Value::String(text)) if decimal::fraction(&text).is_some() => Ok(Value::String(text)),
            (Self::Decimal | Self::Fraction, Value::Number(number)) => {
                decimal_value(&number.to_string()).ok_or_else(|| rejected(&Value::Number(number)))
            }
            (Self::Integer | Self::Time, Value::Number(number)) if is_whole(&number) => Ok(Value::Number(number)),
            // Sheets and data frames store whole numbers as floats.
            (Self::Integer, Value::Number(number)) if audience == Audience::Python => {
                whole(&number).map(Value::from).ok_or_else(|| rejected(&Value::Number(number)))
            }
            (Self::Time, Value::String(text)) if is_time(&text) => Ok(Value::String(text)),
            (Self::OneOf(choices), Value::String(text)) if !choices.contains(&text.as_str()) => {
                Err(format!("must be one of {}, not {text:?}", choices.join(", ")))
            }
            (Self::Bool, value @ Value::Bool(_))
            | (Self::Text | Self::OneOf(_) | Self::Pairs, value @ Value::String(_))
            | (Self::Object, value @ Value::Object(_)) => Ok(value),
            (Self::Pairs, Value::Array(pairs)) if !pairs.is_empty() && pairs.iter().all(Value::is_string) => {
                Ok(one_or_several(pairs))
            }
            (Self::Texts, Value::Array(texts)) if texts.iter().all(Value::is_string) => Ok(Value::Array(texts)),
            (Self::Objects(objects), Value::Array(elements))
                if !objects.members.is_empty() || elements.iter().all(Value::is_object) =>
            {
                let elements = elements.into_iter().map(|given| objects.element(given, audience));
                elements.collect::<Result<_, _>>().map(Value::Array)
            }
            (_, given) => Err(rejected(&given)),
        }
    }

    /// Returns the message about a malformed element of a list; None if the element is well-formed.
    pub(super) fn problem(self, element: &Value, list: &[Value]) -> Option<String> {
        match self {
            Self::Pairs => pair::problem(element.as_str()?),
            Self::Objects(objects) => (objects.problem)(element, list),
            _ => None,
        }
    }

    /// Returns true if a record's field has a value of this type.
    pub fn reads(self, current: Json<'_>) -> bool {
        self.carry(current).is_some()
    }

    /// Converts the value of a record's field to the form in which it is sent; returns None if it can't be sent.
    pub(super) fn carry(self, current: Json<'_>) -> Option<Value> {
        match self {
            Self::Decimal | Self::Fraction => {
                current.number_or_string().filter(|text| decimal::parse(text).is_some()).map(text_value)
            }
            Self::Integer => Integer::read(current).map(Value::from),
            Self::Bool => Bool::read(current).map(Value::Bool),
            Self::Text | Self::OneOf(_) | Self::Time => current.string().map(text_value),
            Self::Objects(objects) => match current.to_value()? {
                Value::Array(elements) if elements.iter().all(Value::is_object) => {
                    Some(elements.into_iter().map(|element| objects.without_unsent(element)).collect())
                }
                _ => None,
            },
            Self::Pairs | Self::Texts | Self::Object => self.accept(current.to_value()?, Audience::Python).ok(),
        }
    }
}

/// Lists of objects.
impl Objects {
    /// Describes the accepted values in the terms of the reader.
    fn description(&self, audience: Audience) -> String {
        let noun = self.noun;
        match (audience, self.members) {
            (Audience::Python, []) => format!("a list of {noun} objects"),
            (Audience::Http, []) => format!("an array of {noun} objects"),
            (Audience::Python, _) => format!("a list of {{{}}}", self.names().join(", ")),
            (Audience::Http, _) => format!("an array of objects with {}", self.names().join(" and ")),
        }
    }

    /// Converts an element to the form in which it is sent.
    fn element(&self, given: Value, audience: Audience) -> Result<Value, String> {
        let (noun, given) = (self.noun, self.without_unsent(given));
        let Value::Object(mut object) = given else {
            return Err(format!("each {noun} must be an object with {}", self.names().join(" and ")));
        };
        for (member, sent) in self.members {
            let value = object.get_mut(*member).ok_or_else(|| format!("each {noun} needs {member}"))?;
            let decimal = InputType::Decimal.accept(value.take(), audience);
            *value = sent.of(decimal.map_err(|message| format!("{member}: {message}"))?);
        }
        Ok(Value::Object(object))
    }
}

fn text_value(text: impl Into<String>) -> Value {
    Value::String(text.into())
}

fn decimal_value(text: &str) -> Option<Value> {
    decimal::plain(text).map(Value::String)
}

fn is_whole(number: &Number) -> bool {
    number.to_string().parse::<i64>().is_ok()
}

/// Returns the integer that a number such as 4.0 is equal to.
fn whole(number: &Number) -> Option<i64> {
    decimal::parse(&number.to_string()).filter(BigDecimal::is_integer)?.to_i64()
}

fn is_time(text: &str) -> bool {
    // A date with an offset can be later than the last `jiff::Timestamp`, which is a day before the year 9999 ends.
    jiff::fmt::temporal::Pieces::parse(text).is_ok()
}

fn one_or_several(mut pairs: Vec<Value>) -> Value {
    if pairs.len() == 1
        && let Some(pair) = pairs.pop()
    {
        return pair;
    }
    Value::Array(pairs)
}

/// The maximum number of characters of a rejected value in a message.
const EXCERPT: usize = 80;

/// Returns the beginning of a value, in the syntax of the message's reader.
pub fn excerpt(value: &Value, audience: Audience) -> String {
    let text = match (value, audience) {
        (Value::Null, Audience::Python) => "None".to_owned(),
        (Value::Bool(true), Audience::Python) => "True".to_owned(),
        (Value::Bool(false), Audience::Python) => "False".to_owned(),
        (other, _) => other.to_string(),
    };
    text.chars().take(EXCERPT).collect()
}

/// Returns the beginning of a record's value, for a message.
pub(super) fn excerpt_of(current: Json<'_>, audience: Audience) -> String {
    excerpt(&current.to_value().unwrap_or_else(|| current.text().into()), audience)
}

/// Parses the identifier of a record in a path.
///
/// Returns a violation of `name` unless it is a positive whole number that a record can hold: the response must have the same identifier.
pub fn identifier(name: &str, given: &Value) -> Result<u64, Violation> {
    let from_sheet = || given.as_number().and_then(whole).and_then(|number| u64::try_from(number).ok());
    let needed = match given.as_u64().or_else(from_sheet) {
        Some(0) | None => "greater than 0",
        Some(id) if i64::try_from(id).is_err() => "of at most 9223372036854775807",
        Some(id) => return Ok(id),
    };
    let given = excerpt(given, Audience::Python);
    Err(Violation::new(name, format!("an identifier is a whole number {needed}, not {given}")))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::dca_bots::Direction;
    use crate::json::Scanner;
    use crate::safety_step::SafetyStep;
    use crate::strategy::Strategy;
    use crate::take_profit_step::TakeProfitStep;

    const STEPS: InputType = <ListOf<TakeProfitStep> as Accepts>::INPUT_TYPE;
    const SAFETY_STEPS: InputType = <ListOf<SafetyStep> as Accepts>::INPUT_TYPE;
    const STRATEGIES: InputType = <ListOf<Strategy> as Accepts>::INPUT_TYPE;
    const DIRECTION: InputType = <OneOf<Direction> as Accepts>::INPUT_TYPE;

    const ALL: [InputType; 13] = [
        InputType::Decimal,
        InputType::Fraction,
        InputType::Integer,
        InputType::Bool,
        InputType::Text,
        DIRECTION,
        InputType::Time,
        InputType::Pairs,
        InputType::Texts,
        STEPS,
        SAFETY_STEPS,
        STRATEGIES,
        InputType::Object,
    ];

    fn accept(form: InputType, given: Value) -> Result<Value, String> {
        form.accept(given, Audience::Python)
    }

    fn number(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    /// Returns what an edit sends of a value in a record.
    fn carried(form: InputType, current: &str) -> Option<Value> {
        let source: Arc<str> = current.into();
        let span = Scanner::new(&source).unwrap().value().unwrap();
        let sent = form.carry(Json::new(&source, span));
        assert_eq!(form.reads(Json::new(&source, span)), sent.is_some(), "{form:?} {current}");
        sent
    }

    fn rejected(form: InputType, values: impl IntoIterator<Item = Value>) {
        for value in values {
            assert!(accept(form, value.clone()).is_err(), "{form:?} {value}");
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
            (
                json!({"deviation": "x", "size": 5}),
                "deviation: must be a decimal (a str, Decimal or number), not \"x\"",
            ),
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
            (InputType::Pairs, "a pair such as USDT_BTC, or an array of pairs"),
            (InputType::Texts, "an array of strings"),
            (STEPS, "an array of objects with amount_percentage and profit_percentage"),
            (SAFETY_STEPS, "an array of objects with deviation and size"),
            (STRATEGIES, "an array of strategy objects"),
            (InputType::Object, "an object"),
        ];
        assert!(expected.iter().map(|(form, _)| *form).eq(ALL));
        for (form, expected) in expected {
            let message = format!("must be {expected}, not null");
            assert_eq!(form.accept(Value::Null, Audience::Http), Err(message), "{form:?}");
        }
    }

    #[test]
    fn a_field_is_compared_by_its_type() {
        for (schema, form) in [
            (Schema::Decimal, InputType::Decimal),
            (Schema::Integer, InputType::Integer),
            (Schema::Bool, InputType::Bool),
            (Schema::Timestamp, InputType::Text),
            (Schema::OneOf(&["a"]), InputType::OneOf(&["a"])),
            (Schema::Object, InputType::Object),
        ] {
            assert_eq!(InputType::from(schema), form);
        }
    }

    #[test]
    fn null_has_no_type() {
        for form in ALL {
            rejected(form, [Value::Null]);
        }
    }

    #[test]
    fn an_error_shows_the_beginning_of_a_long_value() {
        let message = accept(InputType::Integer, json!("x".repeat(10_000))).unwrap_err();
        assert_eq!(message, format!("must be a whole number, not \"{}", "x".repeat(79)));
    }

    #[test]
    fn a_field_is_sent_back_in_the_type_of_its_input() {
        for (form, current, sent) in [
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
            assert_eq!(carried(form, current), Some(sent), "{form:?} {current}");
        }
    }

    #[test]
    fn a_field_of_another_type_is_not_sent_back() {
        for (form, current) in [
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
            assert_eq!(carried(form, current), None, "{form:?} {current}");
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
}
