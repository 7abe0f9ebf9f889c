//! Calls whose answers remember the client that made them.

use std::sync::Arc;

use crate::raise::IntoPyErr;
use pyo3::prelude::*;

use super::bridge::twins;
use super::exceptions::exception_or_failure;
use super::records::{Acting, DcaBot, RecordClass};
use botdesk_api::dca_bot::GET;
use botdesk_api::endpoint::Endpoint;
use botdesk_client::edit::Edit;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::{InputValues, RequestSpec};

/// A call that is answered with one record.
pub(super) async fn one<A: Acting>(road: Arc<HttpClient>, call: RequestSpec) -> Result<A, Failed> {
    let subject = call.id.filter(|_| A::READABLE);
    match road.record(call).await {
        Ok(record) => Ok(A::made_by(road, record)),
        Err(error) => Err(Failed { error, look: subject.map(|id| Look { road, id }) }),
    }
}

/// A call that is answered with one record, which needs no client.
pub(super) async fn plain<T: RecordClass>(road: Arc<HttpClient>, call: RequestSpec) -> Result<T, Error> {
    road.record::<T::Core>(call).await.map(T::from)
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

twins! {
    impl Look {
        /// Read the bot.
        #[signature ()]
        fn check | check_async(&self) -> DcaBot {
            one(Arc::clone(&self.road), RequestSpec::plain(&GET, Some(self.id)))
        }
    }
}

/// Changes what was given of the record with that identifier, and leaves all else as the record holds it.
pub(super) async fn edit<A: Acting>(
    road: Arc<HttpClient>,
    endpoint: &'static Endpoint,
    id: u64,
    record: A::Core,
    given: InputValues,
) -> Result<A, Failed> {
    one(road, Edit::of(endpoint, id, &record, given)?.request).await
}
