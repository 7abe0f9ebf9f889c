//! A run from its start to its end.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::select;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, sleep_until};

use botdesk_api::dca_bots::DcaBot;
use botdesk_api::samples::operation;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::http::events::with_listener;
use botdesk_client::rate_limit::RateLimit;
use botdesk_client::request::spec::{NO_ID, RequestSpec};
use botdesk_client::watch::{ApiSource, Watcher};
use botdesk_sandbox::{LimitOptions, Random, SandboxOptions, SandboxServer};
use botdesk_schema::permission::Permission;
use botdesk_schema::record::Record as _;

use crate::checks::changes::ChangeCheck;
use crate::journal::SimulationSummary;
use crate::kill::Kill;
use crate::relay::{listen, relay};
use crate::script::{self, Disk, Life, Saved, name_of, watcher};
use crate::world::{Call, SimulatedService, disturb, seconds, trade};

/// The rate limit of the client and of the sandbox. It is lower than that of the service, so that bursts often exceed it.
const LIMIT: RateLimit = RateLimit { requests: 20, per: Duration::from_secs(60) };

/// The number of bots. All of them can be read, and polled, within the rate limit.
const BOTS: usize = 6;

/// The longest ban and some more.
const AFTER_ALL_BANS: Duration = Duration::from_secs(4 * 86_400);

/// The time after which no request counts any more.
const NEXT_PERIOD: Duration = Duration::from_secs(120);

/// The number of turns of the runtime without progress after which a run fails instead of hanging.
const MAX_TURNS: u64 = 500_000;

/// The length of a run, and its random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulationOptions {
    /// The virtual time, in hours.
    pub hours: u32,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// A run in which a check failed.
#[derive(Debug, thiserror::Error)]
pub struct SimulationFailure {
    options: SimulationOptions,
    message: String,
    events: Vec<String>,
}

impl fmt::Display for SimulationFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SimulationOptions { hours, seed } = self.options;
        writeln!(formatter, "The last events:")?;
        for event in &self.events {
            writeln!(formatter, "  {event}")?;
        }
        writeln!(formatter, "The simulation of {hours} hours with the seed {seed} failed: {}", self.message)?;
        write!(formatter, "To repeat it: just simulate {} {seed}", hours.div_ceil(24))
    }
}

/// Simulates a script; returns the counts, or the first thing that was wrong.
pub fn run(options: SimulationOptions) -> Result<SimulationSummary, SimulationFailure> {
    let fail = |message: String, events| SimulationFailure { options, message, events };
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    let runtime = runtime.map_err(|error| fail(format!("no runtime: {error}"), Vec::new()))?;
    runtime.block_on(async {
        let run = SimulationRun::new(options).await.map_err(|message| fail(message, Vec::new()))?;
        let result = Box::pin(run.simulate()).await;
        let observer = run.world.observer();
        let failure = observer.failure.clone().or(result.err());
        failure.map_or_else(
            || Ok(observer.journal.summary(run.world.now())),
            |message| Err(fail(message, observer.journal.events())),
        )
    })
}

struct SimulationRun {
    options: SimulationOptions,
    world: Arc<SimulatedService>,
    key: Arc<PrivateKey>,
    api_key: String,
}

impl SimulationRun {
    async fn new(options: SimulationOptions) -> Result<Self, String> {
        let pem = include_bytes!("../../../tests/fixtures/keys/rsa_2048.pem");
        let key = PrivateKey::from_pem(pem, None).map_err(text)?;
        let sandbox = SandboxOptions {
            seed: options.seed,
            bots: BOTS,
            limits: LimitOptions { rolling: true, retry_after: true, ..LimitOptions::per_minute(LIMIT.requests) },
            ..SandboxOptions::default()
        };
        let sandbox = SandboxServer::start(sandbox).await.map_err(text)?;
        let api_key = sandbox.add_key(&key.public_key_pem(), &Permission::ALL).map_err(text)?;
        Ok(Self { options, world: Arc::new(SimulatedService::new(sandbox, LIMIT)), key: Arc::new(key), api_key })
    }

    async fn simulate(&self) -> Result<(), String> {
        let disk = Arc::new(Box::pin(self.calm(self.prepare())).await?);
        self.live(&disk).await?;
        Box::pin(self.calm(self.conclude(&disk))).await
    }

    /// Returns a generator for one of many purposes.
    fn random(&self, purpose: u64) -> Random {
        Random::new(self.options.seed, purpose)
    }

    fn life(&self, number: u64) -> Result<Life, String> {
        let random = self.random(number * STREAMS);
        let life = Life::new(Arc::clone(&self.world), Arc::clone(&self.key), &self.api_key, LIMIT, random);
        life.map_err(text)
    }

    /// Reads all bots, and polls them for the first time.
    async fn prepare(&self) -> Result<Disk, String> {
        let life = self.life(0)?;
        let ids = self.list(&life).await?;
        let bots = self.read(&life, &ids).await?;
        let watcher = Box::pin(self.poll(&life, None)).await?;
        Ok(Disk::new(ids, watcher.state().map_err(text)?, ChangeCheck::new(&bots)))
    }

    /// Waits until nothing rejects the client, polls once more, and compares the bots with what was reported.
    async fn conclude(&self, disk: &Disk) -> Result<(), String> {
        sleep(AFTER_ALL_BANS).await;
        let life = self.life(0)?;
        self.read(&life, &disk.bots).await?;
        sleep(NEXT_PERIOD).await;
        let Saved { state, mut changes } = disk.saved().clone();
        let watcher = Box::pin(self.poll(&life, Some(&state))).await?;
        while let Some(change) = watcher.take_change().map_err(text)? {
            changes.apply(&change)?;
        }
        changes.compare(&self.read(&life, &disk.bots).await?)
    }

    async fn list(&self, life: &Life) -> Result<Vec<u64>, String> {
        let call = Call::begin(&self.world, false);
        let client = life.client_of(call.id).map_err(text)?;
        let listed =
            with_listener(Some(call.listener()), client.records(RequestSpec::plain(operation("dca_bots.list"), NO_ID)))
                .await;
        call.end(&listed);
        let ids = listed
            .map_err(text)?
            .iter()
            .filter_map(|bot| DcaBot::from_fields(bot.clone()).id().ok()??.try_into().ok())
            .collect::<Vec<_>>();
        if ids.len() == BOTS { Ok(ids) } else { Err(format!("{BOTS} bots are expected, not {ids:?}")) }
    }

    /// Polls once; returns the watch.
    async fn poll(&self, life: &Life, since: Option<&str>) -> Result<Watcher<ApiSource>, String> {
        let call = Call::begin(&self.world, false);
        let client = life.client_of(call.id).map_err(text)?;
        let watcher = watcher(client, NEXT_PERIOD, since).map_err(text)?;
        let polled = Box::pin(with_listener(Some(call.listener()), watcher.poll())).await;
        call.end(&polled);
        polled.map(|()| watcher).map_err(text)
    }

    /// Reads all bots, and checks their names.
    async fn read(&self, life: &Life, ids: &[u64]) -> Result<Vec<DcaBot>, String> {
        let mut bots = Vec::new();
        for id in ids {
            let (_, bot) = life.send(RequestSpec::plain(operation("dca_bots.get"), Some(*id))).await;
            let bot = bot.map_err(|error| format!("bot {id} can't be read: {error}"))?;
            self.world.observer().settings.read(*id, &name_of(&bot))?;
            bots.push(bot);
        }
        Ok(bots)
    }

    /// Lets the script live, under faults, until the time is over. It is killed and restarted meanwhile.
    async fn live(&self, disk: &Arc<Disk>) -> Result<(), String> {
        let world = &self.world;
        let end = Instant::now() + Duration::from_secs(3_600 * u64::from(self.options.hours));
        let mut exchange = JoinSet::new();
        exchange.spawn(trade(Arc::clone(world), self.random(1)));
        exchange.spawn(disturb(Arc::clone(world), self.random(2)));
        let (listener, proxy) = listen().await.map_err(text)?;
        exchange.spawn(relay(Arc::clone(world), listener, self.random(4)));
        world.observer().start_faults(self.random(3));
        let mut number = 0;
        while Instant::now() < end {
            number += 1;
            self.live_once(number, end, disk, &proxy).await?;
            world.note("the script is killed");
            sleep(seconds(&mut self.random(number * STREAMS + 1), 0, 1_800)).await;
        }
        exchange.shutdown().await;
        let mut observer = world.observer();
        observer.stop_faults();
        observer.journal.summary.restarts = number - 1;
        world.sandbox.clear_faults().map_err(text)
    }

    /// Runs the script until it is killed, or until the end.
    async fn live_once(&self, number: u64, end: Instant, disk: &Arc<Disk>, proxy: &str) -> Result<(), String> {
        let random = |purpose| self.random(number * STREAMS + purpose);
        let kill = Kill::draw(&mut random(2));
        self.world.observer().set_kill(kill);
        let killed = if let Kill::After(time) = kill { end.min(Instant::now() + time) } else { end };
        let life = Arc::new(self.life(number)?);
        let mut tasks = script::start(&life, disk, proxy, |task| random(3 + task));
        let ended = self.drive(async {
            select! {
                biased;
                () = sleep_until(killed) => None,
                task = tasks.join_next() => task.and_then(Result::err),
            }
        });
        let panicked = ended.await?.flatten();
        tasks.shutdown().await;
        self.world.settle().await;
        panicked.map_or(Ok(()), |error| Err(format!("a task of the script panicked: {error}")))
    }

    /// Awaits a future that is not killed.
    async fn calm<T>(&self, future: impl Future<Output = Result<T, String>>) -> Result<T, String> {
        self.world.observer().set_kill(Kill::Never);
        self.drive(future).await?.unwrap_or_else(|| Err("the script is killed, although it must not be".to_owned()))
    }

    /// Awaits a future; returns None if the script is killed first. Virtual time passes only if no attempt is on its way: as long as this
    /// yields, the runtime has something to do, and so its clock does not jump to the next timer.
    async fn drive<T>(&self, future: impl Future<Output = T>) -> Result<Option<T>, String> {
        let mut future = pin!(future);
        let mut turns = 0;
        while turns < MAX_TURNS {
            turns += 1;
            self.world.observe();
            let (stops_clock, is_killed, failure) = self.world.state();
            if let Some(message) = failure {
                return Err(message);
            }
            if is_killed {
                return Ok(None);
            }
            let next = async {
                if stops_clock {
                    yield_now().await;
                } else {
                    self.world.changed.notified().await;
                }
            };
            select! {
                biased;
                output = &mut future => return Ok(Some(output)),
                () = next => if !stops_clock { turns = 0 },
            }
        }
        Err("an attempt does not end".to_owned())
    }
}

/// The number of random generators of one life.
const STREAMS: u64 = 10;

#[allow(clippy::needless_pass_by_value, reason = "map_err passes values")]
fn text(error: impl ToString) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_the_last_events_and_the_command_that_repeats_it() {
        let (message, events) = ("a write was lost".to_owned(), vec!["day 0 one".to_owned(), "day 1 two".to_owned()]);
        let failure = SimulationFailure { options: SimulationOptions { hours: 25, seed: 7 }, message, events };
        let expected = "The last events:\n  day 0 one\n  day 1 two\nThe simulation of 25 hours with the seed 7 failed: \
                        a write was lost\nTo repeat it: just simulate 2 7";
        assert_eq!(failure.to_string(), expected);
    }
}
