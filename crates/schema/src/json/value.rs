//! A scanned value, and its decoding.

use std::borrow::Cow;
use std::fmt::{self, Formatter};
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::Value;

use super::scanner::Scanner;
use super::span::Span;

/// A value of a scanned text. It keeps the text alive.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    source: &'a Arc<str>,
    span: Span,
}

impl<'a> Json<'a> {
    /// Returns the value that a scanner found at `span` of `source`.
    pub fn new(source: &'a Arc<str>, span: Span) -> Self {
        Self { source, span }
    }

    /// Returns the text that contains the value.
    pub fn source(self) -> &'a Arc<str> {
        self.source
    }

    /// Returns the position of the value in its text.
    pub fn span(self) -> Span {
        self.span
    }

    /// Returns the JSON text of the value, as it was received.
    pub fn text(self) -> &'a str {
        self.span.of(self.source)
    }

    /// Returns a scanner that is before the value and ends with it.
    pub fn scanner(self) -> Scanner<'a> {
        let std::ops::Range { start, end } = self.span.range();
        Scanner { text: self.source.as_bytes().get(..end).unwrap_or_default(), at: start, depth: 0 }
    }

    /// Returns true if the value is null.
    pub fn is_null(self) -> bool {
        self.text() == "null"
    }

    /// Returns the string without quotes and escapes; None for a value of another type, or if it has half of a surrogate pair.
    pub fn string(self) -> Option<Cow<'a, str>> {
        let inner = self.text().strip_prefix('"')?.strip_suffix('"')?;
        if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(self.text()).ok().map(Cow::Owned)
    }

    /// Returns the string without quotes and escapes in UTF-8 that may have half of a surrogate pair (WTF-8); None for a value
    /// of another type.
    pub fn wtf8_string(self) -> Option<Vec<u8>> {
        serde_json::from_str(self.text()).ok().map(|Wtf8(bytes)| bytes)
    }

    /// Returns the string without quotes and escapes, with U+FFFD in place of invalid Unicode; None for a value of another
    /// type.
    pub fn lossy_string(self) -> Option<Cow<'a, str>> {
        self.string().or_else(|| self.wtf8_string().map(|bytes| String::from_utf8_lossy(&bytes).into_owned().into()))
    }

    /// Returns true if no string in the value has half of a surrogate pair.
    pub fn is_unicode(self) -> bool {
        let text = self.text();
        let has_surrogates = ["\\ud", "\\uD"].iter().any(|escape| text.contains(escape));
        !has_surrogates || serde_json::from_str::<Value>(text).is_ok()
    }

    /// Returns the text of a number, with or without quotes; None for a value of another type.
    pub fn number_or_string(self) -> Option<Cow<'a, str>> {
        match self.text().as_bytes().first()? {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => Some(Cow::Borrowed(self.text())),
            _ => None,
        }
    }

    /// Returns the value as a tree, with every digit of its numbers; None if a string in it has half of a surrogate pair.
    pub fn to_value(self) -> Option<Value> {
        self.tree(&Self::string)
    }

    /// Returns the value as a tree, with U+FFFD in place of invalid Unicode.
    pub fn to_lossy_value(self) -> Option<Value> {
        self.tree(&Self::lossy_string)
    }

    /// Builds a tree without `serde_json`, which would take an object with one of its private keys for a number.
    fn tree(self, string: &dyn Fn(Self) -> Option<Cow<'a, str>>) -> Option<Value> {
        Some(match self.text().as_bytes().first() {
            Some(b'{') => {
                let member = |(key, value): (Self, Self)| Some((string(key)?.into_owned(), value.tree(string)?));
                Value::Object(self.members()?.into_iter().map(member).collect::<Option<_>>()?)
            }
            Some(b'[') => self.elements()?.into_iter().map(|element| element.tree(string)).collect::<Option<_>>()?,
            Some(b'"') => Value::String(string(self)?.into_owned()),
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            Some(b'n') | None => Value::Null,
            Some(_) => self.text().parse().map(Value::Number).ok()?,
        })
    }

    /// Returns the elements of an array; None for a value of another type.
    pub fn elements(self) -> Option<Vec<Self>> {
        let mut elements = Vec::new();
        let element = |scanner: &mut Scanner<'_>| {
            elements.push(Self { span: scanner.value()?, ..self });
            Ok(())
        };
        self.scanner().array(element).ok()?;
        Some(elements)
    }

    /// Returns the members of an object as key and value; None for a value of another type.
    pub fn members(self) -> Option<Vec<(Self, Self)>> {
        let mut members = Vec::new();
        let at = |span| Self { span, ..self };
        self.scanner().object(|key, value| members.push((at(key), at(value)))).ok()?;
        Some(members)
    }

    /// Returns the last member of an object with this key; None without one.
    pub fn member(self, name: &str) -> Option<Self> {
        let mut members = self.members()?.into_iter();
        members.rfind(|(key, _)| key.string().is_some_and(|key| key == name)).map(|(_, member)| member)
    }
}

/// The bytes of a string, which `serde_json` returns even if they are not UTF-8.
struct Wtf8(Vec<u8>);

impl<'de> Deserialize<'de> for Wtf8 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_byte_buf(Wtf8Visitor)
    }
}

struct Wtf8Visitor;

impl Visitor<'_> for Wtf8Visitor {
    type Value = Wtf8;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Wtf8, E> {
        Ok(Wtf8(bytes.to_vec()))
    }
}

/// Returns the JSON text in ASCII, with other characters as `\uXXXX`, as the signature payload requires.
///
/// JSON has such characters only inside of strings, so the value stays the same.
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
