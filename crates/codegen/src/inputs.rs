//! The inputs of operations as parameters of methods.

use botdesk_schema::input::{Input, InputType, Inputs};
use botdesk_schema::operation::ArgumentStyle;

use crate::parameter::Parameter;
use crate::types::literal;

/// Returns the parameters of inputs, except for those in `without`.
pub(crate) fn parameters(inputs: &Inputs, style: ArgumentStyle, without: &[&str]) -> Vec<Parameter> {
    let may_be_missing = matches!(style, ArgumentStyle::Named | ArgumentStyle::Reported);
    let is_keyword = |is_required: bool| match style {
        ArgumentStyle::Positional => false,
        ArgumentStyle::RequiredFirst => !is_required,
        ArgumentStyle::Keyword | ArgumentStyle::Reported | ArgumentStyle::Named => true,
    };
    let rows = inputs.rows.iter().filter(|row| !without.contains(&row.name));
    let parameter = |row: &Input| Parameter {
        name: row.name.to_owned(),
        kind: python_type(row.input_type),
        default: (may_be_missing || !row.is_required() || row.default().is_some()).then_some("UNSET"),
        is_keyword: is_keyword(row.is_required()),
        about: row.about.trim().to_owned(),
    };
    rows.map(parameter).collect()
}

/// Returns the names of the inputs, in the order of their rows; those in `without` are not given.
pub(crate) fn given(inputs: &Inputs, without: &[&str]) -> Vec<String> {
    let name = |name: &str| if without.contains(&name) { "UNSET".to_owned() } else { name.to_owned() };
    inputs.rows.iter().map(|row| name(row.name)).collect()
}

/// Returns the list of the inputs, in the order of their rows; those in `without` are not given.
pub(crate) fn list(inputs: &Inputs, without: &[&str]) -> String {
    format!("[{}]", given(inputs, without).join(", "))
}

/// Returns the names of the inputs that no traceback may show.
pub(crate) fn secrets(inputs: &Inputs) -> Vec<String> {
    inputs.rows.iter().filter(|row| row.is_secret()).map(|row| row.name.to_owned()).collect()
}

/// Returns the type of an input in Python.
fn python_type(input_type: InputType) -> String {
    let plain = match input_type {
        InputType::Decimal | InputType::Fraction => "str | Decimal | int | float",
        InputType::Integer => "int",
        InputType::Bool => "bool",
        InputType::Text => "str",
        InputType::Time | InputType::IsoTime => "int | str | date | datetime",
        InputType::Pairs => "str | Sequence[str]",
        InputType::Texts => "Sequence[str]",
        InputType::Objects(objects) => {
            return format!("Sequence[{} | dict[str, Any]] | None", objects.record.name);
        }
        InputType::Object | InputType::Group(_) => "dict[str, Any]",
        InputType::Groups(_) => "Sequence[dict[str, Any]]",
        InputType::OneOf(choices) => return format!("{} | None", literal(choices)),
    };
    format!("{plain} | None")
}
