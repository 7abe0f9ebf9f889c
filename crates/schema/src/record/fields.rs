//! The fields of a record: its text, and the position of each field in it.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use super::field_error::FieldError;
use crate::field::{FieldSpec, RecordSpec, Schema};
use crate::json::{Json, Span};
use crate::values::{FieldType, Integer, MAX_ELEMENTS};

/// The text of a value that means null.
static NULL: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from("null"));

/// The text of a record and the position of each of its fields.
#[derive(Clone, Debug)]
pub struct Fields {
    pub(super) spec: &'static RecordSpec,
    /// The text that contains the record and possibly others.
    pub(super) source: Arc<str>,
    pub(super) whole: Span,
    pub(super) known: FieldSpans,
    pub(super) extra: Box<[(Span, Span)]>,
    /// True if the response has something other than an object in place of the record.
    pub(super) malformed: bool,
}

/// The positions of the values, in offsets as short as the text allows.
#[derive(Clone, Debug)]
pub(super) enum FieldSpans {
    /// All are in the first 64 KiB, as in nearly every record.
    Short(Box<[(u16, u16)]>),
    /// They may be anywhere.
    Long(Box<[Span]>),
}

impl FieldSpans {
    fn get(&self, index: usize) -> Option<Span> {
        match self {
            Self::Short(places) => places.get(index).map(|(start, end)| Span::new(*start, *end)),
            Self::Long(places) => places.get(index).copied(),
        }
    }
}

impl Fields {
    /// Returns the description of the record.
    pub fn spec(&self) -> &'static RecordSpec {
        self.spec
    }

    /// Returns the text of the record, exactly as it was received.
    pub fn text(&self) -> &str {
        self.whole.of(&self.source)
    }

    /// Returns the record as a JSON value.
    pub fn json(&self) -> Json<'_> {
        Json::new(&self.source, self.whole)
    }

    /// Returns true if the response has something other than an object in place of the record.
    pub fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// Returns true if the object has no documented field.
    pub fn has_no_documented_field(&self) -> bool {
        self.present().next().is_none()
    }

    /// Returns true if the object has every documented field that may not be null.
    pub fn has_all_required(&self) -> bool {
        let required = self.spec.rows.iter().enumerate().filter(|(_, row)| row.listed && !row.may_be_null());
        required.into_iter().all(|(index, _)| self.get(index).is_some())
    }

    /// Returns true if the object has undocumented fields.
    pub fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// Returns the same fields, none of them readable.
    #[must_use]
    pub fn into_malformed(self) -> Self {
        Self { malformed: true, ..self }
    }

    /// Returns the value of the field at `index`: null if it means null, and None if it is absent.
    pub fn get(&self, index: usize) -> Option<Json<'_>> {
        let span = self.known.get(index)?;
        let row = self.spec.rows.get(index)?;
        if span.is_absent() {
            return self.value(row.second_wire_name?);
        }
        let json = Json::new(&self.source, span);
        let is_none = !row.none.is_empty() && json.text() == row.none;
        Some(if is_none { Json::new(&NULL, Span::new(0, 4)) } else { json })
    }

    /// Returns the documented fields in the response, null or not.
    pub fn present(&self) -> impl Iterator<Item = (&'static FieldSpec, Json<'_>)> {
        self.spec.rows.iter().enumerate().filter_map(|(index, row)| Some((row, self.get(index)?)))
    }

    /// Returns the documented fields whose values have the wrong type.
    pub fn type_errors(&self) -> impl Iterator<Item = &'static FieldSpec> {
        self.present().filter(|(row, json)| !json.is_null() && !(row.fits)(*json)).map(|(row, _)| row)
    }

    /// Returns the value of a field by its JSON name, documented or not.
    pub fn value(&self, wire: &str) -> Option<Json<'_>> {
        match self.spec.rows.iter().position(|row| row.wire == wire) {
            Some(index) => self.get(index),
            None => self.extra().filter(|(key, _)| key == wire).last().map(|(_, value)| value),
        }
    }

    /// Returns the undocumented fields, in their order.
    pub fn extra(&self) -> impl Iterator<Item = (String, Json<'_>)> {
        self.extra.iter().map(|(key, value)| {
            let key = Json::new(&self.source, *key);
            // A key that is not Unicode is shown as it is in the text.
            let name = key.string().map_or_else(|| key.text().trim_matches('"').to_owned(), Cow::into_owned);
            (name, Json::new(&self.source, *value))
        })
    }

    /// Returns the field at `index` and its value; None if it is absent or null.
    pub fn given(&self, index: usize) -> Option<(&'static FieldSpec, Json<'_>)> {
        let json = self.get(index).filter(|json| !json.is_null())?;
        Some((self.spec.rows.get(index)?, json))
    }

    /// Returns the error that the field at `index` can't be read: the record is malformed, or the value has another type.
    pub fn unreadable(&self, index: usize) -> FieldError {
        let Some(row) = self.spec.rows.get(index) else {
            return FieldError { record: self.spec.name, field: "", expected: "", text: String::new() };
        };
        if self.malformed {
            return FieldError::new(self.spec.name, row, self.expected_of_object(), self.text());
        }
        FieldError::new(self.spec.name, row, row.type_name, self.get(index).map_or("", Json::text))
    }

    /// Decodes the field at `index`; returns None if it is absent or null.
    pub fn read<K: FieldType>(&self, index: usize) -> Result<Option<K::Value<'_>>, FieldError> {
        if self.malformed {
            return Err(self.unreadable(index));
        }
        let Some((row, json)) = self.given(index) else { return Ok(None) };
        K::read(json).map(Some).ok_or_else(|| FieldError::new(self.spec.name, row, K::NAME, json.text()))
    }

    /// Decodes a field by its JSON name; returns None if it is absent, null or not documented.
    pub fn read_named<K: FieldType>(&self, wire: &str) -> Result<Option<K::Value<'_>>, FieldError> {
        self.spec.rows.iter().position(|row| row.wire == wire).map_or(Ok(None), |index| self.read::<K>(index))
    }

    /// Returns the identifier of the record.
    pub fn id(&self) -> Result<Option<i64>, FieldError> {
        self.read_named::<Integer>("id")
    }

    /// Returns the field that identifies the record, a number or a UUID, as text; None if there is none that can be read.
    pub fn identifier(&self) -> Option<Cow<'_, str>> {
        let json = self.get(self.spec.identifier()?).filter(|json| !self.malformed && !json.is_null())?;
        json.number_or_string()
    }

    /// Returns the records in a field, by its JSON name; None if it is absent, null or not a list of records.
    pub fn records(&self, wire: &str) -> Result<Option<Vec<Self>>, FieldError> {
        let Some(index) = self.spec.rows.iter().position(|row| row.wire == wire) else { return Ok(None) };
        if self.malformed {
            return Err(self.unreadable(index));
        }
        let Some((row, json)) = self.given(index) else { return Ok(None) };
        let Schema::List(Schema::Record(spec)) = row.schema else { return Ok(None) };
        let elements = json.elements().filter(|elements| elements.len() <= MAX_ELEMENTS);
        let elements = elements.ok_or_else(|| self.unreadable(index))?;
        Ok(Some(elements.into_iter().map(|json| Self::within(spec, json)).collect()))
    }

    /// Returns the error that reading a field raises, by its JSON name. A field that is absent or null raises none.
    pub fn check(&self, wire: &str) -> Result<(), FieldError> {
        self.spec.rows.iter().position(|row| row.wire == wire).map_or(Ok(()), |index| self.check_at(index))
    }

    /// Returns the error that reading the field at `index` raises.
    pub fn check_at(&self, index: usize) -> Result<(), FieldError> {
        let is_read = |(row, json): (&FieldSpec, Json<'_>)| (row.reads)(json);
        if self.malformed || !self.given(index).is_none_or(is_read) { Err(self.unreadable(index)) } else { Ok(()) }
    }

    /// Returns true if a field has no value, by its JSON name: it is absent, or null although the API reference forbids it.
    pub fn lacks(&self, wire: &str) -> bool {
        let may_be_null = self.spec.rows.iter().any(|row| row.wire == wire && row.may_be_null());
        self.value(wire).is_none_or(|json| json.is_null() && !may_be_null)
    }

    /// Returns the expected type of every field of a record that is not an object.
    fn expected_of_object(&self) -> &'static str {
        if self.text().starts_with('{') { "a field of the object" } else { "a field of an object" }
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Fields {}

impl Hash for Fields {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}
