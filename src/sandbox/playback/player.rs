//! A playback that several threads and coroutines may advance, each step of it short.

use std::sync::{Arc, Mutex};

use crate::exceptions::RustResult as _;
use crate::raise::IntoPyErr;
use botdesk_client::error::Error;
use botdesk_sandbox::{Playback, PlaybackError, PlaybackMoment, PlaybackStep};
use botdesk_system::lock::locked;
use pyo3::PyErr;

/// A playback, and the process that it belongs to.
pub(super) struct Player {
    process: u32,
    played: Arc<Mutex<Played>>,
}

/// A playback, and how far it is.
struct Played {
    playback: Playback,
    /// The moment that was reached. It stays here until it is returned, so that a cancelled step loses none.
    moment: Option<PlaybackMoment>,
    count: usize,
}

/// The point that a step reached.
pub(super) enum StepOutcome {
    /// A moment, which waits to be taken.
    Moment,
    /// Nothing yet.
    Nothing,
    /// The end of the candles.
    End,
}

impl Player {
    pub(super) fn new(playback: Playback) -> Arc<Self> {
        let played = Played { playback, moment: None, count: 0 };
        Arc::new(Self { process: std::process::id(), played: Arc::new(Mutex::new(played)) })
    }

    /// Plays for some milliseconds at most.
    pub(super) fn advance(&self) -> Result<StepOutcome, Error> {
        let mut played = locked(&self.played);
        if played.moment.is_some() {
            return Ok(StepOutcome::Moment);
        }
        match played.playback.step().map_rust_err(Error::from_playback)? {
            PlaybackStep::Moment(moment) => {
                played.moment = Some(moment);
                Ok(StepOutcome::Moment)
            }
            PlaybackStep::Unfinished => Ok(StepOutcome::Nothing),
            PlaybackStep::End => Ok(StepOutcome::End),
        }
    }

    /// Plays until a moment is reached, which waits to be taken; returns false after the last one.
    pub(super) async fn reach(self: Arc<Self>) -> Result<bool, Error> {
        loop {
            match self.advance()? {
                StepOutcome::Moment => return Ok(true),
                StepOutcome::Nothing => tokio::task::yield_now().await,
                StepOutcome::End => return Ok(false),
            }
        }
    }

    /// Returns the moment that was reached; None if it was taken already.
    pub(super) fn take(&self) -> Option<PlaybackMoment> {
        let mut played = locked(&self.played);
        let moment = played.moment.take()?;
        played.count += 1;
        Some(moment)
    }

    /// Returns the number of moments that were taken.
    pub(super) fn count(&self) -> usize {
        locked(&self.played).count
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // A thread that does not exist after the fork may hold the locks of the sandbox.
            std::mem::forget(Arc::clone(&self.played));
        }
    }
}

/// Converts the errors of playbacks.
pub(super) trait FromPlayback {
    fn from_playback(error: PlaybackError) -> Self;
}

impl FromPlayback for Error {
    fn from_playback(error: PlaybackError) -> Self {
        match error {
            PlaybackError::Invalid(violation) => violation.into(),
            PlaybackError::Closed | PlaybackError::Replaced => Self::Configuration(error.to_string()),
        }
    }
}

impl IntoPyErr for PlaybackError {
    fn into_py_err(self) -> PyErr {
        Error::from_playback(self).into_py_err()
    }
}
