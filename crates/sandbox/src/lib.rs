//! A local mock of the service: an HTTP server on a loopback port, with seeded state.
//!
//! It verifies signatures over the bytes that it receives, and validates inputs by the same rules as the client. Because it shares
//! code with the client, the tests sign with other libraries: they find errors that the client and the sandbox have in common.

mod account_edits;
mod account_mode;
mod account_sales;
mod account_summary;
mod accounts;
mod active_entities;
mod additions;
mod balance;
mod balance_history;
mod balance_rows;
mod balances;
mod blacklist;
mod bot_deals;
mod bot_lifecycle;
mod clock;
mod dca_bots;
mod deal_actions;
mod deal_conversion;
mod deal_edits;
mod deal_events;
mod deal_funds_data;
mod deal_history;
mod deal_orders;
mod deal_reads;
mod deals;
mod defaults;
mod dust;
mod exchanges;
mod faults;
mod fills;
mod funds;
mod general;
mod grid_bot_checks;
mod grid_bot_creation;
mod grid_bot_record;
mod grid_bots;
mod grid_history;
mod grid_levels;
mod grid_reads;
mod initial_state;
mod inputs;
mod ledger;
mod limit_options;
mod listings;
mod market;
mod market_event;
mod markets;
mod openapi;
mod operations;
mod options;
mod order_prices;
mod page;
mod parameters;
mod playback;
mod random;
mod record;
mod record_type;
mod request_log;
mod request_quota;
mod resource;
mod resources;
mod route;
mod router;
mod saved;
mod seed;
mod seed_options;
mod server;
mod simple_trade;
mod simple_trade_life;
mod smart_trade_edits;
mod smart_trade_figures;
mod smart_trade_funds;
mod smart_trade_life;
mod smart_trade_new;
mod smart_trade_orders;
mod smart_trade_parts;
mod smart_trade_plan;
mod smart_trade_prices;
mod smart_trade_record;
mod smart_trade_status;
mod smart_trade_steps;
mod smart_trade_writes;
mod smart_trades;
mod sort_value;
mod state;
mod state_file;
mod statistics;
mod store;
mod strategies;
mod stream_connections;
mod streams;
#[cfg(test)]
mod tests;
mod trade_writes;
mod trades;
mod uptime;
mod user_settings;
mod volumes;
mod withdrawn;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use bigdecimal::BigDecimal;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

pub use additions::NamedValue;
pub use botdesk_server::authenticator::PublicKeyError;
pub use botdesk_server::subscription::StreamAttempt;
pub use faults::{ANY, Fault, FaultKind, FaultOptions, InjectedFault};
pub use funds::GivenBalances;
pub use limit_options::{LimitOptions, Plan};
pub use market_event::{MarketEvent, PlaybackMoment};
pub use options::{MAX_BOTS, SandboxOptions};
pub use playback::{Playback, PlaybackError, PlaybackStep};
pub use random::Random;
pub use request_log::LoggedRequest;
pub use state_file::{SavedState, StateFileError};
pub use streams::StreamHub;

use botdesk_schema::input::Violation;
use botdesk_schema::permission::Permission;
use botdesk_server::listener::ConnectionListener;
use botdesk_server::port_guard::PortGuard;
use botdesk_server::server::Server;
use botdesk_trading::candles::{self, Candles};
use botdesk_trading::decimal::Decimal;
use faults::FaultInjector;
use initial_state::InitialState;
use page::{PageToken, SandboxPage};
use server::SandboxService;

/// A running sandbox. Two sandboxes share nothing.
pub struct SandboxServer {
    server: Server,
    service: Arc<SandboxService>,
    faults: Arc<FaultInjector>,
    page: Arc<SandboxPage>,
}

impl SandboxServer {
    /// Starts a sandbox with seeded state on the runtime of the caller.
    pub async fn start(options: SandboxOptions) -> io::Result<Self> {
        let initial = InitialState::seeded(&options);
        Self::start_with(options, initial).await
    }

    /// Starts a sandbox with the state of a state file.
    pub async fn resume(options: SandboxOptions, saved: SavedState) -> io::Result<Self> {
        let initial = InitialState::saved(&options, &saved)?;
        Self::start_with(options, initial).await
    }

    #[allow(clippy::unused_async, reason = "awaiting it means to be on the runtime that serves")]
    async fn start_with(options: SandboxOptions, initial: InitialState) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
        let port = PortGuard::bind(address)
            .map_err(|error| io::Error::new(error.kind(), format!("can't listen on {address}: {error}")))?;
        let port = Arc::new(port);
        let faults = Arc::new(FaultInjector::new(Arc::clone(&port)));
        let service = Arc::new(SandboxService::new(&options, initial, Arc::clone(&faults))?);
        let should_reset = {
            let faults = Arc::clone(&faults);
            Box::new(move || faults.should_reset())
        };
        let page = Arc::new(SandboxPage::new(Arc::clone(&service), PageToken::generate()?));
        let listen = |running| Ok(ConnectionListener::new(port, should_reset, running));
        let server = Server::start(listen, page::router(Arc::clone(&page)))?;
        Ok(Self { server, service, faults, page })
    }

    /// Returns the base URL, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// Returns the URL of the page for browsers. Its fragment is the token that the page needs, so it is a secret.
    pub fn page_url(&self) -> String {
        format!("{}/#{}", self.url(), self.page.token())
    }

    /// Returns to the state at the start, ends playbacks, removes the faults, and forgets the requests and the usage of the rate
    /// limit. API keys stay valid. Fails if the port was lost while connections were refused.
    pub fn reset(&self) -> io::Result<()> {
        self.service.reset()
    }

    /// Registers a public key in PEM (`PUBLIC KEY` or `RSA PUBLIC KEY`); returns a new API key for it.
    pub fn add_key(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, PublicKeyError> {
        self.service.add_key(public_key_pem, permissions)
    }

    /// Registers a new system-generated key; returns the API key and its secret.
    pub fn add_secret(&self, permissions: &[Permission]) -> Result<(String, String), PublicKeyError> {
        self.service.add_secret(permissions)
    }

    /// Returns the received requests, oldest first: the newest 10 000, or fewer if they are large.
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.service.requests()
    }

    /// Returns the received requests, oldest first, and removes them from the log.
    pub fn take_requests(&self) -> Vec<LoggedRequest> {
        self.service.take_requests()
    }

    /// Writes the whole state into a file, atomically. It contains no API keys of the sandbox.
    pub fn dump(&self, path: &Path) -> Result<(), StateFileError> {
        let json = self.service.state().to_json()?;
        state_file::write(path, &json)
    }

    /// Adds a record of a resource, such as `dca_bots`; returns its id. If it is invalid, the state is unchanged.
    pub fn add(&self, resource: &str, fields: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        self.service.state().add(resource, fields)
    }

    /// Sets the price of a pair, and updates all bots and deals on it. A new pair is traded from now on.
    pub fn set_price(&self, pair: &str, price: BigDecimal) -> Result<(), Violation> {
        self.service.state().set_price(pair, price)
    }

    /// Moves the price of a pair, and updates all bots and deals at every price on the way at which something happens.
    pub fn move_price(&self, pair: &str, price: BigDecimal) -> Result<(), Violation> {
        self.service.state().move_price(pair, price)
    }

    /// Plays candles of pairs through the market. The clock follows the candles.
    ///
    /// A pair that the sandbox trades keeps its tick unless one is given; a new pair gets the smallest decimal place of its candles.
    /// An earlier playback can't continue.
    pub fn play(
        &self,
        histories: Vec<(String, Candles)>,
        path: candles::ExtremeOrder,
        tick: Option<&Decimal>,
    ) -> Result<Playback, PlaybackError> {
        Playback::new(Arc::clone(&self.service), histories, path, tick)
    }

    /// Returns the latest finished and cancelled deals of a DCA bot as JSON, oldest first; None for an unknown bot.
    pub fn finished_deals(&self, bot: u64) -> Option<Vec<String>> {
        let mut state = self.service.state();
        state.write_history();
        let finished = state.store.dca_bots.contains_key(&bot).then(|| state.finished_deals(bot))?;
        Some(finished.map(|deal| Value::Object(deal.clone()).to_string()).collect())
    }

    /// Returns the time of the sandbox's clock.
    pub fn now(&self) -> Timestamp {
        self.service.state().clock.now()
    }

    /// Advances the clock by a duration. Returns an error, and changes nothing, if the time is past the last timestamp.
    pub fn advance(&self, by: SignedDuration) -> Result<(), Violation> {
        self.service.advance(by)
    }

    /// Advances the clock to a time. If that is in the past, nothing changes and the error is the current time.
    pub fn advance_to(&self, time: Timestamp) -> Result<(), Timestamp> {
        self.service.advance_to(time)
    }

    /// Lets the clock follow the wall clock from now on.
    pub fn follow_wall_clock(&self) {
        self.service.follow_wall_clock();
    }

    /// Stops the clock.
    pub fn stop_clock(&self) {
        self.service.stop_clock();
    }

    /// Adds a fault, which takes effect with the next request. A fault that affects connections first closes the open ones.
    pub async fn add_fault(&self, fault: Fault) {
        self.faults.add(fault).await;
    }

    /// Injects random faults into a share of the requests, from 0 to 1. The same seed gives the same faults.
    pub fn add_random_faults(&self, share: f64, seed: u64) {
        self.faults.set_random(share, seed);
    }

    /// Removes the pending faults, and listens again if connections were refused.
    pub fn clear_faults(&self) -> io::Result<()> {
        self.faults.clear()
    }

    /// Returns the pending faults, the next one first.
    pub fn pending_faults(&self) -> Vec<Fault> {
        self.faults.pending()
    }

    /// Returns the share of requests that get a random fault; None if random faults are off.
    pub fn random_faults(&self) -> Option<f64> {
        self.faults.random_share()
    }

    /// Returns the injected faults, oldest first: the newest 10 000.
    pub fn injected_faults(&self) -> Vec<InjectedFault> {
        self.faults.injected()
    }

    /// Returns the live streams: their attempts and controls.
    pub fn streams(&self) -> &StreamHub {
        self.service.streams()
    }

    /// Sends a ping to the connections of the streams.
    pub fn ping_streams(&self) {
        let seconds = self.now().as_second();
        self.service.streams().ping(seconds);
    }

    /// Stops listening, drops the connections and ends playbacks, for good.
    pub fn stop(&self) {
        self.service.close();
        self.server.stop();
    }

    /// Waits until a stopped sandbox has freed its port.
    pub async fn port_freed(&self) {
        self.server.port_freed().await;
    }
}
