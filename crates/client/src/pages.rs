//! Fetches all pages of a list.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::error::Error;
use crate::http::client::HttpClient;
use crate::read_ahead::{ReadAhead, Spawn};
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_schema::id::Id;
use botdesk_schema::input::{Input, InputName};
use botdesk_schema::operation::Operation;
use botdesk_schema::page_inputs::PageInputs;
use botdesk_schema::record::Fields;
use botdesk_schema::values::Field;
use serde_json::Value;

/// Returns all records of a list, each once, fetching page after page.
///
/// The list may shift meanwhile, so that records move to pages that were already fetched. Each page after the first therefore begins
/// with the last record of the page before it. If another one is there, or if the same client wrote meanwhile, the list is fetched
/// again after the last page, until nothing new is found. Shifts that cancel each other out between two pages can't be noticed: in
/// a list that is sorted by `created_at`, they hide only records that were added during the iteration.
///
/// Numbered pages can't overlap. Their list has shifted if a record is on two pages; a record that moves to an earlier page may be missed.
///
/// From the second page on, the next page can be requested while the caller works on the current one: [`Paginator::reading_ahead`].
pub struct Paginator {
    client: Arc<HttpClient>,
    list: &'static Operation,
    /// The identifiers in the path.
    ids: Vec<Id>,
    inputs: PageInputs,
    given: InputValues,
    limit: u64,
    /// The first offset, or the number of the first page.
    start: u64,
    /// The length of the longest page so far: the service may return fewer records than requested.
    longest: u64,
    /// True if the pages hold more than the one record by which they overlap.
    overlaps: bool,
    returned: HashMap<RecordKey, usize>,
    waiting: VecDeque<Fields>,
    pass: Pass,
    ended: bool,
    /// True once the caller has asked for a second page.
    has_continued: bool,
    /// Starts the requests in advance; None if there are none.
    spawn: Option<Spawn>,
    /// The next page, if it is requested in advance.
    ahead: Option<ReadAhead>,
}

/// One pass over the list.
#[derive(Default)]
struct Pass {
    /// The offset or the number of the next page.
    position: u64,
    /// The number of pages that were fetched.
    pages: u64,
    /// The number of writes that the client had started at the first page.
    writes: u64,
    /// The previous page.
    page: Vec<RecordKey>,
    /// True if the list has shifted between two pages.
    has_shifted: bool,
    /// The number of consecutive pages without a new record.
    repeats: u32,
    /// The number of times that each record was returned in this pass.
    seen: HashMap<RecordKey, usize>,
    found: bool,
}

/// A page that is to be requested.
struct NextPage {
    limit: u64,
    /// The offset, or the number of the page.
    position: u64,
    /// The last record of the page before it, with which the page begins unless the list has shifted; None if the pages do not overlap.
    anchor: Option<RecordKey>,
}

/// The number of records on a page of a list for which the API reference has no limit.
const UNLIMITED_PAGE: u64 = 100;

/// The maximum number of consecutive pages without a new record: the list may have shifted by one page, but hardly by two.
const MAX_REPEATS: u32 = 1;

impl Paginator {
    /// Starts at the first page; the inputs are validated before anything is sent.
    pub fn new(
        client: Arc<HttpClient>,
        list: &'static Operation,
        ids: Vec<Id>,
        given: InputValues,
    ) -> Result<Self, Error> {
        RequestSpec::with(list, ids.clone(), given.clone())?;
        let number = |input: InputName| {
            given.inputs.iter().find(|(name, _)| *name == input).and_then(|(_, value)| match value {
                Field::Value(value) => value.as_u64(),
                Field::Absent | Field::Null => None,
            })
        };
        let inputs = list.page_inputs().unwrap_or(PageInputs::BY_OFFSET);
        let limit = number(inputs.limit).or(largest_page(list, inputs.limit)).unwrap_or(UNLIMITED_PAGE);
        let start = number(inputs.position).unwrap_or(inputs.is_numbered.into());
        let pass = Pass { position: start, ..Pass::default() };
        let (returned, waiting) = (HashMap::new(), VecDeque::new());
        Ok(Self {
            client,
            list,
            ids,
            inputs,
            given,
            limit,
            start,
            longest: 0,
            overlaps: !inputs.is_numbered,
            returned,
            waiting,
            pass,
            ended: false,
            has_continued: false,
            spawn: None,
            ahead: None,
        })
    }

    /// Requests one page in advance, from the second page on. So a caller who needs only the first page costs one request.
    ///
    /// The first page of each pass over the list is not requested in advance: it has to show what the caller has changed before.
    #[must_use]
    pub fn reading_ahead(mut self, spawn: Spawn) -> Self {
        self.spawn = Some(spawn);
        self
    }

    /// Returns the next record; None after the last one.
    pub async fn next(&mut self) -> Result<Option<Fields>, Error> {
        if !self.waiting.is_empty() || self.ended {
            return Ok(self.waiting.pop_front());
        }
        while self.waiting.is_empty() && !self.ended {
            self.has_continued |= self.pass.pages > 0;
            // Most steps return a record of the current page, and need no future of a request.
            Box::pin(self.fetch_page()).await?;
        }
        self.read_ahead();
        Ok(self.waiting.pop_front())
    }

    /// Requests the next page of the pass in advance.
    fn read_ahead(&mut self) {
        let is_due = self.has_continued && self.pass.pages > 0 && !self.ended && self.client.may_read_ahead();
        let Some(spawn) = self.spawn.filter(|_| is_due) else { return };
        let next = self.next_page();
        // If it can't be built, the request for the page itself fails in the same way.
        self.ahead = self.request(&next).ok().and_then(|spec| ReadAhead::start(spawn, &self.client, spec));
    }

    /// Takes the page that was requested in advance; None if there is none, or if it is not to be used.
    async fn page_read_ahead(&mut self) -> Result<Option<Vec<Fields>>, Error> {
        let Some(ahead) = self.ahead.take() else { return Ok(None) };
        let is_outdated = ahead.is_outdated(&self.client);
        if is_outdated {
            // The caller would not see his own changes. A loop that writes goes on to write, so no other page is requested in vain.
            self.spawn = None;
        }
        if is_outdated || !self.client.may_read_ahead() {
            ahead.abandon();
            return Ok(None);
        }
        ahead.page().await
    }

    /// Returns what the next request asks for.
    fn next_page(&self) -> NextPage {
        let anchor = self.pass.page.last().filter(|_| self.may_overlap()).cloned();
        let overlap = u64::from(anchor.is_some());
        let limit = (self.limit + overlap).min(largest_page(self.list, self.inputs.limit).unwrap_or(u64::MAX));
        NextPage { limit, position: self.pass.position - overlap, anchor }
    }

    async fn fetch_page(&mut self) -> Result<(), Error> {
        let writes = self.client.writes();
        let next = self.next_page();
        let records = match self.page_read_ahead().await? {
            Some(records) => records,
            None => self.client.records(self.request(&next)?).await?,
        };
        let NextPage { limit, anchor, .. } = next;
        let overlap = u64::from(anchor.is_some());
        let page: Vec<_> = records.iter().map(key).collect();
        if self.pass.pages == 0 {
            self.pass.writes = writes;
        }
        self.pass.pages += 1;
        let position = anchor.as_ref().and_then(|anchor| page.iter().position(|key| key == anchor));
        self.pass.has_shifted |= anchor.is_some() && position != Some(0);
        let repeated = !page.is_empty() && page == self.pass.page;
        let is_known = |key: &RecordKey| matches!(key, RecordKey::Id(_)) && self.pass.seen.contains_key(key);
        self.pass.has_shifted |= self.inputs.is_numbered && page.iter().any(is_known);
        // A service that ignores the offset may return the same records in a different order each time.
        let is_stale = repeated || !page.is_empty() && page.iter().all(is_known);
        self.pass.repeats = if is_stale { self.pass.repeats + 1 } else { 0 };
        if !repeated {
            for (index, record) in records.into_iter().enumerate() {
                self.take(record, position.is_some_and(|anchor| index <= anchor));
            }
        }
        let length = page.len() as u64;
        // A short first page proves nothing: the pages of the service may be smaller than requested.
        let is_short = length < self.longest.min(limit) && !self.list.ends_empty;
        let is_last = length == 0 || is_short;
        self.longest = self.longest.max(length);
        // A page that holds only the overlapping record makes no progress.
        self.overlaps &= is_last || length > 1 || anchor.is_none();
        self.pass.position += if self.inputs.is_numbered { 1 } else { length.saturating_sub(overlap) };
        self.pass.page = page;
        if is_last || self.pass.repeats > MAX_REPEATS {
            self.end_pass();
        }
        Ok(())
    }

    /// Returns true if a page may have room for more than the last record of the page before it.
    fn may_overlap(&self) -> bool {
        self.overlaps && (self.longest > 1 || self.limit == 1)
    }

    fn request(&self, next: &NextPage) -> Result<RequestSpec, Error> {
        let mut given = self.given.clone();
        given.inputs.extend(self.sort_key());
        let page = [(self.inputs.limit, next.limit), (self.inputs.position, next.position)];
        given.inputs.retain(|(name, _)| page.iter().all(|(input, _)| name != input));
        given.inputs.extend(page.map(|(input, value)| (input, Field::Value(value.into()))));
        RequestSpec::with(self.list, self.ids.clone(), given)
    }

    /// Returns the sort key that the caller left to the service, if the service's default moves records between the pages.
    fn sort_key(&self) -> Option<(InputName, Field<Value>)> {
        let (input, key) = self.list.pages_sorted_by?;
        let input = InputName::new(input);
        let is_given = |(name, value): &(InputName, Field<Value>)| *name == input && *value != Field::Absent;
        (!self.given.inputs.iter().any(is_given)).then(|| (input, Field::Value(key.into())))
    }

    /// Queues a record that was not returned yet; `repeats` is true for the records of a page up to the last one of the page before it.
    fn take(&mut self, record: Fields, repeats: bool) {
        let key = key(&record);
        if repeats && matches!(key, RecordKey::Text(_)) {
            return;
        }
        let seen = self.pass.seen.entry(key.clone()).or_default();
        *seen += 1;
        // Two records whose identifiers can't be read may have the same text.
        let new = match &key {
            RecordKey::Id(_) => !self.returned.contains_key(&key),
            RecordKey::Text(_) => *seen > self.returned.get(&key).copied().unwrap_or_default(),
        };
        if new {
            self.pass.found = true;
            *self.returned.entry(key).or_default() += 1;
            self.waiting.push_back(record);
        }
    }

    /// Returns true if the list has shifted in this pass over it, so that records may have moved to pages that were fetched already.
    pub(crate) fn has_shifted(&self) -> bool {
        self.pass.has_shifted
    }

    fn end_pass(&mut self) {
        // A single page is empty, so nothing can have shifted.
        let has_written = self.pass.pages > 1 && self.client.writes() != self.pass.writes;
        // If the service ignores the offset, the list only seems to have shifted.
        let has_shifted = self.pass.has_shifted && self.pass.repeats <= MAX_REPEATS;
        let may_have_shifted = has_written || has_shifted;
        self.ended = !(may_have_shifted && self.pass.found);
        self.pass = Pass { position: self.start, ..Pass::default() };
    }
}

/// Returns a function from the number of records in the response to the number of records before them; None if the page is not
/// full, so that the list has no more.
pub fn is_full_page(list: &Operation, request: &RequestSpec) -> impl Fn(usize) -> Option<u64> + use<> {
    let inputs = list.page_inputs();
    let number = |input: InputName| request.number_in_query(input.as_str());
    let page = inputs.map(|inputs| {
        let limit = number(inputs.limit).unwrap_or(default_limit(list, inputs.limit));
        let position = number(inputs.position);
        let before = if inputs.is_numbered {
            (position.unwrap_or(1).max(1) - 1).saturating_mul(limit)
        } else {
            position.unwrap_or(0)
        };
        (limit, before)
    });
    move |length| page.filter(|(limit, _)| length as u64 >= *limit).map(|(_, before)| before)
}

/// Returns the highest number of records on one page of a list; None if the API reference has no limit.
fn largest_page(list: &Operation, limit: InputName) -> Option<u64> {
    list.inputs().and_then(|inputs| inputs.most(limit))
}

/// Returns the number of records on a page of a list whose limit is not given, according to the API reference.
fn default_limit(list: &Operation, limit: InputName) -> u64 {
    let input = list.inputs().and_then(|inputs| inputs.get(limit));
    input.and_then(Input::service_default).and_then(|value| value.as_u64()).unwrap_or(u64::MAX)
}

/// Identifies a record: by its identifier, or by its text if the identifier can't be read.
#[derive(Clone, PartialEq, Eq, Hash)]
enum RecordKey {
    /// A number or a UUID.
    Id(String),
    Text(String),
}

fn key(record: &Fields) -> RecordKey {
    record.identifier().map_or_else(|| RecordKey::Text(record.text().to_owned()), |id| RecordKey::Id(id.into_owned()))
}
