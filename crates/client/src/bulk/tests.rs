//! Bulk runs against a sandbox.

use std::sync::Arc;

use super::*;
use crate::credentials::private_key::PrivateKey;
use crate::error::Error;
use crate::http::client::HttpClient;
use crate::http::retry::RetryPolicy;
use crate::http::settings::Settings;
use crate::request::base_url::BaseUrl;
use crate::request::spec::InputValues;
use botdesk_api::samples::operation;
use botdesk_sandbox::{Fault, FaultOptions, SandboxOptions, SandboxServer};
use botdesk_schema::permission::Permission;

const IDS: [u64; 6] = [41, 42, 43, 44, 45, 46];

struct TestRun {
    sandbox: SandboxServer,
    client: Arc<HttpClient>,
    control: RunControl,
}

impl TestRun {
    async fn start() -> Self {
        let sandbox = SandboxServer::start(SandboxOptions::default()).await.unwrap();
        let key = Arc::new(PrivateKey::generate(2048).unwrap());
        let api_key = sandbox.add_key(&key.public_key_pem(), &Permission::ALL).unwrap();
        let base_url = BaseUrl::parse(sandbox.url(), false).unwrap();
        let settings = Settings { retries: RetryPolicy::NONE, rate_limit: None, ..Settings::new(base_url) };
        let client = Arc::new(HttpClient::new(&api_key, key, settings).unwrap());
        Self { sandbox, client, control: RunControl { stop: Arc::default(), step: Box::new(|| ()) } }
    }

    async fn fail(&self, kind: &str, status: Option<u16>) {
        let options = FaultOptions { status, ..FaultOptions::default() };
        self.sandbox.add_fault(Fault::new(operation("dca_bots.disable").name, kind, Some(1), options).unwrap()).await;
    }

    fn bulk(&self, ids: &[u64], concurrency: i64) -> Result<Bulk, Error> {
        let targets = ids.iter().map(|id| Target { id: (*id).into(), record: None }).collect();
        Bulk::new(
            Arc::clone(&self.client),
            BulkAction::Request { operation: operation("dca_bots.disable"), given: InputValues::none() },
            "bots",
            targets,
            concurrency,
        )
    }

    /// Runs what is still open, one target at a time.
    async fn run(&self, before: &[Outcome]) -> RunResult {
        let bulk = self.bulk(&IDS, 1).unwrap();
        let open = before.iter().enumerate().filter(|(_, outcome)| outcome.is_open());
        let places: Vec<_> = open.map(|(place, _)| place).collect();
        let plans = bulk.plan(&places, None, &self.control).await.unwrap();
        bulk.execute(&plans, before, false, &self.control).await
    }

    async fn run_all(&self) -> RunResult {
        self.run(&[const { Outcome::NotStarted }; IDS.len()]).await
    }
}

/// One letter for each outcome.
fn letters(ran: &RunResult) -> String {
    let letter = |outcome: &Outcome| match outcome {
        Outcome::Done(_) => 'd',
        Outcome::Failed(_) => 'f',
        Outcome::Unknown(_) => 'u',
        Outcome::NotStarted => '-',
    };
    ran.outcomes.iter().map(letter).collect()
}

#[tokio::test]
async fn each_target_has_its_own_outcome() {
    let test = TestRun::start().await;
    test.fail("status", Some(422)).await;
    test.fail("close_after", None).await;
    test.fail("status", Some(502)).await;
    let ran = test.run_all().await;
    assert_eq!(letters(&ran), "fuuddd");
    assert!(ran.ended_by.is_none());
}

#[tokio::test]
async fn an_open_target_is_sent_again_and_an_unknown_one_is_not() {
    let test = TestRun::start().await;
    test.fail("status", Some(422)).await;
    test.fail("close_before", None).await;
    let first = test.run_all().await;
    assert_eq!(letters(&first), "fudddd");
    let sent = test.sandbox.requests().len();
    assert_eq!(letters(&test.run(&first.outcomes).await), "dudddd");
    assert_eq!(test.sandbox.requests().len(), sent + 1);
}

#[tokio::test]
async fn nothing_is_started_after_a_fatal_error() {
    let test = TestRun::start().await;
    test.fail("status", Some(401)).await;
    let ran = test.run_all().await;
    assert_eq!(letters(&ran), "f-----");
    assert!(ran.ended_by.is_some_and(|error| error.is_fatal()));
    assert_eq!(test.sandbox.requests().len(), 1);
}

#[tokio::test]
async fn a_stopped_run_starts_nothing() {
    let test = TestRun::start().await;
    test.control.stop.request();
    assert_eq!(letters(&test.run_all().await), "------");
    assert!(test.control.stop.is_requested());
    assert!(test.sandbox.requests().is_empty());
}

#[tokio::test]
async fn a_target_that_is_not_started_again_keeps_its_error() {
    let test = TestRun::start().await;
    test.fail("status", Some(422)).await;
    let first = test.run_all().await;
    test.control.stop.request();
    assert_eq!(letters(&test.run(&first.outcomes).await), "fddddd");
}

#[tokio::test]
async fn a_target_that_is_listed_twice_is_an_error() {
    let test = TestRun::start().await;
    let Err(Error::Validation(violations)) = test.bulk(&[41, 42, 41, 41], 8) else { panic!("it is an error") };
    let messages: Vec<_> = violations.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(messages, ["DcaBot 41 is listed more than once"]);
}

#[tokio::test]
async fn the_concurrency_is_bounded() {
    let test = TestRun::start().await;
    for concurrency in [0, -1, MAX_CONCURRENCY + 1] {
        assert!(matches!(test.bulk(&IDS, concurrency), Err(Error::Validation(_))), "{concurrency}");
    }
    assert!(test.bulk(&IDS, MAX_CONCURRENCY).is_ok());
}
