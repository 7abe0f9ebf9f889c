//! Recording and replay over sockets, without Python.

use std::sync::Arc;

use tempfile::TempDir;

use crate::{Cassette, RecordingError, ReplayServer, Target};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::samples::operation;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::error::{Error, TransportFailure};
use botdesk_client::http::recorder::Recorder;
use botdesk_client::http::retry::RetryPolicy;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::request::base_url::BaseUrl;
use botdesk_client::request::spec::RequestSpec;
use botdesk_sandbox::{SandboxOptions, SandboxServer};
use botdesk_schema::permission::Permission;
use botdesk_schema::record::Record;

fn key() -> Arc<PrivateKey> {
    let pem = include_bytes!("../../../../tests/fixtures/keys/rsa_2048.pem");
    Arc::new(PrivateKey::from_pem(pem, None).unwrap())
}

fn client(url: &str, api_key: &str) -> HttpClient {
    let base_url = BaseUrl::parse(url, false).unwrap();
    HttpClient::new(api_key, key(), Settings { retries: RetryPolicy::NONE, ..Settings::new(base_url) }).unwrap()
}

/// Records some requests about a bot to a sandbox.
async fn recorded(folder: &TempDir) -> Target {
    let sandbox = SandboxServer::start(SandboxOptions::default()).await.unwrap();
    let client = client(sandbox.url(), &sandbox.add_key(&key().public_key_pem(), &Permission::ALL).unwrap());
    let recorder = Arc::new(Recorder::default());
    assert!(client.start_recording(&recorder));
    assert!(!client.start_recording(&recorder));
    client.record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.unwrap();
    sandbox.stop();
    sandbox.port_freed().await;
    client.record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await.unwrap_err();
    client.stop_recording();
    let target = Target { path: folder.path().join("desk.har"), overwrite: false, reproducible: true };
    target.save(recorder.finish(), &[]).unwrap();
    target
}

#[tokio::test]
async fn recorded_responses_are_sent_and_missing_ones_are_not() {
    let folder = TempDir::new().unwrap();
    let target = recorded(&folder).await;
    let replay = ReplayServer::start(Cassette::load(&target.path).unwrap()).await.unwrap();
    let client = client(replay.url(), &replay.add_key(&key().public_key_pem()).unwrap());

    let bot =
        client.record(RequestSpec::plain(operation("dca_bots.get"), Some(41))).await.map(DcaBot::from_fields).unwrap();
    assert!(bot.fields().text().contains("\"url_secret\":\"<url_secret-1>\""));
    assert!(matches!(replay.check_all_used(), Err(RecordingError::Unused { unused, .. }) if unused.len() == 1));

    let failed = client.record(RequestSpec::plain(operation("dca_bots.disable"), Some(41))).await.unwrap_err();
    assert!(matches!(failed, Error::Transport { failure: TransportFailure::OutcomeUnknown, .. }));
    assert!(replay.check_all_used().is_ok());
}

#[tokio::test]
async fn a_recording_replaces_no_existing_file() {
    let folder = TempDir::new().unwrap();
    let target = recorded(&folder).await;
    assert!(matches!(target.check(), Err(RecordingError::Exists(_))));
    assert!(matches!(target.save(Vec::new(), &[]), Err(RecordingError::Exists(_))));
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}
