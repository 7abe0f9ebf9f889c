//! The Python class of private keys.

use std::path::PathBuf;
use std::sync::Arc;

use crate::hints::input_type;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use zeroize::Zeroizing;

use crate::arguments::{FilePath, integer_option, read_integer};
use crate::exceptions::CatchException;
use crate::protocols::cast;
use crate::runtime::bridge::wait_for_thread;
use crate::runtime::warnings::warn;
use botdesk_client::credentials::key_source::{KeySource, LoadedKey};
use botdesk_client::credentials::private_key;
use botdesk_client::credentials::stored::StoredKey;
use botdesk_client::error::Error;
use botdesk_schema::key_text::shown;

/// An RSA private key, which signs requests. The service has its public key.
///
/// `repr` shows only its fingerprint, and it can't be pickled.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct PrivateKey {
    key: Arc<private_key::PrivateKey>,
}

#[pymethods]
impl PrivateKey {
    /// Generate a new key.
    ///
    /// Args:
    ///     bits: The length: 2048, 3072, 4096 or 8192. Longer keys sign more slowly.
    ///
    /// Raises:
    ///     ConfigurationError: The length is not one of these.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> key = botdesk.PrivateKey.generate(bits=2048)
    ///     >>> print(key.public_key_pem.splitlines()[0])  # paste it all into the service
    ///     -----BEGIN PUBLIC KEY-----
    #[staticmethod]
    #[pyo3(signature = (bits: "int" = 4096))]
    fn generate(py: Python<'_>, #[pyo3(from_py_with = read_integer)] bits: i128) -> PyResult<Self> {
        let bits = integer_option("bits", bits).or_py_err()?;
        let key = py.detach(|| private_key::PrivateKey::generate(bits)).or_py_err()?;
        Ok(Self { key: Arc::new(key) })
    }

    /// Read a key from a PEM file or from a string.
    ///
    /// Args:
    ///     path_or_text: The path of a PEM file or of a pipe, or the content of one as `str` or `bytes`: PKCS#1, PKCS#8 or
    ///         encrypted PKCS#8.
    ///     password: The password of an encrypted key.
    ///
    /// Raises:
    ///     ConfigurationError: The file does not exist, or is not such a key; the message says what to do.
    ///
    /// Example:
    ///     >>> import botdesk, tempfile, pathlib
    ///     >>> key = botdesk.PrivateKey.generate(bits=2048)
    ///     >>> with tempfile.TemporaryDirectory() as folder:
    ///     ...     path = pathlib.Path(folder, "private.pem")
    ///     ...     key.save(path)
    ///     ...     botdesk.PrivateKey.load(path).fingerprint == key.fingerprint
    ///     True
    #[staticmethod]
    #[pyo3(signature = (path_or_text, password = None))]
    fn load(py: Python<'_>, path_or_text: PrivateKeyArgument, password: Option<Secret>) -> PyResult<Self> {
        Ok(Self { key: path_or_text.read(py, password.as_ref())? })
    }

    /// Write the key to a new file that only its owner can read (mode 0600), in PEM, unencrypted.
    ///
    /// An existing file is never overwritten.
    ///
    /// Args:
    ///     path: The path of the new file.
    ///
    /// Raises:
    ///     ConfigurationError: The file exists, or can't be written.
    ///
    /// Example:
    ///     >>> import botdesk, tempfile, pathlib
    ///     >>> with tempfile.TemporaryDirectory() as folder:
    ///     ...     botdesk.PrivateKey.generate(bits=2048).save(pathlib.Path(folder, "private.pem"))
    fn save(&self, py: Python<'_>, path: FilePath) -> PyResult<()> {
        py.detach(|| self.key.save(&path.0)).or_py_err()
    }

    /// The public key in PEM, to paste into the service.
    #[getter]
    fn public_key_pem(&self) -> String {
        self.key.public_key_pem()
    }

    /// The fingerprint, which identifies the key and is safe to show: the SHA-256 of its public key, as `SHA256:…`.
    #[getter]
    fn fingerprint(&self) -> &str {
        self.key.fingerprint()
    }

    fn __repr__(&self) -> String {
        format!("<PrivateKey {}>", self.key.fingerprint())
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    #[allow(clippy::unused_self, reason = "pickle calls it on an object")]
    fn __reduce__(&self) -> PyResult<String> {
        Err(Error::Configuration("a private key is never pickled; save() it to a file and pass the path".to_owned())
            .into_py_err())
    }
}

/// A string that may be a secret, so that no error shows it.
pub(super) struct Secret(pub(super) Zeroizing<String>);

impl<'py> FromPyObject<'_, 'py> for Secret {
    type Error = PyErr;

    input_type!(STR);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(secret(&*given.cast::<PyString>()?)?))
    }
}

fn secret(text: &Bound<'_, PyString>) -> PyResult<Zeroizing<String>> {
    // Python's own error would show the string.
    let unreadable = || Error::Configuration("an argument has half of a surrogate pair".to_owned());
    text.extract().map(Zeroizing::new).or_raise(text.py(), unreadable)
}

/// A private key, or the source of one, as an argument.
pub(super) enum PrivateKeyArgument {
    Ready(Arc<private_key::PrivateKey>),
    Source(KeySource),
}

impl<'py> FromPyObject<'_, 'py> for PrivateKeyArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, BYTES, PATH, PrivateKey::TYPE_HINT));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(key) = cast::<PrivateKey>(&given) {
            return Ok(Self::Ready(Arc::clone(&key.get().key)));
        }
        let source = if let Some(bytes) = cast::<PyBytes>(&given) {
            KeySource::Pem(Zeroizing::new(bytes.as_bytes().to_vec()))
        } else if let Some(text) = cast::<PyString>(&given) {
            KeySource::of_text(&secret(text)?, std::path::Path::new(""))
        } else {
            let unusable =
                || Error::Configuration("private_key must be a str, bytes, a path or a botdesk.PrivateKey".to_owned());
            KeySource::of_path(&given.extract::<PathBuf>().or_raise(given.py(), unusable)?)
        };
        Ok(Self::Source(source))
    }
}

impl PrivateKeyArgument {
    /// Reads the key.
    pub(super) fn read(&self, py: Python<'_>, password: Option<&Secret>) -> PyResult<Arc<private_key::PrivateKey>> {
        match self {
            Self::Ready(_) if password.is_some() => Err(Error::Configuration(
                "the private key is already decrypted; pass a password only with a key file or its content".to_owned(),
            )
            .into_py_err()),
            Self::Ready(key) => Ok(Arc::clone(key)),
            Self::Source(source) => {
                let (key, password) = (source.clone(), password.map(|password| password.0.clone()));
                let read = move || key.read(password.as_ref().map(|password| password.as_str()));
                Ok(Arc::new(loaded(py, source.may_wait(), read)?))
            }
        }
    }
}

/// The secret of a system-generated key, as an argument.
pub(super) struct ApiSecretArgument(pub(super) StoredKey);

impl<'py> FromPyObject<'_, 'py> for ApiSecretArgument {
    type Error = PyErr;

    input_type!(STR);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Some(text) = cast::<PyString>(&given) else {
            let hint = if cast::<PrivateKey>(&given).is_some() { "; pass it as private_key" } else { "" };
            let class = given.get_type().name()?;
            let message = format!("secret must be a str, not {class}{hint}", class = shown(&class.to_string()));
            return Err(Error::Configuration(message).into_py_err());
        };
        Ok(Self(StoredKey::Secret { text: secret(text)?, name: "secret".to_owned() }))
    }
}

/// Loads a key, and warns if other users of the machine can read its file, or if it has white space around it.
pub(super) fn loaded<Key: Send + 'static>(
    py: Python<'_>,
    may_wait: bool,
    load: impl FnOnce() -> Result<LoadedKey<Key>, Error> + Send + 'static,
) -> PyResult<Key> {
    // No signal ends the read of a pipe, so another thread waits for it.
    read_key(py, if may_wait { wait_for_thread(py, load)? } else { py.detach(load) })
}

/// Returns the key that was read, and passes its warning to Python.
pub(super) fn read_key<Key>(py: Python<'_>, loaded: Result<LoadedKey<Key>, Error>) -> PyResult<Key> {
    let LoadedKey { key, warning } = loaded.or_py_err()?;
    if let Some(warning) = warning {
        warn(py, &warning)?;
    }
    Ok(key)
}
