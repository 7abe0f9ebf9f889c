//! `botdesk.RateLimit` and `botdesk.Budget`.

use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use super::seconds::{not_negative, positive};
use crate::arguments::{integer_option, read_float, read_integer};
use crate::hints::output_type;
use crate::protocols::cast;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use botdesk_client::error::Error;
use botdesk_client::rate_limit::leased::redis_url::{PASSWORD_VARIABLE, RedisUrl};
use botdesk_client::rate_limit::{self, MAX_SHARED_REQUESTS, RateLimitOption, Sharing};
use botdesk_display::text_table::Table;

/// A limit on the number of requests in a period. The clients with the same API key and base URL share it: those of this process, and
/// by default those of all processes of this user on this machine.
///
/// A request counts until `per` after its response. One that ended without a response may still arrive, and counts 30
/// seconds longer.
///
/// Args:
///     requests: The number of requests, at least 1; at most 1 000 with `shared=True`.
///     per: The period in seconds. The limit applies to any period of that length, not only to full minutes.
///     shared: True to count the requests of all processes of this user on this machine, in a small file; False to count those
///         of this process only. The URL of a Redis or Valkey server, such as `"redis://host:6379/0"`, to count those of all
///         processes that name this server, on any machine; `rediss://` for TLS, `unix://` for a socket. If the URL has no
///         password, that in the environment variable BOTDESK_REDIS_PASSWORD is used. None, the default, is True, except for
///         a service on this machine, such as a sandbox, and for a limit of more than 1 000 requests.
///
/// Raises:
///     ConfigurationError: A number is out of range, or the URL is not one of a Redis server.
///
/// Example:
///     >>> import botdesk
///     >>> botdesk.RateLimit(100, per=60)
///     RateLimit(100, per=60.0)
///     >>> botdesk.RateLimit(100, per=60, shared=False)
///     RateLimit(100, per=60.0, shared=False)
///     >>> botdesk.RateLimit(100, per=60, shared="redis://:password@cache.example")
///     RateLimit(100, per=60.0, shared='redis://***@cache.example:6379')
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(Clone, PartialEq)]
pub(crate) struct RateLimit(pub(crate) rate_limit::RateLimitOption);

#[pymethods]
impl RateLimit {
    #[new]
    #[pyo3(signature = (requests: "int" = 100, per: "float" = 60.0, shared: "bool | str | None" = None))]
    fn new(
        #[pyo3(from_py_with = read_integer)] requests: i128,
        #[pyo3(from_py_with = read_float)] per: f64,
        #[pyo3(from_py_with = read_shared)] shared: Option<SharedBy>,
    ) -> PyResult<Self> {
        let requests = integer_option("requests", requests).or_py_err()?;
        if requests == 0 {
            return Err(
                Error::Configuration("requests must be at least 1; rate_limit=None sets no limit".into()).into_py_err()
            );
        }
        let limit = rate_limit::RateLimit { requests, per: positive("per", per).or_py_err()? };
        let sharing = match shared {
            Some(SharedBy::Machine(true)) if !limit.can_be_shared() => {
                return Err(too_many_to_share(requests).into_py_err());
            }
            Some(SharedBy::Machine(true)) => Sharing::Machine,
            Some(SharedBy::Machine(false)) => Sharing::Process,
            Some(SharedBy::Server(url)) => Sharing::Redis(RedisUrl::parse(&url).or_py_err()?),
            None => Sharing::Automatic,
        };
        Ok(Self(RateLimitOption { limit, sharing }))
    }

    /// The number of requests.
    #[getter]
    fn requests(&self) -> u32 {
        self.0.limit.requests
    }

    /// The period in seconds.
    #[getter]
    fn per(&self) -> f64 {
        self.0.limit.per.as_secs_f64()
    }

    /// True if all processes of this user on this machine share the limit, False if this process alone uses it; the URL of the
    /// server that counts, without its password; None, the default, for True, except for a service on this machine and for a
    /// limit of more than 1 000 requests.
    #[getter]
    fn shared(&self) -> Option<SharedBy> {
        match &self.0.sharing {
            Sharing::Machine => Some(SharedBy::Machine(true)),
            Sharing::Process => Some(SharedBy::Machine(false)),
            Sharing::Redis(url) => Some(SharedBy::Server(url.to_string())),
            Sharing::Automatic => None,
        }
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shared = match &self.0.sharing {
            Sharing::Redis(url) if url.has_password() => {
                let why = format!(
                    "a rate limit whose server has a password can't be pickled; name the password in {PASSWORD_VARIABLE} instead"
                );
                return Err(Error::Configuration(why).into_py_err());
            }
            Sharing::Redis(url) => Some(SharedBy::Server(url.secret().to_owned())),
            _ => self.shared(),
        };
        let arguments = (self.requests(), self.per(), shared);
        Ok((py.get_type::<Self>(), arguments).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        let shared = match &self.0.sharing {
            Sharing::Machine => ", shared=True".to_owned(),
            Sharing::Process => ", shared=False".to_owned(),
            Sharing::Redis(url) => format!(", shared='{url}'"),
            Sharing::Automatic => String::new(),
        };
        format!("RateLimit({}, per={:?}{shared})", self.requests(), self.per())
    }
}

/// The processes that share a rate limit: those of this machine, or those that name a server.
enum SharedBy {
    Machine(bool),
    Server(String),
}

impl<'py> IntoPyObject<'py> for SharedBy {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(type_hint_union!(BOOL, STR));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self {
            Self::Machine(shared) => shared.into_bound_py_any(py),
            Self::Server(url) => url.into_bound_py_any(py),
        }
    }
}

fn read_shared(given: &Bound<'_, PyAny>) -> PyResult<Option<SharedBy>> {
    if given.is_none() {
        return Ok(None);
    }
    if let Some(shared) = cast::<PyBool>(given) {
        return Ok(Some(SharedBy::Machine(shared.is_true())));
    }
    if let Some(url) = cast::<PyString>(given) {
        return Ok(Some(SharedBy::Server(url.to_str()?.to_owned())));
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!("shared must be a bool, the URL of a Redis server, or None, not {kind}")))
}

fn too_many_to_share(requests: u32) -> Error {
    Error::Configuration(format!(
        "requests is {requests}, and processes can share at most {MAX_SHARED_REQUESTS}; lower it, or pass shared=False"
    ))
}

/// The used and the remaining part of a rate limit.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Budget(pub(crate) rate_limit::Budget);

#[pymethods]
impl Budget {
    /// The number of requests that count now.
    #[getter]
    fn used(&self) -> u32 {
        self.0.used
    }

    /// The highest number of requests that may count at once.
    #[getter]
    fn limit(&self) -> u32 {
        self.0.limit
    }

    /// The seconds until a request may be sent if the limit is reached; otherwise until the oldest request no longer counts.
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

    fn _repr_html_(&self) -> String {
        let row = [self.used().to_string(), self.limit().to_string(), format!("{:.1} s", self.resets_in())];
        let heads = vec!["used", "limit", "resets in"];
        Table { title: "Budget".to_owned(), heads, rows: vec![row.to_vec()], ..Table::default() }.html()
    }
}
