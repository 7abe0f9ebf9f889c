//! The names of the columns of candles in tables and files, in any case. The first one that there is counts.

/// The names of the times.
pub const TIME_NAMES: &[&str] = &["timestamp", "time", "datetime", "date", "ts", "open_time"];

/// The names of the prices: open, high, low and close.
pub const PRICE_NAMES: [&[&str]; 4] = [&["open", "o"], &["high", "h"], &["low", "l"], &["close", "c"]];
