//! One poll, request by request, so that an interrupted poll can be continued.

use std::collections::VecDeque;

use jiff::Timestamp;
use tokio::time::Instant;

use super::bot_state::BotState;
use super::change::BotChange;
use super::failure::is_temporary;
use super::snapshot::{Scope, Snapshot};
use super::source::Source;
use crate::error::{Error, redact_and_truncate};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::deals::Deal;
use botdesk_api::error::ApiErrorKind;
use botdesk_api::method::Method;
use botdesk_api::record::{FieldError, Record};
use botdesk_system::lock::locked;

/// The results of polls that the caller has not taken yet, and the known states.
#[derive(Debug, Default)]
pub(super) struct WatchState {
    /// The known states of the bots.
    pub(super) snapshot: Snapshot,
    /// Changes that were not taken yet.
    pub(super) waiting: VecDeque<BotChange>,
    /// Errors that were not taken yet.
    pub(super) failures: VecDeque<Error>,
    /// The number of polls.
    pub(super) polls: u64,
}

/// The source, the options and the state of a poll.
pub(super) struct PollContext<'a, S> {
    pub(super) source: &'a S,
    pub(super) scope: Scope,
    pub(super) deals: bool,
    pub(super) seen: &'a std::sync::Mutex<WatchState>,
}

/// One poll.
pub(super) struct Poll<S: Source> {
    /// The pages of the list; None after the last one.
    pages: Option<S::Pages>,
    listed: Vec<DcaBot>,
    /// The reason why the list could not be read to its end; None if it could.
    pub(super) broken: Option<Error>,
    /// The bots to fetch alone.
    reads: VecDeque<Read>,
    failed_in_a_row: u32,
    number: u64,
    /// The time of the last request.
    pub(super) touched: Instant,
}

/// A bot to fetch alone.
struct Read {
    id: i64,
    /// The bot as in the list; None if it is missing there.
    listed: Option<DcaBot>,
}

/// The number of consecutive failures after which a poll ends, because the service is not available.
const MAX_FAILURES: u32 = 3;

impl<S: Source> Poll<S> {
    /// Returns a poll that has sent nothing yet.
    pub(super) fn start(context: &PollContext<'_, S>) -> Result<Self, Error> {
        let pages = Some(context.source.pages()?);
        let number = {
            let mut seen = locked(context.seen);
            seen.polls += 1;
            seen.polls
        };
        let (listed, reads) = (Vec::new(), VecDeque::new());
        Ok(Self { pages, listed, broken: None, reads, failed_in_a_row: 0, number, touched: Instant::now() })
    }

    /// Sends the next request and stores what it finds; returns false after the last one.
    pub(super) async fn step(&mut self, context: &PollContext<'_, S>) -> Result<bool, Error> {
        self.touched = Instant::now();
        let has_more = match self.pages.as_mut() {
            Some(pages) => {
                let next = context.source.next(pages).await;
                self.take_listed(context, next).map(|()| true)
            }
            None => self.read(context).await,
        };
        self.touched = Instant::now();
        has_more
    }

    /// Takes the next bot of the list, or its end.
    fn take_listed(&mut self, context: &PollContext<'_, S>, next: Result<Option<DcaBot>, Error>) -> Result<(), Error> {
        match next {
            Ok(Some(bot)) => {
                self.listed.push(bot);
                return Ok(());
            }
            Ok(None) => {}
            Err(error) => {
                self.failed(&error)?;
                self.broken = Some(error);
            }
        }
        self.pages = None;
        self.sort(context);
        Ok(())
    }

    /// Stores the listed bots that are complete, and queues those that have to be fetched alone.
    fn sort(&mut self, context: &PollContext<'_, S>) {
        let mut seen = locked(context.seen);
        let listed: Vec<_> =
            std::mem::take(&mut self.listed).into_iter().filter_map(|bot| seen.identified(bot)).collect();
        let mut missing: Vec<i64> =
            if self.broken.is_none() { seen.snapshot.bots.keys().copied().collect() } else { Vec::new() };
        for (id, bot) in listed {
            if let Ok(index) = missing.binary_search(&id) {
                missing.remove(index);
            }
            let deals = if context.deals { listed_deals(&bot) } else { None };
            if deals.is_none() && context.deals && seen.snapshot.needs_deals(id, &bot, context.scope) {
                self.reads.push_back(Read { id, listed: Some(bot) });
            } else {
                let none = context.deals.then(Vec::new);
                seen.take(id, &BotState { bot, deals: deals.or(none) }, context.scope);
            }
        }
        // A bot that is missing in the list need not be gone: the list may have shifted, or the bot no longer passes the filters.
        self.reads.extend(missing.into_iter().map(|id| Read { id, listed: None }));
        // Bots that were not fetched for longest come first, so that bots that fail don't hold up the others.
        self.reads.make_contiguous().sort_by_key(|read| seen.snapshot.last_fetch(read.id));
    }

    /// Fetches the next bot alone; returns false if there is none.
    async fn read(&mut self, context: &PollContext<'_, S>) -> Result<bool, Error> {
        let Some(id) = self.reads.front().map(|read| read.id) else {
            self.end(context);
            return Ok(false);
        };
        locked(context.seen).snapshot.note_fetch(id, self.number);
        let fetched = match u64::try_from(id) {
            Ok(number) => context.source.show(number).await,
            Err(_) => Err(Error::Decode {
                message: format!("{id} is not the id of a bot"),
                body: String::new(),
                method: Some(Method::Get),
            }),
        };
        let Some(Read { listed, .. }) = self.reads.pop_front() else { return Ok(false) };
        match fetched {
            Ok(bot) => {
                self.failed_in_a_row = 0;
                locked(context.seen).take_fetched(id, bot, context);
            }
            Err(error) if error.kind() == Some(ApiErrorKind::NotFound) => {
                self.failed_in_a_row = 0;
                locked(context.seen).forget(id, context.scope);
            }
            Err(error) => {
                self.failed(&error)?;
                locked(context.seen).failures.push_back(error);
                if let Some(bot) = listed {
                    locked(context.seen).take(id, &BotState { bot, deals: None }, context.scope);
                }
            }
        }
        if self.failed_in_a_row < MAX_FAILURES {
            return Ok(true);
        }
        self.end(context);
        Ok(false)
    }

    /// Counts a temporary failure, and returns any other.
    fn failed(&mut self, error: &Error) -> Result<(), Error> {
        if !is_temporary(error) {
            return Err(error.clone());
        }
        self.failed_in_a_row += 1;
        Ok(())
    }

    /// Stores the listed bots that were not fetched alone.
    fn end(&mut self, context: &PollContext<'_, S>) {
        let mut seen = locked(context.seen);
        for Read { id, listed } in self.reads.drain(..) {
            if let Some(bot) = listed {
                seen.take(id, &BotState { bot, deals: None }, context.scope);
            }
        }
        seen.snapshot.is_complete |= self.broken.is_none();
    }
}

impl WatchState {
    /// Stores the state of a bot.
    fn take(&mut self, id: i64, now: &BotState, scope: Scope) {
        let found = self.snapshot.take(id, now, scope, Timestamp::now());
        self.waiting.extend(found.changes);
        if !found.malformed.is_empty() {
            let message = format!("bot {id}: {}; the last known values are kept", found.malformed.join("; "));
            self.failures.push_back(undecodable(&now.bot, message));
        }
    }

    /// Stores a bot that was fetched alone.
    fn take_fetched<S>(&mut self, id: i64, bot: DcaBot, context: &PollContext<'_, S>) {
        let deals = context.deals.then(|| deals(&bot)).transpose().unwrap_or_else(|message| {
            self.failures.push_back(undecodable(&bot, message));
            None
        });
        self.take(id, &BotState { bot, deals }, context.scope);
    }

    /// Removes a bot that is gone.
    fn forget(&mut self, id: i64, scope: Scope) {
        let change = self.snapshot.forget(id, scope, Timestamp::now());
        self.waiting.extend(change);
    }

    /// Returns a bot with its identifier. A bot whose identifier can't be read can't be watched, which is reported.
    fn identified(&mut self, bot: DcaBot) -> Option<(i64, DcaBot)> {
        let message = match bot.id() {
            Ok(Some(id)) => return Some((id, bot)),
            Ok(None) => "a listed bot has no id, so it can't be watched".to_owned(),
            Err(error) => format!("a listed bot can't be watched: {error}"),
        };
        self.failures.push_back(undecodable(&bot, message));
        None
    }
}

/// Returns the deals in a listed bot, if there are as many as it counts.
fn listed_deals(bot: &DcaBot) -> Option<Vec<Deal>> {
    let held = deals(bot).ok()?;
    let count = bot.active_deals_count().ok().flatten()?;
    (i64::try_from(held.len()) == Ok(count)).then_some(held)
}

/// Returns the deals of a bot, or why they can't be read.
fn deals(bot: &DcaBot) -> Result<Vec<Deal>, String> {
    let message = |error: FieldError| error.to_string();
    let deals = bot.active_deals().map_err(message)?.ok_or("the response has no active_deals")?;
    for deal in &deals {
        deal.id().map_err(message)?.ok_or("a deal has no id, so it can't be watched")?;
    }
    Ok(deals)
}

fn undecodable(bot: &DcaBot, message: String) -> Error {
    Error::Decode { message, body: redact_and_truncate(bot.fields().text()), method: Some(Method::Get) }
}
