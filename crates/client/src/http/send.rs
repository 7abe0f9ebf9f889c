//! The path of a request, from top to bottom: arguments → request → signature → rate limiter → connection → attempt → status → record.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Body, Request};
use tokio::time::{Instant, sleep, timeout_at};

use super::client::HttpClient;
use super::errors::RequestErrors;
use super::events::{EventEmitter, EventKind};
use super::idle::{run_connections, settle_idle_connections};
use super::outcome;
use super::pending_exchange::PendingExchange;
use super::permits::{Permits, RequestLimiters};
use super::pools::Pool;
use super::response::{RawResponse, Response};
use super::settings::Settings;
use super::status::check_status;
use crate::credentials::signing;
use crate::credentials::signing_key::SigningKey;
use crate::error::{Delivery, Error};
use crate::last_write::SentRequest;
use crate::request::spec::RequestSpec;
use botdesk_schema::field::Schema;
use botdesk_schema::method::Method;
use botdesk_schema::mode;
use botdesk_schema::permission::Security;
use botdesk_schema::record::{DecodeError, Fields};

impl HttpClient {
    /// Sends a request and returns the record in the response, which has the identifier in the path. It has no fields if the
    /// operation returns nothing.
    pub async fn record(&self, spec: RequestSpec) -> Result<Fields, Error> {
        self.send(&spec, |response| match spec.returns.schema {
            Schema::Nothing => {
                let body = spec.returns.check(&response.text)?;
                spec.returns
                    .recognized(&body)
                    .map_or_else(|| spec.record.from_json("{}"), |found| found.from_json(&body))
            }
            _ => spec.record.from_response(&spec.returns.value(&response.text)?, spec.asked()),
        })
        .await
    }

    /// Sends a request and returns the array of records in the response.
    pub async fn records(&self, spec: RequestSpec) -> Result<Vec<Fields>, Error> {
        let records = self.send(&spec, |response| records_in(&spec, response)).await?;
        if records.is_empty() {
            self.hint_at_mode(&spec);
        }
        Ok(records)
    }

    /// Sends a request that nobody waits for, and returns the array of records in the response. Returns None, and sends nothing, if the
    /// rate limiter has no permit now.
    pub(crate) async fn records_if_free(&self, spec: RequestSpec) -> Result<Option<Vec<Fields>>, Error> {
        let mut pending = self.pending(&spec)?;
        let Some(permits) = pending.free_permits().await else { return Ok(None) };
        self.finish(&mut pending, permits, |response| records_in(&spec, response)).await.map(Some)
    }

    /// Sends a request and returns the array of records in the response. A single record becomes an array.
    pub async fn one_or_many(&self, spec: RequestSpec) -> Result<Vec<Fields>, Error> {
        self.send(&spec, |response| spec.record.one_or_many_from_response(&response.text)).await
    }

    /// Sends a request and returns the body, which has the type that the operation returns.
    pub async fn value(&self, spec: RequestSpec) -> Result<Arc<str>, Error> {
        self.send(&spec, |response| spec.returns.check(&response.text)).await
    }

    /// Sends a request and returns the response without decoding it.
    pub async fn response(&self, spec: RequestSpec) -> Result<Response, Error> {
        self.send(&spec, |response| Ok(std::mem::take(response))).await
    }

    /// Sends a request, retries it as the settings allow, and decodes the response.
    async fn send<T>(
        &self,
        spec: &RequestSpec,
        decode: impl FnOnce(&mut Response) -> Result<T, DecodeError>,
    ) -> Result<T, Error> {
        let mut pending = self.pending(spec)?;
        self.check_paper_account(spec).await?;
        let permits = pending.first_permits().await?;
        self.finish(&mut pending, permits, decode).await
    }

    /// Builds a request, unless the client is closed.
    fn pending<'a>(&'a self, spec: &'a RequestSpec) -> Result<PendingRequest<'a>, Error> {
        self.check_open()?;
        PendingRequest::new(self, spec, self.signed_request(spec)?)
    }

    /// Sends a request that has its permits, retries it as the settings allow, and decodes the response.
    async fn finish<T>(
        &self,
        pending: &mut PendingRequest<'_>,
        permits: Permits,
        decode: impl FnOnce(&mut Response) -> Result<T, DecodeError>,
    ) -> Result<T, Error> {
        let sent = Instant::now();
        let mut response = pending.send_with_retries(permits).await?;
        match decode(&mut response) {
            Ok(decoded) => {
                self.note_write(pending.spec, &response, sent);
                Ok(decoded)
            }
            Err(error) => {
                self.close_mismatched_connections(&error).await;
                Err(pending.errors.undecodable(error, &response))
            }
        }
    }

    /// Notes that a write was carried out. The outcome of one whose response can't be read is unknown, until it is found.
    fn note_write(&self, spec: &RequestSpec, response: &Response, sent: Instant) {
        if spec.effect.writes() {
            let between = self.service_time(sent).zip(self.service_time(Instant::now()));
            self.recent_writes.add_request(spec, &response.text, sent, between);
        }
    }

    /// Builds the request and signs it, unless it needs no signature; nothing changes it afterwards.
    pub(super) fn signed_request(&self, spec: &RequestSpec) -> Result<Request, Error> {
        let base_url = &self.settings.base_url;
        let mut request = Request::new(http_method(spec.method), base_url.join(&spec.target()));
        if let Some(body) = &spec.body {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(Body::from(body.clone()));
        } else if spec.method != Method::Get {
            // Some servers reject a write without a length.
            request.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        if spec.security == Security::Signed {
            self.check_credentials(spec)?;
            signing::sign(&mut request, base_url.prefix(), &self.api_key, &self.key, &self.signatures)?;
            if let Some(mode) = self.settings.mode {
                request.headers_mut().insert(FORCED_MODE, HeaderValue::from_static(mode.as_str()));
            }
        }
        request.headers_mut().extend(spec.headers.clone());
        Ok(request)
    }

    /// Returns an error if a request that needs a signature can't be signed, because the client has no credentials.
    fn check_credentials(&self, spec: &RequestSpec) -> Result<(), Error> {
        if !matches!(self.key, SigningKey::Absent) {
            return Ok(());
        }
        Err(Error::Configuration(format!(
            "{} needs an API key, and a client of Client.public() has none; nothing was sent; create a client with \
             Client(api_key, …), Client.from_env() or Client.from_profile()",
            spec.operation
        )))
    }
}

/// The header of the mode.
const FORCED_MODE: HeaderName = HeaderName::from_static(mode::HEADER);

/// A request with everything that its attempts share.
struct PendingRequest<'a> {
    client: &'a HttpClient,
    spec: &'a RequestSpec,
    request: Request,
    pool: Pool,
    limiters: RequestLimiters,
    errors: RequestErrors<'a>,
    events: EventEmitter<'a>,
}

/// One attempt to send a request.
struct Attempt {
    /// 1, 2, …
    number: u32,
    timeout: Duration,
    permits: Permits,
}

impl<'a> PendingRequest<'a> {
    /// Prepares a request. If no connection pool can be made, this fails before the request waits for the rate limiter.
    fn new(client: &'a HttpClient, spec: &'a RequestSpec, request: Request) -> Result<Self, Error> {
        let errors = RequestErrors::new(client, spec, request.headers().get(signing::SIGNATURE).cloned());
        let events = EventEmitter { spec, listeners: client.listeners() };
        let limiters = client.limiters_of(spec);
        Ok(Self { client, spec, request, pool: client.pool()?, limiters, errors, events })
    }

    /// Makes attempts until one succeeds, its error is final, or the time is up.
    async fn send_with_retries(&mut self, mut permits: Permits) -> Result<Response, Error> {
        let Settings { timeout, retries, random_share, .. } = &self.client.settings;
        let writes = self.spec.effect.writes();
        if writes {
            self.client.writes.fetch_add(1, Ordering::Relaxed);
        }
        let deadline = Instant::now() + *timeout;
        let mut earlier = Delivery::NotSent;
        for number in 1.. {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = retries.attempt_timeout(number, writes, *timeout, left);
            let Some(mut request) = self.request.try_clone() else { break };
            *request.timeout_mut() = Some(timeout);
            let error = match self.attempt(request, Attempt { number, timeout, permits }).await {
                Ok(response) => return Ok(response),
                Err(error) => error.with_attempts(number, earlier),
            };
            earlier = earlier.max(error.delivery());
            if !retries.allows(number, &error, writes) {
                return Err(error);
            }
            let wait = retries.wait(number, &error, random_share());
            if Instant::now() + wait >= deadline || self.limiters.are_throttled_past(deadline) {
                return Err(error);
            }
            self.events.emit(number, || EventKind::Retry { error: error.clone(), wait });
            let next = async {
                sleep(wait).await;
                timeout_at(deadline, self.acquire_permits(Some(deadline))).await
            };
            permits = match self.client.unless_closed(next).await {
                Some(Ok(Ok(next))) => next,
                Some(_) => return Err(error),
                None => return Err(self.errors.closed(Some(&error))),
            };
        }
        Err(Error::Configuration("the request can't be sent again".to_owned()))
    }

    /// Returns the permits of the first attempt.
    async fn first_permits(&self) -> Result<Permits, Error> {
        let permits = self.client.unless_closed(self.acquire_permits(None)).await;
        permits.ok_or_else(|| self.errors.closed(None))?
    }

    /// Returns the permits of the first attempt without waiting for them; None if they are not free now.
    async fn free_permits(&self) -> Option<Permits> {
        self.limiters.acquire(false, None).await.ok()
    }

    /// Waits for the rate limiters, or fails at once if the client does not wait.
    async fn acquire_permits(&self, deadline: Option<Instant>) -> Result<Permits, Error> {
        // In a box, so that the future of the request stays small.
        let acquired = Box::pin(self.limiters.acquire(self.client.settings.wait, deadline)).await;
        acquired.map_err(|(limiter, error)| self.errors.throttled(limiter.limit(), error, limiter.origin_of(error)))
    }

    /// Makes one attempt, emits its events, and reports its outcome to the rate limiter before it gives the permits back.
    async fn attempt(&mut self, request: Request, mut attempt: Attempt) -> Result<Response, Error> {
        self.events.emit(attempt.number, || EventKind::Start);
        let started = Instant::now();
        let mut sent = SentRequest::new(self.spec);
        let outcome = self.send_once(request, &mut attempt).await;
        if outcome.as_ref().is_err_and(|error| !error.may_have_applied()) {
            sent.reject();
        }
        drop(sent);
        self.events.emit(attempt.number, || EventKind::End {
            status: outcome::status(&outcome),
            failure: outcome.as_ref().err().map(Error::to_string),
            took: started.elapsed(),
            request_id: outcome::request_id(&outcome, &self.errors),
        });
        if let Some(limiter) = &self.limiters.counted {
            outcome::report(limiter, &self.client.settings.retries, attempt.number, &outcome);
        }
        outcome
    }

    /// Sends the request over a connection, receives the response, and checks its status.
    async fn send_once(&mut self, request: Request, attempt: &mut Attempt) -> Result<Response, Error> {
        settle_idle_connections().await.map_err(|error| self.errors.not_sent(&error.to_string()))?;
        attempt.permits.prolong(attempt.timeout);
        // Nothing is awaited between here and `execute`, so no connection is used that was closed meanwhile.
        self.client.check_open()?;
        let connections = self.client.open_pool(&mut self.pool)?;
        let exchange = self.client.recorder().and_then(|recorder| PendingExchange::start(recorder, &request));
        // From here on, an abandoned request counts as sent, because it is unknown whether it still waits for a connection.
        attempt.permits.mark_sent();
        let received = match connections.execute(request).await {
            Ok(received) => received,
            Err(error) => {
                if error.is_connect() {
                    attempt.permits.mark_not_sent();
                }
                run_connections().await;
                // The URL has the query, which may hold secrets.
                let error = self.errors.no_response(&error.without_url(), attempt.timeout);
                if let Some(exchange) = exchange {
                    exchange.fail(error.to_string());
                }
                return Err(error);
            }
        };
        attempt.permits.mark_responded();
        self.client.service_time.note(received.headers());
        let response = RawResponse::read(received, self.client.settings.max_body).await;
        if response.body_error.is_some() {
            run_connections().await;
        }
        if let Some(exchange) = exchange {
            exchange.finish(&response);
        }
        check_status(response, &self.errors, attempt.timeout)
    }
}

fn records_in(spec: &RequestSpec, response: &Response) -> Result<Vec<Fields>, DecodeError> {
    spec.record.list_from_response(&spec.returns.value(&response.text)?)
}

fn http_method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Patch => reqwest::Method::PATCH,
        Method::Put => reqwest::Method::PUT,
        Method::Delete => reqwest::Method::DELETE,
    }
}
