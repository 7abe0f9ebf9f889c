//! Positions of values in a string, and errors at a position.

/// The position of a value in a string: the byte offsets of its first character and past its last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    /// Returns the span between two short offsets.
    pub fn new(start: u16, end: u16) -> Self {
        Self { start: start.into(), end: end.into() }
    }

    /// Returns the span in short offsets, if they suffice.
    pub fn short(self) -> Option<(u16, u16)> {
        Some((self.start.try_into().ok()?, self.end.try_into().ok()?))
    }

    /// Returns the span in short offsets from `origin`, cut if they do not suffice.
    #[inline]
    #[allow(clippy::cast_possible_truncation)]
    pub fn short_from(self, origin: usize) -> (u16, u16) {
        let from = |offset: u32| (offset as usize).wrapping_sub(origin) as u16;
        (from(self.start), from(self.end))
    }

    /// Returns the same span after the text was moved from `from` to `to`.
    // Neither exceeds a string, and `Scanner::new` rejects one whose offsets would not fit.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)]
    pub fn moved(self, from: usize, to: usize) -> Self {
        if self.is_absent() {
            return self;
        }
        let moved = |offset: u32| (offset as usize + to).saturating_sub(from) as u32;
        Self { start: moved(self.start), end: moved(self.end) }
    }

    /// Returns true if the value is absent.
    #[inline]
    pub fn is_absent(self) -> bool {
        self.end == 0
    }

    /// Returns the byte offsets of the value in its text.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the part of a string that the span covers.
    #[inline]
    pub fn of(self, source: &str) -> &str {
        source.get(self.range()).unwrap_or_default()
    }
}

/// A syntax error of a JSON text, with its byte offset.
///
/// It is as small as a [`Span`], so that the result of scanning a value stays in registers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {at}")]
pub struct Malformed {
    pub(super) reason: Reason,
    pub(super) at: u32,
}

/// Defines the syntax errors and their messages.
macro_rules! reasons {
    ($($reason:ident = $words:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        pub(super) enum Reason {
            $(#[error($words)] $reason,)*
        }
    };
}

reasons! {
    TooLong = "4 GiB or more";
    TextAfterValue = "text after the value";
    NoValue = "not a JSON value";
    EndsBeforeValue = "the text ends where a value is missing";
    EndsInValue = "the text ends inside a value";
    EndsInQuotes = "the text ends inside a string";
    NoKey = "a key in quotes is missing";
    NoColon = "a colon is missing";
    NoComma = "a comma is missing";
    OtherKind = "another kind of value was expected";
    TooDeep = "nested too deep";
    LeadingZero = "a number may not begin with 0";
    NoDigit = "a digit is missing";
    ControlCharacter = "a control character inside a string";
    UnknownEscape = "an invalid escape";
    NotHexadecimal = "not a hexadecimal digit";
    FewHexadecimal = "four hexadecimal digits are missing";
}
