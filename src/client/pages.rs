//! All pages of a list, one after the other.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::error::Error;
use super::request::{Call, Given};
use super::send::Road;
use crate::service::dca_bot::{DcaBot, DcaBotList, LIST};
use crate::service::record::Record;
use crate::service::values::Field;

/// The most records that the service puts on one page.
const LARGEST_PAGE: u64 = 100;

/// A walk over all DCA bots that a list would hold.
///
/// A bot that moves to a later page while the walk goes on is told once.
pub struct Pages {
    road: Arc<Road>,
    given: Given,
    limit: u64,
    offset: u64,
    told: HashSet<Identity>,
    waiting: VecDeque<DcaBot>,
    /// Whether the page before held nothing new.
    stale: bool,
    ended: bool,
}

impl Pages {
    /// A walk from the first page on. The inputs are checked before anything is sent.
    pub fn new(road: Arc<Road>, given: Given) -> Result<Self, Error> {
        Call::with(&LIST, None, given.clone())?;
        let number = |input: DcaBotList| {
            given.inputs.iter().find(|(index, _)| *index == input as usize).and_then(|(_, value)| match value {
                Field::Value(value) => value.as_u64(),
                Field::Absent | Field::Null => None,
            })
        };
        let limit = number(DcaBotList::limit).unwrap_or(LARGEST_PAGE);
        let offset = number(DcaBotList::offset).unwrap_or(0);
        Ok(Self {
            road,
            given,
            limit,
            offset,
            told: HashSet::new(),
            waiting: VecDeque::new(),
            stale: false,
            ended: false,
        })
    }

    /// The next bot; None after the last one.
    pub async fn next(&mut self) -> Result<Option<DcaBot>, Error> {
        while self.waiting.is_empty() && !self.ended {
            self.turn().await?;
        }
        Ok(self.waiting.pop_front())
    }

    async fn turn(&mut self) -> Result<(), Error> {
        let mut given = self.given.clone();
        let page = [(DcaBotList::limit, self.limit), (DcaBotList::offset, self.offset)];
        given.inputs.retain(|(index, _)| page.iter().all(|(input, _)| *index != *input as usize));
        given.inputs.extend(page.map(|(input, value)| (input as usize, Field::Value(value.into()))));
        let bots: Vec<DcaBot> = self.road.records(Call::with(&LIST, None, given)?).await?;
        let length = bots.len() as u64;
        let bots: Vec<_> = bots.into_iter().map(|bot| (self.told.insert(identity(&bot)), bot)).collect();
        let stale = bots.iter().all(|(new, _)| !new);
        self.offset += length;
        // One page with nothing new: the list has shifted. Two in a row: the server does not turn pages.
        self.ended = length < self.limit || (stale && self.stale);
        self.stale = stale;
        // Beside new records, one whose identifier can't be read may be another one with the same text.
        let is_told = |new: bool, bot: &DcaBot| new || (!stale && bot.id().ok().flatten().is_none());
        self.waiting.extend(bots.into_iter().filter(|(new, bot)| is_told(*new, bot)).map(|(_, bot)| bot));
        Ok(())
    }
}

/// What tells a record from others: its identifier, or its text where that can't be read.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Id(i64),
    Text(String),
}

fn identity(bot: &DcaBot) -> Identity {
    match bot.id() {
        Ok(Some(id)) => Identity::Id(id),
        _ => Identity::Text(bot.fields().text().to_owned()),
    }
}
