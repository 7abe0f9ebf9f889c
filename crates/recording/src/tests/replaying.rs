//! Recording and replay over sockets, without Python.

use std::sync::Arc;

use tempfile::TempDir;

use crate::{Cassette, RecordingError, Replay, Target};
use botdesk_api::dca_bot::{DISABLE, DcaBot, GET};
use botdesk_api::endpoint::Permission;
use botdesk_api::record::Record;
use botdesk_client::base_url::BaseUrl;
use botdesk_client::error::{Error, TransportFailure};
use botdesk_client::exchange::Tape;
use botdesk_client::key::PrivateKey;
use botdesk_client::request::Call;
use botdesk_client::retry::RetryPolicy;
use botdesk_client::send::{Road, Settings};
use botdesk_sandbox::{SandboxOptions, SandboxServer};

fn key() -> Arc<PrivateKey> {
    let pem = include_bytes!("../../../../tests/fixtures/keys/rsa_2048.pem");
    Arc::new(PrivateKey::from_pem(pem, None).unwrap())
}

fn road(url: &str, api_key: &str) -> Road {
    let base_url = BaseUrl::parse(url, false).unwrap();
    Road::new(api_key, key(), Settings { retries: RetryPolicy::NONE, ..Settings::new(base_url) }).unwrap()
}

/// A recording of what is done with a bot on a sandbox.
async fn recorded(folder: &TempDir) -> Target {
    let sandbox = SandboxServer::start(SandboxOptions::default()).await.unwrap();
    let road = road(sandbox.url(), &sandbox.add_key(&key().public_key_pem(), &Permission::ALL).unwrap());
    let tape = Arc::new(Tape::default());
    assert!(road.record_on(&tape));
    assert!(!road.record_on(&tape));
    road.record::<DcaBot>(Call::plain(&GET, Some(41))).await.unwrap();
    sandbox.stop();
    sandbox.port_freed().await;
    road.record::<DcaBot>(Call::plain(&DISABLE, Some(41))).await.unwrap_err();
    road.end_recording();
    let target = Target { path: folder.path().join("desk.har"), overwrite: false, reproducible: true };
    target.save(tape.finish()).unwrap();
    target
}

#[tokio::test]
async fn what_was_recorded_is_answered_and_what_got_no_answer_is_not() {
    let folder = TempDir::new().unwrap();
    let target = recorded(&folder).await;
    let replay = Replay::start(Cassette::load(&target.path).unwrap()).await.unwrap();
    let road = road(replay.url(), &replay.add_key(&key().public_key_pem()).unwrap());

    let bot: DcaBot = road.record(Call::plain(&GET, Some(41))).await.unwrap();
    assert!(bot.fields().text().contains("\"url_secret\":\"<url_secret-1>\""));
    assert!(matches!(replay.check_all_used(), Err(RecordingError::Unused { unused, .. }) if unused.len() == 1));

    let failed = road.record::<DcaBot>(Call::plain(&DISABLE, Some(41))).await.unwrap_err();
    assert!(matches!(failed, Error::Transport { failure: TransportFailure::OutcomeUnknown, .. }));
    assert!(replay.check_all_used().is_ok());
}

#[tokio::test]
async fn a_recording_takes_the_place_of_no_other_file() {
    let folder = TempDir::new().unwrap();
    let target = recorded(&folder).await;
    assert!(matches!(target.check(), Err(RecordingError::Exists(_))));
    assert!(matches!(target.save(Vec::new()), Err(RecordingError::Exists(_))));
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}
