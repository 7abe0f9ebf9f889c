//! Writes a recording completely or not at all, readable only by its owner.

use std::io::{Error, ErrorKind};
use std::path::PathBuf;

use super::error::RecordingError;
use super::exchange::reproducible;
use super::har::Har;
use super::scrub::scrub_with;
use botdesk_client::http::recorder::RecordedExchange;
use botdesk_system::files::{self, Existing};

/// The destination and the format of a recording.
#[derive(Clone, Debug)]
pub struct Target {
    /// The file.
    pub path: PathBuf,
    /// True to replace an existing file.
    pub overwrite: bool,
    /// True to write the same bytes for the same exchanges: times, durations and ports are fixed.
    pub reproducible: bool,
}

impl Target {
    /// Returns an error if the recording could not be written there.
    pub fn check(&self) -> Result<(), RecordingError> {
        files::destination(&self.path, self.existing()).map(drop).map_err(|error| self.unwritable(error))
    }

    /// Removes the secrets from exchanges and writes them. `key_secrets` are those of system-generated keys: the service knows them,
    /// so a response may contain one.
    pub fn save(&self, exchanges: Vec<RecordedExchange>, key_secrets: &[&str]) -> Result<(), RecordingError> {
        let exchanges = if self.reproducible { reproducible(exchanges) } else { exchanges };
        let text = self.clean_text(exchanges, key_secrets)?;
        files::write(&self.path, text.as_bytes(), self.existing()).map_err(|error| self.unwritable(error))
    }

    fn existing(&self) -> Existing {
        if self.overwrite { Existing::Replace } else { Existing::Keep }
    }

    fn clean_text(&self, exchanges: Vec<RecordedExchange>, key_secrets: &[&str]) -> Result<String, RecordingError> {
        let unwritable = |error: Box<dyn std::error::Error + Send + Sync>| self.unwritable(Error::other(error));
        let scrubbed = scrub_with(exchanges, key_secrets).map_err(|error| unwritable(error.into()))?;
        let har = Har::of(&scrubbed.exchanges);
        if let Some(left) = scrubbed.remaining_secret(&har).map_err(|error| unwritable(error.into()))? {
            return Err(RecordingError::SecretLeft {
                path: self.path.clone(),
                secret: left.secret,
                form: left.form,
                place: left.entry.to_string(),
            });
        }
        har.to_text().map_err(|error| unwritable(error.into()))
    }

    fn unwritable(&self, error: Error) -> RecordingError {
        let path = self.path.clone();
        match error.kind() {
            ErrorKind::AlreadyExists => RecordingError::Exists(path),
            _ => RecordingError::Unusable { path, verb: "written", error },
        }
    }
}
