//! The times of a file, before all of them are known to have one unit and one order.

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::Offset;

use super::unit::{Unit, shown, unit_of};
use crate::candles::error::CandlesError;

/// The maximum number of characters of a malformed time in a message.
const MAX_SHOWN: usize = 40;

const PARSER: DateTimeParser = DateTimeParser::new();

/// The times of a file as they are written.
#[derive(Debug, Default)]
pub(super) struct FileTimes {
    values: Vec<FileTime>,
    /// The first row with a date, and true if that has a timezone.
    first_date: Option<(usize, bool)>,
}

#[derive(Clone, Copy, Debug)]
enum FileTime {
    /// A number of a unit that is not known yet.
    Number(i64),
    /// A date in ISO 8601, in milliseconds since 1970.
    Date(i64),
}

/// The format and the unit of the times of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeFormat {
    Numbers(Unit),
    Dates,
    DatesAndNumbers(Unit),
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
        let time = match whole(text) {
            Some(number) => FileTime::Number(number),
            None => FileTime::Date(self.date(text, row)?),
        };
        self.values.push(time);
        Ok(())
    }

    /// Reads a date. It is in UTC if it has no timezone, but then no other one may have one.
    fn date(&mut self, text: &str, row: usize) -> Result<i64, CandlesError> {
        let Some((time, has_zone)) = read_date(text) else {
            let shown: String = text.chars().take(MAX_SHOWN).collect();
            let kinds = "neither a whole number since 1970 nor a date in ISO 8601, such as 2024-01-31T12:30:00Z";
            return Err(CandlesError::at(row, format!("time '{}' is {kinds}", shown.escape_debug())));
        };
        let (first_row, first) = *self.first_date.get_or_insert((row, has_zone));
        if has_zone != first {
            let [own, other] = [has_zone, first].map(|has_zone| if has_zone { "a" } else { "no" });
            let message = format!("time '{text}' has {own} timezone, and that of row {first_row} has {other}");
            return Err(CandlesError::at(row, message + " timezone; write all times in the same way"));
        }
        Ok(time)
    }

    /// Returns the times in milliseconds since 1970.
    pub(super) fn milliseconds(self) -> Result<(Vec<i64>, TimeFormat), CandlesError> {
        let rows = self.values.iter().enumerate();
        let numbers: Vec<_> = rows.filter_map(|(row, time)| time.number().map(|number| (row, number))).collect();
        if numbers.is_empty() {
            return Ok((self.values.iter().map(|time| time.value()).collect(), TimeFormat::Dates));
        }
        let unit = unit_of(&numbers)?;
        let times = self.values.iter().enumerate().map(|(row, time)| match *time {
            FileTime::Date(time) => Ok(time),
            FileTime::Number(number) => unit.milliseconds(number).ok_or_else(|| {
                let unit = unit.name();
                CandlesError::at(row, format!("time {number} is not a whole number of milliseconds in {unit}"))
            }),
        });
        let format = if self.first_date.is_some() { TimeFormat::DatesAndNumbers } else { TimeFormat::Numbers };
        Ok((times.collect::<Result<_, _>>()?, format(unit)))
    }
}

impl FileTime {
    fn number(self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Date(_) => None,
        }
    }

    fn value(self) -> i64 {
        match self {
            Self::Number(value) | Self::Date(value) => value,
        }
    }
}

impl TimeFormat {
    pub(super) fn describe(self) -> String {
        match self {
            Self::Numbers(unit) => unit.name().to_owned(),
            Self::Dates => "ISO 8601".to_owned(),
            Self::DatesAndNumbers(unit) => format!("ISO 8601 and {}", unit.name()),
        }
    }
}

/// Returns the milliseconds of a date, and true if it has a timezone.
fn read_date(text: &str) -> Option<(i64, bool)> {
    let (time, has_zone) = match PARSER.parse_timestamp(text) {
        Ok(time) => (time, true),
        Err(_) => (Offset::UTC.to_timestamp(PARSER.parse_datetime(text).ok()?).ok()?, false),
    };
    let is_whole = time.subsec_nanosecond() % 1_000_000 == 0;
    is_whole.then(|| (time.as_millisecond(), has_zone))
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
