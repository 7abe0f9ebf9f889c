//! The streams of a client share one connection: the channels that it serves come and go with them.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::watch;

use super::channel::Channel;
use super::shared::Shared;
use crate::http::HttpClient;
use crate::process::PerProcess;
use botdesk_system::lock::locked;

/// The channels of all streams of a client.
pub(super) struct Hub(watch::Sender<Members>);

/// What the connection serves.
#[derive(Default)]
pub(super) struct Members {
    pub(super) channels: Vec<Arc<Channel>>,
    /// True while a session serves the channels.
    has_session: bool,
}

/// The hubs of the clients that have streams.
static HUBS: PerProcess<Mutex<Vec<Entry>>> = PerProcess::new();

/// A client and its hub. Both are weak, so the list keeps neither alive.
type Entry = (Weak<HttpClient>, Weak<Hub>);

/// A stream, and its channels.
pub(super) type StreamChannels = (Arc<Shared>, Vec<Arc<Channel>>);

impl Hub {
    /// Returns the hub of a client.
    pub(super) fn of(client: &Arc<HttpClient>) -> Arc<Self> {
        let Ok(hubs) = HUBS.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
        let mut hubs = locked(hubs);
        hubs.retain(|(_, hub)| hub.strong_count() > 0);
        let known = hubs.iter().find(|(of, _)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(client)));
        if let Some(hub) = known.and_then(|(_, hub)| hub.upgrade()) {
            return hub;
        }
        let hub = Arc::new(Self(watch::Sender::new(Members::default())));
        hubs.push((Arc::downgrade(client), Arc::downgrade(&hub)));
        hub
    }

    /// Adds the channels of a stream; returns true if a session has to be started for them.
    pub(super) fn join(&self, channels: &[Arc<Channel>]) -> bool {
        let mut had_session = false;
        self.0.send_modify(|members| {
            members.channels.extend(channels.iter().cloned());
            had_session = std::mem::replace(&mut members.has_session, true);
        });
        !had_session
    }

    /// Removes the channels of a stream.
    pub(super) fn leave(&self, stream: &Arc<Shared>) {
        self.remove(|channel| Arc::ptr_eq(&channel.shared, stream));
    }

    /// Removes channels.
    pub(super) fn remove(&self, is_over: impl Fn(&Channel) -> bool) {
        self.0.send_if_modified(|members| {
            let before = members.channels.len();
            members.channels.retain(|channel| !is_over(channel));
            members.channels.len() != before
        });
    }

    /// Returns a receiver that is notified of each change of the channels.
    pub(super) fn subscribe(&self) -> watch::Receiver<Members> {
        self.0.subscribe()
    }

    /// Returns the streams, each with its channels.
    pub(super) fn streams(&self) -> Vec<StreamChannels> {
        by_stream(&self.0.borrow().channels)
    }

    /// Ends the session if there is nothing to serve; returns true if it has ended.
    pub(super) fn end_if_unused(&self) -> bool {
        self.0.send_if_modified(|members| {
            members.has_session &= !members.channels.is_empty();
            !members.has_session
        })
    }

    /// Ends the session, and returns the streams that it served, each with its channels.
    pub(super) fn end(&self) -> Vec<StreamChannels> {
        by_stream(&self.0.send_replace(Members::default()).channels)
    }
}

/// Returns the streams of channels, each with its channels.
pub(super) fn by_stream(channels: &[Arc<Channel>]) -> Vec<StreamChannels> {
    let mut streams: Vec<StreamChannels> = Vec::new();
    for channel in channels {
        match streams.iter_mut().find(|(stream, _)| Arc::ptr_eq(stream, &channel.shared)) {
            Some((_, of_stream)) => of_stream.push(Arc::clone(channel)),
            None => streams.push((Arc::clone(&channel.shared), vec![Arc::clone(channel)])),
        }
    }
    streams
}
