//! Types of values in Python.

use botdesk_api::id::{IdSpec, IdType};
use botdesk_api::operation::Operation;
use botdesk_api::row::Schema;

/// Returns the type of an attribute's values.
pub(crate) fn value_type(schema: Schema) -> String {
    match schema {
        Schema::Decimal => "Decimal".to_owned(),
        Schema::Integer => "int".to_owned(),
        Schema::Bool => "bool".to_owned(),
        Schema::Text => "str".to_owned(),
        Schema::Timestamp => "datetime".to_owned(),
        Schema::OneOf(choices) => format!("{} | str", literal(choices)),
        Schema::List(of) => format!("list[{}]", value_type(*of)),
        Schema::Object => "dict[str, Any]".to_owned(),
        Schema::Any => "Any".to_owned(),
        Schema::Record(spec) => spec.name.to_owned(),
    }
}

/// Returns the Python type of an identifier.
pub(crate) fn id_type(id: IdSpec, operation: &'static Operation) -> &'static str {
    match (id.form, operation.takes_summary) {
        (IdType::Integer, false) => "int",
        (IdType::Integer, true) => "int | Literal[\"summary\"]",
        (IdType::Uuid, _) => "str | UUID",
    }
}

/// Returns the Python type of what an operation returns.
pub(crate) fn returned_type(operation: &'static Operation) -> String {
    if let Some(name) = operation.returns.field {
        let row = operation.record().rows.iter().find(|row| row.name == name);
        return row.map_or_else(String::new, |row| value_type(row.schema));
    }
    match operation.returns.schema {
        Schema::List(Schema::Record(spec)) => format!("Records[{}]", spec.name),
        schema => value_type(schema),
    }
}

/// Returns the `Literal` of choices.
pub(crate) fn literal(choices: &[&str]) -> String {
    let quoted: Vec<_> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
    format!("Literal[{}]", quoted.join(", "))
}
