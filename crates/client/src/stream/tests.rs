//! The order and the completeness of events, whatever a connection loses, repeats and reorders.

mod histories;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::event::{Origin, StreamEvent};
use super::merge::{Begin, Listing, MARGIN, Merge, NewState};
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

fn merge(begin: Option<Begin>) -> Merge {
    let list = RESOURCE.listing().unwrap();
    Merge::new(Subject::listed(list).unwrap(), RESOURCE.streamed.unwrap(), begin)
}

fn now(second: i64) -> i64 {
    (BEGIN + second) * 1_000_000
}

/// A list that was requested at a second, while the stream sent everything.
fn listing(records: Vec<Fields>, origin: Origin, second: i64) -> Listing {
    Listing { records, is_whole: false, origin, asked: now(second), is_continuous: true }
}

/// A merge that has begun at second 0, with the deals 1 to 3.
fn begun() -> Merge {
    let mut merge = merge(None);
    let listed = (1..=3).map(|id| deal(id, 0, 0)).collect();
    assert!(merge.begin(Vec::new(), listing(listed, Origin::List, 0), now(0)).is_empty());
    merge
}

/// An event of a deal.
fn event_of(record: Fields) -> StreamEvent {
    let (resource, origin) = (Some("deals"), Some(Origin::Stream));
    StreamEvent { resource, record: Some(record), origin, ..StreamEvent::of_connection("changed", None) }
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
    let new = merge.begin(vec![deal(2, 1, 7)], listing(vec![deal(2, 1, 7), deal(1, 0, 0)], Origin::List, 1), now(1));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(2, 1, 7)]);
    assert_eq!(merge.watermark(), Some(now(1)));
    // An older record that only a later list has was there as well.
    let listed = vec![deal(1, 3, 1), deal(9, -20, 0)];
    let new = merge.fill(Vec::new(), listing(listed, Origin::List, 3), now(3));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(1, 3, 1)]);
}

#[test]
fn a_start_time_returns_what_changed_from_then_on() {
    let mut merge = merge(Some(Begin { time: now(10), returned: None }));
    assert_eq!(merge.list_from(), Some(now(10) - MARGIN));
    let listed = vec![deal(1, 12, 0), deal(2, 10, 0), deal(3, 9, 0)];
    let new = merge.fill(Vec::new(), listing(listed, Origin::List, 12), now(12));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(2, 10, 0), deal(1, 12, 0)]);
}

#[test]
fn a_price_tick_of_a_list_is_no_event_and_one_that_was_sent_is() {
    let mut merge = begun();
    let tick = with(&deal(1, 2, 0), "current_price", json!("7"));
    assert!(merge.fill(Vec::new(), listing(vec![tick], Origin::Poll, 2), now(2)).is_empty());
    assert!(merge.take_frame(with(&deal(1, 3, 0), "current_price", json!("8")), now(3)).is_some());
}

#[test]
fn a_list_record_is_compared_with_a_frame_by_the_fields_of_both() {
    let mut merge = begun();
    let frame = with(&deal(1, 2, 5), "bot_events", json!([{ "message": "x", "created_at": null }]));
    merge.take_frame(frame, now(2));
    merge.open_gap();
    assert!(merge.fill(Vec::new(), listing(vec![deal(1, 2, 5)], Origin::List, 3), now(3)).is_empty());
}

#[test]
fn a_record_from_the_future_does_not_end_the_next_list_early() {
    let mut merge = begun();
    merge.take_frame(deal(1, 1_000_000, 1), now(5));
    assert_eq!(merge.watermark(), Some(now(5)));
    merge.fill(Vec::new(), listing(vec![deal(1, 1_000_000, 1)], Origin::List, 7), now(7));
    assert_eq!(merge.watermark(), Some(now(7)));
    // Nor does it hide what changes afterwards.
    assert_eq!(merge.take_frame(deal(1, 8, 2), now(8)).unwrap().kind, "changed");
}

#[test]
fn a_list_that_was_read_slowly_has_nothing_of_what_changed_later() {
    let mut merge = begun();
    merge.open_gap();
    // It was requested at second 10 and read until second 200, while another connection was lost and made.
    let held = vec![deal(1, 190, 1)];
    let slow = Listing { is_continuous: false, ..listing(vec![deal(2, 9, 1)], Origin::List, 10) };
    assert_eq!(merge.fill(held, slow, now(200)).len(), 2);
    assert_eq!(merge.watermark(), Some(now(9)));
    let missed = vec![deal(1, 190, 1), deal(3, 100, 1)];
    assert_eq!(merge.fill(Vec::new(), listing(missed, Origin::List, 201), now(201)).len(), 1);
}

#[test]
fn a_record_that_the_first_list_had_not_is_news_at_any_time_of_the_list() {
    let mut merge = merge(None);
    let listed = vec![deal(2, 5, 0), deal(1, 0, 0)];
    assert!(merge.begin(Vec::new(), listing(listed, Origin::List, 5), now(5)).is_empty());
    // It was written late: its time is among those of the first list.
    let late = vec![deal(9, 2, 1)];
    assert_eq!(merge.fill(Vec::new(), listing(late, Origin::List, 6), now(6)).len(), 1);
    assert!(merge.fill(Vec::new(), listing(vec![deal(8, -1, 1)], Origin::List, 6), now(6)).is_empty());
}

#[test]
fn a_state_of_the_first_list_that_is_newer_than_a_frame_is_news() {
    let mut merge = merge(None);
    let listed = vec![deal(2, 2, 8), deal(1, 0, 0)];
    let new = merge.begin(vec![deal(2, 1, 7)], listing(listed, Origin::List, 2), now(2));
    let new: Vec<_> = new.into_iter().map(|state| state.record).collect();
    assert_eq!(new, [deal(2, 1, 7), deal(2, 2, 8)]);
    assert!(merge.take_frame(deal(2, 2, 8), now(2)).is_none());
}

#[test]
fn a_later_stream_repeats_no_state_of_the_minute_before_and_misses_none() {
    let mut first = begun();
    first.take_frame(deal(1, 5, 1), now(5));
    first.take_frame(deal(2, 7, 1), now(7));
    let begin = Begin::after(first.watermark().unwrap(), first.states());
    let mut later = merge(Some(begin.clone()));
    // Deal 3 was written late.
    let listed = vec![deal(2, 7, 1), deal(3, 6, 1), deal(1, 5, 1), deal(9, -70, 0)];
    let new = later.fill(Vec::new(), listing(listed, Origin::List, 8), now(8));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(3, 6, 1)]);
    assert_eq!(kinds(&new), ["changed"]);
    // Deal 2 changed twice in the last second.
    let mut twice = merge(Some(begin.clone()));
    let new = twice.fill(Vec::new(), listing(vec![deal(2, 7, 2)], Origin::List, 8), now(8));
    assert_eq!(new.iter().map(|state| state.record.clone()).collect::<Vec<_>>(), [deal(2, 7, 2)]);
    let mut again = merge(Some(begin));
    assert!(again.take_frame(deal(1, 4, 1), now(8)).is_none());
    assert_eq!(again.take_frame(deal(1, 9, 2), now(9)).unwrap().kind, "changed");
}

#[test]
fn records_that_are_over_are_forgotten() {
    let mut merge = begun();
    for id in 10..3_000 {
        let over = with(&deal(id, id, 0), "finished?", json!(true));
        assert_eq!(merge.take_frame(over, now(id)).unwrap().kind, "closed");
    }
    assert!(merge.states().len() < 1_100);
    let again = with(&deal(10, 10, 0), "finished?", json!(true));
    assert!(merge.fill(Vec::new(), listing(vec![again], Origin::List, 3_000), now(3_000)).is_empty());
}

#[test]
fn the_watermark_stays_while_a_gap_is_open() {
    let mut merge = begun();
    merge.take_frame(deal(1, 5, 1), now(5));
    merge.open_gap();
    merge.take_frame(deal(2, 50, 1), now(50));
    assert_eq!(merge.watermark(), Some(now(5)));
    merge.fill(Vec::new(), listing(vec![deal(3, 30, 1)], Origin::List, 60), now(60));
    assert_eq!(merge.watermark(), Some(now(30)));
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
    assert_eq!(kinds(&merge.fill(Vec::new(), listing(listed, Origin::List, 8), now(8))), ["closed", "changed"]);
    let nameless = Deal::SPEC.from_json(r#"{"type":"Deal"}"#).unwrap();
    assert_eq!(merge.take_frame(nameless, now(9)).unwrap().kind, "unknown");
}

#[test]
fn a_deal_that_has_ended_is_not_opened_again_by_a_state_of_the_same_time() {
    let mut merge = begun();
    let ended = with(&deal(7, 6, 0), "finished?", json!(true));
    assert_eq!(merge.take_frame(ended.clone(), now(6)).unwrap().kind, "closed");
    assert!(merge.take_frame(deal(7, 6, 1), now(6)).is_none());
    assert!(merge.poll(vec![deal(7, 6, 1)], now(7)).is_empty());
    let again = with(&deal(7, 7, 0), "finished?", json!(true));
    assert_eq!(merge.take_frame(again, now(7)).unwrap().kind, "closed");
}

#[test]
fn a_full_queue_keeps_the_newest_state_of_each_record() {
    let mut queue = Queue::default();
    let event = |id: i64, second: i64, kind| StreamEvent {
        kind,
        before: (second > 1).then(|| deal(id, second - 1, second - 1)),
        ..event_of(deal(id, second, second))
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
fn a_full_queue_keeps_records_without_an_identifier() {
    let mut queue = Queue::default();
    let nameless = || event_of(Deal::SPEC.from_json(r#"{"type":"Deal"}"#).unwrap());
    (0..1_010).for_each(|_| queue.push(nameless()));
    assert_eq!((std::iter::from_fn(|| queue.pop()).count(), queue.merged()), (1_010, 0));
}

#[test]
fn events_that_are_merged_have_the_first_old_and_the_last_new_values() {
    let mut queue = Queue::default();
    (10..1_010).for_each(|id| queue.push(event_of(deal(id, 1, 1))));
    let change = |state: NewState| StreamEvent { fields: state.fields, before: state.before, ..event_of(state.record) };
    let mut merge = begun();
    for (second, take_profit) in [(1, 7), (2, 8), (3, 0)] {
        queue.push(change(merge.take_frame(deal(1, second, take_profit), now(second)).unwrap()));
    }
    queue.push(change(merge.take_frame(deal(2, 4, 9), now(4)).unwrap()));
    let taken: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
    let [.., back, changed] = taken.as_slice() else { panic!("there are events") };
    // What is as it was before the first of them has not changed.
    assert_eq!((back.id(), back.fields.len(), queue.merged()), (Some(1), 0, 2));
    let [field] = changed.fields.as_slice() else { panic!("a field changed") };
    assert_eq!((field.old.clone(), field.new.clone()), (Some(json!("0")), Some(json!("9"))));
}

#[test]
fn a_frame_is_recognized_by_its_type_and_never_shown() {
    assert!(matches!(frame::read(r#"{"type":"welcome"}"#), Ok(Frame::Welcome)));
    assert!(matches!(frame::read(r#"{"type":"ping","message":1700000000}"#), Ok(Frame::Ping)));
    assert!(matches!(frame::read(r#"{"type":"news","identifier":"i"}"#), Ok(Frame::Unknown(kind)) if kind == "news"));
    let data = frame::read(r#"{"identifier":"i","message":{"id":1,"type":"Deal"}}"#);
    assert!(matches!(data, Ok(Frame::Change { record, .. }) if &*record == r#"{"id":1,"type":"Deal"}"#));
    let without_type = frame::read(r#"{"type":null,"identifier":"i","message":{"id":1}}"#);
    assert!(matches!(without_type, Ok(Frame::Change { .. })));
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
