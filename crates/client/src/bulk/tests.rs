//! Runs over the bots of a sandbox.

use super::*;
use crate::base_url::BaseUrl;
use crate::key::PrivateKey;
use crate::retry::RetryPolicy;
use crate::send::Settings;
use botdesk_api::dca_bot::{DISABLE, DcaBot};
use botdesk_api::endpoint::Permission;
use botdesk_sandbox::{Fault, FaultOptions, SandboxOptions, SandboxServer};

const IDS: [u64; 6] = [41, 42, 43, 44, 45, 46];

struct Desk {
    sandbox: SandboxServer,
    road: Arc<Road>,
    control: Control,
}

impl Desk {
    async fn open() -> Self {
        let sandbox = SandboxServer::start(SandboxOptions::default()).await.unwrap();
        let key = Arc::new(PrivateKey::generate(2048).unwrap());
        let api_key = sandbox.add_key(&key.public_key_pem(), &Permission::ALL).unwrap();
        let base_url = BaseUrl::parse(sandbox.url(), false).unwrap();
        let settings = Settings { retries: RetryPolicy::NONE, rate_limit: None, ..Settings::new(base_url) };
        let road = Arc::new(Road::new(&api_key, key, settings).unwrap());
        Self { sandbox, road, control: Control { brake: Arc::default(), step: Box::new(|| ()) } }
    }

    async fn fail(&self, kind: &str, status: Option<u16>) {
        let options = FaultOptions { status, ..FaultOptions::default() };
        self.sandbox.add_fault(Fault::new(DISABLE.operation, kind, Some(1), options).unwrap()).await;
    }

    fn bulk(&self, ids: &[u64], concurrency: i64) -> Result<Bulk<DcaBot>, Error> {
        let targets = ids.iter().map(|id| Target { id: *id, record: None }).collect();
        Bulk::new(Arc::clone(&self.road), Work::Call(&DISABLE), "bots", targets, concurrency)
    }

    /// Does what is open of it, one after the other.
    async fn run(&self, before: &[Outcome<DcaBot>]) -> Ran<DcaBot> {
        let bulk = self.bulk(&IDS, 1).unwrap();
        let open = before.iter().enumerate().filter(|(_, outcome)| outcome.is_open());
        let places: Vec<_> = open.map(|(place, _)| place).collect();
        let plans = bulk.plan(&places, None, &self.control).await.unwrap();
        bulk.carry_out(&plans, before, false, &self.control).await
    }

    async fn run_all(&self) -> Ran<DcaBot> {
        self.run(&[const { Outcome::NotStarted }; IDS.len()]).await
    }
}

/// One letter for each outcome.
fn letters(ran: &Ran<DcaBot>) -> String {
    let letter = |outcome: &Outcome<DcaBot>| match outcome {
        Outcome::Done(_) => 'd',
        Outcome::Failed(_) => 'f',
        Outcome::Unknown(_) => 'u',
        Outcome::NotStarted => '-',
    };
    ran.outcomes.iter().map(letter).collect()
}

#[tokio::test]
async fn each_target_has_an_outcome_of_its_own() {
    let desk = Desk::open().await;
    desk.fail("status", Some(422)).await;
    desk.fail("close_after", None).await;
    desk.fail("status", Some(502)).await;
    let ran = desk.run_all().await;
    assert_eq!(letters(&ran), "fuuddd");
    assert!(ran.ended_by.is_none());
}

#[tokio::test]
async fn what_is_open_is_taken_up_again_and_what_is_unknown_is_not() {
    let desk = Desk::open().await;
    desk.fail("status", Some(422)).await;
    desk.fail("close_before", None).await;
    let first = desk.run_all().await;
    assert_eq!(letters(&first), "fudddd");
    let sent = desk.sandbox.requests().len();
    assert_eq!(letters(&desk.run(&first.outcomes).await), "dudddd");
    assert_eq!(desk.sandbox.requests().len(), sent + 1);
}

#[tokio::test]
async fn who_is_kept_out_begins_nothing_more() {
    let desk = Desk::open().await;
    desk.fail("status", Some(401)).await;
    let ran = desk.run_all().await;
    assert_eq!(letters(&ran), "f-----");
    assert!(ran.ended_by.is_some_and(|error| error.keeps_out()));
    assert_eq!(desk.sandbox.requests().len(), 1);
}

#[tokio::test]
async fn a_run_whose_brake_is_pressed_begins_nothing() {
    let desk = Desk::open().await;
    desk.control.brake.press();
    assert_eq!(letters(&desk.run_all().await), "------");
    assert!(desk.control.brake.is_pressed());
    assert!(desk.sandbox.requests().is_empty());
}

#[tokio::test]
async fn an_error_stays_known_where_the_target_is_not_begun_again() {
    let desk = Desk::open().await;
    desk.fail("status", Some(422)).await;
    let first = desk.run_all().await;
    desk.control.brake.press();
    assert_eq!(letters(&desk.run(&first.outcomes).await), "fddddd");
}

#[tokio::test]
async fn a_target_that_is_named_twice_is_refused() {
    let desk = Desk::open().await;
    let Err(Error::Validation(violations)) = desk.bulk(&[41, 42, 41, 41], 8) else { panic!("it is not refused") };
    let told: Vec<_> = violations.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(told, ["DcaBot 41 is named more than once"]);
}

#[tokio::test]
async fn how_many_are_under_way_is_bounded() {
    let desk = Desk::open().await;
    for concurrency in [0, -1, MOST_AT_ONCE + 1] {
        assert!(matches!(desk.bulk(&IDS, concurrency), Err(Error::Validation(_))), "{concurrency}");
    }
    assert!(desk.bulk(&IDS, MOST_AT_ONCE).is_ok());
}
