//! The JSON Schema of inputs.

use serde_json::json;

use crate::accounts::AccountAdd;
use crate::dca_bots::{DcaBotEdit, DcaBotList};
use crate::grid_bots::{GridBotEdit, GridBotNote};
use botdesk_schema::input::{DecimalType, Input, InputName, Inputs, Rule};
use botdesk_schema::pair;
use botdesk_schema::values::{Decimal, Integer, Text};
use serde_json::{Map, Value};

/// The pattern of decimals.
const AMOUNT: &str = "^-?(0|[1-9][0-9]{0,29})([.][0-9]{1,30})?$";

/// Inputs with the rules and combinations that no operation has.
static PAGE: Inputs = Inputs {
    path: "",
    decimals: DecimalType::Number,
    subject: "a page",
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
