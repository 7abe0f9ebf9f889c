//! Reads the values of a plan, from arguments or from a record, and collects their violations.

use bigdecimal::{BigDecimal, Zero};
use serde_json::Value;

use super::error::PlanError;
use super::fraction;
use botdesk_schema::decimal;
use botdesk_schema::input::{Input, InputName, InputType, Inputs, RequestBuilder, Violation};
use botdesk_schema::record::{FieldError, Fields, Record};
use botdesk_schema::secrets::shown_value;

/// Reads the values of a request, each by its index among the inputs.
pub(super) struct Reader<'a> {
    inputs: &'static Inputs,
    pub(super) request: &'a RequestBuilder,
    record: Option<PlannedRecord<'a>>,
    unreadable: Option<PlanError>,
    violations: Vec<Violation>,
    /// The assumptions of the plan about missing fields.
    pub(super) warnings: Vec<String>,
}

/// The record that is planned.
struct PlannedRecord<'a> {
    fields: &'a Fields,
    /// The function that plans from arguments.
    planner: &'static str,
}

impl<'a> Reader<'a> {
    /// Returns a reader of arguments.
    pub(super) fn new(inputs: &'static Inputs, request: &'a RequestBuilder) -> Self {
        let violations = request.type_violations();
        Self { inputs, request, record: None, unreadable: None, violations, warnings: Vec::new() }
    }

    /// Returns a reader of a record. A field that can't be read is an error if the plan needs it. `planner` is the function
    /// that takes the fields as arguments.
    pub(super) fn of_record<R: Record>(
        inputs: &'static Inputs,
        request: &'a RequestBuilder,
        record: &'a R,
        planner: &'static str,
    ) -> Self {
        let record = PlannedRecord { fields: record.fields(), planner };
        Self { inputs, request, record: Some(record), unreadable: None, violations: Vec::new(), warnings: Vec::new() }
    }

    /// Returns true if a record is read.
    pub(super) fn reads_record(&self) -> bool {
        self.record.is_some()
    }

    /// Returns the values that were read, or all violations.
    pub(super) fn done<T>(self, read: T) -> Result<T, PlanError> {
        match self.unreadable {
            Some(error) => Err(error),
            None if self.violations.is_empty() => Ok(read),
            None => Err(PlanError::Values(self.violations)),
        }
    }

    /// Reports a violation by an input, unless it has one already.
    pub(super) fn report(&mut self, name: InputName, message: impl Into<String>) {
        self.report_other(name.as_str(), message);
    }

    /// Reports a violation by a field that is not an input.
    pub(super) fn report_other(&mut self, field: &str, message: impl Into<String>) {
        if self.violations.iter().all(|violation| violation.field != field) {
            self.violations.push(Violation::new(field, message));
        }
    }

    /// Reports a required input that is missing.
    pub(super) fn report_missing(&mut self, name: InputName) {
        let message = match &self.record {
            None => "is required".to_owned(),
            Some(record) => not_in_record(record.planner, name.as_str()),
        };
        self.report(name, message);
    }

    /// Reports a missing required field that is not an input; it is an argument of the planner.
    pub(super) fn report_missing_other(&mut self, field: &str) {
        let planner = self.record.as_ref().map_or("", |record| record.planner);
        self.report_other(field, not_in_record(planner, field));
    }

    /// Returns true if an edit sets the input, so that the value in the record does not matter.
    pub(super) fn is_edited(&self, name: InputName) -> bool {
        self.record.is_some() && self.request.is_given(name)
    }

    /// Returns the record that an input is read from; None if it is read from arguments.
    fn record_of(&self, name: InputName) -> Option<(&PlannedRecord<'a>, &'static Input)> {
        let record = self.record.as_ref().filter(|_| !self.request.is_given(name))?;
        Some((record, self.input(name)?))
    }

    /// Returns true if the record has no value for an input: it is absent, or null although the API reference forbids it.
    pub(super) fn lacks(&self, name: InputName) -> bool {
        let record = self.record_of(name);
        record.is_some_and(|(record, input)| record.fields.lacks(input.wire))
    }

    /// Returns the value read from the record, and reports a field that can't be read; `argument` passes it to the planner.
    pub(super) fn readable<T>(&mut self, read: Result<T, FieldError>, argument: &str) -> Option<T> {
        let planner = self.record.as_ref().map_or("", |record| record.planner);
        self.readable_or(read, || format!("{planner} takes it as {argument}="))
    }

    /// Returns the value read from the record, and reports a field that can't be read with advice.
    pub(super) fn readable_or<T>(&mut self, read: Result<T, FieldError>, advice: impl FnOnce() -> String) -> Option<T> {
        match read {
            Ok(read) => Some(read),
            Err(field) => {
                self.unreadable.get_or_insert_with(|| PlanError::Field { field, advice: advice() });
                None
            }
        }
    }

    /// Warns about the assumption of the plan if the record has no value for a field.
    pub(super) fn assume(&mut self, name: InputName, assumption: &str) {
        if self.lacks(name) {
            self.assume_other(name.as_str(), assumption);
        }
    }

    /// Warns about the assumption of the plan for a missing field that is not an input.
    pub(super) fn assume_other(&mut self, field: &str, assumption: &str) {
        self.warnings.push(format!("the record has no {field}; {assumption}"));
    }

    /// Reads a number; None if there is none.
    pub(super) fn number(&mut self, name: InputName) -> Option<BigDecimal> {
        let value = self.value(name);
        let Some(held) = self.held_number(name) else { return value.and_then(decimal::of) };
        let number = decimal::parse(&held);
        if number.is_none() {
            self.report(name, not_calculable(&held));
        }
        number
    }

    /// Reads a number above 0; None if there is none.
    pub(super) fn above_zero(&mut self, name: InputName) -> Option<BigDecimal> {
        self.checked(name, "must be more than 0", |number| *number > BigDecimal::zero())
    }

    /// Reads a number that is not below 0; None if there is none.
    pub(super) fn at_least_zero(&mut self, name: InputName) -> Option<BigDecimal> {
        self.checked(name, "must be at least 0", |number| *number >= BigDecimal::zero())
    }

    /// Reads a number above 0 that is required.
    pub(super) fn required(&mut self, name: InputName) -> Option<BigDecimal> {
        let number = self.above_zero(name);
        if number.is_none() {
            self.report_missing(name);
        }
        number
    }

    /// Reads a fraction of one; 0 if there is none. Warns about a number that may be meant as a percentage.
    pub(super) fn fraction(&mut self, name: InputName) -> BigDecimal {
        let Some(text) = self.value(name).and_then(Value::as_str) else { return BigDecimal::zero() };
        match fraction::parse(text) {
            Ok(number) => {
                self.warnings.extend(fraction::warning(name.as_str(), text));
                number
            }
            Err(problem) => {
                self.report(name, problem);
                BigDecimal::zero()
            }
        }
    }

    /// Reads a boolean; false if there is none.
    pub(super) fn flag(&mut self, name: InputName) -> bool {
        self.assume(name, "false is assumed");
        self.value(name) == Some(&Value::Bool(true))
    }

    /// Reads one of the values of an enumeration. If there is none, `default` is assumed, unless the API reference requires
    /// the field.
    pub(super) fn choice(&mut self, name: InputName, default: &'static str) -> &'a str {
        let Some(&Input { input_type: InputType::OneOf(choices), .. }) = self.input(name) else { return default };
        self.choice_of(name, choices, default)
    }

    /// Reads one of the values of an enumeration, as `choice` does, that an edit may set to any text.
    pub(super) fn choice_of(&mut self, name: InputName, choices: &[&str], default: &'static str) -> &'a str {
        if let Some(choice) = self.optional_choice(name, choices) {
            return choice;
        }
        if self.request.value(name).is_none() {
            if self.reads_record() && self.input(name).is_some_and(Input::is_required) {
                self.report_missing(name);
            } else {
                self.assume(name, &format!("{default} is assumed"));
            }
        }
        default
    }

    /// Reads one of the values of an enumeration that need not have one; None if there is none.
    pub(super) fn optional_choice(&mut self, name: InputName, choices: &[&str]) -> Option<&'a str> {
        let value = self.value(name).and_then(Value::as_str)?;
        if !choices.contains(&value) {
            self.report(name, format!("must be one of {}, not {value:?}", choices.join(", ")));
            return None;
        }
        Some(value)
    }

    /// Reports a field of the record that can't be read.
    pub(super) fn check(&mut self, name: InputName) {
        let _ = self.value(name);
    }

    /// Returns the value of an input; reports a field of the record that can't be read.
    fn value(&mut self, name: InputName) -> Option<&'a Value> {
        if let Some((record, input)) = self.record_of(name) {
            let checked = record.fields.check(input.wire);
            self.readable(checked, input.name)?;
        }
        self.request.value(name)
    }

    /// Returns a number of the record as a string; None if it has none that can be read.
    fn held_number(&self, name: InputName) -> Option<String> {
        let (record, input) = self.record_of(name)?;
        record.fields.check(input.wire).ok()?;
        record.fields.value(input.wire)?.number_or_string().map(std::borrow::Cow::into_owned)
    }

    fn checked(&mut self, name: InputName, asked: &str, is_right: impl Fn(&BigDecimal) -> bool) -> Option<BigDecimal> {
        let number = self.number(name)?;
        if !is_right(&number) {
            self.report(name, format!("{asked}, not {}", decimal::shown(&number)));
            return None;
        }
        Some(number)
    }

    fn input(&self, name: InputName) -> Option<&'static Input> {
        self.inputs.get(name)
    }
}

/// Returns the message about a required field that a record does not have.
fn not_in_record(planner: &str, argument: &str) -> String {
    format!("is required, but missing in the record; {planner} takes it as {argument}=")
}

/// Returns the message about a decimal of a record that can be read but not calculated with, such as `Infinity`.
pub(super) fn not_calculable(text: &str) -> String {
    format!("is {} in the record, which can't be calculated with", shown_value(text))
}
