//! Connection pools: one for each process, runtime and configuration.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Certificate;
use reqwest::redirect::Policy;
use tokio::runtime::{Handle, Id};

use super::idle::run_connections;
use super::pool_map::{ClosablePool, PoolMap};
use super::proxies::ResolvedProxy;
use crate::error::Error;
use crate::process::PerProcess;
use botdesk_schema::key_text::shown_path;
use botdesk_system::files;

/// The connection pools of one configuration.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ConnectionPools {
    /// The timeout for opening a connection.
    pub connect_timeout: Duration,
    /// A PEM file of certificates to trust in addition to those of the system.
    pub ca_file: Option<PathBuf>,
    /// The proxy of all requests, from the settings or the environment; None for no proxy.
    pub proxy: Option<ResolvedProxy>,
}

/// A connection pool, open until it is closed.
pub(super) type Pool = ClosablePool<reqwest::Client>;

static POOLS: PerProcess<PoolMap<Id, ConnectionPools, reqwest::Client>> = PerProcess::new();

impl ConnectionPools {
    /// Returns the pool of this process for this configuration, on the current runtime. `reuses_connections` is called under the lock
    /// that closing takes, so that no pool is made after it was closed for good.
    pub(super) fn pool(&self, reuses_connections: impl FnOnce() -> bool) -> Result<Pool, Error> {
        let Ok(pools) = POOLS.get_or_try_init(|| Ok::<_, Infallible>(PoolMap::default()));
        pools.pool(Handle::current().id(), self, reuses_connections, |reuses| self.build(reuses))
    }

    /// Closes the pool of the current runtime: its idle connections now, the others when their requests end.
    pub(super) async fn close_connections(&self) {
        if let Some(pools) = POOLS.get() {
            pools.close(Handle::current().id(), self);
        }
        run_connections().await;
    }

    /// Closes the pools of all runtimes: their idle connections now, the others when their requests end.
    pub(super) fn close_all_connections(&self) {
        if let Some(pools) = POOLS.get() {
            pools.close_all(self);
        }
    }

    /// Returns an error if no pool can be made with this configuration.
    pub fn check(&self) -> Result<(), Error> {
        if let Some(file) = &self.ca_file {
            // reqwest looks into the PEM blocks only when it makes a client.
            let trusting = reqwest::Client::builder().no_proxy().tls_certs_only(certificates(file)?);
            trusting.build().map_err(|error| {
                let why = root_cause(&error);
                Error::Configuration(format!("ca_file {}: a certificate in it is damaged ({why})", shown_path(file)))
            })?;
        }
        Ok(())
    }

    fn build(&self, reuses_connections: bool) -> Result<reqwest::Client, Error> {
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("botdesk/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.connect_timeout)
            // The signature is valid for one path, so a redirect can't be followed.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .tcp_nodelay(true)
            .pool_max_idle_per_host(if reuses_connections { usize::MAX } else { 0 });
        if let Some(file) = &self.ca_file {
            builder = builder.tls_certs_merge(certificates(file)?);
        }
        builder = match &self.proxy {
            Some(proxy) => builder.proxy(proxy.for_all_requests()?),
            None => builder.no_proxy(),
        };
        builder.build().map_err(|error| {
            Error::Configuration(format!(
                "connections can't be made on this machine ({}); are the system's CA certificates installed \
                 (package ca-certificates)?",
                root_cause(&error)
            ))
        })
    }
}

/// The size limit of a `ca_file`, in bytes.
const MAX_CA_FILE_LENGTH: u64 = 16 << 20;

fn certificates(file: &Path) -> Result<Vec<Certificate>, Error> {
    let error = |why: String| Error::Configuration(format!("ca_file {}: {why}", shown_path(file)));
    let pem = files::read(file, MAX_CA_FILE_LENGTH).map_err(|cause| error(cause.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|cause| error(root_cause(&cause)))?;
    if certificates.is_empty() {
        return Err(error("it has no PEM certificate (BEGIN CERTIFICATE)".to_owned()));
    }
    Ok(certificates)
}

/// Returns true if the URL of a proxy has a user name or a password.
pub fn names_a_user(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
}

/// Returns the message of the error at the root of an error.
pub fn root_cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pools_of(connect_timeout: u64) -> ConnectionPools {
        let connect_timeout = Duration::from_secs(connect_timeout);
        ConnectionPools { connect_timeout, ca_file: None, proxy: None }
    }

    #[tokio::test]
    async fn a_pool_is_made_once_for_each_configuration() {
        let (pools, others) = (pools_of(1), pools_of(2));
        let pool = pools.pool(|| true).unwrap();
        assert!(pool.is_same(&pools.pool(|| true).unwrap()));
        assert!(!pool.is_same(&pools.pool(|| false).unwrap()));
        assert!(!pool.is_same(&others.pool(|| true).unwrap()));
    }

    #[tokio::test]
    async fn a_pool_is_used_only_if_it_reuses_connections_as_the_caller_wants() {
        let pool = pools_of(3).pool(|| true).unwrap();
        assert!(pool.get(true).is_some());
        assert!(pool.get(false).is_none());
    }

    #[tokio::test]
    async fn a_closed_pool_is_not_used_and_the_next_one_is_new() {
        let (pools, others) = (pools_of(4), pools_of(5));
        let (pool, other) = (pools.pool(|| true).unwrap(), others.pool(|| true).unwrap());
        pools.close_connections().await;
        assert!(pool.get(true).is_none());
        let next = pools.pool(|| true).unwrap();
        pools.close_all_connections();
        assert!(next.get(true).is_none());
        assert!(pools.pool(|| true).unwrap().get(true).is_some());
        assert!(other.get(true).is_some());
    }
}
