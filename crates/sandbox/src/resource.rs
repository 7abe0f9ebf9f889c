//! Resources: their records in the API, and what differs from the defaults of the sandbox.

use std::borrow::Cow;

use serde_json::Value;

use super::additions::{self, NamedValue};
use super::defaults::{self, object};
use super::inputs::{ParsedInputs, ValidationErrors};
use super::record::JsonRecord;
use super::record_type::RecordType;
use super::saved::{self, Document, Problem};
use super::seed::{SeedOptions, SeedRecords};
use super::sort_value::SortValue;
use super::state::State;
use super::store::{Store, Table};
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// A resource. Everything but its table and its record has a default: a resource overrides what its effects need.
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

    /// Returns a record as it is now, with the figures that its table does not keep up to date; None if it does not exist.
    fn current<'a>(&self, state: &'a State, id: u64) -> Option<Cow<'a, JsonRecord>> {
        self.table(&state.store).get(&id).map(Cow::Borrowed)
    }

    /// Returns the body of a record as its own endpoint returns it; None if it does not exist.
    fn show(&self, state: &State, id: u64, _query: &RequestBuilder) -> Option<SerializedBody> {
        self.current(state, id).map(|record| SerializedBody::serialize(&self.returned(&record)))
    }

    /// Returns a record as responses contain it.
    fn returned<'a>(&self, record: &'a JsonRecord) -> Cow<'a, JsonRecord> {
        Cow::Borrowed(record)
    }

    /// Returns whether a record matches a filter of a list; None if the default decides.
    fn matches(&self, _record: &JsonRecord, _filter: &str, _value: &Value) -> Option<bool> {
        None
    }

    /// Returns the field of a record by which a list is sorted for a sort key.
    fn sort_field<'a>(&self, _record: &JsonRecord, key: &'a str) -> &'a str {
        key
    }

    /// Returns the value by which a list is sorted for a sort key; None if it is that of the field.
    fn sort_value(&self, _record: &JsonRecord, _key: Option<&str>) -> Option<SortValue> {
        None
    }

    /// Returns a record as lists contain it; None if it does not exist.
    fn listed<'a>(&self, state: &'a State, id: u64) -> Option<Cow<'a, JsonRecord>> {
        self.current(state, id)
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
    fn complete_edit(
        &self,
        _state: &State,
        _current: &JsonRecord,
        _edited: &mut JsonRecord,
        _request: &RequestBuilder,
    ) -> Result<(), ApiError> {
        Ok(())
    }

    /// Keeps what a record is about to lose by an edit.
    fn before_edit(&self, _state: &mut State, _id: u64, _edited: &JsonRecord) {}

    /// Updates what depends on a record that was edited at this time.
    fn after_edit(&self, _state: &mut State, _id: u64, _at: &Value) {}

    /// Adds a record with these fields; returns its id. If a field is invalid, only the market may have changed.
    fn add(&self, state: &mut State, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let given = additions::parse_fields(self.record(), given)?;
        let id = additions::free_id(&given, self.table(&state.store)).map_err(|violation| vec![violation])?;
        let record = self.new_record(state, id, given).map_err(|violation| vec![violation])?;
        self.table_mut(&mut state.store).insert(id, record);
        Ok(id)
    }

    /// Returns a new record with these fields. The others have their samples.
    fn new_record(&self, state: &mut State, id: u64, given: JsonRecord) -> Result<JsonRecord, Violation> {
        let mut record = self.template();
        record.extend(object! { "id": id });
        if record.contains_key("created_at") {
            record.extend(state.creation_times());
        }
        record.extend(given);
        Ok(record)
    }

    /// Adds the records of the initial state.
    fn seed(&self, _options: &SeedOptions, _records: &mut SeedRecords) {}

    /// Writes the records to a state file.
    fn save(&self, state: &State, document: &mut Document) {
        let record = |(id, record): (&u64, &JsonRecord)| {
            Value::Object(saved::replace_secrets(record, self.record(), state.seed, *id))
        };
        document.insert(self.name().to_owned(), self.table(&state.store).iter().map(record).collect());
        self.save_more(state, document);
    }

    /// Writes what a state file has beside the records.
    fn save_more(&self, _state: &State, _document: &mut Document) {}

    /// Reads the records from a state file.
    fn load(&self, state: &mut State, document: &mut Document) -> Result<(), Problem> {
        for (at, record) in saved::take(document, self.name())? {
            let record = state.restored(record, self.record(), &at)?;
            saved::insert(self.table_mut(&mut state.store), record, &at)?;
        }
        self.load_more(state, document)
    }

    /// Reads what a state file has beside the records.
    fn load_more(&self, _state: &mut State, _document: &mut Document) -> Result<(), Problem> {
        Ok(())
    }

    /// Returns the table on the page of the sandbox, if there is one.
    fn page_table(&self) -> Option<PageTable> {
        None
    }

    /// Returns the records of that table.
    fn page_records<'a>(&self, state: &'a State) -> Vec<&'a JsonRecord> {
        self.table(&state.store).values().collect()
    }

    /// Returns the field of a record that a column of that table shows.
    fn page_field(&self, _record: &JsonRecord, column: &'static str) -> &'static str {
        column
    }
}

/// A table on the page of the sandbox. Only fields that it lists are shown, so that no secret of a record is.
pub(super) struct PageTable {
    /// The columns, which are fields unless the resource says otherwise.
    pub(super) columns: &'static [&'static str],
    /// The columns that are rounded.
    pub(super) figures: &'static [&'static str],
    /// True if the figures are in the quote currency of the records' pairs.
    pub(super) is_in_quote_currency: bool,
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
