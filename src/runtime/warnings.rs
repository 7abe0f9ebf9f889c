//! Warnings of the core that do not concern a single call, such as a shared file that can't be written.

use std::ffi::CString;

use pyo3::prelude::*;

use crate::exceptions::CatchException as _;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use botdesk_client::warnings::take_warnings;
use botdesk_schema::key_text::shown_message;

/// Passes the pending warnings to Python. A warning that the program has turned into an error is printed, because a call that has
/// succeeded must return its result.
pub(crate) fn warn_pending(py: Python<'_>) -> PyResult<()> {
    for message in take_warnings() {
        warn(py, &message).or_unraisable(py, None)?;
    }
    Ok(())
}

/// Counts the frames to the user's code.
static CALLER: ForkSafeLazy = ForkSafeLazy::new("botdesk._frames", &["caller"]);

/// The class of warnings, which is a `UserWarning`.
static WARNING: ForkSafeLazy = ForkSafeLazy::new("botdesk.errors", &["BotdeskWarning"]);

/// Warns about the line of the user's code, not about one of the package.
pub(crate) fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    warn_of(py, WARNING.get(py)?, message)
}

/// Warns with a warning of a class.
pub(crate) fn warn_of(py: Python<'_>, class: &Bound<'_, PyAny>, message: &str) -> PyResult<()> {
    let message = CString::new(shown_message(message))?;
    let level = CALLER.get(py)?.call0()?.extract()?;
    PyErr::warn(py, class, &message, level)
}
