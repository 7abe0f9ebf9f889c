//! The sandbox.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;

use super::arguments::{STR, sequence};
use super::bridge::{spawned, wait};
use super::client::Client;
use crate::client::base_url::BaseUrl;
use crate::client::error::Error;
use crate::client::key::PrivateKey;
use crate::client::send::{Road, Settings};
use crate::sandbox::{self, Options, Received};
use crate::service::endpoint::Permission;
use crate::service::input::Violation;

/// The service, run on this machine: an HTTP server on a loopback port, with a world of its own.
///
/// It starts when it is made and stops at the end of its `with` block, or with `close()`. It checks signatures and
/// permissions, holds state, and forgets all when it stops.
///
/// Args:
///     seed: From which the world is made; the same seed makes the same world.
///     bots: How many DCA bots there are.
///     port: The port to listen on; 0 for any that is free.
///
/// Raises:
///     ConfigurationError: An argument can't be used, or the port is in use.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox(bots=3) as sandbox:
///     ...     len(sandbox.client().dca_bots.list())
///     3
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Sandbox {
    /// The process that the sandbox runs in; a forked child has a copy of this object and no sandbox.
    process: u32,
    running: Arc<sandbox::Sandbox>,
    key: Mutex<Option<Arc<PrivateKey>>>,
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if self.running().is_err() {
            // A thread that the fork left behind may hold its locks.
            std::mem::forget(Arc::clone(&self.running));
        }
    }
}

#[pymethods]
impl Sandbox {
    #[new]
    #[pyo3(signature = (*, seed: "int" = 1, bots: "int" = 12, port: "int" = 0))]
    fn new(py: Python<'_>, seed: i64, bots: i64, port: i64) -> PyResult<Self> {
        let options = Options { seed: option("seed", seed)?, bots: option("bots", bots)?, port: option("port", port)? };
        let running = wait(py, async move {
            let started = sandbox::Sandbox::start(options).await;
            started
                .map_err(|error| Error::Configuration(format!("port {port}: {error}; port=0 takes any that is free")))
        })?;
        Ok(Self { process: std::process::id(), running: Arc::new(running), key: Mutex::new(None) })
    }

    /// The address of the sandbox, `http://127.0.0.1:PORT`.
    #[getter]
    fn url(&self) -> &str {
        self.running.url()
    }

    /// What arrived, the oldest first, without keys and signatures.
    #[getter]
    fn requests(&self) -> PyResult<Vec<ReceivedRequest>> {
        Ok(self.running()?.requests().into_iter().map(ReceivedRequest).collect())
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
        Ok(py.detach(|| self.let_in(&permissions.unwrap_or_default().0))?)
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
        Ok(self.admit(public_key_pem, &permissions.unwrap_or_default().0)?)
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
        self.running().map_or(Ok(()), |running| wait(py, stop(Arc::clone(running))))
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
        match self.running() {
            Ok(running) => spawned(stop(Arc::clone(running))).await,
            Err(_) => Ok(()),
        }
    }

    fn __repr__(&self) -> String {
        format!("<Sandbox {}>", self.running.url())
    }
}

impl Sandbox {
    /// The sandbox, in the process that it runs in.
    fn running(&self) -> Result<&Arc<sandbox::Sandbox>, Error> {
        if self.process == std::process::id() {
            return Ok(&self.running);
        }
        Err(Error::Configuration(format!(
            "the sandbox at {} runs in the process that started it; make its clients there, before the fork",
            self.running.url()
        )))
    }

    fn let_in(&self, permissions: &[Permission]) -> Result<Client, Error> {
        self.running()?;
        let key = self.key()?;
        let api_key = self.admit(&key.public_key_pem(), permissions)?;
        let settings = Settings::new(BaseUrl::parse(self.running.url(), false)?);
        Ok(Client::over(Road::new(&api_key, key, settings)?))
    }

    fn admit(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, Error> {
        let api_key = self.running()?.add_key(public_key_pem, permissions);
        api_key.map_err(|error| Error::Configuration(error.to_string()))
    }

    /// The private key of this sandbox's clients, made when the first one asks.
    fn key(&self) -> Result<Arc<PrivateKey>, Error> {
        let mut key = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = key.as_ref() {
            return Ok(Arc::clone(key));
        }
        Ok(Arc::clone(key.insert(Arc::new(PrivateKey::generate()?))))
    }
}

async fn stop(running: Arc<sandbox::Sandbox>) -> Result<(), Error> {
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
        let names: Vec<String> = given.extract().map_err(|_| needed())?;
        Ok(Self(names.iter().map(|name| permission(name)).collect::<Result<_, _>>()?))
    }
}

fn permission(name: &str) -> Result<Permission, Violation> {
    Permission::named(name).ok_or_else(|| {
        let names = Permission::ALL.map(Permission::as_str).join(", ");
        Violation::new("permissions", format!("one of {names} is needed, not {name:?}"))
    })
}

fn option<T: TryFrom<i64>>(name: &str, value: i64) -> Result<T, Error> {
    T::try_from(value).map_err(|_| Error::Configuration(format!("{name}={value} is out of range")))
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

    /// The query as it stood in the request line; None where there was none.
    #[getter]
    fn query(&self) -> Option<&str> {
        self.0.query.as_deref()
    }

    /// The body; empty where there was none.
    #[getter]
    fn body(&self) -> &str {
        &self.0.body
    }

    /// The status of the answer.
    #[getter]
    fn status(&self) -> u16 {
        self.0.status
    }

    fn __repr__(&self) -> String {
        let query = self.0.query.as_deref().map(|query| format!("?{query}")).unwrap_or_default();
        format!("<ReceivedRequest {} {}{query} {}>", self.0.method, self.0.path, self.0.status)
    }
}
