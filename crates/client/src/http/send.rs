//! The road: every call travels it, from the request's bytes to the answer's text.

use std::sync::atomic::Ordering;
use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use reqwest::{Body, Request};
use tokio::time::{Instant, sleep, timeout_at};

use crate::credentials::signing;
use crate::error::{Delivery, Error};
use crate::http::attempt::Attempt;
use crate::http::client::HttpClient;
use crate::http::events::{EventEmitter, EventKind};
use crate::http::response::Response;
use crate::http::settings::Settings;
use crate::rate_limit::limiter::{Permit, RateLimitError};
use crate::request::signed::Signed;
use crate::request::spec::RequestSpec;
use botdesk_api::endpoint::Method;
use botdesk_api::error::ApiErrorKind;
use botdesk_api::record::{DecodeError, Record};

impl HttpClient {
    /// Sends a call whose response is one record, with the identifier in the call's path.
    pub async fn record<R: Record>(&self, call: RequestSpec) -> Result<R, Error> {
        self.send(&call, |answer| R::from_response(&answer.text, call.id)).await
    }

    /// Sends a call whose answer is an array of records.
    pub async fn records<R: Record>(&self, call: RequestSpec) -> Result<Vec<R>, Error> {
        self.send(&call, |answer| R::list_from_response(&answer.text)).await
    }

    /// Sends a call whose answer is an array of records, or a single one in its place.
    pub async fn one_or_many<R: Record>(&self, call: RequestSpec) -> Result<Vec<R>, Error> {
        self.send(&call, |answer| R::one_or_many_from_response(&answer.text)).await
    }

    /// Sends a call whose answer is taken as it is.
    pub async fn response(&self, call: RequestSpec) -> Result<Response, Error> {
        let kept = |answer: &mut Response| Ok(std::mem::take(answer));
        self.send(&call, kept).await
    }

    /// The signature of a call, and the bytes that it is over; nothing is sent.
    pub fn sign(&self, call: RequestSpec) -> Result<Signed, Error> {
        let request = self.request(&call)?;
        let payload = signing::payload(&request, self.settings.base_url.prefix());
        let signature = request.headers().get(signing::SIGNATURE).and_then(|value| value.to_str().ok());
        Ok(Signed {
            payload: String::from_utf8_lossy(&payload).into_owned(),
            signature: signature.unwrap_or_default().to_owned(),
            url: request.url().to_string(),
            call,
        })
    }

    /// What is known of a write that was given up while it was under way.
    pub(crate) fn abandoned_write(&self, call: &RequestSpec) -> Error {
        Attempt { client: self, call, signature: None }.given_up()
    }

    /// Sends a call, again where it may pass, and decodes the text of the answer.
    async fn send<T>(
        &self,
        call: &RequestSpec,
        decode: impl FnOnce(&mut Response) -> Result<T, DecodeError>,
    ) -> Result<T, Error> {
        self.check_open()?;
        let request = self.request(call)?;
        let signature = request.headers().get(signing::SIGNATURE).cloned();
        let trip = Attempt { client: self, call, signature };
        let mut answer = self.attempts(&trip, request).await?;
        let error = match decode(&mut answer) {
            Ok(decoded) => return Ok(decoded),
            Err(error) => error,
        };
        if error.is_of_another_record() {
            // It may happen again with the same record, which nothing would notice.
            self.is_out_of_step.store(true, Ordering::Relaxed);
        }
        if error.may_be_of_another_request() {
            // The next response on that connection may be the one to this request.
            self.transport.close_connections().await;
        }
        let encoding = answer.headers.get(CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
        let encoding = encoding.map(|encoding| format!("; its Content-Encoding is {encoding:?}"));
        Err(trip.undecodable(&format!("{error}{}", encoding.unwrap_or_default()), answer.text.as_bytes()))
    }

    /// The attempts of a call, in its turn and within its time.
    async fn attempts(&self, trip: &Attempt<'_>, request: Request) -> Result<Response, Error> {
        let (call, Settings { timeout, retries, .. }) = (trip.call, &self.settings);
        let writes = call.method.writes();
        // What no pool can be made with is refused before the call waits.
        self.pool()?;
        let mut permit = self.acquire_permit(call, None).await?;
        if writes {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        let deadline = Instant::now() + *timeout;
        let mut earlier = Delivery::NotSent;
        for attempt in 1.. {
            let left = deadline.saturating_duration_since(Instant::now());
            let time = retries.attempt_timeout(attempt, writes, *timeout, left);
            let Some(request) = request.try_clone() else { break };
            let outcome = self.attempt(trip, request, time, attempt, &mut permit).await;
            drop(permit);
            let error = match outcome {
                Ok(answer) => return Ok(answer),
                Err(error) => error.after(attempt, earlier),
            };
            earlier = earlier.max(error.delivery());
            if !retries.allows(attempt, &error, writes) {
                return Err(error);
            }
            let wait = retries.wait(attempt, &error, random_share());
            if Instant::now() + wait >= deadline || self.throttled_past(deadline) {
                return Err(error);
            }
            self.events(call).emit(attempt, || EventKind::Retry { failure: error.to_string(), wait });
            sleep(wait).await;
            let Ok(Ok(next)) = timeout_at(deadline, self.acquire_permit(call, Some(deadline))).await else {
                return Err(error);
            };
            permit = next;
        }
        Err(Error::Configuration("the request can't be sent again".to_owned()))
    }

    /// One attempt, noted and told.
    async fn attempt(
        &self,
        trip: &Attempt<'_>,
        request: Request,
        time: Duration,
        attempt: u32,
        permit: &mut Option<Permit>,
    ) -> Result<Response, Error> {
        let events = self.events(trip.call);
        events.emit(attempt, || EventKind::Start);
        let begun = Instant::now();
        let outcome = trip.attempt(request, time, permit).await;
        events.emit(attempt, || EventKind::End {
            status: status(&outcome),
            failure: outcome.as_ref().err().map(Error::to_string),
            took: begun.elapsed(),
        });
        self.note(attempt, &outcome);
        outcome
    }

    fn events<'a>(&'a self, call: &'a RequestSpec) -> EventEmitter<'a> {
        EventEmitter { call, listeners: &self.listeners }
    }

    /// Whether the rate limit certainly allows no further request before the deadline.
    fn throttled_past(&self, deadline: Instant) -> bool {
        let check = |limit| self.limiter().check_deadline(limit, Some(deadline));
        self.settings.rate_limit.is_some_and(|limit| check(limit).is_err())
    }

    /// Takes a turn, waiting for it where the caller waits.
    async fn acquire_permit(&self, call: &RequestSpec, deadline: Option<Instant>) -> Result<Option<Permit>, Error> {
        let Some(limit) = self.settings.rate_limit else { return Ok(None) };
        let limiter = self.limiter();
        let taken =
            if self.settings.wait { limiter.acquire(limit, deadline).await } else { limiter.try_acquire(limit) };
        taken.map(Some).map_err(|blocked| held(call, blocked))
    }

    /// Notes what the answer to attempt number `attempt` says of the rate.
    fn note(&self, attempt: u32, outcome: &Result<Response, Error>) {
        if self.settings.rate_limit.is_none() {
            return;
        }
        let (limiter, retries) = (self.limiter(), &self.settings.retries);
        match outcome {
            Err(error) => match error.kind() {
                Some(ApiErrorKind::RateLimited) => limiter.reject_key(retries.wait(attempt, error, 1.0)),
                Some(ApiErrorKind::IpBanned) => limiter.ban(retries.ban(attempt, error)),
                _ if error.status().is_some() => limiter.confirm_no_ban(),
                _ => {}
            },
            Ok(_) => limiter.confirm_no_ban(),
        }
    }

    /// The signed request, as it will be sent.
    fn request(&self, call: &RequestSpec) -> Result<Request, Error> {
        let url = self.settings.base_url.join(&call.target());
        let mut request = Request::new(method(call.method), url);
        if let Some(body) = &call.body {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(Body::from(body.clone()));
        } else if call.method.writes() {
            // Some servers refuse a write that does not tell how long it is.
            request.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let prefix = self.settings.base_url.prefix();
        signing::sign(&mut request, prefix, &self.api_key, &self.key, &self.signatures)?;
        Ok(request)
    }
}

fn method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Patch => reqwest::Method::PATCH,
        Method::Put => reqwest::Method::PUT,
        Method::Delete => reqwest::Method::DELETE,
    }
}

fn status(outcome: &Result<Response, Error>) -> Option<u16> {
    match outcome {
        Ok(answer) => Some(answer.status),
        Err(error) => error.status(),
    }
}

/// What a call fails with that was not sent.
fn held(call: &RequestSpec, blocked: RateLimitError) -> Error {
    let what = &call.operation;
    let (kind, wait, why) = match blocked {
        RateLimitError::LimitReached(wait) => (ApiErrorKind::RateLimited, wait, "as many requests as may be were sent"),
        RateLimitError::KeyRejected(wait) => {
            (ApiErrorKind::RateLimited, wait, "the service refuses this API key for a while")
        }
        RateLimitError::Banned(wait) => {
            (ApiErrorKind::IpBanned, wait, "the service has banned this address for a while")
        }
    };
    let message = format!("{what} was not sent: {why}; try again in {:.0} s", wait.as_secs_f64().ceil());
    Error::Throttled { kind, wait, message }
}

/// A random number from 0 to 1.
fn random_share() -> f64 {
    let mut random = [0; 4];
    // Without randomness the wait is the longest, which is no less right.
    match aws_lc_rs::rand::fill(&mut random) {
        Ok(()) => f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX),
        Err(_) => 1.0,
    }
}
