//! The JSON Schema of inputs.

use serde_json::{Map, Value};

use super::{Input, InputType, Inputs, Objects, Rule};
use crate::pair;
use crate::row::Schema;
use crate::schema;
use crate::schema::{described, in_json_terms, or_null, texts};

/// The pattern of decimals that every reader accepts. Other accepted decimals, such as those with an exponent, do not match it.
const AMOUNT: &str = "^-?(0|[1-9][0-9]{0,29})([.][0-9]{1,30})?$";

impl InputType {
    fn to_json(self) -> Value {
        let text = || schema! { "type": "string" };
        match self {
            Self::Decimal => schema! { "type": texts(&["number", "string"]), "pattern": AMOUNT },
            Self::Fraction => schema! { "type": texts(&["number", "string"]) },
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
            Self::Objects(objects) => schema! { "type": "array", "items": objects.schema() },
            Self::Object => schema! { "type": "object" },
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
        schema! { "type": "object", "properties": properties, "required": texts(&names) }
    }
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
            let other = self.get(other)?.wire;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::accounts::AccountAdd;
    use crate::dca_bots::{DcaBotEdit, DcaBotList};
    use crate::grid_bots::{GridBotEdit, GridBotNote};
    use crate::input::{DecimalType, InputName};
    use crate::values::{Decimal, Integer, Text};

    /// Inputs with the rules and combinations that no operation has.
    static PAGE: Inputs = Inputs {
        path: "",
        decimals: DecimalType::Number,
        of: "a page",
        rows: &[
            Input::new::<Integer>("limit", &[Rule::Required, Rule::Default(100), Rule::Between("1", "1000")]),
            Input::new::<Integer>("offset", &[Rule::Required, Rule::AtLeast("0")]).about("Records to skip."),
            Input::new::<Decimal>("price", &[Rule::Above("0.5"), Rule::Own(&Rule::Below("9"))]).about("Lowest price."),
            Input::new::<Decimal>("share", &[Rule::Below("100")]),
            Input::new::<Text>("order", &[]),
            Input::new::<Text>("sort_by", &[Rule::RequiredIfEquals(InputName::new("order"), "ASC")]),
        ],
        create_only: &[],
        groups: &[],
        together: &[],
        set_derived: |_| (),
    };

    fn property(inputs: &Inputs, wire: &str) -> Value {
        inputs.schema().pointer(&format!("/properties/{wire}")).unwrap().clone()
    }

    #[test]
    fn limits_of_numbers_become_keywords() {
        for (inputs, wire, keywords) in [
            (DcaBotEdit::INPUTS, "max_active_deals", json!({"minimum": 1, "maximum": 199, "default": 1})),
            (DcaBotEdit::INPUTS, "close_deals_timeout", json!({"minimum": 60})),
            (DcaBotEdit::INPUTS, "min_price_percentage", json!({"exclusiveMinimum": -95, "exclusiveMaximum": 1000})),
            (DcaBotEdit::INPUTS, "martingale_step_coefficient", json!({"minimum": 0.1, "maximum": 10})),
            (&PAGE, "limit", json!({"default": 100, "minimum": 1, "maximum": 1000})),
            (&PAGE, "price", json!({"exclusiveMinimum": 0.5})),
            (&PAGE, "share", json!({"exclusiveMaximum": 100})),
        ] {
            let property = property(inputs, wire);
            let limits = property
                .as_object()
                .unwrap()
                .iter()
                .filter(|(keyword, _)| keyword.to_lowercase().ends_with("imum") || *keyword == "default");
            let limits: Map<_, _> = limits.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
            assert_eq!(Value::Object(limits), keywords, "{wire}");
        }
    }

    #[test]
    fn a_required_text_is_not_empty_and_a_text_has_its_limits() {
        assert_eq!(property(DcaBotEdit::INPUTS, "name")["minLength"], 1);
        assert_eq!(property(DcaBotEdit::INPUTS, "pairs").get("minLength"), None);
        let note = property(GridBotNote::INPUTS, "note");
        assert_eq!((&note["minLength"], &note["maxLength"]), (&json!(1), &json!(300)));
    }

    #[test]
    fn each_type_has_its_schema() {
        let decimal = json!({
            "type": ["number", "string"], "pattern": AMOUNT, "exclusiveMaximum": 100, "description": "",
        });
        assert_eq!(property(&PAGE, "share"), decimal);
        assert_eq!(property(&PAGE, "price")["description"], "Lowest price.");
        assert_eq!(property(&PAGE, "limit")["type"], "integer");
        assert_eq!(property(&PAGE, "order")["type"], "string");
        assert_eq!(property(DcaBotEdit::INPUTS, "trailing_enabled")["type"], "boolean");
        assert_eq!(property(DcaBotEdit::INPUTS, "start_order_type")["enum"], json!(["limit", "market"]));
        assert_eq!(property(DcaBotEdit::INPUTS, "sl_to_breakeven_data")["type"], "object");
        assert_eq!(property(DcaBotEdit::INPUTS, "strategy_list")["type"], "array");
        let pairs = property(DcaBotEdit::INPUTS, "pairs");
        assert_eq!((&pairs["anyOf"][0]["pattern"], &pairs["anyOf"][1]["minItems"]), (&json!(pair::PATTERN), &json!(1)));
        let steps = property(DcaBotEdit::INPUTS, "take_profit_steps");
        assert_eq!(steps["items"]["required"], json!(["amount_percentage", "profit_percentage"]));
        assert_eq!(steps["items"]["properties"]["amount_percentage"]["pattern"], AMOUNT);
        let from = DcaBotList::INPUTS.parameters().find(|parameter| parameter["name"] == "from").unwrap();
        assert_eq!(from["schema"]["anyOf"][0]["type"], "integer");
    }

    #[test]
    fn a_secret_is_a_password() {
        assert_eq!(property(AccountAdd::INPUTS, "secret")["format"], "password");
        assert_eq!(property(AccountAdd::INPUTS, "name").get("format"), None);
    }

    #[test]
    fn an_input_that_a_list_may_replace_may_be_null() {
        let types = |wire: &str| property(DcaBotEdit::INPUTS, wire)["type"].clone();
        assert_eq!(types("take_profit"), json!(["number", "string", "null"]));
        assert_eq!(types("base_order_volume"), json!(["number", "string"]));
    }

    #[test]
    fn a_body_names_its_required_inputs() {
        let schema = GridBotEdit::INPUTS.schema();
        assert_eq!(schema["type"], "object");
        let required = ["upper_price", "lower_price", "quantity_per_grid", "upper_stop_loss_enabled"];
        assert_eq!(schema["required"], json!(required));
        // Either name of the input is enough.
        let either = json!({"anyOf": [{"required": ["grids_quantity"]}, {"required": ["grid_quantity"]}]});
        assert_eq!(schema["allOf"][0], either);
        for wire in ["grids_quantity", "grid_quantity"] {
            assert_eq!(schema["properties"][wire]["type"], "integer");
        }
    }

    #[test]
    fn an_input_that_is_required_under_a_condition_has_it_in_the_body() {
        let schema = GridBotEdit::INPUTS.schema();
        let condition = json!({
            "if": {"properties": {"expansion_up_enabled": {"const": true}}, "required": ["expansion_up_enabled"]},
            "then": {"required": ["expansion_up_stop_price"]},
        });
        assert_eq!(schema["allOf"].as_array().unwrap().last(), Some(&condition));
        let equal = json!({
            "if": {"properties": {"order": {"const": "ASC"}}, "required": ["order"]},
            "then": {"required": ["sort_by"]},
        });
        assert_eq!(PAGE.schema()["allOf"], json!([equal]));
        assert_eq!(GridBotNote::INPUTS.schema().get("allOf"), None);
    }

    #[test]
    fn a_parameter_with_a_default_is_optional() {
        let parameters: Vec<_> = PAGE.parameters().collect();
        let required = parameters.iter().map(|parameter| (&parameter["name"], &parameter["required"]));
        let required: Vec<_> = required.filter(|(_, required)| **required == json!(true)).collect();
        assert_eq!(required, [(&json!("offset"), &json!(true))]);
        assert_eq!(parameters[1]["in"], "query");
        assert_eq!(parameters[1]["description"], "Records to skip.");
    }
}
