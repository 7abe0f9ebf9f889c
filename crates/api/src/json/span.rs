//! Where a value stands in a text, and what is wrong with a text at some place of it.

/// Where a value stands in its document: the byte offsets of its first character and past its last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
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

    /// The place of a value in short offsets from `origin`, cut where they do not suffice.
    #[inline]
    #[allow(clippy::cast_possible_truncation)]
    pub fn short_from(self, origin: usize) -> (u16, u16) {
        let from = |offset: u32| (offset as usize).wrapping_sub(origin) as u16;
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
    #[inline]
    pub fn is_absent(self) -> bool {
        self.end == 0
    }

    /// The byte offsets of the value in its document.
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text that the span covers in its document.
    #[inline]
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
    pub(super) reason: Reason,
    pub(super) at: u32,
}

/// Writes down what may be wrong with a text, in words.
macro_rules! reasons {
    ($($reason:ident = $words:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
        pub(super) enum Reason {
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
    NotHexadecimal = "not a hexadecimal digit";
    FewHexadecimal = "four hexadecimal digits are missing";
}
