//! The handshake of a WebSocket, over the same TLS, proxy and trust as requests.

use std::time::Duration;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use reqwest::header::{
    CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use reqwest::{Method, Request, StatusCode, Upgraded, Url};

use super::client::HttpClient;
use super::pools::root_cause;
use super::retry_after::retry_after;
use crate::error::{Error, is_plausible_ban};

/// The reason why a handshake failed.
#[derive(Debug)]
pub(crate) enum HandshakeError {
    /// The service refused it.
    Refused {
        /// The status of the response.
        status: u16,
        /// The time that the service asks to wait; None if it does not say.
        wait: Option<Duration>,
    },
    /// No connection could be opened, or what answered is no WebSocket.
    Failed(String),
    /// The client can't connect at all.
    Impossible(Error),
}

/// The text that RFC 6455 appends to the key of a handshake.
const ACCEPT_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

impl HttpClient {
    /// Opens a WebSocket at a URL; the request has no API key and no signature.
    pub(crate) async fn upgrade(&self, url: &Url) -> Result<Upgraded, HandshakeError> {
        self.check_open().map_err(HandshakeError::Impossible)?;
        let key = new_key().map_err(HandshakeError::Impossible)?;
        let mut request = Request::new(Method::GET, url.clone());
        add_headers(request.headers_mut(), &key);
        let mut pool = self.pool().map_err(HandshakeError::Impossible)?;
        let connections = self.open_pool(&mut pool).map_err(HandshakeError::Impossible)?;
        let response = connections.execute(request).await.map_err(failed)?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(self.refused(response.status().as_u16(), response.headers()));
        }
        let accept = response.headers().get(SEC_WEBSOCKET_ACCEPT);
        if accept.is_none_or(|accept| accept.as_bytes() != accept_of(&key).as_bytes()) {
            return Err(HandshakeError::Failed("the response is not that of a WebSocket".to_owned()));
        }
        response.upgrade().await.map_err(failed)
    }

    /// Returns the error of a handshake that was refused. A ban holds for the requests of the client too.
    fn refused(&self, status: u16, headers: &HeaderMap) -> HandshakeError {
        let wait = retry_after(headers, Timestamp::now()).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if status == StatusCode::IM_A_TEAPOT {
            self.note_ban(wait.filter(|wait| is_plausible_ban(wait.as_secs_f64())));
        }
        HandshakeError::Refused { status, wait }
    }
}

fn failed(error: reqwest::Error) -> HandshakeError {
    // The URL is not part of the message.
    HandshakeError::Failed(root_cause(&error.without_url()))
}

/// Returns the key of a handshake: random bytes, so that no cache can answer it.
fn new_key() -> Result<String, Error> {
    let mut bytes = [0; 16];
    let filled = aws_lc_rs::rand::fill(&mut bytes);
    filled.map_err(|_| Error::Configuration("the operating system provides no random bytes".to_owned()))?;
    Ok(STANDARD.encode(bytes))
}

/// Returns what the service has to return for a key.
fn accept_of(key: &str) -> String {
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{ACCEPT_SUFFIX}").as_bytes()))
}

fn add_headers(headers: &mut HeaderMap, key: &str) {
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    if let Ok(key) = HeaderValue::from_str(key) {
        headers.insert(SEC_WEBSOCKET_KEY, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_answer_is_that_of_the_standard() {
        assert_eq!(accept_of("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
