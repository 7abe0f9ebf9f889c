//! The rows of the document's tables: what a field is called, holds and may be.

use std::sync::Arc;

use serde_json::Value;

use crate::json::{Json, Scanner};
use crate::schema::Schema;
use crate::tables::Column;
use crate::values::Kind;

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
}

impl Row {
    /// A row whose field has one name, as Rust spells it, and holds that kind of value.
    pub const fn of<K: Kind>(identifier: &'static str) -> Self {
        let name = attribute_name(identifier);
        Self {
            name,
            wire: name,
            shown: false,
            identifier: false,
            secret: false,
            listed: true,
            moving: false,
            sample: K::SAMPLE,
            form: K::SAMPLE,
            holds: K::NAME,
            fits: K::fits,
            reads: reads::<K>,
            show: K::show,
            schema: K::SCHEMA,
            nullable: false,
            about: "",
            column: K::COLUMN,
        }
    }

    /// The same row with a description.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// The same row, null at times although its sample is not.
    #[must_use]
    pub const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// Whether the field may be null.
    pub fn may_be_null(&self) -> bool {
        self.nullable || self.sample == "null"
    }

    /// The same row with another name on the wire.
    #[must_use]
    pub const fn wire(self, wire: &'static str) -> Self {
        Self { wire, ..self }
    }

    /// The same row, shown in the record's one-line form.
    #[must_use]
    pub const fn shown(self) -> Self {
        Self { shown: true, ..self }
    }

    /// The same row, which identifies the record.
    #[must_use]
    pub const fn identifier(self) -> Self {
        Self { identifier: true, ..self }
    }

    /// The same row, its value a secret.
    #[must_use]
    pub const fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    /// The same row, left out of the records of a list.
    #[must_use]
    pub const fn unlisted(self) -> Self {
        Self { listed: false, ..self }
    }

    /// The same row, moving by itself, as what follows the price does.
    #[must_use]
    pub const fn moving(self) -> Self {
        Self { moving: true, ..self }
    }

    /// Returns the row with a column of decimals, though the API reference leaves the type of its value open.
    #[must_use]
    pub const fn decimal(self) -> Self {
        Self { column: Column::DecimalOrJson, ..self }
    }

    /// The same row, answered with another JSON text where nothing else is said.
    #[must_use]
    pub const fn sample(self, json: &'static str) -> Self {
        Self { sample: json, ..self }
    }
}

impl Row {
    /// Whether a value is of the row's kind, or null.
    pub fn takes(&self, value: &Value) -> bool {
        let source: Arc<str> = value.to_string().into();
        let fits = |span| (self.fits)(Json::new(&source, span));
        value.is_null() || Scanner::new(&source).and_then(|mut scanner| scanner.value()).is_ok_and(fits)
    }
}

fn reads<K: Kind>(json: Json<'_>) -> bool {
    K::read(json).is_some()
}

/// A name without the mark that Rust puts before its own keywords (`r#type` is `type`).
pub const fn attribute_name(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}
