//! Lists what a stream may not have sent, and polls while there is none.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::channel::{Channel, Mode};
use super::event::Origin;
use crate::error::Error;
use crate::pages::Paginator;
use crate::request::spec::InputValues;
use crate::watch::is_temporary;
use botdesk_schema::error::ApiErrorKind;
use botdesk_schema::input::InputName;
use botdesk_schema::values::Field;

/// The number of records on a page.
const PAGE: u64 = 100;

/// The delay before a list is read again that could not be read.
const RETRY: Duration = Duration::from_secs(5);

/// Reads the lists of a channel whenever they are needed, until the stream is closed.
pub(super) async fn run(channel: Arc<Channel>) {
    let mut modes = channel.mode.subscribe();
    let mut due = Instant::now();
    let mut was_polling = false;
    loop {
        let mode = *modes.borrow_and_update();
        let is_polling = matches!(mode, Mode::Polling { .. });
        if is_polling && !was_polling {
            // A connection that was lost is usually back before.
            due = Instant::now() + channel.shared.options.every;
        }
        was_polling = is_polling;
        let due_now = match mode {
            Mode::Connecting | Mode::Live => None,
            Mode::Filling(_) | Mode::Polling { at_once: true } => Some(Instant::now()),
            Mode::Polling { at_once: false } => Some(due),
        };
        let wait = async {
            match due_now {
                Some(due) => timeout_at(due, modes.changed()).await.is_err(),
                None => modes.changed().await.is_err(),
            }
        };
        match channel.shared.unless_closed(wait).await {
            None => return,
            Some(false) => continue,
            Some(true) => {}
        }
        if due_now.is_none() {
            return;
        }
        let origin = if matches!(mode, Mode::Filling(_)) { Origin::List } else { Origin::Poll };
        let read =
            channel.shared.unless_closed(channel.client.unless_closed(Box::pin(read(&channel, origin, mode)))).await;
        let Some(read) = read else { return };
        let outcome =
            read.unwrap_or_else(|| Err(Error::Closed("the client is closed, which ends the stream".to_owned())));
        due = Instant::now() + channel.shared.options.every;
        if let Err(error) = outcome {
            channel.not_listed();
            if !is_survivable(&error) {
                channel.shared.end(channel.member, error);
                return;
            }
            channel.shared.fail(error);
            // What goes on without it need not wait for it.
            channel.shared.settle(channel.member);
            if matches!(mode, Mode::Filling(_)) && !channel.shared.sleep(RETRY).await {
                return;
            }
        }
        channel.mode.send_if_modified(|now| {
            let is_polling = *now == Mode::Polling { at_once: true };
            if is_polling {
                *now = Mode::Polling { at_once: false };
            }
            is_polling
        });
    }
}

/// Returns true if a later list may be read.
fn is_survivable(error: &Error) -> bool {
    let is_ban = match error {
        Error::Throttled { kind, .. } => *kind == ApiErrorKind::IpBanned,
        other => other.kind() == Some(ApiErrorKind::IpBanned),
    };
    is_ban || is_temporary(error)
}

/// Reads the list of a channel, from its newest record back to what is known.
async fn read(channel: &Channel, origin: Origin, asked: Mode) -> Result<(), Error> {
    let from = channel.list_from();
    let mut pages = Paginator::new(Arc::clone(&channel.client), channel.list, Vec::new(), inputs(channel))?;
    let mut listed = Vec::new();
    let mut descent = Descent::default();
    while let Some(record) = pages.next().await? {
        let updated = channel.updated(&record);
        listed.push(record);
        let has_enough = match from {
            Some(from) => descent.is_past(updated, from),
            // The first list only says where the stream begins.
            None => listed.len() as u64 >= PAGE,
        };
        if has_enough {
            break;
        }
    }
    channel.listed(listed, from.is_none(), origin, asked);
    Ok(())
}

/// The order of a list. If the service does not sort it, it has to be read to its end.
#[derive(Default)]
struct Descent {
    last: Option<i64>,
    is_broken: bool,
}

impl Descent {
    /// Returns true if this record and all that follow changed before a time.
    fn is_past(&mut self, updated: Option<i64>, from: i64) -> bool {
        let Some(updated) = updated else { return false };
        self.is_broken |= self.last.is_some_and(|last| updated > last);
        self.last = Some(updated);
        !self.is_broken && updated < from
    }
}

/// Returns the inputs of the list: sorted by the time of the last change, the newest first.
fn inputs(channel: &Channel) -> InputValues {
    let text = |(name, value): &(&'static str, &'static str)| (InputName::new(name), Field::Value((*value).into()));
    let mut inputs: Vec<_> = channel.streamed.newest_first.iter().map(text).collect();
    if let Some(page) = channel.list.page_inputs() {
        inputs.push((page.limit, Field::Value(PAGE.into())));
    }
    InputValues { inputs, ..InputValues::none() }
}
