//! The options that limit what tables show, for the whole process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most rows that a table shows unless the user sets another number.
const DEFAULT_ROWS: usize = 60;

/// The number of final rows among them.
const LAST_ROWS: usize = 5;

/// The value of an option that is not set.
const UNSET: usize = usize::MAX;

/// Atomics rather than a lock: a child that is forked while another thread holds a lock would wait for it forever.
static ROWS: AtomicUsize = AtomicUsize::new(UNSET);
static COLUMNS: AtomicUsize = AtomicUsize::new(UNSET);
static DECIMALS: AtomicUsize = AtomicUsize::new(UNSET);

/// Returns the width of the terminal to which tables are printed; None for any other output.
static TERMINAL_WIDTH: OnceLock<fn() -> Option<usize>> = OnceLock::new();

/// Sets the function that returns the width of the terminal, once for the process.
pub fn set_terminal_width(width: fn() -> Option<usize>) {
    TERMINAL_WIDTH.get_or_init(|| width);
}

/// Returns the width that tables must fit; None if the output is not a terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    TERMINAL_WIDTH.get().and_then(|width| width())
}

/// The options of all tables; None for the default of an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisplayOptions {
    /// The most rows of a table; 60 by default.
    pub rows: Option<usize>,
    /// The most columns of a table; all by default.
    pub columns: Option<usize>,
    /// The most decimal places of a number; by default the table decides.
    pub decimals: Option<usize>,
}

impl DisplayOptions {
    /// Returns the current options.
    pub fn current() -> Self {
        let read = |option: &AtomicUsize| Some(option.load(Ordering::Relaxed)).filter(|value| *value != UNSET);
        Self { rows: read(&ROWS), columns: read(&COLUMNS), decimals: read(&DECIMALS) }
    }

    /// Makes these the current options.
    pub fn apply(self) {
        for (option, value) in [(&ROWS, self.rows), (&COLUMNS, self.columns), (&DECIMALS, self.decimals)] {
            option.store(value.unwrap_or(UNSET), Ordering::Relaxed);
        }
    }

    /// Returns how many rows a long table shows at its beginning and at its end.
    pub(crate) fn first_and_last_rows(self) -> (usize, usize) {
        let rows = self.rows.unwrap_or(DEFAULT_ROWS);
        let last = LAST_ROWS.min(rows / 2);
        (rows - last, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_divided_between_the_beginning_and_the_end() {
        let divided = |rows| DisplayOptions { rows, ..DisplayOptions::default() }.first_and_last_rows();
        assert_eq!([None, Some(7), Some(2), Some(1)].map(divided), [(55, 5), (4, 3), (1, 1), (1, 0)]);
    }
}
