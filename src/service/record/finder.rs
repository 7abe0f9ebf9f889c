//! Finds records in a text, and the fields of each.

use std::sync::Arc;

use super::Row;
use super::fields::{Fields, Places};
use crate::service::json::{Malformed, Scanner, Span};
use crate::service::values::MOST_ELEMENTS;

/// How many bytes of a page its records share before others begin to share the next ones.
///
/// A record that is kept keeps no more of its page than that, and where it begins in it fits a short offset.
const BLOCK: usize = 16 * 1024;

/// The record that is the whole text, be it an object or not.
pub(super) fn one(rows: &'static [Row], text: &str) -> Result<Fields, Malformed> {
    let mut scanner = Scanner::new(text)?;
    let found = Finder::new(rows, text).next(&mut scanner, 0)?;
    scanner.finish()?;
    Ok(found.over(Arc::from(text)))
}

/// The records of an array; None if the text is JSON of another type.
pub(super) fn many(rows: &'static [Row], text: &str) -> Result<Option<Vec<Fields>>, Malformed> {
    let mut scanner = Scanner::new(text)?;
    if scanner.peek() != Some(b'[') {
        scanner.value()?;
        scanner.finish()?;
        return Ok(None);
    }
    let mut finder = Finder::new(rows, text);
    let mut page = Page { text, records: Vec::new(), origin: 0, block: Vec::new() };
    scanner.array(|scanner| page.take(&mut finder, scanner))?;
    scanner.finish()?;
    page.end_block();
    Ok(Some(page.records))
}

/// The records of a page, which share its text by blocks.
struct Page<'a> {
    text: &'a str,
    records: Vec<Fields>,
    /// Where the block begins that is being filled.
    origin: usize,
    block: Vec<Found>,
}

impl Page<'_> {
    /// Takes the next element in.
    fn take(&mut self, finder: &mut Finder<'_>, scanner: &mut Scanner<'_>) -> Result<(), Malformed> {
        scanner.peek();
        if scanner.position() - self.origin >= BLOCK {
            self.end_block();
            self.origin = scanner.position();
        }
        let found = finder.next(scanner, self.origin)?;
        // One more tells that there are too many, and the others are only scanned.
        if self.records.len() + self.block.len() <= MOST_ELEMENTS {
            self.block.push(found);
        }
        Ok(())
    }

    fn end_block(&mut self) {
        let Some(last) = self.block.last() else { return };
        let end = self.origin + last.whole.range().end;
        let source: Arc<str> = Arc::from(self.text.get(self.origin..end).unwrap_or_default());
        self.records.extend(self.block.drain(..).map(|found| found.over(Arc::clone(&source))));
    }
}

/// What was found of one record in a text.
pub(super) struct Found {
    rows: &'static [Row],
    whole: Span,
    known: Places,
    extra: Box<[(Span, Span)]>,
    odd: bool,
}

impl Found {
    /// What is not an object.
    pub(super) fn odd(rows: &'static [Row], whole: Span) -> Self {
        Self { rows, whole, known: Places::of(&[], 0, whole), extra: Box::default(), odd: true }
    }

    /// The fields over the text that they were found in.
    pub(super) fn over(self, source: Arc<str>) -> Fields {
        let Self { rows, whole, known, extra, odd } = self;
        Fields { rows, source, whole, known, extra, odd }
    }
}

/// Sorts the members of objects into documented fields and others.
pub(super) struct Finder<'a> {
    rows: &'static [Row],
    text: &'a str,
    known: Vec<Span>,
    extra: Vec<(Span, Span)>,
    /// What led to each value of the object before: a service writes all its objects alike.
    leads: Vec<Lead>,
    /// The row after the one that was looked up last: a service writes fields in some order, and often in this one.
    next_row: usize,
}

/// What stands before a value in an object: the comma, the key and the colon, and the white space between them.
struct Lead {
    whole: Span,
    key: Span,
    /// The row that has the key; past all rows where the document does not know it.
    row: usize,
}

impl<'a> Finder<'a> {
    pub(super) fn new(rows: &'static [Row], text: &'a str) -> Self {
        let known = vec![Span::ABSENT; rows.len()];
        Self { rows, text, known, extra: Vec::new(), leads: Vec::new(), next_row: 0 }
    }

    /// Passes over the next value of a scanner, which should be an object. Its places are counted from `origin`.
    pub(super) fn next(&mut self, scanner: &mut Scanner<'_>, origin: usize) -> Result<Found, Malformed> {
        let odd = scanner.peek() != Some(b'{');
        let whole = if odd { scanner.value()? } else { self.object(scanner)? };
        Ok(self.found(whole, odd, origin))
    }

    fn object(&mut self, scanner: &mut Scanner<'_>) -> Result<Span, Malformed> {
        let start = scanner.position();
        scanner.enter(b'{')?;
        for member in 0.. {
            let begin = scanner.position();
            let row = match self.leads.get(member) {
                Some(lead) if scanner.passes(lead.whole) => lead.row,
                _ => match self.lead(scanner, member)? {
                    Some(row) => row,
                    None => break,
                },
            };
            let value = scanner.value()?;
            // Of members with the same key the last one counts, as in `serde_json`.
            match self.known.get_mut(row) {
                Some(place) => *place = value,
                None => self.keep(member, begin, value),
            }
        }
        Ok(scanner.span_from(start))
    }

    /// Passes over what leads to the next value, other than in the object before, and gives the row that has its key;
    /// None at the end of the object.
    #[cold]
    fn lead(&mut self, scanner: &mut Scanner<'_>, member: usize) -> Result<Option<usize>, Malformed> {
        let start = scanner.position();
        let Some(key) = scanner.key(member > 0)? else { return Ok(None) };
        let row = self.look_up(key).unwrap_or(self.rows.len());
        let lead = Lead { whole: scanner.span_from(start), key, row };
        match self.leads.get_mut(member) {
            Some(place) => *place = lead,
            None => self.leads.push(lead),
        }
        Ok(Some(row))
    }

    /// Keeps a member that the document does not know, what leads to it beginning at `begin`.
    fn keep(&mut self, member: usize, begin: usize, value: Span) {
        if let Some(lead) = self.leads.get(member) {
            self.extra.push((lead.key.moved(lead.whole.range().start, begin), value));
        }
    }

    fn look_up(&mut self, key: Span) -> Option<usize> {
        let quoted = key.of(self.text);
        let mut likely = (self.next_row..self.rows.len()).chain(0..self.next_row);
        let row = likely.find(|row| self.is_named(*row, quoted)).or_else(|| self.escaped_row(quoted))?;
        self.next_row = row + 1;
        Some(row)
    }

    fn is_named(&self, row: usize, quoted: &str) -> bool {
        self.rows.get(row).is_some_and(|row| row.wire.as_bytes() == unquoted(quoted))
    }

    fn escaped_row(&self, quoted: &str) -> Option<usize> {
        memchr::memchr(b'\\', quoted.as_bytes())?;
        let name: String = serde_json::from_str(quoted).ok()?;
        self.rows.iter().position(|row| row.wire == name)
    }

    /// What was found since the last call, as that of the object at `whole`.
    fn found(&mut self, whole: Span, odd: bool, origin: usize) -> Found {
        let moved = |span: Span| span.moved(origin, 0);
        let known = Places::of(&self.known, origin, whole);
        self.known.fill(Span::ABSENT);
        let extra = self.extra.drain(..).map(|(key, value)| (moved(key), moved(value))).collect();
        Found { rows: self.rows, whole: moved(whole), known, extra, odd }
    }
}

/// What stands between the quotes of a key; nothing where it is escaped, for then it is not what it says.
fn unquoted(quoted: &str) -> &[u8] {
    let inner = quoted.as_bytes().get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains(&b'\\') { &[] } else { inner }
}
