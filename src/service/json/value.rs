//! A value that was found in a text, and what it means.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::scanner::Scanner;
use super::span::Span;

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
