//! The rows of the document's tables: what a field is called, holds and may be.

use super::json::Json;

/// What JSON a kind of value is.
#[derive(Clone, Copy, Debug)]
pub enum Schema {
    /// A decimal, as text or as a number.
    Amount,
    /// A whole number, as a number or as text.
    Integer,
    /// Yes or no, as a boolean or as text.
    Flag,
    /// A text.
    Text,
    /// A point in time in ISO 8601.
    Timestamp,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// An array of such values.
    List(&'static Schema),
    /// An object whose members are not named.
    Object,
    /// Anything.
    Open,
    /// A record.
    Record {
        /// The name of the record.
        name: &'static str,
        /// Its fields.
        rows: &'static [Row],
    },
}

/// A field of a record: a row of the document's table.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a mark that stands on a row by itself")]
pub struct Row {
    /// The name of the attribute.
    pub name: &'static str,
    /// The name on the wire.
    pub wire: &'static str,
    /// Whether the one-line form of the record shows it.
    pub shown: bool,
    /// Whether it identifies the record: a record that was asked for holds it.
    pub identifier: bool,
    /// Whether its value must never be shown.
    pub secret: bool,
    /// Whether the records of a list hold it.
    pub listed: bool,
    /// Whether it moves by itself, without anybody changing the record.
    pub moving: bool,
    /// The JSON text that the service answers where nothing else is said.
    pub sample: &'static str,
    /// A JSON text in the form of its kind.
    pub form: &'static str,
    /// What it holds, in words.
    pub holds: &'static str,
    /// Whether a value that is not null is of its kind, and all inside of it as well.
    pub fits: fn(Json<'_>) -> bool,
    /// Whether a value that is not null can be read as the attribute.
    pub reads: fn(Json<'_>) -> bool,
    /// Its value in that form.
    pub show: fn(Json<'_>) -> String,
    /// What JSON it holds.
    pub schema: Schema,
    /// Whether the document says that it may be null.
    pub nullable: bool,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What it becomes in a table.
    pub column: Column,
    /// Returns the path of the Rust type of its kind, for the generator of the binding.
    pub kind: fn() -> &'static str,
}

/// What a field becomes in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// A whole number.
    Integer,
    /// Yes or no.
    Flag,
    /// A text.
    Text,
    /// A decimal.
    Decimal,
    /// A point in time.
    Timestamp,
    /// A list of texts.
    Texts,
    /// A decimal, though the API reference leaves the type open; as text, any other value is JSON.
    DecimalOrJson,
    /// Text: a decimal if it is one, else JSON.
    Open,
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
