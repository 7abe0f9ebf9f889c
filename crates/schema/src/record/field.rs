//! Builds the specification of a field.

use std::sync::Arc;

use serde_json::Value;

use crate::field::{ColumnType, FieldSpec, attribute_name};
use crate::json::{Json, Scanner};
use crate::secrets::NAMES;
use crate::values::FieldType;

impl FieldSpec {
    /// Returns a field that has one name in Rust and JSON, and values of that type.
    pub const fn of<K: FieldType>(identifier: &'static str) -> Self {
        let name = attribute_name(identifier);
        Self {
            name,
            wire: name,
            second_wire_name: None,
            in_repr: false,
            in_cell: None,
            identifier: false,
            secret: NAMES.contains(name),
            listed: true,
            volatile: false,
            sample: K::SAMPLE,
            example: K::SAMPLE,
            type_name: K::NAME,
            fits: K::fits,
            reads: reads::<K>,
            show: K::show,
            schema: K::SCHEMA,
            nullable: false,
            none: "",
            about: "",
            column: K::COLUMN,
        }
    }

    /// Returns the field with a description.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// Returns the field marked as null at times although its sample is not.
    #[must_use]
    pub const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// Returns the field with another value, in JSON, that means null.
    #[must_use]
    pub const fn none(self, json: &'static str) -> Self {
        Self { none: json, nullable: true, ..self }
    }

    /// Returns true if the field may be null.
    pub fn may_be_null(&self) -> bool {
        self.nullable || self.sample == "null"
    }

    /// Returns the field with another JSON name.
    #[must_use]
    pub const fn wire(self, wire: &'static str) -> Self {
        Self { wire, secret: NAMES.contains(wire), ..self }
    }

    /// Returns the field with the name of another member, which has the value if the response lacks that of the field.
    #[must_use]
    pub const fn also(self, wire: &'static str) -> Self {
        Self { second_wire_name: Some(wire), ..self }
    }

    /// Returns the field marked as part of the record's one-line form.
    #[must_use]
    pub const fn in_repr(self) -> Self {
        Self { in_repr: true, ..self }
    }

    /// Returns the field marked as standing for the record where a table shows the record in a cell.
    #[must_use]
    pub const fn in_cell(self) -> Self {
        Self { in_cell: Some(""), ..self }
    }

    /// Returns the field marked as standing for the record in a cell, with a unit after its value.
    #[must_use]
    pub const fn in_cell_with(self, unit: &'static str) -> Self {
        Self { in_cell: Some(unit), ..self }
    }

    /// Returns the field marked as the identifier of the record.
    #[must_use]
    pub const fn identifier(self) -> Self {
        Self { identifier: true, ..self }
    }

    /// Returns the field marked as absent from the records of a list.
    #[must_use]
    pub const fn unlisted(self) -> Self {
        Self { listed: false, ..self }
    }

    /// Returns the field marked as changing without an edit, as prices and profits do.
    #[must_use]
    pub const fn volatile(self) -> Self {
        Self { volatile: true, ..self }
    }

    /// Returns the field with a column of decimals, although the API reference does not document the type of its value.
    #[must_use]
    pub const fn decimal(self) -> Self {
        Self { column: ColumnType::DecimalOrJson, ..self }
    }

    /// Returns the field with another sample, which the sandbox returns by default.
    #[must_use]
    pub const fn sample(self, json: &'static str) -> Self {
        Self { sample: json, ..self }
    }
}

impl FieldSpec {
    /// Returns true if a value has the field's type, or is null.
    pub fn takes(&self, value: &Value) -> bool {
        let source: Arc<str> = value.to_string().into();
        let fits = |span| (self.fits)(Json::new(&source, span));
        value.is_null() || Scanner::new(&source).and_then(|mut scanner| scanner.value()).is_ok_and(fits)
    }
}

fn reads<K: FieldType>(json: Json<'_>) -> bool {
    K::read(json).is_some()
}
