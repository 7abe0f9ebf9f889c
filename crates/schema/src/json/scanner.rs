//! The JSON scanner.

use super::span::{Malformed, Reason, Span};
use super::text::plain;

/// The deepest nesting of arrays and objects; the limit of `serde_json`.
const MAX_DEPTH: usize = 127;

/// Scans a JSON text once and validates all of it.
pub struct Scanner<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) depth: usize,
}

impl<'a> Scanner<'a> {
    /// Returns a scanner at the beginning of a string.
    ///
    /// Rejects a string of 4 GiB or more, because spans could not index it.
    pub fn new(text: &'a str) -> Result<Self, Malformed> {
        if u32::try_from(text.len()).is_err() {
            return Err(Malformed { reason: Reason::TooLong, at: 0 });
        }
        Ok(Self { text: text.as_bytes(), at: 0, depth: 0 })
    }

    /// Finds the single value of a string.
    pub fn whole(text: &'a str) -> Result<Span, Malformed> {
        let mut scanner = Self::new(text)?;
        let span = scanner.value()?;
        scanner.finish()?;
        Ok(span)
    }

    /// Skips white space and returns the first character of the next value.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// Returns an error if anything but white space follows the value.
    pub fn finish(&mut self) -> Result<(), Malformed> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.malformed(Reason::TextAfterValue)),
        }
    }

    /// Skips the next value and returns its span.
    #[inline]
    pub fn value(&mut self) -> Result<Span, Malformed> {
        // Most values are strings or null without white space before them.
        let start = self.at;
        match self.byte() {
            Some(b'"') => self.string(),
            Some(b'n') => self.word(b"null").map(|()| self.span_from(start)),
            _ => self.any_value(),
        }
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

    /// Skips an object, and calls `member` with the key, in its quotes, and the value of each member.
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

    /// Skips to the next value of an object and returns the key in its quotes; None at the object's end.
    ///
    /// A comma is required before a member that follows another one.
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

    /// Skips to the next value of an object if its key is `key`, formatted as the service formats it, and returns the key in
    /// its quotes; None if anything else comes next.
    pub(super) fn passes_key(&mut self, key: &str, follows: bool) -> Option<Span> {
        let rest = self.text.get(self.at..)?;
        let after = if follows { rest.strip_prefix(b",")? } else { rest };
        let after = after.strip_prefix(b"\"")?.strip_prefix(key.as_bytes())?.strip_prefix(b"\":")?;
        let start = self.at + usize::from(follows);
        self.at += rest.len() - after.len() - 1;
        let key = self.span_from(start);
        self.at += 1;
        Some(key)
    }

    /// Skips an array. `element` is called before each element and must skip it.
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

    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    // The offset fits, because `new` rejects longer strings.
    #[cold]
    #[allow(clippy::cast_possible_truncation)]
    fn malformed(&self, reason: Reason) -> Malformed {
        Malformed { reason, at: self.at as u32 }
    }

    /// Returns to a value at the same depth, to scan it again.
    pub fn back_to(&mut self, position: usize) {
        self.at = position;
    }

    /// Returns the text that is scanned.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the offset of the next byte.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the span from the byte at `start` to the current position.
    // Both ends fit, because `new` rejects longer strings.
    #[allow(clippy::cast_possible_truncation)]
    pub fn span_from(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    /// Skips the beginning of an array or an object.
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
            while let Some(bytes) = self.text.get(self.at..).and_then(<[u8]>::first_chunk) {
                let plain = plain(*bytes);
                self.at += plain;
                if plain < bytes.len() {
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

    /// Skips four hexadecimal digits. Half of a surrogate pair is accepted: only its own string is unreadable, not the whole
    /// text.
    fn unicode_escape(&mut self) -> Result<(), Malformed> {
        let digits = self.text.get(self.at + 1..self.at + 5).unwrap_or_default();
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(self.malformed(Reason::NotHexadecimal));
        }
        if digits.len() < 4 {
            return Err(self.malformed(Reason::FewHexadecimal));
        }
        self.at += 5;
        Ok(())
    }
}
