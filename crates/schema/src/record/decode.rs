//! Decoding of responses into records.

use super::field_error::FieldError;
use super::field_error::excerpt;
use super::fields::Fields;
use super::finder::{many, one};
use crate::error::ErrorBody;
use crate::field::{FieldSpec, RecordSpec};
use crate::id::{Id, SUMMARY};
use crate::json::{Json, Malformed};
use crate::values::{FieldType, Integer, MAX_ELEMENTS};

/// An object of the service, as one response contains it: a typed view of its [`Fields`].
pub trait Record: Sized {
    /// Its name, its description and its fields.
    const SPEC: &'static RecordSpec;
    /// The name of the record.
    const NAME: &'static str = Self::SPEC.name;
    /// Its fields, in the order of the API reference.
    const ROWS: &'static [FieldSpec] = Self::SPEC.rows;

    /// Returns the record with the fields that were found.
    fn from_fields(fields: Fields) -> Self;

    /// Returns the record with these fields; None if they are those of another record.
    fn cast(fields: &Fields) -> Option<Self> {
        (fields.spec().name == Self::SPEC.name).then(|| Self::from_fields(fields.clone()))
    }

    /// Returns the fields that were found.
    fn fields(&self) -> &Fields;

    /// Returns the errors that reading each field raises.
    fn unreadable(&self) -> Vec<FieldError> {
        (0..Self::ROWS.len()).filter_map(|index| self.fields().check_at(index).err()).collect()
    }

    /// Decodes the JSON text of one record.
    fn from_json(text: &str) -> Result<Self, DecodeError> {
        Self::SPEC.from_json(text).map(Self::from_fields)
    }

    /// Decodes the JSON text of an array of records.
    fn list_from_json(text: &str) -> Result<Vec<Self>, DecodeError> {
        Ok(Self::SPEC.list_from_json(text)?.into_iter().map(Self::from_fields).collect())
    }
}

/// Decodes records of any kind.
impl RecordSpec {
    /// Returns the description of a record.
    pub const fn of<R: Record>() -> Self {
        *R::SPEC
    }

    /// Returns the index of the field that identifies a record; None if there is none.
    pub fn identifier(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.identifier)
    }

    /// Decodes the JSON text of one record.
    pub fn from_json(&'static self, text: &str) -> Result<Fields, DecodeError> {
        let fields = one(self, text)?;
        if fields.malformed { Err(self.wrong_type("a JSON object")) } else { Ok(fields) }
    }

    /// Decodes the record that a request asked for.
    ///
    /// Rejects an object without the record's identifier, or without any documented field if the record has no identifier, and
    /// a record with another identifier than `asked`.
    pub fn from_response(&'static self, text: &str, asked: Option<&Id>) -> Result<Fields, DecodeError> {
        let fields = self.from_json(text)?;
        match self.identifier() {
            Some(index) => check_identifier(&fields, index, asked)?,
            None if fields.has_no_documented_field() => {
                return Err(DecodeError::unidentified(self, text, "documented field"));
            }
            None => {}
        }
        check_error_body(&fields)?;
        Ok(fields)
    }

    /// Decodes the array of records that a request asked for. In an element without any documented field, or in an error body,
    /// no field is readable.
    pub fn list_from_response(&'static self, text: &str) -> Result<Vec<Fields>, DecodeError> {
        let is_no_record = |fields: &Fields| fields.has_no_documented_field() || check_error_body(fields).is_err();
        let checked = |fields: Fields| if is_no_record(&fields) { fields.into_malformed() } else { fields };
        let records = self
            .list_from_json(text)
            .map_err(|error| ErrorBody::parse(text).summary().map_or(error, DecodeError::ErrorBody))?;
        Ok(records.into_iter().map(checked).collect())
    }

    /// Decodes the array of records that a request asked for, or a single record in its place.
    pub fn one_or_many_from_response(&'static self, text: &str) -> Result<Vec<Fields>, DecodeError> {
        if text.trim_ascii_start().starts_with('{') {
            self.from_response(text, None).map(|record| vec![record])
        } else {
            self.list_from_response(text)
        }
    }

    /// Restores a record from its text, which need not be an object; no field is readable if none was in the original.
    pub fn restore(&'static self, text: &str, is_malformed: bool) -> Result<Fields, DecodeError> {
        let fields = one(self, text)?;
        Ok(if is_malformed { fields.into_malformed() } else { fields })
    }

    /// Decodes the JSON text of an array of records.
    ///
    /// An element that is not an object does not affect the others: it becomes a record without any readable field.
    pub fn list_from_json(&'static self, text: &str) -> Result<Vec<Fields>, DecodeError> {
        let found = many(self, text)?.ok_or_else(|| self.wrong_type("a JSON array of them"))?;
        if found.len() > MAX_ELEMENTS {
            return Err(self.wrong_type("an array of at most 100 000 of them"));
        }
        Ok(found)
    }

    fn wrong_type(&self, expected: &'static str) -> DecodeError {
        DecodeError::WrongType { record: self.name, expected }
    }
}

/// Checks that a record has its identifier, and that it is the requested one.
fn check_identifier(fields: &Fields, index: usize, asked: Option<&Id>) -> Result<(), DecodeError> {
    // The aggregate of several records has no identifier of its own.
    if matches!(asked, Some(Id::Text(text)) if text == SUMMARY) && !fields.has_no_documented_field() {
        return Ok(());
    }
    let row = fields.spec.rows.get(index);
    let found = fields.get(index).filter(|json| !json.is_null());
    let is_asked = |json: Json<'_>, asked: &Id| match asked {
        Id::Number(number) => Integer::read(json).and_then(|id| u64::try_from(id).ok()) == Some(*number),
        Id::Text(text) => json.string().is_some_and(|id| id.eq_ignore_ascii_case(text)),
    };
    match (found, asked) {
        (None, _) => Err(DecodeError::unidentified(fields.spec, fields.text(), row.map_or("", |row| row.wire))),
        (Some(json), Some(asked)) if !is_asked(json, asked) => Err(DecodeError::Other {
            record: fields.spec.name,
            found: json.text().to_owned(),
            asked: asked.to_string(),
        }),
        (Some(_), _) => Ok(()),
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
    if fields.has_all_required() && !has("error_description") && !has("error_attributes") {
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
    /// The text is JSON, but not the value that an operation returns.
    #[error("the response is not what the operation returns: expected {expected}, each element of its type")]
    WrongValue {
        /// The expected type.
        expected: &'static str,
    },
    /// The text is JSON, but lacks the member that has the value that an operation returns, or the value has another type.
    #[error("the response is not what the operation returns: expected an object with the member {member}")]
    Lacking {
        /// The name of the member.
        member: &'static str,
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
        asked: String,
    },
}

impl DecodeError {
    /// Returns true if the text may be the response to another request: it is JSON, but not what was requested.
    pub fn may_be_of_another_request(&self) -> bool {
        matches!(
            self,
            Self::WrongType { .. }
                | Self::WrongValue { .. }
                | Self::Lacking { .. }
                | Self::Unidentified { .. }
                | Self::Other { .. }
        )
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
            Self::Malformed(_)
            | Self::WrongType { .. }
            | Self::WrongValue { .. }
            | Self::Lacking { .. }
            | Self::Unidentified { .. } => self,
        }
    }

    fn unidentified(spec: &RecordSpec, text: &str, lacking: &'static str) -> Self {
        match ErrorBody::parse(text).summary() {
            Some(error) => Self::ErrorBody(error),
            None => Self::Unidentified { record: spec.name, lacking },
        }
    }
}
