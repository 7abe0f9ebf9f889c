//! The times of a file, before all of them are known to have one unit and one order.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::Offset;

use super::unit::{Unit, unit_of};
use crate::candles::error::CandlesError;

/// The maximum number of characters of a malformed time in a message.
const MAX_SHOWN: usize = 40;

const PARSER: DateTimeParser = DateTimeParser::new();

/// The times of a file as they are written: numbers of one unit that is not known yet, or milliseconds of written dates.
#[derive(Debug, Default)]
pub(super) struct FileTimes {
    form: Option<TimeForm>,
    values: Vec<i64>,
}

/// How a time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimeForm {
    Number,
    /// A date in ISO 8601 with its timezone.
    Zoned,
    /// A date in ISO 8601, in UTC.
    Civil,
}

/// How the times of a file are written, and their unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeFormat {
    Numbers(Unit),
    Dates,
}

/// The order of the rows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowOrder {
    OldestFirst,
    NewestFirst,
    /// There is only one row.
    Single,
}

/// Returns true if a value is a whole number. Programs that also have missing values write `1704067200.0`.
pub(super) fn is_number(value: &str) -> bool {
    whole(value).is_some()
}

fn whole(value: &str) -> Option<i64> {
    let digits = value
        .split_once('.')
        .map_or(value, |(digits, zeros)| if zeros.bytes().all(|digit| digit == b'0') { digits } else { "" });
    digits.parse().ok()
}

impl FileTimes {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn push(&mut self, text: &str) -> Result<(), CandlesError> {
        let row = self.len();
        let Some((form, value)) = read(text) else {
            let shown: String = text.chars().take(MAX_SHOWN).collect();
            let message = format!(
                "time {shown:?} is neither a whole number since 1970 nor a date in ISO 8601, such as 2024-01-31T12:30:00Z"
            );
            return Err(CandlesError::at(row, message.replace('"', "'")));
        };
        let first = *self.form.get_or_insert(form);
        if form != first {
            let message = format!("the time is {}, and that of row 0 is {}", form.describe(), first.describe());
            return Err(CandlesError::at(row, message + "; write all times in the same way"));
        }
        self.values.push(value);
        Ok(())
    }

    /// Returns the times in milliseconds since 1970.
    pub(super) fn milliseconds(self) -> Result<(Vec<i64>, TimeFormat), CandlesError> {
        if self.form != Some(TimeForm::Number) {
            return Ok((self.values, TimeFormat::Dates));
        }
        let unit = unit_of(&self.values)?;
        let times = self.values.iter().enumerate().map(|(row, value)| {
            let message = || format!("time {value} is not a whole number of milliseconds in {}", unit.name());
            unit.milliseconds(*value).ok_or_else(|| CandlesError::at(row, message()))
        });
        Ok((times.collect::<Result<_, _>>()?, TimeFormat::Numbers(unit)))
    }
}

impl TimeForm {
    fn describe(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Zoned => "a date with a timezone",
            Self::Civil => "a date without a timezone",
        }
    }
}

impl TimeFormat {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Numbers(unit) => unit.name(),
            Self::Dates => "ISO 8601",
        }
    }
}

fn read(text: &str) -> Option<(TimeForm, i64)> {
    if let Some(number) = whole(text) {
        return Some((TimeForm::Number, number));
    }
    let (form, time) = match PARSER.parse_timestamp(text) {
        Ok(time) => (TimeForm::Zoned, time),
        Err(_) => (TimeForm::Civil, Offset::UTC.to_timestamp(PARSER.parse_datetime(text).ok()?).ok()?),
    };
    let is_whole = time.subsec_nanosecond() % 1_000_000 == 0;
    is_whole.then(|| (form, time.as_millisecond()))
}

/// Returns a time for people.
pub(super) fn shown(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}

impl RowOrder {
    /// Returns the order of times, which must all rise or all fall.
    pub(super) fn of(times: &[i64]) -> Result<Self, CandlesError> {
        let order = match times {
            [first, second, ..] if second < first => Self::NewestFirst,
            [_, _, ..] => Self::OldestFirst,
            _ => return Ok(Self::Single),
        };
        let neighbours = times.iter().zip(times.iter().skip(1)).enumerate();
        let wrong = |(_, (before, time)): &(usize, (&i64, &i64))| match order {
            Self::NewestFirst => time >= before,
            _ => time <= before,
        };
        let Some((row, (before, time))) = neighbours.into_iter().find(wrong) else { return Ok(order) };
        let message = if before == time {
            format!("time {} is a duplicate of row {row}; delete one of the two rows", shown(*time))
        } else {
            let (is, others) = if time < before { ("before", "rise") } else { ("after", "fall") };
            let (time, before) = (shown(*time), shown(*before));
            format!("time {time} is {is} {before} of row {row}, and the times before {others}; sort the file by time")
        };
        Err(CandlesError::at(row + 1, message))
    }

    /// Returns the end of the sentence about a file.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::OldestFirst => ", oldest row first",
            Self::NewestFirst => ", newest row first",
            Self::Single => "",
        }
    }
}
