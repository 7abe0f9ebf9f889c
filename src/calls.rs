//! Sends the requests of methods, and returns the records in the responses.

use std::future::{Ready, ready};
use std::sync::Arc;

use crate::raise::{IntoPyErr, OrPyErr as _};
use pyo3::prelude::*;
use serde_json::json;

use super::bridge::sync_and_async;
use super::exceptions::exception_or_failure;
use super::generated_records::dca_bot::DcaBot;
use super::records::{ClientRecord, RecordClass, Records};
use botdesk_api::dca_bot::{DEFAULT_LIMIT, GET};
use botdesk_api::endpoint::Endpoint;
use botdesk_api::record::Record;
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::{InputValues, RequestSpec};

/// Sends a request and returns the record in the response, bound to the client.
pub(super) async fn one<A: ClientRecord>(client: Arc<HttpClient>, call: RequestSpec) -> Result<A, Failed> {
    let subject = call.id.filter(|_| A::READABLE);
    match client.record(call).await {
        Ok(record) => Ok(A::with_client(client, record)),
        Err(error) => Err(Failed { error, reader: subject.map(|id| BotReader { client, id }) }),
    }
}

/// Sends a request and returns the record in the response, which needs no client.
pub(super) async fn plain<T: RecordClass>(client: Arc<HttpClient>, call: RequestSpec) -> Result<T, Error> {
    client.record::<T::Core>(call).await.map(T::from)
}

/// Sends a request and returns the records in the response, bound to the client.
pub(super) async fn page<A: ClientRecord>(client: Arc<HttpClient>, call: RequestSpec) -> Result<Records<A>, Error> {
    let limit = call.number_in_query("limit").unwrap_or(DEFAULT_LIMIT);
    let offset = call.number_in_query("offset").unwrap_or(0);
    let records = client.records(call).await?;
    let full_page_from = (records.len() as u64 >= limit).then_some(offset);
    let records = records.into_iter().map(|record| A::with_client(Arc::clone(&client), record)).collect();
    Ok(Records { records, full_page_from })
}

/// Sends a request and returns the records in the response, which need no client.
pub(super) async fn list<T: RecordClass>(client: Arc<HttpClient>, call: RequestSpec) -> Result<Records<T>, Error> {
    client.records(call).await.map(Records::of)
}

/// Sends a request and returns the records in the response. A single record that is not in a list becomes a list of one.
pub(super) async fn list_or_one<T: RecordClass>(
    client: Arc<HttpClient>,
    call: RequestSpec,
) -> Result<Records<T>, Error> {
    client.one_or_many(call).await.map(Records::of)
}

/// The error of a call, and how to read the record of a write whose outcome is unknown.
pub(super) struct Failed {
    error: Error,
    reader: Option<BotReader>,
}

impl Failed {
    /// Returns the error of one target of a bulk run.
    pub(super) fn one_of<A: ClientRecord>(client: &Arc<HttpClient>, id: u64, error: Error) -> Self {
        Self { error, reader: A::READABLE.then(|| BotReader { client: Arc::clone(client), id }) }
    }
}

impl Failed {
    /// Returns true if the call was a write that may have been applied.
    pub(super) fn may_have_applied(&self) -> bool {
        self.error.may_have_applied()
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self { error, reader: None }
    }
}

impl IntoPyErr for Failed {
    fn into_py_err(self) -> PyErr {
        let is_unknown = self.error.is_outcome_unknown();
        let raised = self.error.into_py_err();
        let Some(reader) = self.reader.filter(|_| is_unknown) else { return raised };
        Python::attach(|py| exception_or_failure(raised.value(py).setattr("_look", reader).map(|()| raised)))
    }
}

/// Reads a DCA bot after a write with an unknown outcome.
#[pyclass(frozen, name = "_Look", module = "botdesk")]
pub(crate) struct BotReader {
    client: Arc<HttpClient>,
    id: u64,
}

sync_and_async! {
    impl BotReader {
        /// Read the bot.
        #[signature ()]
        fn check | check_async(&self) -> DcaBot {
            one(Arc::clone(&self.client), RequestSpec::plain(&GET, Some(self.id)))
        }
    }
}

/// Edits a record that is known: the given fields change, and all others are sent as the record has them.
pub(super) async fn edit<A: ClientRecord>(
    client: Arc<HttpClient>,
    endpoint: &'static Endpoint,
    id: u64,
    record: A::Core,
    changes: InputValues,
) -> Result<A, Failed> {
    one(client, Edit::of(endpoint, id, &record, changes)?.request).await
}

/// Edits a record that is read first. Changes that are invalid for any record are reported without a request.
pub(super) fn edit_by_id<A: ClientRecord>(
    client: Arc<HttpClient>,
    get: &'static Endpoint,
    endpoint: &'static Endpoint,
    id: u64,
    changes: InputValues,
) -> PyResult<impl Future<Output = Result<A, Failed>> + Send + use<A>>
where
    A::Core: Send,
{
    Edit::check(endpoint, changes.clone()).or_py_err()?;
    Ok(async move {
        let record = client.record(RequestSpec::plain(get, Some(id))).await?;
        edit(client, endpoint, id, record, changes).await
    })
}

/// Returns the preview of an edit, as a future that is ready.
pub(super) fn preview<R: Record, P>(
    client: Arc<HttpClient>,
    endpoint: &'static Endpoint,
    id: u64,
    record: &R,
    changes: InputValues,
    preview: impl FnOnce(Arc<HttpClient>, Edit) -> P,
) -> PyResult<Ready<Result<P, Error>>> {
    let edit = Edit::of(endpoint, id, record, changes).or_py_err()?;
    Ok(ready(Ok(preview(client, edit))))
}

/// Returns a record that has nothing but its identifier.
pub(super) fn unread<R: Record>(id: u64) -> PyResult<R> {
    R::from_json(&json!({ "id": id }).to_string()).or_py_err()
}
