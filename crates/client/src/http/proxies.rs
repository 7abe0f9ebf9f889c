//! The proxy of a client: the one that its settings name, else the environment.

use std::error::Error as StdError;
use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::io::ErrorKind;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Proxy;

use super::settings::Settings;
use crate::error::Error;

/// The proxy of a client.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ResolvedProxy {
    /// Its URL, perhaps with a user name and a password.
    url: String,
    /// Its URL without them.
    shown: String,
}

impl ResolvedProxy {
    /// Returns the proxy for the requests of a client: the one that its settings name, else the environment; None if there is none.
    ///
    /// An environment variable that can't be used is an error. reqwest ignores it, and its requests would go past the proxy.
    pub(super) fn of(settings: &Settings) -> Result<Option<Self>, Error> {
        match &settings.proxy {
            Some(url) => Self::of_option(url).map(Some),
            None if settings.base_url.is_loopback() => Ok(None),
            None => Self::from_environment(settings.base_url.origin(), |name| std::env::var_os(name)),
        }
    }

    /// Returns this proxy as reqwest uses it.
    pub(super) fn for_all_requests(&self) -> Result<Proxy, Error> {
        // `parse` has made one already. The URL is not part of the message: it may have a password.
        Proxy::all(&self.url).map_err(|_| Error::Configuration(format!("the proxy {} can't be used", self.shown)))
    }

    fn of_option(url: &str) -> Result<Self, Error> {
        let is_known = ["http://", "https://", "socks5://", "socks5h://"].iter().any(|scheme| url.starts_with(scheme));
        is_known.then(|| Self::parse(url)).flatten().ok_or_else(|| {
            Error::Configuration("proxy must be a URL such as http://host:port or socks5://host:port".to_owned())
        })
    }

    /// Does what reqwest does: the first variable that is set counts, in capitals or not, and `ALL_PROXY` if it is empty.
    ///
    /// reqwest reads the environment when it makes a connection pool, which later clients of the process share.
    fn from_environment(target: &str, variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>, Error> {
        // A CGI script takes no proxy from the environment, where HTTP_PROXY is the header `Proxy` of a request.
        if variable("REQUEST_METHOD").is_some() {
            return Ok(None);
        }
        let first =
            |names: [&'static str; 2]| names.into_iter().find_map(|name| variable(name).map(|value| (name, value)));
        let of_scheme =
            if target.starts_with("https:") { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
        let found =
            [of_scheme, ["ALL_PROXY", "all_proxy"]].into_iter().filter_map(first).find(|(_, value)| !value.is_empty());
        let Some((name, value)) = found else { return Ok(None) };
        let excluded =
            first(["NO_PROXY", "no_proxy"]).and_then(|(_, hosts)| hosts.into_string().ok()).unwrap_or_default();
        if intercepted("http://proxy.invalid", &excluded, target).is_none() {
            return Ok(None);
        }
        value.to_str().and_then(Self::parse).map(Some).ok_or_else(|| {
            Error::Configuration(format!(
                "the environment variable {name} is not the URL of a proxy; set it to a URL such as http://host:port or \
                 socks5://host:port, or unset it"
            ))
        })
    }

    /// Parses the URL of a proxy, whose scheme may be missing; None if it can't be used.
    fn parse(text: &str) -> Option<Self> {
        let shown = intercepted(text, "", "http://service.invalid/")?;
        let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        Proxy::all(&url).is_ok().then_some(Self { url, shown })
    }
}

/// Displays the URL without a user name and a password.
impl Display for ResolvedProxy {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown)
    }
}

/// Returns the URL of the proxy that a request goes through, as reqwest finds it, without a user name and a password.
fn intercepted(proxy: &str, excluded: &str, target: &str) -> Option<String> {
    let matcher = Matcher::builder().all(proxy).no(excluded).build();
    let intercept = matcher.intercept(&target.parse().ok()?)?;
    let uri = intercept.uri();
    let authority = uri.authority()?;
    // A port that is not a number is ignored by reqwest.
    let is_usable =
        !authority.host().is_empty() && (authority.as_str() == authority.host() || authority.port().is_some());
    is_usable.then(|| format!("{}://{authority}", uri.scheme_str().unwrap_or("http")))
}

/// Returns true if a connection failed before a byte was sent to the other end: with a proxy, that is the proxy.
pub(super) fn is_unreachable(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        let is_of_the_network = match error.downcast_ref::<std::io::Error>() {
            Some(error) => UNREACHABLE.contains(&error.kind()),
            None => UNREACHABLE_MESSAGES.iter().any(|message| error.to_string().starts_with(message)),
        };
        if is_of_the_network {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The errors of the system if a connection can't be opened.
const UNREACHABLE: [ErrorKind; 5] = [
    ErrorKind::ConnectionRefused,
    ErrorKind::HostUnreachable,
    ErrorKind::NetworkUnreachable,
    ErrorKind::AddrNotAvailable,
    ErrorKind::TimedOut,
];

/// The messages of hyper-util if a connection can't be opened, whose errors have no public types.
const UNREACHABLE_MESSAGES: [&str; 2] = ["dns error", "SOCKS error: failed to create underlying connection"];

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(target: &str, variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let variable = |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).into());
        let proxy = ResolvedProxy::from_environment(target, variable).map_err(|error| error.to_string())?;
        Ok(proxy.map(|proxy| proxy.to_string()))
    }

    #[test]
    fn the_variable_of_the_scheme_comes_before_the_one_for_all() {
        let variables = [("HTTPS_PROXY", "http://one:1"), ("ALL_PROXY", "socks5h://user:word@all:2")];
        assert_eq!(proxy("https://service.example", &variables), Ok(Some("http://one:1".to_owned())));
        assert_eq!(proxy("http://service.example", &variables), Ok(Some("socks5h://all:2".to_owned())));
        assert_eq!(
            proxy("http://service.example", &[("HTTP_PROXY", ""), ("all_proxy", "all:2")]),
            Ok(Some("http://all:2".to_owned()))
        );
    }

    #[test]
    fn a_proxy_keeps_its_user_and_shows_none() {
        for (given, url) in
            [("user:word@host:1", "http://user:word@host:1"), ("http://user:word@host:1", "http://user:word@host:1")]
        {
            let proxy = ResolvedProxy::parse(given).unwrap();
            assert_eq!((proxy.url.as_str(), proxy.to_string().as_str()), (url, "http://host:1"));
            assert!(proxy.for_all_requests().is_ok());
        }
    }

    #[test]
    fn an_unusable_variable_is_an_error_only_if_it_would_be_used() {
        for value in ["::::", "htp://host:1", "http://u:word@127.0.0.1:9:9", "http://host:99999", "http://:80"] {
            let message = proxy("http://service.example", &[("HTTP_PROXY", value)]).unwrap_err();
            assert!(message.starts_with("the environment variable HTTP_PROXY is not the URL"), "{message}");
            assert!(!message.contains("word"), "{message}");
            assert_eq!(proxy("https://service.example", &[("HTTP_PROXY", value)]), Ok(None));
            let past = [("HTTP_PROXY", value), ("NO_PROXY", "service.example")];
            assert_eq!(proxy("http://service.example", &past), Ok(None));
            assert_eq!(proxy("http://service.example", &[("HTTP_PROXY", value), ("REQUEST_METHOD", "GET")]), Ok(None));
        }
    }
}
