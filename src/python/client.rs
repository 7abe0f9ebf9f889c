//! The client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};
use zeroize::Zeroizing;

use super::accounts::Accounts;
use super::arguments::STR;
use super::dca_bots::DcaBots;
use super::grid_bots::GridBots;
use super::smart_trades::SmartTrades;
use crate::client::base_url::BaseUrl;
use crate::client::error::Error;
use crate::client::key::PrivateKey;
use crate::client::send::{Road, Settings};

/// A client of the service: who asks, and how the service is reached.
///
/// Clients are cheap: those of one process share their connections. They may be used from several threads and event
/// loops at once.
///
/// Args:
///     api_key: The API key.
///     private_key: The RSA private key whose public half the service knows: the text or bytes of a PEM file (PKCS#1,
///         PKCS#8 or encrypted PKCS#8), or the path of one.
///     base_url: The address of the service, `https://…`. Plain `http` is for this machine alone.
///     password: The password of an encrypted private key.
///     timeout: How long a call may take in all, in seconds; 30 unless given.
///     connect_timeout: How long a connection may take, in seconds; 10 unless given.
///     allow_http: Whether to send everything in the clear to another machine.
///
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
    road: Arc<Road>,
}

impl Client {
    /// A client over a road that is laid already.
    pub(super) fn over(road: Road) -> Self {
        Self { road: Arc::new(road) }
    }
}

#[pymethods]
impl Client {
    #[new]
    #[pyo3(signature = (
        api_key, private_key, *, base_url, password = None, timeout: "float | None" = None,
        connect_timeout: "float | None" = None, allow_http = false
    ))]
    fn new(
        py: Python<'_>,
        api_key: Secret,
        private_key: KeyMaterial,
        base_url: Secret,
        password: Option<Secret>,
        timeout: Option<f64>,
        connect_timeout: Option<f64>,
        allow_http: bool,
    ) -> PyResult<Self> {
        let mut settings = Settings::new(BaseUrl::parse(&base_url.0, allow_http)?);
        if let Some(given) = timeout {
            settings.timeout = seconds("timeout", given)?;
        }
        if let Some(given) = connect_timeout {
            settings.connect_timeout = seconds("connect_timeout", given)?;
        }
        let key = py.detach(|| private_key.read(password.as_ref().map(|password| password.0.as_str())))?;
        Ok(Self::over(Road::new(&api_key.0, Arc::new(key), settings)?))
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

    fn __repr__(&self) -> String {
        format!("<Client {} key {}>", self.road.settings().base_url, self.road.key().fingerprint())
    }
}

fn seconds(name: &str, seconds: f64) -> Result<Duration, Error> {
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| Error::Configuration(format!("{name} must be a number of seconds greater than 0")))
}

/// A text that may be a secret, so that no error repeats it.
struct Secret(Zeroizing<String>);

impl<'py> FromPyObject<'_, 'py> for Secret {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = STR;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(secret(given.cast::<PyString>()?)?))
    }
}

fn secret(text: Borrowed<'_, '_, PyString>) -> Result<Zeroizing<String>, Error> {
    // Python's own error would hold the text.
    let unreadable = |_: PyErr| Error::Configuration("a text given holds half of a surrogate pair".to_owned());
    text.extract().map(Zeroizing::new).map_err(unreadable)
}

/// A private key as a caller has it.
pub(super) enum KeyMaterial {
    Pem(Zeroizing<Vec<u8>>),
    File(PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for KeyMaterial {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        type_hint_identifier!("builtins", "str"),
        type_hint_identifier!("builtins", "bytes"),
        type_hint_subscript!(type_hint_identifier!("os", "PathLike"), type_hint_identifier!("builtins", "str"))
    );

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.cast::<PyBytes>() {
            return Ok(Self::Pem(Zeroizing::new(bytes.as_bytes().to_vec())));
        }
        if let Ok(text) = given.cast::<PyString>() {
            let text = secret(text)?;
            if text.contains("-----BEGIN") {
                return Ok(Self::Pem(Zeroizing::new(text.as_bytes().to_vec())));
            }
            let path = expanded(&given)?;
            let names_a_file = is_key_file_name(&text) || path.is_file();
            return Ok(if names_a_file {
                Self::File(path)
            } else {
                Self::Pem(Zeroizing::new(text.as_bytes().to_vec()))
            });
        }
        let unusable = |_| Error::Configuration("private_key must be a text, bytes or a path".to_owned());
        Ok(Self::File(expanded(&given).map_err(unusable)?))
    }
}

/// A path as Python understands it, `~` at its beginning resolved.
fn expanded(path: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    path.py().import("os.path")?.call_method1("expanduser", (path,))?.extract()
}

/// Endings of key files. A text with another ending that names no file may be a secret, so no message repeats it.
const KEY_FILES: [&str; 4] = [".pem", ".key", ".p8", ".der"];

fn is_key_file_name(text: &str) -> bool {
    !text.contains('\n') && KEY_FILES.iter().any(|ending| text.ends_with(ending))
}

impl KeyMaterial {
    fn read(self, password: Option<&str>) -> Result<PrivateKey, Error> {
        let pem = match self {
            Self::Pem(pem) => pem,
            Self::File(path) => Zeroizing::new(std::fs::read(&path).map_err(|error| {
                Error::Configuration(format!("the private key {} can't be read: {error}", path.display()))
            })?),
        };
        Ok(PrivateKey::from_pem(&pem, password)?)
    }
}
