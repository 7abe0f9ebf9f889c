//! The `Retry-After` header: how long a response asks the client to wait.

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

use crate::rate_limit::bans;

/// Returns the seconds to wait; None if the header is missing or invalid. Of several headers the longest wait counts.
///
/// A date is compared with the `Date` of the response, or with `now` without one, so that an error of the local clock does not
/// matter.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<f64> {
    let now = values(headers, &DATE).find_map(date).unwrap_or(now);
    let waits = values(headers, &RETRY_AFTER).filter_map(|text| {
        // A number that is too large for the type counts as infinite, the word "inf" does not.
        let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '.');
        let seconds = text.parse::<f64>().ok().filter(|seconds| is_number && *seconds >= 0.0);
        seconds.or_else(|| Some(date(text)?.duration_since(now).as_secs_f64().max(0.0)))
    });
    // No plausible wait is longer than the longest ban.
    waits.reduce(f64::max).map(|seconds| seconds.min(bans::MAX_BAN.as_secs_f64()))
}

fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok()).map(str::trim)
}

/// Parses an HTTP date: in the preferred format, or in one of the two obsolete formats that clients have to accept.
///
/// The weekday is redundant, so it may be wrong. A date beyond the last timestamp is the last timestamp.
pub(super) fn date(text: &str) -> Option<Timestamp> {
    const FORMS: [&str; 3] = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
    static LENIENT: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    LENIENT.parse_timestamp(text).ok().or_else(|| FORMS.iter().find_map(|form| date_of_form(form, text)))
}

fn date_of_form(form: &str, text: &str) -> Option<Timestamp> {
    let mut parsed = strtime::parse(form, text).ok()?;
    parsed.set_weekday(None);
    let date = parsed.to_datetime().ok()?;
    // Years with four digits are after the first timestamp.
    Some(date.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |date| date.timestamp()))
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;

    const FORMS: [&str; 3] = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

    fn noon() -> Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    fn written(time: Timestamp, form: &str) -> String {
        time.to_zoned(TimeZone::UTC).strftime(form).to_string()
    }

    /// Returns the wait for these values of `Retry-After` at noon, in a response with that `Date`, if any.
    fn wait_with(values: &[&str], date: Option<&str>) -> Option<f64> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(RETRY_AFTER, HeaderValue::from_str(value).unwrap());
        }
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_str(date).unwrap());
        }
        retry_after(&headers, noon())
    }

    fn wait_for(value: &str) -> Option<f64> {
        wait_with(&[value], None)
    }

    #[test]
    fn a_wait_is_a_number_of_seconds_or_a_date_in_any_form_of_http() {
        assert_eq!(wait_for("120"), Some(120.0));
        assert_eq!(wait_for(" 1.5 "), Some(1.5));
        for form in FORMS {
            assert_eq!(wait_for(&written(noon() + 1.hour(), form)), Some(3_600.0), "{form}");
        }
        assert_eq!(wait_for("Sun Nov  6 08:49:37 1994"), Some(0.0));
        assert_eq!(wait_for("Sunday, 06-Nov-94 08:49:37 GMT"), Some(0.0));
    }

    #[test]
    fn a_date_is_read_against_that_of_the_response() {
        let until = written(noon() - 480.seconds(), FORMS[0]);
        for form in FORMS {
            let date = written(noon() - 600.seconds(), form);
            assert_eq!(wait_with(&[&until], Some(&date)), Some(120.0), "{form}");
        }
        assert_eq!(wait_with(&[&until], Some("yesterday")), Some(0.0));
        assert_eq!(wait_with(&["7"], Some(&until)), Some(7.0));
    }

    #[test]
    fn the_weekday_of_a_date_may_be_wrong() {
        for form in FORMS {
            // 1 March 2026 is a Sunday.
            let date = written(noon() + 1.hour(), form).replace("Sun", "Tue").replace("Tueday", "Tuesday");
            assert_eq!(wait_for(&date), Some(3_600.0), "{date}");
        }
    }

    #[test]
    fn an_invalid_value_is_ignored() {
        for text in [
            "",
            "soon",
            "-1",
            "nan",
            "inf",
            "Sun Nov  6 1994",
            "Sunday, 06-Nov-94",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "Wat, 06 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(wait_for(text), None, "{text}");
        }
    }

    #[test]
    fn of_several_headers_the_longest_wait_counts() {
        assert_eq!(wait_with(&["0", "soon", "300"], None), Some(300.0));
    }

    #[test]
    fn a_wait_is_at_most_the_longest_ban() {
        for text in
            ["1e300", &"9".repeat(400), "259201", "Fri, 01 Jan 9999 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"]
        {
            assert_eq!(wait_for(text), Some(259_200.0), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn an_error_of_the_local_clock_does_not_matter(off in -400_000_i64..400_000, wait in -1_000_i64..300_000) {
            let service = noon() + off.seconds();
            let until = written(service + wait.seconds(), FORMS[0]);
            let expected = u32::try_from(wait.clamp(0, 259_200)).unwrap();
            prop_assert_eq!(wait_with(&[&until], Some(&written(service, FORMS[0]))), Some(f64::from(expected)));
        }
    }
}
