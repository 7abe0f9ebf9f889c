//! The Python class of the sandbox.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::display::displayed_list::DisplayedList;
use crate::hints::input_type;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{FilePath, integer_option, read_integer, read_optional_integer};
use crate::client::Client;
use crate::exceptions::{CatchException, RustResult};
use crate::numbers::ExactNumber;
use crate::protocols::is_sequence;
use crate::runtime::bridge::{spawned, wait_for_task};
use crate::sandbox::balances::BalancesArgument;
use crate::sandbox::local_server::LocalServer;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::error::Error;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::request::base_url::BaseUrl;
use botdesk_sandbox::{LimitOptions, LoggedRequest, MAX_BOTS, Plan, SandboxOptions, SandboxServer, SavedState};
use botdesk_schema::input::Violation;
use botdesk_schema::permission::Permission;
use botdesk_system::lock::locked;

/// A local mock of the service: an HTTP server on a loopback port, with state of its own.
///
/// The server starts immediately. It stops at the end of its `with` block, with `close()`, or when neither the sandbox nor any of
/// its clients is referenced. It verifies signatures and permissions, and keeps its state in memory until it stops. `clock`
/// controls its time, and `set_price` its market.
///
/// Args:
///     seed: The seed of the initial state, 1 by default; the same seed gives the same state.
///     bots: The number of DCA bots, 12 by default, at most 10 000.
///     port: The port to listen on; 0 for any free one.
///     state: A file that `dump` wrote; the sandbox continues with its state.
///     rate_limit: The number of requests per minute and API key, such as 100; None for no limit. A key that exceeds it gets 429
///         for 300 s. Clients that continue get their IP banned (418), first for 120 s, then each time twice as long. From 100
///         on, the endpoints that have limits of their own at the service have them here too.
///     odd_values: True for records with the odd values that live services send, to test a client: numbers with 50 digits,
///         exponents, `-0.0`, `Infinity`, strings in place of numbers, nulls, ids above 2^31, and names that are not ASCII.
///         Otherwise, names and amounts agree with each other.
///     fee: The fee of every order as a fraction of its volume, such as `"0.001"` for 0.1 %, charged in the quote currency: a str, a
///         Decimal or an int, at least 0 and below 1; `"0.001"` by default, the commission of the accounts in the samples of the
///         service. Averages, volumes and take-profit prices include it, like those of `plan_ladder`.
///     slippage: The fraction by which market orders fill at a worse price than that of the moment, such as `"0.0005"`; 0 by default.
///     balances: The balances of each account, also of those that are added later, such as `{"USDT": "10000", "BTC": "0.5"}`: a
///         str, a Decimal or an int of at least 0 for each currency. An order that costs more than is free is refused: its deal
///         or SmartTrade fails. What the orders and positions of the seed need beyond the balances comes on top. By default,
///         the balances are random, and an account has enough for every order.
///     strict_signatures: True to accept signatures of the documented text alone: the path, and the parameters or the body as the
///         reference of the service shows it. Otherwise, the other forms that programs use with success are accepted as well: a
///         `?` after a path without parameters, and a JSON body with or without a `?` before it.
///     requests_per_second: The number of requests per second and IP address, such as 15; None for no limit.
///     plan: A plan of the service: `"lowest"` with 5 requests a minute, `"middle"` with 50, or `"highest"` with 120. The first
///         two include no writes, which get a 429 that says so. `rate_limit` replaces the number of the plan.
///     rolling_limits: True to count the requests of the last minute; False, the default, to count them from the beginning of
///         each minute, as the service does.
///     retry_after: True to send `Retry-After` with a 429 and a 418; the service does not.
///
/// Raises:
///     ConfigurationError: An argument or the state file is invalid, or the port is in use.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox(bots=3) as sandbox:
///     ...     len(sandbox.client().dca_bots.list())
///     3
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Sandbox {
    server: Arc<LocalServer<SandboxServer>>,
}

#[pymethods]
impl Sandbox {
    #[allow(clippy::fn_params_excessive_bools, reason = "they are keyword arguments in Python")]
    #[new]
    #[pyo3(signature = (
        *, seed: "int | None" = None, bots: "int | None" = None, port: "int" = 0, state = None,
        rate_limit: "int | None" = None, odd_values: "bool" = false, fee = None, slippage = None,
        balances = None, strict_signatures: "bool" = false, requests_per_second: "int | None" = None, plan: "str | None" = None,
        rolling_limits: "bool" = false, retry_after: "bool" = false
    ))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = read_optional_integer)] seed: Option<i128>,
        #[pyo3(from_py_with = read_optional_integer)] bots: Option<i128>,
        #[pyo3(from_py_with = read_integer)] port: i128,
        state: Option<FilePath>,
        #[pyo3(from_py_with = read_optional_integer)] rate_limit: Option<i128>,
        odd_values: bool,
        fee: Option<ExactNumber>,
        slippage: Option<ExactNumber>,
        balances: Option<BalancesArgument>,
        strict_signatures: bool,
        #[pyo3(from_py_with = read_optional_integer)] requests_per_second: Option<i128>,
        plan: Option<&str>,
        rolling_limits: bool,
        retry_after: bool,
    ) -> PyResult<Self> {
        let default = SandboxOptions::default();
        let options = SandboxOptions {
            seed: seed.map_or(Ok(default.seed), |seed| integer_option("seed", seed)).or_py_err()?,
            bots: bots.map_or(Ok(default.bots), number_of_bots).or_py_err()?,
            odd_values,
            port: integer_option("port", port).or_py_err()?,
            strict_signatures,
            limits: LimitOptions {
                requests_per_minute: limit("rate_limit", rate_limit).or_py_err()?,
                requests_per_second: limit("requests_per_second", requests_per_second).or_py_err()?,
                plan: plan.map(read_plan).transpose().or_py_err()?,
                rolling: rolling_limits,
                retry_after,
            },
            fee: fee.map_or(Ok(default.fee), |fee| fee.fraction(py, "fee"))?,
            slippage: slippage.map_or(Ok(default.slippage), |slippage| slippage.fraction(py, "slippage"))?,
            balances: balances.map(|balances| balances.0),
        };
        let state = state
            .map(|path| read_state(&path.0, seed.is_some() || bots.is_some() || odd_values, options.balances.is_some()))
            .transpose()
            .or_py_err()?;
        let running = wait_for_task(py, async move {
            let started = match state {
                Some(saved) => SandboxServer::resume(options, saved).await,
                None => SandboxServer::start(options).await,
            };
            started
                .map_rust_err(|error| Error::Configuration(format!("port {port}: {error}; port=0 takes any free port")))
        })?;
        Ok(Self { server: LocalServer::new(running) })
    }

    /// The base URL of the sandbox, `http://127.0.0.1:PORT`.
    #[getter]
    fn url(&self) -> &str {
        self.server.even_if_forked().url()
    }

    /// The URL of a page that shows the sandbox in a browser: bots, deals, prices, the clock, requests and faults.
    ///
    /// The page can move prices, advance the clock, inject faults and reset the sandbox. For that, the fragment of the URL is a
    /// token, so give the URL only to those who may do so.
    #[getter]
    fn page_url(&self) -> String {
        self.server.even_if_forked().page_url()
    }

    /// The received requests, oldest first, without API keys and signatures.
    #[getter]
    fn requests(&self) -> PyResult<DisplayedList<ReceivedRequest>> {
        let requests = self.running().or_py_err()?.requests();
        Ok(DisplayedList(requests.into_iter().map(ReceivedRequest).collect()))
    }

    /// Create a client of the sandbox with a new API key.
    ///
    /// Args:
    ///     permissions: The permissions of the API key, such as `["BOTS_READ"]`; all by default.
    ///
    /// Raises:
    ///     ValidationError: A permission is unknown.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     reader = sandbox.client(permissions=["BOTS_READ"])
    ///     ...     try:
    ///     ...         reader.dca_bots.disable(41)
    ///     ...     except botdesk.ForbiddenError as error:
    ///     ...         error.status
    ///     403
    #[pyo3(signature = (permissions = None))]
    fn client(&self, py: Python<'_>, permissions: Option<Permissions>) -> PyResult<Client> {
        let http = py.detach(|| self.http_client(&permissions.unwrap_or_default().0)).or_py_err()?;
        Client::over(py, http)
    }

    /// Register a key: a public key, or a new system-generated key.
    ///
    /// Args:
    ///     public_key_pem: An RSA public key in PEM.
    ///     permissions: The permissions of the API key, such as `["BOTS_READ"]`; all by default.
    ///     secret: True to create a system-generated key with a secret, in place of registering a public key.
    ///
    /// Returns:
    ///     A new API key for the public key; with `secret=True`, a new API key and its secret.
    ///
    /// Raises:
    ///     ConfigurationError: The string is not an RSA public key in PEM, or both kinds of key are asked for, or none.
    ///     ValidationError: A permission is unknown.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     try:
    ///     ...         api_key = sandbox.add_key("-----BEGIN CERTIFICATE-----")
    ///     ...     except botdesk.ConfigurationError as error:
    ///     ...         print(error)
    ///     ...     api_key, secret = sandbox.add_key(secret=True)
    ///     ...     botdesk.Client(api_key, secret=secret, base_url=sandbox.url).validate()
    ///     the public key is not PEM; it must begin with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----
    ///     True
    // `just stubs` replaces this signature by two overloads.
    #[pyo3(signature = (public_key_pem: "str | None" = None, permissions = None, *, secret: "bool" = false) -> "str | tuple[str, str]")]
    fn add_key<'py>(
        &self,
        py: Python<'py>,
        public_key_pem: Option<&str>,
        permissions: Option<Permissions>,
        secret: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let permissions = permissions.unwrap_or_default().0;
        let problem = match (public_key_pem, secret) {
            (Some(pem), false) => return self.register(pem, &permissions).or_py_err()?.into_bound_py_any(py),
            (None, true) => return self.register_secret(&permissions).or_py_err()?.into_bound_py_any(py),
            (Some(_), true) => "public_key_pem and secret=True are both given; a key has one of them",
            (None, false) => "no key is given; pass an RSA public key in PEM as public_key_pem, or secret=True",
        };
        Err(Error::Configuration(problem.to_owned()).into_py_err())
    }

    /// Stop the sandbox for good, and free its port.
    ///
    /// It does nothing in a forked child, because the sandbox belongs to the process that started it.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> sandbox = botdesk.Sandbox()
    ///     >>> sandbox.close()
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.running().rust_ok() {
            Some(running) => wait_for_task(py, stop(Arc::clone(running))),
            None => Ok(()),
        }
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (*_error: "object") -> "None")]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }

    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aenter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (*_error: "object") -> "None")]
    async fn __aexit__(&self, _error: Py<PyAny>) -> PyResult<()> {
        match self.running().rust_ok() {
            Some(running) => spawned(stop(Arc::clone(running))).await,
            None => Ok(()),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Sandbox {}>", self.url())
    }
}

impl Sandbox {
    /// Returns the server; fails in a forked child.
    pub(crate) fn running(&self) -> Result<&Arc<SandboxServer>, Error> {
        self.server.get().ok_or_else(|| {
            Error::Configuration(format!(
                "the sandbox at {} runs in the process that started it; create its clients there, before the fork",
                self.url()
            ))
        })
    }

    fn http_client(&self, permissions: &[Permission]) -> Result<HttpClient, Error> {
        self.running()?;
        let key = client_key()?;
        let api_key = self.register(&key.public_key_pem(), permissions)?;
        let settings = Settings { rate_limit: None, ..Settings::new(BaseUrl::parse(self.url(), false)?) };
        let server = Arc::clone(&self.server);
        Ok(HttpClient::new(&api_key, key, settings)?.with_server(server))
    }

    fn register_secret(&self, permissions: &[Permission]) -> Result<(String, String), Error> {
        let key = self.running()?.add_secret(permissions);
        key.map_rust_err(|error| Error::Configuration(error.to_string()))
    }

    fn register(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, Error> {
        let api_key = self.running()?.add_key(public_key_pem, permissions);
        api_key.map_rust_err(|error| Error::Configuration(error.to_string()))
    }
}

/// The length of that private key: the shortest one, which is the fastest to generate.
const KEY_BITS: i64 = 2_048;

/// Returns the private key of the clients of all sandboxes. The first call generates it.
///
/// Generating one takes longer than starting a sandbox, and the API keys of each sandbox are its own.
fn client_key() -> Result<Arc<PrivateKey>, Error> {
    static KEY: Mutex<Option<Arc<PrivateKey>>> = Mutex::new(None);
    let mut key = locked(&KEY);
    if let Some(key) = key.as_ref() {
        return Ok(Arc::clone(key));
    }
    Ok(Arc::clone(key.insert(Arc::new(PrivateKey::generate(KEY_BITS)?))))
}

async fn stop(running: Arc<SandboxServer>) -> Result<(), Error> {
    running.stop();
    running.port_freed().await;
    Ok(())
}

/// The permissions of an API key, from a sequence of names.
struct Permissions(Vec<Permission>);

impl Default for Permissions {
    fn default() -> Self {
        Self(Permission::ALL.to_vec())
    }
}

impl<'py> FromPyObject<'_, 'py> for Permissions {
    type Error = PyErr;

    input_type!(sequence(&STR));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let expected = || Violation::new("permissions", "must be a list of names, such as [\"BOTS_READ\"]");
        let names = names(&given).or_raise(given.py(), expected)?;
        Ok(Self(names.iter().map(|name| permission(name)).collect::<Result<_, _>>().or_py_err()?))
    }
}

/// Returns the strings of a sequence. A string itself is not accepted.
fn names(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if given.is_instance_of::<PyString>() || !is_sequence(given)? {
        return Err(PyTypeError::new_err("not a sequence"));
    }
    let mut names = Vec::new();
    for name in given.try_iter()? {
        names.push(name?.extract()?);
    }
    Ok(names)
}

fn permission(name: &str) -> Result<Permission, Violation> {
    Permission::named(name).ok_or_else(|| {
        let names = Permission::ALL.map(Permission::as_str).join(", ");
        Violation::new("permissions", format!("must be one of {names}, not {name:?}"))
    })
}

/// Returns the number of bots, at most [`MAX_BOTS`].
fn number_of_bots(given: i128) -> Result<usize, Error> {
    let bots = integer_option("bots", given)?;
    if bots > MAX_BOTS {
        let message = format!("bots={bots} is out of range; a sandbox starts with at most {MAX_BOTS} DCA bots");
        return Err(Error::Configuration(message));
    }
    Ok(bots)
}

fn limit(name: &str, given: Option<i128>) -> Result<Option<u32>, Error> {
    given.map(|limit| integer_option(name, limit)).transpose()
}

fn read_plan(name: &str) -> Result<Plan, Error> {
    Plan::named(name)
        .map_rust_err(|violation| Error::Configuration(format!("{}: {}", violation.field, violation.message)))
}

/// Reads a state file, which can't be combined with the options that seed a state.
fn read_state(path: &Path, seeded: bool, has_balances: bool) -> Result<SavedState, Error> {
    if seeded {
        return Err(Error::Configuration(
            "state can't be combined with seed, bots or odd_values, which describe another state; pass one or the other"
                .to_owned(),
        ));
    }
    if has_balances {
        return Err(Error::Configuration(
            "balances: they can't be combined with state, because the file has those of its accounts; pass one or the other"
                .to_owned(),
        ));
    }
    SavedState::read(path).map_rust_err(|error| Error::Configuration(error.to_string()))
}

/// A request that a sandbox received, without its API key and its signature.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct ReceivedRequest(LoggedRequest);

#[pymethods]
impl ReceivedRequest {
    /// The method.
    #[getter]
    fn method(&self) -> &str {
        &self.0.method
    }

    /// The path, as in the request line.
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    /// The query string, as in the request line but with secrets redacted; None if there was none.
    #[getter]
    fn query(&self) -> Option<&str> {
        self.0.query.as_deref()
    }

    /// The body with secrets redacted; empty if there was none.
    #[getter]
    fn body(&self) -> &str {
        &self.0.body
    }

    /// The status of the response; None if a fault prevented the response.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// True if the request was executed, even if no response was sent.
    #[getter]
    fn carried_out(&self) -> bool {
        self.0.carried_out
    }

    /// The kind of the fault that the request triggered, such as `close_after`; None if it triggered none.
    #[getter]
    fn fault(&self) -> Option<&str> {
        self.0.fault
    }

    /// The form of the text that was signed: `path`, `path?`, `path?params`, `pathjson` or `path?json`; None if there was no valid
    /// signature, or if the operation needs none.
    #[getter]
    fn signed_form(&self) -> Option<&str> {
        self.0.signed_form
    }

    fn __repr__(&self) -> String {
        let query = self.0.query.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
        let status = self.0.status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
        let fault = self.0.fault.map(|fault| format!(" {fault}")).unwrap_or_default();
        format!("<ReceivedRequest {} {}{query} {status}{fault}>", self.0.method, self.0.path)
    }
}
