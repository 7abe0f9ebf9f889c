//! What an object looks like, so that the next one that looks alike is passed over by comparing.

use super::scanner::Scanner;
use super::span::{Malformed, Span};
use super::text::Known;

/// What was seen of the values at one place of a text: a service writes all values of a place alike.
#[derive(Default)]
pub struct Shape {
    /// The members of an object, in their order.
    members: Vec<Member>,
    /// What all elements of an array look like.
    element: Seen,
}

/// What was seen of the values at a place inside of others. What comes but once is not worth to be learned.
#[derive(Default)]
struct Seen {
    before: bool,
    shape: Option<Box<Shape>>,
}

/// What was seen of one member of an object.
struct Member {
    /// The number that the visitor of the objects has given the key.
    number: usize,
    /// What leads to the value: the comma, the key and the colon, and the white space between them.
    lead: Span,
    /// The same, once it came again, unless it is long.
    known_lead: Option<Known>,
    /// The key, in its quotes.
    key: Span,
    /// What the value looks like, where it has an inside.
    inside: Seen,
}

impl Member {
    /// The key of this member in another object, where what leads to its value begins at `begin`.
    fn key_at(&self, begin: usize) -> Span {
        self.key.moved(self.lead.range().start, begin)
    }

    /// Has a scanner pass over what leads to the value, if it comes next.
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
        self.known_lead = Known::of(lead);
        Some(lead.len())
    }
}

/// Who is told what an object has while it is passed over.
pub trait Visitor {
    /// The key that should come next.
    fn next_key(&self) -> Option<&'static str>;

    /// Gives a key, in its quotes, a number.
    fn number(&mut self, key: Span) -> usize;

    /// Takes the value of a key by its number.
    fn take(&mut self, number: usize, key: impl FnOnce() -> Span, value: Span);
}

/// Who wants to know nothing of an object.
struct Nobody;

impl Visitor for Nobody {
    fn next_key(&self) -> Option<&'static str> {
        None
    }

    fn number(&mut self, _key: Span) -> usize {
        0
    }

    fn take(&mut self, _number: usize, _key: impl FnOnce() -> Span, _value: Span) {}
}

impl Scanner<'_> {
    /// Passes over the object that comes next, and nothing like it.
    pub fn only_object<V: Visitor>(&mut self, visitor: &mut V) -> Result<Span, Malformed> {
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

    /// Passes over what leads to the next value of an object and gives the key in its quotes; None at the object's end.
    #[inline]
    fn foreseen_key<V: Visitor>(&mut self, visitor: &V, follows: bool) -> Result<Option<Span>, Malformed> {
        let foreseen = visitor.next_key().and_then(|key| self.passes_key(key, follows));
        foreseen.map_or_else(|| self.key(follows), |key| Ok(Some(key)))
    }

    /// Passes over the object that comes next, comparing it with those that were seen at its place.
    pub fn object_like<V: Visitor>(&mut self, shape: &mut Shape, visitor: &mut V) -> Result<Span, Malformed> {
        let start = self.position();
        self.enter(b'{')?;
        for index in 0.. {
            let begin = self.position();
            if let Some(member) = shape.members.get_mut(index)
                && member.leads(self)
            {
                let value = self.value_like(&mut member.inside)?;
                visitor.take(member.number, || member.key_at(begin), value);
                continue;
            }
            let Some(member) = shape.learn(index, self, visitor)? else { break };
            let value = self.value_like(&mut member.inside)?;
            visitor.take(member.number, || member.key, value);
        }
        Ok(self.span_from(start))
    }

    /// Passes over the value that comes next, comparing it with those that were seen at its place.
    #[inline]
    fn value_like(&mut self, seen: &mut Seen) -> Result<Span, Malformed> {
        match self.byte() {
            Some(b'{' | b'[') => self.inside_like(seen),
            _ => self.value(),
        }
    }

    fn inside_like(&mut self, seen: &mut Seen) -> Result<Span, Malformed> {
        if !std::mem::replace(&mut seen.before, true) {
            return self.value();
        }
        let shape = seen.shape.get_or_insert_default();
        match self.byte() {
            Some(b'{') => self.object_like(shape, &mut Nobody),
            _ => self.array(|scanner| scanner.value_like(&mut shape.element).map(drop)),
        }
    }
}

impl Shape {
    /// Of objects that have about so many members.
    pub fn of(members: usize) -> Self {
        Self { members: Vec::with_capacity(members), ..Self::default() }
    }

    /// Passes over what leads to the next value, other than in the objects before, and notes it; None at the end of the object.
    #[cold]
    fn learn<V: Visitor>(
        &mut self,
        index: usize,
        scanner: &mut Scanner<'_>,
        visitor: &mut V,
    ) -> Result<Option<&mut Member>, Malformed> {
        let begin = scanner.position();
        let Some(key) = scanner.foreseen_key(visitor, index > 0)? else { return Ok(None) };
        let lead = scanner.span_from(begin);
        let inside = self.members.get_mut(index).map(|member| std::mem::take(&mut member.inside)).unwrap_or_default();
        let member = Member { number: visitor.number(key), lead, known_lead: None, key, inside };
        match self.members.get_mut(index) {
            Some(place) => *place = member,
            None => self.members.push(member),
        }
        Ok(self.members.get_mut(index))
    }
}
