//! Who is asked for the bots.

use std::sync::Arc;

use crate::error::Error;
use crate::http::client::HttpClient;
use crate::pages::Paginator;
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_api::dca_bot::{DcaBot, GET};

/// Who is asked for the bots.
pub trait Source: Send + Sync + 'static {
    /// A walk over all of them.
    type Paginator: Send;

    /// Begins a walk.
    fn pages(&self) -> Result<Self::Paginator, Error>;

    /// The next bot of a walk; None after the last one. Where it is dropped before its end, nothing is skipped.
    fn next(&self, pages: &mut Self::Paginator) -> impl Future<Output = Result<Option<DcaBot>, Error>> + Send;

    /// One bot with its deals.
    fn show(&self, id: u64) -> impl Future<Output = Result<DcaBot, Error>> + Send;
}

/// The service, asked over a client's road.
#[derive(Debug)]
pub struct ApiSource {
    client: Arc<HttpClient>,
    given: InputValues,
}

impl ApiSource {
    /// The bots that a list with these filters holds. The filters are checked before anything is sent.
    pub fn new(client: Arc<HttpClient>, given: InputValues) -> Result<Self, Error> {
        let service = Self { client, given };
        service.pages()?;
        Ok(service)
    }

    /// The road.
    pub fn client(&self) -> &Arc<HttpClient> {
        &self.client
    }
}

impl Source for ApiSource {
    type Paginator = Paginator;

    fn pages(&self) -> Result<Paginator, Error> {
        Paginator::new(Arc::clone(&self.client), self.given.clone())
    }

    async fn next(&self, pages: &mut Paginator) -> Result<Option<DcaBot>, Error> {
        pages.next().await
    }

    async fn show(&self, id: u64) -> Result<DcaBot, Error> {
        self.client.record(RequestSpec::plain(&GET, Some(id))).await
    }
}
