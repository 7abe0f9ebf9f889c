//! Cassettes: exchanges recorded as HAR 1.2 without secrets, and a server that replays them.
//!
//! Secrets are removed from a recording before it is written, and a cassette is checked when it is read. So neither the files
//! nor the replayed responses contain a secret of the service or of its users.

mod cassette;
mod error;
mod exchange;
mod file;
mod har;
mod matching;
mod replay;
mod replay_stream;
mod scrub;
mod secrets;
mod stream_frames;
#[cfg(test)]
mod tests;
mod text;

pub use cassette::Cassette;
pub use error::RecordingError;
pub use file::Target;
pub use har::{Har, HarError};
pub use replay::ReplayServer;
