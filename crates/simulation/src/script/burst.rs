//! Bursts of reads that exceed the rate limit, so that most of them wait.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use botdesk_api::samples::operation;
use botdesk_client::http::Settings;
use botdesk_client::request::spec::RequestSpec;
use botdesk_sandbox::Random;

use super::disk::Disk;
use super::life::Life;
use crate::world::seconds;

/// The number of reads that wait for a response at the same time.
const WORKERS: u64 = 3;

/// Reads in bursts until it is killed; some of them through a proxy that holds requests back.
pub(super) async fn read_in_bursts(life: Arc<Life>, disk: Arc<Disk>, proxy: String, mut random: Random) {
    for burst in 0.. {
        sleep(seconds(&mut random, 600, 5_400)).await;
        let reads = random.between(2, 15);
        let settings = match random.between(1, 5) {
            1 => Settings { wait: false, ..life.settings() },
            2 => Settings { proxy: Some(proxy.clone()), ..life.settings() },
            _ => life.settings(),
        };
        let workers = (0..WORKERS).map(|worker| {
            let own = Random::new(random.between(0, i64::MAX).unsigned_abs(), burst * WORKERS + worker);
            read_many(Arc::clone(&life), Arc::clone(&disk), own, reads, settings.clone())
        });
        workers.collect::<JoinSet<_>>().join_all().await;
    }
}

/// Reads random bots, one after the other. Some reads are cancelled.
async fn read_many(life: Arc<Life>, disk: Arc<Disk>, mut random: Random, reads: i64, settings: Settings) {
    for _ in 0..reads {
        let bot = random.choose(&disk.bots, 0);
        let patience = if random.between(1, 3) == 1 { seconds(&mut random, 1, 40) } else { Duration::MAX };
        // Whether it succeeded does not matter: the checks have seen it.
        let _ = timeout(
            patience,
            life.send_with(RequestSpec::plain(operation("dca_bots.get"), Some(bot)), settings.clone()),
        )
        .await;
    }
}
