//! The JSON Schema of inputs.

use serde_json::{Map, Value};

use super::objects::Objects;
use super::table::{Input, InputType, Inputs, Rule};
use crate::field::Schema;
use crate::json_schema;
use crate::json_schema::{described, in_json_terms, or_null, texts};
use crate::pair;

/// The pattern of decimals that every reader accepts. Other accepted decimals, such as those with an exponent, do not match it.
const AMOUNT: &str = "^-?(0|[1-9][0-9]{0,29})([.][0-9]{1,30})?$";

impl InputType {
    fn to_json(self) -> Value {
        let text = || json_schema! { "type": "string" };
        match self {
            Self::Decimal => json_schema! { "type": texts(&["number", "string"]), "pattern": AMOUNT },
            Self::Fraction => json_schema! { "type": texts(&["number", "string"]) },
            Self::Integer => json_schema! { "type": "integer" },
            Self::Bool => json_schema! { "type": "boolean" },
            Self::Text => text(),
            Self::OneOf(choices) => Schema::OneOf(choices).to_json(),
            Self::Time => Schema::UnixTime.to_json(),
            Self::IsoTime => Schema::Timestamp.to_json(),
            Self::Pairs => {
                let pair = || json_schema! { "type": "string", "pattern": pair::PATTERN };
                json_schema! { "anyOf": vec![pair(), json_schema! { "type": "array", "items": pair(), "minItems": 1 }] }
            }
            Self::Texts => json_schema! { "type": "array", "items": text() },
            Self::Objects(objects) => json_schema! { "type": "array", "items": objects.schema() },
            Self::Group(inputs) => inputs.schema(),
            Self::Groups(inputs) => json_schema! { "type": "array", "items": inputs.schema() },
            Self::Object => json_schema! { "type": "object" },
        }
    }
}

impl Objects {
    /// Returns the schema of an element.
    fn schema(&self) -> Value {
        if self.members.is_empty() {
            return Schema::Record(self.record).to_json();
        }
        let names = self.names();
        let members = names.iter().map(|member| ((*member).to_owned(), InputType::Decimal.to_json()));
        let properties: Map<_, _> = members.collect();
        json_schema! { "type": "object", "properties": properties, "required": texts(&names) }
    }
}

impl Input {
    /// Returns the JSON Schema of the input, with the rules about this input alone.
    fn to_json(self) -> Value {
        let mut json = self.input_type.to_json();
        if let Value::Object(members) = &mut json {
            let stated = self.rules.iter().flat_map(|rule| rule.keywords(self.input_type));
            members.extend(stated.map(|(keyword, value)| (keyword.to_owned(), value)));
            if self.is_secret() {
                members.insert("format".to_owned(), Value::from("password"));
            }
        }
        let may_be_null = self.rules.iter().any(|rule| matches!(rule, Rule::RequiredUnless(_)));
        described(if may_be_null { or_null(json) } else { json }, self.about)
    }

    /// Returns the names of the input in a body.
    pub(super) fn wires(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.wire).chain(self.second_wire_name)
    }
}

impl Rule {
    /// Returns the keywords of JSON Schema for the rule.
    fn keywords(self, input_type: InputType) -> Vec<(&'static str, Value)> {
        match self {
            Self::Required if matches!(input_type, InputType::Text) => vec![("minLength", Value::from(1))],
            Self::Characters(least, most) => vec![("minLength", Value::from(least)), ("maxLength", Value::from(most))],
            Self::AtLeastCharacters(least) => vec![("minLength", Value::from(least))],
            Self::Between(least, most) => vec![("minimum", literal(least)), ("maximum", literal(most))],
            Self::AtLeast(least) => vec![("minimum", literal(least))],
            Self::Above(bound) => vec![("exclusiveMinimum", literal(bound))],
            Self::Below(bound) => vec![("exclusiveMaximum", literal(bound))],
            Self::ExclusiveRange(above, below) => {
                vec![("exclusiveMinimum", literal(above)), ("exclusiveMaximum", literal(below))]
            }
            Self::Default(value) => vec![("default", Value::from(value))],
            Self::ServiceDefault(json) => vec![("default", literal(json))],
            Self::ClientDefault(_)
            | Self::Required
            | Self::RequiredIfTrue(_)
            | Self::RequiredUnless(_)
            | Self::RequiredIfEquals(..)
            | Self::OnlyIf(..)
            | Self::Own(_)
            | Self::NotCarriedIf(_)
            | Self::CarriedOnlyWith(_)
            | Self::OnlyIfGiven
            | Self::NeverReturned => vec![],
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
            self.rows.iter().filter(|row| row.is_required()).partition(|row| row.second_wire_name.is_none());
        let wires: Vec<_> = one.iter().map(|row| row.wire).collect();
        members.insert("required".to_owned(), texts(&wires));
        let either = either.iter().map(|row| {
            json_schema! { "anyOf": row.wires().map(|wire| json_schema! { "required": texts(&[wire]) }).collect::<Vec<_>>() }
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
            let other = self.get(other)?.wire;
            let is = Map::from_iter([(other.to_owned(), json_schema! { "const": value })]);
            Some(json_schema! {
                "if": json_schema! { "properties": is, "required": texts(&[other]) },
                "then": json_schema! { "required": texts(&[row.wire]) },
            })
        })
    }

    /// Returns the inputs as parameters of a query string, as OpenAPI describes them.
    pub fn parameters(&self) -> impl Iterator<Item = Value> {
        self.rows.iter().map(|row| {
            let about = in_json_terms(row.about);
            // An input with a default is optional.
            let required = row.is_required() && row.default().is_none();
            json_schema! { "name": row.wire, "in": "query", "required": required, "description": about, "schema": row.to_json() }
        })
    }
}
