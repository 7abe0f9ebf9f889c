//! The source of the records of a watch.

use std::sync::Arc;

use super::subject::Subject;
use crate::error::Error;
use crate::http::client::HttpClient;
use crate::pages::Paginator;
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_api::reference;
use botdesk_schema::input::InputName;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Fields;
use botdesk_schema::values::Field;

/// The source of the records of a watch.
pub trait Source: Send + Sync + 'static {
    /// Returns all records, page by page.
    type Pages: Send;

    /// Starts at the first page.
    fn pages(&self) -> Result<Self::Pages, Error>;

    /// Returns the next record; None after the last one. If the future is dropped, no record is skipped.
    fn next(&self, pages: &mut Self::Pages) -> impl Future<Output = Result<Option<Fields>, Error>> + Send;

    /// Returns one record with the records in it.
    fn show(&self, id: u64) -> impl Future<Output = Result<Fields, Error>> + Send;
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
    /// Returns the source of the records that pass the filters, which are validated before anything is sent. Of records that end it
    /// lists those that have not ended.
    pub fn new(client: Arc<HttpClient>, list: &'static Operation, mut given: InputValues) -> Result<Self, Error> {
        if let Some((input, value)) = Subject::listed(list)?.open() {
            given.inputs.push((InputName::new(input), Field::Value(value.into())));
        }
        let reading = reference::reading(list.resource());
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
        Paginator::new(Arc::clone(&self.client), self.list, Vec::new(), self.given.clone())
    }

    async fn next(&self, pages: &mut Paginator) -> Result<Option<Fields>, Error> {
        pages.next().await
    }

    async fn show(&self, id: u64) -> Result<Fields, Error> {
        self.client.record(RequestSpec::plain(self.reading, Some(id))).await
    }
}
