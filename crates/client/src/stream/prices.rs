//! Prices of pairs. Neither a list nor a stream has them, so the rates of each pair are polled.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::time::{Instant, sleep_until};

use super::event::{Origin, StreamEvent};
use super::fill::is_survivable;
use super::options::PricedPairs;
use super::shared::Shared;
use crate::error::Error;
use crate::http::HttpClient;
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_api::reference;
use botdesk_schema::error::ApiErrorKind;
use botdesk_schema::id::Id;
use botdesk_schema::input::{InputName, differences};
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Fields;
use botdesk_schema::values::Field;

/// The name of prices among the resources of a stream.
pub(super) const PRICES: &str = "prices";

/// The kind of their changes.
const CHANGED: &str = "changed";

/// The prices of some pairs.
pub(super) struct Prices {
    client: Arc<HttpClient>,
    shared: Arc<Shared>,
    member: usize,
    /// The request for each pair.
    requests: Vec<(Arc<str>, RequestSpec)>,
    known: HashMap<Arc<str>, Fields>,
}

impl Prices {
    /// Returns the prices of some pairs, which are validated before anything is sent.
    pub(super) fn new(
        client: &Arc<HttpClient>,
        shared: &Arc<Shared>,
        member: usize,
        of: &PricedPairs,
    ) -> Result<Self, Error> {
        let missing = || Error::Configuration("botdesk has no operation for prices".to_owned());
        let rates = reference::operation("markets.rates").ok_or_else(missing)?;
        let requests =
            of.pairs.iter().map(|pair| Ok((Arc::from(pair.as_str()), request(rates, &of.market_code, pair)?)));
        let requests = requests.collect::<Result<Vec<_>, Error>>()?;
        Ok(Self { client: Arc::clone(client), shared: Arc::clone(shared), member, requests, known: HashMap::new() })
    }

    /// Polls until the stream is closed, or until an error ends the prices.
    pub(super) async fn run(mut self) {
        let (shared, member) = (Arc::clone(&self.shared), self.member);
        if let Some(Err(error)) = shared.unless_closed(Box::pin(self.poll())).await {
            shared.end(member, error);
        }
    }

    async fn poll(&mut self) -> Result<Infallible, Error> {
        loop {
            let due = Instant::now() + self.shared.options.every;
            for (pair, request) in self.requests.clone() {
                match self.client.unless_closed(self.client.record(request)).await {
                    Some(Ok(rates)) => self.take(pair, rates),
                    Some(Err(error)) if is_survivable(&error) || is_of_exchange(&error) => self.shared.fail(error),
                    Some(Err(error)) if self.requests.len() > 1 && is_of_pair(&error) => self.leave_out(&pair, &error),
                    Some(Err(error)) => return Err(error),
                    None => return Err(Error::Closed("the client is closed, which ends the stream".to_owned())),
                }
            }
            // The first poll only says what the prices are.
            self.shared.settle(self.member);
            sleep_until(due).await;
        }
    }

    /// Polls a pair no more; the others go on.
    fn leave_out(&mut self, pair: &Arc<str>, error: &Error) {
        self.requests.retain(|(other, _)| other != pair);
        self.shared.warn(format!("the prices of {pair} can't be followed ({error}); those of the other pairs go on"));
    }

    /// Takes the rates of a pair, which are an event if they differ from the last ones.
    fn take(&mut self, pair: Arc<str>, rates: Fields) {
        let Some(before) = self.known.insert(Arc::clone(&pair), rates.clone()) else { return };
        let fields = differences(rates.spec().rows.iter().enumerate(), &before, &rates);
        if fields.is_empty() {
            return;
        }
        self.shared.push([StreamEvent {
            resource: Some(PRICES),
            kind: CHANGED,
            record: Some(rates),
            pair: Some(pair),
            before: Some(before),
            fields,
            origin: Some(Origin::Poll),
            at: Timestamp::now(),
            reason: None,
        }]);
    }
}

/// Returns true if the exchange has failed, such as in a maintenance, which ends.
fn is_of_exchange(error: &Error) -> bool {
    error.kind() == Some(ApiErrorKind::MarketApi)
}

/// Returns true if an error may be about one pair alone, and not about the key or the connection.
fn is_of_pair(error: &Error) -> bool {
    use ApiErrorKind::{NotFound, RecordInvalid, WrongParams};
    matches!(error.kind(), Some(NotFound | RecordInvalid | WrongParams))
}

fn request(rates: &'static Operation, market_code: &str, pair: &str) -> Result<RequestSpec, Error> {
    let input = |name, value: &str| (InputName::new(name), Field::Value(value.into()));
    let inputs = vec![input("market_code", market_code), input("pair", pair)];
    RequestSpec::with(rates, Vec::<Id>::new(), InputValues { inputs, ..InputValues::none() })
}
