//! The source of a private key: PEM, or the path of a PEM file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::credentials::private_key::PrivateKey;
use crate::error::Error;
use botdesk_schema::key_text::shown_path;
use botdesk_system::files;

/// The source of a private key.
#[derive(Clone)]
pub enum KeySource {
    /// The key in PEM.
    Pem(Zeroizing<Vec<u8>>),
    /// The path of a PEM file.
    File(PathBuf),
}

/// Extensions of key files. A string that names no file may be a secret unless it has one of these, so no message repeats it.
const KEY_FILES: [&str; 4] = [".pem", ".key", ".p8", ".der"];

impl KeySource {
    /// Returns if a string is a key or the path of one; a relative path starts at `folder`.
    pub fn of_text(text: &str, folder: &Path) -> Self {
        let file = folder.join(at_home(text));
        let is_path = !text.contains("-----BEGIN") && (is_key_file_name(text) || (!text.is_empty() && file.exists()));
        if is_path { Self::File(file) } else { Self::Pem(Zeroizing::new(text.as_bytes().to_vec())) }
    }

    /// Returns the source for a path, in which `~` is expanded.
    pub fn of_path(path: &Path) -> Self {
        Self::File(expanded(path))
    }

    /// Returns true if reading may wait for another program, as with a pipe.
    pub fn may_wait(&self) -> bool {
        matches!(self, Self::File(path) if path.metadata().is_ok_and(|found| !found.is_file()))
    }

    /// Reads the key.
    pub fn read(&self, password: Option<&str>) -> Result<LoadedKey, Error> {
        match self {
            Self::Pem(pem) => Ok(LoadedKey { key: PrivateKey::from_pem(pem, password)?, warning: None }),
            Self::File(path) => {
                let file = files::read_private_or_pipe(path).map_err(|error| unreadable(path, &error))?;
                let key = PrivateKey::from_pem(&file.contents, password)?;
                Ok(LoadedKey { key, warning: file.is_shared.then(|| shared(path)) })
            }
        }
    }
}

/// A key that was read.
pub struct LoadedKey<Key = PrivateKey> {
    /// The key.
    pub key: Key,
    /// A warning, such as one about the permissions of its file.
    pub warning: Option<String>,
}

fn shared(path: &Path) -> String {
    let command = files::closing_command(path);
    format!("the private key {} can be read by other users of this machine; run: {command}", shown_path(path))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let hint = match error.kind() {
        ErrorKind::NotFound => "; pass the path of the key, or create one there: botdesk keys new PATH",
        _ => "",
    };
    Error::Configuration(format!("the private key {} can't be read: {error}{hint}", shown_path(path)))
}

/// Returns true if a string can only be the name of a key file.
pub(crate) fn is_key_file_name(text: &str) -> bool {
    !text.contains('\n') && KEY_FILES.iter().any(|ending| text.ends_with(ending))
}

/// Expands a `~` at the beginning of a path.
pub fn expanded(path: &Path) -> PathBuf {
    path.to_str().map_or_else(|| path.to_owned(), at_home)
}

/// Expands a `~` at the beginning of a path.
fn at_home(path: &str) -> PathBuf {
    let below_home = path.strip_prefix('~').and_then(|rest| rest.strip_prefix(['/', '\\']));
    match (below_home, etcetera::home_dir()) {
        (Some(rest), Ok(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
