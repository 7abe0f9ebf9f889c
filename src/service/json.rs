//! JSON as text: a scanner that finds where each value begins and ends, and the values it found.
//!
//! Records keep the text of an answer and decode a field when it is read, so that no digit is lost and a field of
//! an unexpected type spoils only itself. The scanner accepts exactly what `serde_json` accepts.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

/// How deep arrays and objects may nest; the limit of `serde_json`.
const MAX_DEPTH: usize = 127;

/// Where a value stands in its document: the byte offsets of its first character and past its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The span of a value that is not there. No JSON value is empty, so it can't be mistaken for one that is.
    pub const ABSENT: Self = Self { start: 0, end: 0 };

    /// The span between two short offsets.
    pub fn new(start: u16, end: u16) -> Self {
        Self { start: start.into(), end: end.into() }
    }

    /// The span in short offsets, where they suffice.
    pub fn short(self) -> Option<(u16, u16)> {
        Some((self.start.try_into().ok()?, self.end.try_into().ok()?))
    }

    /// The span in short offsets from `origin`, where it is known that they suffice.
    #[inline]
    #[allow(clippy::cast_possible_truncation)]
    pub fn short_from(self, origin: usize) -> (u16, u16) {
        let from = |offset: u32| if self.is_absent() { 0 } else { (offset as usize).wrapping_sub(origin) as u16 };
        (from(self.start), from(self.end))
    }

    /// The same place where the text is moved so that what stood at `from` stands at `to`.
    // Neither leaves a text, and `Scanner::new` refuses one whose offsets would not fit.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub fn moved(self, from: usize, to: usize) -> Self {
        if self.is_absent() {
            return self;
        }
        let moved = |offset: u32| (offset as usize + to).saturating_sub(from) as u32;
        Self { start: moved(self.start), end: moved(self.end) }
    }

    /// Whether there is no value.
    pub fn is_absent(self) -> bool {
        self.end == 0
    }

    /// The byte offsets of the value in its document.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text that the span covers in its document.
    pub fn of(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or_default()
    }
}

/// Why a text is not JSON, and at which byte.
///
/// It is as small as a [`Span`], so that the result of passing over a value stays in the registers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {at}")]
pub struct Malformed {
    reason: Reason,
    at: u32,
}

/// Writes down what may be wrong with a text, in words.
macro_rules! reasons {
    ($($reason:ident = $words:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        enum Reason {
            $(#[error($words)] $reason,)*
        }
    };
}

reasons! {
    TooLong = "a text of 4 GiB or more";
    TextAfterValue = "text after the value";
    NoValue = "not a JSON value";
    EndsBeforeValue = "the text ends where a value is missing";
    EndsInValue = "the text ends inside a value";
    EndsInQuotes = "the text ends inside a text in quotes";
    NoKey = "a key in quotes is missing";
    NoColon = "a colon is missing";
    NoComma = "a comma is missing";
    OtherKind = "another kind of value was expected";
    TooDeep = "nested too deep";
    LeadingZero = "a number may not begin with 0";
    NoDigit = "a digit is missing";
    ControlCharacter = "a control character inside a text";
    UnknownEscape = "an escape that JSON does not know";
    HalfPair = "half of a surrogate pair";
    NotHexadecimal = "not a hexadecimal digit";
    FewHexadecimal = "four hexadecimal digits are missing";
}

/// Walks over a JSON text once, checking all of it.
pub struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Scanner<'a> {
    /// A scanner at the beginning of a text.
    ///
    /// A text of 4 GiB and more is refused, since spans could not address it.
    pub fn new(text: &'a str) -> Result<Self, Malformed> {
        if u32::try_from(text.len()).is_err() {
            return Err(Malformed { reason: Reason::TooLong, at: 0 });
        }
        Ok(Self { text: text.as_bytes(), at: 0, depth: 0 })
    }

    /// The first character of the next value, white space passed over.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// Refuses anything but white space after the value.
    pub fn finish(&mut self) -> Result<(), Malformed> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.malformed(Reason::TextAfterValue)),
        }
    }

    /// Passes over the next value and tells where it stands.
    #[inline]
    pub fn value(&mut self) -> Result<Span, Malformed> {
        // Most values are texts, and no white space stands before them.
        if self.byte() == Some(b'"') { self.string() } else { self.any_value() }
    }

    fn any_value(&mut self) -> Result<Span, Malformed> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'n') => self.word(b"null")?,
            Some(b'"') => return self.string(),
            Some(b'{') => return self.object(|_, _| ()),
            Some(b'[') => return self.array(|scanner| scanner.value().map(drop)),
            Some(_) => return Err(self.malformed(Reason::NoValue)),
            None => return Err(self.malformed(Reason::EndsBeforeValue)),
        }
        Ok(self.span_from(start))
    }

    /// Passes over an object, telling the key, in its quotes, and the value of each of its members.
    pub fn object(&mut self, mut member: impl FnMut(Span, Span)) -> Result<Span, Malformed> {
        self.peek();
        let start = self.at;
        self.enter(b'{')?;
        let mut follows = false;
        while let Some(key) = self.key(follows)? {
            let value = self.value()?;
            member(key, value);
            follows = true;
        }
        Ok(self.span_from(start))
    }

    /// Passes over what leads to the next value of an object and gives the key in its quotes; None at the object's end.
    ///
    /// A comma stands before a member that follows another one.
    pub fn key(&mut self, follows: bool) -> Result<Option<Span>, Malformed> {
        let ends = if follows { !self.continues(b'}')? } else { self.closes(b'}') };
        if ends {
            return Ok(None);
        }
        if self.peek() != Some(b'"') {
            return Err(self.malformed(Reason::NoKey));
        }
        let key = self.string()?;
        if self.peek() != Some(b':') {
            return Err(self.malformed(Reason::NoColon));
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Passes over a text that stands elsewhere as well, at `span`, if it comes next.
    #[inline]
    pub fn passes(&mut self, span: Span) -> bool {
        let end = self.at + span.range().len();
        let comes = match (self.text.get(self.at..end), self.text.get(span.range())) {
            (Some(here), Some(there)) => same(here, there),
            _ => false,
        };
        if comes {
            self.at = end;
        }
        comes
    }

    /// Passes over an array; `element` is called before each element and must pass over it.
    pub fn array(&mut self, mut element: impl FnMut(&mut Self) -> Result<(), Malformed>) -> Result<Span, Malformed> {
        self.peek();
        let start = self.at;
        self.enter(b'[')?;
        if !self.closes(b']') {
            loop {
                element(self)?;
                if !self.continues(b']')? {
                    break;
                }
            }
        }
        Ok(self.span_from(start))
    }

    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    // The offset fits, since `new` refused a longer text.
    #[cold]
    #[allow(clippy::cast_possible_truncation)]
    fn malformed(&self, reason: Reason) -> Malformed {
        Malformed { reason, at: self.at as u32 }
    }

    /// The offset of the next byte.
    pub fn position(&self) -> usize {
        self.at
    }

    /// What was passed over since the byte at `start`.
    // Both ends fit, since `new` refused a longer text.
    #[allow(clippy::cast_possible_truncation)]
    pub fn span_from(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    /// Passes over the beginning of an array or an object.
    pub fn enter(&mut self, opening: u8) -> Result<(), Malformed> {
        if self.byte() != Some(opening) {
            return Err(self.malformed(Reason::OtherKind));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.malformed(Reason::TooDeep));
        }
        self.at += 1;
        Ok(())
    }

    fn closes(&mut self, closing: u8) -> bool {
        let closes = self.peek() == Some(closing);
        if closes {
            self.at += 1;
            self.depth -= 1;
        }
        closes
    }

    fn continues(&mut self, closing: u8) -> Result<bool, Malformed> {
        if self.closes(closing) {
            return Ok(false);
        }
        match self.byte() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Err(self.malformed(Reason::NoComma)),
            None => Err(self.malformed(Reason::EndsInValue)),
        }
    }

    fn word<const N: usize>(&mut self, word: &[u8; N]) -> Result<(), Malformed> {
        let comes = self.text.get(self.at..).and_then(<[u8]>::first_chunk) == Some(word);
        if !comes {
            return Err(self.malformed(Reason::NoValue));
        }
        self.at += N;
        Ok(())
    }

    fn number(&mut self) -> Result<(), Malformed> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        match self.byte() {
            Some(b'0'..=b'9') => Err(self.malformed(Reason::LeadingZero)),
            _ => Ok(()),
        }
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        if !matches!(self.byte(), Some(b'0'..=b'9')) {
            return Err(self.malformed(Reason::NoDigit));
        }
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        Ok(())
    }

    #[inline]
    fn string(&mut self) -> Result<Span, Malformed> {
        let start = self.at;
        self.at += 1;
        loop {
            while let Some(eight) = self.text.get(self.at..).and_then(<[u8]>::first_chunk) {
                let plain = plain(*eight);
                self.at += plain;
                if plain < eight.len() {
                    break;
                }
            }
            match self.byte() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) => return Err(self.malformed(Reason::ControlCharacter)),
                Some(_) => self.at += 1,
                None => return Err(self.malformed(Reason::EndsInQuotes)),
            }
        }
        self.at += 1;
        Ok(self.span_from(start))
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        self.at += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => self.unicode_escape(),
            _ => Err(self.malformed(Reason::UnknownEscape)),
        }
    }

    fn unicode_escape(&mut self) -> Result<(), Malformed> {
        match self.code_unit()? {
            0xD800..=0xDBFF => {
                let follows = self.text.get(self.at..self.at + 2) == Some(b"\\u");
                self.at += 1;
                if follows && matches!(self.code_unit()?, 0xDC00..=0xDFFF) {
                    return Ok(());
                }
                Err(self.malformed(Reason::HalfPair))
            }
            0xDC00..=0xDFFF => Err(self.malformed(Reason::HalfPair)),
            _ => Ok(()),
        }
    }

    fn code_unit(&mut self) -> Result<u32, Malformed> {
        let digits = self.text.get(self.at + 1..self.at + 5).unwrap_or_default();
        let mut unit = 0;
        for digit in digits {
            let value = char::from(*digit).to_digit(16).ok_or_else(|| self.malformed(Reason::NotHexadecimal))?;
            unit = unit * 16 + value;
        }
        if digits.len() < 4 {
            return Err(self.malformed(Reason::FewHexadecimal));
        }
        self.at += 5;
        Ok(unit)
    }
}

/// Whether two texts of one length are the same. Most are short, and then looking at both ends takes less than a call.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    match one.len() {
        8..=16 => ends::<8>(one) == ends::<8>(other),
        17..=32 => ends::<16>(one) == ends::<16>(other),
        _ => one == other,
    }
}

fn ends<const N: usize>(text: &[u8]) -> Option<(&[u8; N], &[u8; N])> {
    Some((text.first_chunk()?, text.last_chunk()?))
}

/// How many of the bytes at the beginning stand for themselves inside of quotes. All eight are looked at at once.
fn plain(eight: [u8; 8]) -> usize {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    const FIRST_PLAIN: u64 = 0x20;
    // Marks the bytes below a limit; above the first of them, others may be marked as well.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGHS;
    let is = |word: u64, byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let word = u64::from_le_bytes(eight);
    let special = is(word, b'"') | is(word, b'\\') | below(word, FIRST_PLAIN);
    special.trailing_zeros() as usize / 8
}

/// One value of a document that was scanned: its text, and the document that it keeps alive.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    source: &'a Arc<str>,
    span: Span,
}

impl<'a> Json<'a> {
    /// The value that a scanner found at `span` of `source`.
    pub fn new(source: &'a Arc<str>, span: Span) -> Self {
        Self { source, span }
    }

    /// The document that the value stands in.
    pub fn source(self) -> &'a Arc<str> {
        self.source
    }

    /// Where the value stands in its document.
    pub fn span(self) -> Span {
        self.span
    }

    /// The text of the value, as it came.
    pub fn text(self) -> &'a str {
        self.span.of(self.source)
    }

    /// A scanner that comes to the value next, and ends with it.
    pub fn scanner(self) -> Scanner<'a> {
        let std::ops::Range { start, end } = self.span.range();
        Scanner { text: self.source.as_bytes().get(..end).unwrap_or_default(), at: start, depth: 0 }
    }

    /// Whether the value is null.
    pub fn is_null(self) -> bool {
        self.text() == "null"
    }

    /// The text inside the quotes, its escapes resolved; None for a value of another type.
    pub fn string(self) -> Option<Cow<'a, str>> {
        let inner = self.text().strip_prefix('"')?.strip_suffix('"')?;
        if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(self.text()).ok().map(Cow::Owned)
    }

    /// The text of a number, bare or in quotes; None for a value of another type.
    pub fn number_or_string(self) -> Option<Cow<'a, str>> {
        match self.text().as_bytes().first()? {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => Some(Cow::Borrowed(self.text())),
            _ => None,
        }
    }

    /// The value as a tree, its numbers with every digit.
    ///
    /// `serde_json` would take an object with one key of its own private names for a number.
    pub fn to_value(self) -> Value {
        match self.text().as_bytes().first() {
            Some(b'{') => {
                let members = self.members().unwrap_or_default().into_iter();
                let member = |(key, value)| {
                    let [key, value] = [key, value].map(|span| Self { span, ..self });
                    (key.string().unwrap_or_default().into_owned(), value.to_value())
                };
                Value::Object(members.map(member).collect())
            }
            Some(b'[') => self.elements().unwrap_or_default().into_iter().map(Self::to_value).collect(),
            Some(b'"') => Value::String(self.string().unwrap_or_default().into_owned()),
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            Some(b'n') | None => Value::Null,
            Some(_) => self.text().parse().map_or(Value::Null, Value::Number),
        }
    }

    /// The elements of an array; None for a value of another type.
    pub fn elements(self) -> Option<Vec<Self>> {
        let mut elements = Vec::new();
        let element = |scanner: &mut Scanner<'_>| {
            elements.push(Self { span: scanner.value()?, ..self });
            Ok(())
        };
        self.scanner().array(element).ok()?;
        Some(elements)
    }

    /// The members of an object as key and value; None for a value of another type.
    pub fn members(self) -> Option<Vec<(Span, Span)>> {
        let mut members = Vec::new();
        self.scanner().object(|key, value| members.push((key, value))).ok()?;
        Some(members)
    }
}

/// The same JSON text in ASCII: other characters as `\uXXXX`, as the signature payload asks for.
///
/// JSON holds such characters only inside of its strings, so the value stays the same.
pub fn ascii(json: &str) -> String {
    use std::fmt::Write as _;

    let mut ascii = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        if character.is_ascii() {
            ascii.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut units) {
            // Writing to a string can't fail.
            let _ = write!(ascii, "\\u{unit:04x}");
        }
    }
    ascii
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn accepts(text: &str) -> bool {
        Scanner::new(text).and_then(|mut scanner| scanner.value().and_then(|_| scanner.finish())).is_ok()
    }

    fn judge(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok()
    }

    #[test]
    fn accepts_and_refuses_what_serde_json_does() {
        let texts = [
            "",
            " ",
            "null",
            "nul",
            "nulll",
            "true",
            "false",
            "0",
            "-0",
            "00",
            "-",
            "1.",
            "1.5",
            ".5",
            "1e5",
            "1e",
            "1E+5",
            "-1.5e-10",
            "01",
            "\"\"",
            "\"",
            "\"\\",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\ud83dx\"",
            "\"\\ud83d\\n\"",
            "\"\\u12\"",
            "\"\\x\"",
            "\"\n\"",
            "[]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{}",
            "{\"a\":1}",
            "{\"a\" 1}",
            "{\"a\":}",
            "{a:1}",
            "{\"a\":1,}",
            "[1]x",
            "  [ 1 , {\"a\" : [ ] } ]  ",
            "[",
            "{\"a\"",
            "\u{feff}1",
            "NaN",
            "Infinity",
            "1e999999",
            "\"é\"",
            "+1",
            "\u{a0}1",
        ];
        for text in texts {
            assert_eq!(accepts(text), judge(text), "{text:?}");
        }
    }

    #[test]
    fn refuses_the_depth_that_serde_json_refuses() {
        for depth in [1, 126, 127, 128, 129, 10_000] {
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            assert_eq!(accepts(&text), judge(&text), "{depth}");
        }
    }

    #[test]
    fn an_object_is_not_taken_for_a_number() {
        let source: Arc<str> = "{\"$serde_json::private::Number\":\"5\"}".into();
        let span = Scanner::new(&source).unwrap().value().unwrap();
        assert!(Json::new(&source, span).to_value().is_object());
    }

    #[test]
    fn ascii_text_reads_as_the_same_value() {
        let json = "{\"name\":\"Грид 😀 é\"}";
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert!(ascii(json).is_ascii());
        assert_eq!(serde_json::from_str::<serde_json::Value>(&ascii(json)).unwrap(), value);
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json_on_scrambled_json(text in r#"([\[\]{},:"\\ue01dD9.\- ]|true|null|"a"){0,24}"#) {
            prop_assert_eq!(accepts(&text), judge(&text));
        }

        #[test]
        fn a_value_is_the_tree_that_serde_json_makes(text in r#"[\[\{]([\[\]{},:"9.\- ]|true|null|"a":){0,24}"#) {
            let source: Arc<str> = text.as_str().into();
            if let Ok(span) = Scanner::new(&source).unwrap().value() {
                let value = Json::new(&source, span).to_value();
                prop_assert_eq!(serde_json::from_str::<Value>(span.of(&source)).unwrap(), value);
            }
        }

        #[test]
        fn a_string_reads_as_serde_json_reads_it(text in any::<String>()) {
            let source: Arc<str> = serde_json::to_string(&text).unwrap().into();
            let span = Scanner::new(&source).unwrap().value().unwrap();
            prop_assert_eq!(Json::new(&source, span).string().unwrap(), text);
        }
    }
}
