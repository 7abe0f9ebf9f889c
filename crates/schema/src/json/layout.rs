//! Layouts of objects. The next object with the same layout is scanned by comparing bytes.

use super::scanner::Scanner;
use super::span::{Malformed, Span};
use super::text::KnownText;

/// The layout of the objects and arrays at one place of a string. A service formats all values of a place alike.
#[derive(Default)]
pub struct ObjectLayout {
    /// The members of an object, in their order.
    members: Vec<MemberLayout>,
    /// The layout of the elements of an array.
    element: ValueLayout,
}

/// The layout of the values at a nested place. It is learned from the second value on, because a place with a single value has
/// no use for it.
#[derive(Default)]
struct ValueLayout {
    before: bool,
    layout: Option<Box<ObjectLayout>>,
}

/// The layout of one member of an object.
struct MemberLayout {
    /// The number that the visitor assigned to the key.
    number: usize,
    /// The span before the value: the comma, the key, the colon, and the white space between them.
    lead: Span,
    /// The same bytes for fast comparison, once they occurred again, unless there are too many.
    known_lead: Option<KnownText>,
    /// The key, in its quotes.
    key: Span,
    /// The layout of the value, if it is an object or an array.
    inside: ValueLayout,
}

impl MemberLayout {
    /// Returns the key of this member in another object, in which the bytes before its value begin at `begin`.
    fn key_at(&self, begin: usize) -> Span {
        self.key.moved(self.lead.range().start, begin)
    }

    /// Skips the bytes before the value, if they come next.
    #[inline]
    fn leads(&mut self, scanner: &mut Scanner<'_>) -> bool {
        let rest = scanner.text.get(scanner.at..).unwrap_or_default();
        let length = match &self.known_lead {
            Some(known) => known.begins(rest),
            None => self.leads_again(scanner.text, rest),
        };
        scanner.at += length.unwrap_or_default();
        length.is_some()
    }

    #[cold]
    fn leads_again(&mut self, text: &[u8], rest: &[u8]) -> Option<usize> {
        let lead = text.get(self.lead.range()).filter(|lead| rest.starts_with(lead))?;
        self.known_lead = KnownText::of(lead);
        Some(lead.len())
    }
}

/// Receives the members of an object while it is scanned.
pub trait MemberVisitor {
    /// Returns the key that is expected next.
    fn next_key(&self) -> Option<&'static str>;

    /// Assigns a number to a key, in its quotes.
    fn number(&mut self, key: Span) -> usize;

    /// Receives the value of a key by its number.
    fn take(&mut self, number: usize, key: impl FnOnce() -> Span, value: Span);
}

/// A visitor that ignores all members.
struct IgnoreMembers;

impl MemberVisitor for IgnoreMembers {
    fn next_key(&self) -> Option<&'static str> {
        None
    }

    fn number(&mut self, _key: Span) -> usize {
        0
    }

    fn take(&mut self, _number: usize, _key: impl FnOnce() -> Span, _value: Span) {}
}

impl Scanner<'_> {
    /// Scans the object that comes next, without learning its layout.
    pub fn only_object<V: MemberVisitor>(&mut self, visitor: &mut V) -> Result<Span, Malformed> {
        let start = self.position();
        self.enter(b'{')?;
        let mut follows = false;
        while let Some(key) = self.foreseen_key(visitor, follows)? {
            let (number, value) = (visitor.number(key), self.value()?);
            visitor.take(number, || key, value);
            follows = true;
        }
        Ok(self.span_from(start))
    }

    /// Skips to the next value of an object and returns the key in its quotes; None at the object's end.
    #[inline]
    fn foreseen_key<V: MemberVisitor>(&mut self, visitor: &V, follows: bool) -> Result<Option<Span>, Malformed> {
        let foreseen = visitor.next_key().and_then(|key| self.passes_key(key, follows));
        foreseen.map_or_else(|| self.key(follows), |key| Ok(Some(key)))
    }

    /// Scans the object that comes next, comparing it with the layout of its place.
    pub fn object_like<V: MemberVisitor>(
        &mut self,
        layout: &mut ObjectLayout,
        visitor: &mut V,
    ) -> Result<Span, Malformed> {
        let start = self.position();
        self.enter(b'{')?;
        for index in 0.. {
            let begin = self.position();
            if let Some(member) = layout.members.get_mut(index)
                && member.leads(self)
            {
                let value = self.value_like(&mut member.inside)?;
                visitor.take(member.number, || member.key_at(begin), value);
                continue;
            }
            let Some(member) = layout.learn(index, self, visitor)? else { break };
            let value = self.value_like(&mut member.inside)?;
            visitor.take(member.number, || member.key, value);
        }
        Ok(self.span_from(start))
    }

    /// Scans the value that comes next, comparing it with the layout of its place.
    #[inline]
    fn value_like(&mut self, seen: &mut ValueLayout) -> Result<Span, Malformed> {
        match self.byte() {
            Some(b'{' | b'[') => self.inside_like(seen),
            _ => self.value(),
        }
    }

    fn inside_like(&mut self, seen: &mut ValueLayout) -> Result<Span, Malformed> {
        if !std::mem::replace(&mut seen.before, true) {
            return self.value();
        }
        let layout = seen.layout.get_or_insert_default();
        match self.byte() {
            Some(b'{') => self.object_like(layout, &mut IgnoreMembers),
            _ => self.array(|scanner| scanner.value_like(&mut layout.element).map(drop)),
        }
    }
}

impl ObjectLayout {
    /// Returns the layout of objects with about this many members.
    pub fn of(members: usize) -> Self {
        Self { members: Vec::with_capacity(members), ..Self::default() }
    }

    /// Skips to the next value of an object with a different layout, and records its layout; returns None at the end of the
    /// object.
    #[cold]
    fn learn<V: MemberVisitor>(
        &mut self,
        index: usize,
        scanner: &mut Scanner<'_>,
        visitor: &mut V,
    ) -> Result<Option<&mut MemberLayout>, Malformed> {
        let begin = scanner.position();
        let Some(key) = scanner.foreseen_key(visitor, index > 0)? else { return Ok(None) };
        let lead = scanner.span_from(begin);
        let inside = self.members.get_mut(index).map(|member| std::mem::take(&mut member.inside)).unwrap_or_default();
        let member = MemberLayout { number: visitor.number(key), lead, known_lead: None, key, inside };
        match self.members.get_mut(index) {
            Some(place) => *place = member,
            None => self.members.push(member),
        }
        Ok(self.members.get_mut(index))
    }
}
