//! A stream of events about some resources.

use std::sync::Arc;

use tokio::task::JoinHandle;

use super::channel::Channel;
use super::event::StreamEvent;
use super::fill;
use super::hub::Hub;
use super::merge::Begin;
use super::options::StreamOptions;
use super::polled::Polled;
use super::prices::{PRICES, Prices};
use super::saved::{self, Place, Saved};
use super::session::Session;
use super::shared::Shared;
use crate::credentials::signing_key::SigningKey;
use crate::error::Error;
use crate::http::HttpClient;
use crate::read_ahead::Spawn;
use botdesk_api::reference::{self, RESOURCES};
use botdesk_schema::input::nearest;
use botdesk_schema::resource::Resource;

/// A stream of events about some resources. Its tasks run until it is closed or dropped.
pub struct Streamer {
    /// The process of the tasks. A forked child does not have them.
    process: u32,
    client: Arc<HttpClient>,
    shared: Arc<Shared>,
    channels: Vec<Arc<Channel>>,
    /// The channels of all streams of the client.
    hub: Arc<Hub>,
    polled: Vec<Arc<Polled>>,
    resources: Vec<&'static str>,
    tasks: Vec<JoinHandle<()>>,
}

/// From when on a stream returns changes.
pub enum StreamStart {
    /// From now on.
    Now,
    /// From a time on, in microseconds since 1970.
    Time(i64),
    /// From where an earlier stream ended, by its saved state.
    State(String),
}

impl Streamer {
    /// Starts a stream of the resources with these names.
    pub fn start(
        client: &Arc<HttpClient>,
        names: &[String],
        options: StreamOptions,
        start: &StreamStart,
        spawn: Spawn,
    ) -> Result<Self, Error> {
        if matches!(client.key(), SigningKey::Absent) {
            return Err(Error::Configuration(
                "a stream needs an API key, and a client of Client.public() has none; create a client with \
                 Client(api_key, …), Client.from_env() or Client.from_profile()"
                    .to_owned(),
            ));
        }
        let listed: Vec<_> = names.iter().filter(|name| *name != PRICES).cloned().collect();
        let has_prices = listed.len() < names.len();
        let resources = if has_prices && listed.is_empty() { Vec::new() } else { resources(&listed)? };
        check(&options, &resources, has_prices)?;
        let members = resources.len() + usize::from(has_prices);
        let shared = Arc::new(Shared::new(options, members));
        let owner = client.account().identity;
        let saved = match start {
            StreamStart::State(text) => Some(Saved::read(text, &owner)?),
            StreamStart::Now | StreamStart::Time(_) => None,
        };
        let (mut channels, mut polled) = (Vec::new(), Vec::new());
        for (member, resource) in resources.iter().enumerate() {
            let place = saved.as_ref().zip(resource.listing());
            let place = place.map(|(saved, list)| saved.place(resource.name, list.record())).transpose()?.flatten();
            if resource.streamed.is_some() {
                let begin = match (place, start) {
                    (Some(Place::Time(begin)), _) => Some(begin),
                    (_, StreamStart::Time(time)) => Some(Begin { time: *time, returned: None }),
                    _ => None,
                };
                channels.push(Arc::new(Channel::new(client, &shared, member, resource, begin)?));
            } else {
                let since = match &place {
                    Some(Place::Watch(state)) => Some(state.as_str()),
                    _ => None,
                };
                polled.push(Arc::new(Polled::new(client, &shared, member, resource, since)?));
            }
        }
        let pairs = shared.options.prices.as_ref();
        let prices = pairs.map(|pairs| Prices::new(client, &shared, resources.len(), pairs)).transpose()?;
        let names = resources.iter().map(|resource| resource.name).chain(prices.iter().map(|_| PRICES)).collect();
        let mut streamer = Self {
            process: std::process::id(),
            client: Arc::clone(client),
            shared,
            channels,
            hub: Hub::of(client),
            polled,
            resources: names,
            tasks: Vec::new(),
        };
        streamer.spawn(spawn, prices)?;
        Ok(streamer)
    }

    fn spawn(&mut self, spawn: Spawn, prices: Option<Prices>) -> Result<(), Error> {
        let stopped = || Error::Closed("the process exits, so no stream can be started".to_owned());
        for channel in &self.channels {
            self.tasks.push(spawn(Box::pin(fill::run(Arc::clone(channel)))).ok_or_else(stopped)?);
        }
        for polled in &self.polled {
            self.tasks.push(spawn(Box::pin(Arc::clone(polled).run())).ok_or_else(stopped)?);
        }
        if let Some(prices) = prices {
            self.tasks.push(spawn(Box::pin(prices.run())).ok_or_else(stopped)?);
        }
        if !self.channels.is_empty() && self.hub.join(&self.channels) {
            // It ends with the last stream that needs it, so it is no task of this one.
            let session = Session::new(&self.client, &self.hub);
            spawn(Box::pin(session.run())).ok_or_else(stopped)?;
        }
        Ok(())
    }

    /// Returns the client.
    pub fn client(&self) -> &Arc<HttpClient> {
        &self.client
    }

    /// Returns the names of the resources.
    pub fn resources(&self) -> &[&'static str] {
        &self.resources
    }

    /// Waits until no change is missed any more: a change that is made from then on becomes an event.
    pub fn settled(&self) -> impl Future<Output = Result<(), Error>> + Send + use<> {
        let (process, shared) = (self.check_process(), Arc::clone(&self.shared));
        async move {
            process?;
            shared.settled().await;
            Ok(())
        }
    }

    /// Waits until there is something to take; returns false if the stream is closed. The error is that which ended the last
    /// resource.
    pub fn ready(&self) -> impl Future<Output = Result<bool, Error>> + Send + use<> {
        let (process, shared) = (self.check_process(), Arc::clone(&self.shared));
        async move {
            process?;
            shared.ready().await
        }
    }

    /// Takes the next event.
    pub fn take_event(&self) -> Result<Option<StreamEvent>, Error> {
        self.check_process()?;
        if let Some(event) = self.shared.take_event() {
            return Ok(Some(event));
        }
        for polled in &self.polled {
            if let Some(event) = polled.take()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Takes the next error that did not end the stream.
    pub fn take_failure(&self) -> Result<Option<Error>, Error> {
        self.check_process()?;
        Ok(self.shared.take_failure())
    }

    /// Puts back an error that could not be reported, as the next to take.
    pub fn put_failure_back(&self, failure: Error) {
        self.shared.put_failure_back(failure);
    }

    /// Takes the next warning.
    pub fn take_warning(&self) -> Result<Option<String>, Error> {
        self.check_process()?;
        Ok(self.shared.take_warning())
    }

    /// Puts back a warning that could not be given, as the next to take.
    pub fn put_warning_back(&self, warning: String) {
        self.shared.put_warning_back(warning);
    }

    /// Closes the stream; waiting callers return.
    pub fn close(&self) {
        if self.check_process().is_ok() {
            self.shared.close();
            self.hub.leave(&self.shared);
        }
    }

    /// Returns true if the stream is closed.
    pub fn is_closed(&self) -> bool {
        self.check_process().is_ok() && self.shared.is_closed()
    }

    /// Returns the state of the connection: `connecting`, `live`, `waiting`, `polling` or `closed`.
    pub fn status(&self) -> &'static str {
        if self.check_process().is_err() || self.shared.is_closed() {
            return "closed";
        }
        self.shared.connection_state().unwrap_or(if self.channels.is_empty() { "polling" } else { "connecting" })
    }

    /// Returns the number of events that newer ones of the same record have replaced, because the caller was slow.
    pub fn merged(&self) -> Result<u64, Error> {
        self.check_process()?;
        Ok(self.shared.merged())
    }

    /// Returns the state of the stream, to continue it from: what was not taken yet is returned again.
    pub fn state(&self) -> Result<String, Error> {
        self.check_process()?;
        let mut places = Vec::new();
        for channel in &self.channels {
            places.extend(self.place(channel).map(|begin| (channel.resource.name, Place::Time(begin))));
        }
        for polled in &self.polled {
            places.push((polled.resource(), Place::Watch(polled.watcher.state()?)));
        }
        Ok(saved::write(&self.client.account().identity, places.into_iter()))
    }

    /// Returns where a later stream continues a channel; None before its first list.
    fn place(&self, channel: &Channel) -> Option<Begin> {
        // What waits may be taken while the time is read, so the time is read first.
        let (mut time, mut returned) = channel.place()?;
        self.shared.with_waiting(|events| {
            for event in events.filter(|event| event.resource == Some(channel.resource.name)) {
                if let Some(id) = event.id() {
                    returned.remove(&id);
                }
                time = event.record.as_ref().and_then(|record| channel.updated(record)).unwrap_or(time).min(time);
            }
        });
        Some(Begin::after(time, returned))
    }

    fn check_process(&self) -> Result<(), Error> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(Error::Configuration(
            "this stream belongs to the process that created it; create another one after the fork".to_owned(),
        ))
    }
}

impl Drop for Streamer {
    fn drop(&mut self) {
        if self.check_process().is_ok() {
            self.close();
            self.tasks.iter().for_each(JoinHandle::abort);
        }
    }
}

/// Returns an error if options are given for what is not followed, or missing for what is.
fn check(options: &StreamOptions, resources: &[&'static Resource], has_prices: bool) -> Result<(), Error> {
    let is_partial = |resource: &&'static Resource| resource.streamed.is_some_and(|streamed| streamed.is_partial);
    let why = if options.targets && !resources.iter().any(is_partial) {
        let partial: Vec<_> =
            RESOURCES.iter().filter(is_partial).map(|resource| format!("{:?}", resource.name)).collect();
        format!("targets=True is for {}; name it, or omit targets", partial.join(" or "))
    } else if has_prices && options.prices.as_ref().is_none_or(|of| of.pairs.is_empty()) {
        "\"prices\" needs market_code=, as client.markets.list() has it, and pairs=, such as [\"USDT_BTC\"]".to_owned()
    } else if !has_prices && options.prices.is_some() {
        "pairs and market_code are for \"prices\"; name it, or omit them".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Configuration(why))
}

/// Returns the resources with these names, each once.
fn resources(names: &[String]) -> Result<Vec<&'static Resource>, Error> {
    let known =
        || RESOURCES.iter().filter(|resource| is_followed(resource)).map(|resource| resource.name).chain([PRICES]);
    let all = known().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if names.is_empty() {
        return Err(Error::Configuration(format!("stream needs at least one resource of {all}")));
    }
    let mut found: Vec<&'static Resource> = Vec::new();
    for name in names {
        let Some(resource) = reference::resource(name).filter(|resource| is_followed(resource)) else {
            let near = nearest(known(), name).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
            let given = botdesk_schema::key_text::shown_name(name);
            return Err(Error::Configuration(format!(
                "{given} is no resource that can be streamed, which are {all}{near}"
            )));
        };
        if found.iter().all(|other| other.name != resource.name) {
            found.push(resource);
        }
    }
    Ok(found)
}

/// Returns true if the records of a resource can be listed and told apart.
fn is_followed(resource: &Resource) -> bool {
    resource.listing().is_some_and(|list| list.record().identifier().is_some()) && resource.reading().is_some()
}
