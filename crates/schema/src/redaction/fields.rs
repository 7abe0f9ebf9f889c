//! Replaces the values of secret fields and parameters, whose names may be escaped as well.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr_iter, memchr2_iter, memrchr};

use super::view::{DecodedView, decoded, each_view, is_folded};

/// The object whose arrays have messages about each field instead of the fields' values.
pub const MESSAGES: &str = "error_attributes";

/// The longest escaped name that is decoded, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// Returns the secret field with a name.
pub(crate) type SecretName<'a> = &'a dyn Fn(&str) -> Option<&'static str>;

/// Returns the replacement of a secret field's value.
pub(crate) type Replace<'a> = &'a mut dyn FnMut(&'static str, &str) -> String;

/// Replaces the values of secret fields in a string that may be JSON, even truncated, or contain JSON or queries in any escapes.
///
/// Null stays null, and so do arrays of messages.
pub fn replace_field_values(text: &str, secret_name: SecretName<'_>, replace: Replace<'_>) -> String {
    if !text.contains([':', '=', '\\', '%', '&']) {
        return text.to_owned();
    }
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for SecretValue { source, name, held, quotes, .. } in widest(find_values(text, secret_name)) {
        let quoted = |at: &Range<usize>| text.get(at.clone()).unwrap_or_default();
        let [before, after] = quotes.each_ref().map(quoted);
        clean.extend([text.get(done..source.start).unwrap_or_default(), before, &replace(name, &held), after]);
        done = source.end;
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    clean
}

/// Returns the values of secret fields and parameters in all views of a string, in no order.
pub(super) fn find_values(text: &str, secret_name: SecretName<'_>) -> Vec<SecretValue> {
    let mut values = SecretValues::default();
    each_view(text, &mut |view| {
        FieldSearch { view, secret_name, messages: 0, hidden: 0, values: &mut values }.find();
        find_parameters(view, secret_name, &mut values);
    });
    values.found
}

/// Replaces the values of secret parameters in a query or a form.
pub fn replace_parameters(query: &str, secret_name: SecretName<'_>, replacement: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if secret_name(name).is_some() => Cow::Owned(format!("{name}={replacement}")),
        _ => Cow::Borrowed(pair),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// The value of a secret field.
pub(super) struct SecretValue {
    /// The position in the source, without its quotes.
    source: Range<usize>,
    name: &'static str,
    /// The value itself: a string without quotes and escapes, or the text of any other value.
    pub(super) held: String,
    /// True if the value is neither a string nor an array nor an object.
    is_word: bool,
    /// The quotes in the source, which are repeated around the replacement.
    quotes: [Range<usize>; 2],
}

/// The values that were found. Each part of the source is included once, however many views show it.
#[derive(Default)]
struct SecretValues {
    found: Vec<SecretValue>,
    known: HashSet<(usize, usize, bool)>,
}

impl SecretValues {
    fn add(&mut self, value: SecretValue) {
        if self.known.insert((value.source.start, value.source.end, value.is_word)) {
            self.found.push(value);
        }
    }
}

/// Returns the values in the order of the source. Overlapping values are merged into the first one.
fn widest(mut values: Vec<SecretValue>) -> Vec<SecretValue> {
    // Where a quote is escaped, a view in which it is still escaped has a bare word in the place of a string.
    let (words, mut strings): (Vec<_>, Vec<_>) = values.into_iter().partition(|value| value.is_word);
    strings.sort_by_key(|value| value.source.start);
    let next = |word: &SecretValue| strings.partition_point(|string| string.source.start < word.source.start);
    let is_string =
        |word: &SecretValue| strings.get(next(word)).is_some_and(|string| string.source.start < word.source.end);
    let words: Vec<_> = words.into_iter().filter(|word| !is_string(word)).collect();
    values = strings;
    values.extend(words);
    values.sort_by_key(|value| (value.source.start, std::cmp::Reverse(value.source.end)));
    let mut kept: Vec<SecretValue> = Vec::with_capacity(values.len());
    for value in values {
        match kept.last_mut().filter(|last| value.source.start < last.source.end || value.source == last.source) {
            Some(last) => last.source.end = last.source.end.max(value.source.end),
            None => kept.push(value),
        }
    }
    kept
}

/// The search for the secret fields of JSON, and of Ruby's hashes, in a view.
struct FieldSearch<'a> {
    view: &'a DecodedView<'a>,
    secret_name: SecretName<'a>,
    /// The end of the messages that were found last.
    messages: usize,
    /// The end of the value that was found last. Nothing in it is searched again, so that nesting costs no more time.
    hidden: usize,
    values: &'a mut SecretValues,
}

/// The name of a field and where its value begins.
struct QuotedName<'a> {
    name: &'a str,
    /// The quote after the name.
    quote: usize,
    /// The first byte of the value.
    start: usize,
}

impl<'a> QuotedName<'a> {
    /// Reads the quoted name before a separator: a colon, or the `=>` of Ruby.
    fn before(bytes: &'a [u8], separator: usize) -> Option<Self> {
        let length = match bytes.get(separator..)? {
            [b':', ..] => 1,
            [b'=', b'>', ..] => 2,
            _ => return None,
        };
        // In a form, a space is a plus sign.
        let quote = bytes.get(..separator)?.iter().rposition(|byte| !is_folded(*byte))?;
        let before = bytes.get(quote.saturating_sub(MAX_NAME_LENGTH)..quote)?;
        if bytes.get(quote) != Some(&b'"') {
            return None;
        }
        let name = std::str::from_utf8(before.get(memrchr(b'"', before)? + 1..)?).ok()?;
        let spaces = bytes.get(separator + length..)?.iter().take_while(|byte| is_folded(**byte)).count();
        let start = separator + length + spaces;
        Some(Self { name, quote, start })
    }
}

impl FieldSearch<'_> {
    fn find(&mut self) {
        for separator in memchr2_iter(b':', b'=', self.view.bytes()) {
            let _ = self.field(separator);
        }
    }

    /// Adds the field with this separator, if it is secret.
    fn field(&mut self, separator: usize) -> Option<()> {
        if separator < self.hidden {
            return None;
        }
        let bytes = self.view.bytes();
        let QuotedName { name, quote, start } = QuotedName::before(bytes, separator)?;
        // The service writes this name without escapes.
        if separator >= self.messages && name == MESSAGES && bytes.get(start) == Some(&b'{') {
            self.messages = nested_end(bytes, start);
        }
        let name = (self.secret_name)(name)?;
        let value = match *bytes.get(start)? {
            // If the parent has the string as well, its end is more accurate there.
            b'"' if self.is_in_parent(separator, start) => return None,
            b'"' => self.string(name, start),
            b'[' if separator < self.messages => return None,
            _ => self.other(name, start, quote)?,
        };
        self.values.add(value);
        Some(())
    }

    /// Returns true if the parent has a secret field with the same separator and the same beginning of the value.
    fn is_in_parent(&self, separator: usize, start: usize) -> bool {
        let known = || {
            let (parent, separator) = self.view.unchanged(separator)?;
            let key = QuotedName::before(parent.bytes(), separator)?;
            (self.secret_name)(key.name)?;
            Some(self.view.unchanged(start)?.1 == key.start)
        };
        known().unwrap_or(false)
    }

    fn string(&mut self, name: &'static str, start: usize) -> SecretValue {
        let bytes = self.view.bytes();
        let close = closing_quote(bytes, start);
        self.hidden = close.unwrap_or(bytes.len());
        let open = self.view.source(start..start + 1);
        let text = bytes.get(start + 1..close.unwrap_or(bytes.len())).unwrap_or_default();
        let text = String::from_utf8_lossy(text).into_owned();
        let held = serde_json::from_str(&format!("\"{text}\"")).unwrap_or(text);
        let (end, closing) = match close {
            Some(close) => (self.view.source(close..close + 1).start, 0..0),
            // A string that is cut off gets the missing quote.
            None => (self.view.source(start..bytes.len()).end, open.clone()),
        };
        SecretValue { source: open.end..end, name, held, is_word: false, quotes: [0..0, closing] }
    }

    fn other(&mut self, name: &'static str, start: usize, quote: usize) -> Option<SecretValue> {
        let bytes = self.view.bytes();
        let is_word = !matches!(bytes.get(start)?, b'{' | b'[');
        let end = if is_word {
            start + bytes.get(start..)?.iter().take_while(|byte| !b",}]\"'<&\\".contains(byte)).count()
        } else {
            self.hidden = nested_end(bytes, start);
            self.hidden
        };
        let text = bytes.get(start..end)?.trim_ascii_end();
        if text.is_empty() || text == b"null" || text == b"nil" {
            return None;
        }
        let quote = self.view.source(quote..quote + 1);
        let held = String::from_utf8_lossy(text).into_owned();
        let source = self.view.source(start..start + text.len());
        Some(SecretValue { source, name, held, is_word, quotes: [quote.clone(), quote] })
    }
}

/// Adds the secret parameters in a view: `name=value` at the beginning, or after a character that no name contains.
fn find_parameters(view: &DecodedView<'_>, secret_name: SecretName<'_>, values: &mut SecretValues) {
    let bytes = view.bytes();
    // The end of the last name or value. Nothing before it is searched again, so that repetitions cost no more time.
    let mut done = 0;
    for equals in memchr_iter(b'=', bytes) {
        if equals < done {
            continue;
        }
        let first = done.max(equals.saturating_sub(MAX_NAME_LENGTH));
        done = equals + 1;
        let Some(name) = parameter_name(bytes, first..equals).and_then(secret_name) else { continue };
        let value = parameter_value(bytes.get(equals + 1..).unwrap_or_default());
        if value.is_empty() {
            continue;
        }
        done = equals + 1 + value.len();
        let held = decoded(&String::from_utf8_lossy(value)).pop().unwrap_or_default();
        let held = String::from_utf8_lossy(&held).into_owned();
        values.add(SecretValue {
            source: view.source(equals + 1..done),
            name,
            held,
            is_word: false,
            quotes: [0..0, 0..0],
        });
    }
}

/// Returns the name that a part ends in.
fn parameter_name(bytes: &[u8], part: Range<usize>) -> Option<&str> {
    let is_first = part.start == 0;
    let part = bytes.get(part)?;
    // A name may contain escapes of JSON and URLs; those of HTML are found when they are decoded.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-%\\".contains(byte);
    let name = match part.iter().rposition(|byte| !is_part(byte)) {
        Some(last) => part.get(last + 1..)?,
        None => is_first.then_some(part)?,
    };
    std::str::from_utf8(name).ok()
}

/// Returns the value that a string begins with.
fn parameter_value(text: &[u8]) -> &[u8] {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"&#\"'<>".contains(byte);
    let end = text.iter().position(ends).unwrap_or(text.len());
    let value = text.get(..end).unwrap_or_default();
    // A backslash before a quote belongs to the quote.
    let escapes = if matches!(text.get(end), Some(b'"' | b'\'')) {
        value.iter().rev().take_while(|byte| **byte == b'\\').count()
    } else {
        0
    };
    value.get(..value.len() - escapes).unwrap_or_default()
}

/// Returns the last quote of the string whose first quote is at `start`; None if the string is truncated.
fn closing_quote(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns where the object or array ends that begins at `start`, or the end of the text if it is cut.
fn nested_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => match closing_quote(bytes, at) {
                Some(close) => at = close,
                None => return bytes.len(),
            },
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') => depth = depth.saturating_sub(1),
            Some(_) => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
}
