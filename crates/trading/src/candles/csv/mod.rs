//! Rows of a CSV file as candles: exports of exchanges and charts, as they are.
//!
//! Nothing is guessed: a file that can be read in two ways is refused.

mod layout;
mod times;
mod unit;

use self::layout::Layout;
use self::times::{FileTimes, RowOrder};
use super::builder::CandlesBuilder;
use super::error::CandlesError;
use super::series::Candles;

/// Candles of a CSV file that is being read, row by row.
#[derive(Debug, Default)]
pub struct CsvCandles {
    layout: Option<Layout>,
    times: FileTimes,
    /// The prices; its times stay empty until all are known.
    candles: CandlesBuilder,
    /// The line of each row.
    lines: Vec<u64>,
}

impl CsvCandles {
    /// Appends the values of a line. Lines without values, and one with the URL of the publisher before all others, are left out.
    pub fn push<S: AsRef<str>>(&mut self, values: &[S], line: u64) -> Result<(), CandlesError> {
        let values: Vec<&str> = values.iter().map(|value| value.as_ref().trim()).collect();
        if values.iter().all(|value| value.is_empty()) {
            return Ok(());
        }
        let layout = match &self.layout {
            Some(layout) => layout,
            None => match Layout::of(&values) {
                Ok(Some(layout)) if layout.has_names => {
                    self.layout = Some(layout);
                    return Ok(());
                }
                Ok(Some(layout)) => self.layout.insert(layout),
                Ok(None) => return Ok(()),
                Err(message) => return Err(CandlesError::new(format!("{message} (line {line})"))),
            },
        };
        push_row(layout, &mut self.times, &mut self.candles, &values).map_err(|error| in_line(&error, line))?;
        self.lines.push(line);
        Ok(())
    }

    /// Checks the candles. Returns them, oldest first, with a sentence about what was recognized.
    pub fn finish(self) -> Result<(Candles, String), CandlesError> {
        let Self { layout, times, mut candles, lines } = self;
        let Some(layout) = layout else { return Err(CandlesError::new(Layout::missing_in_an_empty_file())) };
        let count = lines.len();
        let of_line = |error: CandlesError| match error.row.and_then(|row| lines.get(row)) {
            Some(line) => in_line(&error, *line),
            None => error,
        };
        let (times, unit) = times.milliseconds().map_err(of_line)?;
        let order = RowOrder::of(&times).map_err(of_line)?;
        candles.times = times;
        let is_reversed = order == RowOrder::NewestFirst;
        if is_reversed {
            candles.reverse();
        }
        let in_file = |row: usize| if is_reversed { count.saturating_sub(row + 1) } else { row };
        let read = candles.finish();
        let read = read.map_err(|error| of_line(CandlesError { row: error.row.map(in_file), ..error }))?;
        Ok((read, [layout.describe(unit), order.describe().to_owned()].join("")))
    }
}

fn push_row(
    layout: &Layout,
    times: &mut FileTimes,
    candles: &mut CandlesBuilder,
    values: &[&str],
) -> Result<(), CandlesError> {
    let row = times.len();
    if values.len() > layout.width {
        let message = "has more values than the first line has names; write prices with a decimal point";
        return Err(CandlesError::new(format!("row {row} {message}")));
    }
    if values.len() < layout.width {
        let message = format!("has {} values, not {}; the file may be cut off here", values.len(), layout.width);
        return Err(CandlesError::at(row, message));
    }
    let value = |column: usize| values.get(column).copied().unwrap_or_default();
    times.push(value(layout.time))?;
    candles.prices.iter_mut().zip(layout.prices).try_for_each(|(column, index)| column.push_text(value(index)))
}

/// Adds the line to an error of a row.
fn in_line(error: &CandlesError, line: u64) -> CandlesError {
    CandlesError { message: format!("{} (line {line})", error.message), row: error.row }
}

#[cfg(test)]
mod tests;
