//! The connections: one pool per process and configuration.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::redirect::Policy;

use super::error::Error;
use super::process::PerProcess;

/// What makes one pool of connections differ from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transport {
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// Whether the service runs on this machine, where no proxy is asked.
    pub loopback: bool,
}

static POOLS: PerProcess<Mutex<HashMap<Transport, reqwest::Client>>> = PerProcess::new();

impl Transport {
    /// The pool of this process for this configuration.
    pub fn pool(self) -> Result<reqwest::Client, Error> {
        let pools = POOLS.get_or_try_init(|| Ok::<_, Error>(Mutex::default()))?;
        let mut pools = pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&self) {
            return Ok(pool.clone());
        }
        let pool = self.build()?;
        pools.insert(self, pool.clone());
        Ok(pool)
    }

    fn build(self) -> Result<reqwest::Client, Error> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("botdesk/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.connect_timeout)
            // A redirect would carry the signature to a path that it does not stand for.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .tcp_nodelay(true);
        if self.loopback {
            builder = builder.no_proxy();
        }
        builder.build().map_err(|error| {
            Error::Configuration(format!(
                "connections can't be made on this machine ({}); are the system's CA certificates installed \
                 (package ca-certificates)?",
                chain(&error)
            ))
        })
    }
}

/// What an error says, with what lies behind it.
pub fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}
