//! The address of a Redis server.

use std::fmt;
use std::sync::Arc;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _, RedisResult};

use crate::error::Error;
use botdesk_schema::key_text::shown_path;

/// The environment variable with the password of the Redis server, for a URL without one.
pub const PASSWORD_VARIABLE: &str = "BOTDESK_REDIS_PASSWORD";

/// The URL of a Redis or Valkey server, which may have a password in it. `Display` and `Debug` leave that out.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl(Arc<str>);

impl RedisUrl {
    /// Returns the URL, or an error if no server can be found with it. The error does not repeat the URL.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let invalid = |why: &str| {
            Error::Configuration(format!(
                "shared is not the URL of a Redis server ({why}); pass one like 'redis://host:6379/0', True or False"
            ))
        };
        if url.contains('#') {
            return Err(invalid("it has a fragment, which has no meaning here"));
        }
        let Some(parsed) = redis::parse_redis_url(url) else {
            return Err(invalid("it must begin with redis://, rediss:// or unix://"));
        };
        if parsed.password().is_none() && !parsed.username().is_empty() {
            return Err(invalid(
                "it has a user without a password; a password alone is written redis://:password@host",
            ));
        }
        if parsed.scheme() != "unix" && parsed.query().is_some() {
            return Err(invalid("it has a query, which has no meaning here"));
        }
        match url.into_connection_info() {
            Ok(_) => Ok(Self(url.into())),
            Err(_) => Err(invalid("it has no host, or the number of its port or database can't be read")),
        }
    }

    /// Returns the URL with its password.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Returns true if the URL has a password.
    pub fn has_password(&self) -> bool {
        // That of a socket is in its query.
        redis::parse_redis_url(&self.0).is_some_and(|url| url.password().is_some() || url.query().is_some())
    }

    /// Returns where and how to connect.
    pub(super) fn connection_info(&self) -> RedisResult<ConnectionInfo> {
        (&*self.0).into_connection_info()
    }
}

impl fmt::Display for RedisUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(info) = self.connection_info() else { return formatter.write_str("redis://") };
        let password = if self.has_password() { "***@" } else { "" };
        let db = match info.redis_settings().db() {
            0 => String::new(),
            db => format!("/{db}"),
        };
        let with_brackets = |host: &str| if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        match info.addr() {
            ConnectionAddr::Tcp(host, port) => {
                write!(formatter, "redis://{password}{}:{port}{db}", with_brackets(host))
            }
            ConnectionAddr::TcpTls { host, port, .. } => {
                write!(formatter, "rediss://{password}{}:{port}{db}", with_brackets(host))
            }
            ConnectionAddr::Unix(path) => write!(formatter, "unix://{}", shown_path(path)),
            _ => formatter.write_str("redis://"),
        }
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_its_password() {
        let shown = |url| RedisUrl::parse(url).unwrap().to_string();
        assert_eq!(shown("redis://localhost"), "redis://localhost:6379");
        assert_eq!(shown("redis://user:pass@cache.example:1234/2"), "redis://***@cache.example:1234/2");
        assert_eq!(shown("rediss://:pass@cache.example"), "rediss://***@cache.example:6379");
        assert_eq!(shown("valkey://[::1]:7000"), "redis://[::1]:7000");
        assert_eq!(shown("unix:///run/redis.sock?pass=secret"), "unix:///run/redis.sock");
        assert_eq!(format!("{:?}", RedisUrl::parse("redis://:pass@a").unwrap()), "redis://***@a:6379");
    }

    #[test]
    fn what_is_no_url_of_a_server_is_not_repeated_in_the_error() {
        for url in
            ["", "http://user:hunter2@a", "redis://:hunter2@/0", "redis://:hunter2@a/x", "rediss://:hunter2@a#insecure"]
        {
            let error = RedisUrl::parse(url).unwrap_err().to_string();
            assert!(
                error.starts_with("shared is not the URL of a Redis server") && !error.contains("hunter2"),
                "{error}"
            );
        }
    }
}
