//! The types of inputs: the accepted values, and their encoding in a request.

use std::marker::PhantomData;

use bigdecimal::{BigDecimal, ToPrimitive as _};
use serde_json::{Number, Value};

use super::objects::{ListedObject, Objects};
use super::table::{Accepts, Audience, InputTable, InputType};
use super::violation::Violation;
use crate::decimal;
use crate::field::Schema;
use crate::json::Json;
use crate::key_text::looks_like_key;
use crate::pair;
use crate::values::{Bool, Choices, Decimal, FieldType, Integer, List, Object, OneOf, Text};

/// A time: seconds since 1970 or ISO 8601.
#[derive(Debug)]
pub enum Time {}

/// A time: seconds since 1970 or ISO 8601. It is sent in ISO 8601.
#[derive(Debug)]
pub enum IsoTime {}

/// One pair or several.
#[derive(Debug)]
pub enum Pairs {}

/// A list of objects.
#[derive(Debug)]
pub struct ListOf<R>(PhantomData<fn() -> R>);

/// An object with the inputs of a table.
#[derive(Debug)]
pub struct Group<T>(PhantomData<fn() -> T>);

/// A list of objects with the inputs of a table.
#[derive(Debug)]
pub struct Groups<T>(PhantomData<fn() -> T>);

/// A part of a whole: a decimal such as 0.001, or a percentage such as `0.1%`.
#[derive(Debug)]
pub enum Fraction {}

macro_rules! accepts {
    ($($kind:ty => $input_type:expr;)*) => {$(
        impl Accepts for $kind {
            const INPUT_TYPE: InputType = $input_type;
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
    IsoTime => InputType::IsoTime;
    Pairs => InputType::Pairs;
    List<Text> => InputType::Texts;
    Object => InputType::Object;
}

impl<R: ListedObject> Accepts for ListOf<R> {
    const INPUT_TYPE: InputType = InputType::Objects(R::OBJECTS);
}

impl<T: InputTable> Accepts for Group<T> {
    const INPUT_TYPE: InputType = InputType::Group(T::INPUTS);
}

impl<T: InputTable> Accepts for Groups<T> {
    const INPUT_TYPE: InputType = InputType::Groups(T::INPUTS);
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
            Schema::Text | Schema::Timestamp | Schema::UnixTime => Self::Text,
            Schema::OneOf(values) => Self::OneOf(values),
            Schema::List(_) | Schema::Map(_) | Schema::Object | Schema::Any | Schema::Record(_) | Schema::Nothing => {
                Self::Object
            }
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
            Self::Time | Self::IsoTime => (
                "seconds since 1970, an ISO 8601 string, a datetime with a timezone, or a date",
                "an ISO 8601 timestamp, or seconds since 1970",
            ),
            Self::Pairs => {
                ("a pair such as USDT_BTC, or a list of them", "a pair such as USDT_BTC, or an array of pairs")
            }
            Self::Texts => ("a list of strings", "an array of strings"),
            Self::Objects(objects) => return objects.description(audience),
            Self::Group(inputs) => return inputs.object(audience),
            Self::Groups(inputs) => return inputs.objects(audience),
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

    /// Converts a value to the form in which it is sent, or returns the violations by it; `path` is where it is in its request.
    pub(super) fn accept_at(self, given: Value, path: &str, audience: Audience) -> Result<Value, Vec<Violation>> {
        match self {
            Self::Group(inputs) => inputs.accept_object(given, path, audience),
            Self::Groups(inputs) => inputs.accept_objects(given, path, audience),
            _ => self.accept(given, audience).map_err(|message| vec![Violation::new(path, message)]),
        }
    }

    /// Converts a value that has no inputs of its own to the form in which it is sent.
    pub fn accept(self, given: Value, audience: Audience) -> Result<Value, String> {
        let rejected = |given: &Value| self.rejection(given, audience);
        match (self, given) {
            (Self::Decimal, Value::String(text)) => decimal_value(&text).ok_or_else(|| rejected(&Value::String(text))),
            (Self::Fraction, Value::String(text)) if decimal::fraction(&text).is_some() => Ok(Value::String(text)),
            (Self::Decimal | Self::Fraction, Value::Number(number)) => {
                decimal_value(&number.to_string()).ok_or_else(|| rejected(&Value::Number(number)))
            }
            (Self::Integer | Self::Time, Value::Number(number)) if is_whole(&number) => Ok(Value::Number(number)),
            (Self::IsoTime, Value::Number(number)) => {
                iso_8601(&number).map(Value::from).ok_or_else(|| rejected(&Value::Number(number)))
            }
            // Sheets and data frames store whole numbers as floats.
            (Self::Integer, Value::Number(number)) if audience == Audience::Python => {
                whole(&number).map(Value::from).ok_or_else(|| rejected(&Value::Number(number)))
            }
            (Self::Time | Self::IsoTime, Value::String(text)) if is_time(&text) => Ok(Value::String(text)),
            (Self::OneOf(choices), Value::String(text)) if !choices.contains(&text.as_str()) => {
                Err(format!("must be one of {}, not {}", choices.join(", "), excerpt(&Value::String(text), audience)))
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
    pub fn carry(self, current: Json<'_>) -> Option<Value> {
        match self {
            Self::Decimal | Self::Fraction => {
                current.number_or_string().filter(|text| decimal::parse(text).is_some()).map(text_value)
            }
            Self::Integer => Integer::read(current).map(Value::from),
            Self::Bool => Bool::read(current).map(Value::Bool),
            Self::Text | Self::OneOf(_) | Self::Time | Self::IsoTime => current.string().map(text_value),
            Self::Objects(objects) => match current.to_value()? {
                Value::Array(elements) if elements.iter().all(Value::is_object) => {
                    Some(elements.into_iter().map(|element| objects.without_unsent(element)).collect())
                }
                _ => None,
            },
            Self::Group(_) => current.to_value().filter(Value::is_object),
            Self::Groups(_) => current.to_value().filter(Value::is_array),
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

/// Returns the time of seconds since 1970 in the format of the API reference.
fn iso_8601(seconds: &Number) -> Option<String> {
    jiff::Timestamp::from_second(seconds.to_string().parse().ok()?).ok().map(|time| format!("{time:.3}"))
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

/// The length of a UUID.
const LONGEST_ID: usize = 36;

/// Stands in a message for a value that looks like a key.
const HIDDEN: &str = "<hidden: this looks like a key>";

/// Returns the beginning of a value, in the syntax of the message's reader.
pub fn excerpt(value: &Value, audience: Audience) -> String {
    let text = match (value, audience) {
        (Value::Null, Audience::Python) => "None".to_owned(),
        (Value::Bool(true), Audience::Python) => "True".to_owned(),
        (Value::Bool(false), Audience::Python) => "False".to_owned(),
        (Value::String(text), _) if text.len() > LONGEST_ID && looks_like_key(text) => HIDDEN.to_owned(),
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
