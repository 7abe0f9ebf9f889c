//! The rules of the API reference about one input, and their violations.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::table::{RequestBuilder, Rule};
use super::violation::Violation;
use crate::decimal;
use crate::json::Json;

impl Rule {
    /// Returns the violation of the rule by the input at `index` of a request.
    pub(super) fn violation(self, request: &RequestBuilder, index: usize) -> Option<Violation> {
        let name = request.inputs.rows.get(index)?.name;
        match self {
            Self::Own(rule) => rule.violation(request, index).map(Violation::own),
            rule => rule.broken(request, index).map(|message| Violation::new(name, message)),
        }
    }

    /// Returns the message about the input at `index` of a request.
    fn broken(self, request: &RequestBuilder, index: usize) -> Option<String> {
        match self {
            Self::Required => is_missing(request, index).then(|| "is required".to_owned()),
            Self::RequiredIfTrue(flag) => (is_missing(request, index) && request.is_true(flag))
                .then(|| format!("is required when {} is true", flag.as_str())),
            Self::RequiredUnless(list) => {
                // An edit whose record is not known yet may have the list in it; a new record has none.
                let is_edit = !request.inputs.create_only.is_empty();
                let unknown = is_edit && request.is_absent(list) && request.record().is_none();
                (is_missing(request, index) && request.elements(list).is_empty() && !unknown)
                    .then(|| "is required".to_owned())
            }
            Self::RequiredIfEquals(input, text) => {
                let holds = request.value(input).and_then(Value::as_str) == Some(text);
                (is_missing(request, index) && holds).then(|| format!("is required when {} is {text}", input.as_str()))
            }
            Self::Characters(least, most) => {
                let text = request.value(index).filter(|_| request.is_changed(index))?.as_str()?;
                let characters = text.chars().count();
                (characters < least || characters > most)
                    .then(|| format!("must have {least} to {most} characters, not {characters}"))
            }
            Self::AtLeastCharacters(least) => {
                let text = request.value(index).filter(|_| request.is_changed(index))?.as_str()?;
                let characters = text.chars().count();
                (characters < least).then(|| format!("must have at least {least} characters, not {characters}"))
            }
            Self::Between(least, most) => outside(request, index, |number| {
                (*number < decimal::constant(least) || *number > decimal::constant(most))
                    .then(|| format!("must be between {least} and {most}"))
            }),
            Self::AtLeast(least) => outside(request, index, |number| {
                (*number < decimal::constant(least)).then(|| format!("must be at least {least}"))
            }),
            Self::ExclusiveRange(above, below) => outside(request, index, |number| {
                (*number <= decimal::constant(above) || *number >= decimal::constant(below))
                    .then(|| format!("must be greater than {above} and lower than {below}"))
            }),
            Self::Above(bound) => outside(request, index, |number| {
                (*number <= decimal::constant(bound)).then(|| format!("must be greater than {bound}"))
            }),
            Self::Below(bound) => outside(request, index, |number| {
                (*number >= decimal::constant(bound)).then(|| format!("must be lower than {bound}"))
            }),
            Self::OnlyIf(wire, value, leads_to) => {
                let is_set = request.is_changed(index) && request.value(index).is_some();
                (is_set && !may_be(request, wire, value) && !leads_to(request))
                    .then(|| format!("is only for {} whose {wire} is {value}", request.inputs.subject))
            }
            Self::NotCarriedIf(_)
            | Self::CarriedOnlyWith(_)
            | Self::OnlyIfGiven
            | Self::NeverReturned
            | Self::Default(_)
            | Self::ServiceDefault(_)
            | Self::ClientDefault(_)
            | Self::Own(_) => None,
        }
    }

    /// Returns why a value of a record is not carried over into an edit of it, if this rule is the reason.
    pub(super) fn reason_left_out(self, request: &RequestBuilder, current: Json<'_>) -> Option<String> {
        if self.carries(request, current) {
            return None;
        }
        Some(match self {
            Self::NotCarriedIf(unset) => format!("{unset} means none"),
            Self::OnlyIf(wire, value, _) => format!("only for {} whose {wire} is {value}", request.inputs.subject),
            Self::CarriedOnlyWith(input) => format!("means nothing without {}", input.as_str()),
            _ => "sent only if it is given".to_owned(),
        })
    }

    /// Returns true if the value of a record is carried over into an edit of it.
    pub(super) fn carries(self, request: &RequestBuilder, current: Json<'_>) -> bool {
        match self {
            Self::NotCarriedIf(unset) => current.string().as_deref() != Some(unset),
            Self::OnlyIf(wire, value, leads_to) => may_be(request, wire, value) || leads_to(request),
            Self::CarriedOnlyWith(input) => !request.is_absent(input),
            Self::OnlyIfGiven => false,
            _ => true,
        }
    }
}

fn is_missing(request: &RequestBuilder, index: usize) -> bool {
    request.value(index).is_none_or(|value| value.as_str() == Some(""))
}

/// Returns true if the record that the request changes has that value, or does not have the field.
fn may_be(request: &RequestBuilder, wire: &str, value: &str) -> bool {
    request.record_value(wire).and_then(Json::string).is_none_or(|current| current.as_ref() == value)
}

fn outside(
    request: &RequestBuilder,
    index: usize,
    check: impl FnOnce(&BigDecimal) -> Option<String>,
) -> Option<String> {
    let number = request.number(index).filter(|_| request.is_changed(index))?;
    check(&number).map(|message| format!("{message}, not {}", decimal::shown(&number)))
}
