//! The builder of a request, from the caller's inputs and the values carried over from a record.

use std::collections::BTreeSet;
use std::slice;

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde_json::Value;

use super::encoding;
use super::input_type::excerpt_of;
use super::name::InputName;
use super::same::is_same_number_or_value;
use super::table::{Audience, Input, InputKey, InputSetting, InputType, Inputs, RequestBuilder};
use super::violation::Violation;
use crate::decimal;
use crate::json::Json;
use crate::record::Fields;
use crate::values::{Field, utc_of_input};

impl RequestBuilder {
    /// Returns a builder with the caller's inputs.
    pub fn new(inputs: &'static Inputs, given: impl IntoIterator<Item = (InputName, Field<Value>)>) -> Self {
        Self::with_audience(inputs, given, Audience::Python)
    }

    /// Returns a builder with the inputs of an HTTP request; its violations use the terms of JSON.
    pub fn for_http(inputs: &'static Inputs, given: impl IntoIterator<Item = (InputName, Field<Value>)>) -> Self {
        Self::with_audience(inputs, given, Audience::Http)
    }

    fn with_audience(
        inputs: &'static Inputs,
        given: impl IntoIterator<Item = (InputName, Field<Value>)>,
        audience: Audience,
    ) -> Self {
        let settings = vec![InputSetting::default(); inputs.rows.len()];
        let mut request = Self {
            inputs,
            settings,
            record: None,
            unsendable: Vec::new(),
            type_errors: Vec::new(),
            audience,
            sends_only_given: false,
        };
        for (name, value) in given {
            request.give(name, value);
        }
        for (index, input) in inputs.rows.iter().enumerate() {
            if let Some(number) = input.default().filter(|_| request.is_absent(index)) {
                request.set_derived(index, number.into());
            }
            let default = input.client_default().filter(|_| audience == Audience::Python && request.is_absent(index));
            if let Some(value) = default {
                request.set_derived(index, value);
            }
        }
        request
    }

    /// Returns the builder with the inputs that follow from others, for a request that changes no record.
    #[must_use]
    pub fn derived(mut self) -> Self {
        self.inputs.derive(&mut self);
        self
    }

    /// Returns the builder with the caller's inputs that can't be sent at all.
    #[must_use]
    pub fn with_unsendable(mut self, violations: Vec<Violation>) -> Self {
        self.unsendable = violations;
        self
    }

    /// Fills in every input that the caller left out and the record has.
    ///
    /// Null fields are left out, because a service may reject a null that it returned itself.
    #[must_use]
    pub fn carry_over(mut self, record: &Fields) -> Self {
        self.record = Some(record.clone());
        for (index, input) in self.inputs.rows.iter().enumerate() {
            self.carry(index, input, record);
        }
        self.inputs.derive(&mut self);
        self
    }

    /// Returns the builder of a request that sends only the caller's inputs. Those that a record fills in count for rules.
    #[must_use]
    pub fn only_given(mut self) -> Self {
        self.sends_only_given = true;
        self
    }

    /// Returns a field of the record that the request changes.
    pub fn record_value(&self, wire: &str) -> Option<Json<'_>> {
        self.record.as_ref()?.value(wire)
    }

    /// Returns the fields of the record that the request changes.
    pub(super) fn record(&self) -> Option<&Fields> {
        self.record.as_ref()
    }

    /// Returns the inputs of the operation.
    pub fn inputs(&self) -> &'static Inputs {
        self.inputs
    }

    /// Returns each input, its value, and true if the caller sets it.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&'static Input, &Field<Value>, bool)> {
        let settings = self.inputs.rows.iter().zip(&self.settings);
        settings.map(|(input, setting)| (input, &setting.value, setting.changed))
    }

    /// Returns true if the caller sets no input.
    pub fn is_empty(&self) -> bool {
        self.unsendable.is_empty() && self.settings.iter().all(|setting| !setting.changed)
    }

    /// Returns true if the caller sets an input.
    pub fn is_given(&self, key: impl InputKey) -> bool {
        self.setting(key).is_some_and(|setting| setting.changed)
    }

    /// Returns true if the caller changes an input. A value that the record already has is not a change.
    pub(super) fn is_changed(&self, key: impl InputKey) -> bool {
        self.is_given(key) && !self.is_unchanged(key)
    }

    /// Returns the value of an input as it would be sent.
    pub fn value(&self, key: impl InputKey) -> Option<&Value> {
        match &self.setting(key)?.value {
            Field::Value(value) => Some(value),
            Field::Absent | Field::Null => None,
        }
    }

    /// Returns the value of an input as a number.
    pub fn number(&self, key: impl InputKey) -> Option<BigDecimal> {
        decimal::of(self.value(key)?)
    }

    /// Returns an input that is a time, in UTC.
    pub fn time(&self, key: impl InputKey) -> Option<DateTime> {
        match self.value(key)? {
            Value::Number(seconds) => {
                Timestamp::from_second(seconds.as_i64()?).ok().map(|time| Offset::UTC.to_datetime(time))
            }
            Value::String(text) => utc_of_input(text),
            _ => None,
        }
    }

    /// Returns true if an input is the boolean true.
    pub fn is_true(&self, key: impl InputKey) -> bool {
        self.value(key) == Some(&Value::Bool(true))
    }

    /// Returns the elements of an input that is a list.
    pub fn elements(&self, key: impl InputKey) -> &[Value] {
        self.value(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns true if the caller left an input out and no record filled it in.
    pub fn is_absent(&self, key: impl InputKey) -> bool {
        self.setting(key).is_none_or(|setting| setting.value == Field::Absent)
    }

    /// Sets an input that follows from others.
    pub fn set_derived(&mut self, key: impl InputKey, value: Value) {
        if let Some(setting) = self.setting_mut(key) {
            setting.value = Field::Value(value);
        }
    }

    /// Removes an input, as if the caller had not set it.
    pub(super) fn remove(&mut self, key: impl InputKey) {
        if let Some(setting) = self.setting_mut(key) {
            *setting = InputSetting::default();
        }
    }

    /// Returns all violations, in the order of the inputs.
    ///
    /// Required inputs are always checked. The other rules are checked only for inputs that the caller changes: the service has
    /// already accepted the values of the record.
    pub fn violations(&self) -> Vec<Violation> {
        self.with_violations_across_fields(self.violations_of(|_| true), |name| self.is_changed(name))
    }

    /// Returns the violations of an object that is given whole: its rules hold although it lacks all of their inputs.
    pub(super) fn violations_of_object(&self) -> Vec<Violation> {
        self.with_violations_across_fields(self.violations_of(|_| true), |_| true)
    }

    /// Returns the violations by the caller's own inputs and by combinations of them, for a request without a record.
    pub fn violations_without_record(&self) -> Vec<Violation> {
        self.with_violations_across_fields(self.violations_of_changes(), |name| self.is_changed(name))
    }

    /// Adds the violations of rules across fields of which one is asked about, and sorts all by input.
    fn with_violations_across_fields(
        &self,
        mut violations: Vec<Violation>,
        is_asked: impl Fn(InputName) -> bool,
    ) -> Vec<Violation> {
        let fits = |name: &InputName| self.type_errors.iter().all(|violation| violation.field != name.as_str());
        let together = self.inputs.cross_field_rules().into_iter();
        let together =
            together.filter(|rule| rule.inputs.iter().any(|name| is_asked(*name)) && rule.inputs.iter().all(fits));
        violations.extend(together.filter_map(|rule| {
            let violation = (rule.check)(self)?;
            Some(if rule.is_own { violation.own() } else { violation })
        }));
        violations.sort_by_key(|violation| self.inputs.rows.iter().position(|row| row.name == input_of(violation)));
        violations
    }

    /// Returns the violations by the caller's own inputs, which hold for any record.
    pub fn violations_of_changes(&self) -> Vec<Violation> {
        self.violations_of(|index| self.is_given(index))
    }

    /// Returns the inputs that can't be sent, whatever the rules are.
    pub fn unsendable(&self) -> Vec<Violation> {
        self.unsendable.clone()
    }

    /// Returns the inputs that can't be sent or have the wrong type.
    pub fn type_violations(&self) -> Vec<Violation> {
        self.unsendable.iter().chain(&self.type_errors).cloned().collect()
    }

    fn violations_of(&self, is_looked_at: impl Fn(usize) -> bool) -> Vec<Violation> {
        let mut violations = self.type_violations();
        // What is wrong inside of an object refuses the whole object.
        let refused: BTreeSet<String> = violations.iter().map(|violation| input_of(violation).to_owned()).collect();
        let rows = self.inputs.rows.iter().enumerate();
        for (index, input) in rows.filter(|(index, input)| is_looked_at(*index) && !refused.contains(input.name)) {
            // A missing input is reported only once.
            let found = input.rules.iter().find_map(|rule| rule.violation(self, index));
            violations.extend(found.or_else(|| self.malformed(input, index)));
            violations.extend(self.violations_inside(input, index));
        }
        violations
    }

    /// Returns the violations of the rules inside of an input that is an object or a list of objects.
    fn violations_inside(&self, input: &Input, index: usize) -> Vec<Violation> {
        let (InputType::Group(inputs) | InputType::Groups(inputs)) = input.input_type else { return Vec::new() };
        let value = self.value(index).filter(|_| self.is_changed(index));
        value.map(|value| inputs.violations_inside(value, input.name, self.audience)).unwrap_or_default()
    }

    /// Returns the violation by malformed elements of a list. Elements that the record already has are accepted.
    fn malformed(&self, input: &Input, index: usize) -> Option<Violation> {
        const MAX_SHOWN: usize = 5;
        let list = elements(self.value(index).filter(|_| self.is_changed(index))?);
        let current = self.record_value(input.wire).and_then(Json::to_value);
        let current = current.as_ref().map_or(&[] as &[Value], elements);
        let is_new = |element: &&Value| !current.iter().any(|other| is_same_number_or_value(other, element));
        let problems = list.iter().filter(is_new).filter_map(|element| input.input_type.problem(element, list));
        let doubles = list.iter().enumerate().filter(|(place, pair)| {
            input.input_type == InputType::Pairs && list.iter().take(*place).any(|other| other == *pair)
        });
        let doubles = doubles.map(|(_, pair)| format!("{pair} is listed twice"));
        let problems: Vec<_> = problems.chain(doubles).take(MAX_SHOWN).collect();
        (!problems.is_empty()).then(|| Violation::new(input.name, problems.join("; ")))
    }

    /// Returns the inputs as one object, under their names in JSON.
    pub(super) fn into_object(self) -> Value {
        let members = self.sent().map(|(input, value)| (input.wire.to_owned(), value.cloned().unwrap_or_default()));
        Value::Object(members.collect())
    }

    /// Returns the values of secret inputs.
    pub fn secrets(&self) -> Vec<String> {
        let secret = self.sent().filter(|(input, _)| input.is_secret());
        secret.filter_map(|(_, value)| value?.as_str().map(str::to_owned)).collect()
    }

    /// Returns the JSON body, in ASCII.
    pub fn body(&self) -> String {
        encoding::body(self.sent(), self.inputs.decimals)
    }

    /// Returns the percent-encoded query string; None if it would be empty.
    pub fn query(&self) -> Option<String> {
        encoding::query(self.sent())
    }

    fn sent(&self) -> impl Iterator<Item = (&'static Input, Option<&Value>)> {
        let settings = self.settings().filter(|(_, _, is_given)| *is_given || !self.sends_only_given);
        settings.filter_map(|(input, value, _)| match value {
            Field::Absent => None,
            Field::Null => Some((input, None)),
            Field::Value(value) => Some((input, Some(value))),
        })
    }

    fn setting(&self, key: impl InputKey) -> Option<&InputSetting> {
        self.settings.get(key.place(self.inputs)?)
    }

    fn setting_mut(&mut self, key: impl InputKey) -> Option<&mut InputSetting> {
        self.settings.get_mut(key.place(self.inputs)?)
    }

    fn give(&mut self, name: InputName, given: Field<Value>) {
        let Some((input, setting)) =
            name.place(self.inputs).and_then(|place| self.inputs.rows.get(place).zip(self.settings.get_mut(place)))
        else {
            return;
        };
        setting.changed = given != Field::Absent;
        setting.value = match given {
            Field::Value(value) => match input.input_type.accept_at(value.clone(), input.name, self.audience) {
                Ok(value) => Field::Value(value),
                Err(_) if input.is_secret() => {
                    self.type_errors.push(Violation::new(input.name, input.input_type.secret_rejection(self.audience)));
                    Field::Value(value)
                }
                Err(violations) => {
                    self.type_errors.extend(violations);
                    Field::Value(value)
                }
            },
            other => other,
        };
    }

    fn carry(&mut self, index: usize, input: &Input, record: &Fields) {
        let Some(json) = record.value(input.wire).filter(|json| !json.is_null()) else {
            return;
        };
        if !self.is_absent(index) || !input.rules.iter().all(|rule| rule.carries(self, json)) {
            return;
        }
        match input.input_type.carry(json) {
            Some(value) => self.set_derived(index, value),
            // The sandbox keeps the value that it has.
            None if self.audience == Audience::Http || self.sends_only_given => {}
            // Without the input, the service might reset the field to its default and remove a stop loss or take-profit steps.
            None => self.type_errors.push(Violation::new(
                input.name,
                format!(
                    "the record holds {}, which can't be sent back; pass it as well",
                    excerpt_of(json, self.audience)
                ),
            )),
        }
    }
}

/// Returns the name of the input that a violation is in.
fn input_of(violation: &Violation) -> &str {
    violation.field.split(['.', '[']).next().unwrap_or(&violation.field)
}

/// Returns the elements of a list; a single value is a list of one.
pub(super) fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(slice::from_ref(value), Vec::as_slice)
}
