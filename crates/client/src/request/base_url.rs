//! The address of the service.

use reqwest::Url;

use crate::error::Error;
use botdesk_api::endpoint::PREFIX;

/// An address that requests can be put behind: `https://host`, with a path before `/public/api` where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    url: Url,
    /// The scheme, the host and the port.
    origin: String,
    /// What stands between the host and `/public/api`.
    prefix: String,
}

impl BaseUrl {
    /// Reads an address, refusing what would send keys somewhere unsafe.
    pub fn parse(text: &str, allow_http: bool) -> Result<Self, Error> {
        if text.is_empty() || text.chars().any(|character| character.is_control() || character.is_whitespace()) {
            return Err(refused("is empty or holds white space or control characters; write https://host"));
        }
        let url = Url::parse(text).map_err(|_| refused("is no address; write https://host"))?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(refused("must begin with https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("must not carry a user name or a password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused("must not carry a query or a fragment"));
        }
        let prefix = url.path().trim_end_matches('/').trim_end_matches(PREFIX).trim_end_matches('/').to_owned();
        let base = Self { origin: url.origin().ascii_serialization(), url, prefix };
        if base.url.scheme() == "http" && !allow_http && !base.is_loopback() {
            return Err(refused(
                "must begin with https://: http sends everything in the clear (Client(…, allow_http=True) allows it)",
            ));
        }
        Ok(base)
    }

    /// What stands between the host and `/public/api`.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The scheme, the host and the port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether the service runs on this machine.
    pub fn is_loopback(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// The address of a request: `target` is a path from `/public/api` on, with its query, all in ASCII.
    pub fn join(&self, target: &str) -> Url {
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let mut url = self.url.clone();
        url.set_path(&[&self.prefix, path].concat());
        url.set_query(query);
        url
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}{}", self.origin, self.prefix)
    }
}

// The address itself stays out of the message: it may hold a password.
fn refused(why: &str) -> Error {
    Error::Configuration(format!("base_url {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(base: &str) -> String {
        BaseUrl::parse(base, false).unwrap().join("/public/api/ver1/bots?limit=1").to_string()
    }

    #[test]
    fn a_prefix_and_a_trailing_slash_are_kept_out_of_the_signed_path() {
        let expected = "https://host.example/v/public/api/ver1/bots?limit=1";
        for base in ["https://host.example/v", "https://host.example/v/", "https://host.example/v/public/api/"] {
            assert_eq!(target(base), expected);
            assert_eq!(BaseUrl::parse(base, false).unwrap().prefix(), "/v");
        }
    }

    #[test]
    fn a_port_stays() {
        assert_eq!(target("http://127.0.0.1:8080"), "http://127.0.0.1:8080/public/api/ver1/bots?limit=1");
        assert_eq!(target("http://[::1]:8080/"), "http://[::1]:8080/public/api/ver1/bots?limit=1");
    }

    #[test]
    fn http_is_for_this_machine_alone() {
        assert!(BaseUrl::parse("http://localhost:1", false).is_ok());
        assert!(BaseUrl::parse("http://host.example", false).is_err());
        assert!(BaseUrl::parse("http://localhost.host.example", false).is_err());
        assert!(BaseUrl::parse("http://host.example", true).is_ok());
    }

    #[test]
    fn an_unsafe_address_is_refused_without_repeating_it() {
        for base in [
            "",
            "host.example",
            "localhost:8080",
            "ftp://host.example",
            "https://user:hunter2@host.example",
            "https://host.example?hunter2",
            "https://host.example#hunter2",
            "https://host.example\n",
            "https://",
        ] {
            let message = BaseUrl::parse(base, true).unwrap_err().to_string();
            assert!(message.starts_with("base_url ") && !message.contains("hunter2"), "{base}: {message}");
        }
    }
}
