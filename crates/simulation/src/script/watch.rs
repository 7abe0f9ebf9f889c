//! The watch of the script. It saves its state together with what it has made of the changes.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tokio::time::sleep;

use botdesk_api::samples::operation;
use botdesk_client::credentials::account::Identity;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::http::events::with_listener;
use botdesk_client::request::spec::InputValues;
use botdesk_client::watch::{ApiSource, Scope, Subject, WatchOptions, Watcher};
use botdesk_sandbox::Random;

use super::disk::{Disk, Saved};
use super::life::Life;
use crate::world::{Call, SimulatedService, seconds};

/// Returns a watch that continues from a saved state, if there is one.
pub(crate) fn watcher(client: HttpClient, every: Duration, since: Option<&str>) -> Result<Watcher<ApiSource>, Error> {
    // The base URL of each call has another prefix, so the owner is given.
    let owner = Identity { service: "the sandbox".to_owned(), key: client.fingerprint().to_owned() };
    let list = operation("dca_bots.list");
    let scope = Scope::all(Subject::of(list)?);
    let options = WatchOptions { every, scope, nested: true, filters: Map::new(), owner };
    let given = InputValues { inputs: Vec::new(), unsendable: Vec::new(), validate: true };
    Watcher::new(ApiSource::new(Arc::new(client), list, given)?, options, since)
}

/// Watches until it is killed.
pub(super) async fn watch(life: Arc<Life>, disk: Arc<Disk>, mut random: Random) {
    let call = Call::begin(&life.world, false);
    let since = disk.saved().state.clone();
    let every = seconds(&mut random, 60, 900);
    let watcher = life.client_of(call.id).and_then(|client| watcher(client, every, Some(&since)));
    match watcher {
        Ok(watcher) => {
            Box::pin(with_listener(Some(call.listener()), follow(&life.world, &disk, &watcher, random))).await;
        }
        Err(error) => life.world.require(Err(format!("the watch can't continue: {error}"))),
    }
}

async fn follow(world: &SimulatedService, disk: &Disk, watcher: &Watcher<ApiSource>, mut random: Random) {
    loop {
        if let Err(error) = watcher.ready().await {
            world.note(&format!("the poll fails, kind {:?}", error.kind()));
            sleep(seconds(&mut random, 10, 300)).await;
            continue;
        }
        let most = random.choose(&[1, usize::MAX], 1);
        let moment = random.between(1, 15);
        match take_news(world, disk, watcher, most) {
            Ok((count, _)) if moment == 1 => {
                world.observer().journal.summary.unsaved += count;
                return die(world, "before it saves").await;
            }
            Ok((count, saved)) => {
                world.observer().journal.summary.changes += count;
                *disk.saved() = saved;
            }
            Err(message) => return world.require(Err(message)),
        }
        if moment == 2 {
            return die(world, "when it has saved").await;
        }
    }
}

/// Ends the script at a moment that it chooses.
async fn die(world: &SimulatedService, moment: &str) {
    world.note(&format!("the script dies {moment}"));
    world.kill();
    pending::<()>().await;
}

/// Takes all errors, and some changes; returns the number of these changes, and what to save.
fn take_news(
    world: &SimulatedService,
    disk: &Disk,
    watcher: &Watcher<ApiSource>,
    most: usize,
) -> Result<(u64, Saved), String> {
    let message = |error: Error| error.to_string();
    while let Some(error) = watcher.take_failure().map_err(message)? {
        world.note(&format!("the watch reports an error, kind {:?}", error.kind()));
    }
    let mut changes = disk.saved().changes.clone();
    let mut taken = 0;
    for _ in 0..most {
        let Some(change) = watcher.take_change().map_err(message)? else { break };
        world.note(&format!("the watch reports {} of {}", change.kind_name(), change.about()));
        changes.apply(&change)?;
        taken += 1;
    }
    // The state has the changes that were not taken.
    Ok((taken, Saved { state: watcher.state().map_err(message)?, changes }))
}
