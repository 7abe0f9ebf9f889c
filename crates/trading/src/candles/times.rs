//! The times of candles.

use std::ops::Range;

use super::error::CandlesError;

/// The first millisecond of the year 1, and the last one that all libraries for times support, a day before the year 10000.
const RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_207_200_000;

/// The fewest candles in a run for which runs take less memory than a list.
const FEWEST_IN_RUN: usize = 4;

/// Rising times in milliseconds since 1970.
#[derive(Debug)]
pub(super) struct Times {
    /// The length of a candle; None if there is only one, of unknown length.
    interval: Option<i64>,
    form: StoredTimes,
}

#[derive(Debug)]
enum StoredTimes {
    /// Runs of candles that follow each other without a gap. Candles of an exchange have one, and one more for each outage.
    Runs(Box<[TimeRun]>),
    /// Every time, for candles that mostly do not follow each other, such as those of trades.
    List(Box<[i64]>),
}

#[derive(Debug)]
struct TimeRun {
    row: usize,
    time: i64,
}

impl Times {
    /// Checks times. The interval is the smallest distance, unless a longer history is known to have a smaller one.
    pub(super) fn new(times: Vec<i64>, interval: Option<i64>) -> Result<Self, CandlesError> {
        check(&times)?;
        let smallest = distances(&times).min();
        let interval = match (interval, smallest) {
            (Some(interval), smallest) if interval < 1 || smallest.is_some_and(|smallest| smallest < interval) => {
                return Err(CandlesError::new(format!("{interval} ms is not the length of these candles")));
            }
            (interval, smallest) => interval.or(smallest),
        };
        let runs = runs(&times, interval);
        let is_list = runs.len() * FEWEST_IN_RUN > times.len() && runs.len() > 1;
        let form = if is_list {
            StoredTimes::List(times.into_boxed_slice())
        } else {
            StoredTimes::Runs(runs.into_boxed_slice())
        };
        Ok(Self { interval, form })
    }

    pub(super) fn interval(&self) -> Option<i64> {
        self.interval
    }

    /// Returns the time of a row, which has to be one of the candles.
    pub(super) fn at(&self, row: usize) -> i64 {
        match &self.form {
            StoredTimes::List(times) => times.get(row).copied().unwrap_or_default(),
            StoredTimes::Runs(runs) => {
                let after = runs.partition_point(|run| run.row <= row);
                let run = after.checked_sub(1).and_then(|run| runs.get(run));
                run.map_or(0, |run| run.time + self.interval.unwrap_or(0) * signed(row - run.row))
            }
        }
    }

    /// Returns the first of these rows that is not before a time; the end if all are.
    pub(super) fn first_from(&self, time: i64, rows: &Range<usize>) -> usize {
        let row = match &self.form {
            StoredTimes::List(times) => times.partition_point(|own| *own < time),
            StoredTimes::Runs(runs) => first_in_runs(runs, time, self.interval.unwrap_or(1)),
        };
        row.clamp(rows.start, rows.end)
    }

    /// Returns the number of places among these rows where candles are missing.
    pub(super) fn gaps(&self, rows: &Range<usize>) -> usize {
        match &self.form {
            StoredTimes::Runs(runs) => runs.iter().filter(|run| rows.start < run.row && run.row < rows.end).count(),
            StoredTimes::List(times) => {
                let times = times.get(rows.clone()).unwrap_or_default();
                distances(times).filter(|distance| Some(*distance) != self.interval).count()
            }
        }
    }

    /// Returns the bytes that the times take.
    pub(super) fn memory(&self) -> usize {
        match &self.form {
            StoredTimes::Runs(runs) => size_of_val(&**runs),
            StoredTimes::List(times) => size_of_val(&**times),
        }
    }
}

/// Returns the first row that is not before a time; a row past the end if all are before it.
fn first_in_runs(runs: &[TimeRun], time: i64, interval: i64) -> usize {
    let after = runs.partition_point(|run| run.time < time);
    let Some(run) = after.checked_sub(1).and_then(|before| runs.get(before)) else {
        return 0;
    };
    let count = time.abs_diff(run.time).div_ceil(interval.unsigned_abs());
    let row = run.row.saturating_add(usize::try_from(count).unwrap_or(usize::MAX));
    // The time may be in the gap before the next run.
    runs.get(after).map_or(row, |next| row.min(next.row))
}

fn signed(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Returns the distances between neighbours.
fn distances(times: &[i64]) -> impl Iterator<Item = i64> {
    times.iter().zip(times.iter().skip(1)).map(|(before, time)| time - before)
}

fn check(times: &[i64]) -> Result<(), CandlesError> {
    if let Some((row, time)) = times.iter().enumerate().find(|(_, time)| !RANGE.contains(*time)) {
        let message = format!("time {time} is not in the years 1 to 9999; times are milliseconds since 1970");
        return Err(CandlesError::at(row, message));
    }
    let Some(before) = distances(times).position(|distance| distance <= 0) else { return Ok(()) };
    let message = match times.get(before..) {
        Some([first, second, ..]) if first == second => format!("time {second} is a duplicate of row {before}"),
        Some([first, second, ..]) => {
            format!("time {second} is before {first} of row {before}; sort the candles by time")
        }
        _ => String::new(),
    };
    Err(CandlesError::at(before + 1, message))
}

fn runs(times: &[i64], interval: Option<i64>) -> Vec<TimeRun> {
    let first = times.first().map(|time| TimeRun { row: 0, time: *time });
    let starts = times.iter().zip(distances(times)).enumerate();
    let starts = starts.filter(|(_, (_, distance))| Some(*distance) != interval);
    first
        .into_iter()
        .chain(starts.map(|(row, (time, distance))| TimeRun { row: row + 1, time: time + distance }))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn times(times: &[i64]) -> Times {
        Times::new(times.to_vec(), None).unwrap()
    }

    fn error(times: &[i64]) -> String {
        Times::new(times.to_vec(), None).unwrap_err().to_string()
    }

    #[test]
    fn times_that_do_not_rise_are_refused() {
        assert_eq!(error(&[0, 60, 60]), "row 2: time 60 is a duplicate of row 1");
        assert_eq!(error(&[0, 60, 30]), "row 2: time 30 is before 60 of row 1; sort the candles by time");
        let microseconds = error(&[1_735_689_600_000_000]);
        assert_eq!(
            microseconds,
            "row 0: time 1735689600000000 is not in the years 1 to 9999; times are milliseconds since 1970"
        );
    }

    #[test]
    fn the_interval_is_the_smallest_distance_and_gaps_are_counted() {
        assert_eq!(times(&[7]).interval(), None);
        let times = times(&[0, 60, 120, 300, 360, 600, 660, 720, 780, 840, 900, 960]);
        assert_eq!(
            (times.interval(), times.gaps(&(0..12)), times.gaps(&(3..12)), times.gaps(&(2..4))),
            (Some(60), 2, 1, 1)
        );
        assert!(matches!(&times.form, StoredTimes::Runs(runs) if runs.len() == 3));
    }

    #[test]
    fn times_keep_the_interval_of_the_history_that_they_are_from() {
        let times = Times::new(vec![0, 120], Some(60)).unwrap();
        assert_eq!((times.interval(), times.gaps(&(0..2))), (Some(60), 1));
        assert!(Times::new(vec![0, 60], Some(61)).is_err() && Times::new(vec![0, 60], Some(0)).is_err());
    }

    proptest! {
        #[test]
        fn the_first_row_from_a_time_is_the_one_that_a_scan_finds(
            distances in prop::collection::vec(prop_oneof![9 => Just(60_i64), 1 => 1_i64..200], 0..60),
            time in prop_oneof![9 => -100_i64..5_000, 1 => prop_oneof![Just(i64::MIN), Just(i64::MAX)]],
            start in 0_usize..60, count in 0_usize..60,
        ) {
            let listed: Vec<i64> = distances.iter().scan(0, |time, distance| { *time += distance; Some(*time) }).collect();
            prop_assume!(!listed.is_empty());
            let rows = start.min(listed.len())..(start + count).min(listed.len());
            let expected = rows.clone().find(|row| listed[*row] >= time).unwrap_or(rows.end);
            prop_assert_eq!(times(&listed).first_from(time, &rows), expected);
        }

        #[test]
        fn every_time_is_found_again(first in -1_000_000_i64..1_000_000, distances in prop::collection::vec(prop_oneof![9 => Just(60_i64), 1 => 1_i64..200], 0..60)) {
            let mut listed = vec![first];
            for distance in distances {
                listed.push(listed[listed.len() - 1] + distance);
            }
            let times = times(&listed);
            let rows = 0..listed.len();
            for (row, time) in listed.iter().enumerate() {
                prop_assert_eq!(times.at(row), *time);
                prop_assert_eq!(times.first_from(*time, &rows), row);
                prop_assert!(times.first_from(*time + 1, &rows) == row + 1);
            }
            let smallest = listed.windows(2).map(|pair| pair[1] - pair[0]).min();
            let gaps = listed.windows(2).filter(|pair| Some(pair[1] - pair[0]) != smallest).count();
            prop_assert_eq!((times.interval(), times.gaps(&rows)), (smallest, gaps));
        }
    }
}
