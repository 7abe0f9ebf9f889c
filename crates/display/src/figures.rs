//! Figures as people read them: rounded, but never so far that two different values of a table look the same.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::str::FromStr;

use bigdecimal::{BigDecimal, RoundingMode, Zero};
use jiff::SignedDuration;

use super::number_text;
use botdesk_schema::field::{ColumnType, FieldSpec};

/// The rounding of the numbers of a column or a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// Not at all: settings, names and whole numbers.
    #[default]
    Exact,
    /// Cut after so many decimal places, and marked as cut.
    Cut(usize),
    /// To so many decimal places: percentages, and money in a currency that has them.
    Places(usize),
    /// To eight significant digits, and at least so many decimal places: those of the tick.
    Significant(usize),
    /// To the two largest units of a duration.
    Duration,
}

/// The direction in which a figure is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Better {
    /// Higher is better: profits.
    Higher,
    /// Lower is better: fees and losses.
    Lower,
    /// It is neither better nor worse.
    #[default]
    Neither,
}

/// A figure that has a row of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    /// The rounding.
    pub rounding: Rounding,
    /// The direction in which it is better.
    pub better: Better,
}

/// The figures of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Figures {
    /// Nothing is rounded.
    #[default]
    None,
    /// Each column has a figure.
    Columns(Vec<Rounding>),
    /// Each row has a figure. A column named [`DIFFERENCE`] compares the columns before it.
    Rows(Vec<Figure>),
}

/// The column of differences, whose cells are better or worse.
pub const DIFFERENCE: &str = "difference";

/// The decimal places of percentages, and of money in a currency that people pay with.
const USUAL_PLACES: usize = 2;

/// The significant digits of other numbers.
const SIGNIFICANT_DIGITS: i64 = 8;

/// Columns with more decimal places are not filled up with zeros.
const MOST_COMMON_PLACES: usize = 20;

/// A number with a larger exponent is shown as it is; filling in the zeros could take gigabytes.
const MAX_EXPONENT: i64 = 40;

/// The currencies that people pay with, and the coins that are worth one of them.
const MONEY: &[&str] = &[
    "AUD", "BRL", "BUSD", "CAD", "CHF", "CZK", "DAI", "DKK", "EUR", "EURC", "EURI", "EURT", "FDUSD", "GBP", "GUSD",
    "HKD", "INR", "JPY", "KRW", "MXN", "NOK", "NZD", "PLN", "PYUSD", "RUB", "SEK", "SGD", "TRY", "TUSD", "UAH", "USD",
    "USDC", "USDD", "USDE", "USDP", "USDS", "USDT", "UST", "ZAR",
];

/// Percentages whose names do not say so.
const PERCENTAGES: &[&str] = &["percent", "time_in_market", "deviation", "move_to_close"];

impl Rounding {
    /// Returns how far the value of a field is rounded for people. Settings show every digit.
    pub fn of_field(row: &FieldSpec) -> Self {
        let is_decimal = matches!(row.column, ColumnType::Decimal | ColumnType::DecimalOrJson);
        let is_figure = row.volatile || row.name.contains("usd");
        if is_decimal && is_figure { Self::of_figure(row.name, None) } else { Self::Exact }
    }

    /// A percentage.
    pub const PERCENT: Self = Self::Places(USUAL_PLACES);

    /// A number of which nothing else is known.
    pub const NUMBER: Self = Self::Significant(0);

    /// Returns the rounding of amounts of a currency.
    pub fn money(currency: Option<&str>) -> Self {
        let is_money = currency.is_some_and(|currency| MONEY.iter().any(|money| money.eq_ignore_ascii_case(currency)));
        if is_money { Self::Places(USUAL_PLACES) } else { Self::NUMBER }
    }

    /// Returns the rounding of a calculated figure by its name; `quote` is the currency of its amounts if it is known.
    pub fn of_figure(name: &str, quote: Option<&str>) -> Self {
        if name.contains("duration") {
            Self::Duration
        } else if name.contains("percentage") || PERCENTAGES.contains(&name) {
            Self::PERCENT
        } else if name.contains("usd") {
            Self::Places(USUAL_PLACES)
        } else if name.contains("price") || name.contains("quantity") {
            Self::NUMBER
        } else {
            Self::money(quote)
        }
    }

    /// Returns a value rounded. Nothing is compared with it.
    pub fn round(self, text: &str) -> String {
        Line::new(self, [text]).shown(0).pop().map_or_else(|| text.to_owned(), |shown| shown.text)
    }

    /// Returns the values of a column rounded, with more digits if two different ones would look the same.
    pub fn round_all<S: AsRef<str>>(self, texts: &[S]) -> Vec<String> {
        let rows: Vec<_> = texts.iter().map(|text| vec![text.as_ref().to_owned()]).collect();
        Figures::Columns(vec![self]).round(&rows).into_iter().flatten().collect()
    }
}

impl Figures {
    /// Returns the direction in which the figure of a row is better.
    pub(crate) fn better(&self, row: usize) -> Option<Better> {
        match self {
            Self::Rows(figures) => Some(figures.get(row).map(|figure| figure.better).unwrap_or_default()),
            _ => None,
        }
    }

    /// Returns the figures with another rounding of each.
    #[must_use]
    pub(crate) fn with_roundings(&self, columns: usize, rounding: impl Fn(Rounding) -> Rounding) -> Self {
        let with = |figure: Figure| Figure { rounding: rounding(figure.rounding), ..figure };
        match self {
            Self::None => Self::Columns(vec![rounding(Rounding::Exact); columns]),
            Self::Columns(roundings) => Self::Columns(roundings.iter().copied().map(rounding).collect()),
            Self::Rows(figures) => Self::Rows(figures.iter().copied().map(with).collect()),
        }
    }

    /// Returns the figures of the columns that are shown.
    #[must_use]
    pub(crate) fn of_columns(&self, columns: &[Option<usize>]) -> Self {
        let Self::Columns(roundings) = self else { return self.clone() };
        let rounding = |column: &Option<usize>| column.and_then(|at| roundings.get(at).copied()).unwrap_or_default();
        Self::Columns(columns.iter().map(rounding).collect())
    }

    /// Returns true if a column is aligned to the right although it has more than numbers.
    pub(crate) fn is_right(&self, column: usize) -> bool {
        match self {
            Self::None => false,
            Self::Columns(roundings) => roundings.get(column) == Some(&Rounding::Duration),
            Self::Rows(_) => column > 0,
        }
    }

    /// Returns the cells of some rows rounded. In a row of figures and in every column, different values stay different.
    pub fn round(&self, rows: &[Vec<String>]) -> Vec<Vec<String>> {
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let cell = |row: usize, column: usize| rows.get(row)?.get(column).map(String::as_str);
        let (lines, is_by_row): (Vec<Line<'_>>, bool) = match self {
            Self::None => return rows.to_vec(),
            Self::Columns(roundings) => {
                let line = |column: usize| {
                    let rounding = roundings.get(column).copied().unwrap_or_default();
                    Line::new(rounding, (0..rows.len()).map(|row| cell(row, column).unwrap_or_default()))
                };
                ((0..width).map(line).collect(), false)
            }
            Self::Rows(figures) => {
                let line = |row: usize| {
                    let rounding = figures.get(row).map(|figure| figure.rounding).unwrap_or_default();
                    let cells = rows.get(row).into_iter().flatten();
                    Line::new(rounding, cells.map(String::as_str))
                };
                ((0..rows.len()).map(line).collect(), true)
            }
        };
        let shown = distinct(&lines, is_by_row);
        let text = |row: usize, column: usize| {
            let (line, place) = if is_by_row { (row, column) } else { (column, row) };
            shown.get(line).and_then(|line| line.get(place)).map(|shown| shown.text.clone()).unwrap_or_default()
        };
        rows.iter().enumerate().map(|(row, cells)| (0..cells.len()).map(|column| text(row, column)).collect()).collect()
    }
}

/// Rounds lines: of each as few digits as possible with which different values stay different.
fn distinct(lines: &[Line<'_>], is_by_row: bool) -> Vec<Vec<Shown>> {
    let mut extra = vec![0; lines.len()];
    let mut shown: Vec<Vec<Shown>> = lines.iter().map(|line| line.shown(0)).collect();
    loop {
        let mut equal = vec![false; lines.len()];
        for group in groups(&shown, is_by_row) {
            mark_equal(group, lines, &mut equal);
        }
        if !equal.contains(&true) {
            return shown;
        }
        let each = lines.iter().zip(&mut extra).zip(&mut shown).zip(equal);
        for (((line, extra), shown), _) in each.filter(|(_, equal)| *equal) {
            *extra += 1;
            *shown = line.shown(*extra);
        }
    }
}

/// Returns the cells that must differ from each other, each with its line and its place.
fn groups(shown: &[Vec<Shown>], is_by_row: bool) -> impl Iterator<Item = Vec<(usize, usize, &Shown)>> {
    let of_line = |(line, cells): (usize, &'_ Vec<Shown>)| -> Vec<(usize, usize)> {
        (0..cells.len()).map(|place| (line, place)).collect()
    };
    let lines: Vec<_> = shown.iter().enumerate().map(of_line).collect();
    let places = if is_by_row { shown.iter().map(Vec::len).max().unwrap_or(0) } else { 0 };
    let across = (0..places).map(move |place| (0..shown.len()).map(|line| (line, place)).collect::<Vec<_>>());
    let cell = |(line, place): (usize, usize)| Some((line, place, shown.get(line)?.get(place)?));
    lines.into_iter().chain(across).map(move |group| group.into_iter().filter_map(cell).collect())
}

/// Marks the lines of cells that look the same although their values differ.
fn mark_equal(group: Vec<(usize, usize, &Shown)>, lines: &[Line<'_>], equal: &mut [bool]) {
    let value =
        |line: usize, place: usize| lines.get(line).and_then(|line| line.values.get(place)).map(|value| &value.exact);
    let mut seen: BTreeMap<&Reading, (usize, usize)> = BTreeMap::new();
    for (line, place, shown) in group {
        let Some(reading) = &shown.reading else { continue };
        let (first_line, first_place) = *seen.entry(reading).or_insert((line, place));
        if value(first_line, first_place) != value(line, place) {
            for each in [first_line, line] {
                if let Some(mark) = equal.get_mut(each) {
                    *mark = true;
                }
            }
        }
    }
}

/// The value that a reader sees in a cell. Zeros at the end make no difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reading {
    Number(BigDecimal),
    /// A duration, in milliseconds.
    Duration(i128),
}

/// A cell that is shown.
struct Shown {
    text: String,
    /// None for a cell without a number.
    reading: Option<Reading>,
}

/// A cell with its value.
struct Value<'a> {
    text: &'a str,
    exact: Option<Reading>,
    /// The unit behind a number.
    suffix: &'static str,
}

impl<'a> Value<'a> {
    fn new(text: &'a str, is_duration: bool) -> Self {
        if is_duration {
            return Self { text, exact: milliseconds(text).map(Reading::Duration), suffix: "" };
        }
        let (digits, suffix) = text.strip_suffix('%').map_or((text, ""), |digits| (digits, "%"));
        Self { text, exact: number(digits).map(Reading::Number), suffix }
    }

    fn number(&self) -> Option<&BigDecimal> {
        match &self.exact {
            Some(Reading::Number(number)) => Some(number),
            _ => None,
        }
    }

    fn as_it_is(&self) -> Shown {
        Shown { text: self.text.to_owned(), reading: self.exact.clone() }
    }
}

/// The cells of a column, or of a row of figures.
struct Line<'a> {
    rounding: Rounding,
    values: Vec<Value<'a>>,
}

impl<'a> Line<'a> {
    fn new(rounding: Rounding, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let values = texts.into_iter().map(|text| Value::new(text, rounding == Rounding::Duration)).collect();
        Self { rounding, values }
    }

    /// Returns the cells with `extra` more digits than usual.
    fn shown(&self, extra: usize) -> Vec<Shown> {
        match self.rounding {
            Rounding::Exact => self.values.iter().map(Value::as_it_is).collect(),
            Rounding::Cut(places) => self.values.iter().map(|value| cut(value, places + extra)).collect(),
            Rounding::Places(places) => self.with_places(places + extra),
            Rounding::Significant(least) => self.significant(least, extra),
            Rounding::Duration => self.values.iter().map(|value| duration(value, extra)).collect(),
        }
    }

    /// Rounds to decimal places. A number close to zero keeps two digits; zeros are filled up if a number has a fraction.
    fn with_places(&self, places: usize) -> Vec<Shown> {
        let rounded = |number: &BigDecimal| match round(number, places) {
            zero if zero.is_zero() && !number.is_zero() => round(number, digits_after_point(number, 2)),
            rounded => rounded,
        };
        let has_fraction = self.numbers().any(|number| decimal_places(&rounded(number)) > 0);
        let filled = if has_fraction { places } else { 0 };
        self.each(|number| rounded(number), |_| filled)
    }

    fn significant(&self, least: usize, extra: usize) -> Vec<Shown> {
        let own = |number: &BigDecimal| digits_after_point(number, SIGNIFICANT_DIGITS).max(least) + extra;
        let longest = self.numbers().map(decimal_places).max().unwrap_or(0);
        let common = self.numbers().filter(|number| !number.is_zero()).map(own).max().unwrap_or(0).min(longest);
        if common > MOST_COMMON_PLACES {
            return self.each(|number| round(number, own(number)), |_| 0);
        }
        let rounded = |number: &BigDecimal| round(number, common);
        let filled = self.numbers().map(|number| decimal_places(&rounded(number))).max().unwrap_or(0);
        self.each(rounded, |_| filled)
    }

    fn numbers(&self) -> impl Iterator<Item = &BigDecimal> {
        self.values.iter().filter_map(Value::number)
    }

    /// Returns the cells with each number rounded, and filled up with zeros to at least so many decimal places.
    fn each(&self, rounded: impl Fn(&BigDecimal) -> BigDecimal, filled: impl Fn(&BigDecimal) -> usize) -> Vec<Shown> {
        let shown = |value: &Value<'_>| {
            let Some(number) = value.number() else { return value.as_it_is() };
            let rounded = rounded(number);
            let places = filled(number).max(decimal_places(&rounded));
            let text = plain(&rounded, places) + value.suffix;
            Shown { text, reading: Some(Reading::Number(rounded)) }
        };
        self.values.iter().map(shown).collect()
    }
}

fn cut(value: &Value<'_>, places: usize) -> Shown {
    match number_text::cut(value.text, places) {
        Some(text) => {
            let reading = number(text.trim_end_matches(['%', number_text::CUT])).map(Reading::Number);
            Shown { text, reading }
        }
        None => value.as_it_is(),
    }
}

/// Returns the number in a string; None for other strings, and for numbers that are extremely large or small.
fn number(text: &str) -> Option<BigDecimal> {
    const LONGEST: usize = 5_000;
    if text.len() > LONGEST || !text.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    let exponent = text.split_once(['e', 'E']).map_or("0", |(_, exponent)| exponent);
    i64::from_str(exponent).ok().filter(|exponent| exponent.abs() <= MAX_EXPONENT)?;
    Some(BigDecimal::from_str(text).ok()?.normalized())
}

fn round(number: &BigDecimal, places: usize) -> BigDecimal {
    let places = i64::try_from(places).unwrap_or(i64::MAX);
    if number.fractional_digit_count() <= places {
        return number.clone();
    }
    number.with_scale_round(places, RoundingMode::HalfEven).normalized()
}

fn decimal_places(number: &BigDecimal) -> usize {
    usize::try_from(number.fractional_digit_count()).unwrap_or(0)
}

/// Returns the decimal places with which a number has so many significant digits.
fn digits_after_point(number: &BigDecimal, significant: i64) -> usize {
    let digits = i64::try_from(number.digits()).unwrap_or(i64::MAX);
    let exponent = digits - number.fractional_digit_count() - 1;
    usize::try_from(significant - 1 - exponent).unwrap_or(0)
}

fn plain(number: &BigDecimal, places: usize) -> String {
    number.with_scale(i64::try_from(places).unwrap_or(i64::MAX)).to_plain_string()
}

/// The units of durations, in milliseconds.
const UNITS: [(i128, &str); 5] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")];

/// The place of seconds among the units.
const SECONDS: usize = 3;

/// The units that a duration shows.
const UNITS_SHOWN: usize = 2;

fn milliseconds(text: &str) -> Option<i128> {
    text.parse::<SignedDuration>().ok().map(|duration| duration.as_millis())
}

/// Returns the quote currency of all pairs; None if it is unknown or they have several.
pub fn common_quote<'a>(pairs: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut quotes = pairs.into_iter().map(|pair| pair.split_once('_').map(|(quote, _)| quote));
    let first = quotes.next()??;
    quotes.all(|quote| quote == Some(first)).then_some(first)
}

/// Returns true if a cell shows every digit of its value, apart from zeros at the end.
pub(crate) fn is_whole(shown: &str, whole: &str) -> bool {
    let [shown_value, whole_value] = [shown, whole].map(|text| Value::new(text, false).exact);
    shown == whole || (shown_value.is_some() && shown_value == whole_value)
}

/// Returns the sign of a number, or of a duration that is shown; strings have none.
pub(crate) fn sign(text: &str) -> Ordering {
    let is_zero = !text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    let is_figure = number_text::is_number(text) || UNITS.iter().any(|(_, name)| text.ends_with(&format!(" {name}")));
    match (is_figure, is_zero, text.starts_with('-')) {
        (false, ..) | (_, true, _) => Ordering::Equal,
        (true, false, true) => Ordering::Less,
        (true, false, false) => Ordering::Greater,
    }
}

/// Returns every digit of a duration, for a column of [`Rounding::Duration`].
pub fn duration_text(duration: SignedDuration) -> String {
    // jiff prints a negative duration, which is the difference of two, as one "ago".
    let sign = if duration.is_negative() { "-" } else { "" };
    format!("{sign}{:#}", duration.abs())
}

/// Returns a duration as `2 d 7 h`, with `extra` more units.
fn duration(value: &Value<'_>, extra: usize) -> Shown {
    let Some(Reading::Duration(exact)) = value.exact else { return value.as_it_is() };
    let first = UNITS.iter().position(|(unit, _)| *unit <= exact.abs()).unwrap_or(UNITS.len() - 1);
    // Milliseconds matter only to durations below a second, and to those that would look the same without.
    let usual = (first + UNITS_SHOWN - 1).min(first.max(SECONDS));
    let last = (usual + extra).min(UNITS.len() - 1);
    let unit = UNITS.get(last).map_or(1, |(unit, _)| *unit);
    let rounded = (exact.abs() + unit / 2) / unit * unit;
    let mut rest = rounded;
    let mut parts = Vec::new();
    for (unit, name) in UNITS {
        let count = rest / unit;
        rest %= unit;
        if count > 0 {
            parts.push(format!("{count} {name}"));
        }
    }
    let sign = if exact < 0 && rounded > 0 { "-" } else { "" };
    let text = if parts.is_empty() { "0 s".to_owned() } else { format!("{sign}{}", parts.join(" ")) };
    Shown { text, reading: Some(Reading::Duration(if exact < 0 { -rounded } else { rounded })) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn money(texts: &[&str]) -> Vec<String> {
        Rounding::money(Some("USDT")).round_all(texts)
    }

    #[test]
    fn money_of_a_usual_currency_has_two_decimals() {
        assert_eq!(money(&["138.185786", "40", "-0.5"]), ["138.19", "40.00", "-0.50"]);
        assert_eq!(money(&["40", "100"]), ["40", "100"]);
        assert_eq!(Rounding::money(Some("BTC")).round("0.123456789012"), "0.12345679");
    }

    #[test]
    fn different_amounts_never_look_the_same() {
        assert_eq!(money(&["138.185786", "138.185786001"]), ["138.185786000", "138.185786001"]);
        assert_eq!(money(&["1.234", "1.231", "5"]), ["1.234", "1.231", "5.000"]);
        assert_eq!(money(&["1.5", "1.50", "2"]), ["1.50", "1.50", "2.00"]);
    }

    #[test]
    fn an_amount_close_to_zero_does_not_look_like_zero() {
        assert_eq!(money(&["-0.000033098", "12.3456", "0"]), ["-0.000033", "12.35", "0.00"]);
    }

    #[test]
    fn small_prices_keep_their_digits() {
        let prices = ["0.0000000123", "0.000000012", "1.18E-8", "0.0000000115"];
        assert_eq!(
            Rounding::NUMBER.round_all(&prices),
            ["0.0000000123", "0.0000000120", "0.0000000118", "0.0000000115"]
        );
        assert_eq!(Rounding::NUMBER.round("2555.310581893"), "2555.3106");
        assert_eq!(Rounding::Significant(5).round_all(&["2561.66911", "2555.310581893"]), ["2561.66911", "2555.31058"]);
    }

    #[test]
    fn percentages_keep_their_sign() {
        assert_eq!(Rounding::PERCENT.round_all(&["0%", "1.62601626%", "-"]), ["0.00%", "1.63%", "-"]);
    }

    #[test]
    fn durations_have_two_units_and_more_if_they_would_look_the_same() {
        let round = |texts: &[&str]| Rounding::Duration.round_all(texts);
        assert_eq!(
            round(&["55h 12m", "59m 59s", "-90s", "0s", "23h 59m 59s"]),
            ["2 d 7 h", "59 min 59 s", "-1 min 30 s", "0 s", "1 d"]
        );
        assert_eq!(round(&["55h 12m", "55h 13m"]), ["2 d 7 h 12 min", "2 d 7 h 13 min"]);
        assert_eq!([round(&["43s 89ms"]), round(&["89ms"])], [["43 s"], ["89 ms"]]);
    }

    #[test]
    fn a_figure_differs_from_others_in_its_row_and_its_column() {
        let figures = Figures::Rows(vec![
            Figure { rounding: Rounding::Places(2), better: Better::Higher },
            Figure { rounding: Rounding::Places(2), better: Better::Lower },
        ]);
        let rows = [["profit", "1.234", "1.2"], ["fees", "1.231", "0.5"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(figures.round(&rows), [["profit", "1.234", "1.200"], ["fees", "1.231", "0.500"]]);
    }

    #[test]
    fn other_strings_and_extreme_numbers_stay_as_they_are() {
        for text in ["", "-", "NaN", "Infinity", "1e400", "10.0.0.1", "v1.25", "? 1", "1.2345…"] {
            assert_eq!(Rounding::NUMBER.round(text), text);
            assert_eq!(Rounding::Places(2).round(text), text);
        }
    }

    #[test]
    fn figures_are_known_by_their_names() {
        let of = |name| Rounding::of_figure(name, Some("USDT"));
        assert_eq!(of("mean_duration"), Rounding::Duration);
        assert_eq!([of("profit_percentage"), of("time_in_market"), of("profit")], [Rounding::PERCENT; 3]);
        assert_eq!([of("average_price"), Rounding::of_figure("profit", None)], [Rounding::NUMBER; 2]);
    }

    fn rounding() -> impl Strategy<Value = Rounding> {
        prop_oneof![
            (0_usize..8).prop_map(Rounding::Places),
            (0_usize..8).prop_map(Rounding::Significant),
            (0_usize..8).prop_map(Rounding::Cut),
        ]
    }

    fn decimals() -> impl Strategy<Value = Vec<String>> {
        let near = (1_u32..40, 0_u32..1_000)
            .prop_map(|(zeros, digits)| format!("0.{}{digits:03}", "0".repeat(zeros as usize)));
        let other = "-?[0-9]{1,12}(\\.[0-9]{1,20})?";
        let float =
            any::<f32>().prop_filter("finite", |number| number.is_finite()).prop_map(|number| number.to_string());
        proptest::collection::vec(prop_oneof![near, other, float], 0..12)
    }

    proptest! {
        #[test]
        fn different_decimals_of_a_column_have_different_cells(texts in decimals(), rounding in rounding()) {
            let shown = rounding.round_all(&texts);
            for (left, left_shown) in texts.iter().zip(&shown) {
                for (right, right_shown) in texts.iter().zip(&shown) {
                    let value = |text: &String| BigDecimal::from_str(text).unwrap();
                    let read = |text: &String| value(&text.trim_end_matches('…').to_owned());
                    prop_assert_eq!(value(left) == value(right), read(left_shown) == read(right_shown), "{} {} {} {}", left, right, left_shown, right_shown);
                }
            }
        }

        #[test]
        fn a_rounded_number_is_near_its_value(text in "-?[0-9]{1,9}\\.[0-9]{1,20}", places in 0_usize..10) {
            let shown = BigDecimal::from_str(&Rounding::Places(places).round(&text)).unwrap();
            let exact = BigDecimal::from_str(&text).unwrap();
            let most = BigDecimal::new(5.into(), i64::try_from(places).unwrap() + 1);
            prop_assert!((&shown - &exact).abs() <= most, "{} {}", shown, exact);
            prop_assert!(shown.is_zero() == exact.is_zero());
        }
    }
}
