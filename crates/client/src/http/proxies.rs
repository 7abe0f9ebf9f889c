//! The proxy of a client: the one that its settings name, or the environment.

use std::error::Error as StdError;
use std::ffi::OsString;
use std::io::ErrorKind;

use hyper_util::client::proxy::matcher::Matcher;

use super::settings::Settings;
use crate::error::Error;

/// Returns the URL of the proxy for the requests of a client, without a user name or password; None if there is none.
///
/// An environment variable that can't be used is an error. reqwest ignores it, and its requests would go past the proxy.
pub(super) fn proxy_url(settings: &Settings) -> Result<Option<String>, Error> {
    match &settings.proxy {
        Some(url) => Ok(parsed(url)),
        None if settings.base_url.is_loopback() => Ok(None),
        None => from_environment(settings.base_url.origin(), |name| std::env::var_os(name)),
    }
}

/// Does what reqwest does: the first variable that is set counts, in capitals or not, and `ALL_PROXY` if it is empty.
fn from_environment(target: &str, variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<String>, Error> {
    // A CGI script takes no proxy from the environment, where HTTP_PROXY is the header `Proxy` of a request.
    if variable("REQUEST_METHOD").is_some() {
        return Ok(None);
    }
    let first = |names: [&'static str; 2]| names.into_iter().find_map(|name| variable(name).map(|value| (name, value)));
    let of_scheme =
        if target.starts_with("https:") { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
    let found =
        [of_scheme, ["ALL_PROXY", "all_proxy"]].into_iter().filter_map(first).find(|(_, value)| !value.is_empty());
    let Some((name, value)) = found else { return Ok(None) };
    let excluded = first(["NO_PROXY", "no_proxy"]).and_then(|(_, hosts)| hosts.into_string().ok()).unwrap_or_default();
    if intercepted("http://proxy.invalid", &excluded, target).is_none() {
        return Ok(None);
    }
    value.to_str().and_then(parsed).map(Some).ok_or_else(|| {
        Error::Configuration(format!(
            "the environment variable {name} is not the URL of a proxy; set it to a URL such as http://host:port or \
             socks5://host:port, or unset it"
        ))
    })
}

/// Returns the URL of a proxy without a user name or password; None if it can't be used.
fn parsed(proxy: &str) -> Option<String> {
    intercepted(proxy, "", "http://service.invalid/")
}

/// Returns the URL of the proxy that a request goes through, as reqwest finds it.
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
        from_environment(target, variable).map_err(|error| error.to_string())
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
