//! How the row of a field is written down.

use std::any::type_name;
use std::sync::Arc;

use serde_json::Value;

use crate::json::{Json, Scanner};
use crate::row::{Column, Row, attribute_name};
use crate::secrets::NAMES;
use crate::values::Kind;

impl Row {
    /// A row whose field has one name, as Rust spells it, and holds that kind of value.
    pub const fn of<K: Kind>(identifier: &'static str) -> Self {
        let name = attribute_name(identifier);
        Self {
            name,
            wire: name,
            shown: false,
            identifier: false,
            secret: NAMES.contains(name),
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
            kind: type_name::<K>,
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
        Self { wire, secret: NAMES.contains(wire), ..self }
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
