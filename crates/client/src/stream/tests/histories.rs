//! Random histories of a service, a connection that loses, doubles and reorders, lists that come late or not at all, and a caller who
//! is killed: no change is lost, none comes out of order, and none twice unless the caller was killed.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::super::event::StreamEvent;
use super::super::merge::{Begin, NewState};
use super::super::queue::Queue;
use super::super::records::{Asked, Mode, Records};
use super::{BEGIN, RESOURCE, deal, event_of, merge, with};
use botdesk_schema::record::Fields;
use jiff::Timestamp;
use serde_json::json;

/// Something that happens.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Time goes on, in milliseconds.
    Wait(i64),
    /// A deal changes; the service writes it this many milliseconds later.
    Change { id: i64, delay: i64 },
    /// The frame at a place among those on their way arrives, perhaps not for the last time.
    Arrive { place: usize, is_doubled: bool },
    /// The connection is lost, with all frames on their way.
    Lose,
    /// The service confirms the subscription of a new connection.
    Connect,
    /// The client requests a list, if it needs one.
    Request,
    /// The service reads the list.
    Read,
    /// The list arrives, or an error.
    Respond { is_error: bool },
    /// The caller takes some events, and saves the state.
    Take(usize),
    /// The caller is killed and starts again from the saved state; the last event was handled, but perhaps not saved.
    Kill,
}

/// A random step with some deals.
fn some_step(deals: i64) -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0_i64..3_000).prop_map(Step::Wait),
        1 => (0_i64..300_000).prop_map(Step::Wait),
        8 => (1..=deals, prop_oneof![3 => Just(0_i64), 1 => 0_i64..20_000])
            .prop_map(|(id, delay)| Step::Change { id, delay }),
        8 => (0_usize..4, any::<bool>()).prop_map(|(place, is_doubled)| Step::Arrive { place, is_doubled }),
        2 => Just(Step::Lose),
        3 => Just(Step::Connect),
        4 => Just(Step::Request),
        4 => Just(Step::Read),
        4 => prop_oneof![3 => Just(false), 1 => Just(true)].prop_map(|is_error| Step::Respond { is_error }),
        3 => (0_usize..9).prop_map(Step::Take),
        1 => Just(Step::Kill),
    ]
}

/// A list on its way.
struct Reading {
    asked: Asked,
    /// The records, once the service has read them.
    read: Option<Vec<Fields>>,
}

/// A service, a connection, a client and its caller.
struct World {
    /// The time of the service in milliseconds since its beginning.
    clock: i64,
    deals: BTreeMap<i64, Fields>,
    /// The changes that are not written yet, each with the time when it is.
    unwritten: Vec<(i64, Fields)>,
    is_connected: bool,
    /// The frames on their way, each with the time when it was sent.
    on_their_way: Vec<(i64, Fields)>,
    reading: Option<Reading>,
    records: Records,
    queue: Queue,
    saved: Option<Begin>,
    received: Vec<Fields>,
    kills: usize,
}

/// The number of records on a page, and so in the first list.
const PAGE: usize = 4;

/// The longest time that a frame is on its way, in milliseconds.
const LONGEST_WAY: i64 = 20_000;

/// A deal that was changed at a time in milliseconds.
fn deal_at(id: i64, clock: i64) -> Fields {
    let time = Timestamp::from_millisecond(BEGIN * 1_000 + clock).unwrap();
    with(&deal(id, 0, clock), "updated_at", json!(time.to_string()))
}

/// Returns the time when a deal last changed.
fn updated(deal: &Fields) -> i64 {
    RESOURCE.streamed.unwrap().updated(deal).unwrap()
}

impl World {
    fn new() -> Self {
        // Long before the beginning, so that no change is hidden among them.
        let deals = (1..=5).map(|id| (id, deal_at(id, id - 1_000_000))).collect();
        let mut world = Self {
            clock: 0,
            deals,
            unwritten: Vec::new(),
            is_connected: true,
            on_their_way: Vec::new(),
            reading: None,
            records: Records::new(merge(None)),
            queue: Queue::default(),
            saved: None,
            received: Vec::new(),
            kills: 0,
        };
        world.records.confirmed();
        world.settle();
        world
    }

    /// Returns the time of the service as its responses have it, in whole seconds.
    fn now(&self) -> i64 {
        (BEGIN + self.clock.div_euclid(1_000)) * 1_000_000
    }

    fn push(&mut self, new: Vec<NewState>) {
        for state in new {
            self.queue.push(event_of(state.record));
        }
    }

    fn write(&mut self) {
        let clock = self.clock;
        let due = self.unwritten.extract_if(.., |(at, _)| *at <= clock).collect::<Vec<_>>();
        for (at, deal) in due {
            self.deals.insert(deal.id().unwrap().unwrap(), deal.clone());
            if self.is_connected {
                self.on_their_way.push((at, deal));
            }
        }
    }

    fn arrive(&mut self, frame: Fields) {
        let new = self.records.frame(frame, self.now());
        self.push(new);
    }

    /// Lets the frames arrive that were on their way for long.
    fn arrive_late(&mut self) {
        let sent_before = self.clock - LONGEST_WAY;
        let late: Vec<_> = self.on_their_way.extract_if(.., |(sent, _)| *sent < sent_before).collect();
        for (_, frame) in late {
            self.arrive(frame);
        }
    }

    fn list(&self, from: Option<i64>) -> Vec<Fields> {
        let mut deals: Vec<_> = self.deals.values().cloned().collect();
        deals.sort_by_cached_key(|deal| std::cmp::Reverse(updated(deal)));
        match from {
            Some(from) => {
                let end = deals.iter().position(|deal| updated(deal) < from);
                deals.truncate(end.map_or(deals.len(), |end| end + 1));
            }
            None => deals.truncate(PAGE),
        }
        deals
    }

    fn needs_list(&self) -> bool {
        matches!(self.records.mode(), Mode::Filling(_) | Mode::Polling { .. })
    }

    fn save(&mut self) {
        let Some(mut time) = self.records.watermark() else { return };
        let mut returned = self.records.states();
        for event in self.queue.waiting() {
            returned.remove(&event.id().unwrap());
            time = time.min(updated(event.record.as_ref().unwrap()));
        }
        self.saved = Some(Begin::after(time, returned));
    }

    fn take(&mut self, events: usize) -> Option<StreamEvent> {
        let mut last = None;
        for _ in 0..events {
            let Some(event) = self.queue.pop() else { break };
            self.received.push(event.record.clone().unwrap());
            last = Some(event);
        }
        last
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Wait(milliseconds) => {
                self.clock += milliseconds;
                self.write();
                self.arrive_late();
            }
            Step::Change { id, delay } => {
                // The time of a record moves on, and it is written in the order of its changes.
                self.clock += 1;
                if self.unwritten.iter().all(|(_, deal)| deal.id() != Ok(Some(id))) {
                    self.unwritten.push((self.clock + delay, deal_at(id, self.clock)));
                }
            }
            Step::Arrive { place, is_doubled } if !self.on_their_way.is_empty() => {
                let place = place.min(self.on_their_way.len() - 1);
                let frame = self.on_their_way[place].1.clone();
                if !is_doubled {
                    self.on_their_way.remove(place);
                }
                self.arrive(frame);
            }
            Step::Lose => {
                self.is_connected = false;
                self.on_their_way.clear();
                self.records.lost();
            }
            Step::Connect if !self.is_connected => {
                self.is_connected = true;
                self.records.confirmed();
            }
            Step::Request if self.reading.is_none() && self.needs_list() => {
                self.reading = Some(Reading { asked: self.records.ask(self.now()), read: None });
            }
            Step::Read => {
                let listed = self.reading.as_ref().map(|reading| self.list(reading.asked.from));
                if let Some(reading) = self.reading.as_mut() {
                    reading.read = reading.read.take().or(listed);
                }
            }
            Step::Respond { is_error } => {
                let Some(Reading { asked, read: Some(listed) }) = self.reading.take() else { return };
                let now = self.now();
                if is_error {
                    self.records.not_listed();
                    let new = self.records.release(now);
                    self.push(new);
                } else {
                    let is_whole = listed.len() == self.deals.len();
                    let new = self.records.listed(listed, is_whole, asked, now);
                    self.push(new);
                }
            }
            Step::Take(events) => {
                self.take(events);
                self.save();
            }
            Step::Kill => {
                self.kills += 1;
                self.take(1);
                self.step(Step::Lose);
                (self.reading, self.queue) = (None, Queue::default());
                self.records = Records::new(merge(self.saved.clone()));
            }
            Step::Arrive { .. } | Step::Connect | Step::Request => {}
        }
        self.write();
    }

    /// Lets everything come to an end.
    fn settle(&mut self) {
        self.step(Step::Wait(30_000));
        self.step(Step::Connect);
        self.reading = None;
        for step in [Step::Request, Step::Read, Step::Respond { is_error: false }] {
            self.step(step);
        }
        while !self.on_their_way.is_empty() {
            self.step(Step::Arrive { place: 0, is_doubled: false });
        }
        self.step(Step::Take(usize::MAX));
    }
}

/// What a caller has received.
#[derive(Debug, Default)]
struct Outcome {
    received: usize,
    repeats: usize,
}

/// Checks that no change was lost, and that none came out of order.
fn check(begun: BTreeMap<i64, Fields>, world: &World) -> Result<Outcome, TestCaseError> {
    let (mut last, mut outcome) = (begun, Outcome::default());
    for record in &world.received {
        let id = record.id().unwrap().unwrap();
        let before = last.insert(id, record.clone()).map(|before| updated(&before));
        prop_assert!(before <= Some(updated(record)), "an older state came after a newer one");
        outcome.received += 1;
        outcome.repeats += usize::from(before == Some(updated(record)));
    }
    let texts = |deals: &BTreeMap<i64, Fields>| deals.values().map(|deal| deal.text().to_owned()).collect::<Vec<_>>();
    prop_assert_eq!(texts(&last), texts(&world.deals), "a change was lost");
    Ok(outcome)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn no_change_is_lost_repeated_or_out_of_order(steps in proptest::collection::vec(some_step(7), 0..160)) {
        let mut world = World::new();
        let begun = world.deals.clone();
        for step in steps {
            world.step(step);
        }
        world.settle();
        let Outcome { repeats, .. } = check(begun, &world)?;
        // What was handled but not saved comes again after a kill, and the deal that the first page lacked may have been written late.
        prop_assert!(repeats <= 2 * world.kills, "{} repeats after {} kills", repeats, world.kills);
    }
}

#[test]
fn a_hundredth_of_the_changes_of_a_month_comes_twice_at_most() {
    const GAPS: usize = 500;
    // A thousand deals change five times each.
    const CHANGES_OF_A_GAP: usize = 10;
    const GAPS_OF_A_KILL: usize = GAPS / 30;
    let mut random = TestRunner::deterministic();
    let steps = some_step(1_000);
    let mut world = World::new();
    let begun = world.deals.clone();
    let mut gaps = 0;
    while gaps < GAPS {
        let step = steps.new_tree(&mut random).unwrap().current();
        let is_early = match step {
            Step::Lose => world.received.len() < gaps * CHANGES_OF_A_GAP,
            // A script is killed each day. What it handled last and did not save comes again.
            Step::Kill => gaps / GAPS_OF_A_KILL < world.kills,
            _ => false,
        };
        if !is_early {
            gaps += usize::from(matches!(step, Step::Lose));
            world.step(step);
        }
        world.step(Step::Take(usize::MAX));
    }
    world.settle();
    let Outcome { received, repeats } = check(begun, &world).unwrap();
    assert!(world.kills >= 30 && received > 4_900, "{} kills, {received} changes", world.kills);
    assert!(repeats * 100 <= received, "{repeats} of {received} changes came twice");
}
