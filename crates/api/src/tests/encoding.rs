//! The bytes that carry inputs.

use proptest::collection::btree_map;
use proptest::prelude::*;

use crate::dca_bots::{DcaBotEdit, DcaBotInputs, DcaBotList};
use crate::grid_bots::GridBotEdit;
use botdesk_schema::input::{InputName, RequestBuilder};
use botdesk_schema::values::Field;
use serde_json::Value;

fn list(input: InputName, value: impl Into<Value>) -> RequestBuilder {
    RequestBuilder::new(DcaBotList::INPUTS, [(input, Field::Value(value.into()))])
}

fn edit(input: InputName, value: impl Into<Value>) -> RequestBuilder {
    RequestBuilder::new(DcaBotEdit::INPUTS, [(input, Field::Value(value.into()))])
}

/// A text that is a decimal without an exponent.
const DECIMAL: &str = r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,60})?";

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        DECIMAL.prop_map(|number| serde_json::from_str(&number).unwrap()),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

#[test]
fn a_query_uses_the_names_of_the_api() {
    let request = RequestBuilder::new(
        DcaBotList::INPUTS,
        [
            (DcaBotList::from_, Field::Value("2024-03-01T08:00:00+01:00".into())),
            (DcaBotList::limit, Field::Value(50.into())),
            (DcaBotList::quote, Field::Value("-._~ +&=/é".into())),
        ],
    );
    let expected = "limit=50&from=2024-03-01T08%3A00%3A00%2B01%3A00&quote=-._~%20%2B%26%3D%2F%C3%A9";
    assert_eq!(request.query().as_deref(), Some(expected));
}

#[test]
fn none_is_null_in_a_body_and_omitted_in_a_query() {
    let none = [(DcaBotList::quote, Field::Null)];
    assert_eq!(RequestBuilder::new(DcaBotList::INPUTS, none.clone()).query(), None);
    assert_eq!(RequestBuilder::new(DcaBotList::INPUTS, none).body(), r#"{"quote":null}"#);
}

proptest! {
    #[test]
    fn a_string_survives_the_encoding_of_a_query(text in any::<String>()) {
        let query = list(DcaBotList::quote, text.as_str()).query().unwrap();
        let url = reqwest::Url::parse(&format!("http://localhost/?{query}")).unwrap();
        prop_assert_eq!(url.query(), Some(query.as_str()));
        let pairs: Vec<_> = url.query_pairs().into_owned().collect();
        prop_assert_eq!(pairs, [("quote".to_owned(), text)]);
    }

    #[test]
    fn a_body_is_ascii_and_has_the_same_values(name in any::<String>(), settings in btree_map(any::<String>(), json(), 0..4)) {
        let settings = Value::Object(settings.into_iter().collect());
        let request = RequestBuilder::new(DcaBotEdit::INPUTS, [
            (DcaBotEdit::name, Field::Value(name.as_str().into())),
            (DcaBotInputs::sl_to_breakeven_data, Field::Value(settings.clone())),
        ]);
        let body = request.body();
        prop_assert!(body.is_ascii());
        let expected = serde_json::json!({"name": name, "sl_to_breakeven_data": settings});
        prop_assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), expected);
    }

    #[test]
    fn a_decimal_of_a_grid_bot_is_a_number_with_all_its_digits(digits in DECIMAL) {
        let given = [Value::from(digits.as_str()), serde_json::from_str(&digits).unwrap()];
        for value in given {
            let request = RequestBuilder::new(GridBotEdit::INPUTS, [(GridBotEdit::upper_price, Field::Value(value))]);
            prop_assert_eq!(request.body(), format!(r#"{{"upper_price":{digits}}}"#));
        }
    }

    #[test]
    fn a_decimal_of_a_dca_bot_is_a_string_with_all_its_digits(digits in DECIMAL) {
        let number: Value = serde_json::from_str(&digits).unwrap();
        let expected = format!(r#"{{"base_order_volume":"{digits}"}}"#);
        prop_assert_eq!(edit(DcaBotInputs::base_order_volume, number).body(), expected.as_str());
        prop_assert_eq!(edit(DcaBotInputs::base_order_volume, digits).body(), expected);
    }
}
