//! Recordings and replays.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::raise::OrPyErr as _;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_union};

use super::arguments::FilePath;
use super::arguments::sequence;
use super::bridge::{spawned, wait_for_task};
use super::client::Client;
use super::exceptions::{CatchException, RustResult};
use super::local_server::LocalServer;
use super::protocols::{cast, is_sequence};
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::error::Error;
use botdesk_client::http::recorder::Recorder;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::process::PerProcess;
use botdesk_client::request::base_url::BaseUrl;
use botdesk_recording::{self, Cassette, RecordingError, Target};
use botdesk_system::lock::locked;

/// Record what clients ask and are answered, for the length of a `with` or `async with` block.
///
/// At the end of the block the exchanges are written as HAR 1.2, which browsers and proxies open and `Replay` serves.
/// Secrets are taken out before: keys, signatures, `url_secret`, addresses and their kin become placeholders such as
/// `<api_key-1>`, the same secret the same placeholder, wherever it turns up. A block that raises is written as well.
/// A request that is still on its way when the block ends is written without its answer.
///
/// Args:
///     path: The file to write. Only its owner may read it.
///     client: The client, or a list of clients; their records take part.
///     overwrite: Whether the file may take the place of another one.
///     reproducible: Whether the same exchanges give the same bytes: times, durations and the port are fixed.
///
/// Returns:
///     The recording, to be entered.
///
/// Raises:
///     RecordingError: There is such a file already, it can't be written, or a client is being recorded already. At
///         the end of the block: a secret would stand in the file in a form that can't be taken out, so that nothing
///         was written.
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
pub(super) fn record(path: FilePath, client: Clients, overwrite: bool, reproducible: bool) -> PyResult<Recording> {
    let target = Target { path: path.0, overwrite, reproducible };
    target.check().or_py_err()?;
    let process = std::process::id();
    let session = Session { process, target, roads: client.0, recorder: Arc::default(), state: Mutex::default() };
    Ok(Recording(Arc::new(session)))
}

/// One client or several.
pub(super) struct Clients(Vec<Arc<HttpClient>>);

impl<'py> FromPyObject<'_, 'py> for Clients {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(Client::TYPE_HINT, sequence(&Client::TYPE_HINT));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let unusable = || PyTypeError::new_err("client must be a botdesk.Client or a list of them");
        if let Some(client) = cast::<Client>(&given) {
            return Ok(Self(vec![Arc::clone(client.get().road())]));
        }
        if !is_sequence(&given).none_if_exception(given.py())?.unwrap_or(false) {
            return Err(unusable());
        }
        let mut roads: Vec<Arc<HttpClient>> = Vec::new();
        for client in given.try_iter()? {
            let road = Arc::clone(cast::<Client>(&client?).ok_or_else(unusable)?.get().road());
            if !roads.iter().any(|other| Arc::ptr_eq(other, &road)) {
                roads.push(road);
            }
        }
        Ok(Self(roads))
    }
}

/// A recording: begun when its block is entered, written when it is left.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Recording(Arc<Session>);

/// What is recorded, and where it goes.
struct Session {
    /// The process that records; a forked child writes nothing.
    process: u32,
    target: Target,
    roads: Vec<Arc<HttpClient>>,
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

    /// How many exchanges were begun so far; after the block, how many were written.
    #[getter]
    fn exchanges(&self) -> usize {
        self.0.recorder.len()
    }

    fn __enter__(this: Py<Self>) -> PyResult<Py<Self>> {
        this.get().0.begin().or_py_err()?;
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
        this.get().0.begin().or_py_err()?;
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
        format!("<Recording {} exchanges={}>", self.0.target.path.display(), self.0.recorder.len())
    }
}

impl Session {
    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    fn begin(&self) -> Result<(), RecordingError> {
        self.target.check()?;
        let mut state = self.state();
        if *state != State::New {
            let message = "a recording is entered once; call botdesk.record again for another".to_owned();
            return Err(RecordingError::Misused(message));
        }
        for (index, road) in self.roads.iter().enumerate() {
            if !road.start_recording(&self.recorder) {
                self.roads.iter().take(index).for_each(|road| road.stop_recording());
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
        self.roads.iter().for_each(|road| road.stop_recording());
        self.target.save(self.recorder.finish())
    }
}

/// What a block ends with: its own error, with a note of what else went wrong, or that.
fn unless_raised(error: &Bound<'_, PyAny>, ended: Result<(), RecordingError>) -> PyResult<()> {
    match ended {
        Err(ended) if !error.is_none() => {
            error.call_method1("add_note", (format!("botdesk: {ended}"),))?;
            Ok(())
        }
        ended => Ok(ended.or_py_err()?),
    }
}

/// The key of all replays of this process: making one takes long, and no replay is worth a secret of its own.
static KEY: PerProcess<Arc<PrivateKey>> = PerProcess::new();

/// A recorded fixture server: it answers on a loopback port what was answered when a HAR file was recorded.
///
/// A request is known by its method, path, query (in any order) and JSON body (members in any order, numbers by their
/// decimal value). Each recorded answer is given once, in the order of the recording; when all are given, a `GET` gets
/// the last one again, and a write does not. A request that was not recorded raises `ApiError` (421, `not_recorded`),
/// whose message names the nearest one that was and what differs. A placeholder in a recorded request stands for any
/// value. Where no answer was recorded, the connection ends without one. Signatures are checked.
///
/// Files that browsers and proxies wrote load as well: requests to other paths than `/public/api/…` are passed over, and
/// the secrets in them taken out in memory. A file of botdesk's own that holds a secret is refused. No file is changed.
///
/// Args:
///     path: The HAR file.
///     strict: Whether leaving the `with` block raises when something recorded was never asked for.
///
/// Raises:
///     RecordingError: The file can't be read, is no HAR, or holds a secret. When a strict block ends: something
///         recorded was never asked for.
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
            started.map_rust_err(|error| Error::Configuration(format!("no port can be listened on: {error}")))
        })?;
        Ok(Self { server: LocalServer::new(running), path, strict })
    }

    /// The address of the server, `http://127.0.0.1:PORT`.
    #[getter]
    fn url(&self) -> &str {
        self.server.even_if_forked().url()
    }

    /// What was recorded and never asked for so far, such as `GET /public/api/ver1/bots?limit=5`.
    #[getter]
    fn unused(&self) -> PyResult<Vec<String>> {
        Ok(self.running().or_py_err()?.unused())
    }

    /// Make a client of the server, with a key of its own.
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
        py.detach(|| self.let_in()).or_py_err()
    }

    /// Let the holder of a private key in, for a script that makes its client itself.
    ///
    /// Args:
    ///     public_key_pem: The public half of the key, in PEM.
    ///
    /// Returns:
    ///     A fresh API key.
    ///
    /// Raises:
    ///     ConfigurationError: The text is not the public half of an RSA key.
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

    /// Stop the server and free its port. A server that is stopped stays so. It raises nothing, strict or not.
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
        format!("<Replay {} {}>", self.path.display(), self.url())
    }
}

impl Replay {
    /// The server, in the process that it runs in.
    fn running(&self) -> Result<&Arc<botdesk_recording::ReplayServer>, Error> {
        self.server.get().ok_or_else(|| {
            Error::Configuration(format!(
                "the replay at {} runs in the process that started it; make its clients there, before the fork",
                self.url()
            ))
        })
    }

    fn let_in(&self) -> Result<Client, Error> {
        let running = self.running()?;
        let key = KEY.get_or_try_init(|| PrivateKey::generate(2_048).map(Arc::new))?;
        let api_key = running.add_key(&key.public_key_pem());
        let api_key = api_key.map_rust_err(|error| Error::Configuration(error.to_string()))?;
        let settings = Settings { rate_limit: None, ..Settings::new(BaseUrl::parse(running.url(), false)?) };
        let server = Arc::clone(&self.server);
        Ok(Client::over(HttpClient::new(&api_key, Arc::clone(key), settings)?.with_server(server)))
    }

    /// Refuses that something is left over, unless the block failed by itself.
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
