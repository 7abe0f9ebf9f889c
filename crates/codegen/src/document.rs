//! The rules of the operations as the source defines them, as JSON. `scripts/check_coverage.py` looks for a test of each.

use botdesk_api::reference::operations;
use botdesk_schema::input::{Input, InputKey, InputType, Inputs, Rule};
use botdesk_schema::operation::Operation;
use serde_json::{Value, json};

/// Returns the rules of all operations.
pub(crate) fn document() -> Value {
    json!({ "operations": operations().map(operation).collect::<Vec<_>>() })
}

fn operation(operation: &Operation) -> Value {
    let inputs = operation.inputs();
    let together = inputs.iter().flat_map(|inputs| {
        inputs.cross_field_rules().into_iter().filter(|rule| !rule.is_own).map(|rule| json!({ "name": rule.name }))
    });
    let rows = inputs.iter().flat_map(|inputs| inputs.rows.iter().map(|row| input(inputs, row)));
    json!({
        "name": operation.name,
        "inputs": rows.collect::<Vec<_>>(),
        "together": together.collect::<Vec<_>>(),
    })
}

fn input(inputs: &Inputs, row: &Input) -> Value {
    let choices = match row.input_type {
        InputType::OneOf(choices) => Some(format!("one of {}", choices.join(", "))),
        _ => None,
    };
    // The API reference does not have botdesk's own limits.
    let documented = row.rules.iter().filter(|rule| !matches!(rule, Rule::Own(_)));
    let rules = documented.map(|rule| in_words(inputs, *rule));
    let secret = row.is_secret().then(|| "never shown".to_owned());
    json!({ "wire": row.wire, "rules": rules.chain(secret).chain(choices).collect::<Vec<_>>() })
}

fn in_words(inputs: &Inputs, rule: Rule) -> String {
    match rule {
        Rule::Required => "required".to_owned(),
        Rule::RequiredIfTrue(boolean) => format!("required when {} is true", name(inputs, boolean)),
        Rule::RequiredUnless(list) => format!("required unless {} has elements", name(inputs, list)),
        Rule::RequiredIfEquals(input, text) => format!("required when {} is {text}", name(inputs, input)),
        Rule::Characters(least, most) => format!("{least}..{most} characters"),
        Rule::AtLeastCharacters(least) => format!("at least {least} characters"),
        Rule::Between(least, most) => format!("{least}..{most}"),
        Rule::AtLeast(least) => format!("at least {least}"),
        Rule::ExclusiveRange(above, below) => format!("greater than {above} and lower than {below}"),
        Rule::OnlyIf(field, value, _) => format!("only where {field} is {value}"),
        Rule::Above(bound) => format!("greater than {bound}"),
        Rule::Below(bound) => format!("lower than {bound}"),
        Rule::Own(rule) => in_words(inputs, *rule),
        Rule::Default(number) => format!("default {number}"),
        Rule::ServiceDefault(json) => format!("the service sets {json} if it is omitted"),
        Rule::CarriedOnlyWith(input) => format!("carried over beside {} alone", name(inputs, input)),
        Rule::OnlyIfGiven => "sent only if given".to_owned(),
        Rule::NeverReturned => "returned in no record".to_owned(),
        Rule::ClientDefault(json) => format!("sent as {json} unless it is given"),
        Rule::NotCarriedIf(unset) => format!("not carried over where it is {unset}"),
    }
}

fn name(inputs: &Inputs, key: impl InputKey) -> &'static str {
    inputs.get(key).map_or("", |input| input.wire)
}
