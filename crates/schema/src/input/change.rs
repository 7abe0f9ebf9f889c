//! The changes of an edit, and concurrent changes by others.

use bigdecimal::{BigDecimal, Signed};
use serde_json::Value;

use super::builder::elements;
use super::same::is_same_number_or_value;
use super::table::{Audience, Input, InputKey, InputType, RequestBuilder, Rule};
use crate::decimal;
use crate::field::FieldSpec;
use crate::json::Json;
use crate::record::Fields;
use crate::secrets::shown_line;
use crate::values::Field;

/// A field with its old and its new value, each None if there is none.
#[derive(Clone, Debug)]
pub struct Change {
    /// The name of the field.
    pub name: &'static str,
    /// The type of its values.
    pub input_type: InputType,
    /// The old value.
    pub old: Option<Value>,
    /// The new value.
    pub new: Option<Value>,
}

impl Change {
    /// Returns the name of the field and its two values as strings.
    pub fn cells(&self) -> (&'static str, String, String) {
        (self.name, shown(self.old.as_ref()), shown(self.new.as_ref()))
    }

    /// Returns a warning if a volume or a price changes by more than a factor of ten, because a digit or a point may be wrong.
    pub fn warning(&self) -> Option<String> {
        if self.input_type == InputType::Pairs {
            return self.quote_warning();
        }
        let [old, new] = [&self.old, &self.new].map(|value| decimal::of(value.as_ref()?));
        let (old, new) = (old?, new?);
        let is_far = |low: &BigDecimal, high: &BigDecimal| low.is_positive() && *high > low * LARGEST_FACTOR;
        let warns = self.is_amount() && (is_far(&old, &new) || is_far(&new, &old));
        warns.then(|| format!("{self} is a change by more than a factor of ten; check every digit"))
    }

    /// Returns a warning if the quote currency changes: the parts of a pair may be swapped, and volumes count in another currency.
    fn quote_warning(&self) -> Option<String> {
        let [old, new] = [&self.old, &self.new].map(|value| quotes(value.as_ref()));
        let (old, new) = (old.first()?, new.iter().find(|quote| !old.contains(quote))?);
        Some(format!(
            "pairs: the quote currency changes from {old} to {new}; a pair is written QUOTE_BASE, such as USDT_BTC"
        ))
    }

    /// Returns true for a volume or a price; a percentage is neither.
    fn is_amount(&self) -> bool {
        let has = |part: &&str| self.name.contains(*part);
        self.input_type == InputType::Decimal && AMOUNTS.iter().any(has) && !self.name.contains("percentage")
    }
}

/// Returns the quote currencies of one or several pairs.
fn quotes(pairs: Option<&Value>) -> Vec<&str> {
    pairs.map_or(&[] as &[Value], elements).iter().filter_map(|pair| Some(pair.as_str()?.split_once('_')?.0)).collect()
}

/// The parts of the names of volumes and prices.
const AMOUNTS: [&str; 3] = ["volume", "price", "quantity"];

/// The largest factor by which a volume or a price changes without a warning.
const LARGEST_FACTOR: u32 = 10;

impl RequestBuilder {
    /// Returns the changes that the caller makes. An input equal to the value in the record is not a change.
    pub fn changes(&self) -> Vec<Change> {
        self.sent_changes(true)
    }

    /// Returns the values that are sent unchanged.
    pub fn carried_over(&self) -> Vec<Change> {
        if self.sends_only_given { Vec::new() } else { self.sent_changes(false) }
    }

    /// Returns the settings that are not sent although their value matters, each with the reason: null fields of the record,
    /// fields that an edit ignores or does not take, and inputs that the record lacks although the service has a default for
    /// them or never returns them.
    pub fn left_out(&self) -> Vec<(&'static str, String)> {
        // An edit that sends only what is given keeps everything else.
        if self.sends_only_given {
            return Vec::new();
        }
        let absent = self.settings().filter(|(_, value, _)| **value == Field::Absent);
        let inputs = absent.filter_map(|(input, ..)| Some((input.name, self.reason_left_out(input)?)));
        let create_only = self.inputs.create_only.iter().filter(|wire| self.record_value(wire).is_some());
        inputs.chain(create_only.map(|wire| (*wire, CREATE_ONLY.to_owned()))).collect()
    }

    fn reason_left_out(&self, input: &Input) -> Option<String> {
        let current = self.record_value(input.wire);
        let of_rule = |json| input.rules.iter().find_map(|rule| rule.reason_left_out(self, json));
        let default = || input.service_default().map(|value| format!("default: {}", shown(Some(&value))));
        let is_never_returned = || input.rules.iter().any(|rule| matches!(rule, Rule::NeverReturned));
        match current {
            Some(json) if json.is_null() => Some(default().unwrap_or_else(|| NULL.to_owned())),
            Some(json) => Some(of_rule(json).unwrap_or_else(|| UNREADABLE.to_owned())),
            None => default()
                .or_else(|| (self.record().is_some() && is_never_returned()).then(|| NEVER_RETURNED.to_owned())),
        }
    }

    fn sent_changes(&self, differing: bool) -> Vec<Change> {
        let sent = self.settings().filter_map(|(input, value, changed)| {
            let new = match value {
                Field::Absent => return None,
                Field::Null => None,
                Field::Value(value) => Some(value.clone()),
            };
            let old = self.record().and_then(|record| record_value(input, record));
            let differs = changed && !is_same(input.input_type, old.as_ref(), new.as_ref());
            (differs == differing).then_some(Change { name: input.name, input_type: input.input_type, old, new })
        });
        sent.collect()
    }
}

/// Returns the inputs whose fields differ between two states of a record.
///
/// A field that only one of the states has is not compared, because a list may have fewer fields of a record than the record
/// itself. The exception is an input with a documented default: the service may set it if an edit omits the field.
pub fn input_differences<'a>(
    inputs: impl IntoIterator<Item = &'a Input>,
    before: &Fields,
    now: &Fields,
) -> Vec<Change> {
    let changes = inputs.into_iter().filter_map(|input| match (before.value(input.wire), now.value(input.wire)) {
        (Some(before), Some(now)) => differing(input.name, input.input_type, before, now),
        (None, None) => None,
        (before, now) => {
            let default = input.service_default()?;
            let [old, new] = [before, now].map(|json| json.and_then(|json| value(input.input_type, json)));
            let is_same_edit = before.is_none() && new.as_ref().is_none_or(|new| *new == default);
            (!is_same_edit).then_some(Change { name: input.name, input_type: input.input_type, old, new })
        }
    });
    changes.collect()
}

/// Returns the fields that differ between two states of one record, among these, each with its index. A field that only one of
/// the states has is not compared.
pub fn differences<'a>(
    rows: impl IntoIterator<Item = (usize, &'a FieldSpec)>,
    before: &Fields,
    now: &Fields,
) -> Vec<Change> {
    let changes = rows.into_iter().filter_map(|(index, row)| {
        let (before, now) = (before.get(index)?, now.get(index)?);
        differing(row.name, row.schema.into(), before, now)
    });
    changes.collect()
}

/// Compares a field in two states of a record; returns None if it is the same.
fn differing(name: &'static str, input_type: InputType, before: Json<'_>, now: Json<'_>) -> Option<Change> {
    if before.text() == now.text() {
        return None;
    }
    let (old, new) = (value(input_type, before), value(input_type, now));
    (!is_same(input_type, old.as_ref(), new.as_ref())).then_some(Change { name, input_type, old, new })
}

/// Returns the record's value of an input, converted to the form in which it is sent if possible.
fn record_value(input: &Input, record: &Fields) -> Option<Value> {
    value(input.input_type, record.value(input.wire)?)
}

fn value(input_type: InputType, json: Json<'_>) -> Option<Value> {
    (!json.is_null()).then(|| input_type.carry(json).or_else(|| json.to_value()).unwrap_or_else(|| json.text().into()))
}

impl RequestBuilder {
    /// Returns true if the caller sets an input to the value that the record already has.
    pub fn is_unchanged(&self, key: impl InputKey) -> bool {
        let Some((input, record)) = self.inputs.get(key).zip(self.record()) else {
            return false;
        };
        self.is_given(key) && is_same(input.input_type, record_value(input, record).as_ref(), self.value(key))
    }

    /// Accepts values of a wrong type if the record already has them, as the service does. A client does not send them, because
    /// they change nothing.
    #[must_use]
    pub fn accept_echoes(mut self, record: &Fields) -> Self {
        for (index, input) in self.inputs.rows.iter().enumerate() {
            let has_type_error = self.type_errors.iter().any(|violation| violation.field == input.name);
            if !has_type_error || !is_same(input.input_type, record_value(input, record).as_ref(), self.value(index)) {
                continue;
            }
            self.type_errors.retain(|violation| violation.field != input.name);
            if self.audience == Audience::Python {
                self.remove(index);
            }
        }
        self
    }
}

fn is_same(input_type: InputType, left: Option<&Value>, right: Option<&Value>) -> bool {
    match (input_type, left, right) {
        (InputType::Decimal | InputType::Objects(_) | InputType::Object, Some(left), Some(right)) => {
            is_same_number_or_value(left, right)
        }
        _ => left == right,
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (field, old, new) = self.cells();
        write!(formatter, "{field}: {old} → {new}")
    }
}

/// The reason for a field that only creating a record takes.
const CREATE_ONLY: &str = "only creating a bot takes it";

/// The reason for a field of the record that is null.
const NULL: &str = "null";

/// The reason for a field of the record that has another type, in an edit without checks.
const UNREADABLE: &str = "its value in the record can't be sent back";

/// The reason for an input that the service never returns.
const NEVER_RETURNED: &str = "the service does not return it; pass it to keep it";

/// The maximum number of characters of a value in a change.
const MAX_SHOWN_LENGTH: usize = 200;

/// Formats a value for the user.
fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => "None".to_owned(),
        Some(Value::Bool(flag)) => if *flag { "True" } else { "False" }.to_owned(),
        // An empty string would be invisible.
        Some(Value::String(text)) if text.is_empty() => "\"\"".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    shown_line(&text, MAX_SHOWN_LENGTH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn number(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn decimals_are_compared_as_numbers_and_strings_as_strings() {
        let (short, long) = (json!("1.5"), json!("1.50"));
        assert!(is_same(InputType::Decimal, Some(&short), Some(&long)));
        assert!(!is_same(InputType::Text, Some(&short), Some(&long)));
        assert!(is_same(InputType::Decimal, Some(&json!("-0.0")), Some(&json!("0"))));
        assert!(!is_same(InputType::Decimal, Some(&json!("0")), None));
        assert!(is_same(InputType::Decimal, None, None));
    }

    #[test]
    fn lists_are_compared_by_their_numbers_order_and_length() {
        let steps = json!([{"amount_percentage": 50, "profit_percentage": "1.50"}, {"amount_percentage": 50}]);
        let same = json!([{"profit_percentage": 1.5, "amount_percentage": "50.0"}, {"amount_percentage": 50}]);
        assert!(is_same(InputType::Object, Some(&steps), Some(&same)));
        for other in [
            json!([]),
            json!([{"amount_percentage": 50}, {"amount_percentage": 50, "profit_percentage": "1.50"}]),
            json!([{"amount_percentage": 50, "profit_percentage": "1.50"}]),
            json!([{"amount_percentage": 50, "profit_percent": "1.50"}, {"amount_percentage": 50}]),
        ] {
            assert!(!is_same(InputType::Object, Some(&steps), Some(&other)), "{other}");
        }
    }

    #[test]
    fn a_value_is_shown_in_readable_form() {
        for (value, text) in [
            (None, "None"),
            (Some(json!(true)), "True"),
            (Some(json!(false)), "False"),
            (Some(json!("")), "\"\""),
            (Some(json!("a\nb\u{2028}c\u{202e}d")), "a b c d"),
            (Some(number("1.10")), "1.10"),
            (Some(json!([{"strategy": "manual"}])), r#"[{"strategy":"manual"}]"#),
            (Some(json!({"secret": "canary"})), r#"{"secret":"<hidden>"}"#),
        ] {
            assert_eq!(shown(value.as_ref()), text);
        }
    }

    proptest! {
        #[test]
        fn trailing_zeros_do_not_change_a_number(digits in r"-?(0|[1-9][0-9]{0,30})\.[0-9]{1,50}", zeros in 0_usize..9) {
            let (short, long) = (json!(digits), json!(format!("{digits}{}", "0".repeat(zeros))));
            prop_assert!(is_same(InputType::Decimal, Some(&short), Some(&long)));
            prop_assert!(is_same(InputType::Decimal, Some(&number(&digits)), Some(&long)));
        }

        #[test]
        fn an_additional_digit_changes_a_number(digits in r"-?(0|[1-9][0-9]{0,30})\.[0-9]{1,50}", digit in 1_u8..10) {
            let (short, long) = (json!(digits), json!(format!("{digits}{digit}")));
            prop_assert!(!is_same(InputType::Decimal, Some(&short), Some(&long)));
        }

        #[test]
        fn a_shown_value_is_one_short_line(text in any::<String>()) {
            let shown = shown(Some(&json!(text)));
            prop_assert!(shown.lines().count() <= 1);
            prop_assert!(shown.chars().count() <= MAX_SHOWN_LENGTH + 1);
        }
    }
}
