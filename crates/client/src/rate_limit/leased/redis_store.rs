//! The store of the shared count: a Redis or Valkey server, which runs a script for each exchange.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};

use super::lease_sync::{ArrivalTime, LEASE, LeaseSync, LeaseSyncResult, QueueStep, Store, StoreError};
use super::redis_url::{PASSWORD_VARIABLE, RedisUrl};
use crate::rate_limit::bans::MAX_BAN;
use crate::rate_limit::digests;
use crate::rate_limit::window::{ARRIVES_WITHIN, MAX_LEASE};

/// The longest time for a connection, and for a response.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A Redis or Valkey server.
pub(super) struct RedisStore {
    url: RedisUrl,
    script: Script,
    keys: [String; 6],
    /// Tells this process from all others, on any machine.
    process: String,
    connection: Option<MultiplexedConnection>,
}

impl RedisStore {
    /// Returns the store of the count for an API key and a service, or why there is none. Nothing is connected yet.
    pub(super) fn new(url: RedisUrl, api_key: &[u8], service: &str) -> Result<Self, String> {
        let digest = digests::of_key(api_key, service);
        // The part in braces places all keys on one node of a cluster, which a script needs.
        let key = |name: &str| format!("botdesk:{{{digest}}}:{name}");
        Ok(Self {
            url,
            script: Script::new(include_str!("exchange.lua")),
            keys: ["arrivals", "leases", "waiting", "seen", "exchanges", "state"].map(key),
            process: random_name()?,
            connection: None,
        })
    }

    async fn connect(&self) -> Result<MultiplexedConnection, RedisError> {
        let mut info = self.url.connection_info()?;
        if let (None, Ok(password)) = (info.redis_settings().password(), std::env::var(PASSWORD_VARIABLE)) {
            let settings = info.redis_settings().clone().set_password(password);
            info = info.set_redis_settings(settings);
        }
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(TIMEOUT)).set_response_timeout(Some(TIMEOUT));
        Client::open(info)?.get_multiplexed_async_connection_with_config(&config).await
    }

    /// Runs the script over the open connection, or else over a new one.
    async fn run_on_any_connection(&mut self, exchange: &LeaseSync) -> Result<LeaseSyncResult, RedisError> {
        // The server may have closed a connection that was idle, so its failure says nothing yet.
        if let Some(mut connection) = self.connection.take()
            && let Ok(exchanged) = self.run(&mut connection, exchange).await
        {
            self.connection = Some(connection);
            return Ok(exchanged);
        }
        self.run_anew(exchange).await
    }

    async fn run_anew(&mut self, exchange: &LeaseSync) -> Result<LeaseSyncResult, RedisError> {
        let mut connection = self.connect().await?;
        let exchanged = self.run(&mut connection, exchange).await?;
        self.connection = Some(connection);
        Ok(exchanged)
    }

    async fn run(
        &self,
        connection: &mut MultiplexedConnection,
        exchange: &LeaseSync,
    ) -> Result<LeaseSyncResult, RedisError> {
        let mut call = self.script.prepare_invoke();
        self.keys.iter().for_each(|key| {
            call.key(key);
        });
        call.arg(exchange.limit.requests)
            .arg(micros(exchange.limit.per))
            .arg(&self.process)
            .arg(exchange.number)
            .arg(exchange.first)
            .arg(exchange.wanted)
            .arg(match exchange.queue {
                QueueStep::Keep => "keep",
                QueueStep::Join => "join",
                QueueStep::Leave => "leave",
            })
            .arg(micros(LEASE + ARRIVES_WITHIN))
            .arg(micros(exchange.rejected_for.min(MAX_BAN)))
            .arg(u8::from(exchange.is_known));
        for report in &exchange.reports {
            let (outcome, offset) = match report.arrival {
                ArrivalTime::Never => ("never", 0),
                ArrivalTime::Ago(time) => ("arrives", -micros(time)),
                ArrivalTime::Within(time) => ("arrives", micros(time)),
                ArrivalTime::InFlight(time) => ("flight", micros(time.min(MAX_LEASE))),
            };
            call.arg(report.number).arg(outcome).arg(offset);
        }
        let values: [i64; 9] = call.invoke_async(connection).await?;
        let [leased, wait, soonest, used, resets_in, rejected_for, processes, discarded, lost] = values;
        let number = |value: i64| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
        let time = |value: i64| Duration::from_micros(value.max(0).unsigned_abs());
        Ok(LeaseSyncResult {
            leased: number(leased),
            wait: time(wait),
            soonest: time(soonest),
            used: number(used),
            resets_in: time(resets_in),
            rejected_for: time(rejected_for),
            processes: number(processes),
            has_discarded: discarded > 0,
            has_lost: lost > 0,
        })
    }
}

impl Store for RedisStore {
    async fn exchange(&mut self, exchange: &LeaseSync) -> Result<LeaseSyncResult, StoreError> {
        let exchanged = self.run_on_any_connection(exchange).await.map_err(|error| described(&error))?;
        // Another program may have changed the stored response, and nobody should wait for years.
        if exchanged.is_plausible(exchange.limit) {
            Ok(exchanged)
        } else {
            Err(StoreError("it responded with times that can't be".to_owned()))
        }
    }
}

/// Returns a name that no other process has on any machine.
fn random_name() -> Result<String, String> {
    let mut random = [0; 16];
    aws_lc_rs::rand::fill(&mut random).map_err(|_| "the system gives no random numbers".to_owned())?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}

/// Returns why a server can't be used. Its own text is left out, because a server may repeat the command with the password.
fn described(error: &RedisError) -> StoreError {
    let code = error.code().unwrap_or_default();
    let text = error.to_string();
    StoreError(if error.is_timeout() {
        "it did not respond within a second".to_owned()
    } else if code == "NOAUTH" || text.contains("unauthenticated") {
        format!("it needs a password; set {PASSWORD_VARIABLE}")
    } else if !code.is_empty() {
        format!("it responded with the error {code}")
    } else if error.is_io_error() {
        text
    } else {
        error.category().to_owned()
    })
}

/// Returns a time in microseconds. No time that the service or the user names is longer than the longest that fits.
fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
