//! The client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::prelude::*;

use super::generated::accounts::Accounts;
use super::generated::dca_bots::DcaBots;
use super::generated::grid_bots::GridBots;
use super::generated::smart_trades::SmartTrades;
use super::in_place::run_blocking_connections;
use super::listening::{Hook, Hooks};
use super::options::{self, Budget, Configuration, Given, Options, client_options, option_docs};
use super::private_key::{KeyGiven, Secret, loaded};
use botdesk_client::credentials::account::{Account, Identity};
use botdesk_client::credentials::key_source::KeySource;
use botdesk_client::credentials::stored::Credentials;
use botdesk_client::error::Error;
use botdesk_client::http::pools::names_a_user;
use botdesk_client::http::retry;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::rate_limit;
use botdesk_client::request::base_url::BaseUrl;

/// A client of the service: who asks, and how the service is reached.
///
/// Clients are cheap: those of one process share their connections. They may be used from several threads and event
/// loops at once. `Client.from_env()` and `Client.from_profile(name)` make one from what is written down elsewhere.
///
/// A client from the environment, from a profile or from the path of a key file can be pickled, for worker processes:
/// by reference, so the worker reads the private key itself, and raises `ConfigurationError` if it finds another key,
/// API key or base URL there. Only with the path of a key file does the API key travel in the pickle. A client that
/// holds its private key in memory refuses.
///
/// Args:
///     api_key: The API key.
///     private_key: The RSA private key whose public half the service knows: the path of a PEM file (PKCS#1, PKCS#8 or
///         encrypted PKCS#8), its text or bytes, or a `PrivateKey`.
///     base_url: The address of the service, `https://…`. Plain `http` is for this machine alone.
///     password: The password of an encrypted private key.
///     allow_http: Whether to send everything in the clear to another machine.
#[doc = client_options!(option_docs)]
/// Raises:
///     ConfigurationError: The key, the address or an option can't be used; the message says what to do.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox() as sandbox:
///     ...     client = sandbox.client()
///     ...     client.dca_bots.get(41).id
///     41
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Client {
    road: Arc<HttpClient>,
    origin: Origin,
}

macro_rules! option_methods {
    ($($(#[doc = $doc:literal])* $place:ident.$option:ident: $type:ty;)*) => {
        #[pymethods]
        impl Client {
            #[new]
            #[pyo3(signature = (
                api_key, private_key, *, base_url, password = None, allow_http = false, $($option = Given::left_out()),*
            ))]
            fn new(
                py: Python<'_>,
                api_key: Secret,
                private_key: KeyGiven,
                base_url: Secret,
                password: Option<Secret>,
                allow_http: bool,
                $($option: Given<$type>,)*
            ) -> PyResult<Self> {
                let base_url = BaseUrl::parse(&base_url.0, allow_http).or_py_err()?;
                let client = Self::of_keys(py, api_key, private_key, password, Settings::new(base_url))?;
                client.derive(Options { $($option),* })
            }

            /// Make the same client with other options. Both share their keys and connections.
            ///
            /// What is left out stays as it was.
            ///
            /// Args:
            #[doc = client_options!(option_docs)]
            /// Raises:
            ///     ConfigurationError: An option can't be used.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            ///     ...     patient = sandbox.client().with_options(timeout=120, retries=5)
            ///     ...     patient.dca_bots.get(41).id
            ///     41
            #[pyo3(signature = (*, $($option = Given::left_out()),*))]
            fn with_options(&self, $($option: Given<$type>),*) -> PyResult<Self> {
                self.derive(Options { $($option),* })
            }
        }
    };
}

client_options!(option_methods);

/// Where a client's keys came from, so that another process can read them from there.
#[derive(Clone)]
enum Origin {
    Environment,
    Profile(String),
    /// A key file, opened without a password.
    File {
        api_key: Arc<Secret>,
        path: PathBuf,
    },
    /// A key file whose password only this process knows.
    EncryptedFile,
    Memory,
}

impl Client {
    /// A client over a road that is laid already.
    pub(super) fn over(road: HttpClient) -> Self {
        Self { road: Arc::new(road), origin: Origin::Memory }
    }

    /// The road of the client's calls.
    pub(super) fn road(&self) -> &Arc<HttpClient> {
        &self.road
    }

    fn of_keys(
        py: Python<'_>,
        api_key: Secret,
        private_key: KeyGiven,
        password: Option<Secret>,
        settings: Settings,
    ) -> PyResult<Self> {
        let key = private_key.read(py, password.as_ref())?;
        let road = Arc::new(HttpClient::new(&api_key.0, key, settings).or_py_err()?);
        let origin = match private_key {
            KeyGiven::Source(KeySource::File(_)) if password.is_some() => Origin::EncryptedFile,
            KeyGiven::Source(KeySource::File(path)) => {
                Origin::File { api_key: Arc::new(api_key), path: std::path::absolute(path)? }
            }
            _ => Origin::Memory,
        };
        Ok(Self { road, origin })
    }

    /// Returns the same client with other options.
    fn derive(&self, options: Options) -> PyResult<Self> {
        let mut configuration = self.configuration();
        options.apply(&mut configuration).or_py_err()?;
        let Configuration { settings, hooks } = configuration;
        let road = self.road.with(settings).or_py_err()?.with_listeners(hooks.into_listeners());
        Ok(Self { road: Arc::new(road), origin: self.origin.clone() })
    }

    fn configuration(&self) -> Configuration {
        let hooks = Hooks::of_listeners(self.road.listeners()).cloned().unwrap_or_default();
        Configuration { settings: self.road.settings().clone(), hooks }
    }

    fn of_credentials(py: Python<'_>, access: &Arc<Credentials>, origin: Origin) -> PyResult<Self> {
        let settings = Settings::new(BaseUrl::parse(&access.base_url, false).or_py_err()?);
        let credentials = Arc::clone(access);
        let key = loaded(py, &access.private_key, move || credentials.key())?;
        Ok(Self { road: Arc::new(HttpClient::new(&access.api_key, key, settings).or_py_err()?), origin })
    }
}

#[pymethods]
impl Client {
    /// Make a client from the environment.
    ///
    /// `BOTDESK_API_KEY` is the API key, `BOTDESK_PRIVATE_KEY` the text of the private key's PEM file or
    /// `BOTDESK_PRIVATE_KEY_FILE` its path, `BOTDESK_PRIVATE_KEY_PASSWORD` its password if it has one, and
    /// `BOTDESK_BASE_URL` the address of the service.
    ///
    /// Raises:
    ///     ConfigurationError: A variable is missing, all told at once, or can't be used.
    ///
    /// Example:
    ///     >>> import os
    ///     >>> import botdesk
    ///     >>> os.environ.update(BOTDESK_PRIVATE_KEY_FILE="private.pem")
    ///     >>> try:
    ///     ...     client = botdesk.Client.from_env()
    ///     ... except botdesk.ConfigurationError as error:
    ///     ...     print(error)
    ///     the environment does not set: BOTDESK_API_KEY; BOTDESK_BASE_URL
    #[staticmethod]
    fn from_env(py: Python<'_>) -> PyResult<Self> {
        let access = Arc::new(Credentials::of_process().or_py_err()?);
        Self::of_credentials(py, &access, Origin::Environment)
    }

    /// Make a client from a profile: a table of the file `botdesk/profiles.toml`.
    ///
    /// The file lies in the platform's folder for configuration: `~/.config` on Linux and macOS (or where
    /// `XDG_CONFIG_HOME` says), `%APPDATA%` on Windows. A table `[name]` holds `api_key`, `private_key` (the path of a PEM
    /// file, from the folder of the profiles on, or its text), `password` where the key has one, and `base_url`. It is
    /// refused when others on the machine can read it.
    ///
    /// Args:
    ///     name: The name of the profile.
    ///
    /// Raises:
    ///     ConfigurationError: There is no such profile, others can read the file, or what it says can't be used.
    ///
    /// Example:
    ///     >>> import os, pathlib, tempfile
    ///     >>> import botdesk
    ///     >>> with tempfile.TemporaryDirectory() as folder:
    ///     ...     os.environ.update(XDG_CONFIG_HOME=folder)
    ///     ...     desk = pathlib.Path(folder, "botdesk")
    ///     ...     desk.mkdir()
    ///     ...     botdesk.PrivateKey.generate(bits=2048).save(desk / "private.pem")
    ///     ...     profiles = desk / "profiles.toml"
    ///     ...     profiles.touch(mode=0o600)
    ///     ...     lines = ["[demo]", "api_key = 'k'", "private_key = 'private.pem'", "base_url = 'https://host.example'"]
    ///     ...     _ = profiles.write_text("\n".join(lines))
    ///     ...     client = botdesk.Client.from_profile("demo")
    #[staticmethod]
    fn from_profile(py: Python<'_>, name: String) -> PyResult<Self> {
        let access = Arc::new(Credentials::from_profile(&name).or_py_err()?);
        Self::of_credentials(py, &access, Origin::Profile(name))
    }

    /// What is left of the rate limit; None where there is no limit.
    #[getter]
    fn budget(&self) -> Option<Budget> {
        self.road.budget().map(Budget)
    }

    /// The exchange accounts.
    #[getter]
    fn accounts(&self) -> Accounts {
        Accounts { road: Arc::clone(&self.road) }
    }

    /// The grid bots.
    #[getter]
    fn grid_bots(&self) -> GridBots {
        GridBots { road: Arc::clone(&self.road) }
    }

    /// The SmartTrades.
    #[getter]
    fn smart_trades(&self) -> SmartTrades {
        SmartTrades { road: Arc::clone(&self.road) }
    }

    /// The DCA bots.
    #[getter]
    fn dca_bots(&self) -> DcaBots {
        DcaBots { road: Arc::clone(&self.road) }
    }

    /// Close the client: its idle connections are closed at once, and requests that are not sent yet raise `ConfigurationError`.
    ///
    /// Requests under way go on to their end. A request that waits for the rate limit or for its retry is not sent any more. A call of
    /// several requests, such as an edit, ends before the next one; a bulk run returns the rest as not started.
    /// Records and lists that the client returned can't call the service any more either; clients
    /// made by `with_options` can. Another client with the same connection settings makes new connections at its next call. A client
    /// that is not closed keeps idle connections for 90 seconds; nothing else is lost without closing.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     with sandbox.client() as client:
    ///     ...         client.dca_bots.get(41).id
    ///     41
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.road.close();
        run_blocking_connections(py)
    }

    /// Close the client, as `close` does.
    ///
    /// Example:
    ///     >>> import asyncio
    ///     >>> import botdesk
    ///     >>> async def main():
    ///     ...     async with botdesk.Sandbox() as sandbox, sandbox.client() as client:
    ///     ...         return await client.dca_bots.get_async(41)
    ///     >>> asyncio.run(main()).id
    ///     41
    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn aclose(&self) -> PyResult<()> {
        Python::attach(|py| self.close(py))
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
    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aexit__(&self, _error: Py<PyAny>) -> PyResult<()> {
        Python::attach(|py| self.close(py))
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.get_type::<Self>();
        if self.road.settings().proxy.as_deref().is_some_and(names_a_user) {
            return Err(Error::Configuration(
                "a client whose proxy has a password can't be pickled; name the proxy in HTTPS_PROXY instead"
                    .to_owned(),
            )
            .into_py_err());
        }
        let options = options::keyword_arguments(py, &self.configuration())?;
        let account = PickledAccount::from(self.road.account());
        let (restore, arguments) = match &self.origin {
            Origin::Environment => ("_restore_from_env", (options, account).into_pyobject(py)?.into_any()),
            Origin::Profile(name) => ("_restore_from_profile", (name, options, account).into_pyobject(py)?.into_any()),
            Origin::File { api_key, path } => {
                let base_url = self.road.settings().base_url.to_string();
                let arguments = (api_key.0.as_str(), path, base_url, options, account);
                ("_restore_from_file", arguments.into_pyobject(py)?.into_any())
            }
            Origin::EncryptedFile => {
                return Err(not_by_reference("was given the password of its key file").into_py_err());
            }
            Origin::Memory => return Err(not_by_reference("holds its private key in memory").into_py_err()),
        };
        Ok((class.getattr(restore)?, arguments).into_pyobject(py)?.into_any())
    }

    // An older version of botdesk pickled no account.
    #[staticmethod]
    #[pyo3(signature = (options, account = None))]
    fn _restore_from_env<'py>(
        py: Python<'py>,
        options: &Bound<'py, PyAny>,
        account: Option<PickledAccount>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let access = Arc::new(Credentials::of_process().or_py_err()?);
        restored(Self::of_credentials(py, &access, Origin::Environment)?, options, account, &access.source)
    }

    #[staticmethod]
    #[pyo3(signature = (name, options, account = None))]
    fn _restore_from_profile<'py>(
        py: Python<'py>,
        name: String,
        options: &Bound<'py, PyAny>,
        account: Option<PickledAccount>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let access = Arc::new(Credentials::from_profile(&name).or_py_err()?);
        restored(Self::of_credentials(py, &access, Origin::Profile(name))?, options, account, &access.source)
    }

    #[staticmethod]
    #[pyo3(signature = (api_key, path, base_url, options, account = None))]
    fn _restore_from_file<'py>(
        py: Python<'py>,
        api_key: Secret,
        path: PathBuf,
        base_url: Secret,
        options: &Bound<'py, PyAny>,
        account: Option<PickledAccount>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = format!("the private key {}", path.display());
        let key = KeyGiven::Source(KeySource::File(path));
        // Plain http was allowed, or not, when the client was made.
        let settings = Settings::new(BaseUrl::parse(&base_url.0, true).or_py_err()?);
        restored(Self::of_keys(py, api_key, key, None, settings)?, options, account, &source)
    }

    fn __repr__(&self) -> String {
        format!("<Client {} key {}>", self.road.settings().base_url, self.road.key().fingerprint())
    }
}

/// The account of a client, as a pickle holds it: the base URL, the fingerprint and the digest of the API key.
#[derive(IntoPyObject, FromPyObject)]
struct PickledAccount(String, String, String);

impl From<Account> for PickledAccount {
    fn from(Account { identity: Identity { service, key }, api_key_digest }: Account) -> Self {
        Self(service, key, api_key_digest)
    }
}

impl From<PickledAccount> for Account {
    fn from(PickledAccount(service, key, api_key_digest): PickledAccount) -> Self {
        Self { identity: Identity { service, key }, api_key_digest }
    }
}

/// Returns a client that was pickled, if it is of the same account here, with the options that it had.
fn restored<'py>(
    client: Client,
    options: &Bound<'py, PyAny>,
    account: Option<PickledAccount>,
    source: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(account) = account.map(Account::from) else {
        return Err(Error::Configuration(
            "this client was pickled by an older version of botdesk, which did not note its account; pickle it again"
                .to_owned(),
        )
        .into_py_err());
    };
    account.check_restored(&client.road.account(), source).or_py_err()?;
    Bound::new(options.py(), client)?.call_method("with_options", (), Some(options.cast()?))
}

fn not_by_reference(why: &str) -> Error {
    Error::Configuration(format!(
        "this client {why}, so it can't be pickled: a secret would travel; make it with Client.from_env(), \
         Client.from_profile(name) or Client(api_key, \"private.pem\", …), or make it inside of the worker"
    ))
}
