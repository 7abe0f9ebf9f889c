//! What a watch is about: the records of a resource, and which of their fields it compares.

use botdesk_api::reference;
use botdesk_schema::field::FieldSpec;
use botdesk_schema::input::Input;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::{Fields, RecordSpec};
use botdesk_schema::resource::Resource;
use botdesk_schema::values::Bool;
use botdesk_schema::watched::{Nested, Watched};

use crate::error::Error;

/// The records that a list returns, and how they are watched.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    resource: &'static Resource,
    record: &'static RecordSpec,
    watched: &'static Watched,
}

impl Subject {
    /// Returns what a watch of a list is about.
    pub fn of(list: &'static Operation) -> Result<Self, Error> {
        let resource = reference::resource(list.resource());
        let subject = resource
            .and_then(|resource| Some(Self { resource, record: list.record(), watched: resource.watched? }))
            .filter(|_| list.is_list());
        subject.ok_or_else(|| Error::Configuration(format!("what {} returns can't be watched", list.name)))
    }

    /// Returns what following a list is about: a resource without a watch of its own has the settings of its records compared.
    pub(crate) fn listed(list: &'static Operation) -> Result<Self, Error> {
        let resource = reference::resource(list.resource()).filter(|_| list.is_list());
        let unlisted = || Error::Configuration(format!("{} lists nothing that can be followed", list.name));
        let resource = resource.ok_or_else(unlisted)?;
        Ok(Self { resource, record: list.record(), watched: resource.watched.unwrap_or(&Watched::SETTINGS) })
    }

    /// Returns the name of the resource.
    pub fn resource(&self) -> &'static str {
        self.resource.name
    }

    /// Returns the noun for one record.
    pub fn noun(&self) -> &'static str {
        self.resource.noun
    }

    /// Returns the type of the records.
    pub fn record(&self) -> &'static RecordSpec {
        self.record
    }

    /// Returns the input of the list that the watch applies itself.
    pub fn scope(&self) -> Option<&'static str> {
        self.watched.scope
    }

    /// Returns how the records are watched.
    pub(crate) fn watched(&self) -> &'static Watched {
        self.watched
    }

    /// Returns the input of the list, and its value, that select the records that have not ended; None if records do not end.
    pub(crate) fn open(&self) -> Option<(&'static str, &'static str)> {
        self.watched.ending.map(|ending| ending.open)
    }

    /// Returns true if a record has ended.
    pub(crate) fn has_ended(&self, record: &Fields) -> bool {
        self.watched.ending.is_some_and(|ending| ending.has_come(record))
    }

    /// Returns the records in each record.
    pub fn nested(&self) -> Option<&'static Nested> {
        self.watched.nested.as_ref()
    }

    /// Returns the field, by its name in the JSON, that is true while a record is enabled.
    pub(super) fn switch(&self) -> Option<&'static str> {
        self.watched.switch
    }

    /// Returns true if a record is enabled, false if it is disabled, and None if that is unknown.
    pub(super) fn is_enabled(&self, record: &Fields) -> Option<bool> {
        record.read_named::<Bool>(self.switch()?).ok().flatten()
    }

    /// Returns true for a field that says whether a record is enabled or closed: it is compared although it is volatile, and null is
    /// not a value of it.
    pub(super) fn is_state(&self, row: &FieldSpec) -> bool {
        let finished = self.nested().map(|nested| nested.finished);
        [self.switch(), finished].contains(&Some(row.wire))
    }

    /// Returns the inputs of an edit that a record may have although the API reference does not list them as fields.
    pub(super) fn unlisted(&self, record: &Fields) -> impl Iterator<Item = &'static Input> + use<> {
        let editing = self.resource.editing().filter(|_| record.spec().name == self.record.name);
        let inputs = editing.and_then(Operation::inputs).map_or(&[][..], |inputs| inputs.rows);
        let rows = record.spec().rows;
        inputs.iter().filter(move |input| rows.iter().all(|row| row.name != input.name))
    }
}
