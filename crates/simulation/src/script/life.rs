//! One life of the script, from its start until it is killed.

use std::sync::{Arc, Mutex};

use botdesk_api::dca_bots::DcaBot;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::error::Error;
use botdesk_client::http::events::with_listener;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::rate_limit::RateLimit;
use botdesk_client::request::base_url::BaseUrl;
use botdesk_client::request::spec::RequestSpec;
use botdesk_sandbox::Random;
use botdesk_schema::record::Record as _;
use botdesk_system::lock::locked;

use crate::checks::writes::WriteOutcome;
use crate::traffic::CallId;
use crate::world::{Call, SimulatedService};

/// The client of one life. Nothing in it survives a kill but what the whole process shares.
pub(crate) struct Life {
    pub(crate) world: Arc<SimulatedService>,
    client: HttpClient,
}

impl Life {
    pub(crate) fn new(
        world: Arc<SimulatedService>,
        key: Arc<PrivateKey>,
        api_key: &str,
        limit: RateLimit,
        random: Random,
    ) -> Result<Self, Error> {
        let random = Mutex::new(random);
        let base_url = BaseUrl::parse(world.sandbox.url(), false)?;
        let settings = Settings {
            rate_limit: Some(limit.into()),
            random_share: Arc::new(move || share(&mut locked(&random))),
            ..Settings::new(base_url)
        };
        Ok(Self { client: HttpClient::new(api_key, key, settings)?, world })
    }

    /// Returns a client for one call, whose number is the prefix of the paths, so that the log of the sandbox has it.
    pub(crate) fn client_of(&self, call: CallId) -> Result<HttpClient, Error> {
        self.client_with(call, self.settings())
    }

    fn client_with(&self, call: CallId, settings: Settings) -> Result<HttpClient, Error> {
        let base_url = BaseUrl::parse(&format!("{}/c{call}", self.world.sandbox.url()), false)?;
        self.client.with_settings(Settings { base_url, ..settings })
    }

    /// Returns the settings of the client.
    pub(crate) fn settings(&self) -> Settings {
        self.client.settings().clone()
    }

    /// Sends a request for a bot, and checks the outcome.
    pub(crate) async fn send(&self, spec: RequestSpec) -> (WriteOutcome, Result<DcaBot, Error>) {
        self.send_with(spec, self.settings()).await
    }

    /// Sends a request with other settings.
    pub(crate) async fn send_with(
        &self,
        spec: RequestSpec,
        settings: Settings,
    ) -> (WriteOutcome, Result<DcaBot, Error>) {
        let call = Call::begin(&self.world, spec.effect.writes());
        let result = match self.client_with(call.id, settings) {
            Ok(client) => with_listener(Some(call.listener()), client.record(spec)).await,
            Err(error) => Err(error),
        };
        let result = result.map(DcaBot::from_fields);
        (call.end(&result), result)
    }
}

/// The number of steps between 0 and 1.
const STEPS: i64 = 1_000;

fn share(random: &mut Random) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "both are small")]
    let share = random.between(0, STEPS) as f64 / STEPS as f64;
    share
}
