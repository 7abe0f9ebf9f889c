//! Watches of a fake service, with the clock paused.

mod properties;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, advance, timeout};

use super::difference::between;
use super::record_state::RecordState;
use super::{ChangeKind, RecordChange, Scope, Source, Subject, WatchOptions, Watcher};
use crate::credentials::account::Identity;
use crate::error::{Error, ErrorResponse, TransportFailure};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::samples::operation;
use botdesk_schema::error::ErrorBody;
use botdesk_schema::method::{Effect, Method};
use botdesk_schema::record::{Fields, Record};
use botdesk_system::lock::locked;

/// A fake service.
#[derive(Clone, Default)]
struct FakeService(Arc<Mutex<ServiceState>>);

#[derive(Default)]
struct ServiceState {
    bots: BTreeMap<i64, Value>,
    /// Bots that the list omits.
    hidden: BTreeSet<i64>,
    /// The error of the list, and after how many bots it comes.
    broken_list: Option<(usize, Error)>,
    /// The errors of fetching a bot alone.
    broken: HashMap<i64, Error>,
    /// The delay of each response.
    delay: Duration,
    /// The requests, and their times.
    requests: Vec<(String, Instant)>,
}

struct Listing {
    bots: std::vec::IntoIter<Fields>,
    returned: usize,
}

impl FakeService {
    fn change(&self, change: impl FnOnce(&mut ServiceState)) {
        change(&mut locked(&self.0));
    }

    fn set(&self, id: i64, field: &str, value: Value) {
        self.change(|state| {
            state.bots.get_mut(&id).unwrap().as_object_mut().unwrap().insert(field.to_owned(), value);
        });
    }

    fn deals(&self, id: i64, deals: &[Value]) {
        self.set(id, "active_deals", json!(deals));
        self.set(id, "active_deals_count", json!(deals.len()));
    }

    async fn request(&self, what: String) {
        let delay = {
            let mut state = locked(&self.0);
            state.requests.push((what, Instant::now()));
            state.delay
        };
        tokio::time::sleep(delay).await;
    }

    fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.0).requests).into_iter().map(|(what, _)| what).collect()
    }
}

impl Source for FakeService {
    type Pages = Listing;

    fn pages(&self) -> Result<Listing, Error> {
        let state = locked(&self.0);
        let listed = state.bots.iter().filter(|(id, _)| !state.hidden.contains(id)).map(|(_, bot)| {
            let mut bot = bot.clone();
            bot.as_object_mut().unwrap().remove("active_deals");
            record::<DcaBot>(&bot)
        });
        Ok(Listing { bots: listed.collect::<Vec<_>>().into_iter(), returned: 0 })
    }

    async fn next(&self, listing: &mut Listing) -> Result<Option<Fields>, Error> {
        if listing.returned == 0 {
            self.request("list".to_owned()).await;
        }
        let broken = locked(&self.0).broken_list.clone().filter(|(after, _)| *after == listing.returned);
        listing.returned += 1;
        broken.map_or_else(|| Ok(listing.bots.next()), |(_, error)| Err(error))
    }

    async fn show(&self, id: u64) -> Result<Fields, Error> {
        self.request(format!("show {id}")).await;
        let id = i64::try_from(id).unwrap();
        let state = locked(&self.0);
        if let Some(error) = state.broken.get(&id) {
            return Err(error.clone());
        }
        state.bots.get(&id).map(record::<DcaBot>).ok_or_else(|| error_response(404))
    }
}

fn record<R: Record>(value: &Value) -> Fields {
    R::SPEC.from_json(&value.to_string()).unwrap()
}

fn subject() -> Subject {
    Subject::of(operation("dca_bots.list")).unwrap()
}

fn error_response(status: u16) -> Error {
    let body = ErrorBody::parse("");
    Error::Api(Box::new(ErrorResponse {
        kind: body.kind(status),
        status,
        body,
        inputs: Vec::new(),
        needed: None,
        raw_body: String::new(),
        request_id: None,
        retry_after: None,
        block: Duration::from_secs(300),
        method: Method::Get,
        effect: Effect::Read,
        path: String::new(),
        signed: None,
        from_intermediary: false,
    }))
}

fn cut() -> Error {
    Error::transport(TransportFailure::Broken, true, "cut".to_owned())
}

fn bot(id: i64) -> Value {
    json!({
        "id": id, "name": "Steady", "is_enabled": true, "take_profit": "1.0", "min_price": null, "url_secret": "canary-of-a-secret",
        "pairs": ["USDT_BTC"], "sl_to_breakeven_enabled": false, "active_deals_count": 0, "updated_at": "2026-01-01T00:00:00.000Z", "active_deals": [],
    })
}

fn deal(id: i64) -> Value {
    json!({"id": id, "pair": "USDT_BTC", "status": "bought", "finished?": false, "closed_at": null,
        "completed_safety_orders_count": 0, "current_price": "100", "actual_profit": "0"})
}

fn with(mut value: Value, field: &str, new: Value) -> Value {
    value.as_object_mut().unwrap().insert(field.to_owned(), new);
    value
}

const EVERY: Duration = Duration::from_secs(30);

fn owner(service: &str, key: &str) -> Identity {
    Identity { service: service.to_owned(), key: key.to_owned() }
}

fn options() -> WatchOptions {
    WatchOptions {
        every: EVERY,
        scope: Scope::all(subject()),
        nested: true,
        filters: Map::new(),
        owner: owner("https://one.example", "SHA256:a"),
    }
}

/// Returns a service with bots, and a watch that has polled once.
async fn watched(bots: i64) -> (FakeService, Watcher<FakeService>) {
    let service = FakeService::default();
    service.change(|state| state.bots = (1..=bots).map(|id| (id, bot(id))).collect());
    let watcher = Watcher::new(service.clone(), options(), None).unwrap();
    assert_eq!(polled(&watcher).await, [""; 0]);
    service.take_requests();
    (service, watcher)
}

/// Polls, and returns what is reported.
async fn polled(watcher: &Watcher<FakeService>) -> Vec<String> {
    let failed = watcher.poll().await.err().map(|error| format!("failure {error}"));
    failed.into_iter().chain(taken(watcher)).collect()
}

/// Waits for the next poll on schedule, and returns what is reported.
async fn reported(watcher: &Watcher<FakeService>) -> Vec<String> {
    advance(EVERY).await;
    assert!(watcher.ready().await.unwrap());
    taken(watcher)
}

fn taken(watcher: &Watcher<FakeService>) -> Vec<String> {
    let failures = std::iter::from_fn(|| watcher.take_failure().unwrap()).map(|error| format!("failure {error}"));
    let changes = std::iter::from_fn(|| watcher.take_change().unwrap()).map(|change| change.to_string());
    failures.chain(changes).collect()
}

#[tokio::test(start_paused = true)]
async fn the_first_poll_sets_the_baseline() {
    let (_, watcher) = watched(3).await;
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_switched_bot_is_reported() {
    let (service, watcher) = watched(1).await;
    service.set(1, "is_enabled", json!(false));
    assert_eq!(polled(&watcher).await, ["disabled bot 1 “Steady”"]);
    service.set(1, "is_enabled", json!(true));
    assert_eq!(polled(&watcher).await, ["enabled bot 1 “Steady”"]);
}

/// Removes a field of a bot, or sets it.
fn set_or_remove(service: &FakeService, field: &str, value: Option<Value>) {
    match value {
        Some(value) => service.set(1, field, value),
        None => service.change(|state| {
            state.bots.get_mut(&1).unwrap().as_object_mut().unwrap().shift_remove(field);
        }),
    }
}

#[tokio::test(start_paused = true)]
async fn a_switch_is_reported_after_a_poll_without_is_enabled() {
    for (malformed, why) in [
        (Some(json!(5)), "DcaBot.is_enabled is not true or false: 5"),
        (Some(json!("\u{d7ff}")), "DcaBot.is_enabled is not true or false"),
        (Some(Value::Null), "DcaBot.is_enabled is null"),
        (None, "DcaBot.is_enabled is absent"),
    ] {
        for (before, after, reports) in [(true, false, "disabled"), (false, true, "enabled")] {
            let (service, watcher) = watched(1).await;
            service.set(1, "is_enabled", json!(before));
            polled(&watcher).await;
            set_or_remove(&service, "is_enabled", malformed.clone());
            let failures = polled(&watcher).await;
            assert!(
                matches!(failures.as_slice(), [only] if only.contains(why) && only.contains("bot 1")),
                "{failures:?}"
            );
            assert_eq!(polled(&watcher).await, [""; 0], "it is reported once");
            service.set(1, "is_enabled", json!(after));
            assert_eq!(polled(&watcher).await, [format!("{reports} bot 1 “Steady”")]);
            assert_eq!(polled(&watcher).await, [""; 0]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_switch_is_reported_by_a_watch_that_continues_after_a_malformed_poll() {
    let (service, watcher) = watched(1).await;
    service.set(1, "is_enabled", json!({}));
    polled(&watcher).await;
    let state = watcher.state().unwrap();
    service.set(1, "is_enabled", json!(false));
    let later = Watcher::new(service.clone(), options(), Some(&state)).unwrap();
    assert_eq!(polled(&later).await, ["disabled bot 1 “Steady”"]);
}

#[tokio::test(start_paused = true)]
async fn a_state_with_a_malformed_field_loads_and_the_field_is_not_a_change() {
    let (service, watcher) = watched(1).await;
    let state = watcher.state().unwrap();
    let malformed = older(&state).replace(r#""take_profit":"1.0""#, r#""take_profit":"much""#);
    assert_ne!(malformed, older(&state));
    let later = Watcher::new(service.clone(), options(), Some(&malformed)).unwrap();
    assert_eq!(polled(&later).await, [""; 0]);
    service.set(1, "take_profit", json!("2"));
    assert_eq!(polled(&later).await, ["edited bot 1 “Steady”: take_profit: 1.0 → 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_temporarily_unreadable_field_is_not_a_change_and_hides_none() {
    for field in ["take_profit", "pairs", "sl_to_breakeven_enabled"] {
        let (service, watcher) = watched(1).await;
        let value = bot(1)[field].clone();
        service.set(1, field, json!({ "half": true }));
        let failures = polled(&watcher).await;
        assert!(
            matches!(failures.as_slice(), [only] if only.starts_with("failure") && only.contains(field)),
            "{failures:?}"
        );
        assert!(failures[0].contains("the last known values are kept"), "{failures:?}");
        service.set(1, field, value);
        assert_eq!(polled(&watcher).await, [""; 0], "{field}");
        service.set(1, field, json!(7));
        polled(&watcher).await;
        let changed = match field {
            "take_profit" => json!("2"),
            "pairs" => json!(["USDT_ETH"]),
            _ => json!(true),
        };
        service.set(1, field, changed);
        let reports = polled(&watcher).await;
        assert!(
            matches!(reports.last(), Some(last) if last.starts_with("edited") && last.contains(field)),
            "{reports:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_field_that_one_response_omitted_is_reported() {
    let (service, watcher) = watched(1).await;
    set_or_remove(&service, "take_profit", None);
    assert_eq!(polled(&watcher).await, [""; 0]);
    service.set(1, "take_profit", json!("2"));
    assert_eq!(polled(&watcher).await, ["edited bot 1 “Steady”: take_profit: 1.0 → 2"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_has_the_bot_as_received_and_as_known_before() {
    let (service, watcher) = watched(1).await;
    service.set(1, "take_profit", json!([]));
    service.set(1, "is_enabled", json!(false));
    watcher.poll().await.unwrap();
    let change = watcher.take_change().unwrap().unwrap();
    assert_eq!(change.kind, ChangeKind::Disabled);
    assert!(change.record.check("take_profit").is_err());
    assert_eq!(change.before.unwrap().value("take_profit").unwrap().text(), "\"1.0\"");
    service.set(1, "name", json!("Renamed"));
    watcher.poll().await.unwrap();
    let change = watcher.take_change().unwrap().unwrap();
    assert_eq!(change.before.unwrap().value("take_profit").unwrap().text(), "\"1.0\"");
    assert_eq!(change.fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["name"]);
}

#[tokio::test(start_paused = true)]
async fn a_deal_whose_end_can_not_be_read_stays_open_until_it_can() {
    for (field, malformed, ended) in [
        ("closed_at", json!(5), json!("2026-01-02T00:00:00.000Z")),
        ("closed_at", json!("soon"), json!("2026-01-02T00:00:00.000Z")),
        ("finished?", json!("maybe"), json!(true)),
        ("finished?", Value::Null, json!(true)),
    ] {
        let (service, watcher) = watched(1).await;
        service.deals(1, &[deal(7)]);
        polled(&watcher).await;
        service.deals(1, &[with(deal(7), field, malformed)]);
        let reports = polled(&watcher).await;
        assert!(
            matches!(reports.as_slice(), [only] if only.contains("(deal 7)") && only.starts_with("failure")),
            "{reports:?}"
        );
        service.deals(1, &[with(deal(7), field, ended)]);
        let reports = polled(&watcher).await;
        assert!(matches!(reports.as_slice(), [only] if only.starts_with("deal_closed")), "{reports:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_finished_deal_does_not_open_again_if_its_end_can_not_be_read() {
    let (service, watcher) = watched(1).await;
    service.deals(1, &[deal(7)]);
    polled(&watcher).await;
    service.deals(1, &[with(deal(7), "finished?", json!(true))]);
    polled(&watcher).await;
    service.deals(1, &[with(deal(7), "finished?", json!("maybe"))]);
    let reports = polled(&watcher).await;
    assert!(matches!(reports.as_slice(), [only] if only.starts_with("failure")), "{reports:?}");
}

#[tokio::test(start_paused = true)]
async fn a_bot_outside_the_scope_stays_outside_if_a_poll_can_not_tell() {
    let (service, _) = watched(1).await;
    service.set(1, "is_enabled", json!(false));
    let scope = Scope::named(subject(), "enable");
    let watcher = Watcher::new(service.clone(), WatchOptions { scope, ..options() }, None).unwrap();
    polled(&watcher).await;
    service.set(1, "is_enabled", json!("perhaps"));
    service.set(1, "take_profit", json!("3"));
    assert_eq!(polled(&watcher).await, [""; 0]);
    service.set(1, "is_enabled", json!(true));
    assert_eq!(polled(&watcher).await, ["enabled bot 1 “Steady”"]);
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_field_is_reported_when_its_bot_enters_the_scope() {
    let (service, _) = watched(1).await;
    service.set(1, "is_enabled", json!(false));
    service.set(1, "name", json!(5));
    let scope = Scope::named(subject(), "enabled");
    let watcher = Watcher::new(service.clone(), WatchOptions { scope, ..options() }, None).unwrap();
    assert_eq!(polled(&watcher).await, [""; 0]);
    service.set(1, "is_enabled", json!(true));
    let reports = polled(&watcher).await;
    assert!(
        matches!(reports.as_slice(), [failure, change] if failure.contains("DcaBot.name is not a text: 5") && change.starts_with("enabled")),
        "{reports:?}"
    );
    assert_eq!(polled(&watcher).await, [""; 0], "it is reported once");
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_field_of_a_deal_is_reported_once_although_polls_between_do_not_reach_the_deal() {
    let (service, watcher) = watched(1).await;
    service.deals(1, &[with(deal(7), "closed_at", json!(5))]);
    let reports = polled(&watcher).await;
    assert!(reports.iter().any(|line| line.contains("(deal 7)")), "{reports:?}");
    for _ in 0..3 {
        service.change(|state| drop(state.broken.insert(1, cut())));
        assert_eq!(polled(&watcher).await, ["failure cut"]);
        service.change(|state| state.broken.clear());
        assert_eq!(polled(&watcher).await, [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_is_reported_with_its_fields() {
    let (service, watcher) = watched(1).await;
    service.set(1, "take_profit", json!("1.50"));
    service.set(1, "min_price", json!("90"));
    service.set(1, "pairs", json!(["USDT_ETH"]));
    service.set(1, "sl_to_breakeven_enabled", json!(true));
    assert_eq!(
        polled(&watcher).await,
        [concat!(
            "edited bot 1 “Steady”: pairs: [\"USDT_BTC\"] → [\"USDT_ETH\"]; take_profit: 1.0 → 1.50; ",
            "min_price: None → 90; sl_to_breakeven_enabled: False → True"
        )]
    );
}

#[tokio::test(start_paused = true)]
async fn a_volatile_field_is_not_an_edit() {
    let (service, watcher) = watched(1).await;
    service.set(1, "updated_at", json!("2026-02-01T00:00:00.000Z"));
    service.set(1, "take_profit", json!(1.000));
    service.set(1, "url_secret", json!("another-canary"));
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_life_of_a_deal_is_reported() {
    let (service, watcher) = watched(1).await;
    service.deals(1, &[deal(7)]);
    assert_eq!(polled(&watcher).await, ["deal_opened bot 1 “Steady”, deal 7 USDT_BTC"]);
    service.deals(1, &[with(deal(7), "completed_safety_orders_count", json!(1))]);
    assert_eq!(
        polled(&watcher).await,
        ["deal_changed bot 1 “Steady”, deal 7 USDT_BTC: completed_safety_orders_count: 0 → 1"]
    );
    service.deals(1, &[deal(8)]);
    assert_eq!(
        polled(&watcher).await,
        ["deal_closed bot 1 “Steady”, deal 7 USDT_BTC", "deal_opened bot 1 “Steady”, deal 8 USDT_BTC"]
    );
    service.deals(1, &[]);
    assert_eq!(polled(&watcher).await, ["deal_closed bot 1 “Steady”, deal 8 USDT_BTC"]);
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_deal_that_stays_listed_as_finished_is_reported_once() {
    let (service, watcher) = watched(1).await;
    service.deals(1, &[deal(7)]);
    polled(&watcher).await;
    service.deals(1, &[with(deal(7), "finished?", json!(true))]);
    assert_eq!(polled(&watcher).await, ["deal_closed bot 1 “Steady”, deal 7 USDT_BTC: finished: False → True"]);
    assert_eq!(polled(&watcher).await, [""; 0]);
    service.deals(1, &[]);
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_deal_that_only_follows_the_price_is_not_reported() {
    let (service, watcher) = watched(1).await;
    service.deals(1, &[deal(7)]);
    polled(&watcher).await;
    service.deals(1, &[with(with(deal(7), "current_price", json!("120")), "actual_profit", json!("20"))]);
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_new_bot_is_reported_with_its_deals() {
    let (service, watcher) = watched(1).await;
    service.change(|state| {
        state.bots.insert(2, bot(2));
    });
    service.deals(2, &[deal(7)]);
    assert_eq!(polled(&watcher).await, ["appeared bot 2 “Steady”", "deal_opened bot 2 “Steady”, deal 7 USDT_BTC"]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_missing_in_the_list_is_gone_only_if_the_service_confirms_it() {
    let (service, watcher) = watched(2).await;
    service.change(|state| {
        state.hidden.insert(2);
    });
    service.set(2, "take_profit", json!("3"));
    assert_eq!(polled(&watcher).await, ["edited bot 2 “Steady”: take_profit: 1.0 → 3"]);
    service.change(|state| {
        state.bots.remove(&2);
    });
    assert_eq!(polled(&watcher).await, ["vanished bot 2 “Steady”"]);
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_incomplete_list_loses_no_bot_and_no_change() {
    let (service, watcher) = watched(3).await;
    service.change(|state| state.broken_list = Some((1, cut())));
    for id in 1..=3 {
        service.set(id, "is_enabled", json!(false));
    }
    assert_eq!(polled(&watcher).await, ["failure cut", "disabled bot 1 “Steady”"]);
    assert_eq!(service.take_requests(), ["list"]);
    service.change(|state| state.broken_list = None);
    assert_eq!(polled(&watcher).await, ["disabled bot 2 “Steady”", "disabled bot 3 “Steady”"]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_fails_holds_up_no_other_and_is_reported_later() {
    let (service, watcher) = watched(2).await;
    service.change(|state| {
        state.broken.insert(1, error_response(500));
    });
    service.deals(1, &[deal(7)]);
    service.deals(2, &[deal(8)]);
    let reports = polled(&watcher).await;
    assert!(reports.first().unwrap().starts_with("failure"), "{reports:?}");
    assert_eq!(reports.get(1..).unwrap(), ["deal_opened bot 2 “Steady”, deal 8 USDT_BTC"]);
    service.change(|state| state.broken.clear());
    assert_eq!(polled(&watcher).await, ["deal_opened bot 1 “Steady”, deal 7 USDT_BTC"]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_can_not_be_fetched_alone_is_reported_from_the_list() {
    let (service, watcher) = watched(1).await;
    service.deals(1, &[deal(7)]);
    polled(&watcher).await;
    service.change(|state| {
        state.broken.insert(1, cut());
    });
    service.set(1, "is_enabled", json!(false));
    assert_eq!(polled(&watcher).await, ["failure cut", "disabled bot 1 “Steady”"]);
    service.change(|state| state.broken.clear());
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_service_gets_no_request_until_the_next_poll() {
    let (service, watcher) = watched(9).await;
    for id in 1..=9 {
        service.deals(id, &[deal(id)]);
        service.change(|state| {
            state.broken.insert(id, cut());
        });
    }
    assert_eq!(polled(&watcher).await, ["failure cut"; 3]);
    assert_eq!(service.take_requests(), ["list", "show 1", "show 2", "show 3"]);
    // Those who were not asked for come first, so that three who always fail don't starve the others.
    polled(&watcher).await;
    assert_eq!(service.take_requests(), ["list", "show 4", "show 5", "show 6"]);
    service.change(|state| state.broken.clear());
    assert_eq!(polled(&watcher).await.len(), 9);
}

#[tokio::test(start_paused = true)]
async fn an_incomplete_first_poll_makes_no_bot_new() {
    let service = FakeService::default();
    service.change(|state| {
        state.bots = (1..=3).map(|id| (id, bot(id))).collect();
        state.broken_list = Some((1, cut()));
    });
    let watcher = Watcher::new(service.clone(), options(), None).unwrap();
    assert_eq!(polled(&watcher).await, ["failure cut"]);
    service.change(|state| state.broken_list = None);
    assert_eq!(polled(&watcher).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_permanent_error_is_returned_and_the_watch_can_continue() {
    let (service, watcher) = watched(1).await;
    service.set(1, "is_enabled", json!(false));
    for status in [401, 403, 404, 418] {
        service.change(|state| state.broken_list = Some((0, error_response(status))));
        assert!(watcher.poll().await.is_err(), "{status}");
        advance(EVERY).await;
        assert!(watcher.ready().await.is_err(), "{status}");
    }
    service.change(|state| state.broken_list = None);
    assert_eq!(polled(&watcher).await, ["disabled bot 1 “Steady”"]);
}

#[tokio::test(start_paused = true)]
async fn temporary_errors_do_not_end_the_watch() {
    let (service, watcher) = watched(1).await;
    let undecodable =
        Error::Decode { message: "no list".to_owned(), body: String::new(), method: None, request_id: None };
    for error in [cut(), error_response(500), error_response(503), error_response(429), undecodable] {
        service.change(|state| state.broken_list = Some((0, error.clone())));
        assert_eq!(reported(&watcher).await, [format!("failure {error}")]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_bot_whose_id_can_not_be_read_is_reported_as_an_error() {
    let (service, watcher) = watched(1).await;
    service.change(|state| {
        state.bots.insert(2, with(bot(2), "id", json!("two")));
    });
    let reports = polled(&watcher).await;
    assert!(
        matches!(reports.as_slice(), [only] if only.starts_with("failure") && only.contains("DcaBot.id")),
        "{reports:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_bot_without_an_id_is_reported_as_an_error() {
    let (service, watcher) = watched(1).await;
    service.change(|state| {
        state.bots.insert(2, with(bot(2), "id", Value::Null));
    });
    let reports = polled(&watcher).await;
    assert!(matches!(reports.as_slice(), [only] if only.contains("has no id, so it can't be watched")), "{reports:?}");
}

#[tokio::test(start_paused = true)]
async fn a_bot_whose_deals_can_not_be_read_is_watched_and_reported_as_an_error() {
    let (service, watcher) = watched(1).await;
    service.set(1, "active_deals_count", json!(1));
    service.set(1, "active_deals", json!("all of them"));
    service.set(1, "name", json!("Renamed"));
    let reports = polled(&watcher).await;
    assert!(
        matches!(reports.as_slice(), [failure, change] if failure.contains("active_deals") && change.contains("name")),
        "{reports:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_bot_is_fetched_alone_only_if_it_has_deals() {
    let (service, watcher) = watched(3).await;
    service.deals(2, &[deal(7)]);
    polled(&watcher).await;
    assert_eq!(service.take_requests(), ["list", "show 2"]);
    service.deals(2, &[]);
    polled(&watcher).await;
    polled(&watcher).await;
    assert_eq!(service.take_requests(), ["list", "show 2", "list"]);
}

#[tokio::test(start_paused = true)]
async fn without_deals_a_poll_is_the_list_only() {
    let (service, _) = watched(3).await;
    service.deals(2, &[deal(7)]);
    let watcher = Watcher::new(service.clone(), WatchOptions { nested: false, ..options() }, None).unwrap();
    polled(&watcher).await;
    service.deals(2, &[]);
    service.set(1, "is_enabled", json!(false));
    assert_eq!(polled(&watcher).await, ["disabled bot 1 “Steady”"]);
    assert_eq!(service.take_requests(), ["list", "list"]);
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_leaves_the_scope_is_reported_once() {
    let (service, _) = watched(2).await;
    let scope = Scope::named(subject(), "enable");
    let watcher = Watcher::new(service.clone(), WatchOptions { scope, ..options() }, None).unwrap();
    polled(&watcher).await;
    service.set(1, "is_enabled", json!(false));
    assert_eq!(polled(&watcher).await, ["disabled bot 1 “Steady”"]);
    service.set(1, "take_profit", json!("2"));
    service.deals(1, &[deal(7)]);
    assert_eq!(polled(&watcher).await, [""; 0]);
    service.set(1, "is_enabled", json!(true));
    assert_eq!(polled(&watcher).await, ["enabled bot 1 “Steady”"]);
    service.deals(1, &[]);
    assert_eq!(polled(&watcher).await, ["deal_closed bot 1 “Steady”, deal 7 USDT_BTC"]);
}

/// Returns the times of the requests for the list, in seconds from the start.
fn polls(service: &FakeService, begun: Instant) -> Vec<u64> {
    let state = locked(&service.0);
    state.requests.iter().filter(|(what, _)| what == "list").map(|(_, at)| (*at - begun).as_secs()).collect()
}

#[tokio::test(start_paused = true)]
async fn polls_have_even_intervals_and_missed_ones_are_not_made_up_for() {
    let (service, _) = watched(1).await;
    let watcher = Watcher::new(service.clone(), options(), None).unwrap();
    let begun = Instant::now();
    service.change(|state| state.delay = Duration::from_secs(4));
    assert!(timeout(Duration::from_secs(100), watcher.ready()).await.is_err());
    assert_eq!(polls(&service, begun), [0, 30, 60, 90]);
    // Whoever watches was away for long: one poll at once, and then in steps from it on.
    advance(Duration::from_secs(905)).await;
    service.take_requests();
    assert!(timeout(Duration::from_secs(50), watcher.ready()).await.is_err());
    assert_eq!(polls(&service, begun), [1_005, 1_035]);
}

#[tokio::test(start_paused = true)]
async fn a_poll_longer_than_the_interval_is_followed_by_the_next() {
    let (service, _) = watched(1).await;
    let watcher = Watcher::new(service.clone(), options(), None).unwrap();
    let begun = Instant::now();
    service.change(|state| state.delay = Duration::from_secs(50));
    assert!(timeout(Duration::from_secs(160), watcher.ready()).await.is_err());
    assert_eq!(polls(&service, begun), [0, 50, 100, 150]);
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_poll_is_continued() {
    let (service, watcher) = watched(3).await;
    for id in 1..=3 {
        service.deals(id, &[deal(id)]);
    }
    service.change(|state| state.delay = Duration::from_secs(3));
    advance(EVERY).await;
    // Four responses of three seconds each, for callers that wait for four seconds at most.
    let mut reports = Vec::new();
    for _ in 0..5 {
        if timeout(Duration::from_secs(4), watcher.ready()).await.is_ok() {
            reports.extend(taken(&watcher));
        }
    }
    assert_eq!(reports.len(), 3, "{reports:?}");
    assert_eq!(service.take_requests().iter().filter(|what| *what == "list").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn changes_are_kept_until_they_are_taken() {
    let (service, watcher) = watched(2).await;
    service.set(1, "is_enabled", json!(false));
    service.set(2, "is_enabled", json!(false));
    advance(EVERY).await;
    assert!(watcher.ready().await.unwrap());
    assert!(watcher.ready().await.unwrap());
    assert_eq!(taken(&watcher), ["disabled bot 1 “Steady”", "disabled bot 2 “Steady”"]);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_waiting() {
    let (_, watcher) = watched(1).await;
    let watcher = Arc::new(watcher);
    let waiting = tokio::spawn({
        let watcher = Arc::clone(&watcher);
        async move { watcher.ready().await }
    });
    tokio::task::yield_now().await;
    let begun = Instant::now();
    watcher.close();
    assert!(!waiting.await.unwrap().unwrap());
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert!(watcher.poll().await.unwrap_err().to_string().contains("closed"));
}

#[tokio::test(start_paused = true)]
async fn a_watch_continues_from_a_state_with_the_changes_not_taken() {
    let (service, watcher) = watched(3).await;
    service.deals(1, &[deal(7)]);
    polled(&watcher).await;
    service.set(1, "take_profit", json!("2.5"));
    service.deals(1, &[with(deal(7), "completed_safety_orders_count", json!(1))]);
    watcher.poll().await.unwrap();
    let state = watcher.state().unwrap();
    let untaken = taken(&watcher);
    assert_eq!(untaken.len(), 2);

    service.change(|state| {
        state.bots.remove(&3);
    });
    service.set(2, "is_enabled", json!(false));
    service.deals(1, &[]);
    let later = Watcher::new(service.clone(), options(), Some(&state)).unwrap();
    assert_eq!(later.state().unwrap(), state);
    assert_eq!(taken(&later), untaken);
    assert_eq!(
        polled(&later).await,
        ["disabled bot 2 “Steady”", "deal_closed bot 1 “Steady”, deal 7 USDT_BTC", "vanished bot 3 “Steady”"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_state_has_no_secret() {
    let (service, watcher) = watched(1).await;
    service.change(|state| {
        let reports =
            json!({"url_secret": ["canary-of-a-secret"], "description": "{\"api_key\": \"canary-of-a-secret\"}"});
        state.bots.get_mut(&1).unwrap()["event"] = reports;
    });
    service.set(1, "is_enabled", json!(false));
    watcher.poll().await.unwrap();
    let state = watcher.state().unwrap();
    assert!(state.contains("url_secret") && state.contains("disabled"), "{state}");
    assert!(!state.contains("canary"), "{state}");
}

#[tokio::test(start_paused = true)]
async fn an_unusable_state_has_a_helpful_error() {
    let (service, watcher) = watched(1).await;
    let state = watcher.state().unwrap();
    let filters = Map::from_iter([("account_id".to_owned(), json!(5))]);
    for (text, filters, why) in [
        ("", Map::new(), "not JSON"),
        ("{}", Map::new(), "not the state of a watch"),
        (r#"{"botdesk_watch": 2}"#, Map::new(), "newer botdesk"),
        (r#"{"botdesk_watch": 1, "filters": {}}"#, Map::new(), "it does not say whose bots it is of"),
        (without(&older(&state), "begun").as_str(), Map::new(), "parts of it are missing"),
        (older(&state).replace("[{", "[7,{").as_str(), Map::new(), "parts of it are missing"),
        (state.replace("[{", "[7,{").as_str(), Map::new(), "it is damaged, because its checksum does not match"),
        (without(&state, "begun").as_str(), Map::new(), "it is damaged, because its checksum does not match"),
        (
            older(&state).replace("dca_bots", "grid_bots").as_str(),
            Map::new(),
            "it is of a watch of grid_bots, not of dca_bots",
        ),
        (state.as_str(), filters, "other filters (none, not account_id=5)"),
    ] {
        let reports = Watcher::new(service.clone(), WatchOptions { filters, ..options() }, Some(text)).err().unwrap();
        assert!(matches!(&reports, Error::Configuration(message) if message.contains(why)), "{reports}");
    }
}

/// Returns a state without one of its members.
fn without(state: &str, name: &str) -> String {
    let mut members: Map<String, Value> = serde_json::from_str(state).unwrap();
    assert!(members.shift_remove(name).is_some());
    Value::Object(members).to_string()
}

/// Returns a state as versions of botdesk without a checksum saved it.
fn older(state: &str) -> String {
    without(state, "checksum")
}

#[tokio::test(start_paused = true)]
async fn a_state_that_was_saved_without_a_checksum_loads() {
    let (service, watcher) = watched(2).await;
    let state = watcher.state().unwrap();
    let later = Watcher::new(service, options(), Some(&older(&state))).unwrap();
    assert_eq!(later.state().unwrap(), state);
}

#[tokio::test(start_paused = true)]
async fn a_state_loads_with_other_white_space() {
    let (service, watcher) = watched(2).await;
    let state = watcher.state().unwrap();
    let value: Value = serde_json::from_str(&state).unwrap();
    let later = Watcher::new(service, options(), Some(&serde_json::to_string_pretty(&value).unwrap())).unwrap();
    assert_eq!(later.state().unwrap(), state);
}

#[tokio::test(start_paused = true)]
async fn a_state_with_a_flipped_bit_is_rejected() {
    let (service, watcher) = watched(1).await;
    let state = watcher.state().unwrap();
    for (at, bit) in (0..state.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut bytes = state.clone().into_bytes();
        bytes[at] ^= 1 << bit;
        // The file is read as UTF-8.
        let Ok(flipped) = String::from_utf8(bytes) else { continue };
        if let Ok(later) = Watcher::new(service.clone(), options(), Some(&flipped)) {
            // The meaning is the same, as after a flip in white space.
            assert_eq!(later.state().unwrap(), state, "bit {bit} of byte {at}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_of_another_owner_is_rejected() {
    let (service, watcher) = watched(1).await;
    let state = watcher.state().unwrap();
    for (owner, why) in [
        (owner("https://two.example", "SHA256:a"), "of another service (https://one.example, not https://two.example)"),
        (owner("https://one.example", "SHA256:b"), "of another key (fingerprint SHA256:a, not SHA256:b)"),
    ] {
        let reports = Watcher::new(service.clone(), WatchOptions { owner, ..options() }, Some(&state)).err().unwrap();
        assert!(reports.to_string().contains(why), "{reports}");
    }
    let silent = without(&older(&state), "whose");
    let reports = Watcher::new(service, options(), Some(&silent)).err().unwrap();
    assert!(reports.to_string().contains("it does not say whose bots it is of"), "{reports}");
}

#[test]
fn the_interval_is_limited() {
    assert_eq!(WatchOptions::every(1.0).unwrap(), Duration::from_secs(1));
    for wrong in [0.0, 0.999, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        assert!(WatchOptions::every(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_change_shows_one_line_and_not_all_fields() {
    let before = record::<DcaBot>(&with(bot(1), "name", json!("a\nb")));
    let fields = [("name", "x"), ("take_profit", "7"), ("cooldown", "1"), ("base_order_volume", "2")];
    let old = fields.iter().fold(bot(1), |bot, (field, _)| with(bot, field, json!("0")));
    let new =
        fields.iter().fold(with(bot(1), "name", json!("a\nb")), |bot, (field, value)| with(bot, field, json!(value)));
    let more = [("safety_order_volume", "3"), ("trailing_deviation", "4"), ("stop_loss_percentage", "5")];
    let old = more.iter().fold(old, |bot, (field, _)| with(bot, field, json!("0")));
    let new = more.iter().fold(new, |bot, (field, value)| with(bot, field, json!(value)));
    let bot_state = |value: &Value| RecordState { record: record::<DcaBot>(value), nested: None };
    let (old, new) = (bot_state(&old), bot_state(&new));
    let reports = between(subject(), &old, &new, &new, Timestamp::UNIX_EPOCH);
    let [edited] = reports.as_slice() else { panic!("one edit was made: {reports:?}") };
    assert_eq!(edited.fields.len(), 7);
    assert!(edited.to_string().ends_with("; and 2 more"), "{edited}");
    let gone = RecordChange { kind: ChangeKind::Vanished, record: before, fields: Vec::new(), ..edited.clone() };
    assert_eq!(gone.to_string(), "vanished bot 1 “a b”");
}
