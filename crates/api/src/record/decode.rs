//! How the text of a response becomes records.

use super::fields::Fields;
use super::finder::{many, one};
#[cfg(any(test, feature = "samples"))]
use super::unreadable::FieldError;
use super::unreadable::excerpt;
use crate::error::ErrorBody;
use crate::json::Malformed;
use crate::row::Row;
use crate::secrets::shown_value;
use crate::values::{Integer, Kind, MOST_ELEMENTS};

/// An object of the service, as one answer told it.
pub trait Record: Sized {
    /// The name of the record.
    const NAME: &'static str;
    /// Its description, in a sentence.
    const ABOUT: &'static str;
    /// Its fields, in the document's order.
    const ROWS: &'static [Row];

    /// The record over the fields that were found.
    fn from_fields(fields: Fields) -> Self;

    /// The fields that were found.
    fn fields(&self) -> &Fields;

    /// What reading each field fails with.
    #[cfg(any(test, feature = "samples"))]
    fn unreadable(&self) -> Vec<FieldError>;

    /// The record in one line, without secrets.
    fn summary(&self) -> String {
        let shown = Self::ROWS.iter().enumerate().filter(|(_, row)| row.shown && !row.secret);
        let each = shown.filter_map(|(index, row)| {
            let json = self.fields().get(index)?;
            let value = if json.is_null() { "None".to_owned() } else { shown_value(&(row.show)(json)) };
            Some(format!(" {}={value}", row.name))
        });
        let unreadable = if self.fields().odd { " unreadable" } else { "" };
        format!("<{}{unreadable}{}>", Self::NAME, each.collect::<String>())
    }

    /// Decodes the text of one record.
    fn from_json(text: &str) -> Result<Self, DecodeError> {
        let fields = one(Self::ROWS, text)?;
        if fields.odd {
            return Err(DecodeError::of::<Self>("a JSON object is needed"));
        }
        Ok(Self::from_fields(fields))
    }

    /// Decodes the record that a request asked for.
    ///
    /// An object without the record's identifier is refused, or without any documented field if it has none, and so is a
    /// record with another identifier than `asked`.
    fn from_response(text: &str, asked: Option<u64>) -> Result<Self, DecodeError> {
        let record = Self::from_json(text)?;
        let fields = record.fields();
        match Self::ROWS.iter().position(|row| row.identifier) {
            Some(index) => check_identifier::<Self>(fields, index, asked)?,
            None if fields.is_unknown() => return Err(DecodeError::unknown::<Self>(text)),
            None => {}
        }
        check_error_body(fields)?;
        Ok(record)
    }

    /// Decodes the array of records that a request asked for. An element without any documented field is no record, and
    /// neither is an error body: all its fields are unreadable.
    fn list_from_response(text: &str) -> Result<Vec<Self>, DecodeError> {
        let mut records = Self::list_from_json(text)?;
        let is_no_record = |fields: &Fields| fields.is_unknown() || check_error_body(fields).is_err();
        for record in records.iter_mut().filter(|record| is_no_record(record.fields())) {
            *record = Self::from_fields(record.fields().clone().into_odd());
        }
        Ok(records)
    }

    /// Decodes the array of records that a request asked for, or a single one in its place.
    fn one_or_many_from_response(text: &str) -> Result<Vec<Self>, DecodeError> {
        if text.trim_ascii_start().starts_with('{') {
            Self::from_response(text, None).map(|record| vec![record])
        } else {
            Self::list_from_response(text)
        }
    }

    /// The record whose text another one gave, be it an object or not; unreadable if that one was.
    fn restore(text: &str, is_odd: bool) -> Result<Self, DecodeError> {
        let fields = one(Self::ROWS, text)?;
        Ok(Self::from_fields(if is_odd { fields.into_odd() } else { fields }))
    }

    /// Decodes the text of an array of records.
    ///
    /// An element that is no object does not spoil the others: it becomes a record whose every field is unreadable.
    fn list_from_json(text: &str) -> Result<Vec<Self>, DecodeError> {
        let found = many(Self::ROWS, text)?.ok_or_else(|| DecodeError::of::<Self>("a JSON array of them is needed"))?;
        if found.len() > MOST_ELEMENTS {
            return Err(DecodeError::of::<Self>("an array of at most 100 000 of them is needed"));
        }
        Ok(found.into_iter().map(Self::from_fields).collect())
    }
}

/// Checks that a record holds its identifier, and the one that was asked for.
fn check_identifier<R: Record>(fields: &Fields, index: usize, asked: Option<u64>) -> Result<(), DecodeError> {
    let row = R::ROWS.get(index);
    let found = fields.get(index).filter(|json| !json.is_null());
    let id = found.and_then(Integer::read).and_then(|id| u64::try_from(id).ok());
    match (found, id, asked) {
        (None, ..) => Err(DecodeError::unidentified::<R>(fields.text(), row.map_or("", |row| row.wire))),
        (Some(_), Some(id), Some(asked)) if id == asked => Ok(()),
        (Some(_), _, None) => Ok(()),
        (Some(json), ..) => {
            Err(DecodeError::Other { record: R::NAME, found: json.text().to_owned(), asked: asked.unwrap_or_default() })
        }
    }
}

/// Refuses an error body, whatever fields of the record it repeats.
///
/// No record of the API reference has an `error`, but services send fields that it does not list: a whole record passes,
/// unless it has another member of an error body as well.
fn check_error_body(fields: &Fields) -> Result<(), DecodeError> {
    let has = |wire: &str| fields.value(wire).is_some_and(|json| !json.is_null());
    if !fields.has_extra() || !has("error") {
        return Ok(());
    }
    if fields.is_whole() && !has("error_description") && !has("error_attributes") {
        return Ok(());
    }
    ErrorBody::parse(fields.text()).summary().map_or(Ok(()), |error| Err(DecodeError::ErrorBody(error)))
}

/// Why a text could not become a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The text is not JSON.
    #[error("the text is not JSON: {0}")]
    Malformed(#[from] Malformed),
    /// The text is JSON of another shape.
    #[error("the text is no {record}: {needed}")]
    Shape {
        /// The name of the record.
        record: &'static str,
        /// What was needed in its place.
        needed: &'static str,
    },
    /// The body is an error, although the status is not.
    #[error("the body is an error: {0}")]
    ErrorBody(String),
    /// The object lacks what makes it a record.
    #[error("the object is not a {record}: it has no {lacking}")]
    Unidentified {
        /// The name of the record.
        record: &'static str,
        /// The name of the field, or what all of them are called.
        lacking: &'static str,
    },
    /// The record is not the one that was asked for.
    #[error("the response is {record} {}, not {asked}", excerpt(.found))]
    Other {
        /// The name of the record.
        record: &'static str,
        /// Its identifier, as the text has it; the message has the beginning of it.
        found: String,
        /// The identifier that was asked for.
        asked: u64,
    },
}

impl DecodeError {
    /// Whether the text may be the response to another request: it is JSON, and not what was asked for.
    pub fn may_be_of_another_request(&self) -> bool {
        matches!(self, Self::Shape { .. } | Self::Unidentified { .. } | Self::Other { .. })
    }

    /// Whether the text is a record, and another one than was asked for.
    pub fn is_of_another_record(&self) -> bool {
        matches!(self, Self::Other { .. })
    }

    /// Returns the error without secrets: `redact` gets each text of the response, before it is shortened for the message.
    #[must_use]
    pub fn redacted(self, redact: impl Fn(&str) -> String) -> Self {
        match self {
            Self::ErrorBody(error) => Self::ErrorBody(redact(&error)),
            Self::Other { record, found, asked } => Self::Other { record, found: redact(&found), asked },
            Self::Malformed(_) | Self::Shape { .. } | Self::Unidentified { .. } => self,
        }
    }

    fn unknown<R: Record>(text: &str) -> Self {
        Self::unidentified::<R>(text, "documented field")
    }

    fn unidentified<R: Record>(text: &str, lacking: &'static str) -> Self {
        match ErrorBody::parse(text).summary() {
            Some(error) => Self::ErrorBody(error),
            None => Self::Unidentified { record: R::NAME, lacking },
        }
    }

    fn of<R: Record>(needed: &'static str) -> Self {
        Self::Shape { record: R::NAME, needed }
    }
}
