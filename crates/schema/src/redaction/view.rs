//! Views of a string: the string itself, and the results of decoding its escapes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;

use super::escapes::Syntax;

/// The number of nested syntaxes that are decoded separately, such as JSON in a URL.
const SEQUENCE: usize = 2;

/// The number of times that the escapes of all syntaxes are decoded together, such as JSON in strings of JSON.
const PASSES: usize = 8;

/// A text, decoded or not, with the position of each part in the source.
pub(super) struct DecodedView<'a> {
    bytes: Cow<'a, [u8]>,
    changes: Vec<Replacement>,
    parent: Option<&'a DecodedView<'a>>,
}

/// A part of a view that replaces a part of its parent.
struct Replacement {
    at: usize,
    length: usize,
    parent: Range<usize>,
}

impl Replacement {
    fn end(&self) -> usize {
        self.at + self.length
    }
}

/// Calls `visit` with the string as it is, and with each string that it may be decoded to.
///
/// Each sequence of up to two syntaxes is decoded separately. From each result on, all syntaxes are decoded together, for strings
/// that mix them or nest them deeper.
pub(super) fn each_view(text: &str, visit: &mut dyn FnMut(&DecodedView<'_>)) {
    let source = DecodedView { bytes: Cow::Borrowed(text.as_bytes()), changes: Vec::new(), parent: None };
    sequences(&source, SEQUENCE, visit);
}

fn sequences(view: &DecodedView<'_>, left: usize, visit: &mut dyn FnMut(&DecodedView<'_>)) {
    visit(view);
    together(view, PASSES, visit);
    let Some(left) = left.checked_sub(1) else { return };
    for syntax in Syntax::ALL {
        if let Some(decoded) = view.decoded(&[syntax]) {
            sequences(&decoded, left, visit);
        }
    }
}

fn together(view: &DecodedView<'_>, left: usize, visit: &mut dyn FnMut(&DecodedView<'_>)) {
    let Some(left) = left.checked_sub(1) else { return };
    if let Some(decoded) = view.decoded(&Syntax::ALL) {
        visit(&decoded);
        together(&decoded, left, visit);
    }
}

/// Returns a string with all its escapes decoded, and each intermediate string, the given one first.
pub(super) fn decoded(text: &str) -> Vec<Vec<u8>> {
    let mut texts = vec![text.as_bytes().to_vec()];
    let source = DecodedView { bytes: Cow::Borrowed(text.as_bytes()), changes: Vec::new(), parent: None };
    together(&source, PASSES, &mut |view| texts.push(view.bytes.to_vec()));
    texts
}

impl<'a> DecodedView<'a> {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Decodes the escapes of some syntaxes once; returns None if there are none.
    fn decoded<'b>(&'b self, syntaxes: &[Syntax]) -> Option<DecodedView<'b>>
    where
        'a: 'b,
    {
        let mut decoder = Decoder::new(self);
        let mut from = 0;
        while let Some(found) = memchr3(b'\\', b'%', b'&', self.bytes.get(from..)?) {
            let at = from + found;
            let rest = self.bytes.get(at..)?;
            from = match syntaxes.iter().find_map(|syntax| syntax.escape(rest)) {
                Some((length, bytes)) => decoder.replace(at..at + length, &bytes),
                None => at + 1,
            };
        }
        decoder.finish()
    }

    /// Removes white space, and the `+` that encodes a space in a query string, so that a wrapped or form-encoded secret
    /// matches the plain one.
    pub(super) fn folded<'b>(&'b self) -> DecodedView<'b>
    where
        'a: 'b,
    {
        let mut decoder = Decoder::new(self);
        let mut from = 0;
        while let Some(rest) = self.bytes.get(from..).filter(|rest| !rest.is_empty()) {
            let Some(found) = rest.iter().position(|byte| is_folded(*byte)) else { break };
            let length = rest.iter().skip(found).take_while(|byte| is_folded(**byte)).count();
            from = decoder.replace(from + found..from + found + length, &[]);
        }
        decoder.finish().unwrap_or_else(|| DecodedView {
            bytes: Cow::Borrowed(&self.bytes),
            changes: Vec::new(),
            parent: Some(self),
        })
    }

    /// Returns the position in the source of a part that is not empty, extended to whole characters.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        let Some(parent) = self.parent else { return whole_characters(&self.bytes, range) };
        let last = range.end.saturating_sub(1);
        let start = self.parent_of(range.start).start;
        parent.source(start..self.parent_of(last).end)
    }

    /// Returns the part of the parent that the byte at an offset was decoded from.
    fn parent_of(&self, at: usize) -> Range<usize> {
        let count = self.changes.partition_point(|change| change.at <= at);
        match count.checked_sub(1).and_then(|last| self.changes.get(last)) {
            None => at..at + 1,
            Some(change) if at < change.end() => change.parent.clone(),
            Some(change) => {
                let start = change.parent.end + at - change.end();
                start..start + 1
            }
        }
    }

    /// Returns the parent and the offset in it of an unchanged byte; None if the byte was decoded.
    pub(super) fn unchanged(&self, at: usize) -> Option<(&DecodedView<'a>, usize)> {
        let count = self.changes.partition_point(|change| change.at <= at);
        let last = count.checked_sub(1).and_then(|last| self.changes.get(last));
        let is_changed = last.is_some_and(|change| at < change.end());
        let parent = self.parent.filter(|_| !is_changed)?;
        Some((parent, self.parent_of(at).start))
    }
}

/// Rounds a range of UTF-8 outwards to the boundaries of characters.
fn whole_characters(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let continues = |byte: &&u8| **byte & 0xc0 == 0x80;
    let before = bytes.get(..=range.start).unwrap_or_default().iter().rev().take_while(continues).count();
    let after = bytes.get(range.end..).unwrap_or_default().iter().take_while(continues).count();
    range.start - before..range.end + after
}

/// Returns a string in the form in which it is compared.
pub(super) fn fold(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !is_folded(*byte)).collect()
}

pub(super) fn is_folded(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'+' | 0x0b)
}

/// A view that is being built.
struct Decoder<'a> {
    parent: &'a DecodedView<'a>,
    bytes: Vec<u8>,
    changes: Vec<Replacement>,
    done: usize,
}

impl<'a> Decoder<'a> {
    fn new<'b: 'a>(parent: &'a DecodedView<'b>) -> Self {
        Self { parent, bytes: Vec::new(), changes: Vec::new(), done: 0 }
    }

    /// Replaces a part of the parent and returns its end.
    fn replace(&mut self, part: Range<usize>, bytes: &[u8]) -> usize {
        if self.changes.is_empty() {
            self.bytes.reserve(self.parent.bytes.len());
        }
        self.bytes.extend_from_slice(self.parent.bytes.get(self.done..part.start).unwrap_or_default());
        self.done = part.end;
        self.changes.push(Replacement { at: self.bytes.len(), length: bytes.len(), parent: part });
        self.bytes.extend_from_slice(bytes);
        self.done
    }

    fn finish(mut self) -> Option<DecodedView<'a>> {
        if self.changes.is_empty() {
            return None;
        }
        self.bytes.extend_from_slice(self.parent.bytes.get(self.done..).unwrap_or_default());
        Some(DecodedView { bytes: Cow::Owned(self.bytes), changes: self.changes, parent: Some(self.parent) })
    }
}
