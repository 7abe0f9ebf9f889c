//! The trading volumes of an account.

use botdesk_schema::input::{InputName, RequestBuilder, Violation};
use botdesk_schema::inputs;
use botdesk_schema::record;
use botdesk_schema::values::{Decimal, Text};
use jiff::civil::Date;

record! {
    /// The trading volume of an account on a day.
    DailyVolume {
        /// The day in UTC, as `YYYY-MM-DD`.
        utc_date: Text, in_repr, sample("2024-04-01");
        /// Volume in BTC.
        volume_btc: Decimal, in_repr;
        /// Volume in USD.
        volume_usd: Decimal, in_repr;
    }
}

record! {
    /// The trading volume of an account in a month.
    MonthlyVolume {
        /// The month in UTC, as `YYYY-MM`.
        utc_month: Text, in_repr, sample("2024-04");
        /// Volume in BTC.
        volume_btc: Decimal, in_repr;
        /// Volume in USD.
        volume_usd: Decimal, in_repr;
    }
}

record! {
    /// The trading volume of an account since it was created.
    TotalVolume {
        /// Volume in BTC.
        volume_btc: Decimal, in_repr;
        /// Volume in USD.
        volume_usd: Decimal, in_repr;
    }
}

inputs! {
    /// The day of a volume.
    DailyVolumeQuery of "the query for a volume" {
        /// The day in UTC, as `YYYY-MM-DD`; the default is the current day.
        date: Text;
    }
    together [date => date_is_a_day]
}

inputs! {
    /// The month of a volume.
    MonthlyVolumeQuery of "the query for a volume" {
        /// The month in UTC, as `YYYY-MM`; the default is the current month.
        month: Text;
    }
    together [month => month_is_a_month]
}

/// Returns the violation by a date that is not written as `YYYY-MM-DD`.
fn date_is_a_day(request: &RequestBuilder) -> Option<Violation> {
    let text = text_of(request, DailyVolumeQuery::date)?;
    day(text).is_none().then(|| Violation::new("date", format!("must be a day such as 2024-04-01, not {text:?}")))
}

/// Returns the violation by a month that is not written as `YYYY-MM`.
fn month_is_a_month(request: &RequestBuilder) -> Option<Violation> {
    let text = text_of(request, MonthlyVolumeQuery::month)?;
    month(text).is_none().then(|| Violation::new("month", format!("must be a month such as 2024-04, not {text:?}")))
}

fn text_of(request: &RequestBuilder, input: InputName) -> Option<&str> {
    request.value(input)?.as_str()
}

/// Returns the day that is written as `YYYY-MM-DD`.
pub fn day(text: &str) -> Option<Date> {
    text.parse::<Date>().ok().filter(|date| date.to_string() == text)
}

/// Returns the first day of the month that is written as `YYYY-MM`.
pub fn month(text: &str) -> Option<Date> {
    day(&format!("{text}-01"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_a_month_are_written_in_one_way() {
        assert_eq!(day("2024-02-29"), Some(Date::constant(2024, 2, 29)));
        assert_eq!(month("2024-02"), Some(Date::constant(2024, 2, 1)));
        for wrong in ["2023-02-29", "2024-2-9", "20240229", "2024-02-29T00:00", "2024-02", "today", ""] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
        for wrong in ["2024-13", "2024-2", "2024", "2024-02-29", "04", ""] {
            assert_eq!(month(wrong), None, "{wrong}");
        }
    }
}
