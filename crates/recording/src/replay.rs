//! The recorded fixture server: replays the responses of a cassette.

use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use serde_json::json;

use super::cassette::{Cassette, Interaction};
use super::error::RecordingError;
use super::matching::RequestKey;
use super::replay_stream::ReplayedStream;
use botdesk_api::reference;
use botdesk_client::http::recorder::RecordedResponse;
use botdesk_schema::permission::Permission;
use botdesk_schema::text::and_more;
use botdesk_server::api_error::ApiError;
use botdesk_server::authenticator::{Authenticator, PublicKeyError};
use botdesk_server::connection_handle::ConnectionHandle;
use botdesk_server::handshake::{Handshake, is_stream, required};
use botdesk_server::listener::ConnectionListener;
use botdesk_server::raw_bytes::RawBytes;
use botdesk_server::request::{self, replace_response};
use botdesk_server::response::BufferedResponse;
use botdesk_server::server::Server;
use botdesk_server::signed_text::SignedParts;
use botdesk_system::lock::locked;

/// The status for a request that was not recorded. No documented error has it, so no script mistakes it for one.
const NOT_RECORDED: u16 = 421;

/// The maximum number of differences in a response.
const MAX_DIFFERENCES: usize = 5;

/// Headers that are not replayed: they describe the connection, or the encoding of the recorded body.
const CONNECTION_HEADERS: [&str; 8] =
    ["connection", "content-encoding", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];

/// A running server of a cassette.
pub struct ReplayServer {
    serving: Server,
    state: Arc<ReplayState>,
}

impl ReplayServer {
    /// Starts to serve a cassette on the runtime of the caller.
    #[allow(clippy::unused_async, reason = "awaiting it means to be on the runtime that serves")]
    pub async fn start(cassette: Cassette) -> io::Result<Self> {
        let played = vec![false; cassette.interactions.len()];
        let (played, streams, authenticator) = (Mutex::new(played), Mutex::default(), Mutex::default());
        let state = Arc::new(ReplayState { cassette, played, streams, authenticator });
        let router = Router::new().fallback(respond).with_state(Arc::clone(&state));
        let serving =
            Server::start(|running| ConnectionListener::bind((Ipv4Addr::LOCALHOST, 0).into(), running), router)?;
        Ok(Self { serving, state })
    }

    /// Returns the base URL, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        self.serving.url()
    }

    /// Accepts a key pair, given its public key in PEM; returns a new API key.
    pub fn add_key(&self, public_key_pem: &str) -> Result<String, PublicKeyError> {
        locked(&self.state.authenticator).register(public_key_pem, &Permission::ALL)
    }

    /// Returns the recorded requests that were not made yet, in the order of the recording.
    pub fn unused(&self) -> Vec<String> {
        let played = locked(&self.state.played);
        let interactions = self.state.cassette.interactions.iter().zip(played.iter());
        let requests = interactions.filter(|(_, played)| !**played);
        let requests = requests.map(|(interaction, _)| interaction.request.described());
        let streams = self.state.cassette.streams.iter().skip(*locked(&self.state.streams));
        requests.chain(streams.map(|_| "a connection of a stream".to_owned())).collect()
    }

    /// Returns an error if a recorded request was never made.
    pub fn check_all_used(&self) -> Result<(), RecordingError> {
        let unused = self.unused();
        if unused.is_empty() {
            return Ok(());
        }
        Err(RecordingError::Unused { path: self.state.cassette.path.clone(), unused })
    }

    /// Stops listening and closes the connections. Repeated calls have no effect.
    pub fn stop(&self) {
        self.serving.stop();
    }

    /// Waits until a stopped server has released its port.
    pub async fn port_freed(&self) {
        self.serving.port_freed().await;
    }
}

/// The state that the requests of one server share.
struct ReplayState {
    cassette: Cassette,
    /// For each interaction, true if it was replayed.
    played: Mutex<Vec<bool>>,
    /// The number of connections of streams.
    streams: Mutex<usize>,
    authenticator: Mutex<Authenticator>,
}

async fn respond(
    State(state): State<Arc<ReplayState>>,
    ConnectInfo(line): ConnectInfo<ConnectionHandle>,
    request: Request,
) -> Response {
    if is_stream(request.uri().path()) {
        return stream(state, request);
    }
    let (parts, body) = request.into_parts();
    let body = request::read_body(body).await;
    let request = body.and_then(|body| state.request_key(&parts, &body));
    let interaction = match request.map(|request| state.interaction(&request)) {
        Ok(Ok(interaction)) => interaction,
        Ok(Err(why)) => {
            let body = json!({"error": "not_recorded", "error_description": why});
            return BufferedResponse::new(NOT_RECORDED, body.to_string())
                .with_content_type("application/json")
                .into_axum();
        }
        Err(rejection) => return rejection.into_response().into_axum(),
    };
    match (&interaction.response, interaction.is_incomplete) {
        (Some(recorded), false) => buffered(recorded).into_axum(),
        (Some(recorded), true) => replace_response(&line, cut(&buffered(recorded))),
        (None, _) => replace_response(&line, RawBytes::empty()),
    }
}

/// Replays the next connection of a stream. Without a recorded one there is no stream.
fn stream(state: Arc<ReplayState>, request: Request) -> Response {
    const NOT_FOUND: u16 = 404;
    let Some(handshake) = Handshake::of(request) else { return required() };
    match state.next_stream() {
        Some(stream) => handshake.accept(|socket| async move {
            stream.serve(socket, |api_key| locked(&state.authenticator).named(api_key)).await;
        }),
        None => handshake.refuse(NOT_FOUND),
    }
}

impl ReplayState {
    /// Returns the next recorded connection of a stream, or one without changes after the last; None if none was recorded.
    fn next_stream(&self) -> Option<ReplayedStream> {
        let recorded = Some(&self.cassette.streams).filter(|streams| !streams.is_empty())?;
        let mut begun = locked(&self.streams);
        let stream = ReplayedStream::new(recorded, *begun);
        *begun = (*begun + 1).min(recorded.len());
        Some(stream)
    }

    /// Returns the key of a request after checking its API key and its signature.
    fn request_key(&self, parts: &Parts, body: &[u8]) -> Result<RequestKey, ApiError> {
        let path = request::path_from_prefix(parts)?;
        let query = parts.uri.query().filter(|query| !query.is_empty());
        let is_form = request::is_form(parts);
        let is_signed = reference::is_signed(parts.method.as_str(), path);
        let key = is_signed.then(|| locked(&self.authenticator).key(&parts.headers)).transpose()?;
        if is_form && request::looks_like_json(body) {
            return Err(ApiError::json_sent_as_form());
        }
        if let Some(key) = key {
            key.check_signature(&parts.headers, &SignedParts { path, query, body, is_form }, false)?;
        }
        Ok(RequestKey::new(parts.method.as_str(), path, query, body, is_form))
    }

    /// Returns the recorded interaction for a request: each response once, in order. After that, the last response to a read is
    /// repeated; a write that was not recorded that often is an error.
    fn interaction(&self, request: &RequestKey) -> Result<&Interaction, String> {
        let mut played = locked(&self.played);
        let interactions = self.cassette.interactions.iter().enumerate();
        let fitting: Vec<_> =
            interactions.filter(|(_, interaction)| interaction.request.differences(request).is_empty()).collect();
        let next = fitting.iter().find(|(index, _)| played.get(*index) == Some(&false));
        let (index, interaction) = match (next, fitting.last()) {
            (Some(next), _) => *next,
            (None, Some(last)) if request.reads() => *last,
            (None, Some(_)) => {
                let times = if fitting.len() == 1 { "once".to_owned() } else { format!("{} times", fitting.len()) };
                return Err(format!("{} was recorded {times}, but requested once more", request.described()));
            }
            (None, None) => return Err(self.unknown(request)),
        };
        if let Some(played) = played.get_mut(index) {
            *played = true;
        }
        Ok(interaction)
    }

    /// Returns the message about a request that was not recorded, with the most similar one and its differences.
    fn unknown(&self, request: &RequestKey) -> String {
        let differences = |interaction: &Interaction| interaction.request.differences(request);
        let nearer = |one: &&Interaction, other: &&Interaction| {
            let alike = one.request.similarity(request).total_cmp(&other.request.similarity(request));
            alike.then_with(|| differences(other).len().cmp(&differences(one).len()))
        };
        // Of equally similar requests, the first one.
        let Some(nearest) = self.cassette.interactions.iter().rev().max_by(nearer) else {
            return format!("{} was not recorded; the cassette is empty", request.described());
        };
        let differences = differences(nearest);
        let more = and_more(differences.len(), MAX_DIFFERENCES);
        let listed = differences.into_iter().take(MAX_DIFFERENCES).chain(more).collect::<Vec<_>>().join("; ");
        let nearest = nearest.request.described();
        format!(
            "{} was not recorded; the most similar recorded request is {nearest}, which differs in {listed}",
            request.described()
        )
    }
}

fn buffered(recorded: &RecordedResponse) -> BufferedResponse {
    let mut reply = BufferedResponse::new(recorded.status, recorded.body.clone());
    for (name, value) in &recorded.headers {
        let header = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()));
        // Invalid headers can't be sent, and headers of the connection are set by the connection itself.
        if let (Ok(name), Ok(value)) = header
            && !CONNECTION_HEADERS.contains(&name.as_str())
        {
            reply.headers.append(name, value);
        }
    }
    reply
}

/// Returns a response that ends where the recorded one did.
fn cut(reply: &BufferedResponse) -> RawBytes {
    let promised = reply.head(reply.body.len() + 1);
    RawBytes::new([promised, reply.body.clone()].map(Bytes::from).into_iter())
}
