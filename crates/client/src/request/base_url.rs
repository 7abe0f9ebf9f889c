//! The base URL of the service.

use reqwest::Url;

use crate::error::Error;
use botdesk_schema::operation::PREFIX;

/// The published base URL of the service, which is used unless another one is given.
pub const PUBLISHED: &str = "https://api.3commas.io";

/// The base URL of requests: `https://host`, and perhaps a path before `/public/api`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    url: Url,
    /// The scheme, the host and the port.
    origin: String,
    /// The path between the host and `/public/api`.
    prefix: String,
}

impl BaseUrl {
    /// Parses a URL; a URL that would send keys to an unsafe place is an error.
    pub fn parse(text: &str, allow_http: bool) -> Result<Self, Error> {
        if text.is_empty() || text.chars().any(|character| character.is_control() || character.is_whitespace()) {
            return Err(error("is empty or has white space or control characters; write https://host"));
        }
        let mut url = Url::parse(text).map_err(|_| error("is not a URL; write https://host"))?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(error("must begin with https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(error("must not have a user name or a password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(error("must not have a query string or a fragment"));
        }
        let prefix = without_api_path(url.path()).to_owned();
        // Base URLs that mean the same are equal.
        url.set_path(&prefix);
        let base = Self { origin: url.origin().ascii_serialization(), url, prefix };
        if base.url.scheme() == "http" && !allow_http && !base.is_loopback() {
            return Err(error(
                "must begin with https://: http sends everything unencrypted (Client(…, allow_http=True) allows it)",
            ));
        }
        Ok(base)
    }

    /// Returns the path between the host and `/public/api`.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the scheme, the host and the port.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns true if the service runs on this machine.
    pub fn is_loopback(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// Returns the URL of a request; `target` is its path from `/public/api` on, with the query string, in ASCII.
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

/// The versions of the API, as the paths of requests name them after `/public/api`.
const VERSIONS: [&str; 2] = ["/ver1", "/v2"];

/// Returns the path of a URL without `/public/api`, or `/public/api` and a version, at its end.
fn without_api_path(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let without_version = VERSIONS.iter().find_map(|version| path.strip_suffix(version));
    let mut candidates = [without_version, Some(path)].into_iter().flatten();
    let prefix = candidates.find_map(|path| path.strip_suffix(PREFIX));
    prefix.unwrap_or(path).trim_end_matches('/')
}

// The URL is not part of the message: it may have a password.
fn error(why: &str) -> Error {
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
    fn the_path_and_the_version_of_the_api_are_taken_as_meant() {
        let plain = BaseUrl::parse("https://host.example/v", false).unwrap();
        for end in ["/public/api", "/public/api/ver1", "/public/api/ver1/", "/public/api/v2", "/public/api/v2//"] {
            let base = format!("https://host.example/v{end}");
            assert_eq!(target(&base), "https://host.example/v/public/api/ver1/bots?limit=1", "{base}");
            assert_eq!(BaseUrl::parse(&base, false).unwrap(), plain, "{base}");
        }
    }

    #[test]
    fn a_version_that_is_not_the_one_of_the_api_is_part_of_the_prefix() {
        for prefix in ["/ver1", "/v2", "/api/v2", "/public/api/v3"] {
            assert_eq!(BaseUrl::parse(&format!("https://host.example{prefix}"), false).unwrap().prefix(), prefix);
        }
    }

    #[test]
    fn a_port_stays() {
        assert_eq!(target("http://127.0.0.1:8080"), "http://127.0.0.1:8080/public/api/ver1/bots?limit=1");
        assert_eq!(target("http://[::1]:8080/"), "http://[::1]:8080/public/api/ver1/bots?limit=1");
    }

    #[test]
    fn the_origin_is_the_scheme_the_host_and_a_port_other_than_the_default() {
        for (base, origin) in [
            ("https://Host.example/prefix/", "https://host.example"),
            ("https://host.example:443", "https://host.example"),
            ("https://host.example:8443", "https://host.example:8443"),
        ] {
            let url = BaseUrl::parse(base, false).unwrap();
            assert_eq!(url.origin(), origin);
            assert!(url.to_string().starts_with(origin), "{url}");
        }
    }

    #[test]
    fn this_machine_is_local_by_its_name_and_its_addresses() {
        for (base, is_loopback) in [
            ("http://localhost:1", true),
            ("http://127.0.0.1:1", true),
            ("http://127.8.9.1:1", true),
            ("http://[::1]:1", true),
            ("http://10.0.0.1:1", false),
            ("http://[::2]:1", false),
            ("http://host.example", false),
        ] {
            assert_eq!(BaseUrl::parse(base, true).unwrap().is_loopback(), is_loopback, "{base}");
        }
    }

    #[test]
    fn http_is_for_this_machine_only() {
        assert!(BaseUrl::parse("http://localhost:1", false).is_ok());
        assert!(BaseUrl::parse("http://host.example", false).is_err());
        assert!(BaseUrl::parse("http://localhost.host.example", false).is_err());
        assert!(BaseUrl::parse("http://host.example", true).is_ok());
    }

    #[test]
    fn an_international_host_is_sent_and_shown_as_its_ascii_name() {
        for (base, host) in [
            ("https://bücher.example", "xn--bcher-kva.example"),
            ("https://BÜCHER.example", "xn--bcher-kva.example"),
            ("https://xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("https://例え.example", "xn--r8jz45g.example"),
            // A Cyrillic letter that looks like an ASCII one: the host is another one, and does not look the same.
            ("https://\u{430}pi.example", "xn--pi-6kc.example"),
        ] {
            let url = BaseUrl::parse(base, false).unwrap();
            assert_eq!(url.to_string(), format!("https://{host}"));
            assert_eq!(url.join("/public/api/ver1/bots").host_str(), Some(host));
        }
    }

    #[test]
    fn an_unsafe_url_is_rejected_without_showing_it() {
        for base in [
            "",
            "host.example",
            "localhost:8080",
            "ftp://host.example",
            "https://user:hunter2@host.example",
            "https://hunter2@host.example",
            "https://:hunter2@host.example",
            "https://host.example?hunter2",
            "https://host.example#hunter2",
            "https://host.example\n",
            "https://host.example/a b",
            "https://host.example/\u{7f}",
            "https://",
        ] {
            let message = BaseUrl::parse(base, true).unwrap_err().to_string();
            assert!(message.starts_with("base_url ") && !message.contains("hunter2"), "{base}: {message}");
        }
    }
}
