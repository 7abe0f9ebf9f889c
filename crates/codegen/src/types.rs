//! Types of values in Python.

use botdesk_schema::field::{FieldSpec, Schema};
use botdesk_schema::id::{IdSpec, IdType};
use botdesk_schema::operation::Operation;

/// Returns the type of an attribute's values.
pub(crate) fn value_type(schema: Schema) -> String {
    match schema {
        Schema::Decimal => "Decimal".to_owned(),
        Schema::Integer => "int".to_owned(),
        Schema::Bool => "bool".to_owned(),
        Schema::Text => "str".to_owned(),
        Schema::Timestamp | Schema::UnixTime => "datetime".to_owned(),
        Schema::OneOf(choices) => format!("{} | str", literal(choices)),
        Schema::List(of) => format!("list[{}]", value_type(*of)),
        Schema::Map(of) => format!("dict[str, {}]", value_type(*of)),
        Schema::Object => "dict[str, Any]".to_owned(),
        Schema::Any => "Any".to_owned(),
        Schema::Record(spec) => spec.name.to_owned(),
        Schema::Nothing => "None".to_owned(),
    }
}

/// Returns the Python type of an identifier.
pub(crate) fn id_type(id: IdSpec, operation: &'static Operation) -> &'static str {
    match (id.id_type, operation.takes_summary) {
        (IdType::Integer, false) => "int",
        (IdType::Integer, true) => "int | Literal[\"summary\"]",
        (IdType::Uuid, _) => "str | UUID",
    }
}

/// Returns the Python type of what an operation returns.
pub(crate) fn returned_type(operation: &'static Operation) -> String {
    if operation.returns.field.is_some() {
        return returned_field(operation).map_or_else(String::new, |row| value_type(row.schema));
    }
    if let Some(records) = one_of(operation) {
        return format!("{records} | None");
    }
    match operation.returns.schema {
        Schema::List(Schema::Record(spec)) => format!("Records[{}]", spec.name),
        // A method `list` hides the type of that name in its class.
        Schema::List(of) => format!("builtins.list[{}]", value_type(*of)),
        schema => value_type(schema),
    }
}

/// Returns the Python type of the records that an operation may return in place of nothing; None if it does not.
pub(crate) fn one_of(operation: &'static Operation) -> Option<String> {
    let records: Vec<_> = operation.returns.one_of.iter().map(|(_, schema)| value_type(*schema)).collect();
    (!records.is_empty()).then(|| records.join(" | "))
}

/// Returns the field that an operation returns; None if it returns the whole record.
pub(crate) fn returned_field(operation: &'static Operation) -> Option<&'static FieldSpec> {
    let name = operation.returns.field?;
    operation.record().rows.iter().find(|row| row.name == name)
}

/// Returns the `Literal` of choices.
pub(crate) fn literal(choices: &[&str]) -> String {
    let quoted: Vec<_> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
    format!("Literal[{}]", quoted.join(", "))
}
