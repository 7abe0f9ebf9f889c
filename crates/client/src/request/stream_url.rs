//! The URL of the live streams.

use reqwest::Url;

use super::base_url::BaseUrl;
use crate::error::Error;

/// The path of the streams.
const PATH: &str = "/websocket";

/// The URL of the live streams, `wss://host/websocket`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamUrl {
    /// The URL of the handshake, which begins with `https` or `http`.
    handshake: Url,
}

impl StreamUrl {
    /// Parses a URL; a URL that would send keys to an unsafe place is an error. Without a path, it has that of the service.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.is_empty() || text.chars().any(|character| character.is_control() || character.is_whitespace()) {
            return Err(error("is empty or has white space or control characters; write wss://host/websocket"));
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(error("has no scheme; write wss://host/websocket"));
        };
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "wss" => "https",
            "ws" => "http",
            _ => return Err(error("must begin with wss://; write wss://host/websocket")),
        };
        // The path and the host follow the same rules under both names of a scheme.
        let url = Url::parse(&format!("{scheme}://{rest}"));
        let mut url = url.map_err(|_| error("is not a URL; write wss://host/websocket"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(error("must not have a user name or a password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(error("must not have a query string or a fragment"));
        }
        if scheme == "http" && !is_loopback(&url) {
            return Err(error("must begin with wss://: ws sends the API key and its signature unencrypted"));
        }
        if url.path() == "/" {
            url.set_path(PATH);
        }
        Ok(Self { handshake: url })
    }

    /// Returns the URL of the streams of a service: on the host whose first label is `ws` in place of `api`, or on the same host.
    pub fn of(base_url: &BaseUrl) -> Self {
        let mut url = base_url.join(PATH);
        let host = url.host_str().and_then(|host| host.strip_prefix("api.")).map(|rest| format!("ws.{rest}"));
        if let Some(host) = host {
            // A host that was valid stays valid; otherwise the URL keeps its own.
            let _ = url.set_host(Some(&host));
        }
        url.set_path(PATH);
        Self { handshake: url }
    }

    /// Returns the URL of the handshake, which is an HTTP request.
    pub(crate) fn handshake(&self) -> &Url {
        &self.handshake
    }
}

impl std::fmt::Display for StreamUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.handshake.as_str();
        write!(formatter, "ws{}", text.strip_prefix("http").unwrap_or(text))
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

// The URL is not part of the message: it may have a password.
fn error(why: &str) -> Error {
    Error::Configuration(format!("stream_url {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streams_of_a_service_are_on_its_host_for_them() {
        for (base, streams) in [
            ("https://api.service.example", "wss://ws.service.example/websocket"),
            ("https://api.service.example/prefix", "wss://ws.service.example/websocket"),
            ("https://service.example:8443", "wss://service.example:8443/websocket"),
            ("http://127.0.0.1:8080", "ws://127.0.0.1:8080/websocket"),
        ] {
            assert_eq!(StreamUrl::of(&BaseUrl::parse(base, false).unwrap()).to_string(), streams);
        }
    }

    #[test]
    fn a_url_of_its_own_may_have_a_path() {
        for (given, shown) in [
            ("wss://streams.example", "wss://streams.example/websocket"),
            ("WSS://streams.example/cable", "wss://streams.example/cable"),
            ("ws://localhost:1", "ws://localhost:1/websocket"),
        ] {
            assert_eq!(StreamUrl::parse(given).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn an_unsafe_url_is_rejected_without_showing_it() {
        for (url, why) in [
            ("", "is empty"),
            ("streams.example/hunter2", "has no scheme"),
            ("https://streams.example/hunter2", "must begin with wss://"),
            ("ws://streams.example/hunter2", "unencrypted"),
            ("wss://user:hunter2@streams.example", "user name"),
            ("wss://streams.example/?hunter2", "query string"),
            ("wss:///", "is not a URL"),
        ] {
            let message = StreamUrl::parse(url).unwrap_err().to_string();
            assert!(message.starts_with("stream_url ") && message.contains(why), "{url}: {message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    }
}
