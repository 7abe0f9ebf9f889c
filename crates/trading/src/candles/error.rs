//! The error of candles that are refused.

use std::fmt;

/// The reason why candles are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandlesError {
    /// The row, counted from 0; None if the error is not that of a row.
    pub row: Option<usize>,
    /// The reason.
    pub message: String,
}

impl CandlesError {
    /// Returns an error that is not that of a row.
    pub fn new(message: impl Into<String>) -> Self {
        Self { row: None, message: message.into() }
    }

    /// Returns the error of a row.
    pub fn at(row: usize, message: impl Into<String>) -> Self {
        Self { row: Some(row), message: message.into() }
    }
}

impl fmt::Display for CandlesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            Some(row) => write!(f, "row {row}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for CandlesError {}
