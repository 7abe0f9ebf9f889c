//! The order and the completeness of events, whatever a connection loses, repeats and reorders.

use std::collections::BTreeMap;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::event::{Origin, StreamEvent};
use super::merge::{Merge, NewState};
use super::queue::Queue;
use super::{frame, frame::Frame};
use crate::watch::Subject;
use botdesk_api::deals::{Deal, RESOURCE};
use botdesk_schema::record::{Fields, Record as _};

/// The time, in seconds since 1970, at which the service begins.
const BEGIN: i64 = 1_700_000_000;

/// A deal of a fake service.
fn deal(id: i64, second: i64, take_profit: i64) -> Fields {
    let time = |second: i64| Timestamp::from_second(BEGIN + second).unwrap().to_string();
    let deal = json!({
        "id": id, "type": "Deal", "created_at": time(0), "updated_at": time(second),
        "take_profit": take_profit.to_string(), "finished?": false,
    });
    Deal::SPEC.from_json(&deal.to_string()).unwrap()
}

fn with(record: &Fields, name: &str, value: Value) -> Fields {
    let mut json: Value = serde_json::from_str(record.text()).unwrap();
    json.as_object_mut().unwrap().insert(name.to_owned(), value);
    Deal::SPEC.from_json(&json.to_string()).unwrap()
}

fn merge(since: Option<i64>) -> Merge {
    let list = RESOURCE.listing().unwrap();
    Merge::new(Subject::listed(list).unwrap(), RESOURCE.streamed.unwrap(), since)
}

#[allow(clippy::unnecessary_wraps, reason = "the time of the service may be unknown")]
fn now(second: i64) -> Option<i64> {
    Some((BEGIN + second) * 1_000_000)
}

/// A merge that has begun at second 0, with the deals 1 to 3.
fn begun() -> Merge {
    let mut merge = merge(None);
    let listed = (1..=3).map(|id| deal(id, 0, 0)).collect();
    assert!(merge.begin(Vec::new(), listed, now(0)).is_empty());
    merge
}

fn kinds(states: &[NewState]) -> Vec<&'static str> {
    states.iter().map(|state| state.kind).collect()
}

#[test]
fn a_doubled_frame_comes_once_and_an_older_one_not_at_all() {
    let mut merge = begun();
    assert_eq!(merge.take_frame(deal(1, 5, 1), now(5)).unwrap().kind, "changed");
    assert!(merge.take_frame(deal(1, 5, 1), now(5)).is_none());
    assert!(merge.take_frame(deal(1, 4, 9), now(5)).is_none());
    let again = merge.take_frame(deal(1, 5, 2), now(5)).unwrap();
    assert_eq!((again.fields.len(), again.before.unwrap()), (1, deal(1, 5, 1)));
}

#[test]
fn what_was_there_before_is_no_event_and_what_came_meanwhile_is() {
    let mut merge = merge(None);
    let new = merge.begin(vec![deal(2, 1, 7)], vec![deal(2, 1, 7), deal(1, 0, 0)], now(1));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(2, 1, 7)]);
    assert_eq!(merge.watermark(), now(1));
    // An older record that only a later list has was there as well.
    let listed = vec![deal(1, 3, 1), deal(9, -20, 0)];
    let new = merge.fill(Vec::new(), listed, Origin::List, now(3));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(1, 3, 1)]);
}

#[test]
fn a_start_time_returns_what_changed_from_then_on() {
    let mut merge = merge(now(10));
    assert_eq!(merge.list_from(), Some(now(10).unwrap() - 60_000_000));
    let listed = vec![deal(1, 12, 0), deal(2, 10, 0), deal(3, 9, 0)];
    let new = merge.fill(Vec::new(), listed, Origin::List, now(12));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(2, 10, 0), deal(1, 12, 0)]);
}

#[test]
fn a_price_tick_of_a_list_is_no_event_and_one_that_was_sent_is() {
    let mut merge = begun();
    let tick = with(&deal(1, 2, 0), "current_price", json!("7"));
    assert!(merge.fill(Vec::new(), vec![tick], Origin::Poll, now(2)).is_empty());
    assert!(merge.take_frame(with(&deal(1, 3, 0), "current_price", json!("8")), now(3)).is_some());
}

#[test]
fn a_list_record_is_compared_with_a_frame_by_the_fields_of_both() {
    let mut merge = begun();
    let frame = with(&deal(1, 2, 5), "bot_events", json!([{ "message": "x", "created_at": null }]));
    merge.take_frame(frame, now(2));
    merge.open_gap();
    assert!(merge.fill(Vec::new(), vec![deal(1, 2, 5)], Origin::List, now(3)).is_empty());
}

#[test]
fn a_record_from_the_future_does_not_end_the_next_list_early() {
    let mut merge = begun();
    merge.take_frame(deal(1, 1_000_000, 1), now(5));
    assert_eq!(merge.watermark(), now(5));
    merge.fill(Vec::new(), vec![deal(1, 1_000_000, 1)], Origin::List, now(7));
    assert_eq!(merge.watermark(), now(7));
}

#[test]
fn the_watermark_stays_while_a_gap_is_open() {
    let mut merge = begun();
    merge.take_frame(deal(1, 5, 1), now(5));
    merge.open_gap();
    merge.take_frame(deal(2, 50, 1), now(50));
    assert_eq!(merge.watermark(), now(5));
    merge.fill(Vec::new(), vec![deal(3, 30, 1)], Origin::List, now(60));
    assert_eq!(merge.watermark(), now(50));
}

#[test]
fn kinds_tell_new_records_from_those_that_changed_and_ended() {
    let mut merge = begun();
    let at = |second: i64| json!(Timestamp::from_second(BEGIN + second).unwrap().to_string());
    let new = with(&deal(7, 4, 0), "created_at", at(4));
    let ended = with(&deal(7, 6, 0), "finished?", json!(true));
    let listed = vec![with(&deal(8, 8, 0), "finished?", json!(true)), deal(4, 8, 0)];
    let states =
        [merge.take_frame(new, now(4)), merge.take_frame(deal(7, 5, 1), now(5)), merge.take_frame(ended, now(6))];
    let states: Vec<_> = states.into_iter().flatten().collect();
    assert_eq!(kinds(&states), ["opened", "changed", "closed"]);
    assert_eq!(kinds(&merge.fill(Vec::new(), listed, Origin::List, now(8))), ["closed", "changed"]);
    let nameless = Deal::SPEC.from_json(r#"{"type":"Deal"}"#).unwrap();
    assert_eq!(merge.take_frame(nameless, now(9)).unwrap().kind, "unknown");
}

#[test]
fn a_full_queue_keeps_the_newest_state_of_each_record() {
    let mut queue = Queue::default();
    let event = |id: i64, second: i64, kind| StreamEvent {
        resource: Some("deals"),
        record: Some(deal(id, second, second)),
        origin: Some(Origin::Stream),
        before: (second > 1).then(|| deal(id, second - 1, second - 1)),
        ..StreamEvent::of_connection(kind, None)
    };
    (1..=1_000).for_each(|id| queue.push(event(id, 1, "opened")));
    queue.push(event(5, 2, "changed"));
    queue.push(event(6, 2, "closed"));
    let taken: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
    assert_eq!((taken.len(), queue.merged()), (1_000, 2));
    let [.., fifth, sixth] = taken.as_slice() else { panic!("there are events") };
    assert_eq!((fifth.kind, fifth.id(), fifth.before.is_none()), ("opened", Some(5), true));
    assert_eq!((sixth.kind, sixth.id()), ("closed", Some(6)));
}

#[test]
fn a_frame_is_recognized_by_its_type_and_never_shown() {
    assert!(matches!(frame::read(r#"{"type":"welcome"}"#), Ok(Frame::Welcome)));
    assert!(matches!(frame::read(r#"{"type":"ping","message":1700000000}"#), Ok(Frame::Ping)));
    assert!(matches!(frame::read(r#"{"type":"news","identifier":"i"}"#), Ok(Frame::Unknown(kind)) if kind == "news"));
    let data = frame::read(r#"{"identifier":"i","message":{"id":1,"type":"Deal"}}"#);
    assert!(matches!(data, Ok(Frame::Change { record, .. }) if &*record == r#"{"id":1,"type":"Deal"}"#));
    let ending = frame::read(r#"{"type":"disconnect","reason":"remote","reconnect":false}"#);
    assert!(matches!(ending, Ok(Frame::Disconnect { reconnects: false, .. })));
    for wrong in [
        "",
        "secret",
        "[\"secret\"]",
        r#"{"identifier":"secret"}"#,
        r#"{"identifier":"secret","message":1}"#,
        r#"{"message":{"secret":1}}"#,
        r#"{"type":1,"identifier":"secret","message":{}}"#,
        r#"{"type":"confirm_subscription","secret":1}"#,
    ] {
        let why = frame::read(wrong).err().unwrap();
        assert!(!why.contains("secret"), "{wrong}: {why}");
    }
}

/// What happens to a connection and to its service.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A deal changes; the frame comes this often, after this many others.
    Change { id: i64, copies: usize, late: usize },
    /// The connection is lost, with all frames on their way.
    Lose,
    /// The connection is back; this many deals change between the confirmation and the list.
    Connect { meanwhile: i64 },
    /// There is no connection, and the list is polled.
    Poll,
}

fn some_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (1_i64..6, 1_usize..3, 0_usize..4).prop_map(|(id, copies, late)| Step::Change { id, copies, late }),
        1 => Just(Step::Lose),
        2 => (0_i64..4).prop_map(|meanwhile| Step::Connect { meanwhile }),
        1 => Just(Step::Poll),
    ]
}

/// A service, a connection that loses and reorders, and what a caller receives.
struct World {
    merge: Merge,
    deals: BTreeMap<i64, Fields>,
    second: i64,
    is_connected: bool,
    on_their_way: Vec<Fields>,
    received: Vec<Fields>,
}

impl World {
    fn new() -> Self {
        let deals = (1..=3).map(|id| (id, deal(id, 0, 0))).collect();
        Self { merge: begun(), deals, second: 0, is_connected: true, on_their_way: Vec::new(), received: Vec::new() }
    }

    fn change(&mut self, id: i64) -> Fields {
        self.second += 1;
        let changed = deal(id, self.second, self.second);
        self.deals.insert(id, changed.clone());
        changed
    }

    /// Returns the list, from its newest record back to what is known.
    fn listed(&self) -> Vec<Fields> {
        let from = self.merge.list_from().unwrap();
        let mut deals: Vec<_> = self.deals.values().cloned().collect();
        deals.sort_by_key(|deal| std::cmp::Reverse(self.merge.updated(deal)));
        let end =
            deals.iter().position(|deal| self.merge.updated(deal) < Some(from)).map_or(deals.len(), |end| end + 1);
        deals.truncate(end);
        deals
    }

    fn fill(&mut self, held: Vec<Fields>, origin: Origin) {
        let listed = self.listed();
        let new = self.merge.fill(held, listed, origin, now(self.second));
        self.received.extend(new.into_iter().map(|state| state.record));
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Change { id, copies, late } => {
                let changed = self.change(id);
                if self.is_connected {
                    let at = self.on_their_way.len().saturating_sub(late);
                    (0..copies).for_each(|_| self.on_their_way.insert(at, changed.clone()));
                    // A few frames are on their way at any time.
                    while self.on_their_way.len() > 4 {
                        let frame = self.on_their_way.remove(0);
                        let new = self.merge.take_frame(frame, now(self.second));
                        self.received.extend(new.map(|state| state.record));
                    }
                }
            }
            Step::Lose => {
                self.is_connected = false;
                self.on_their_way.clear();
                self.merge.open_gap();
            }
            Step::Connect { meanwhile } => {
                self.on_their_way.clear();
                self.merge.open_gap();
                let held: Vec<_> = (1..=meanwhile).map(|id| self.change(id)).collect();
                self.is_connected = true;
                self.fill(held, Origin::List);
            }
            Step::Poll if !self.is_connected => {
                self.fill(Vec::new(), Origin::Poll);
                self.merge.open_gap();
            }
            Step::Poll => {}
        }
    }
}

proptest! {
    #[test]
    fn no_change_is_lost_repeated_or_out_of_order(steps in proptest::collection::vec(some_step(), 0..120)) {
        let mut world = World::new();
        for step in steps {
            world.step(step);
        }
        world.step(Step::Lose);
        world.step(Step::Connect { meanwhile: 0 });
        let mut last: BTreeMap<i64, Fields> = (1..=3).map(|id| (id, deal(id, 0, 0))).collect();
        for record in &world.received {
            let id = record.id().unwrap().unwrap();
            let before = last.insert(id, record.clone());
            prop_assert!(before.is_none_or(|before| world.merge.updated(&before) < world.merge.updated(record)));
        }
        prop_assert_eq!(last, world.deals);
    }
}
