//! The checks that keep other sites and other users of the machine away from the page's API.
//!
//! A site that the user visits can send requests to any port of the machine. The token stops it. The checks of `Host`, `Origin` and
//! `Sec-Fetch-Site` stop it even if the token leaked, and `Host` stops a site whose name resolves to this machine (DNS rebinding),
//! for which the browser would not see another origin.

use std::io;
use std::net::IpAddr;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::reply::PageError;

/// The header that carries the token. A page of another origin can't set it without a preflight, which the sandbox does not answer.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-botdesk-token");

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The length of a token in bytes.
const TOKEN_BYTES: usize = 32;

/// The secret that requests of the page need.
pub(crate) struct PageToken(String);

impl PageToken {
    /// Generates a token.
    pub(crate) fn generate() -> io::Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        aws_lc_rs::rand::fill(&mut bytes)
            .map_err(|_| io::Error::other("the operating system provides no random bytes for the token of the page"))?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks that a request comes from the page itself and has the token.
    pub(super) fn check(&self, parts: &Parts) -> Result<(), PageError> {
        if !is_same_origin(parts) {
            return Err(PageError::foreign_origin());
        }
        let given = only(&parts.headers, &TOKEN_HEADER).ok_or_else(PageError::missing_token)?;
        verify_slices_are_equal(given.as_bytes(), self.0.as_bytes()).map_err(|_| PageError::wrong_token())?;
        let is_json = only(&parts.headers, &header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
        if parts.method == Method::POST && !is_json {
            return Err(PageError::not_json());
        }
        Ok(())
    }
}

/// Returns whether a request names this machine as its host.
pub(super) fn has_local_host(parts: &Parts) -> bool {
    let host = only(&parts.headers, &header::HOST);
    host.is_some_and(is_local) && parts.uri.authority().is_none_or(|authority| is_local(authority.as_str()))
}

/// Returns whether an authority, such as `127.0.0.1:8080`, is this machine. Its port may be that of a forwarding.
fn is_local(authority: &str) -> bool {
    let Ok(authority) = authority.parse::<Authority>() else {
        return false;
    };
    if authority.as_str().contains('@') {
        return false;
    }
    let host = authority.host();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Returns whether a request comes from the page itself, or from a program other than a browser.
fn is_same_origin(parts: &Parts) -> bool {
    let is_absent_or = |name: &HeaderName, accepts: &dyn Fn(&str) -> bool| {
        !parts.headers.contains_key(name) || only(&parts.headers, name).is_some_and(accepts)
    };
    let is_own = |origin: &str| {
        let host = only(&parts.headers, &header::HOST);
        origin.strip_prefix("http://").zip(host).is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host))
    };
    is_absent_or(&header::ORIGIN, &is_own) && is_absent_or(&SEC_FETCH_SITE, &|site| site == "same-origin")
}

/// Returns the value of a header that occurs exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_random_and_long() {
        let (one, other) = (PageToken::generate().unwrap(), PageToken::generate().unwrap());
        assert_eq!(one.as_str().len(), 43);
        assert_ne!(one.as_str(), other.as_str());
    }

    #[test]
    fn only_loopback_addresses_and_localhost_are_this_machine() {
        for host in ["127.0.0.1:8080", "127.0.0.1", "127.1.2.3:1", "localhost:8080", "LOCALHOST", "[::1]:8080", "[::1]"]
        {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "sandbox",
            "evil.example:8080",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "localhost@evil.example",
            "evil.example@localhost",
            "0.0.0.0:8080",
            "192.168.0.1",
            "[::2]:8080",
            "2130706433",
            "localhost:8080/x",
            "127.0.0.1 ",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
