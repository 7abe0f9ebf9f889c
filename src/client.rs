//! The Python class of the client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::options::{self, Budget, Configuration, OptionArgument, Options, client_options, option_docs};
use crate::private_key::{ApiSecretArgument, PrivateKeyArgument, Secret, loaded, read_key};
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use crate::runtime::hooks::{Hook, Hooks};
use crate::runtime::inline_runtime::end_closed_connections;
use botdesk_client::credentials::account::{ClientAccount, Identity};
use botdesk_client::credentials::key_source::KeySource;
use botdesk_client::credentials::signing_key::SigningKey;
use botdesk_client::credentials::stored::Credentials;
use botdesk_client::error::Error;
use botdesk_client::http::pools::names_a_user;
use botdesk_client::http::retry;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::rate_limit;
use botdesk_client::request::base_url::{BaseUrl, PUBLISHED};
use botdesk_client::request::stream_url::StreamUrl;
use botdesk_schema::key_text::{shown, shown_path};
use botdesk_schema::mode::Mode;

/// A client of the service, with an API key, a private key or a secret, and settings.
///
/// The service has two kinds of API keys. It makes a system-generated one itself, with a secret that it displays once: pass it as
/// `secret`, and requests are signed with HMAC-SHA256. For a self-generated one, it has the public half of an RSA key pair: pass
/// the private half as `private_key`.
///
/// Clients are cheap, because the clients of a process share their connections. A client may be used from several threads
/// and event loops at once. `Client.from_env()` reads the keys from the environment, `Client.from_profile(name)` from the
/// profiles file.
///
/// A client from the environment, from a profile or from the path of a key file can be pickled for worker processes. The
/// private key or the secret is not in the pickle: the worker reads it itself, and raises `ConfigurationError` if it finds
/// another private key, API key or base URL. The API key is in the pickle only if the client was created with the path of a
/// key file. A client whose private key or secret was passed itself can't be pickled.
///
/// Args:
///     api_key: The API key.
///     private_key: The RSA private key of a self-generated API key: the path of a PEM file (PKCS#1, PKCS#8 or encrypted
///         PKCS#8), the content of one as `str` or `bytes`, or a `PrivateKey`.
///     secret: The secret of a system-generated API key, in place of a private key. White space around it is removed, with a
///         warning.
///     base_url: The URL of the service, by default the published one, `https://api.3commas.io`. Plain `http` is accepted only
///         for this machine.
///     password: The password of an encrypted private key.
///     allow_http: True to send everything unencrypted to another machine.
#[doc = client_options!(option_docs)]
/// Raises:
///     ConfigurationError: The key, the URL or an option is invalid, or both kinds of key are given, or none; the message says
///         what to do.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox() as sandbox:
///     ...     client = sandbox.client()
///     ...     client.dca_bots.get(41).id
///     41
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Client {
    http: Arc<HttpClient>,
    origin: Origin,
}

macro_rules! option_methods {
    ($($(#[doc = $doc:literal])* $place:ident.$option:ident: $type:ty;)*) => {
        #[pymethods]
        impl Client {
            #[new]
            #[pyo3(signature = (
                api_key, private_key = None, *, secret = None, base_url = published_base_url(), password = None, allow_http = false,
                $($option = OptionArgument::left_out()),*
            ))]
            fn new(
                py: Python<'_>,
                api_key: Secret,
                private_key: Option<PrivateKeyArgument>,
                secret: Option<ApiSecretArgument>,
                base_url: Secret,
                password: Option<Secret>,
                allow_http: bool,
                $($option: OptionArgument<$type>,)*
            ) -> PyResult<Self> {
                let settings = Settings::new(BaseUrl::parse(&base_url.0, allow_http).or_py_err()?);
                let client = match one_key(private_key, secret, password.is_some()).or_py_err()? {
                    OneKey::PrivateKey(key) => Self::of_keys(py, api_key, key, password, settings)?,
                    OneKey::Secret(secret) => Self::of_secret(py, &api_key, secret, settings)?,
                };
                client.derive(Options { $($option),* })
            }

            /// Return a client with other options that shares this one's keys and connections.
            ///
            /// Options that are left out keep their values.
            ///
            /// Args:
            #[doc = client_options!(option_docs)]
            /// Raises:
            ///     ConfigurationError: An option is invalid.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            ///     ...     patient = sandbox.client().with_options(timeout=120, retries=5)
            ///     ...     patient.dca_bots.get(41).id
            ///     41
            #[pyo3(signature = (*, $($option = OptionArgument::left_out()),*))]
            fn with_options(&self, $($option: OptionArgument<$type>),*) -> PyResult<Self> {
                self.derive(Options { $($option),* })
            }
        }
    };
}

client_options!(option_methods);

/// The source of a client's keys, from which another process can read them.
#[derive(Clone)]
enum Origin {
    Environment,
    Profile(String),
    /// A key file without a password.
    File {
        api_key: Arc<Secret>,
        path: PathBuf,
    },
    /// A key file whose password only this process knows.
    EncryptedFile,
    Memory,
    /// No credentials.
    Public,
}

impl Client {
    /// Returns a client that sends its requests with this HTTP client.
    pub(super) fn over(py: Python<'_>, http: HttpClient) -> PyResult<Self> {
        Self::of_origin(py, http, Origin::Memory)
    }

    /// Returns a client whose keys have this origin.
    fn of_origin(py: Python<'_>, http: HttpClient, origin: Origin) -> PyResult<Self> {
        // An import that fails after a write would lose its outcome, and a child that is forked during one would wait for it forever.
        static RESULTS: ForkSafeLazy = ForkSafeLazy::new("botdesk._results", &[]);
        RESULTS.get(py)?;
        Ok(Self { http: Arc::new(http), origin })
    }

    /// Returns the HTTP client.
    pub(super) fn http(&self) -> &Arc<HttpClient> {
        &self.http
    }

    fn of_keys(
        py: Python<'_>,
        api_key: Secret,
        private_key: PrivateKeyArgument,
        password: Option<Secret>,
        settings: Settings,
    ) -> PyResult<Self> {
        let key = private_key.read(py, password.as_ref())?;
        let http = HttpClient::new(&api_key.0, key, settings).or_py_err()?;
        let origin = match private_key {
            PrivateKeyArgument::Source(KeySource::File(_)) if password.is_some() => Origin::EncryptedFile,
            PrivateKeyArgument::Source(KeySource::File(path)) => {
                Origin::File { api_key: Arc::new(api_key), path: std::path::absolute(path)? }
            }
            _ => Origin::Memory,
        };
        Self::of_origin(py, http, origin)
    }

    fn of_secret(py: Python<'_>, api_key: &Secret, secret: ApiSecretArgument, settings: Settings) -> PyResult<Self> {
        let key = read_key(py, secret.0.read(&api_key.0))?;
        Self::over(py, HttpClient::new(&api_key.0, key, settings).or_py_err()?)
    }

    /// Returns the same client with other options.
    fn derive(&self, options: Options) -> PyResult<Self> {
        let mut configuration = self.configuration();
        options.apply(&mut configuration).or_py_err()?;
        let Configuration { settings, hooks } = configuration;
        let settings = settings.with_plan().or_py_err()?;
        let http = self.http.with_settings(settings).or_py_err()?.with_listeners(hooks.into_listeners());
        Ok(Self { http: Arc::new(http), origin: self.origin.clone() })
    }

    fn configuration(&self) -> Configuration {
        let hooks = Hooks::of_listeners(self.http.listeners()).cloned().unwrap_or_default();
        Configuration { settings: self.http.settings().clone(), hooks }
    }

    fn of_credentials(py: Python<'_>, access: &Arc<Credentials>, origin: Origin) -> PyResult<Self> {
        let base_url = BaseUrl::parse(&access.base_url, false).or_py_err()?;
        let settings = Settings { mode: access.mode, ..Settings::new(base_url) };
        let credentials = Arc::clone(access);
        let key = loaded(py, access.key.may_wait(), move || credentials.key())?;
        let mut http = HttpClient::new(&access.api_key, key, settings).or_py_err()?;
        if let Origin::Profile(name) = &origin {
            http = http.with_profile(name);
        }
        Self::of_origin(py, http, origin)
    }
}

#[pymethods]
impl Client {
    /// Create a client from environment variables.
    ///
    /// `BOTDESK_API_KEY` is the API key. For a system-generated one, `BOTDESK_SECRET` is its secret. For a self-generated one,
    /// `BOTDESK_PRIVATE_KEY` is the private key in PEM, or `BOTDESK_PRIVATE_KEY_FILE` the path of its file, and
    /// `BOTDESK_PRIVATE_KEY_PASSWORD` the password of an encrypted key. `BOTDESK_BASE_URL` is the URL of the service, by default
    /// the published one, `https://api.3commas.io`. `BOTDESK_MODE` is the mode, `paper` or `real`, if there is one.
    ///
    /// Raises:
    ///     ConfigurationError: A variable is missing or invalid, or there are two keys; the message lists all that are missing.
    ///
    /// Example:
    ///     >>> import os
    ///     >>> import botdesk
    ///     >>> os.environ.update(BOTDESK_PRIVATE_KEY_FILE="private.pem")
    ///     >>> try:
    ///     ...     client = botdesk.Client.from_env()
    ///     ... except botdesk.ConfigurationError as error:
    ///     ...     print(error)
    ///     the environment does not set: BOTDESK_API_KEY; the command botdesk init ...
    #[staticmethod]
    pub(super) fn from_env(py: Python<'_>) -> PyResult<Self> {
        let access = Arc::new(Credentials::of_process().or_py_err()?);
        Self::of_credentials(py, &access, Origin::Environment)
    }

    /// Create a client from a profile: a table of the file `botdesk/profiles.toml`.
    ///
    /// The file is in the configuration folder of the platform: `XDG_CONFIG_HOME` or `~/.config` on Linux and macOS,
    /// `%APPDATA%` on Windows. A table `[name]` has `api_key`; `secret`, or `private_key` (the path of a PEM file, relative to the
    /// profiles file, or the content of one) with `password` if the key has one; `base_url`, by default the published one; and
    /// `mode`, `paper` or `real`, if the client has one. The file is rejected if other users of the machine can read it.
    ///
    /// Args:
    ///     name: The name of the profile; by default that of the variable `BOTDESK_PROFILE`, otherwise the default profile of the
    ///         file, which `botdesk profile default` sets.
    ///
    /// Raises:
    ///     ConfigurationError: The profile does not exist, none is chosen, other users can read the file, or its content is invalid.
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
    #[pyo3(signature = (name = None))]
    pub(super) fn from_profile(py: Python<'_>, name: Option<String>) -> PyResult<Self> {
        let (name, access) = Credentials::from_profile(name).or_py_err()?;
        Self::of_credentials(py, &Arc::new(access), Origin::Profile(name))
    }

    /// Create a client without credentials, for what needs none: market data.
    ///
    /// Calls that need an API key raise `ConfigurationError`, and nothing is sent. The requests count for a rate limit of their own.
    ///
    /// Args:
    ///     base_url: The URL of the service, by default the published one, `https://api.3commas.io`. Plain `http` is accepted only
    ///         for this machine.
    ///     allow_http: True to send everything unencrypted to another machine.
    ///
    /// Returns:
    ///     The client. `with_options` gives it other options.
    ///
    /// Raises:
    ///     ConfigurationError: The URL is invalid.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     client = botdesk.Client.public(base_url=sandbox.url)
    ///     ...     "USDT_BTC" in client.markets.pairs("demo_spot")
    ///     True
    #[staticmethod]
    #[pyo3(signature = (*, base_url = published_base_url(), allow_http = false))]
    fn public(base_url: Secret, allow_http: bool) -> PyResult<Self> {
        let settings = Settings::new(BaseUrl::parse(&base_url.0, allow_http).or_py_err()?);
        Ok(Self { http: Arc::new(HttpClient::public(settings)), origin: Origin::Public })
    }

    /// The used and the remaining part of the rate limit; None without a limit.
    #[getter]
    fn budget(&self, py: Python<'_>) -> Option<Budget> {
        // A server that counts is asked.
        py.detach(|| self.http.budget()).map(Budget)
    }

    /// Close the client: its idle connections are closed at once, and requests that are not sent yet raise `ConfigurationError`.
    ///
    /// Requests in flight are completed. A request that waits for the rate limit or for a retry is not sent. A call of several
    /// requests, such as an edit, ends before the next one; a bulk run returns the rest as not started. Records and lists that
    /// the client returned can't call the service any more; clients from `with_options` can. Other clients with the same
    /// connection settings make new connections at their next call. Closing is optional: idle connections of an open client
    /// are closed after 90 seconds.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     with sandbox.client() as client:
    ///     ...         client.dca_bots.get(41).id
    ///     41
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.http.close();
        end_closed_connections(py)
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
        if self.http.settings().proxy.as_deref().is_some_and(names_a_user) {
            return Err(Error::Configuration(
                "a client whose proxy has a password can't be pickled; name the proxy in HTTPS_PROXY instead"
                    .to_owned(),
            )
            .into_py_err());
        }
        let options = options::keyword_arguments(py, &self.configuration())?;
        let account = PickledAccount::from(self.http.account());
        let (restore, arguments) = match &self.origin {
            Origin::Environment => ("_restore_from_env", (options, account).into_pyobject(py)?.into_any()),
            Origin::Profile(name) => ("_restore_from_profile", (name, options, account).into_pyobject(py)?.into_any()),
            Origin::File { api_key, path } => {
                let base_url = self.http.settings().base_url.to_string();
                let arguments = (api_key.0.as_str(), path, base_url, options, account);
                ("_restore_from_file", arguments.into_pyobject(py)?.into_any())
            }
            Origin::Public => {
                let base_url = self.http.settings().base_url.to_string();
                ("_restore_public", (base_url, options).into_pyobject(py)?.into_any())
            }
            Origin::EncryptedFile => {
                return Err(not_by_reference("has the password of its key file").into_py_err());
            }
            Origin::Memory => {
                return Err(not_by_reference(match self.http.key() {
                    SigningKey::Rsa(_) | SigningKey::Absent => "has its private key in memory",
                    SigningKey::Hmac(_) => "has its secret in memory",
                })
                .into_py_err());
            }
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
        let (name, access) = Credentials::from_profile(Some(name)).or_py_err()?;
        let access = Arc::new(access);
        restored(Self::of_credentials(py, &access, Origin::Profile(name))?, options, account, &access.source)
    }

    #[staticmethod]
    fn _restore_public<'py>(
        py: Python<'py>,
        base_url: Secret,
        options: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Plain http was checked when the client was created.
        Bound::new(py, Self::public(base_url, true)?)?.call_method("with_options", (), Some(options.cast()?))
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
        let source = format!("the private key {}", shown_path(&path));
        let key = PrivateKeyArgument::Source(KeySource::File(path));
        // Plain http was checked when the client was created.
        let settings = Settings::new(BaseUrl::parse(&base_url.0, true).or_py_err()?);
        restored(Self::of_keys(py, api_key, key, None, settings)?, options, account, &source)
    }

    fn __repr__(&self) -> String {
        let settings = self.http.settings();
        let key = match self.http.key() {
            SigningKey::Absent => "without a key".to_owned(),
            SigningKey::Rsa(_) | SigningKey::Hmac(_) => format!("key {}", self.http.fingerprint()),
        };
        let mode = settings.mode.map(|mode| format!(" mode {}", mode.as_str())).unwrap_or_default();
        format!("<Client {} {key}{mode}>", shown(&settings.base_url.to_string()))
    }
}

/// Returns the base URL of a client that is given none. None is not accepted in its place, because a program that fails to read the
/// URL of its mock must not send its writes to the service.
fn published_base_url() -> Secret {
    Secret(Zeroizing::new(PUBLISHED.to_owned()))
}

/// The key of a client, of either kind.
enum OneKey {
    PrivateKey(PrivateKeyArgument),
    Secret(ApiSecretArgument),
}

/// Returns the key that was passed; an error if there is none, or more than one.
fn one_key(
    private_key: Option<PrivateKeyArgument>,
    secret: Option<ApiSecretArgument>,
    has_password: bool,
) -> Result<OneKey, Error> {
    let problem = match (private_key, secret) {
        (Some(key), None) => return Ok(OneKey::PrivateKey(key)),
        (None, Some(secret)) if !has_password => return Ok(OneKey::Secret(secret)),
        (None, Some(_)) => "secret and password are both given; a secret has no password, so leave the password out",
        (Some(_), Some(_)) => {
            "private_key and secret are both given; pass the one that belongs to the API key: secret for a \
             system-generated key, private_key for a self-generated one"
        }
        (None, None) => {
            "neither private_key nor secret is given; pass the secret of a system-generated key as secret, or the RSA \
             private key of a self-generated one as private_key"
        }
    };
    Err(Error::Configuration(problem.to_owned()))
}

/// The account of a client in a pickle: the base URL, the fingerprint and the digest of the API key.
#[derive(IntoPyObject, FromPyObject)]
struct PickledAccount(String, String, String);

impl From<ClientAccount> for PickledAccount {
    fn from(ClientAccount { identity: Identity { service, key }, api_key_digest }: ClientAccount) -> Self {
        Self(service, key, api_key_digest)
    }
}

impl From<PickledAccount> for ClientAccount {
    fn from(PickledAccount(service, key, api_key_digest): PickledAccount) -> Self {
        Self { identity: Identity { service, key }, api_key_digest }
    }
}

/// Returns the unpickled client with its options, or an error if this process has the keys of another account.
fn restored<'py>(
    client: Client,
    options: &Bound<'py, PyAny>,
    account: Option<PickledAccount>,
    source: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(account) = account.map(ClientAccount::from) else {
        return Err(Error::Configuration(
            "this client was pickled by an older version of botdesk, which did not store its account; pickle it again"
                .to_owned(),
        )
        .into_py_err());
    };
    account.check_restored(&client.http.account(), source).or_py_err()?;
    Bound::new(options.py(), client)?.call_method("with_options", (), Some(options.cast()?))
}

fn not_by_reference(why: &str) -> Error {
    Error::Configuration(format!(
        "this client {why}, so it can't be pickled without a secret; create it with Client.from_env(), \
        Client.from_profile(name) or Client(api_key, \"private.pem\", …), or create it in the worker"
    ))
}
