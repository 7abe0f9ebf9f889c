//! The options of a client: one row each, from which the signatures, the settings and the pickle follow.

mod limits;
mod option;
mod retry_policy;
mod seconds;

pub(super) use limits::{Budget, RateLimit};
pub(super) use option::OptionArgument;
pub(super) use retry_policy::RetryPolicy;

use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::runtime::hooks::{Hook, Hooks};
use botdesk_client::error::Error;
use botdesk_client::http::Settings;
use botdesk_client::http::retry;
use botdesk_client::rate_limit;
use botdesk_client::request::stream_url::StreamUrl;
use botdesk_schema::mode::Mode;
use option::ClientOption as _;

/// Passes the options of a client to a macro, each with its docstring, its place in a [`Configuration`] and its type.
///
/// A signature can only be written by a macro: pyo3 reads the names of the arguments from it.
macro_rules! client_options {
    ($callback:ident) => {
        $callback! {
            /// `"paper"` or `"real"`, to see only accounts of this kind and what is on them; by default the mode that was last chosen
            /// at the service. It only filters: the account of a write decides whether it trades real money. With `"paper"`, the
            /// account of a write is checked once, and a write to a real one is not sent.
            settings.mode: Option<Mode>;
            /// Time limit of a call with all its retries, in seconds, 30 by default; waiting for the rate limit does not count.
            settings.timeout: Duration;
            /// Time limit of connecting, in seconds, 10 by default.
            settings.connect_timeout: Duration;
            /// When a request is retried: a `RetryPolicy`, or the highest number of retries, 3 by default; 0 for none.
            settings.retries: retry::RetryPolicy;
            /// Rate limit that all clients of this API key and base URL share, in all processes of this user, 100 requests a
            /// minute by default; None for no limit.
            settings.rate_limit: Option<rate_limit::RateLimitOption>;
            /// Number of requests a minute that your plan allows, such as 5, 50 or 120, at least 1; a short form of
            /// `rate_limit=RateLimit(…)`, which replaces its number and keeps its sharing.
            settings.requests_per_minute: Option<u32>;
            /// Number of requests in one second, with any API key, 10 by default, because the service counts them by IP
            /// address; 0 for no limit, the default for a service on this machine. `rate_limit=None` turns it off too.
            settings.requests_per_second: Option<u32>;
            /// True, the default, to wait while the rate limit is reached; False to raise `RateLimitedError`.
            settings.wait: bool;
            /// Largest response body that is accepted, in bytes, 32 MiB by default.
            settings.max_body: usize;
            /// Number of signatures that are cached, so that the same request is signed once, 1 024 by default; 0 for no
            /// cache. Those of a secret are not cached, because signing takes about as long as looking one up.
            settings.signature_cache: usize;
            /// PEM file of certificates that are trusted besides those of the system.
            settings.ca_file: Option<PathBuf>;
            /// Proxy, as `http://…`, `https://…` or `socks5://…`; by default the one that `HTTPS_PROXY` and the like name.
            settings.proxy: Option<String>;
            /// URL of the live streams, as `wss://host/websocket`; by default the one that follows from `base_url`.
            settings.stream_url: Option<StreamUrl>;
            /// Called with a `RequestEvent` when an attempt starts; the attempt does not wait for it.
            hooks.on_request: Option<Hook>;
            /// Called with a `RequestEvent` after each attempt.
            hooks.on_response: Option<Hook>;
            /// Called with a `RequestEvent` when a request will be retried.
            hooks.on_retry: Option<Hook>;
        }
    };
}
pub(super) use client_options;

/// Makes the lines of a docstring that describe the options.
macro_rules! option_docs {
    ($($(#[doc = $doc:literal])* $place:ident.$option:ident: $type:ty;)*) => {
        concat!($("    ", stringify!($option), ":", $($doc,)* "\n",)*)
    };
}
pub(super) use option_docs;

/// The configuration of a client.
pub(super) struct Configuration {
    /// The settings of the core.
    pub(super) settings: Settings,
    /// The hooks, which call Python.
    pub(super) hooks: Hooks,
}

macro_rules! options_type {
    ($($(#[doc = $doc:literal])* $place:ident.$option:ident: $type:ty;)*) => {
        /// The options that a caller passed.
        pub(super) struct Options {
            $(pub(super) $option: OptionArgument<$type>,)*
        }

        impl Options {
            /// Checks the options and puts them into a configuration.
            pub(super) fn apply(self, configuration: &mut Configuration) -> Result<(), Error> {
                $(self.$option.apply(stringify!($option), &mut configuration.$place.$option)?;)*
                Ok(())
            }
        }

        /// Returns the keyword arguments that give another client this configuration.
        pub(super) fn keyword_arguments<'py>(
            py: Python<'py>,
            configuration: &Configuration,
        ) -> PyResult<Bound<'py, PyDict>> {
            let arguments = PyDict::new(py);
            $(arguments.set_item(stringify!($option), configuration.$place.$option.to_python(py)?)?;)*
            Ok(arguments)
        }
    };
}

client_options!(options_type);
