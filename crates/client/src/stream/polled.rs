//! A resource without a stream: a watch polls its list.

use std::sync::Arc;

use super::event::{Origin, StreamEvent};
use super::shared::Shared;
use crate::error::Error;
use crate::http::HttpClient;
use crate::request::spec::InputValues;
use crate::watch::{ApiSource, RecordChange, Scope, Subject, WatchOptions, Watcher};
use botdesk_schema::resource::Resource;
use serde_json::Map;

/// A resource that a watch polls.
pub(super) struct Polled {
    pub(super) watcher: Watcher<ApiSource>,
    shared: Arc<Shared>,
    member: usize,
    resource: &'static Resource,
}

impl Polled {
    /// Returns a watch of a resource that has not polled yet; `since` is the state of an earlier one.
    pub(super) fn new(
        client: &Arc<HttpClient>,
        shared: &Arc<Shared>,
        member: usize,
        resource: &'static Resource,
        since: Option<&str>,
    ) -> Result<Self, Error> {
        let unlisted = || Error::Configuration(format!("{} can't be listed", resource.name));
        let list = resource.listing().ok_or_else(unlisted)?;
        let options = WatchOptions {
            every: shared.options.every,
            scope: Scope::all(Subject::listed(list)?),
            nested: false,
            filters: Map::new(),
            owner: client.account().identity,
        };
        let source = ApiSource::new(Arc::clone(client), list, InputValues::none())?;
        let watcher = Watcher::new(source, options, since)?;
        Ok(Self { watcher, shared: Arc::clone(shared), member, resource })
    }

    /// Returns the name of the resource.
    pub(super) fn resource(&self) -> &'static str {
        self.resource.name
    }

    /// Polls until the stream is closed, or until an error ends the resource.
    pub(super) async fn run(self: Arc<Self>) {
        if let Some(Err(error)) = self.shared.unless_closed(Box::pin(self.poll())).await {
            self.shared.end(self.member, error);
        }
    }

    async fn poll(&self) -> Result<(), Error> {
        // The first poll only says what there is, so that it makes no news.
        if let Err(error) = self.watcher.poll().await {
            self.report(error)?;
        }
        self.shared.settle(self.member);
        loop {
            while let Some(failure) = self.watcher.take_failure()? {
                self.shared.fail(failure);
            }
            // Changes stay in the watch until they are taken, so that its state has those that were not.
            self.shared.offer(self.member).await;
            if !self.watcher.ready().await? {
                return Ok(());
            }
        }
    }

    /// Reports an error of the first poll if a later one may succeed, and returns any other.
    fn report(&self, error: Error) -> Result<(), Error> {
        if !crate::watch::is_temporary(&error) {
            return Err(error);
        }
        self.shared.fail(error);
        Ok(())
    }

    /// Takes the next event. The next poll waits until there is none.
    pub(super) fn take(&self) -> Result<Option<StreamEvent>, Error> {
        let change = self.watcher.take_change()?;
        if change.is_none() {
            self.shared.all_taken(self.member);
        }
        Ok(change.map(|change| self.event(change)))
    }

    fn event(&self, change: RecordChange) -> StreamEvent {
        StreamEvent {
            resource: Some(self.resource.name),
            kind: change.kind_name(),
            record: Some(change.record),
            pair: None,
            before: change.before,
            fields: change.fields,
            origin: Some(Origin::Poll),
            at: change.at,
            reason: None,
        }
    }
}
