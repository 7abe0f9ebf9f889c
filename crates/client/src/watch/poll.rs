//! One poll, request by request, so that one that is left in the middle can be gone on with.

use std::collections::VecDeque;

use jiff::Timestamp;
use tokio::time::Instant;

use super::bot_state::BotState;
use super::change::BotChange;
use super::failure::may_pass;
use super::snapshot::{Scope, Snapshot};
use super::source::Source;
use crate::error::{Error, kept_without_secrets};
use botdesk_api::dca_bot::DcaBot;
use botdesk_api::deal::Deal;
use botdesk_api::endpoint::Method;
use botdesk_api::error::ApiErrorKind;
use botdesk_api::record::{FieldError, Record};
use botdesk_system::lock::locked;

/// What polls have found, until it is taken.
#[derive(Debug, Default)]
pub(super) struct WatchState {
    /// What is known.
    pub(super) snapshot: Snapshot,
    /// Changes that nobody has taken yet.
    pub(super) waiting: VecDeque<BotChange>,
    /// Failures that nobody was told yet.
    pub(super) failures: VecDeque<Error>,
    /// How many polls were begun.
    pub(super) polls: u64,
}

/// What a poll looks at, and where it keeps what it finds.
pub(super) struct PollContext<'a, S> {
    pub(super) source: &'a S,
    pub(super) scope: Scope,
    pub(super) deals: bool,
    pub(super) seen: &'a std::sync::Mutex<WatchState>,
}

/// One poll.
pub(super) struct Poll<S: Source> {
    /// The walk over the list; None once it has ended.
    pages: Option<S::Paginator>,
    listed: Vec<DcaBot>,
    /// Why the walk broke off; None where it came to its end.
    pub(super) broken: Option<Error>,
    /// The bots that are asked for alone.
    reads: VecDeque<Read>,
    failed_in_a_row: u32,
    number: u64,
    /// When it last went on.
    pub(super) touched: Instant,
}

/// A bot that is asked for alone.
struct Read {
    id: i64,
    /// How the list holds it; None where it is missing there.
    listed: Option<DcaBot>,
}

/// After how many failures in a row a poll ends: the service is not there.
const MOST_FAILURES: u32 = 3;

impl<S: Source> Poll<S> {
    /// A poll that has not asked for anything.
    pub(super) fn begin(context: &PollContext<'_, S>) -> Result<Self, Error> {
        let pages = Some(context.source.pages()?);
        let number = {
            let mut seen = locked(context.seen);
            seen.polls += 1;
            seen.polls
        };
        let (listed, reads) = (Vec::new(), VecDeque::new());
        Ok(Self { pages, listed, broken: None, reads, failed_in_a_row: 0, number, touched: Instant::now() })
    }

    /// Goes on by one request; false after the last one. What that finds is kept at once.
    pub(super) async fn step(&mut self, context: &PollContext<'_, S>) -> Result<bool, Error> {
        self.touched = Instant::now();
        let goes_on = match self.pages.as_mut() {
            Some(pages) => {
                let next = context.source.next(pages).await;
                self.take_page(context, next).map(|()| true)
            }
            None => self.read(context).await,
        };
        self.touched = Instant::now();
        goes_on
    }

    /// Takes what the next step of the walk gave.
    fn take_page(&mut self, context: &PollContext<'_, S>, next: Result<Option<DcaBot>, Error>) -> Result<(), Error> {
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

    /// Takes the bots of the list that tell all, and lines up those that have to be asked for alone.
    fn sort(&mut self, context: &PollContext<'_, S>) {
        let mut seen = locked(context.seen);
        let listed: Vec<_> = std::mem::take(&mut self.listed).into_iter().filter_map(|bot| seen.named(bot)).collect();
        let mut missing: Vec<i64> =
            if self.broken.is_none() { seen.snapshot.bots.keys().copied().collect() } else { Vec::new() };
        for (id, bot) in listed {
            if let Ok(place) = missing.binary_search(&id) {
                missing.remove(place);
            }
            let deals = if context.deals { listed_deals(&bot) } else { None };
            if deals.is_none() && context.deals && seen.snapshot.needs_deals(id, &bot, context.scope) {
                self.reads.push_back(Read { id, listed: Some(bot) });
            } else {
                let none = context.deals.then(Vec::new);
                seen.take(id, &BotState { bot, deals: deals.or(none) }, context.scope);
            }
        }
        // What a list lacks need not be gone: it may have shifted while it was read, or the bot left the filter.
        self.reads.extend(missing.into_iter().map(|id| Read { id, listed: None }));
        // Who waited longest is first, so that those who fail don't hold up the others for ever.
        self.reads.make_contiguous().sort_by_key(|read| seen.snapshot.asked(read.id));
    }

    /// Asks for the next bot alone; false where there is none.
    async fn read(&mut self, context: &PollContext<'_, S>) -> Result<bool, Error> {
        let Some(id) = self.reads.front().map(|read| read.id) else {
            self.end(context);
            return Ok(false);
        };
        locked(context.seen).snapshot.ask(id, self.number);
        let shown = match u64::try_from(id) {
            Ok(number) => context.source.show(number).await,
            Err(_) => Err(Error::Decode {
                message: format!("{id} is no identifier of a bot"),
                body: String::new(),
                method: Some(Method::Get),
            }),
        };
        let Some(Read { listed, .. }) = self.reads.pop_front() else { return Ok(false) };
        match shown {
            Ok(bot) => {
                self.failed_in_a_row = 0;
                locked(context.seen).shown(id, bot, context);
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
        if self.failed_in_a_row < MOST_FAILURES {
            return Ok(true);
        }
        self.end(context);
        Ok(false)
    }

    /// Counts a failure that may pass, and hands on any other.
    fn failed(&mut self, error: &Error) -> Result<(), Error> {
        if !may_pass(error) {
            return Err(error.clone());
        }
        self.failed_in_a_row += 1;
        Ok(())
    }

    /// Takes what the list told of bots that were not asked for any more.
    fn end(&mut self, context: &PollContext<'_, S>) {
        let mut seen = locked(context.seen);
        for Read { id, listed } in self.reads.drain(..) {
            if let Some(bot) = listed {
                seen.take(id, &BotState { bot, deals: None }, context.scope);
            }
        }
        seen.snapshot.begun |= self.broken.is_none();
    }
}

impl WatchState {
    /// Takes a bot as it is seen now.
    fn take(&mut self, id: i64, now: &BotState, scope: Scope) {
        let taken = self.snapshot.take(id, now, scope, Timestamp::now());
        self.waiting.extend(taken.changes);
        if !taken.malformed.is_empty() {
            let message = format!("bot {id}: {}; the values known before are kept", taken.malformed.join("; "));
            self.failures.push_back(undecodable(&now.bot, message));
        }
    }

    /// Takes a bot as it was shown.
    fn shown<S>(&mut self, id: i64, bot: DcaBot, context: &PollContext<'_, S>) {
        let deals = context.deals.then(|| deals(&bot)).transpose().unwrap_or_else(|message| {
            self.failures.push_back(undecodable(&bot, message));
            None
        });
        self.take(id, &BotState { bot, deals }, context.scope);
    }

    /// Forgets a bot that is not there any more.
    fn forget(&mut self, id: i64, scope: Scope) {
        let change = self.snapshot.forget(id, scope, Timestamp::now());
        self.waiting.extend(change);
    }

    /// A bot under its identifier. One whose identifier can't be read can't be followed, which is told as a failure.
    fn named(&mut self, bot: DcaBot) -> Option<(i64, DcaBot)> {
        let message = match bot.id() {
            Ok(Some(id)) => return Some((id, bot)),
            Ok(None) => "a bot of the list has no id, so it can't be watched".to_owned(),
            Err(unreadable) => format!("a bot of the list can't be watched: {unreadable}"),
        };
        self.failures.push_back(undecodable(&bot, message));
        None
    }
}

/// The deals that a list's record holds, where it holds as many as it counts.
fn listed_deals(bot: &DcaBot) -> Option<Vec<Deal>> {
    let held = deals(bot).ok()?;
    let count = bot.active_deals_count().ok().flatten()?;
    (i64::try_from(held.len()) == Ok(count)).then_some(held)
}

/// The deals of a bot, or why they can't be told.
fn deals(bot: &DcaBot) -> Result<Vec<Deal>, String> {
    let told = |unreadable: FieldError| unreadable.to_string();
    let deals = bot.active_deals().map_err(told)?.ok_or("the bot was answered without its active_deals")?;
    for deal in &deals {
        deal.id().map_err(told)?.ok_or("a deal has no id, so it can't be watched")?;
    }
    Ok(deals)
}

fn undecodable(bot: &DcaBot, message: String) -> Error {
    Error::Decode { message, body: kept_without_secrets(bot.fields().text()), method: Some(Method::Get) }
}
