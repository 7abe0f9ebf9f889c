//! Parses the fields of a new record by its rows.

use serde_json::{Number, Value};

use crate::market;
use crate::record::JsonRecord;
use crate::record_type::RecordType;
use botdesk_schema::field::FieldSpec;
use botdesk_schema::input::{Violation, nearest, unknown};

/// The name of a field, and its value or the error that its conversion caused.
pub type NamedValue = (String, Result<Value, String>);

/// Returns the fields by their API names, with the types that the service uses, or all violations.
pub(crate) fn parse_fields(record: RecordType, given: Vec<NamedValue>) -> Result<JsonRecord, Vec<Violation>> {
    let (mut fields, mut violations) = (JsonRecord::new(), Vec::new());
    for (name, value) in given {
        let row = record.rows().find(|row| row.name == name || row.wire == name);
        let row = row.ok_or_else(|| unknown(&name, nearest(record.rows().map(|row| row.name), &name), record.noun));
        match row.and_then(|row| parse_value(row, value).map(|value| (row.wire.to_owned(), value))) {
            Ok((wire, value)) => {
                fields.insert(wire, value);
            }
            Err(violation) => violations.push(violation),
        }
    }
    if violations.is_empty() { Ok(fields) } else { Err(violations) }
}

fn parse_value(row: &FieldSpec, value: Result<Value, String>) -> Result<Value, Violation> {
    let value = value.map_err(|message| Violation::new(row.name, message))?;
    if row.takes(&value) {
        return match market::problem(row, &value) {
            None => Ok(convert(row, value)),
            Some(problem) => Err(Violation::new(row.name, problem)),
        };
    }
    let excerpt = if row.secret { String::new() } else { format!(", not {}", excerpt(&value)) };
    Err(Violation::new(row.name, format!("must be {}{excerpt}", row.type_name)))
}

fn excerpt(value: &Value) -> String {
    const MAX_CHARS: usize = 80;
    value.to_string().chars().take(MAX_CHARS).collect()
}

/// Converts a value to the type in which the service returns it: a string, a number or a boolean.
fn convert(row: &FieldSpec, value: Value) -> Value {
    let json = if row.sample == "null" { row.example } else { row.sample };
    match (json.as_bytes().first(), value) {
        (Some(b'"'), value @ (Value::Number(_) | Value::Bool(_))) => Value::from(value.to_string()),
        (Some(b'0'..=b'9'), Value::String(string)) => {
            string.parse::<Number>().map_or_else(|_| Value::from(string.as_str()), Value::Number)
        }
        (Some(b't' | b'f'), Value::String(string)) => Value::Bool(string == "true"),
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use botdesk_api::dca_bots::DcaBot;
    use botdesk_api::grid_bots::GridBot;

    fn dca(name: &str, value: Value) -> Result<Value, Violation> {
        let fields = parse_fields(RecordType::of::<DcaBot>("a DCA bot"), vec![(name.to_owned(), Ok(value))]);
        fields.map(|fields| fields.into_iter().next().unwrap().1).map_err(|mut violations| violations.remove(0))
    }

    #[test]
    fn a_value_gets_the_type_that_the_service_uses() {
        assert_eq!(dca("take_profit", json!(1.5)), Ok(json!("1.5")));
        assert_eq!(dca("leverage_custom_value", json!(5)), Ok(json!("5")));
        assert_eq!(dca("max_active_deals", json!("3")), Ok(json!(3)));
        assert_eq!(dca("finished_deals_count", json!(3)), Ok(json!("3")));
        assert_eq!(dca("disable_after_deals_count", json!(5)), Ok(json!(5)));
        assert_eq!(dca("is_enabled", json!("true")), Ok(json!(true)));
        assert_eq!(dca("take_profit", json!(null)), Ok(json!(null)));
        let grid = parse_fields(
            RecordType::of::<GridBot>("a grid bot"),
            vec![("trailing_up_enabled".to_owned(), Ok(json!(true)))],
        );
        assert_eq!(grid.unwrap()["trailing_up_enabled"], "true");
    }

    #[test]
    fn a_field_has_its_attribute_name_or_its_api_name() {
        assert_eq!(dca("deletable", json!(true)), Ok(json!(true)));
        assert_eq!(dca("deletable?", json!(true)), Ok(json!(true)));
    }

    #[test]
    fn all_violations_are_reported_together() {
        let given = [("take_proft", json!("1")), ("name", json!(5)), ("strategy_list", json!(["manual"]))];
        let given = given.map(|(name, value)| (name.to_owned(), Ok(value)));
        let violations = parse_fields(RecordType::of::<DcaBot>("a DCA bot"), given.into()).unwrap_err();
        assert_eq!(
            violations.iter().map(|found| found.field.as_str()).collect::<Vec<_>>(),
            ["take_proft", "name", "strategy_list"]
        );
        assert_eq!(violations[0].message, "is not a field of a DCA bot; did you mean take_profit?");
        assert_eq!(violations[1].message, "must be a text, not 5");
    }

    #[test]
    fn a_secret_of_the_wrong_type_is_not_shown() {
        assert_eq!(dca("url_secret", json!(12345)).unwrap_err().message, "must be a text");
    }
}
