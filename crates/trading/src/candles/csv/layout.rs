//! The columns of a file, and the program that has written it.

use super::times::{TimeFormat, is_number};
use crate::candles::columns::{PRICE_NAMES, TIME_NAMES};

/// More names of the times, which only files have. They come before the others.
const UNIX_NAMES: &[&str] = &["unix", "unix timestamp"];

/// The columns of an export of Binance, which has no names: the time of the open, four prices, the volume, the time of the close, and
/// five more numbers.
const BINANCE_COLUMNS: usize = 12;
const BINANCE_CLOSE_TIME: usize = 6;

/// The places of a candle's values in a row.
#[derive(Debug)]
pub(super) struct Layout {
    /// The number of values of a row.
    pub(super) width: usize,
    pub(super) time: usize,
    pub(super) prices: [usize; 4],
    /// True if it was read from a line of names.
    pub(super) has_names: bool,
    time_name: &'static str,
    source: &'static str,
}

impl Layout {
    /// Reads the names of the columns, or recognizes a first row without any. None for a line with the URL of the publisher.
    pub(super) fn of(values: &[&str]) -> Result<Option<Self>, String> {
        let first = values.first().copied().unwrap_or_default();
        if is_url(first) && values.iter().skip(1).all(|value| value.is_empty()) {
            return Ok(None);
        }
        if is_number(first) {
            return Self::without_names(values).map(Some);
        }
        Self::of_names(values).map(Some)
    }

    fn without_names(values: &[&str]) -> Result<Self, String> {
        let close_time = values.get(BINANCE_CLOSE_TIME).copied().unwrap_or_default();
        let open_time = values.first().copied().unwrap_or_default();
        // The two times have the same unit, so as many digits.
        let is_binance = values.len() == BINANCE_COLUMNS
            && is_number(close_time)
            && close_time.len() == open_time.len()
            && close_time > open_time;
        if !is_binance {
            return Err("row 0: no line names the columns, and these are not the 12 of a Binance export; add a first line such as \
                        timestamp,open,high,low,close,volume, in the order of the file"
                .to_owned());
        }
        let (width, time, prices) = (BINANCE_COLUMNS, 0, [1, 2, 3, 4]);
        Ok(Self { width, time, prices, has_names: false, time_name: "", source: "Binance export" })
    }

    fn of_names(names: &[&str]) -> Result<Self, String> {
        let time = one_of(names, UNIX_NAMES)?.map_or_else(|| one_of(names, TIME_NAMES), |found| Ok(Some(found)))?;
        let mut prices = [None; 4];
        for (price, known) in prices.iter_mut().zip(PRICE_NAMES) {
            *price = one_of(names, known)?.map(|(index, _)| index);
        }
        let (Some((time, time_name)), [Some(open), Some(high), Some(low), Some(close)]) = (time, prices) else {
            return Err(missing(time.is_none(), &prices));
        };
        let prices = [open, high, low, close];
        let has = |name: &str| names.iter().any(|own| own.eq_ignore_ascii_case(name));
        let source = match time_name {
            "unix" | "unix timestamp" => "CryptoDataDownload export",
            "open_time" if has("close_time") => "Binance export",
            "time" if time == 0 && prices == [1, 2, 3, 4] => "TradingView export",
            _ => "CSV file",
        };
        Ok(Self { width: names.len(), time, prices, has_names: true, time_name, source })
    }

    /// Returns the message about a file without a line.
    pub(super) fn missing_in_an_empty_file() -> String {
        format!("is empty; it {}", missing(true, &[None; 4]))
    }

    /// Returns a sentence about the program and the times, for people.
    pub(super) fn describe(&self, times: TimeFormat) -> String {
        let column = if self.time_name.is_empty() { String::new() } else { format!(" (column {})", self.time_name) };
        format!("{}, times in {}{column}", self.source, times.describe())
    }
}

/// Returns the message about columns that are missing.
fn missing(time: bool, prices: &[Option<usize>; 4]) -> String {
    let prices = prices.iter().zip(PRICE_NAMES).filter(|(index, _)| index.is_none());
    let names = prices.filter_map(|(_, names)| names.first().copied());
    let names: Vec<_> = time.then_some("timestamp").into_iter().chain(names).collect();
    format!(
        "has no column {}; its first line must name timestamp, open, high, low, close, separated by commas",
        names.join(", ")
    )
}

/// Returns the column with the first of these names that there is.
fn one_of(names: &[&str], known: &[&'static str]) -> Result<Option<(usize, &'static str)>, String> {
    for name in known {
        let mut found = names.iter().enumerate().filter(|(_, own)| own.eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => {
                return Err(format!("has the column {name} twice; pass a file that has each column once"));
            }
            (Some((index, _)), None) => return Ok(Some((index, name))),
            (None, _) => {}
        }
    }
    Ok(None)
}

fn is_url(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    ["https://", "http://", "www."].iter().any(|start| value.starts_with(start))
}
