//! The specification of a field: its names, its type and its attributes.

use super::json::Json;

/// The JSON type of a value.
#[derive(Clone, Copy, Debug)]
pub enum Schema {
    /// A decimal, as a string or as a number.
    Decimal,
    /// A whole number, as a number or as a string.
    Integer,
    /// A boolean, as a boolean or as a string.
    Bool,
    /// A string.
    Text,
    /// A point in time in ISO 8601.
    Timestamp,
    /// A point in time, in seconds since 1970 or in ISO 8601.
    UnixTime,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// An array of such values.
    List(&'static Schema),
    /// An object whose members have any names, and such values.
    Map(&'static Schema),
    /// An object whose members are not named.
    Object,
    /// Anything.
    Any,
    /// A record.
    Record(&'static RecordSpec),
    /// No value: any body, or none.
    Nothing,
}

impl Schema {
    /// Returns the record that a value is, or that it consists of.
    pub const fn record(self) -> Option<&'static RecordSpec> {
        match self {
            Self::Record(spec) => Some(spec),
            Self::List(of) | Self::Map(of) => of.record(),
            _ => None,
        }
    }
}

/// The name, the description and the fields of a record.
#[derive(Clone, Copy, Debug)]
pub struct RecordSpec {
    /// The name of the record.
    pub name: &'static str,
    /// Its description, in a sentence.
    pub about: &'static str,
    /// The file that defines it.
    pub file: &'static str,
    /// Its fields, in the order of the API reference.
    pub rows: &'static [FieldSpec],
}

impl RecordSpec {
    /// A response without a record.
    pub const NOTHING: Self = Self { name: "response", about: "", file: "", rows: &[] };
}

/// A field of a record, as the API reference lists it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent attribute of a field")]
pub struct FieldSpec {
    /// The name of the attribute.
    pub name: &'static str,
    /// The name in JSON.
    pub wire: &'static str,
    /// The name of another member, which has the value if the response lacks that of `wire`.
    pub second_wire_name: Option<&'static str>,
    /// True if it is part of the record's one-line form.
    pub in_repr: bool,
    /// The unit after its value where a table shows the record in a cell, empty if it has none; None if the cell leaves it out.
    pub in_cell: Option<&'static str>,
    /// True if it identifies the record: every requested record has it.
    pub identifier: bool,
    /// True if its value must never be shown.
    pub secret: bool,
    /// True if the records of a list have it.
    pub listed: bool,
    /// True if it changes without an edit, as prices and profits do.
    pub volatile: bool,
    /// The JSON text that the sandbox returns by default.
    pub sample: &'static str,
    /// A JSON text in the format of its type.
    pub example: &'static str,
    /// The name of its type in messages.
    pub type_name: &'static str,
    /// Returns true if a value that is not null has its type, including everything nested in it.
    pub fits: fn(Json<'_>) -> bool,
    /// Returns true if a value that is not null can be read as the attribute.
    pub reads: fn(Json<'_>) -> bool,
    /// Formats its value for the one-line form of the record.
    pub show: fn(Json<'_>) -> String,
    /// The JSON type.
    pub schema: Schema,
    /// True if it may be null according to the API reference.
    pub nullable: bool,
    /// The JSON text of another value that means null; empty if there is none.
    pub none: &'static str,
    /// The description, in a sentence.
    pub about: &'static str,
    /// The type of its column in a table.
    pub column: ColumnType,
}

/// The type of a field's column in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number.
    Integer,
    /// A boolean.
    Bool,
    /// A string.
    Text,
    /// A decimal.
    Decimal,
    /// A point in time.
    Timestamp,
    /// A point in time that is sent as seconds since 1970.
    UnixTime,
    /// A list of strings.
    Texts,
    /// A decimal, although the API reference leaves the type open; any other value is JSON, as a string.
    DecimalOrJson,
    /// A string: a decimal if it is one, else JSON.
    Any,
    /// JSON.
    Json,
}

/// A name without the mark that Rust puts before its own keywords (`r#type` is `type`).
pub const fn attribute_name(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}
