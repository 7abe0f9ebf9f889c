//! All pages of a list, one after the other.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::error::Error;
use super::request::{Call, Given};
use super::send::Road;
use crate::service::dca_bot::{DcaBot, DcaBotList, LIST};
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
    told: HashSet<i64>,
    waiting: VecDeque<DcaBot>,
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
        Ok(Self { road, given, limit, offset, told: HashSet::new(), waiting: VecDeque::new(), ended: false })
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
        // A record whose identifier can't be read can't be told from others, so it is never left out.
        self.waiting.extend(bots.into_iter().filter(|bot| match bot.id() {
            Ok(Some(id)) => self.told.insert(id),
            _ => true,
        }));
        self.offset += length;
        // A page with nothing new comes from a server that does not turn pages.
        self.ended = length < self.limit || self.waiting.is_empty();
        Ok(())
    }
}
