//! Errors of recording and replay.

use std::path::PathBuf;

use super::har::HarError;
use botdesk_schema::key_text::shown_path;

/// The reason why a recording can't be written or replayed. No message contains a secret.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file already exists.
    #[error("{} already exists; overwrite=True replaces it", shown_path(.0))]
    Exists(PathBuf),
    /// The file can't be written or read.
    #[error("{} can't be {verb}: {error}", shown_path(path))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The operation that failed.
        verb: &'static str,
        /// The cause.
        error: std::io::Error,
    },
    /// The file would contain a secret.
    #[error(
        "{} was not saved: it would contain {secret} {form}, in the exchange {place}; nothing was written",
        shown_path(path)
    )]
    SecretLeft {
        /// The file.
        path: PathBuf,
        /// The placeholder of the secret.
        secret: String,
        /// The encoding of the secret.
        form: &'static str,
        /// The exchange that contains it.
        place: String,
    },
    /// The file is not a HAR.
    #[error("{} can't be replayed: {error}", shown_path(path))]
    InvalidHar {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: HarError,
    },
    /// The cassette holds a secret.
    #[error(
        "{} can't be replayed: entry {entry} ({place}) has a secret where a placeholder such as <{name}-1> is required \
         ({name}); record it again, or remove the secret, and treat it as known to everyone who saw the file",
        shown_path(path)
    )]
    Secret {
        /// The file.
        path: PathBuf,
        /// The number of the entry, starting at 1.
        entry: usize,
        /// The request.
        place: String,
        /// The name of the header or field.
        name: String,
    },
    /// Some recorded requests were never made.
    #[error("{} has requests that were never made: {}", shown_path(path), .unused.join("; "))]
    Unused {
        /// The file.
        path: PathBuf,
        /// The requests.
        unused: Vec<String>,
    },
    /// The recorder or the server was used incorrectly.
    #[error("{0}")]
    Misused(String),
}
