//! The fields of a record as a caller gives them, judged by the record's rows.

use serde_json::{Number, Value};

use crate::market;
use crate::record::Record;
use botdesk_api::input::{Violation, nearest, unknown};
use botdesk_api::row::FieldSpec;

/// What a caller gave: the name of a field, and its value or why it is none.
pub type Given = (String, Result<Value, String>);

/// The fields by their names on the wire, each in the form that the service has it in; or all that is wrong.
pub(super) fn of(
    rows: &(impl Iterator<Item = &'static FieldSpec> + Clone),
    what: &str,
    given: Vec<Given>,
) -> Result<Record, Vec<Violation>> {
    let (mut fields, mut wrong) = (Record::new(), Vec::new());
    for (name, value) in given {
        let row = rows.clone().find(|row| row.name == name || row.wire == name);
        let row = row.ok_or_else(|| unknown(&name, nearest(rows.clone().map(|row| row.name), &name), what));
        match row.and_then(|row| accepted(row, value).map(|value| (row.wire.to_owned(), value))) {
            Ok((wire, value)) => {
                fields.insert(wire, value);
            }
            Err(violation) => wrong.push(violation),
        }
    }
    if wrong.is_empty() { Ok(fields) } else { Err(wrong) }
}

fn accepted(row: &FieldSpec, value: Result<Value, String>) -> Result<Value, Violation> {
    let value = value.map_err(|message| Violation::new(row.name, message))?;
    if row.takes(&value) {
        return match market::problem(row, &value) {
            None => Ok(in_form(row, value)),
            Some(problem) => Err(Violation::new(row.name, problem)),
        };
    }
    let given = if row.secret { String::new() } else { format!(", not {}", excerpt(&value)) };
    Err(Violation::new(row.name, format!("{} is needed{given}", row.holds)))
}

fn excerpt(value: &Value) -> String {
    const LONGEST: usize = 80;
    value.to_string().chars().take(LONGEST).collect()
}

/// A value as text where the service answers a text, and as a number where it answers one.
fn in_form(row: &FieldSpec, value: Value) -> Value {
    let form = if row.sample == "null" { row.form } else { row.sample };
    match (form.as_bytes().first(), value) {
        (Some(b'"'), value @ (Value::Number(_) | Value::Bool(_))) => Value::from(value.to_string()),
        (Some(b'0'..=b'9'), Value::String(text)) => {
            text.parse::<Number>().map_or_else(|_| Value::from(text.as_str()), Value::Number)
        }
        (Some(b't' | b'f'), Value::String(text)) => Value::Bool(text == "true"),
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use botdesk_api::dca_bot::DcaBot;
    use botdesk_api::grid_bot::GridBot;
    use botdesk_api::record::Record as _;

    fn dca(name: &str, value: Value) -> Result<Value, Violation> {
        let fields = of(&DcaBot::ROWS.iter(), "a DCA bot", vec![(name.to_owned(), Ok(value))]);
        fields.map(|fields| fields.into_iter().next().unwrap().1).map_err(|mut wrong| wrong.remove(0))
    }

    #[test]
    fn a_value_takes_the_form_that_the_service_has_it_in() {
        assert_eq!(dca("take_profit", json!(1.5)), Ok(json!("1.5")));
        assert_eq!(dca("leverage_custom_value", json!(5)), Ok(json!("5")));
        assert_eq!(dca("max_active_deals", json!("3")), Ok(json!(3)));
        assert_eq!(dca("finished_deals_count", json!(3)), Ok(json!("3")));
        assert_eq!(dca("disable_after_deals_count", json!(5)), Ok(json!(5)));
        assert_eq!(dca("is_enabled", json!("true")), Ok(json!(true)));
        assert_eq!(dca("take_profit", json!(null)), Ok(json!(null)));
        let grid = of(&GridBot::ROWS.iter(), "a grid bot", vec![("trailing_up_enabled".to_owned(), Ok(json!(true)))]);
        assert_eq!(grid.unwrap()["trailing_up_enabled"], "true");
    }

    #[test]
    fn a_field_is_named_as_its_attribute_or_as_on_the_wire() {
        assert_eq!(dca("deletable", json!(true)), Ok(json!(true)));
        assert_eq!(dca("deletable?", json!(true)), Ok(json!(true)));
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let given = [("take_proft", json!("1")), ("name", json!(5)), ("strategy_list", json!(["manual"]))];
        let given = given.map(|(name, value)| (name.to_owned(), Ok(value)));
        let wrong = of(&DcaBot::ROWS.iter(), "a DCA bot", given.into()).unwrap_err();
        assert_eq!(
            wrong.iter().map(|found| found.field.as_str()).collect::<Vec<_>>(),
            ["take_proft", "name", "strategy_list"]
        );
        assert_eq!(wrong[0].message, "is not a field of a DCA bot; did you mean take_profit?");
        assert_eq!(wrong[1].message, "must be a string, not 5");
    }

    #[test]
    fn a_secret_of_the_wrong_type_is_not_shown() {
        assert_eq!(dca("url_secret", json!(12345)).unwrap_err().message, "a text is needed");
    }
}
