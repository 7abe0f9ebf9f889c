//! Decoding of responses into records.

#[cfg(any(test, feature = "samples"))]
use super::field_error::FieldError;
use super::field_error::excerpt;
use super::fields::Fields;
use super::finder::{many, one};
use crate::error::ErrorBody;
use crate::json::Malformed;
use crate::row::FieldSpec;
use crate::secrets::shown_value;
use crate::values::{FieldType, Integer, MAX_ELEMENTS};

/// An object of the service, as one response contains it.
pub trait Record: Sized {
    /// The name of the record.
    const NAME: &'static str;
    /// Its description, in a sentence.
    const ABOUT: &'static str;
    /// Its fields, in the order of the API reference.
    const ROWS: &'static [FieldSpec];

    /// Returns the record with the fields that were found.
    fn from_fields(fields: Fields) -> Self;

    /// Returns the fields that were found.
    fn fields(&self) -> &Fields;

    /// Returns the errors that reading each field raises.
    #[cfg(any(test, feature = "samples"))]
    fn unreadable(&self) -> Vec<FieldError>;

    /// Returns the record in one line, without secrets.
    fn summary(&self) -> String {
        let shown = Self::ROWS.iter().enumerate().filter(|(_, row)| row.in_repr && !row.secret);
        let each = shown.filter_map(|(index, row)| {
            let json = self.fields().get(index)?;
            let shown = || row.rounding().round(&shown_value(&(row.show)(json)));
            let value = if json.is_null() { "None".to_owned() } else { shown() };
            Some(format!(" {}={value}", row.name))
        });
        let unreadable = if self.fields().malformed { " unreadable" } else { "" };
        format!("<{}{unreadable}{}>", Self::NAME, each.collect::<String>())
    }

    /// Decodes the JSON text of one record.
    fn from_json(text: &str) -> Result<Self, DecodeError> {
        let fields = one(Self::ROWS, text)?;
        if fields.malformed {
            return Err(DecodeError::of::<Self>("a JSON object"));
        }
        Ok(Self::from_fields(fields))
    }

    /// Decodes the record that a request asked for.
    ///
    /// Rejects an object without the record's identifier, or without any documented field if the record has no identifier, and
    /// a record with another identifier than `asked`.
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

    /// Decodes the array of records that a request asked for. In an element without any documented field, or in an error body,
    /// no field is readable.
    fn list_from_response(text: &str) -> Result<Vec<Self>, DecodeError> {
        let mut records = Self::list_from_json(text)?;
        let is_no_record = |fields: &Fields| fields.is_unknown() || check_error_body(fields).is_err();
        for record in records.iter_mut().filter(|record| is_no_record(record.fields())) {
            *record = Self::from_fields(record.fields().clone().into_malformed());
        }
        Ok(records)
    }

    /// Decodes the array of records that a request asked for, or a single record in its place.
    fn one_or_many_from_response(text: &str) -> Result<Vec<Self>, DecodeError> {
        if text.trim_ascii_start().starts_with('{') {
            Self::from_response(text, None).map(|record| vec![record])
        } else {
            Self::list_from_response(text)
        }
    }

    /// Restores a record from its text, which need not be an object; no field is readable if none was in the original.
    fn restore(text: &str, is_malformed: bool) -> Result<Self, DecodeError> {
        let fields = one(Self::ROWS, text)?;
        Ok(Self::from_fields(if is_malformed { fields.into_malformed() } else { fields }))
    }

    /// Decodes the JSON text of an array of records.
    ///
    /// An element that is not an object does not affect the others: it becomes a record without any readable field.
    fn list_from_json(text: &str) -> Result<Vec<Self>, DecodeError> {
        let found = many(Self::ROWS, text)?.ok_or_else(|| DecodeError::of::<Self>("a JSON array of them"))?;
        if found.len() > MAX_ELEMENTS {
            return Err(DecodeError::of::<Self>("an array of at most 100 000 of them"));
        }
        Ok(found.into_iter().map(Self::from_fields).collect())
    }
}

/// Checks that a record has its identifier, and that it is the requested one.
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

/// Rejects an error body, even if it repeats fields of the record.
///
/// No record of the API reference has an `error`, but services send undocumented fields. So a complete record is accepted,
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

/// The reason why a string could not be decoded into a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The text is not JSON.
    #[error("the JSON is invalid: {0}")]
    Malformed(#[from] Malformed),
    /// The text is JSON of another type.
    #[error("the text is not a {record}: expected {expected}")]
    WrongType {
        /// The name of the record.
        record: &'static str,
        /// The expected type.
        expected: &'static str,
    },
    /// The body is an error, although the status is not.
    #[error("the body is an error: {0}")]
    ErrorBody(String),
    /// The object lacks the field that identifies a record.
    #[error("the object is not a {record}: it has no {lacking}")]
    Unidentified {
        /// The name of the record.
        record: &'static str,
        /// The missing field, or a description of all missing fields.
        lacking: &'static str,
    },
    /// The record is not the requested one.
    #[error("the response is {record} {}, not {asked}", excerpt(.found))]
    Other {
        /// The name of the record.
        record: &'static str,
        /// Its identifier, as it is in the text; the message has the beginning of it.
        found: String,
        /// The requested identifier.
        asked: u64,
    },
}

impl DecodeError {
    /// Returns true if the text may be the response to another request: it is JSON, but not what was requested.
    pub fn may_be_of_another_request(&self) -> bool {
        matches!(self, Self::WrongType { .. } | Self::Unidentified { .. } | Self::Other { .. })
    }

    /// Returns true if the text is a record with another identifier than requested.
    pub fn is_of_another_record(&self) -> bool {
        matches!(self, Self::Other { .. })
    }

    /// Returns the error without secrets: `redact` gets each text of the response, before it is shortened for the message.
    #[must_use]
    pub fn redacted(self, redact: impl Fn(&str) -> String) -> Self {
        match self {
            Self::ErrorBody(error) => Self::ErrorBody(redact(&error)),
            Self::Other { record, found, asked } => Self::Other { record, found: redact(&found), asked },
            Self::Malformed(_) | Self::WrongType { .. } | Self::Unidentified { .. } => self,
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

    fn of<R: Record>(expected: &'static str) -> Self {
        Self::WrongType { record: R::NAME, expected }
    }
}
