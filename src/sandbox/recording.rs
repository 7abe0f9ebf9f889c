//! Recordings and replays.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::hints::input_type;
use crate::raise::OrPyErr as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments::FilePath;
use crate::client::Client;
use crate::exceptions::{CatchException, RustResult};
use crate::protocols::{cast, is_sequence};
use crate::runtime::bridge::{spawned, wait_for_task};
use crate::sandbox::local_server::LocalServer;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::error::Error;
use botdesk_client::http::recorder::Recorder;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::process::PerProcess;
use botdesk_client::request::base_url::BaseUrl;
use botdesk_recording::{self, Cassette, RecordingError, Target};
use botdesk_schema::key_text::shown_path;
use botdesk_system::lock::locked;

/// Record the requests and responses of clients during a `with` or `async with` block.
///
/// At the end of the block they are written as HAR 1.2, which browsers and proxies open and `Replay` serves. Secrets are
/// redacted first: keys, signatures, `url_secret`, deposit addresses and the like become placeholders such as
/// `<api_key-1>`. The same secret becomes the same placeholder everywhere. A block that raises is written as well. A
/// request in flight at the end of the block is written without a response.
///
/// Args:
///     path: The file to write. Only its owner may read it.
///     client: The client, or a list of clients. The calls of their records are recorded as well.
///     overwrite: True to replace an existing file.
///     reproducible: True to write the same bytes for the same exchanges, with a fixed time, duration and port.
///
/// Returns:
///     The recording, for the `with` statement.
///
/// Raises:
///     RecordingError: The file exists, it can't be written, or a client is being recorded already. At the end of the
///         block: nothing was written, because a secret is in a form that can't be redacted.
///
/// Example:
///     >>> import tempfile
///     >>> import botdesk
///     >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
///     ...     client = sandbox.client()
///     ...     with botdesk.record(f"{folder}/desk.har", client) as recording:
///     ...         bot = client.dca_bots.get(41)
///     ...         recording.exchanges
///     ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
///     ...         replay.client().dca_bots.get(41).name == bot.name
///     1
///     True
#[pyfunction]
#[pyo3(signature = (path, client, *, overwrite = false, reproducible = false))]
pub(crate) fn record(path: FilePath, client: Clients, overwrite: bool, reproducible: bool) -> PyResult<Recording> {
    let target = Target { path: path.0, overwrite, reproducible };
    target.check().or_py_err()?;
    let process = std::process::id();
    let session = Session { process, target, clients: client.0, recorder: Arc::default(), state: Mutex::default() };
    Ok(Recording(Arc::new(session)))
}

/// One client or several.
pub(crate) struct Clients(Vec<Arc<HttpClient>>);

impl<'py> FromPyObject<'_, 'py> for Clients {
    type Error = PyErr;

    input_type!(type_hint_union!(Client::TYPE_HINT, sequence(&Client::TYPE_HINT)));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let unusable = || PyTypeError::new_err("client must be a botdesk.Client or a list of them");
        if let Some(client) = cast::<Client>(&given) {
            return Ok(Self(vec![Arc::clone(client.get().http())]));
        }
        if !is_sequence(&given).none_if_exception(given.py())?.unwrap_or(false) {
            return Err(unusable());
        }
        let mut clients: Vec<Arc<HttpClient>> = Vec::new();
        for client in given.try_iter()? {
            let client = Arc::clone(cast::<Client>(&client?).ok_or_else(unusable)?.get().http());
            if !clients.iter().any(|other| Arc::ptr_eq(other, &client)) {
                clients.push(client);
            }
        }
        Ok(Self(clients))
    }
}

/// A recording, which starts with its block and is written at the end of it.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Recording(Arc<Session>);

/// The state of a recording.
struct Session {
    /// The process that records; a forked child writes nothing.
    process: u32,
    target: Target,
    clients: Vec<Arc<HttpClient>>,
    recorder: Arc<Recorder>,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    New,
    Running,
    Ended,
}

#[pymethods]
impl Recording {
    /// The file that is written.
    #[getter]
    fn path(&self) -> PathBuf {
        self.0.target.path.clone()
    }

    /// The number of exchanges so far; after the block, the number of written ones.
    #[getter]
    fn exchanges(&self) -> usize {
        self.0.recorder.len()
    }

    fn __enter__(this: Py<Self>) -> PyResult<Py<Self>> {
        this.get().0.start().or_py_err()?;
        Ok(this)
    }

    #[pyo3(signature = (_class: "object", error: "object", _traceback: "object") -> "None")]
    fn __exit__(
        &self,
        py: Python<'_>,
        _class: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let saved = py.detach(|| self.0.end());
        unless_raised(error, saved)
    }

    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aenter__(this: Py<Self>) -> PyResult<Py<Self>> {
        this.get().0.start().or_py_err()?;
        Ok(this)
    }

    #[pyo3(signature = (_class: "object", error: "object", _traceback: "object") -> "None")]
    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aexit__(&self, _class: Py<PyAny>, error: Py<PyAny>, _traceback: Py<PyAny>) -> PyResult<()> {
        let session = Arc::clone(&self.0);
        let saved = spawned(async move { Ok::<_, RecordingError>(session.end()) }).await?;
        Python::attach(|py| unless_raised(error.bind(py), saved))
    }

    fn __repr__(&self) -> String {
        format!("<Recording {} exchanges={}>", shown_path(&self.0.target.path), self.0.recorder.len())
    }
}

impl Session {
    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    fn start(&self) -> Result<(), RecordingError> {
        self.target.check()?;
        let mut state = self.state();
        if *state != State::New {
            let message = "a recording is entered once; call botdesk.record again for another".to_owned();
            return Err(RecordingError::Misused(message));
        }
        for (index, client) in self.clients.iter().enumerate() {
            if !client.start_recording(&self.recorder) {
                self.clients.iter().take(index).for_each(|client| client.stop_recording());
                let message = "the client is being recorded already; leave that block first".to_owned();
                return Err(RecordingError::Misused(message));
            }
        }
        *state = State::Running;
        Ok(())
    }

    fn end(&self) -> Result<(), RecordingError> {
        if self.process != std::process::id() {
            return Ok(());
        }
        let was = std::mem::replace(&mut *self.state(), State::Ended);
        if was != State::Running {
            return Ok(());
        }
        self.clients.iter().for_each(|client| client.stop_recording());
        let secrets: Vec<&str> = self.clients.iter().filter_map(|client| client.key().shared_secret()).collect();
        self.target.save(self.recorder.finish(), &secrets)
    }
}

/// Raises the error of writing the recording, or adds it as a note to the error of the block itself.
fn unless_raised(error: &Bound<'_, PyAny>, ended: Result<(), RecordingError>) -> PyResult<()> {
    match ended {
        Err(ended) if !error.is_none() => {
            error.call_method1("add_note", (format!("botdesk: {ended}"),))?;
            Ok(())
        }
        ended => Ok(ended.or_py_err()?),
    }
}

/// The key of all replays of this process, because generating one takes long and replays protect nothing.
static KEY: PerProcess<Arc<PrivateKey>> = PerProcess::new();

/// A local server that sends the responses of a HAR file, on a loopback port.
///
/// A request is matched by its method, path, query (in any order) and JSON body (members in any order, numbers by their
/// decimal value). Each recorded response is sent once, in the order of the recording. After the last one, a `GET` gets
/// it again, and a write does not. A request that was not recorded raises `ApiError` (421, `not_recorded`), whose message
/// names the nearest recorded request and the differences. A placeholder in a recorded request matches any value. If no
/// response was recorded, the connection closes without one. Signatures are verified.
///
/// Files from browsers and proxies load as well: requests to other paths than `/public/api/…` are skipped, and secrets
/// are redacted in memory. A file from botdesk that contains a secret is rejected. No file is changed.
///
/// Args:
///     path: The HAR file.
///     strict: True to raise at the end of the `with` block if a recorded request was not made.
///
/// Raises:
///     RecordingError: The file can't be read, is not HAR, or contains a secret. At the end of a strict block: a
///         recorded request was not made.
///
/// Example:
///     >>> import tempfile
///     >>> import botdesk
///     >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
///     ...     client = sandbox.client()
///     ...     with botdesk.record(f"{folder}/desk.har", client):
///     ...         name = client.dca_bots.get(41).name
///     ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
///     ...         replay.client().dca_bots.get(41).name == name
///     ...         try:
///     ...             replay.client().dca_bots.get(42)
///     ...         except botdesk.ApiError as error:
///     ...             error.error
///     True
///     'not_recorded'
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Replay {
    server: Arc<LocalServer<botdesk_recording::ReplayServer>>,
    path: PathBuf,
    strict: bool,
}

#[pymethods]
impl Replay {
    #[new]
    #[pyo3(signature = (path, *, strict = false))]
    fn new(py: Python<'_>, path: FilePath, strict: bool) -> PyResult<Self> {
        let path = path.0;
        let cassette = py.detach(|| Cassette::load(&path)).or_py_err()?;
        let running = wait_for_task(py, async move {
            let started = botdesk_recording::ReplayServer::start(cassette).await;
            started.map_rust_err(|error| Error::Configuration(format!("can't listen on a port: {error}")))
        })?;
        Ok(Self { server: LocalServer::new(running), path, strict })
    }

    /// The base URL of the server, `http://127.0.0.1:PORT`.
    #[getter]
    fn url(&self) -> &str {
        self.server.even_if_forked().url()
    }

    /// The recorded requests that were not made yet, such as `GET /public/api/ver1/bots?limit=5`.
    #[getter]
    fn unused(&self) -> PyResult<Vec<String>> {
        Ok(self.running().or_py_err()?.unused())
    }

    /// Create a client of the server with a new API key.
    ///
    /// Example:
    ///     >>> import tempfile
    ///     >>> import botdesk
    ///     >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
    ///     ...     client = sandbox.client()
    ///     ...     with botdesk.record(f"{folder}/desk.har", client):
    ///     ...         bot = client.dca_bots.get(41)
    ///     ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
    ///     ...         replay.client().dca_bots.get(41).id
    ///     41
    fn client(&self, py: Python<'_>) -> PyResult<Client> {
        let http = py.detach(|| self.http_client()).or_py_err()?;
        Client::over(py, http)
    }

    /// Register a public key, for a script that creates its own client.
    ///
    /// Args:
    ///     public_key_pem: An RSA public key in PEM.
    ///
    /// Returns:
    ///     A new API key for it.
    ///
    /// Raises:
    ///     ConfigurationError: The string is not an RSA public key in PEM.
    ///
    /// Example:
    ///     >>> import tempfile
    ///     >>> import botdesk
    ///     >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
    ///     ...     client = sandbox.client()
    ///     ...     with botdesk.record(f"{folder}/desk.har", client):
    ///     ...         pass
    ///     ...     with botdesk.Replay(f"{folder}/desk.har") as replay:
    ///     ...         try:
    ///     ...             api_key = replay.add_key("-----BEGIN CERTIFICATE-----")
    ///     ...         except botdesk.ConfigurationError as error:
    ///     ...             print(error)
    ///     the public key is not PEM; it must begin with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----
    fn add_key(&self, public_key_pem: &str) -> PyResult<String> {
        let api_key = self.running().or_py_err()?.add_key(public_key_pem);
        api_key.map_rust_err(|error| Error::Configuration(error.to_string())).or_py_err()
    }

    /// Stop the server for good, and free its port. It raises nothing, even if the replay is strict.
    ///
    /// Example:
    ///     >>> import tempfile
    ///     >>> import botdesk
    ///     >>> with tempfile.TemporaryDirectory() as folder, botdesk.Sandbox() as sandbox:
    ///     ...     client = sandbox.client()
    ///     ...     with botdesk.record(f"{folder}/desk.har", client):
    ///     ...         pass
    ///     ...     replay = botdesk.Replay(f"{folder}/desk.har")
    ///     ...     replay.close()
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.running().rust_ok() {
            Some(running) => wait_for_task(py, stop(Arc::clone(running))),
            None => Ok(()),
        }
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (_class: "object", error: "object", _traceback: "object") -> "None")]
    fn __exit__(
        &self,
        py: Python<'_>,
        _class: &Bound<'_, PyAny>,
        error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.close(py)?;
        self.check(error.is_none())
    }

    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aenter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (_class: "object", error: "object", _traceback: "object") -> "None")]
    async fn __aexit__(&self, _class: Py<PyAny>, error: Py<PyAny>, _traceback: Py<PyAny>) -> PyResult<()> {
        if let Some(running) = self.running().rust_ok() {
            spawned(stop(Arc::clone(running))).await?;
        }
        let went_well = Python::attach(|py| error.is_none(py));
        self.check(went_well)
    }

    fn __repr__(&self) -> String {
        format!("<Replay {} {}>", shown_path(&self.path), self.url())
    }
}

impl Replay {
    /// Returns the server; fails in a forked child.
    fn running(&self) -> Result<&Arc<botdesk_recording::ReplayServer>, Error> {
        self.server.get().ok_or_else(|| {
            Error::Configuration(format!(
                "the replay at {} runs in the process that started it; create its clients there, before the fork",
                self.url()
            ))
        })
    }

    fn http_client(&self) -> Result<HttpClient, Error> {
        let running = self.running()?;
        let key = KEY.get_or_try_init(|| PrivateKey::generate(2_048).map(Arc::new))?;
        let api_key = running.add_key(&key.public_key_pem());
        let api_key = api_key.map_rust_err(|error| Error::Configuration(error.to_string()))?;
        let settings = Settings { rate_limit: None, ..Settings::new(BaseUrl::parse(running.url(), false)?) };
        let server = Arc::clone(&self.server);
        Ok(HttpClient::new(&api_key, Arc::clone(key), settings)?.with_server(server))
    }

    /// Fails if a recorded request was not made, unless the block itself failed.
    fn check(&self, went_well: bool) -> PyResult<()> {
        match self.running().rust_ok() {
            Some(running) if self.strict && went_well => Ok(running.check_all_used().or_py_err()?),
            _ => Ok(()),
        }
    }
}

async fn stop(running: Arc<botdesk_recording::ReplayServer>) -> Result<(), Error> {
    running.stop();
    running.port_freed().await;
    Ok(())
}
