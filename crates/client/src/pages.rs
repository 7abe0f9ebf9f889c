//! All pages of a list, one after the other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::error::Error;
use crate::http::client::HttpClient;
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_api::dca_bot::{DcaBot, DcaBotList, LIST};
use botdesk_api::record::Record;
use botdesk_api::values::Field;

/// A walk over all DCA bots that a list holds, each told once.
///
/// What the same client changes meanwhile may shift the list, so that bots come to stand on pages that were turned
/// already. Once at its end, the walk therefore goes over a list that may have shifted again, until it finds nothing new.
pub struct Paginator {
    client: Arc<HttpClient>,
    given: InputValues,
    limit: u64,
    start: u64,
    /// The length of the longest page so far: the service may put fewer bots on a page than it was asked for.
    longest: u64,
    returned: HashMap<BotKey, usize>,
    waiting: VecDeque<DcaBot>,
    pass: Pass,
    ended: bool,
}

/// One way through the list.
#[derive(Default)]
struct Pass {
    offset: u64,
    /// How many pages were turned.
    pages: u64,
    /// How many writes the client had begun at the first page.
    writes: u64,
    /// The page before.
    page: Vec<BotKey>,
    /// How many pages in a row held nothing new.
    repeats: u32,
    /// How often each bot was seen.
    seen: HashMap<BotKey, usize>,
    found: bool,
}

/// How often in a row a page may hold nothing new: the list may have shifted by a page, but hardly twice.
const MOST_REPEATS: u32 = 1;

impl Paginator {
    /// A walk from the first page on. The inputs are checked before anything is sent.
    pub fn new(client: Arc<HttpClient>, given: InputValues) -> Result<Self, Error> {
        RequestSpec::with(&LIST, None, given.clone())?;
        let number = |input: DcaBotList| {
            given.inputs.iter().find(|(index, _)| *index == input as usize).and_then(|(_, value)| match value {
                Field::Value(value) => value.as_u64(),
                Field::Absent | Field::Null => None,
            })
        };
        let limit = number(DcaBotList::limit).unwrap_or(largest_page());
        let start = number(DcaBotList::offset).unwrap_or(0);
        let pass = Pass { offset: start, ..Pass::default() };
        let (returned, waiting) = (HashMap::new(), VecDeque::new());
        Ok(Self { client, given, limit, start, longest: 0, returned, waiting, pass, ended: false })
    }

    /// The next bot; None after the last one.
    pub async fn next(&mut self) -> Result<Option<DcaBot>, Error> {
        while self.waiting.is_empty() && !self.ended {
            self.fetch_page().await?;
        }
        Ok(self.waiting.pop_front())
    }

    async fn fetch_page(&mut self) -> Result<(), Error> {
        let writes = self.client.writes();
        let bots = self.page().await?;
        let page: Vec<_> = bots.iter().map(key).collect();
        if self.pass.pages == 0 {
            self.pass.writes = writes;
        }
        self.pass.pages += 1;
        let repeated = !page.is_empty() && page == self.pass.page;
        let is_known = |key: &BotKey| matches!(key, BotKey::Id(_)) && self.pass.seen.contains_key(key);
        // A service that ignores the offset may give the same bots in another order each time.
        let is_stale = repeated || !page.is_empty() && page.iter().all(is_known);
        self.pass.repeats = if is_stale { self.pass.repeats + 1 } else { 0 };
        if !repeated {
            for bot in bots {
                self.take(bot);
            }
        }
        let length = page.len() as u64;
        self.pass.offset += length;
        self.pass.page = page;
        // A short first page proves nothing: the service may page smaller than it was asked to.
        let is_last = length == 0 || length < self.longest;
        self.longest = self.longest.max(length);
        if is_last || self.pass.repeats > MOST_REPEATS {
            self.end_pass();
        }
        Ok(())
    }

    async fn page(&self) -> Result<Vec<DcaBot>, Error> {
        let mut given = self.given.clone();
        let page = [(DcaBotList::limit, self.limit), (DcaBotList::offset, self.pass.offset)];
        given.inputs.retain(|(index, _)| page.iter().all(|(input, _)| *index != *input as usize));
        given.inputs.extend(page.map(|(input, value)| (input as usize, Field::Value(value.into()))));
        self.client.records(RequestSpec::with(&LIST, None, given)?).await
    }

    /// Tells a bot that was not told yet.
    fn take(&mut self, bot: DcaBot) {
        let key = key(&bot);
        let seen = self.pass.seen.entry(key.clone()).or_default();
        *seen += 1;
        // Bots whose identifier can't be read may have the same text and be two all the same.
        let new = match &key {
            BotKey::Id(_) => !self.returned.contains_key(&key),
            BotKey::Text(_) => *seen > self.returned.get(&key).copied().unwrap_or_default(),
        };
        if new {
            self.pass.found = true;
            *self.returned.entry(key).or_default() += 1;
            self.waiting.push_back(bot);
        }
    }

    fn end_pass(&mut self) {
        // A single page is empty, so nothing can have shifted.
        let may_have_shifted = self.pass.pages > 1 && self.client.writes() != self.pass.writes;
        self.ended = !(may_have_shifted && self.pass.found);
        self.pass = Pass { offset: self.start, ..Pass::default() };
    }
}

/// The most records that the service puts on one page.
fn largest_page() -> u64 {
    DcaBotList::limit.most().unwrap_or(1)
}

/// What tells a bot from others: its identifier, or its text where that can't be read.
#[derive(Clone, PartialEq, Eq, Hash)]
enum BotKey {
    Id(i64),
    Text(String),
}

fn key(bot: &DcaBot) -> BotKey {
    match bot.id() {
        Ok(Some(id)) => BotKey::Id(id),
        _ => BotKey::Text(bot.fields().text().to_owned()),
    }
}
