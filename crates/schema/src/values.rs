//! The types of values that a field can hold. Each is decoded from its JSON text when it is read.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;

use super::field::Schema;
use super::json::Json;
use crate::field::ColumnType;

/// The type of a field, as the API reference documents it.
pub trait FieldType {
    /// The decoded value of such a field.
    type Value<'a>;

    /// The name of the type in messages.
    const NAME: &'static str;

    /// The JSON text that the sandbox returns by default.
    const SAMPLE: &'static str;

    /// The JSON type of such a field.
    const SCHEMA: Schema;
    /// The type of the column that holds such a field in a table.
    const COLUMN: ColumnType = ColumnType::Json;

    /// Decodes a value that is not null; returns None if it has another type.
    fn read(json: Json<'_>) -> Option<Self::Value<'_>>;

    /// Decodes an element of an array; returns None if it has another type. A malformed record does not make the other elements
    /// unreadable.
    fn element(json: Json<'_>) -> Option<Self::Value<'_>> {
        Self::read(json)
    }

    /// Returns true if a value that is not null has this type, including everything nested in it.
    fn fits(json: Json<'_>) -> bool {
        Self::read(json).is_some()
    }

    /// Formats the value for the one-line form of a record.
    fn show(json: Json<'_>) -> String {
        json.text().to_owned()
    }
}

/// Returns the string in quotes, with escaped control characters.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.escape_debug().to_string().replace("\\\"", "\""))
}

/// A value of an edit: absent, null or given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// The field is left out, so it keeps its value.
    #[default]
    Absent,
    /// The field is set to null.
    Null,
    /// The field is set to a value.
    Value(T),
}

/// A decimal of any length, sent as a string or as a number.
#[derive(Debug)]
pub enum Decimal {}

/// The digits of a decimal, exactly as they were received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecimalText<'a>(Cow<'a, str>);

impl DecimalText<'_> {
    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for DecimalText<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl FieldType for Decimal {
    type Value<'a> = DecimalText<'a>;
    const NAME: &'static str = "a decimal";
    const SAMPLE: &'static str = r#""0.0""#;
    const SCHEMA: Schema = Schema::Decimal;
    const COLUMN: ColumnType = ColumnType::Decimal;

    fn read(json: Json<'_>) -> Option<DecimalText<'_>> {
        let bare = json.text().trim_matches('"');
        if is_plain_decimal(bare.as_bytes()) {
            return Some(DecimalText(Cow::Borrowed(bare)));
        }
        json.number_or_string().filter(|text| is_any_decimal(text)).map(DecimalText)
    }

    fn show(json: Json<'_>) -> String {
        json.number_or_string().map_or_else(String::new, Cow::into_owned)
    }
}

/// Returns true if a string is a decimal as services send it: with or without an exponent, infinite, or not a number.
pub fn is_decimal(text: &str) -> bool {
    is_plain_decimal(text.as_bytes()) || is_any_decimal(text)
}

/// Returns true if a string has only digits and at most one point, as nearly every decimal does.
fn is_plain_decimal(text: &[u8]) -> bool {
    let mut points = 0;
    for byte in text {
        match byte {
            b'0'..=b'9' => {}
            b'.' => points += 1,
            _ => return false,
        }
    }
    points <= 1 && [text.first(), text.last()].into_iter().all(|end| end.is_some_and(u8::is_ascii_digit))
}

fn is_any_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, "Infinity" | "NaN") || is_unsigned_decimal(unsigned)
}

fn is_unsigned_decimal(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let exponent = if exponent.len() > MAX_EXPONENT_LENGTH { "" } else { exponent };
    [whole, fraction, exponent].into_iter().all(is_digits)
}

/// The maximum number of digits of an exponent. No decimal type holds larger exponents.
const MAX_EXPONENT_LENGTH: usize = 17;

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A whole number, sent as a number or as a string.
#[derive(Debug)]
pub enum Integer {}

impl FieldType for Integer {
    type Value<'a> = i64;
    const NAME: &'static str = "a whole number";
    const SAMPLE: &'static str = "0";
    const SCHEMA: Schema = Schema::Integer;
    const COLUMN: ColumnType = ColumnType::Integer;

    fn read(json: Json<'_>) -> Option<i64> {
        i64::from_str(&json.number_or_string()?).ok()
    }

    fn show(json: Json<'_>) -> String {
        json.number_or_string().map_or_else(String::new, Cow::into_owned)
    }
}

/// A boolean, sent as a boolean or as the string `true` or `false`.
#[derive(Debug)]
pub enum Bool {}

impl FieldType for Bool {
    type Value<'a> = bool;
    const NAME: &'static str = "true or false";
    const SAMPLE: &'static str = "false";
    const SCHEMA: Schema = Schema::Bool;
    const COLUMN: ColumnType = ColumnType::Bool;

    fn read(json: Json<'_>) -> Option<bool> {
        match json.text() {
            "true" | "\"true\"" => Some(true),
            "false" | "\"false\"" => Some(false),
            _ => None,
        }
    }

    fn show(json: Json<'_>) -> String {
        Self::read(json).map_or("", |flag| if flag { "True" } else { "False" }).to_owned()
    }
}

/// A string.
#[derive(Debug)]
pub enum Text {}

impl FieldType for Text {
    type Value<'a> = Cow<'a, str>;
    const NAME: &'static str = "a text";
    const SAMPLE: &'static str = r#""""#;
    const SCHEMA: Schema = Schema::Text;
    const COLUMN: ColumnType = ColumnType::Text;

    fn read(json: Json<'_>) -> Option<Cow<'_, str>> {
        json.string()
    }

    fn show(json: Json<'_>) -> String {
        json.string().map_or_else(|| json.text().to_owned(), |text| quoted(&text))
    }
}

/// A point in time, sent as ISO 8601 with its offset from UTC.
#[derive(Debug)]
pub enum Timestamp {}

/// A point in time, as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeText<'a>(Cow<'a, str>);

impl TimeText<'_> {
    /// Returns the point in time as it was received.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the date and time in UTC. It is never None for a value that was read as a [`Timestamp`].
    pub fn utc(&self) -> Option<DateTime> {
        utc(&self.0)
    }

    /// Returns the microseconds since 1970.
    pub fn microseconds(&self) -> Option<i64> {
        let since = self.utc()?.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0));
        i64::try_from(since.as_micros()).ok()
    }
}

/// Returns the date and time in UTC. `jiff::Timestamp` ends a day before the year 9999 does.
fn utc(text: &str) -> Option<DateTime> {
    let pieces = Pieces::parse(text).ok()?;
    let utc = moved_to_utc(pieces.date().to_datetime(pieces.time()?), pieces.to_numeric_offset()?)?;
    (utc.year() > 0).then_some(utc)
}

/// Returns the date and time in UTC of an input: a date is its midnight, and a time without an offset is in UTC.
pub(crate) fn utc_of_input(text: &str) -> Option<DateTime> {
    let pieces = Pieces::parse(text).ok()?;
    let local = pieces.date().to_datetime(pieces.time().unwrap_or_default());
    moved_to_utc(local, pieces.to_numeric_offset().unwrap_or(Offset::UTC))
}

fn moved_to_utc(local: DateTime, offset: Offset) -> Option<DateTime> {
    local.checked_sub(SignedDuration::from_secs(offset.seconds().into())).ok()
}

/// Returns true if a string is a time in the format of the API reference, on one of the days 1 to 28, which every month has. So
/// most timestamps are checked without a calendar.
fn is_usual_time(text: &[u8]) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00.000Z";
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    let two = |at: usize| match text.get(at..at + 2) {
        Some([tens, ones]) => (tens & 0xF) * 10 + (ones & 0xF),
        _ => u8::MAX,
    };
    text.len() == FORM.len()
        && text.iter().zip(FORM).all(fits)
        && !text.starts_with(b"0000")
        && (1..=12).contains(&two(5))
        && (1..=28).contains(&two(8))
        && two(11) < 24
        && two(14) < 60
        && two(17) < 60
}

impl FieldType for Timestamp {
    type Value<'a> = TimeText<'a>;
    const NAME: &'static str = "an ISO 8601 timestamp";
    const SAMPLE: &'static str = r#""1970-01-01T00:00:00.000Z""#;
    const SCHEMA: Schema = Schema::Timestamp;
    const COLUMN: ColumnType = ColumnType::Timestamp;

    fn read(json: Json<'_>) -> Option<TimeText<'_>> {
        let text = json.string()?;
        (is_usual_time(text.as_bytes()) || utc(&text).is_some()).then_some(TimeText(text))
    }
}

/// A point in time, sent as seconds since 1970; ISO 8601 is accepted, too.
#[derive(Debug)]
pub enum UnixTime {}

impl FieldType for UnixTime {
    type Value<'a> = TimeText<'a>;
    const NAME: &'static str = "seconds since 1970";
    const SAMPLE: &'static str = "0";
    const SCHEMA: Schema = Schema::UnixTime;
    const COLUMN: ColumnType = ColumnType::UnixTime;

    fn read(json: Json<'_>) -> Option<TimeText<'_>> {
        let Ok(seconds) = json.number_or_string()?.parse() else { return Timestamp::read(json) };
        let time = jiff::Timestamp::from_second(seconds).ok()?.to_string();
        utc(&time).map(|_| TimeText(Cow::Owned(time)))
    }

    fn show(json: Json<'_>) -> String {
        Self::read(json).map_or_else(|| json.text().to_owned(), |time| format!("\"{}\"", time.as_str()))
    }
}

/// The documented values of an enumeration.
pub trait Choices {
    /// The values in JSON.
    const VALUES: &'static [&'static str];
    /// The JSON text of the first value.
    const SAMPLE: &'static str;
}

/// One of the values of an enumeration. Undocumented values are accepted.
#[derive(Debug)]
pub struct OneOf<C>(PhantomData<C>);

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'a, C> {
    text: Cow<'a, str>,
    choices: PhantomData<C>,
}

impl<C> Choice<'_, C> {
    /// Returns the value in JSON.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<C: Choices> FieldType for OneOf<C> {
    type Value<'a> = Choice<'a, C>;
    const NAME: &'static str = "a text";
    const SAMPLE: &'static str = C::SAMPLE;
    const SCHEMA: Schema = Schema::OneOf(C::VALUES);
    const COLUMN: ColumnType = Text::COLUMN;

    fn read(json: Json<'_>) -> Option<Choice<'_, C>> {
        json.string().map(|text| Choice { text, choices: PhantomData })
    }

    fn show(json: Json<'_>) -> String {
        Text::show(json)
    }
}

/// The maximum number of elements of an array: a thousand times the largest page of the service. An element of two bytes becomes an
/// object of hundreds of bytes, so a response within the size limit could still exhaust the memory.
pub const MAX_ELEMENTS: usize = 100_000;

/// An array whose elements have one type.
#[derive(Debug)]
pub struct List<K>(PhantomData<K>);

impl<K: FieldType> FieldType for List<K> {
    type Value<'a> = Vec<K::Value<'a>>;
    const NAME: &'static str = "an array";
    const SAMPLE: &'static str = "[]";
    const SCHEMA: Schema = Schema::List(&K::SCHEMA);
    const COLUMN: ColumnType = match K::COLUMN {
        ColumnType::Text => ColumnType::Texts,
        _ => ColumnType::Json,
    };

    fn read(json: Json<'_>) -> Option<Vec<K::Value<'_>>> {
        let elements = json.elements().filter(|elements| elements.len() <= MAX_ELEMENTS)?;
        elements.into_iter().map(K::element).collect()
    }

    fn fits(json: Json<'_>) -> bool {
        let elements = json.elements().filter(|elements| elements.len() <= MAX_ELEMENTS);
        elements.is_some_and(|elements| elements.into_iter().all(K::fits))
    }

    fn show(json: Json<'_>) -> String {
        let elements: Vec<String> = json.elements().unwrap_or_default().into_iter().map(K::show).collect();
        format!("[{}]", elements.join(", "))
    }
}

/// An object whose members have any names, such as codes, and values of one type.
#[derive(Debug)]
pub struct Map<K>(PhantomData<K>);

impl<K: FieldType> FieldType for Map<K> {
    type Value<'a> = Vec<(Cow<'a, str>, K::Value<'a>)>;
    const NAME: &'static str = "an object";
    const SAMPLE: &'static str = "{}";
    const SCHEMA: Schema = Schema::Map(&K::SCHEMA);

    fn read(json: Json<'_>) -> Option<Vec<(Cow<'_, str>, K::Value<'_>)>> {
        let members = json.members().filter(|members| members.len() <= MAX_ELEMENTS)?;
        members.into_iter().map(|(key, value)| Some((key.string()?, K::element(value)?))).collect()
    }

    fn fits(json: Json<'_>) -> bool {
        let members = json.members().filter(|members| members.len() <= MAX_ELEMENTS);
        members.is_some_and(|members| members.into_iter().all(|(key, value)| key.is_unicode() && K::fits(value)))
    }
}

/// No value: an operation with this type of response says nothing but that it succeeded.
#[derive(Debug)]
pub enum Nothing {}

impl FieldType for Nothing {
    type Value<'a> = ();
    const NAME: &'static str = "nothing";
    const SAMPLE: &'static str = "null";
    const SCHEMA: Schema = Schema::Nothing;

    fn read(_json: Json<'_>) -> Option<()> {
        Some(())
    }
}

/// An object without documented members.
#[derive(Debug)]
pub enum Object {}

/// An object as it is in its response.
#[derive(Clone, Copy, Debug)]
pub struct AnyObject<'a>(pub Json<'a>);

impl FieldType for Object {
    type Value<'a> = AnyObject<'a>;
    const NAME: &'static str = "an object";
    const SAMPLE: &'static str = "null";
    const SCHEMA: Schema = Schema::Object;

    fn read(json: Json<'_>) -> Option<AnyObject<'_>> {
        (json.text().starts_with('{') && json.is_unicode()).then_some(AnyObject(json))
    }
}

/// A value whose type the API reference does not document.
#[derive(Debug)]
pub enum Any {}

/// A value of undocumented type: a decimal if it can be read as one, else any JSON.
#[derive(Clone, Debug)]
pub enum AnyValue<'a> {
    /// A number, or a string that is one.
    Decimal(DecimalText<'a>),
    /// Any other value.
    Json(Json<'a>),
}

impl FieldType for Any {
    type Value<'a> = AnyValue<'a>;
    const NAME: &'static str = "a value";
    const SAMPLE: &'static str = "null";
    const SCHEMA: Schema = Schema::Any;
    const COLUMN: ColumnType = ColumnType::Any;

    fn read(json: Json<'_>) -> Option<AnyValue<'_>> {
        match Decimal::read(json).filter(|amount| !has_leading_zero(amount.as_str())) {
            Some(amount) => Some(AnyValue::Decimal(amount)),
            None => json.is_unicode().then_some(AnyValue::Json(json)),
        }
    }
}

/// Returns true if a string starts like a code such as `0012`: as a number it would lose its zeros.
fn has_leading_zero(text: &str) -> bool {
    matches!(text.trim_start_matches(['-', '+']).as_bytes(), [b'0', b'0'..=b'9', ..])
}

/// Defines the values of an enumeration. The first is the sample.
#[macro_export]
macro_rules! choices {
    ($($(#[$about:meta])* $name:ident = $first:literal $(| $other:literal)*;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {}

        impl $crate::values::Choices for $name {
            const VALUES: &'static [&'static str] = &[$first $(, $other)*];
            const SAMPLE: &'static str = stringify!($first);
        }
    )*};
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::Scanner;
    use std::sync::Arc;

    fn with<T>(text: &str, read: impl FnOnce(Json<'_>) -> T) -> T {
        let source: Arc<str> = text.into();
        let span = Scanner::new(&source).unwrap().value().unwrap();
        read(Json::new(&source, span))
    }

    #[test]
    fn seconds_and_iso_8601_are_times() {
        let utc = |text: &str| with(text, |json| UnixTime::read(json).and_then(|time| time.utc()));
        let expected = DateTime::constant(2024, 4, 1, 0, 0, 0, 0);
        for text in ["1711929600", "\"1711929600\"", "\"2024-04-01T00:00:00Z\""] {
            assert_eq!(utc(text), Some(expected), "{text}");
        }
        for text in ["1711929600.5", "\"2024-04-01\"", "99999999999999", "true", "\"\""] {
            assert_eq!(utc(text), None, "{text}");
        }
        assert_eq!(with("1711929600", UnixTime::show), "\"2024-04-01T00:00:00Z\"");
    }

    #[test]
    fn an_amount_keeps_every_digit() {
        for text in [
            "1.00399920581210916146041542739112586575949572812639182",
            "-3.30980633289966e-05",
            "1.5795860715256732e-25",
            "-0.0",
            "Infinity",
        ] {
            let json = format!("\"{text}\"");
            assert_eq!(with(&json, |json| Decimal::read(json).unwrap().as_str().to_owned()), text);
        }
    }

    #[test]
    fn an_amount_is_read_from_a_bare_number() {
        assert_eq!(with("0.10", |json| Decimal::read(json).unwrap().as_str().to_owned()), "0.10");
    }

    #[test]
    fn an_amount_is_not_read_from_other_text() {
        for json in
            ["\"\"", "\"1_000\"", "\" 1\"", "\"1,5\"", "\"٣\"", "\".5\"", "\"5.\"", "\"1e\"", "true", "[]", "{}"]
        {
            assert!(with(json, |json| Decimal::read(json).is_none()), "{json}");
        }
    }

    #[test]
    fn identifiers_pass_two_to_the_thirty_first() {
        assert_eq!(with("2376446537", Integer::read), Some(2_376_446_537));
        assert_eq!(with("\"40\"", Integer::read), Some(40));
        assert_eq!(with("1.5", Integer::read), None);
    }

    #[test]
    fn booleans_are_read_from_json_booleans_and_strings() {
        assert_eq!(with("\"true\"", Bool::read), Some(true));
        assert_eq!(with("false", Bool::read), Some(false));
        assert_eq!(with("1", Bool::read), None);
    }

    #[test]
    fn a_timestamp_needs_its_offset() {
        let at = "2024-02-29T12:30:00.125Z".parse::<jiff::Timestamp>().unwrap().as_microsecond();
        let read = |json: Json<'_>| Timestamp::read(json).and_then(|read| read.microseconds());
        assert_eq!(with("\"2024-02-29T12:30:00.125Z\"", read), Some(at));
        assert_eq!(with("\"2024-02-29T13:30:00.125+01:00\"", read), Some(at));
        assert_eq!(with("\"2024-02-29T12:30:00.125\"", read), None);
    }

    #[test]
    fn times_reach_from_the_year_1_to_the_end_of_the_year_9999() {
        let read = |text: &str| {
            with(&format!("\"{text}\""), |json| Timestamp::read(json).and_then(|read| read.microseconds()))
        };
        assert_eq!(read("9999-12-31T23:59:59.999Z"), Some(253_402_300_799_999_000));
        assert_eq!(read("9999-12-31T23:59:59.999-00:01"), None);
        assert_eq!(read("0001-01-01T00:00:00.000Z"), Some(-62_135_596_800_000_000));
        assert_eq!(read("0001-01-01T00:00:00.000+00:01"), None);
        assert_eq!(read("9999-12-32T00:00:00.000Z"), None);
    }

    #[test]
    fn a_code_with_leading_zeros_is_not_a_number() {
        let read = |json: Json<'_>| Any::read(json).map(|read| matches!(read, AnyValue::Decimal(_)));
        assert_eq!(with("\"0012\"", read), Some(false));
        for text in ["\"12\"", "\"0.5\"", "\"0\"", "12", "\"-0.0\""] {
            assert_eq!(with(text, read), Some(true), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_time_is_parsed_like_jiff_does(seconds in -62_135_596_800_i64..=253_402_207_200, offset in -86_399_i32..=86_399) {
            let time = jiff::Timestamp::from_second(seconds).unwrap();
            let local = time.to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::Offset::from_seconds(offset).unwrap()));
            let text = local.strftime("%Y-%m-%dT%H:%M:%S%:::z").to_string();
            let read = TimeText(Cow::Borrowed(&text)).microseconds();
            prop_assert!(read == Some(seconds * 1_000_000) || text.starts_with('-'), "{}: {:?}", text, read);
        }

        #[test]
        fn strings_in_the_usual_format_are_times(
            numbers in (0_u16..=9999, 0_u8..=13, 0_u8..=32, 0_u8..=25, 0_u8..=61), (seconds, thousandths) in (0_u8..=61, 0_u16..=999)
        ) {
            let (year, month, day, hour, minute) = numbers;
            let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{seconds:02}.{thousandths:03}Z");
            prop_assert!(!is_usual_time(text.as_bytes()) || utc(&text).is_some(), "{}", text);
            let is_on_a_day_of_all_months = (1..=28).contains(&day) && seconds < 60;
            prop_assert!(!is_on_a_day_of_all_months || is_usual_time(text.as_bytes()) == utc(&text).is_some(), "{}", text);
        }

        #[test]
        fn strings_similar_to_times_are_rejected(text in "[0-9]{4}[-0-9][0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}[:.][0-9]{2}.[0-9]{3}[Z0-9]") {
            prop_assert!(!is_usual_time(text.as_bytes()) || utc(&text).is_some(), "{}", text);
        }

        #[test]
        fn strings_of_plain_digits_are_decimals(text in "[0-9.+e-]{0,6}") {
            prop_assert!(!is_plain_decimal(text.as_bytes()) || is_any_decimal(&text), "{}", text);
        }
    }

    #[test]
    fn a_list_with_one_malformed_element_is_unreadable() {
        assert!(with("[\"USDT_BTC\", 5]", |json| List::<Text>::read(json).is_none()));
    }
}
