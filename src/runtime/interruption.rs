//! The exception that interrupts a run of several steps, kept until the run has ended.

use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;

/// The exception that interrupted a run, if any.
#[derive(Default)]
pub(crate) struct Interruption {
    /// The exception; None if nothing interrupted the run.
    pub(crate) raised: Option<PyErr>,
}

impl Interruption {
    /// Keeps an exception, to be raised once the run has ended.
    ///
    /// A second exception of the same type, as from a second Ctrl-C, is dropped. Another one, such as the `SystemExit` of a SIGTERM
    /// handler, replaces the one that was kept, which becomes its context. But an exception that ends a task never replaces one that
    /// ends the program: a timeout of asyncio turns its own `CancelledError` into a `TimeoutError`, and the program would go on.
    pub(crate) fn add(&mut self, py: Python<'_>, raised: PyErr) {
        self.raised = Some(match self.raised.take() {
            Some(kept) if is_same_type(py, &kept, &raised) => kept,
            Some(kept) if ends_program(py, &kept) && ends_task(py, &raised) => kept,
            Some(kept) => {
                raised.set_context(py, Some(kept));
                raised
            }
            None => raised,
        });
    }
}

fn is_same_type(py: Python<'_>, one: &PyErr, other: &PyErr) -> bool {
    one.get_type(py).is(other.get_type(py))
}

fn ends_program(py: Python<'_>, raised: &PyErr) -> bool {
    raised.is_instance_of::<PyKeyboardInterrupt>(py) || raised.is_instance_of::<PySystemExit>(py)
}

/// Returns true if an exception ends only a task or a coroutine, such as `asyncio.CancelledError` or `GeneratorExit`.
fn ends_task(py: Python<'_>, raised: &PyErr) -> bool {
    !ends_program(py, raised) && !raised.is_instance_of::<PyException>(py)
}
