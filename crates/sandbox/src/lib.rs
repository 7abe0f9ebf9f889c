//! The service, run on this machine: an HTTP server on a loopback port, with a seeded world of its own.
//!
//! It checks signatures over the bytes received. That it errs where the client that signs does, the tests exclude, which judge
//! with libraries of their own. Inputs it judges by the rows of the document, which the client reads as well.

mod accounts;
mod additions;
mod clock;
mod dca_bots;
mod defaults;
mod exchanges;
mod faults;
mod file;
mod grid_bots;
mod inputs;
mod log;
mod market;
mod openapi;
mod options;
mod rate_limit;
mod record;
mod route;
mod router;
mod seed;
mod server;
mod smart_trades;
mod state;
#[cfg(test)]
mod tests;
mod time;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use bigdecimal::BigDecimal;
use jiff::{SignedDuration, Timestamp};

pub use additions::Given;
pub use botdesk_server::judge::UnusableKey;
pub use faults::{ANY, Details, Fault, Happened, Kind};
pub use file::{State, UnusableState};
pub use log::Received;
pub use options::Options;

use botdesk_api::endpoint::Permission;
use botdesk_api::input::Violation;
use botdesk_server::gate::Gate;
use botdesk_server::serving::Serving;
use botdesk_server::socket::Door;
use faults::Faults;
use server::Service;
use state::World;

/// A running sandbox. Two of them share nothing.
pub struct Sandbox {
    serving: Serving,
    service: Arc<Service>,
    faults: Arc<Faults>,
}

impl Sandbox {
    /// Starts a sandbox on the runtime of the caller.
    pub async fn start(options: Options) -> io::Result<Self> {
        let world = seed::world(options.seed, options.bots);
        Self::open(options, world).await
    }

    /// Starts a sandbox with the world of a state file in place of a seeded one.
    pub async fn resume(options: Options, state: State) -> io::Result<Self> {
        Self::open(options, state.0).await
    }

    #[allow(clippy::unused_async, reason = "awaiting it means to be on the runtime that serves")]
    async fn open(options: Options, world: World) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let gate = Gate::open(address)
            .map_err(|error| io::Error::new(error.kind(), format!("can't listen on {address}: {error}")))?;
        let gate = Arc::new(gate);
        let faults = Arc::new(Faults::new(Arc::clone(&gate)));
        let service = Arc::new(Service::new(&options, world, Arc::clone(&faults)));
        let resetting = Arc::clone(&faults);
        let door = |running| Ok(Door::at(gate, Box::new(move || resetting.resets()), running));
        let serving = Serving::begin(door, server::router(Arc::clone(&service)))?;
        Ok(Self { serving, service, faults })
    }

    /// The address to call, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        self.serving.url()
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

    /// Writes the whole world into a state file, all of it or nothing. API keys of the sandbox are not in it.
    pub fn dump(&self, path: &Path) -> Result<(), UnusableState> {
        let text = self.service.world().to_text()?;
        file::write(path, &text)
    }

    /// Adds an exchange account; gives its identifier.
    pub fn add_account(&self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        self.service.world().add_account(given)
    }

    /// Adds a DCA bot with its open deals; gives its identifier.
    pub fn add_dca_bot(&self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        self.service.world().add_dca_bot(given)
    }

    /// Adds a grid bot, its levels laid; gives its identifier.
    pub fn add_grid_bot(&self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        self.service.world().add_grid_bot(given)
    }

    /// Adds a SmartTrade; gives its identifier.
    pub fn add_smart_trade(&self, given: Vec<Given>) -> Result<u64, Vec<Violation>> {
        self.service.world().add_smart_trade(given)
    }

    /// Moves the price of a pair, and with it all that trades it. A pair that is not traded yet is from then on.
    pub fn set_price(&self, pair: &str, price: BigDecimal) -> Result<(), Violation> {
        self.service.world().set_price(pair, price)
    }

    /// The time that the sandbox's clock shows.
    pub fn now(&self) -> Timestamp {
        self.service.world().clock.now()
    }

    /// Lets so much time pass.
    pub fn advance(&self, by: SignedDuration) {
        let mut world = self.service.world();
        let until = clock::later(world.clock.now(), by);
        world.pass(until);
        self.service.skip(by.unsigned_abs());
    }

    /// Lets time pass until then. Where that is past already, nothing happens and the clock's time is the error.
    pub fn advance_to(&self, time: Timestamp) -> Result<(), Timestamp> {
        let mut world = self.service.world();
        let now = world.clock.now();
        if time < now {
            return Err(now);
        }
        world.pass(time);
        self.service.skip(time.duration_since(now).unsigned_abs());
        Ok(())
    }

    /// Lets the sandbox's clock follow the wall clock from now on.
    pub fn follow_wall_clock(&self) {
        let mut world = self.service.world();
        world.clock.follow_wall();
        world.catch_up();
    }

    /// Lets the sandbox's clock stand from now on.
    pub fn stop_clock(&self) {
        self.service.world().clock.stand();
    }

    /// Has a fault happen, from the next request on. Where it befalls connections, those there are end first.
    pub async fn add_fault(&self, fault: Fault) {
        self.faults.add(fault).await;
    }

    /// Has faults befall that share of the requests, from 0 to 1, the same ones for the same seed.
    pub fn add_random_faults(&self, share: f64, seed: u64) {
        self.faults.at_random(share, seed);
    }

    /// Forgets the faults to come, and listens again where connections were refused.
    pub fn clear_faults(&self) -> io::Result<()> {
        self.faults.clear()
    }

    /// The faults to come, the next first.
    pub fn pending_faults(&self) -> Vec<Fault> {
        self.faults.pending()
    }

    /// The share of requests that faults befall by chance; None where none do.
    pub fn random_faults(&self) -> Option<f64> {
        self.faults.share()
    }

    /// What went wrong, the oldest first; the newest 10 000 are kept.
    pub fn happened_faults(&self) -> Vec<Happened> {
        self.faults.happened()
    }

    /// Stops listening and drops the connections. Once stopped, it stays so.
    pub fn stop(&self) {
        self.serving.stop();
    }

    /// Waits until a stopped sandbox has let go of its port.
    pub async fn port_freed(&self) {
        self.serving.port_freed().await;
    }
}
