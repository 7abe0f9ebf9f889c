//! Sends the requests of methods, and returns what is in the responses.

use std::sync::Arc;

use crate::raise::{IntoPyErr, OrPyErr as _};
use pyo3::prelude::*;

use crate::exceptions::{RustResult as _, exception_or_failure};
use crate::hints::output_type;
use crate::records::{OneRecord, RecordList, body_value};
use crate::runtime::bridge::sync_and_async;
use botdesk_api::reference;
use botdesk_client::addition::{unconfirmed, united};
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::pages::is_full_page;
use botdesk_client::request::spec::{InputValues, NO_ID, RequestSpec};
use botdesk_client::traces::TraceSearch;
use botdesk_client::warnings::warn;
use botdesk_schema::field::Schema;
use botdesk_schema::id::Id;
use botdesk_schema::input::Inputs;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Fields;
use botdesk_schema::values::FieldType;

/// What a response has.
pub(super) enum Reply {
    /// A record.
    One(OneRecord),
    /// A list of records.
    List(RecordList),
    /// A value that is no record.
    Value(Schema, Arc<str>),
}

impl<'py> IntoPyObject<'py> for Reply {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(ANY);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::One(record) => record.into_pyobject(py),
            Self::List(records) => records.into_pyobject(py),
            Self::Value(schema, body) => body_value(py, schema, &body),
        }
    }
}

/// Sends a request, and returns what is in the response, with the client.
pub(super) async fn reply(
    client: Arc<HttpClient>,
    operation: &'static Operation,
    request: RequestSpec,
) -> Result<Reply, Failed> {
    let (returns, id) = (operation.returns, request.id());
    let search = TraceSearch::new(&client, operation, &request);
    let failed = |error| Failed::of(&client, operation, id.map(Id::from), error).with_search(search);
    match returns.schema {
        Schema::List(Schema::Record(spec)) => {
            let full_page_from = is_full_page(operation, &request);
            let response =
                if returns.may_be_one { client.one_or_many(request).await } else { client.records(request).await };
            let records = response.map_rust_err(failed)?;
            let full_page_from = full_page_from(records.len());
            Ok(Reply::List(RecordList { spec, records, client: Some(client), full_page_from }))
        }
        schema if matches!(schema, Schema::Record(_)) || !returns.one_of.is_empty() => {
            let fields = client.record(request).await.map_rust_err(failed)?;
            // A response without a record has one without fields.
            if fields.spec().rows.is_empty() {
                return Ok(Reply::Value(schema, "null".into()));
            }
            Ok(Reply::One(OneRecord { fields, client: Some(client) }))
        }
        schema => {
            let body = client.value(request).await.map_rust_err(failed)?;
            Ok(Reply::Value(schema, body))
        }
    }
}

/// Sends a request without inputs, and returns the field of the record that the operation returns.
pub(super) async fn field<K, V>(client: Arc<HttpClient>, name: &str) -> Result<V, Failed>
where
    K: for<'a> FieldType<Value<'a> = V>,
{
    let unknown = || Error::Configuration(format!("botdesk has no operation {name}"));
    let operation = reference::operation(name).ok_or_else(unknown)?;
    let fields = client.record(RequestSpec::plain(operation, NO_ID)).await?;
    let index = fields.spec().rows.iter().position(|row| Some(row.name) == operation.returns.field);
    let undecodable =
        |message| Error::Decode { message, body: String::new(), method: Some(operation.method), request_id: None };
    let value = fields.read::<K>(index.unwrap_or(usize::MAX));
    let value = value.map_rust_err(|error| undecodable(error.to_string()))?;
    Ok(value.ok_or_else(|| undecodable(format!("the response to {name} lacks its value")))?)
}

/// The error of a call, and how to find out what a write with an unknown outcome has done.
pub(super) struct Failed {
    error: Error,
    // In a box, so that results stay small.
    look: Option<Box<Look>>,
}

impl Failed {
    /// Returns the error of an operation on the record with an identifier.
    pub(super) fn of(client: &Arc<HttpClient>, operation: &'static Operation, id: Option<Id>, error: Error) -> Self {
        let read = id.zip(reference::reading(operation.resource()));
        Self { error, look: Some(Box::new(Look { client: Arc::clone(client), read, search: None })) }
    }

    /// Returns the error with the search for what the operation may have made.
    fn with_search(self, search: Option<TraceSearch>) -> Self {
        Self { look: self.look.map(|look| Box::new(Look { search, ..*look })), ..self }
    }

    /// Returns true if the call was a write that may have been applied.
    pub(super) fn may_have_applied(&self) -> bool {
        self.error.may_have_applied()
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, look: None }
    }
}

impl IntoPyErr for Failed {
    fn into_py_err(self) -> PyErr {
        let is_unknown = self.error.is_outcome_unknown();
        let raised = self.error.into_py_err();
        let Some(look) = self.look.filter(|look| is_unknown && look.tells_something()) else { return raised };
        Python::attach(|py| exception_or_failure(raised.value(py).setattr("_look", *look).map(|()| raised)))
    }
}

/// The reads that tell what a write with an unknown outcome has done.
#[pyclass(frozen, name = "_Look", module = "botdesk")]
pub(crate) struct Look {
    client: Arc<HttpClient>,
    /// The record that the write was for.
    read: Option<(Id, &'static Operation)>,
    /// What the write may have made.
    search: Option<TraceSearch>,
}

impl Look {
    fn tells_something(&self) -> bool {
        self.read.is_some() || self.search.is_some()
    }
}

sync_and_async! {
    impl Look {
        /// Read the record.
        #[signature ()]
        fn check | check_async(&self) -> Reply {
            read_again(Arc::clone(&self.client), self.read.clone())
        }

        /// Look for what the write may have made.
        #[signature ()]
        fn resolve | resolve_async(&self) -> Reply {
            search(Arc::clone(&self.client), self.search.clone())
        }
    }
}

async fn read_again(client: Arc<HttpClient>, read: Option<(Id, &'static Operation)>) -> Result<Reply, Failed> {
    let (id, read) = read.ok_or_else(|| {
        can_not("no operation reads what the write was for", "resolve() looks for what it may have made")
    })?;
    reply(client, read, RequestSpec::plain(read, Some(id))).await
}

async fn search(client: Arc<HttpClient>, search: Option<TraceSearch>) -> Result<Reply, Failed> {
    let search = search
        .ok_or_else(|| can_not("no list shows what the write may have made", "check() reads the record again"))?;
    let (spec, records) = search.find(&client).await?;
    Ok(Reply::List(RecordList { spec, records, client: Some(client), full_page_from: None }))
}

fn can_not(why: &str, instead: &str) -> Error {
    Error::Configuration(format!("{why}; {instead}"))
}

/// Edits a record that is known: the given fields change, and all others are sent as the record has them.
pub(super) async fn edit(
    client: Arc<HttpClient>,
    operation: &'static Operation,
    id: u64,
    record: Fields,
    changes: InputValues,
) -> Result<Reply, Failed> {
    reply(client, operation, Edit::of(operation, id, &record, changes)?.request).await
}

/// Edits a record that is read first. Changes that are invalid for any record are reported without a request.
pub(super) fn edit_by_id(
    client: Arc<HttpClient>,
    read: &'static Operation,
    operation: &'static Operation,
    id: u64,
    changes: InputValues,
) -> PyResult<impl Future<Output = Result<Reply, Failed>> + Send> {
    Edit::check(operation, changes.clone()).or_py_err()?;
    Ok(async move {
        let record = client.record(RequestSpec::plain(read, Some(id))).await?;
        edit(client, operation, id, record, changes).await
    })
}

/// Adds to a list that is read first. Values that are invalid are reported without a request.
pub(super) fn add_to_list(
    client: Arc<HttpClient>,
    read: &'static Operation,
    operation: &'static Operation,
    given: InputValues,
) -> PyResult<impl Future<Output = Result<Reply, Failed>> + Send> {
    RequestSpec::with(operation, NO_ID, given.clone()).or_py_err()?;
    Ok(async move {
        let list = client.record(RequestSpec::plain(read, NO_ID)).await?;
        let inputs = operation.inputs().unwrap_or(&Inputs::NONE);
        let values = united(inputs, given, &list);
        let response = reply(client, operation, RequestSpec::with(operation, NO_ID, values.clone())?).await?;
        if let Reply::One(record) = &response {
            let unconfirmed = unconfirmed(inputs, &values, &[&list, &record.fields]);
            if !unconfirmed.is_empty() {
                let names = unconfirmed.join(", ");
                warn(format!(
                    "{} was accepted, but the service does not list {names}; read the list again",
                    operation.name
                ));
            }
        }
        Ok(response)
    })
}
