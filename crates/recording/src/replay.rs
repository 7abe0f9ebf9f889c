//! The recorded fixture server: answers requests as they were answered when they were recorded.

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

use super::cassette::{Cassette, Track};
use super::error::RecordingError;
use super::matching::Asked;
use botdesk_api::endpoint::Permission;
use botdesk_client::http::recorder::RecordedResponse;
use botdesk_server::api_error::ApiError;
use botdesk_server::authenticator::{Authenticator, PublicKeyError};
use botdesk_server::connection_handle::ConnectionHandle;
use botdesk_server::listener::ConnectionListener;
use botdesk_server::raw_bytes::RawBytes;
use botdesk_server::request::{self, replace_response};
use botdesk_server::response::BufferedResponse;
use botdesk_server::server::Server;
use botdesk_system::lock::locked;

/// The status of what was not recorded. No error of the document has it, so no script takes it for one.
const NOT_RECORDED: u16 = 421;

/// How many differences an answer tells.
const MOST_DIFFERENCES: usize = 5;

/// Headers that belong to the connection or to a form of the body that is not the one sent.
const OF_THE_CONNECTION: [&str; 8] =
    ["connection", "content-encoding", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];

/// A running server of a cassette.
pub struct Replay {
    server: Server,
    desk: Arc<Desk>,
}

impl Replay {
    /// Starts to serve a cassette on the runtime of the caller.
    #[allow(clippy::unused_async, reason = "awaiting it means to be on the runtime that serves")]
    pub async fn start(cassette: Cassette) -> io::Result<Self> {
        let played = vec![false; cassette.tracks.len()];
        let desk = Arc::new(Desk { cassette, played: Mutex::new(played), authenticator: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&desk));
        let server =
            Server::start(|running| ConnectionListener::bind((Ipv4Addr::LOCALHOST, 0).into(), running), router)?;
        Ok(Self { server, desk })
    }

    /// The address to call, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// Lets the holder of a private key in, by its public part in PEM; returns a fresh API key.
    pub fn add_key(&self, public_key_pem: &str) -> Result<String, PublicKeyError> {
        locked(&self.desk.authenticator).register(public_key_pem, &Permission::ALL)
    }

    /// What was recorded and not asked for yet, in the order of the recording.
    pub fn unused(&self) -> Vec<String> {
        let played = locked(&self.desk.played);
        let tracks = self.desk.cassette.tracks.iter().zip(played.iter());
        tracks.filter(|(_, played)| !**played).map(|(track, _)| track.asked.described()).collect()
    }

    /// Refuses that something was recorded and never asked for.
    pub fn check_all_used(&self) -> Result<(), RecordingError> {
        let unused = self.unused();
        if unused.is_empty() {
            return Ok(());
        }
        Err(RecordingError::Unused { path: self.desk.cassette.path.clone(), unused })
    }

    /// Stops listening and drops the connections. Once stopped, it stays so.
    pub fn stop(&self) {
        self.server.stop();
    }

    /// Waits until a stopped server has let go of its port.
    pub async fn port_freed(&self) {
        self.server.port_freed().await;
    }
}

/// What the requests of one server share.
struct Desk {
    cassette: Cassette,
    /// Which tracks were played.
    played: Mutex<Vec<bool>>,
    authenticator: Mutex<Authenticator>,
}

async fn answer(
    State(desk): State<Arc<Desk>>,
    ConnectInfo(connection): ConnectInfo<ConnectionHandle>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = request::read_body(body).await;
    let asked = body.and_then(|body| desk.judged(&parts, &body));
    let track = match asked.map(|asked| desk.track(&asked)) {
        Ok(Ok(track)) => track,
        Ok(Err(why)) => {
            let refusal = json!({"error": "not_recorded", "error_description": why});
            return BufferedResponse::new(NOT_RECORDED, refusal.to_string())
                .with_content_type("application/json")
                .into_axum();
        }
        Err(error) => return error.into_response().into_axum(),
    };
    match (&track.answer, track.broken) {
        (Some(answer), false) => recorded(answer).into_axum(),
        (Some(answer), true) => replace_response(&connection, cut(&recorded(answer))),
        (None, _) => replace_response(&connection, RawBytes::empty()),
    }
}

impl Desk {
    /// What a request asks, once its key and its signature are found good.
    fn judged(&self, parts: &Parts, body: &[u8]) -> Result<Asked, ApiError> {
        let path = request::path_from_prefix(parts)?;
        let query = parts.uri.query().filter(|query| !query.is_empty());
        let is_form = request::is_form(parts);
        let key = locked(&self.authenticator).key(&parts.headers)?;
        if is_form && request::looks_like_json(body) {
            return Err(ApiError::json_sent_as_form());
        }
        key.check_signature(&parts.headers, &request::signed_payload(path, query, body, is_form))?;
        Ok(Asked::new(parts.method.as_str(), path, query, body, is_form))
    }

    /// What was recorded for a request: each answer once, in order. When all were given, a request that only reads is
    /// given the last one again; a write that was not recorded so often is not.
    fn track(&self, asked: &Asked) -> Result<&Track, String> {
        let mut played = locked(&self.played);
        let tracks = self.cassette.tracks.iter().enumerate();
        let fitting: Vec<_> = tracks.filter(|(_, track)| track.asked.differences(asked).is_empty()).collect();
        let next = fitting.iter().find(|(index, _)| played.get(*index) == Some(&false));
        let (index, track) = match (next, fitting.last()) {
            (Some(next), _) => *next,
            (None, Some(last)) if asked.reads() => *last,
            (None, Some(_)) => {
                let times = if fitting.len() == 1 { "once".to_owned() } else { format!("{} times", fitting.len()) };
                return Err(format!("{} was recorded {times}, and asked for once more", asked.described()));
            }
            (None, None) => return Err(self.unknown(asked)),
        };
        if let Some(played) = played.get_mut(index) {
            *played = true;
        }
        Ok(track)
    }

    /// What to say of a request that was not recorded: the nearest one that was, and what differs.
    fn unknown(&self, asked: &Asked) -> String {
        let differences = |track: &Track| track.asked.differences(asked);
        let nearer = |one: &&Track, other: &&Track| {
            let alike = one.asked.likeness(asked).total_cmp(&other.asked.likeness(asked));
            alike.then_with(|| differences(other).len().cmp(&differences(one).len()))
        };
        // Of those that are equally near, the first one.
        let Some(nearest) = self.cassette.tracks.iter().rev().max_by(nearer) else {
            return format!("{} was not recorded; nothing was", asked.described());
        };
        let differences = differences(nearest);
        let more = differences.len().saturating_sub(MOST_DIFFERENCES);
        let more = (more > 0).then(|| format!("and {more} more"));
        let told = differences.into_iter().take(MOST_DIFFERENCES).chain(more).collect::<Vec<_>>().join("; ");
        let nearest = nearest.asked.described();
        format!("{} was not recorded; the nearest that was is {nearest}, which differs in {told}", asked.described())
    }
}

fn recorded(answer: &RecordedResponse) -> BufferedResponse {
    let mut reply = BufferedResponse::new(answer.status, answer.body.clone());
    for (name, value) in &answer.headers {
        let header = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()));
        // What is no header of HTTP can't be sent, and what is one of the connection is the connection's own.
        if let (Ok(name), Ok(value)) = header
            && !OF_THE_CONNECTION.contains(&name.as_str())
        {
            reply.headers.append(name, value);
        }
    }
    reply
}

/// An answer that breaks off where it was recorded to.
fn cut(reply: &BufferedResponse) -> RawBytes {
    let promised = reply.head(reply.body.len() + 1);
    RawBytes::new([promised, reply.body.clone()].map(Bytes::from).into_iter())
}
