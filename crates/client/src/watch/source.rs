//! The source of the bots of a watch.

use std::sync::Arc;

use crate::error::Error;
use crate::http::client::HttpClient;
use crate::pages::Paginator;
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::document;
use botdesk_api::operation::Operation;
use botdesk_api::record::Record as _;

/// The source of the bots of a watch.
pub trait Source: Send + Sync + 'static {
    /// Returns all bots, page by page.
    type Pages: Send;

    /// Starts at the first page.
    fn pages(&self) -> Result<Self::Pages, Error>;

    /// Returns the next bot; None after the last one. If the future is dropped, no bot is skipped.
    fn next(&self, pages: &mut Self::Pages) -> impl Future<Output = Result<Option<DcaBot>, Error>> + Send;

    /// Returns one bot with its deals.
    fn show(&self, id: u64) -> impl Future<Output = Result<DcaBot, Error>> + Send;
}

/// The service, called by a client.
#[derive(Debug)]
pub struct ApiSource {
    client: Arc<HttpClient>,
    list: &'static Operation,
    reading: &'static Operation,
    given: InputValues,
}

impl ApiSource {
    /// Returns the source of the bots that pass the filters, which are validated before anything is sent.
    pub fn new(client: Arc<HttpClient>, list: &'static Operation, given: InputValues) -> Result<Self, Error> {
        let reading = document::reading(list.resource());
        let reading =
            reading.ok_or_else(|| Error::Configuration(format!("no operation reads what {} lists", list.name)))?;
        let source = Self { client, list, reading, given };
        source.pages()?;
        Ok(source)
    }

    /// Returns the client.
    pub fn client(&self) -> &Arc<HttpClient> {
        &self.client
    }
}

impl Source for ApiSource {
    type Pages = Paginator;

    fn pages(&self) -> Result<Paginator, Error> {
        Paginator::new(Arc::clone(&self.client), self.list, self.given.clone())
    }

    async fn next(&self, pages: &mut Paginator) -> Result<Option<DcaBot>, Error> {
        Ok(pages.next().await?.map(DcaBot::from_fields))
    }

    async fn show(&self, id: u64) -> Result<DcaBot, Error> {
        self.client.record(RequestSpec::plain(self.reading, Some(id))).await.map(DcaBot::from_fields)
    }
}
