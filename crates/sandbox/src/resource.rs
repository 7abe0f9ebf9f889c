//! Resources: their records in the API, and what differs from the defaults of the sandbox.

use serde_json::Value;

use super::defaults;
use super::inputs::{ParsedInputs, ValidationErrors};
use super::record::JsonRecord;
use super::route::Handler;
use super::state::State;
use super::store::{Store, Table};
use botdesk_api::input::RequestBuilder;
use botdesk_api::record::{Fields, Record};
use botdesk_api::row::FieldSpec;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The type of the records of a resource.
#[derive(Clone, Copy)]
pub(super) struct RecordType {
    /// The name of the record in the API reference.
    pub(super) name: &'static str,
    /// The name with an article, for messages.
    pub(super) noun: &'static str,
    rows: &'static [&'static [FieldSpec]],
    /// Parses a record; returns None if it can't be read.
    parse: fn(&str) -> Option<Fields>,
}

impl RecordType {
    /// Returns the type of a record of the API reference.
    pub(super) const fn of<R: Record>(noun: &'static str) -> Self {
        Self { name: <R as Record>::NAME, noun, rows: const { &[R::ROWS] }, parse: fields::<R> }
    }

    /// Returns the type of a record that the API reference does not define, with these fields.
    pub(super) const fn of_rows(name: &'static str, noun: &'static str, rows: &'static [&'static [FieldSpec]]) -> Self {
        Self { name, noun, rows, parse: |_| None }
    }

    /// Returns the rows of the fields.
    pub(super) fn rows(self) -> impl Iterator<Item = &'static FieldSpec> + Clone {
        self.rows.iter().copied().flatten()
    }

    /// Returns the row of a field by its name in JSON.
    pub(super) fn row(self, field: &str) -> Option<&'static FieldSpec> {
        self.rows().find(|row| row.wire == field)
    }

    /// Returns the fields of a record; None if it can't be read.
    pub(super) fn fields(self, record: &JsonRecord) -> Option<Fields> {
        (self.parse)(&Value::Object(record.clone()).to_string())
    }
}

fn fields<R: Record>(json: &str) -> Option<Fields> {
    R::from_json(json).ok().map(|record| record.fields().clone())
}

/// A resource. Its methods are hooks of the default operations: a resource without effects needs only its table and its record.
pub(super) trait Resource: Sync {
    /// Returns the name in operations, in state files and for additions.
    fn name(&self) -> &'static str;

    /// Returns the records.
    fn table<'a>(&self, store: &'a Store) -> &'a Table;

    /// Returns the records for modification.
    fn table_mut<'a>(&self, store: &'a mut Store) -> &'a mut Table;

    /// Returns the type of the records.
    fn record(&self) -> RecordType;

    /// Returns a new record, each field with its sample.
    fn template(&self) -> JsonRecord {
        defaults::of_rows(self.record().rows().filter(|row| row.listed))
    }

    /// Returns the handlers of operations by name, such as `enable`. The others have defaults.
    fn handlers(&self) -> &'static [(&'static str, Handler)] {
        &[]
    }

    /// Returns the body of a record as its own endpoint returns it; None if it does not exist.
    fn show(&self, state: &State, id: u64, _query: &RequestBuilder) -> Option<SerializedBody> {
        self.table(&state.store).get(&id).map(SerializedBody::serialize)
    }

    /// Returns whether a record matches a filter of a list; None if the default decides.
    fn matches(&self, _record: &JsonRecord, _filter: &str, _value: &Value) -> Option<bool> {
        None
    }

    /// Returns the field by which a list is sorted for a sort key.
    fn sort_field<'a>(&self, key: &'a str) -> &'a str {
        key
    }

    /// Changes the inputs of an edit before they are checked.
    fn normalize_edit(&self, _record: &JsonRecord, _given: &mut ParsedInputs) {}

    /// Checks an edit by rules that the inputs do not have.
    fn check_edit(
        &self,
        _state: &State,
        _record: &JsonRecord,
        _request: &RequestBuilder,
        _errors: &mut ValidationErrors,
    ) {
    }

    /// Returns whether an edit stores an input in the record.
    fn stores(&self, _input: &str) -> bool {
        true
    }

    /// Updates the fields of an edited record that depend on others.
    fn complete_edit(&self, _state: &State, _current: &JsonRecord, _edited: &mut JsonRecord) -> Result<(), ApiError> {
        Ok(())
    }

    /// Updates what depends on a record that was edited at this time.
    fn after_edit(&self, _state: &mut State, _id: u64, _at: &Value) {}
}

/// Defines the methods of a resource that follow from the name of its table.
macro_rules! table {
    ($name:ident) => {
        fn name(&self) -> &'static str {
            stringify!($name)
        }

        fn table<'a>(&self, store: &'a $crate::store::Store) -> &'a $crate::store::Table {
            &store.$name
        }

        fn table_mut<'a>(&self, store: &'a mut $crate::store::Store) -> &'a mut $crate::store::Table {
            &mut store.$name
        }
    };
}
pub(super) use table;
