//! The unit of times that are numbers.

use std::ops::Range;

use jiff::Timestamp;

use crate::candles::error::CandlesError;

/// The unit of times since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

/// Seconds of the years 2000 to 2099, in which most candles are. No number is in these years in two units.
const YEARS: Range<i128> = 946_684_800..4_102_444_800;

/// The usual lengths of candles, in seconds. None of them is 1000 times another one.
const LENGTHS: [i128; 23] = [
    1, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 2_700, 3_600, 7_200, 10_800, 14_400, 21_600, 28_800, 43_200,
    86_400, 259_200, 604_800,
];

impl Unit {
    const ALL: [Self; 4] = [Self::Seconds, Self::Milliseconds, Self::Microseconds, Self::Nanoseconds];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
            Self::Microseconds => "microseconds",
            Self::Nanoseconds => "nanoseconds",
        }
    }

    fn per_second(self) -> i128 {
        match self {
            Self::Seconds => 1,
            Self::Milliseconds => 1_000,
            Self::Microseconds => 1_000_000,
            Self::Nanoseconds => 1_000_000_000,
        }
    }

    /// Returns the milliseconds of a time; None if they are not whole.
    pub(super) fn milliseconds(self, time: i64) -> Option<i64> {
        let (times, per_second) = (i128::from(time) * 1_000, self.per_second());
        (times % per_second == 0).then(|| i64::try_from(times / per_second).ok())?
    }

    /// Returns the unit in which a time is in the years 2000 to 2099.
    fn of_year(time: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| {
            let per_second = unit.per_second();
            (YEARS.start * per_second..YEARS.end * per_second).contains(&time.into())
        })
    }

    /// Returns the unit in which a distance is the usual length of a candle.
    fn of_length(distance: i128) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| LENGTHS.iter().any(|length| length * unit.per_second() == distance))
    }
}

/// Returns a time for people.
pub(super) fn shown(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds).map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}

/// Returns the unit of times, each with its row. Fails if it could be another one, or if not all have it.
pub(super) fn unit_of(times: &[(usize, i64)]) -> Result<Unit, CandlesError> {
    // Zero is 1970 in every unit.
    let Some(first) = times.first().filter(|(_, time)| times.len() > 1 || *time != 0) else {
        return Ok(Unit::Milliseconds);
    };
    let by_length = shortest_distance(times).and_then(Unit::of_length);
    let Some(unit) = Unit::of_year(first.1).or(by_length) else { return Err(ambiguous(*first)) };
    let other = |(_, time): &(usize, i64)| Unit::of_year(*time).filter(|other| *other != unit);
    if let Some((time, other)) = times.iter().find_map(|time| Some((*time, other(time)?))) {
        return Err(mixed(time, other, *first, unit));
    }
    if by_length.is_some_and(|length| length != unit) { Err(ambiguous(*first)) } else { Ok(unit) }
}

/// Returns the shortest distance between two times that follow each other and differ.
fn shortest_distance(times: &[(usize, i64)]) -> Option<i128> {
    let neighbours = times.iter().zip(times.iter().skip(1));
    let distances = neighbours.map(|((_, before), (_, time))| (i128::from(*time) - i128::from(*before)).abs());
    distances.filter(|distance| *distance > 0).min()
}

fn ambiguous((row, time): (usize, i64)) -> CandlesError {
    let dates = [Unit::Seconds, Unit::Milliseconds].map(|unit| {
        let date = unit.milliseconds(time).map_or_else(|| "no date".to_owned(), shown);
        format!("{date} in {}", unit.name())
    });
    let advice = "write the times in ISO 8601, such as 2024-01-31T12:30:00Z";
    CandlesError::at(row, format!("time {time} may be {}; {advice}", dates.join(" or ")))
}

fn mixed((row, time): (usize, i64), other: Unit, (first_row, _): (usize, i64), unit: Unit) -> CandlesError {
    let (other, unit) = (other.name(), unit.name());
    let message = format!("time {time} is in {other}, and that of row {first_row} in {unit}");
    CandlesError::at(row, message + "; pass a file for each unit, or convert one part")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_length_is_usual_in_two_units() {
        for length in LENGTHS {
            for unit in Unit::ALL {
                assert_eq!(Unit::of_length(length * unit.per_second()), Some(unit), "{length}");
            }
        }
    }
}
