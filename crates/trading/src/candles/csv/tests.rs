use proptest::prelude::*;

use super::*;

/// Reads a file without quotes.
fn read(text: &str) -> Result<(Candles, String), String> {
    let mut file = CsvCandles::default();
    for (line, number) in text.lines().zip(1..) {
        file.push(&line.split(',').collect::<Vec<_>>(), number).map_err(|error| error.to_string())?;
    }
    file.finish().map_err(|error| error.to_string())
}

fn error(text: &str) -> String {
    read(text).unwrap_err()
}

/// Returns the times and the closes of a file, and what was recognized.
fn candles(text: &str) -> (Vec<(i64, String)>, String) {
    let (candles, recognized) = read(text).unwrap();
    let candle = |index| candles.candle(index).map(|candle| (candle.time, candle.close.to_string()));
    ((0..candles.len()).filter_map(candle).collect(), recognized)
}

fn expected(closes: &[(i64, &str)]) -> Vec<(i64, String)> {
    closes.iter().map(|(time, close)| (*time, (*close).to_owned())).collect()
}

const MINUTE: i64 = 60_000;
const YEAR_2025: i64 = 1_735_689_600_000;

#[test]
fn an_export_of_binance_has_no_names_and_milliseconds_or_microseconds() {
    for (unit, name) in [(1, "milliseconds"), (1_000, "microseconds")] {
        let row = |row: i64, close: &str| {
            let (open, end) = ((YEAR_2025 + row * MINUTE) * unit, (YEAR_2025 + (row + 1) * MINUTE) * unit - 1);
            format!(
                "{open},93576.00000000,93610.93000000,93537.50000000,{close},8.21827000,{end},768978.52,2631,3.95,370757.5,0\n"
            )
        };
        let (read, recognized) = candles(&(row(0, "93610.93000000") + &row(1, "93576.00000001")));
        assert_eq!(read, expected(&[(YEAR_2025, "93610.93000000"), (YEAR_2025 + MINUTE, "93576.00000001")]));
        assert_eq!(recognized, format!("Binance export, times in {name}, oldest row first"));
    }
}

#[test]
fn an_export_of_cryptodatadownload_has_a_url_and_the_newest_row_first() {
    for (unit, name) in [(1_000, "seconds"), (1, "milliseconds")] {
        let [first, second] = [YEAR_2025, YEAR_2025 + MINUTE].map(|time| time / unit);
        let text = format!(
            "https://www.CryptoDataDownload.com\nunix,date,symbol,open,high,low,close,Volume BTC,Volume USDT,tradecount\n\
             {second},2025-01-01 00:01:00,BTC/USDT,2,2.5,1,2.25,1,2,3\n{first},2025-01-01 00:00:00,BTC/USDT,1,2,1,2,1,2,3\n"
        );
        let (read, recognized) = candles(&text);
        assert_eq!(read, expected(&[(YEAR_2025, "2.00"), (YEAR_2025 + MINUTE, "2.25")]));
        assert_eq!(recognized, format!("CryptoDataDownload export, times in {name} (column unix), newest row first"));
    }
}

#[test]
fn an_export_of_tradingview_has_dates_or_seconds() {
    for (first, second, name) in [
        ("2025-01-01T00:00:00Z", "2025-01-01T00:01:00Z", "ISO 8601"),
        ("2025-01-01T01:00:00+01:00", "2025-01-01T01:01:00+01:00", "ISO 8601"),
        ("1735689600", "1735689660", "seconds"),
    ] {
        let text = format!("time,open,high,low,close,Plot,Plot\n{first},1,2,1,2,,\n{second},2,2,1,1,5,6\n");
        let (read, recognized) = candles(&text);
        assert_eq!(read, expected(&[(YEAR_2025, "2"), (YEAR_2025 + MINUTE, "1")]));
        assert_eq!(recognized, format!("TradingView export, times in {name} (column time), oldest row first"));
    }
}

#[test]
fn any_other_file_needs_names() {
    let (read, recognized) =
        candles(",Close,HIGH,l,o,Date\n\n0,1.5,2,1,1,2025-01-01\n , , , , , \n1,1,2,1,1,2025-01-02 00:00:00.000\n");
    assert_eq!(read, expected(&[(YEAR_2025, "1.5"), (YEAR_2025 + 1_440 * MINUTE, "1.0")]));
    assert_eq!(recognized, "CSV file, times in ISO 8601 (column date), oldest row first");
    assert_eq!(
        candles("timestamp,open,high,low,close\n0,1,1,1,1").1,
        "CSV file, times in milliseconds (column timestamp)"
    );
    for row in ["1735689600000,1,2,1,2,5", "1735689600000,1,2,1,2,5,1735689540000,1,1,1,1,0"] {
        let message = error(row);
        assert!(message.starts_with("row 0: no line names the columns") && message.ends_with("(line 1)"), "{message}");
    }
}

#[test]
fn the_unit_follows_from_the_years_or_from_the_length_of_the_candles() {
    let rows = |times: &[i64]| times.iter().copied().enumerate().collect::<Vec<_>>();
    let unit = |times: &[i64]| unit::unit_of(&rows(times)).map(unit::Unit::name).map_err(|error| error.to_string());
    for (times, name) in [
        (&[0][..], "milliseconds"),
        (&[0, 60], "seconds"),
        (&[0, 60_000], "milliseconds"),
        (&[180_000_000, 0, 60_000_000], "microseconds"),
        (&[-86_400, 0], "seconds"),
        (&[1_735_689_600], "seconds"),
        (&[1_735_689_600, 1_735_689_607], "seconds"),
        (&[1_735_689_600_000_000_000], "nanoseconds"),
        (&[946_598_400, 946_684_800], "seconds"),
    ] {
        assert_eq!(unit(times), Ok(name), "{times:?}");
    }
    let ambiguous = "write the times in ISO 8601, such as 2024-01-31T12:30:00Z";
    for (times, dates) in [
        (&[60][..], "60 may be 1970-01-01T00:01:00Z in seconds or 1970-01-01T00:00:00.06Z in milliseconds"),
        (&[60, 67], "60 may be 1970-01-01T00:01:00Z in seconds or 1970-01-01T00:00:00.06Z in milliseconds"),
        (
            &[1_036_800_000, 1_123_200_000],
            "1036800000 may be 2002-11-09T00:00:00Z in seconds or 1970-01-13T00:00:00Z in milliseconds",
        ),
    ] {
        assert_eq!(unit(times), Err(format!("row 0: time {dates}; {ambiguous}")));
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_refused_with_its_row() {
    let of = |times: &[&str]| {
        let rows: Vec<_> = times.iter().map(|time| format!("{time},1,2,1,2")).collect();
        error(&format!("time,open,high,low,close\n{}", rows.join("\n")))
    };
    for (times, message) in [
        (
            ["1735689600000", "1735689660000", "1735689720000000"],
            "row 2: time 1735689720000000 is in microseconds, and that of row 0 in milliseconds; pass a file for each unit, or \
             convert one part (line 4)",
        ),
        (
            ["1735689600000", "1735689660", "1735689720"],
            "row 1: time 1735689660 is in seconds, and that of row 0 in milliseconds; pass a file for each unit, or convert one \
             part (line 3)",
        ),
        (
            ["1735689600", "1735689660", "1735689630"],
            "row 2: time 2025-01-01T00:00:30Z is before 2025-01-01T00:01:00Z of row 1, and the times before rise; sort the file \
             by time (line 4)",
        ),
        (
            ["1735689660", "1735689600", "1735689630"],
            "row 2: time 2025-01-01T00:00:30Z is after 2025-01-01T00:00:00Z of row 1, and the times before fall; sort the file \
             by time (line 4)",
        ),
        (
            ["1735689720", "1735689660", "1735689660"],
            "row 2: time 2025-01-01T00:01:00Z is a duplicate of row 1; delete one of the two rows (line 4)",
        ),
        (
            ["1735689600", "1735689600", "1735689660"],
            "row 1: time 2025-01-01T00:00:00Z is a duplicate of row 0; delete one of the two rows (line 3)",
        ),
        (
            ["2025-01-01 00:00", "2025-01-01 00:01", "2025-01-01T00:02Z"],
            "row 2: time '2025-01-01T00:02Z' has a timezone, and that of row 0 has no timezone; write all times in the same way \
             (line 4)",
        ),
        (
            ["01/02/2025", "02/02/2025", "03/02/2025"],
            "row 0: time '01/02/2025' is neither a whole number since 1970 nor a date in ISO 8601, such as \
             2024-01-31T12:30:00Z (line 2)",
        ),
        (
            ["1735689600000500", "1735689660000500", "1735689720000500"],
            "row 0: time 1735689600000500 is not a whole number of milliseconds in microseconds (line 2)",
        ),
    ] {
        assert_eq!(of(&times), message);
    }
}

#[test]
fn an_error_names_the_row_and_the_line_of_the_file() {
    let head = "www.example.com\ntimestamp,open,high,low,close";
    for (rows, message) in [
        ("2025-01-02,1,1,2,1\n2025-01-01,1,1,1,1", "row 0: high 1 is below low 2 (line 3)"),
        ("2025-01-02,1,1,1,1\n\n2025-01-01,1,1,2,1", "row 1: high 1 is below low 2 (line 5)"),
        ("2025-01-01,1,1,1,1\n2025-01-02,1,x,1,1", "row 1: high 'x' is not a number (line 4)"),
        ("2025-01-01,1,1,1", "row 0: has 4 values, not 5; the file may be cut off here (line 3)"),
        (
            "2025-01-01,1,5,1,6,1,4,1,5",
            "row 0 has more values than the first line has names; write prices with a decimal point (line 3)",
        ),
    ] {
        assert_eq!(error(&format!("{head}\n{rows}")), message);
    }
    let names = "its first line must name timestamp, open, high, low, close, separated by commas";
    assert_eq!(error(""), format!("is empty; it has no column timestamp, open, high, low, close; {names}"));
    assert_eq!(error("a,open,high,low"), format!("has no column timestamp, close; {names} (line 1)"));
    let twice = error("timestamp,open,high,low,close,Close");
    assert_eq!(twice, "has the column close twice; pass a file that has each column once (line 1)");
    assert_eq!(error("timestamp,open,high,low,close"), "there are no candles; pass at least one");
}

#[test]
fn dates_and_numbers_may_be_mixed() {
    let rows = "2025-01-01 00:00:00,1,1,1,1\n1735689660000,1,1,1,1\n1735689720000,1,1,1,1";
    let (read, recognized) = candles(&format!("timestamp,open,high,low,close\n{rows}"));
    assert_eq!(read.iter().map(|(time, _)| time - YEAR_2025).collect::<Vec<_>>(), [0, MINUTE, 2 * MINUTE]);
    assert_eq!(recognized, "CSV file, times in ISO 8601 and milliseconds (column timestamp), oldest row first");
}

#[test]
fn a_whole_number_may_have_zeros_after_the_point() {
    assert_eq!(candles("time,open,high,low,close\n1735689600.0,1,1,1,1").0, expected(&[(YEAR_2025, "1")]));
    assert!(error("time,open,high,low,close\n1.73569E+12,1,1,1,1").contains("is neither a whole number"));
}

proptest! {
    #[test]
    fn both_orders_of_the_rows_are_the_same_candles(
        closes in prop::collection::vec("[1-9][0-9]{0,20}(\\.[0-9]{1,12})?", 1..40)
    ) {
        let row = |(close, row): (&String, i64)| format!("{},{close},{close},{close},{close}", YEAR_2025 + row * MINUTE);
        let mut rows: Vec<_> = closes.iter().zip(0..).map(row).collect();
        let read_rows = |rows: &[String]| read(&format!("timestamp,open,high,low,close\n{}", rows.join("\n"))).unwrap().0;
        let forwards = read_rows(&rows);
        rows.reverse();
        prop_assert_eq!(&forwards, &read_rows(&rows));
        prop_assert_eq!(forwards.len(), closes.len());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "([0-9.,:TZ -]|time|open|high|low|close|\n){0,80}") {
        let _: Result<_, _> = read(&text);
    }
}
