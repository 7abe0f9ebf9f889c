//! The JSON Schema of inputs.

use serde_json::{Map, Value};

use super::input_type::STEP_MEMBERS;
use super::{Input, InputType, Inputs, Rule};
use crate::pair;
use crate::row::Schema;
use crate::schema;
use crate::schema::{described, in_json_terms, or_null, texts};
use crate::strategy::Strategy;
use crate::values::FieldType;

/// The pattern of decimals that every reader accepts. Other accepted decimals, such as those with an exponent, do not match it.
const AMOUNT: &str = "^-?(0|[1-9][0-9]{0,29})([.][0-9]{1,30})?$";

impl InputType {
    fn to_json(self) -> Value {
        let text = || schema! { "type": "string" };
        match self {
            Self::Decimal => schema! { "type": texts(&["number", "string"]), "pattern": AMOUNT },
            Self::Integer => schema! { "type": "integer" },
            Self::Bool => schema! { "type": "boolean" },
            Self::Text => text(),
            Self::OneOf(choices) => Schema::OneOf(choices).to_json(),
            Self::Time => schema! { "anyOf": vec![schema! { "type": "integer" }, Schema::Timestamp.to_json()] },
            Self::Pairs => {
                let pair = || schema! { "type": "string", "pattern": pair::PATTERN };
                schema! { "anyOf": vec![pair(), schema! { "type": "array", "items": pair(), "minItems": 1 }] }
            }
            Self::Texts => schema! { "type": "array", "items": text() },
            Self::Steps => schema! { "type": "array", "items": step() },
            Self::Strategies => Schema::List(&<Strategy as FieldType>::SCHEMA).to_json(),
            Self::Object => schema! { "type": "object" },
        }
    }
}

fn step() -> Value {
    let members = STEP_MEMBERS.map(|member| (member.to_owned(), InputType::Decimal.to_json()));
    schema! { "type": "object", "properties": Map::from_iter(members), "required": texts(&STEP_MEMBERS) }
}

impl Input {
    /// Returns the JSON Schema of the input, with the rules about this input alone.
    fn to_json(self) -> Value {
        let mut json = self.form.to_json();
        if let Value::Object(members) = &mut json {
            let stated = self.rules.iter().flat_map(|rule| rule.keywords(self.form));
            members.extend(stated.map(|(keyword, value)| (keyword.to_owned(), value)));
            if self.is_secret() {
                members.insert("format".to_owned(), Value::from("password"));
            }
        }
        let may_be_null = self.rules.iter().any(|rule| matches!(rule, Rule::RequiredUnless(_)));
        described(if may_be_null { or_null(json) } else { json }, self.about)
    }

    /// Returns the names of the input in a body.
    fn wires(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.wire).chain(self.also)
    }
}

impl Rule {
    /// Returns the keywords of JSON Schema for the rule.
    fn keywords(self, form: InputType) -> Vec<(&'static str, Value)> {
        match self {
            Self::Required if matches!(form, InputType::Text) => vec![("minLength", Value::from(1))],
            Self::Characters(least, most) => vec![("minLength", Value::from(least)), ("maxLength", Value::from(most))],
            Self::Between(least, most) => vec![("minimum", literal(least)), ("maximum", literal(most))],
            Self::AtLeast(least) => vec![("minimum", literal(least))],
            Self::Above(bound) => vec![("exclusiveMinimum", literal(bound))],
            Self::Below(bound) => vec![("exclusiveMaximum", literal(bound))],
            Self::ExclusiveRange(above, below) => {
                vec![("exclusiveMinimum", literal(above)), ("exclusiveMaximum", literal(below))]
            }
            Self::Default(value) => vec![("default", Value::from(value))],
            Self::ServiceDefault(json) => vec![("default", literal(json))],
            Self::Required
            | Self::RequiredIfTrue(_)
            | Self::RequiredUnless(_)
            | Self::RequiredIfEquals(..)
            | Self::OnlyIf(..)
            | Self::Own(_)
            | Self::OmitIf(_)
            | Self::RequiresField(_)
            | Self::OnlyIfGiven => vec![],
        }
    }
}

fn literal(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

impl Inputs {
    /// Returns the JSON Schema of a body with the inputs.
    pub fn schema(&self) -> Value {
        let named = self.rows.iter().flat_map(|row| row.wires().map(|wire| (wire.to_owned(), row.to_json())));
        let mut members = Map::from_iter([
            ("type".to_owned(), Value::from("object")),
            ("properties".to_owned(), Value::Object(named.collect())),
        ]);
        let (one, either): (Vec<&Input>, Vec<&Input>) =
            self.rows.iter().filter(|row| row.is_required()).partition(|row| row.also.is_none());
        let wires: Vec<_> = one.iter().map(|row| row.wire).collect();
        members.insert("required".to_owned(), texts(&wires));
        let either = either.iter().map(|row| {
            schema! { "anyOf": row.wires().map(|wire| schema! { "required": texts(&[wire]) }).collect::<Vec<_>>() }
        });
        let conditions: Vec<_> = either.chain(self.rows.iter().flat_map(|row| self.conditions(row))).collect();
        if !conditions.is_empty() {
            members.insert("allOf".to_owned(), Value::Array(conditions));
        }
        Value::Object(members)
    }

    /// Returns the conditions under which an input is required.
    fn conditions<'a>(&'a self, row: &'a Input) -> impl Iterator<Item = Value> + 'a {
        row.rules.iter().filter_map(move |rule| {
            let (other, value) = match rule {
                Rule::RequiredIfTrue(flag) => (*flag, Value::from(true)),
                Rule::RequiredIfEquals(input, text) => (*input, Value::from(*text)),
                _ => return None,
            };
            let other = self.rows.get(other)?.wire;
            let is = Map::from_iter([(other.to_owned(), schema! { "const": value })]);
            Some(schema! {
                "if": schema! { "properties": is, "required": texts(&[other]) },
                "then": schema! { "required": texts(&[row.wire]) },
            })
        })
    }

    /// Returns the inputs as parameters of a query string, as OpenAPI describes them.
    pub fn parameters(&self) -> impl Iterator<Item = Value> {
        self.rows.iter().map(|row| {
            let about = in_json_terms(row.about);
            // An input with a default is optional.
            let required = row.is_required() && row.default().is_none();
            schema! { "name": row.wire, "in": "query", "required": required, "description": about, "schema": row.to_json() }
        })
    }
}
