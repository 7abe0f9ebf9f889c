//! The store of the shared count: a Redis or Valkey server, which runs a script for each exchange.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, Script};

use super::exchange::{Arrival, Exchange, Exchanged, LEASE, QueueStep, Store, StoreError};
use super::redis_url::{PASSWORD_VARIABLE, RedisUrl};
use crate::rate_limit::digests;
use crate::rate_limit::window::ARRIVES_WITHIN;

/// The longest time for a connection, and for a response.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A Redis or Valkey server.
pub(super) struct RedisStore {
    url: RedisUrl,
    script: Script,
    keys: [String; 4],
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
            keys: ["requests", "waiting", "seen", "state"].map(key),
            process: random_name()?,
            connection: None,
        })
    }

    async fn connect(&self) -> Result<MultiplexedConnection, StoreError> {
        let Some(mut info) = self.url.connection_info() else {
            return Err(StoreError("its URL is invalid".to_owned()));
        };
        if let (None, Ok(password)) = (info.redis_settings().password(), std::env::var(PASSWORD_VARIABLE)) {
            let settings = info.redis_settings().clone().set_password(password);
            info = info.set_redis_settings(settings);
        }
        let config =
            AsyncConnectionConfig::new().set_connection_timeout(Some(TIMEOUT)).set_response_timeout(Some(TIMEOUT));
        let client = Client::open(info).map_err(|error| described(&error))?;
        client.get_multiplexed_async_connection_with_config(&config).await.map_err(|error| described(&error))
    }

    async fn run(&self, connection: &mut MultiplexedConnection, exchange: &Exchange) -> Result<Exchanged, RedisError> {
        let mut call = self.script.prepare_invoke();
        self.keys.iter().for_each(|key| {
            call.key(key);
        });
        call.arg(exchange.limit.requests)
            .arg(micros(exchange.limit.per))
            .arg(&self.process)
            .arg(exchange.first)
            .arg(exchange.wanted)
            .arg(match exchange.queue {
                QueueStep::Keep => "keep",
                QueueStep::Join => "join",
                QueueStep::Leave => "leave",
            })
            .arg(micros(LEASE + ARRIVES_WITHIN))
            .arg(micros(exchange.rejected_for));
        for report in &exchange.reports {
            call.arg(report.number);
            match report.arrival {
                Arrival::Never => call.arg("never"),
                Arrival::Ago(time) => call.arg(-micros(time)),
                Arrival::Within(time) => call.arg(micros(time)),
            };
        }
        let values: [i64; 7] = call.invoke_async(connection).await?;
        let [leased, wait, soonest, used, resets_in, rejected_for, processes] = values;
        let number = |value: i64| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
        let time = |value: i64| Duration::from_micros(value.max(0).unsigned_abs());
        Ok(Exchanged {
            leased: number(leased),
            wait: time(wait),
            soonest: time(soonest),
            used: number(used),
            resets_in: time(resets_in),
            rejected_for: time(rejected_for),
            processes: number(processes),
        })
    }
}

impl Store for RedisStore {
    async fn exchange(&mut self, exchange: &Exchange) -> Result<Exchanged, StoreError> {
        // The server may have closed a connection that was idle, so its failure says nothing yet.
        if let Some(mut connection) = self.connection.take()
            && let Ok(exchanged) = self.run(&mut connection, exchange).await
        {
            self.connection = Some(connection);
            return Ok(exchanged);
        }
        let mut connection = self.connect().await?;
        let exchanged = self.run(&mut connection, exchange).await.map_err(|error| described(&error))?;
        self.connection = Some(connection);
        Ok(exchanged)
    }
}

/// Returns a name that no other process has on any machine.
fn random_name() -> Result<String, String> {
    let mut random = [0; 16];
    aws_lc_rs::rand::fill(&mut random).map_err(|_| "the system gives no random numbers".to_owned())?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}

fn described(error: &RedisError) -> StoreError {
    StoreError(if error.is_timeout() { "it did not respond within a second".to_owned() } else { error.to_string() })
}

/// Returns a time in microseconds. No time that the service or the user names is longer than the longest that fits.
fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}
