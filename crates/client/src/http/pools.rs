//! The connections: one pool per process, runtime and configuration.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Certificate, Proxy};
use tokio::runtime::{Handle, Id};

use crate::error::Error;
use crate::http::idle::run_connections;
use crate::process::PerProcess;
use botdesk_system::lock::locked;

/// What makes one pool of connections differ from another.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ConnectionPools {
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// Whether the service runs on this machine, where no proxy is asked.
    pub loopback: bool,
    /// A file of certificates in PEM to trust beside the system's.
    pub ca_file: Option<PathBuf>,
    /// The address of a proxy; None for what the environment says.
    pub proxy: Option<String>,
}

/// The pools by runtime, because connections live on the one that made them, by configuration, and by whether they reuse connections.
type Pools = HashMap<(Id, ConnectionPools, bool), reqwest::Client>;

static POOLS: PerProcess<Mutex<Pools>> = PerProcess::new();

impl ConnectionPools {
    /// Returns the pool of this process for this configuration, on the runtime that asks for it. `reuses` is asked while no pool can be
    /// closed.
    pub fn pool(&self, reuses: impl FnOnce() -> bool) -> Result<reqwest::Client, Error> {
        let mut pools = pools()?;
        let reuse = reuses();
        let key = (Handle::current().id(), self.clone(), reuse);
        if let Some(pool) = pools.get(&key) {
            return Ok(pool.clone());
        }
        let pool = self.build(reuse)?;
        pools.insert(key, pool.clone());
        Ok(pool)
    }

    /// Closes the idle connections of that pool, and those under way once their requests end.
    pub(crate) async fn close_connections(&self) {
        let key = (Handle::current().id(), self.clone(), true);
        let pool = POOLS.get().and_then(|pools| locked(pools).remove(&key));
        drop(pool);
        run_connections().await;
    }

    /// Closes the idle connections of all pools of this configuration, whatever runtime they are on, and those under way once their
    /// requests end.
    pub(crate) fn close_all_connections(&self) {
        let is_other = |(_, transport, _): &(Id, Self, bool)| transport != self;
        if let Some(pools) = POOLS.get() {
            locked(pools).retain(|key, _| is_other(key));
        }
    }

    /// Refuses what no pool can be made with, before there is anything to send.
    pub fn check(&self) -> Result<(), Error> {
        if let Some(file) = &self.ca_file {
            // What a block holds is looked at when connections are made with it.
            let trusting = reqwest::Client::builder().no_proxy().tls_certs_only(certificates(file)?);
            trusting.build().map_err(|error| {
                let why = root_cause(&error);
                Error::Configuration(format!("ca_file {}: a certificate in it is damaged ({why})", file.display()))
            })?;
        }
        self.proxy.as_deref().map(proxy).transpose().map(drop)
    }

    fn build(&self, reuse: bool) -> Result<reqwest::Client, Error> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("botdesk/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.connect_timeout)
            // A redirect would carry the signature to a path that it does not stand for.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .tcp_nodelay(true)
            .pool_max_idle_per_host(if reuse { usize::MAX } else { 0 });
        if let Some(file) = &self.ca_file {
            builder = builder.tls_certs_merge(certificates(file)?);
        }
        if let Some(address) = &self.proxy {
            builder = builder.proxy(proxy(address)?);
        } else if self.loopback {
            builder = builder.no_proxy();
        }
        builder.build().map_err(|error| {
            Error::Configuration(format!(
                "connections can't be made on this machine ({}); are the system's CA certificates installed \
                 (package ca-certificates)?",
                root_cause(&error)
            ))
        })
    }
}

fn pools() -> Result<MutexGuard<'static, Pools>, Error> {
    POOLS.get_or_try_init(|| Ok(Mutex::default())).map(locked)
}

fn certificates(file: &Path) -> Result<Vec<Certificate>, Error> {
    let refused = |why: String| Error::Configuration(format!("ca_file {}: {why}", file.display()));
    let pem = std::fs::read(file).map_err(|error| refused(error.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| refused(root_cause(&error)))?;
    if certificates.is_empty() {
        return Err(refused("it holds no certificate in PEM (BEGIN CERTIFICATE)".to_owned()));
    }
    Ok(certificates)
}

// The address itself stays out of the message: it may hold a password.
fn proxy(address: &str) -> Result<Proxy, Error> {
    let is_known = ["http://", "https://", "socks5://", "socks5h://"].iter().any(|scheme| address.starts_with(scheme));
    let proxy = is_known.then(|| Proxy::all(address).ok()).flatten();
    proxy.ok_or_else(|| {
        Error::Configuration("proxy must be an address such as http://host:port or socks5://host:port".to_owned())
    })
}

/// Whether the address of a proxy says who goes through it.
pub fn names_a_user(address: &str) -> bool {
    reqwest::Url::parse(address).is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
}

/// What lies at the bottom of an error; what it says itself where nothing does.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}
