//! The fields of a record: its text, and where each of them stands in it.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::unreadable::FieldError;
use crate::json::{Json, Span};
use crate::row::Row;
use crate::values::Kind;

/// The text of a record and where each of its fields stands in it.
#[derive(Clone, Debug)]
pub struct Fields {
    pub(super) rows: &'static [Row],
    /// The text that the record stands in; others may stand in it too.
    pub(super) source: Arc<str>,
    pub(super) whole: Span,
    pub(super) known: Places,
    pub(super) extra: Box<[(Span, Span)]>,
    /// Whether the answer holds something other than an object in the record's place.
    pub(super) odd: bool,
}

/// Where the value of each row stands, in offsets as short as the text allows.
#[derive(Clone, Debug)]
pub(super) enum Places {
    /// All in the first 64 KiB, which is what nearly every record is.
    Short(Box<[(u16, u16)]>),
    /// Anywhere.
    Long(Box<[Span]>),
}

impl Places {
    fn get(&self, index: usize) -> Option<Span> {
        match self {
            Self::Short(places) => places.get(index).map(|(start, end)| Span::new(*start, *end)),
            Self::Long(places) => places.get(index).copied(),
        }
    }
}

impl Fields {
    /// The text of the record, byte for byte as it came.
    pub fn text(&self) -> &str {
        self.whole.of(&self.source)
    }

    /// The record as a value of its document.
    pub fn json(&self) -> Json<'_> {
        Json::new(&self.source, self.whole)
    }

    /// Whether the answer holds something other than an object in the record's place.
    pub fn is_odd(&self) -> bool {
        self.odd
    }

    /// Whether the object holds no documented field.
    pub fn is_unknown(&self) -> bool {
        self.present().next().is_none()
    }

    /// Returns if the object has every documented field that may not be null.
    pub fn is_whole(&self) -> bool {
        let required = self.rows.iter().enumerate().filter(|(_, row)| row.listed && !row.may_be_null());
        required.into_iter().all(|(index, _)| self.get(index).is_some())
    }

    /// Returns if the object has fields that the document does not know.
    pub fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// The same fields, none of which can be read.
    #[must_use]
    pub fn into_odd(self) -> Self {
        Self { odd: true, ..self }
    }

    /// The value of the field at `index` of the rows; None where it is absent.
    pub fn get(&self, index: usize) -> Option<Json<'_>> {
        let span = self.known.get(index)?;
        (!span.is_absent()).then(|| Json::new(&self.source, span))
    }

    /// The documented fields that the answer holds, null or not.
    pub fn present(&self) -> impl Iterator<Item = (&'static Row, Json<'_>)> {
        self.rows.iter().enumerate().filter_map(|(index, row)| Some((row, self.get(index)?)))
    }

    /// The documented fields whose values are not of their kinds.
    pub fn misfits(&self) -> impl Iterator<Item = &'static Row> {
        self.present().filter(|(row, json)| !json.is_null() && !(row.fits)(*json)).map(|(row, _)| row)
    }

    /// The value of a field by its name on the wire, documented or not.
    pub fn value(&self, wire: &str) -> Option<Json<'_>> {
        match self.rows.iter().position(|row| row.wire == wire) {
            Some(index) => self.get(index),
            None => self.extra().filter(|(key, _)| key == wire).last().map(|(_, value)| value),
        }
    }

    /// The fields that the document does not know, in the order they came.
    pub fn extra(&self) -> impl Iterator<Item = (String, Json<'_>)> {
        self.extra.iter().map(|(key, value)| {
            let key = Json::new(&self.source, *key);
            // A key that is not Unicode is shown as it stands in the text.
            let name = key.string().map_or_else(|| key.text().trim_matches('"').to_owned(), Cow::into_owned);
            (name, Json::new(&self.source, *value))
        })
    }

    /// Decodes the field at `index` of the record's rows: None where it is absent or null.
    pub fn read<K: Kind>(&self, record: &'static str, index: usize) -> Result<Option<K::Value<'_>>, FieldError> {
        let unreadable = |expected, text: &str| match self.rows.get(index) {
            Some(row) => FieldError::new(record, row, expected, text),
            None => FieldError { record, field: "", expected, text: String::new() },
        };
        if self.odd {
            return Err(unreadable(self.expected_of_object(), self.text()));
        }
        match self.get(index) {
            Some(json) if !json.is_null() => K::read(json).map(Some).ok_or_else(|| unreadable(K::NAME, json.text())),
            _ => Ok(None),
        }
    }

    /// Returns the error that reading a field raises, by its name on the wire. A field that is absent or null has none.
    pub fn check(&self, record: &'static str, wire: &str) -> Result<(), FieldError> {
        self.rows.iter().position(|row| row.wire == wire).map_or(Ok(()), |index| self.check_at(record, index))
    }

    /// Returns the error that reading the field at `index` of the record's rows raises.
    pub fn check_at(&self, record: &'static str, index: usize) -> Result<(), FieldError> {
        let Some(row) = self.rows.get(index) else { return Ok(()) };
        if self.odd {
            return Err(FieldError::new(record, row, self.expected_of_object(), self.text()));
        }
        match self.get(index) {
            Some(json) if !json.is_null() && !(row.reads)(json) => {
                Err(FieldError::new(record, row, row.holds, json.text()))
            }
            _ => Ok(()),
        }
    }

    /// Returns if a field has no value, by its name on the wire: it is absent, or null against the API reference.
    pub fn lacks(&self, wire: &str) -> bool {
        let may_be_null = self.rows.iter().any(|row| row.wire == wire && row.may_be_null());
        self.value(wire).is_none_or(|json| json.is_null() && !may_be_null)
    }

    /// Describes what every field of a record expects that is no object.
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
