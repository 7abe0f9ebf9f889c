//! The sandbox.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::raise::OrPyErr as _;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::arguments::{FilePath, STR, option, sequence, whole, whole_if_any};
use super::bridge::{spawned, wait_for_task};
use super::client::Client;
use super::exceptions::{CatchException, RustResult};
use super::local_server::LocalServer;
use super::protocols::is_sequence;
use botdesk_api::endpoint::Permission;
use botdesk_api::input::Violation;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::error::Error;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::request::base_url::BaseUrl;
use botdesk_sandbox::{self, Options, Received, State};
use botdesk_system::lock::locked;

/// The service, run on this machine: an HTTP server on a loopback port, with a world of its own.
///
/// It starts when it is made and stops at the end of its `with` block, with `close()`, or when neither the sandbox nor a
/// client of it is referenced any more. It checks signatures and permissions, holds state, and forgets all when it stops.
/// Its time is that of `clock`, and its market moves with `set_price`.
///
/// Args:
///     seed: From which the world is made, 1 if it is left out; the same seed makes the same world.
///     bots: How many DCA bots there are, 12 if it is left out.
///     port: The port to listen on; 0 for any that is free.
///     state: A file that `dump` wrote, to go on with that world in place of a made one.
///     rate_limit: How many requests a key has in a minute, such as 100; None for as many as it likes. Past it everything of
///         the key is refused for 300 s (429), and who goes on gets the address banned for 120 s (418).
///
/// Raises:
///     ConfigurationError: An argument or the state file can't be used, or the port is in use.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox(bots=3) as sandbox:
///     ...     len(sandbox.client().dca_bots.list())
///     3
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Sandbox {
    server: Arc<LocalServer<botdesk_sandbox::Sandbox>>,
    key: Mutex<Option<Arc<PrivateKey>>>,
}

#[pymethods]
impl Sandbox {
    #[new]
    #[pyo3(signature = (
        *, seed: "int | None" = None, bots: "int | None" = None, port: "int" = 0, state = None,
        rate_limit: "int | None" = None
    ))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = whole_if_any)] seed: Option<i128>,
        #[pyo3(from_py_with = whole_if_any)] bots: Option<i128>,
        #[pyo3(from_py_with = whole)] port: i128,
        state: Option<FilePath>,
        #[pyo3(from_py_with = whole_if_any)] rate_limit: Option<i128>,
    ) -> PyResult<Self> {
        let default = Options::default();
        let options = Options {
            seed: seed.map_or(Ok(default.seed), |seed| option("seed", seed)).or_py_err()?,
            bots: bots.map_or(Ok(default.bots), |bots| option("bots", bots)).or_py_err()?,
            port: option("port", port).or_py_err()?,
            rate_limit: rate_limit.map(|limit| option("rate_limit", limit)).transpose().or_py_err()?,
        };
        let state = state.map(|path| state_alone(&path.0, seed.is_some() || bots.is_some())).transpose().or_py_err()?;
        let running = wait_for_task(py, async move {
            let started = match state {
                Some(state) => botdesk_sandbox::Sandbox::resume(options, state).await,
                None => botdesk_sandbox::Sandbox::start(options).await,
            };
            started.map_rust_err(|error| {
                Error::Configuration(format!("port {port}: {error}; port=0 takes any that is free"))
            })
        })?;
        Ok(Self { server: LocalServer::new(running), key: Mutex::new(None) })
    }

    /// The address of the sandbox, `http://127.0.0.1:PORT`.
    #[getter]
    fn url(&self) -> &str {
        self.server.even_if_forked().url()
    }

    /// What arrived, the oldest first, without keys and signatures.
    #[getter]
    fn requests(&self) -> PyResult<Vec<ReceivedRequest>> {
        Ok(self.running().or_py_err()?.requests().into_iter().map(ReceivedRequest).collect())
    }

    /// Make a client of the sandbox, with an API key and a private key of its own.
    ///
    /// Args:
    ///     permissions: What the API key may do, such as `["BOTS_READ"]`; everything if it is left out.
    ///
    /// Raises:
    ///     ValidationError: There is no such permission.
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
        py.detach(|| self.let_in(&permissions.unwrap_or_default().0)).or_py_err()
    }

    /// Let the holder of a private key in.
    ///
    /// Args:
    ///     public_key_pem: The public half of the key, in PEM.
    ///     permissions: What the API key may do, such as `["BOTS_READ"]`; everything if it is left out.
    ///
    /// Returns:
    ///     A fresh API key.
    ///
    /// Raises:
    ///     ConfigurationError: The text is not the public half of an RSA key.
    ///     ValidationError: There is no such permission.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     try:
    ///     ...         api_key = sandbox.add_key("-----BEGIN CERTIFICATE-----")
    ///     ...     except botdesk.ConfigurationError as error:
    ///     ...         print(error)
    ///     the public key is not PEM text; it begins with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----
    #[pyo3(signature = (public_key_pem, permissions = None))]
    fn add_key(&self, public_key_pem: &str, permissions: Option<Permissions>) -> PyResult<String> {
        self.admit(public_key_pem, &permissions.unwrap_or_default().0).or_py_err()
    }

    /// Stop the sandbox and free its port. A sandbox that is stopped stays so.
    ///
    /// In a forked child it does nothing: the sandbox belongs to the process that started it.
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
    /// The sandbox, in the process that it runs in.
    pub(super) fn running(&self) -> Result<&Arc<botdesk_sandbox::Sandbox>, Error> {
        self.server.get().ok_or_else(|| {
            Error::Configuration(format!(
                "the sandbox at {} runs in the process that started it; make its clients there, before the fork",
                self.url()
            ))
        })
    }

    fn let_in(&self, permissions: &[Permission]) -> Result<Client, Error> {
        self.running()?;
        let key = self.key()?;
        let api_key = self.admit(&key.public_key_pem(), permissions)?;
        let settings = Settings { rate_limit: None, ..Settings::new(BaseUrl::parse(self.url(), false)?) };
        let server = Arc::clone(&self.server);
        Ok(Client::over(HttpClient::new(&api_key, key, settings)?.with_server(server)))
    }

    fn admit(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, Error> {
        let api_key = self.running()?.add_key(public_key_pem, permissions);
        api_key.map_rust_err(|error| Error::Configuration(error.to_string()))
    }

    /// The private key of this sandbox's clients, made when the first one asks.
    fn key(&self) -> Result<Arc<PrivateKey>, Error> {
        let mut key = locked(&self.key);
        if let Some(key) = key.as_ref() {
            return Ok(Arc::clone(key));
        }
        Ok(Arc::clone(key.insert(Arc::new(PrivateKey::generate(KEY_BITS)?))))
    }
}

/// The length of the private key of a sandbox's clients: the shortest, which is made fastest.
const KEY_BITS: i64 = 2_048;

async fn stop(running: Arc<botdesk_sandbox::Sandbox>) -> Result<(), Error> {
    running.stop();
    running.port_freed().await;
    Ok(())
}

/// What an API key may do.
struct Permissions(Vec<Permission>);

impl Default for Permissions {
    fn default() -> Self {
        Self(Permission::ALL.to_vec())
    }
}

impl<'py> FromPyObject<'_, 'py> for Permissions {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = sequence(&STR);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let needed = || Violation::new("permissions", "a list of names is needed, such as [\"BOTS_READ\"]");
        let names = names(&given).or_raise(given.py(), needed)?;
        Ok(Self(names.iter().map(|name| permission(name)).collect::<Result<_, _>>().or_py_err()?))
    }
}

/// The strings of a sequence; a string is none.
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
        Violation::new("permissions", format!("one of {names} is needed, not {name:?}"))
    })
}

/// The world of a state file, beside which nothing else may say what the world is.
fn state_alone(path: &Path, seeded: bool) -> Result<State, Error> {
    if seeded {
        return Err(Error::Configuration(
            "state goes neither with seed nor with bots, which make another world; leave them out, or leave out state"
                .to_owned(),
        ));
    }
    State::read(path).map_rust_err(|error| Error::Configuration(error.to_string()))
}

/// A request that arrived at a sandbox, without its key and its signature.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct ReceivedRequest(Received);

#[pymethods]
impl ReceivedRequest {
    /// The method.
    #[getter]
    fn method(&self) -> &str {
        &self.0.method
    }

    /// The path as it stood in the request line.
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    /// The query as it stood in the request line, secrets hidden; None where there was none.
    #[getter]
    fn query(&self) -> Option<&str> {
        self.0.query.as_deref()
    }

    /// The body, secrets hidden; empty where there was none.
    #[getter]
    fn body(&self) -> &str {
        &self.0.body
    }

    /// The status of the answer; None where a fault left the request without one.
    #[getter]
    fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Whether what was asked was done, be it answered or not.
    #[getter]
    fn carried_out(&self) -> bool {
        self.0.carried_out
    }

    /// The kind of the fault that befell the request, such as `close_after`; None where none did.
    #[getter]
    fn fault(&self) -> Option<&str> {
        self.0.fault
    }

    fn __repr__(&self) -> String {
        let query = self.0.query.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
        let status = self.0.status.map_or_else(|| "unanswered".to_owned(), |status| status.to_string());
        let fault = self.0.fault.map(|fault| format!(" {fault}")).unwrap_or_default();
        format!("<ReceivedRequest {} {}{query} {status}{fault}>", self.0.method, self.0.path)
    }
}
