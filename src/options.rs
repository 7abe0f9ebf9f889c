//! The options of a client: how long a call may take, when it is sent again, how often calls are sent.

use std::time::Duration;

use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_union};

use super::arguments::{FLOAT, FilePath, INT, NONE, STR, option, real, real_if_any, whole, whole_if_any};
use super::display;
use super::exceptions::RustResult;
use super::listening::Hooks;
use super::protocols::cast;
use botdesk_api::sheet::Sheet;
use botdesk_client::error::Error;
use botdesk_client::http::Settings;
use botdesk_client::http::retry;
use botdesk_client::rate_limit;

/// When a request is sent again.
///
/// A read is sent again after a failure to connect, a timeout or a broken connection, after 502, 503 and 504, and after a
/// 429 of the rate limit. A write is sent again only where it certainly changed nothing: after a failure to connect, and
/// after a 429 of the rate limit. Nothing is sent again after a 429 of the subscription plan, or after a 418. The waits are
/// random, from nothing up to a bound that doubles each time (full jitter), and never shorter than `Retry-After` asks; after a
/// 429 they are never shorter than the bound. All attempts and waits together stay within the client's `timeout`.
///
/// Args:
///     retries: How often a request is sent again at most; 0 for never.
///     backoff: The bound of the first wait, in seconds.
///     max_backoff: The bound of any wait, in seconds.
///     attempt_timeout: How long an attempt of a read may take that is not the last, in seconds; a third of the client's
///         `timeout` unless given.
///
/// Raises:
///     ConfigurationError: A number is out of range.
///
/// Example:
///     >>> import botdesk
///     >>> botdesk.RetryPolicy(5, backoff=1.0)
///     RetryPolicy(5, backoff=1.0, max_backoff=20.0, attempt_timeout=None)
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct RetryPolicy(retry::RetryPolicy);

#[pymethods]
impl RetryPolicy {
    #[new]
    #[pyo3(signature = (
        retries: "int" = 3, *, backoff: "float" = 0.5, max_backoff: "float" = 20.0, attempt_timeout: "float | None" = None
    ))]
    fn new(
        #[pyo3(from_py_with = whole)] retries: i128,
        #[pyo3(from_py_with = real)] backoff: f64,
        #[pyo3(from_py_with = real)] max_backoff: f64,
        #[pyo3(from_py_with = real_if_any)] attempt_timeout: Option<f64>,
    ) -> PyResult<Self> {
        Ok(Self(retry::RetryPolicy {
            retries: option("retries", retries).or_py_err()?,
            backoff: not_negative("backoff", backoff).or_py_err()?,
            max_backoff: not_negative("max_backoff", max_backoff).or_py_err()?,
            attempt_timeout: attempt_timeout.map(|given| seconds("attempt_timeout", given)).transpose().or_py_err()?,
        }))
    }

    /// How often a request is sent again at most.
    #[getter]
    fn retries(&self) -> u32 {
        self.0.retries
    }

    /// The bound of the first wait, in seconds.
    #[getter]
    fn backoff(&self) -> f64 {
        self.0.backoff.as_secs_f64()
    }

    /// The bound of any wait, in seconds.
    #[getter]
    fn max_backoff(&self) -> f64 {
        self.0.max_backoff.as_secs_f64()
    }

    /// How long an attempt of a read may take that is not the last, in seconds; None for a third of the client's `timeout`.
    #[getter]
    fn attempt_timeout(&self) -> Option<f64> {
        self.0.attempt_timeout.map(|time| time.as_secs_f64())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let arguments = (self.retries(), self.backoff(), self.max_backoff(), self.attempt_timeout());
        Ok((restore, arguments).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(retries: i128, backoff: f64, max_backoff: f64, attempt_timeout: Option<f64>) -> PyResult<Self> {
        Self::new(retries, backoff, max_backoff, attempt_timeout)
    }

    fn __repr__(&self) -> String {
        let attempt_timeout = self.attempt_timeout().map_or("None".to_owned(), |seconds| format!("{seconds:?}"));
        format!(
            "RetryPolicy({}, backoff={:?}, max_backoff={:?}, attempt_timeout={attempt_timeout})",
            self.retries(),
            self.backoff(),
            self.max_backoff()
        )
    }
}

/// How many requests may be sent in a time; all clients of one API key and address in a process share the account.
///
/// A request counts until `per` after its response. One that ended without a response may still arrive, and counts 30
/// seconds longer.
///
/// Args:
///     requests: How many requests, at least 1.
///     per: In which time, in seconds; any time of that length, wherever it begins.
///
/// Raises:
///     ConfigurationError: A number is out of range.
///
/// Example:
///     >>> import botdesk
///     >>> botdesk.RateLimit(100, per=60)
///     RateLimit(100, per=60.0)
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct RateLimit(rate_limit::RateLimit);

#[pymethods]
impl RateLimit {
    #[new]
    #[pyo3(signature = (requests: "int" = 100, per: "float" = 60.0))]
    fn new(#[pyo3(from_py_with = whole)] requests: i128, #[pyo3(from_py_with = real)] per: f64) -> PyResult<Self> {
        let requests = option("requests", requests).or_py_err()?;
        if requests == 0 {
            return Err(
                Error::Configuration("requests must be at least 1; rate_limit=None sets no limit".into()).into_py_err()
            );
        }
        Ok(Self(rate_limit::RateLimit { requests, per: seconds("per", per).or_py_err()? }))
    }

    /// How many requests.
    #[getter]
    fn requests(&self) -> u32 {
        self.0.requests
    }

    /// In which time, in seconds.
    #[getter]
    fn per(&self) -> f64 {
        self.0.per.as_secs_f64()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((py.get_type::<Self>(), (self.requests(), self.per())).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("RateLimit({}, per={:?})", self.requests(), self.per())
    }
}

/// What is left of a rate limit.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Budget(pub(super) rate_limit::Budget);

#[pymethods]
impl Budget {
    /// How many requests count now.
    #[getter]
    fn used(&self) -> u32 {
        self.0.used
    }

    /// How many may count at once.
    #[getter]
    fn limit(&self) -> u32 {
        self.0.limit
    }

    /// After how many seconds a request may be sent where none may now; otherwise after how many the first one counts no more.
    #[getter]
    fn resets_in(&self) -> f64 {
        self.0.resets_in.as_secs_f64()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, (self.used(), self.limit(), self.resets_in())).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(used: u32, limit: u32, resets_in: f64) -> PyResult<Self> {
        Ok(Self(rate_limit::Budget { used, limit, resets_in: not_negative("resets_in", resets_in).or_py_err()? }))
    }

    fn __repr__(&self) -> String {
        format!("<Budget {} of {} used, resets in {:.1} s>", self.used(), self.limit(), self.resets_in())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let row = [self.used().to_string(), self.limit().to_string(), format!("{:.1} s", self.resets_in())];
        let heads = vec!["used", "limit", "resets in"];
        display::sheet(py, Sheet { title: "Budget".to_owned(), heads, rows: vec![row.to_vec()], ..Sheet::default() })
    }
}

/// A time in seconds; None where it was left out.
pub(super) struct Seconds(Option<f64>);

/// How often a request is sent again; None where it was left out.
pub(super) struct Retries(Option<retry::RetryPolicy>);

/// How many requests may be sent. None is no limit.
pub(super) enum Rate {
    LeftOut,
    Given(Option<rate_limit::RateLimit>),
}

impl Rate {
    /// An option that was left out.
    pub(super) fn left_out() -> Self {
        Self::LeftOut
    }
}

impl<'py> FromPyObject<'_, 'py> for Rate {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(<RateLimit as PyTypeInfo>::TYPE_HINT, NONE);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self::Given(None));
        }
        Ok(Self::Given(Some(given.cast::<RateLimit>()?.get().0)))
    }
}

/// Yes or no; None where it was left out.
pub(super) struct YesOrNo(Option<bool>);

/// How many; None where it was left out.
pub(super) struct Count(Option<i128>);

/// Something to call; None where it was left out.
pub(super) struct Hook(pub(super) Option<Py<PyAny>>);

/// A file; None where it was left out.
pub(super) struct File(Option<FilePath>);

/// An address that may hold a password; None where it was left out.
pub(super) struct Address(Option<String>);

macro_rules! left_out {
    ($($kind:ident($hint:expr) = |$given:ident| $read:expr;)*) => {$(
        impl $kind {
            /// An option that was left out.
            pub(super) fn left_out() -> Self {
                Self(None)
            }
        }

        impl<'py> FromPyObject<'_, 'py> for $kind {
            type Error = PyErr;

            const INPUT_TYPE: PyStaticExpr = type_hint_union!($hint, NONE);

            fn extract($given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                $read.map(Self)
            }
        }
    )*};
}

left_out! {
    Seconds(type_hint_union!(FLOAT, INT)) = |given| real_if_any(&given);
    Retries(type_hint_union!(<RetryPolicy as PyTypeInfo>::TYPE_HINT, INT)) = |given| retries(&given);
    YesOrNo(type_hint_identifier!("builtins", "bool")) = |given| given.extract();
    Count(INT) = |given| whole_if_any(&given);
    Hook(CALLABLE) = |given| hook(&given);
    File(type_hint_union!(STR, super::arguments::PATH)) = |given| given.extract();
    Address(STR) = |given| given.extract();
}

/// What the stubs call a hook.
const CALLABLE: PyStaticExpr = pyo3::type_hint_subscript!(
    type_hint_identifier!("collections.abc", "Callable"),
    PyStaticExpr::List { elts: &[type_hint_identifier!("botdesk", "RequestEvent")] },
    type_hint_identifier!("builtins", "object")
);

fn retries(given: &Bound<'_, PyAny>) -> PyResult<Option<retry::RetryPolicy>> {
    if given.is_none() {
        return Ok(None);
    }
    if let Some(policy) = cast::<RetryPolicy>(given) {
        return Ok(Some(policy.get().0));
    }
    let retries = option("retries", whole(given)?).or_py_err()?;
    Ok(Some(retry::RetryPolicy { retries, ..retry::RetryPolicy::default() }))
}

fn hook(given: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    if given.is_none() {
        return Ok(None);
    }
    if !given.is_callable() {
        return Err(PyTypeError::new_err("a hook is a function that takes one argument"));
    }
    Ok(Some(given.clone().unbind()))
}

/// Hands a macro each option of a client: its docstring, its name, its type.
macro_rules! client_options {
    ($callback:ident) => {
        $callback! {
            /// How long a call may take in all, retries counted and waiting for its turn not, in seconds; 30 unless given.
            timeout: Seconds;
            /// How long a connection may take, in seconds; 10 unless given.
            connect_timeout: Seconds;
            /// When a request is sent again: a `RetryPolicy`, or how often at most; 0 for never, 3 unless given.
            retries: Retries;
            /// How many requests may be sent, counted over all clients of the key and address in this process; 100 a
            /// minute unless given, None for no limit.
            rate_limit: Rate;
            /// Whether a call that comes too early waits its turn; with False it raises `RateLimitedError`.
            wait: YesOrNo;
            /// The longest answer that is taken, in bytes; 32 MiB unless given.
            max_body: Count;
            /// How many signatures are kept, so that the same request is signed once; 1 024 unless given, 0 for none.
            signature_cache: Count;
            /// A PEM file of certificates to trust beside the system's.
            ca_file: File;
            /// The proxy, `http://…`, `https://…` or `socks5://…`; unless given, what `HTTPS_PROXY` and its kin say.
            proxy: Address;
            /// Called with a `RequestEvent` when an attempt begins, which does not wait for it.
            on_request: Hook;
            /// Called with a `RequestEvent` after each attempt.
            on_response: Hook;
            /// Called with a `RequestEvent` when a request will be sent again.
            on_retry: Hook;
        }
    };
}
pub(super) use client_options;

macro_rules! options_struct {
    ($($(#[doc = $doc:literal])* $option:ident: $kind:ident;)*) => {
        /// The options of a client, as a caller gave them.
        pub(super) struct Options {
            $(pub(super) $option: $kind,)*
        }
    };
}

client_options!(options_struct);

impl Options {
    /// The settings with these options in them.
    pub(super) fn set_in(&self, mut settings: Settings) -> Result<Settings, Error> {
        if let Some(given) = self.timeout.0 {
            settings.timeout = seconds("timeout", given)?;
        }
        if let Some(given) = self.connect_timeout.0 {
            settings.connect_timeout = seconds("connect_timeout", given)?;
        }
        if let Some(given) = self.max_body.0 {
            settings.max_body = option("max_body", given)?;
        }
        if let Some(given) = self.signature_cache.0 {
            settings.signature_cache = option("signature_cache", given)?;
        }
        if let Some(FilePath(given)) = &self.ca_file.0 {
            // A client may travel to a process that runs in another folder.
            settings.ca_file = Some(std::path::absolute(given).rust_ok().unwrap_or_else(|| given.clone()));
        }
        if let Some(given) = &self.proxy.0 {
            settings.proxy = Some(given.clone());
        }
        settings.retries = self.retries.0.unwrap_or(settings.retries);
        if let Rate::Given(limit) = self.rate_limit {
            settings.rate_limit = limit;
        }
        settings.wait = self.wait.0.unwrap_or(settings.wait);
        Ok(settings)
    }

    /// The hooks with these in them.
    pub(super) fn hooks(&self, py: Python<'_>, before: Option<&Hooks>) -> Option<Hooks> {
        let hook =
            |given: &Hook, before: Option<&Py<PyAny>>| given.0.as_ref().or(before).map(|hook| hook.clone_ref(py));
        let hooks = Hooks {
            on_request: hook(&self.on_request, before.and_then(|hooks| hooks.on_request.as_ref())),
            on_response: hook(&self.on_response, before.and_then(|hooks| hooks.on_response.as_ref())),
            on_retry: hook(&self.on_retry, before.and_then(|hooks| hooks.on_retry.as_ref())),
        };
        hooks.is_any().then_some(hooks)
    }
}

/// What another process needs to give a client the same options.
pub(super) fn told<'py>(py: Python<'py>, settings: &Settings, hooks: Option<&Hooks>) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("timeout", settings.timeout.as_secs_f64())?;
    told.set_item("connect_timeout", settings.connect_timeout.as_secs_f64())?;
    told.set_item("retries", RetryPolicy(settings.retries))?;
    told.set_item("rate_limit", settings.rate_limit.map(RateLimit))?;
    told.set_item("wait", settings.wait)?;
    told.set_item("max_body", settings.max_body)?;
    told.set_item("signature_cache", settings.signature_cache)?;
    told.set_item("ca_file", &settings.ca_file)?;
    told.set_item("proxy", &settings.proxy)?;
    for (name, hook) in hooks.into_iter().flat_map(Hooks::named) {
        told.set_item(name, hook)?;
    }
    Ok(told)
}

fn seconds(name: &str, seconds: f64) -> Result<Duration, Error> {
    let duration = time(seconds).filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| {
        Error::Configuration(format!("{name} must be a number of seconds greater than 0 and at most {LONGEST:e}"))
    })
}

fn not_negative(name: &str, seconds: f64) -> Result<Duration, Error> {
    let duration = time(seconds);
    duration.ok_or_else(|| {
        Error::Configuration(format!("{name} must be a number of seconds of at least 0 and at most {LONGEST:e}"))
    })
}

/// The longest time that a clock is set to, in seconds: some 300 years.
const LONGEST: u64 = 10_000_000_000;

/// A time that a clock can be set to; None for what is none.
fn time(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).rust_ok().filter(|duration| *duration <= Duration::from_secs(LONGEST))
}
