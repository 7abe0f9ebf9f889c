//! Finds records in a string, and the fields of each.

use std::sync::Arc;

use super::fields::{FieldSpans, Fields};
use crate::field::{FieldSpec, RecordSpec};
use crate::json::{Json, Malformed, MemberVisitor, ObjectLayout, Scanner, Span};
use crate::values::MAX_ELEMENTS;

/// The bytes of a page that its records share before the next block begins.
///
/// A record that is kept keeps no more of its page in memory than that, and its offset in the block is short.
const BLOCK: usize = 16 * 1024;

/// Finds the record that is the whole text, which need not be an object.
pub(super) fn one(spec: &'static RecordSpec, text: &str) -> Result<Fields, Malformed> {
    let mut scanner = Scanner::new(text)?;
    let found = next(spec, &mut scanner)?;
    scanner.finish()?;
    Ok(found.over(Arc::from(text)))
}

/// Finds the record that comes next, if no similar ones follow.
pub(super) fn next(spec: &'static RecordSpec, scanner: &mut Scanner<'_>) -> Result<FoundRecord, Malformed> {
    Finder::new(spec).next(scanner, 0, None)
}

/// Finds the records of an array; returns None if the text is JSON of another type.
pub(super) fn many(spec: &'static RecordSpec, text: &str) -> Result<Option<Vec<Fields>>, Malformed> {
    let mut scanner = Scanner::new(text)?;
    if scanner.peek() != Some(b'[') {
        scanner.value()?;
        scanner.finish()?;
        return Ok(None);
    }
    let (mut finder, mut layout) = (Finder::new(spec), ObjectLayout::of(spec.rows.len()));
    let mut page = Page { text, records: Vec::new(), origin: 0, block: Vec::new() };
    scanner.array(|scanner| page.take(&mut finder, &mut layout, scanner))?;
    scanner.finish()?;
    page.end_block();
    Ok(Some(page.records))
}

/// The records of a page, which share its text in blocks.
struct Page<'a> {
    text: &'a str,
    records: Vec<Fields>,
    /// The offset of the current block.
    origin: usize,
    block: Vec<FoundRecord>,
}

impl Page<'_> {
    /// Adds the next element.
    fn take(
        &mut self,
        finder: &mut Finder,
        layout: &mut ObjectLayout,
        scanner: &mut Scanner<'_>,
    ) -> Result<(), Malformed> {
        scanner.peek();
        if scanner.position() - self.origin >= BLOCK {
            self.end_block();
            self.origin = scanner.position();
        }
        let found = finder.next(scanner, self.origin, Some(layout))?;
        // One record more shows that there are too many; the others are only scanned.
        if self.records.len() + self.block.len() <= MAX_ELEMENTS {
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

impl Fields {
    /// Returns the fields of a record that is nested in another one.
    pub fn within(spec: &'static RecordSpec, json: Json<'_>) -> Self {
        let source = json.source();
        let found = next(spec, &mut json.scanner());
        // The nested record was scanned with the outer one, so this can't fail.
        found.unwrap_or_else(|_| FoundRecord::malformed(spec, json.span())).over(Arc::clone(source))
    }
}

/// The positions that were found of one record.
pub(super) struct FoundRecord {
    spec: &'static RecordSpec,
    whole: Span,
    known: FieldSpans,
    extra: Box<[(Span, Span)]>,
    malformed: bool,
}

impl FoundRecord {
    /// Returns a record that is not an object.
    pub(super) fn malformed(spec: &'static RecordSpec, whole: Span) -> Self {
        Self { spec, whole, known: FieldSpans::Short(Box::default()), extra: Box::default(), malformed: true }
    }

    /// Returns the fields with the text that contains them.
    pub(super) fn over(self, source: Arc<str>) -> Fields {
        let Self { spec, whole, known, extra, malformed } = self;
        Fields { spec, source, whole, known, extra, malformed }
    }
}

/// Finds the fields of one object after the other.
struct Finder {
    spec: &'static RecordSpec,
    /// The field after the one that was looked up last.
    next_row: usize,
}

impl Finder {
    fn new(spec: &'static RecordSpec) -> Self {
        Self { spec, next_row: 0 }
    }

    /// Scans the next value, which should be an object, with that layout if similar ones follow. Positions are relative to
    /// `origin`.
    fn next(
        &mut self,
        scanner: &mut Scanner<'_>,
        origin: usize,
        mut layout: Option<&mut ObjectLayout>,
    ) -> Result<FoundRecord, Malformed> {
        if scanner.peek() != Some(b'{') {
            return Ok(FoundRecord::malformed(self.spec, scanner.value()?.moved(origin, 0)));
        }
        let start = scanner.position();
        let found = self.object(scanner, origin, layout.as_deref_mut(), FieldSpans::Short)?;
        if found.whole.short().is_some() {
            return Ok(found);
        }
        scanner.back_to(start);
        self.object(scanner, origin, layout, FieldSpans::Long)
    }

    fn object<P: SpanRepr>(
        &mut self,
        scanner: &mut Scanner<'_>,
        origin: usize,
        layout: Option<&mut ObjectLayout>,
        places: impl FnOnce(Box<[P]>) -> FieldSpans,
    ) -> Result<FoundRecord, Malformed> {
        let known = vec![P::default(); self.spec.rows.len()].into_boxed_slice();
        let Self { spec, ref mut next_row } = *self;
        let rows = spec.rows;
        let mut sorter = MemberSorter { rows, text: scanner.text(), origin, known, extra: Vec::new(), next_row };
        let whole = match layout {
            Some(layout) => scanner.object_like(layout, &mut sorter)?,
            None => scanner.only_object(&mut sorter)?,
        };
        let (known, extra) = (places(sorter.known), sorter.extra.into());
        Ok(FoundRecord { spec, whole: whole.moved(origin, 0), known, extra, malformed: false })
    }
}

/// The representation of a value's position.
trait SpanRepr: Copy + Default {
    /// Returns the position of `span`, relative to `origin`.
    fn of(span: Span, origin: usize) -> Self;
}

impl SpanRepr for (u16, u16) {
    #[inline]
    fn of(span: Span, origin: usize) -> Self {
        span.short_from(origin)
    }
}

impl SpanRepr for Span {
    fn of(span: Span, origin: usize) -> Self {
        span.moved(origin, 0)
    }
}

/// Sorts the members of an object into documented fields, numbered by their index, and others.
struct MemberSorter<'a, P> {
    rows: &'static [FieldSpec],
    text: &'a [u8],
    origin: usize,
    known: Box<[P]>,
    extra: Vec<(Span, Span)>,
    /// The expected field: a service often writes fields in the documented order.
    next_row: &'a mut usize,
}

impl<P: SpanRepr> MemberVisitor for MemberSorter<'_, P> {
    fn next_key(&self) -> Option<&'static str> {
        self.rows.get(*self.next_row).map(|row| row.wire)
    }

    fn number(&mut self, key: Span) -> usize {
        self.look_up(key).unwrap_or(self.rows.len())
    }

    #[inline]
    fn take(&mut self, number: usize, key: impl FnOnce() -> Span, value: Span) {
        // Of members with the same key the last one counts, as in `serde_json`.
        if let Some(place) = self.known.get_mut(number) {
            *place = P::of(value, self.origin);
        } else {
            let [key, value] = [key(), value].map(|span| span.moved(self.origin, 0));
            self.extra.push((key, value));
        }
    }
}

impl<P> MemberSorter<'_, P> {
    fn look_up(&mut self, key: Span) -> Option<usize> {
        let quoted = self.text.get(key.range())?;
        let mut likely = (*self.next_row..self.rows.len()).chain(0..*self.next_row);
        let row = likely.find(|row| self.is_named(*row, quoted)).or_else(|| self.escaped_row(quoted))?;
        *self.next_row = row + 1;
        Some(row)
    }

    // The raw bytes of an escaped key differ from its name, but no documented name has a backslash in it.
    fn is_named(&self, row: usize, quoted: &[u8]) -> bool {
        let inner = quoted.get(1..quoted.len().saturating_sub(1));
        self.rows.get(row).is_some_and(|row| Some(row.wire.as_bytes()) == inner)
    }

    fn escaped_row(&self, quoted: &[u8]) -> Option<usize> {
        memchr::memchr(b'\\', quoted)?;
        let name: String = serde_json::from_slice(quoted).ok()?;
        self.rows.iter().position(|row| row.wire == name)
    }
}
