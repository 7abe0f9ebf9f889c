//! The requests of methods, and what becomes of their responses.

use std::future::{Ready, ready};
use std::sync::Arc;

use crate::raise::{IntoPyErr, OrPyErr as _};
use pyo3::prelude::*;
use serde_json::json;

use super::bridge::sync_and_async;
use super::exceptions::exception_or_failure;
use super::generated::records::dca_bot::DcaBot;
use super::records::{Acting, RecordClass, Records};
use botdesk_api::dca_bot::GET;
use botdesk_api::endpoint::Endpoint;
use botdesk_api::record::Record;
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::{InputValues, RequestSpec};

/// Sends a request and returns the record in the response, bound to the client.
pub(super) async fn one<A: Acting>(road: Arc<HttpClient>, call: RequestSpec) -> Result<A, Failed> {
    let subject = call.id.filter(|_| A::READABLE);
    match road.record(call).await {
        Ok(record) => Ok(A::made_by(road, record)),
        Err(error) => Err(Failed { error, look: subject.map(|id| Look { road, id }) }),
    }
}

/// Sends a request and returns the record in the response, which needs no client.
pub(super) async fn plain<T: RecordClass>(road: Arc<HttpClient>, call: RequestSpec) -> Result<T, Error> {
    road.record::<T::Core>(call).await.map(T::from)
}

/// Sends a request and returns the records in the response, bound to the client.
pub(super) async fn page<A: Acting>(road: Arc<HttpClient>, call: RequestSpec) -> Result<Records<A>, Error> {
    let records = road.records(call).await?;
    Ok(Records(records.into_iter().map(|record| A::made_by(Arc::clone(&road), record)).collect()))
}

/// Sends a request and returns the records in the response, which need no client.
pub(super) async fn list<T: RecordClass>(road: Arc<HttpClient>, call: RequestSpec) -> Result<Records<T>, Error> {
    road.records(call).await.map(Records::of)
}

/// Sends a request and returns the records in the response. A single record that is not in a list becomes a list of one.
pub(super) async fn list_or_one<T: RecordClass>(road: Arc<HttpClient>, call: RequestSpec) -> Result<Records<T>, Error> {
    road.one_or_many(call).await.map(Records::of)
}

/// A call that failed, and how to look at what it was for.
pub(super) struct Failed {
    error: Error,
    look: Option<Look>,
}

impl Failed {
    /// A call of a list of them that failed.
    pub(super) fn one_of<A: Acting>(road: &Arc<HttpClient>, id: u64, error: Error) -> Self {
        Self { error, look: A::READABLE.then(|| Look { road: Arc::clone(road), id }) }
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
        Self { error, look: None }
    }
}

impl IntoPyErr for Failed {
    fn into_py_err(self) -> PyErr {
        let is_unknown = self.error.is_outcome_unknown();
        let raised = self.error.into_py_err();
        let Some(look) = self.look.filter(|_| is_unknown) else { return raised };
        Python::attach(|py| exception_or_failure(raised.value(py).setattr("_look", look).map(|()| raised)))
    }
}

/// How to look at a DCA bot whose write has an unknown outcome.
#[pyclass(frozen, name = "_Look", module = "botdesk")]
pub(crate) struct Look {
    road: Arc<HttpClient>,
    id: u64,
}

sync_and_async! {
    impl Look {
        /// Read the bot.
        #[signature ()]
        fn check | check_async(&self) -> DcaBot {
            one(Arc::clone(&self.road), RequestSpec::plain(&GET, Some(self.id)))
        }
    }
}

/// Edits a record that is known: the given fields change, and all others are sent as the record has them.
pub(super) async fn edit<A: Acting>(
    road: Arc<HttpClient>,
    endpoint: &'static Endpoint,
    id: u64,
    record: A::Core,
    changes: InputValues,
) -> Result<A, Failed> {
    one(road, Edit::of(endpoint, id, &record, changes)?.request).await
}

/// Edits a record that is read first. Changes that are invalid for any record are reported without a request.
pub(super) fn edit_by_id<A: Acting>(
    road: Arc<HttpClient>,
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
        let record = road.record(RequestSpec::plain(get, Some(id))).await?;
        edit(road, endpoint, id, record, changes).await
    })
}

/// Returns the preview of an edit, as a future that is ready.
pub(super) fn preview<R: Record, P>(
    road: Arc<HttpClient>,
    endpoint: &'static Endpoint,
    id: u64,
    record: &R,
    changes: InputValues,
    preview: impl FnOnce(Arc<HttpClient>, Edit) -> P,
) -> PyResult<Ready<Result<P, Error>>> {
    let edit = Edit::of(endpoint, id, record, changes).or_py_err()?;
    Ok(ready(Ok(preview(road, edit))))
}

/// Returns a record that has nothing but its identifier.
pub(super) fn unread<R: Record>(id: u64) -> PyResult<R> {
    R::from_json(&json!({ "id": id }).to_string()).or_py_err()
}
