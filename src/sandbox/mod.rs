//! The service, run on this machine: an HTTP server on a loopback port, with a seeded world of its own.
//!
//! It checks signatures over the bytes received, with another crate than the one that signs. Inputs it judges by the
//! rows of the document, which the client reads as well.

mod accounts;
mod answer;
mod dca_bots;
mod defaults;
mod exchanges;
mod grid_bots;
mod inputs;
mod judge;
mod log;
mod router;
mod seed;
mod server;
mod smart_trades;
mod socket;
mod state;
#[cfg(test)]
mod tests;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;

pub use judge::UnusableKey;
pub use log::Received;

use crate::service::endpoint::Permission;
use server::Service;

/// What a sandbox is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// From which the world is made; the same seed makes the same world.
    pub seed: u64,
    /// How many DCA bots there are.
    pub bots: usize,
    /// The port to listen on; 0 for any that is free.
    pub port: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 1, bots: 12, port: 0 }
    }
}

/// A running sandbox. Two of them share nothing.
pub struct Sandbox {
    url: String,
    service: Arc<Service>,
    running: watch::Sender<bool>,
    port_freed: watch::Receiver<()>,
}

impl Sandbox {
    /// Starts a sandbox on the runtime of the caller.
    pub async fn start(options: Options) -> io::Result<Self> {
        let address = (Ipv4Addr::LOCALHOST, options.port);
        let listener = TcpListener::bind(address).await.map_err(|error| {
            let message = format!("can't listen on {}:{}: {error}", address.0, address.1);
            io::Error::new(error.kind(), message)
        })?;
        let url = format!("http://{}", listener.local_addr()?);
        let service = Arc::new(Service::new(&options));
        let (running, stopped) = watch::channel(true);
        let port_freed = server::spawn(listener, Arc::clone(&service), stopped);
        Ok(Self { url, service, running, port_freed })
    }

    /// The address to call, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Lets the holder of a private key in, by its public part in PEM (`PUBLIC KEY` or `RSA PUBLIC KEY`); returns a
    /// fresh API key.
    pub fn add_key(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, UnusableKey> {
        self.service.add_key(public_key_pem, permissions)
    }

    /// What arrived, the oldest first; the newest 10 000 requests are kept, fewer where they are large.
    pub fn requests(&self) -> Vec<Received> {
        self.service.requests()
    }

    /// Stops listening and drops the connections. Once stopped, it stays so.
    pub fn stop(&self) {
        self.running.send_replace(false);
    }

    /// Waits until a stopped sandbox has let go of its port.
    pub async fn port_freed(&self) {
        // Nothing is ever sent: the channel ends when the listener is gone.
        while self.port_freed.clone().changed().await.is_ok() {}
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.stop();
    }
}
