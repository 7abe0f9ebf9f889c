//! All that can go wrong with a recording.

use std::path::PathBuf;

use super::har::HarError;

/// Why a recording can't be written or replayed. No message holds a secret.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// There is a file already.
    #[error("{} is there already; overwrite=True replaces it", .0.display())]
    Exists(PathBuf),
    /// The file can't be written or read.
    #[error("{} can't be {verb}: {error}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What was to be done to it.
        verb: &'static str,
        /// Why not.
        error: std::io::Error,
    },
    /// A secret would stand in the file.
    #[error(
        "{} was not saved: {secret} still stands in it {form}, in the exchange {place}; nothing was written",
        path.display()
    )]
    SecretLeft {
        /// The file.
        path: PathBuf,
        /// The placeholder of the secret.
        secret: String,
        /// How it is written there.
        form: &'static str,
        /// Which exchange it stands in.
        place: String,
    },
    /// The text is no HAR.
    #[error("{} can't be replayed: {error}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: HarError,
    },
    /// The cassette holds a secret.
    #[error(
        "{} can't be replayed: entry {entry} ({place}) holds a secret where a placeholder such as <{name}-1> is needed \
         ({name}); record it again, or take the secret out, and consider it known to whoever saw the file",
        path.display()
    )]
    Secret {
        /// The file.
        path: PathBuf,
        /// The number of the entry, from 1 on.
        entry: usize,
        /// Which request it is.
        place: String,
        /// The name of the header or field.
        name: String,
    },
    /// Something was recorded and never asked for.
    #[error("{} holds what was never asked for: {}", path.display(), .unused.join("; "))]
    Unused {
        /// The file.
        path: PathBuf,
        /// The requests.
        unused: Vec<String>,
    },
    /// The recorder or the server can't be used this way.
    #[error("{0}")]
    Misused(String),
}
