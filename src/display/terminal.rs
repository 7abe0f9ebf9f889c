//! The terminal to which tables are printed.

use pyo3::prelude::*;

use crate::exceptions::{CatchException as _, interrupt_later};
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use botdesk_display::display_options::set_terminal_width;

/// Fit tables to the terminal from now on. A function, because a module with code of its own gets a stub with gaps.
#[pyfunction]
pub(crate) fn _fit_tables_to_terminal() {
    set_terminal_width(width);
}

/// Returns the width of the terminal that Python's standard output is; None if it is none.
fn width() -> Option<usize> {
    Python::attach(|py| match read_width(py).none_if_exception(py) {
        Ok(width) => width.unwrap_or_default(),
        Err(raised) => {
            interrupt_later(py, &raised);
            None
        }
    })
}

fn read_width(py: Python<'_>) -> PyResult<Option<usize>> {
    static WIDTH: ForkSafeLazy = ForkSafeLazy::new("botdesk._terminal", &["width"]);
    WIDTH.get(py)?.call0()?.extract()
}
