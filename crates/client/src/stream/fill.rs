//! Lists what a stream may not have sent, and polls while there is none.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::backoff::Backoff;
use super::channel::Channel;
use super::records::Mode;
use crate::error::Error;
use crate::pages::Paginator;
use crate::request::spec::InputValues;
use crate::watch::is_temporary;
use botdesk_schema::error::ApiErrorKind;
use botdesk_schema::input::InputName;
use botdesk_schema::record::Fields;
use botdesk_schema::values::Field;

/// The number of records on a page.
const PAGE: usize = 100;

/// Reads the lists of a channel whenever they are needed, until the stream is closed.
pub(super) async fn run(channel: Arc<Channel>) {
    let mut modes = channel.mode.subscribe();
    let mut due = Instant::now();
    let mut was_polling = false;
    let mut backoff = Backoff::new();
    loop {
        let mode = *modes.borrow_and_update();
        let is_polling = matches!(mode, Mode::Polling { .. });
        if is_polling && !was_polling {
            // A connection that was lost is usually back before.
            due = Instant::now() + channel.shared.options.every;
        }
        was_polling = is_polling;
        let due_now = match mode {
            Mode::Live if channel.polls_open() => Some(due),
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
        match channel.shared.unless_closed(channel.client.unless_closed(wait)).await {
            None => return,
            Some(None) => return channel.shared.end(channel.member, client_closed()),
            Some(Some(false)) => continue,
            Some(Some(true)) => {}
        }
        if due_now.is_none() {
            return;
        }
        let is_live = mode == Mode::Live;
        let reading = async { if is_live { read_open(&channel).await } else { read(&channel).await } };
        let read = channel.shared.unless_closed(channel.client.unless_closed(Box::pin(reading))).await;
        let Some(read) = read else { return };
        let outcome = read.unwrap_or_else(|| Err(client_closed()));
        due = Instant::now() + channel.shared.options.every;
        let Err(error) = outcome else {
            backoff = Backoff::new();
            continue;
        };
        channel.not_listed();
        if !is_survivable(&error) {
            channel.shared.end(channel.member, error);
            return;
        }
        channel.shared.fail(error);
        // What goes on without it need not wait for it.
        channel.shared.settle(channel.member);
        let delay = backoff.delay(None, (channel.client.settings().random_share)());
        if matches!(mode, Mode::Filling(_)) && !channel.shared.sleep(delay).await {
            return;
        }
    }
}

pub(super) fn client_closed() -> Error {
    Error::Closed("the client is closed, which ends the stream".to_owned())
}

/// Returns true if a later list may be read.
pub(super) fn is_survivable(error: &Error) -> bool {
    let is_ban = match error {
        Error::Throttled { kind, .. } => *kind == ApiErrorKind::IpBanned,
        other => other.kind() == Some(ApiErrorKind::IpBanned),
    };
    is_ban || is_temporary(error)
}

/// Reads the list of a channel, from its newest record back to what is known.
///
/// If the list has shifted between two pages, it is read again, until nothing is found that was there at the beginning: what changed
/// later is at the top of the next list.
async fn read(channel: &Channel) -> Result<(), Error> {
    let asked = channel.ask();
    let mut listed = Vec::new();
    let mut seen = HashSet::new();
    let mut begun_at = None;
    loop {
        let pass = pass(channel, asked.from).await?;
        begun_at = begun_at.or_else(|| pass.records.iter().filter_map(|record| channel.updated(record)).max());
        let mut has_found = false;
        for record in pass.records {
            let was_there = channel.updated(&record).is_none_or(|updated| Some(updated) <= begun_at);
            has_found |= seen.insert(record.id().ok().flatten()) && was_there;
            listed.push(record);
        }
        if !(pass.may_have_shifted && has_found) {
            channel.listed(listed, pass.is_whole, asked);
            return Ok(());
        }
    }
}

/// Reads the records of a channel that have not ended.
async fn read_open(channel: &Channel) -> Result<(), Error> {
    let mut inputs = inputs(channel);
    inputs.inputs.extend(channel.open.map(|(input, value)| (InputName::new(input), Field::Value(value.into()))));
    let mut pages = Paginator::new(Arc::clone(&channel.client), channel.list, Vec::new(), inputs)?;
    let mut listed = Vec::new();
    while let Some(record) = pages.next().await? {
        listed.push(record);
    }
    channel.polled(listed);
    Ok(())
}

/// The records of a list, read once.
struct Pass {
    records: Vec<Fields>,
    /// True if the service has no others.
    is_whole: bool,
    /// True if records may have moved to pages that were read already.
    may_have_shifted: bool,
}

async fn pass(channel: &Channel, from: Option<i64>) -> Result<Pass, Error> {
    let mut pages = Paginator::new(Arc::clone(&channel.client), channel.list, Vec::new(), inputs(channel))?;
    let (mut records, mut is_whole) = (Vec::new(), true);
    let mut descent = Descent::default();
    while let Some(record) = pages.next().await? {
        let updated = channel.updated(&record);
        records.push(record);
        let has_enough = match from {
            Some(from) => descent.is_past(updated, from),
            // The first list only says where the stream begins.
            None => records.len() >= PAGE,
        };
        if has_enough {
            is_whole = false;
            break;
        }
    }
    // Numbered pages do not overlap, so a shift can't be noticed.
    let is_numbered = channel.list.page_inputs().is_some_and(|inputs| inputs.is_numbered);
    let may_have_shifted = pages.has_shifted() || is_numbered && records.len() > PAGE;
    Ok(Pass { records, is_whole, may_have_shifted })
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
