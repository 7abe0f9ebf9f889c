//! What the service returns: records that keep the text they came as and decode a field when it is read.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::json::{Json, Malformed, Scanner, Span};
use super::secrets::without_secrets;
use super::values::Kind;

/// A field of a record: a row of the document's table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the attribute.
    pub name: &'static str,
    /// The name on the wire.
    pub wire: &'static str,
    /// Whether the one-line form of the record shows it.
    pub shown: bool,
    /// Whether its value must never be shown.
    pub secret: bool,
    /// Its value in that form.
    pub show: fn(Json<'_>) -> String,
}

impl Row {
    /// A row whose field has one name, as Rust spells it.
    pub const fn new(identifier: &'static str, show: fn(Json<'_>) -> String) -> Self {
        let name = attribute_name(identifier);
        Self { name, wire: name, shown: false, secret: false, show }
    }

    /// The same row with another name on the wire.
    #[must_use]
    pub const fn wire(self, wire: &'static str) -> Self {
        Self { wire, ..self }
    }

    /// The same row, shown in the record's one-line form.
    #[must_use]
    pub const fn shown(self) -> Self {
        Self { shown: true, ..self }
    }

    /// The same row, its value a secret.
    #[must_use]
    pub const fn secret(self) -> Self {
        Self { secret: true, ..self }
    }
}

/// A name without the mark that Rust puts before its own keywords (`r#type` is `type`).
pub const fn attribute_name(identifier: &'static str) -> &'static str {
    match identifier.as_bytes() {
        [b'r', b'#', ..] => identifier.split_at(2).1,
        _ => identifier,
    }
}

/// An object of the service, as one answer told it.
pub trait Record: Sized {
    /// The name of the record.
    const NAME: &'static str;
    /// Its fields, in the document's order.
    const ROWS: &'static [Row];

    /// The record over the fields that were found.
    fn from_fields(fields: Fields) -> Self;

    /// The fields that were found.
    fn fields(&self) -> &Fields;

    /// What reading each field fails with.
    #[cfg(test)]
    fn unreadable(&self) -> Vec<Unreadable>;

    /// The record in one line, without secrets.
    fn summary(&self) -> String {
        let shown = Self::ROWS.iter().enumerate().filter(|(_, row)| row.shown && !row.secret);
        let each = shown.filter_map(|(index, row)| {
            let json = self.fields().get(index)?;
            let value = if json.is_null() { "None".to_owned() } else { one_line(&(row.show)(json)) };
            Some(format!(" {}={value}", row.name))
        });
        let unreadable = if self.fields().odd { " unreadable" } else { "" };
        format!("<{}{unreadable}{}>", Self::NAME, each.collect::<String>())
    }

    /// Decodes the text of one record.
    fn from_json(text: &str) -> Result<Self, NotARecord> {
        let fields = one(Self::ROWS, text)?;
        if fields.odd {
            return Err(NotARecord::of::<Self>("a JSON object is needed"));
        }
        Ok(Self::from_fields(fields))
    }

    /// The record whose text another one gave, be it an object or not.
    fn restore(text: &str) -> Result<Self, NotARecord> {
        Ok(Self::from_fields(one(Self::ROWS, text)?))
    }

    /// Decodes the text of an array of records.
    ///
    /// An element that is no object does not spoil the others: it becomes a record whose every field is unreadable.
    fn list_from_json(text: &str) -> Result<Vec<Self>, NotARecord> {
        let found = many(Self::ROWS, text)?.ok_or_else(|| NotARecord::of::<Self>("a JSON array of them is needed"))?;
        Ok(found.into_iter().map(Self::from_fields).collect())
    }
}

/// Why a text could not become a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARecord {
    /// The text is not JSON.
    #[error("the text is not JSON: {0}")]
    Malformed(#[from] Malformed),
    /// The text is JSON of another shape.
    #[error("the text is not a {record}: {needed}")]
    Shape {
        /// The name of the record.
        record: &'static str,
        /// What was needed in its place.
        needed: &'static str,
    },
}

impl NotARecord {
    fn of<R: Record>(needed: &'static str) -> Self {
        Self::Shape { record: R::NAME, needed }
    }
}

/// A field whose value is not of its documented type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{record}.{field} is not {expected}: {text}")]
pub struct Unreadable {
    /// The name of the record.
    pub record: &'static str,
    /// The name of the attribute.
    pub field: &'static str,
    /// What the document says it holds.
    pub expected: &'static str,
    /// What it holds; a placeholder where it is a secret.
    pub text: String,
}

/// How much of an unreadable value a message shows.
const LONGEST_EXCERPT: usize = 200;

fn excerpt(text: &str) -> String {
    text.chars().take(LONGEST_EXCERPT).collect()
}

/// How much of a value the one-line form of a record shows.
const LONGEST_SHOWN: usize = 80;

/// A text without line breaks and other control characters, and cut where it is long.
fn one_line(text: &str) -> String {
    let mut characters = text.chars().map(|character| if character.is_control() { ' ' } else { character });
    let mut line: String = characters.by_ref().take(LONGEST_SHOWN).collect();
    if characters.next().is_some() {
        line.push('…');
    }
    line
}

impl Unreadable {
    fn new<R: Record>(row: &Row, expected: &'static str, text: &str) -> Self {
        let text = if row.secret { "<hidden>".to_owned() } else { excerpt(&without_secrets(text)) };
        Self { record: R::NAME, field: row.name, expected, text }
    }
}

/// The text of a record and where each of its fields stands in it.
#[derive(Clone, Debug)]
pub struct Fields {
    rows: &'static [Row],
    source: Arc<str>,
    whole: Span,
    known: Box<[Span]>,
    extra: Box<[(Span, Span)]>,
    /// Whether the answer holds something other than an object in the record's place.
    odd: bool,
}

impl Fields {
    /// The text of the record, byte for byte as it came.
    pub fn text(&self) -> &str {
        self.whole.of(&self.source)
    }

    /// The record as a value of its document.
    pub fn json(&self) -> Json<'_> {
        Json::new(&self.source, self.whole)
    }

    /// Whether the answer holds something other than an object in the record's place.
    pub fn is_odd(&self) -> bool {
        self.odd
    }

    /// The value of the field at `index` of the rows; None where it is absent.
    pub fn get(&self, index: usize) -> Option<Json<'_>> {
        let span = *self.known.get(index)?;
        (!span.is_absent()).then(|| Json::new(&self.source, span))
    }

    /// The documented fields that the answer holds, null or not.
    pub fn present(&self) -> impl Iterator<Item = (&'static Row, Json<'_>)> {
        self.rows.iter().enumerate().filter_map(|(index, row)| Some((row, self.get(index)?)))
    }

    /// The value of a field by its name on the wire, documented or not.
    pub fn value(&self, wire: &str) -> Option<Json<'_>> {
        match self.rows.iter().position(|row| row.wire == wire) {
            Some(index) => self.get(index),
            None => self.extra().filter(|(key, _)| key == wire).last().map(|(_, value)| value),
        }
    }

    /// The fields that the document does not know, in the order they came.
    pub fn extra(&self) -> impl Iterator<Item = (String, Json<'_>)> {
        self.extra.iter().filter_map(|(key, value)| {
            let key = Json::new(&self.source, *key).string()?.into_owned();
            Some((key, Json::new(&self.source, *value)))
        })
    }

    /// Decodes the field at `index` of the record's rows: None where it is absent or null.
    pub fn read<R: Record, K: Kind>(&self, index: usize) -> Result<Option<K::Value<'_>>, Unreadable> {
        let unreadable = |expected, text: &str| match R::ROWS.get(index) {
            Some(row) => Unreadable::new::<R>(row, expected, text),
            None => Unreadable { record: R::NAME, field: "", expected, text: String::new() },
        };
        if self.odd {
            return Err(unreadable("a field of an object", self.text()));
        }
        match self.get(index) {
            Some(json) if !json.is_null() => K::read(json).map(Some).ok_or_else(|| unreadable(K::NAME, json.text())),
            _ => Ok(None),
        }
    }

    /// The fields of a record that stands inside of another answer.
    pub fn within(rows: &'static [Row], json: Json<'_>) -> Self {
        let mut finder = Finder::new(rows, json.source());
        let members = json.members();
        let odd = members.is_none();
        for (key, value) in members.unwrap_or_default() {
            finder.note(key, value);
        }
        finder.fields(json.span(), odd)
    }
}

/// Sorts the members of objects into documented fields and others.
struct Finder<'a> {
    rows: &'static [Row],
    source: &'a Arc<str>,
    known: Box<[Span]>,
    extra: Vec<(Span, Span)>,
    /// The row of each member of the object before: a service writes all its objects in one order.
    order: Vec<Option<usize>>,
    members: usize,
}

impl<'a> Finder<'a> {
    fn new(rows: &'static [Row], source: &'a Arc<str>) -> Self {
        Self { rows, source, known: absent(rows), extra: Vec::new(), order: Vec::new(), members: 0 }
    }

    /// Notes a member; of members with the same key the last one counts, as in `serde_json`.
    fn note(&mut self, key: Span, value: Span) {
        match self.row_of(key) {
            Some(row) => {
                if let Some(span) = self.known.get_mut(row) {
                    *span = value;
                }
            }
            None => self.extra.push((key, value)),
        }
    }

    fn row_of(&mut self, key: Span) -> Option<usize> {
        let position = self.members;
        self.members += 1;
        let quoted = key.of(self.source);
        let predicted = self.order.get(position).copied().flatten();
        if predicted.is_some_and(|row| self.is_named(row, quoted)) {
            return predicted;
        }
        let row = (0..self.rows.len()).find(|row| self.is_named(*row, quoted)).or_else(|| self.escaped_row(key));
        match self.order.get_mut(position) {
            Some(place) => *place = row,
            None => self.order.push(row),
        }
        row
    }

    fn is_named(&self, row: usize, quoted: &str) -> bool {
        let name = quoted.as_bytes().get(1..quoted.len().saturating_sub(1));
        self.rows.get(row).is_some_and(|row| Some(row.wire.as_bytes()) == name)
    }

    fn escaped_row(&self, key: Span) -> Option<usize> {
        let quoted = key.of(self.source);
        memchr::memchr(b'\\', quoted.as_bytes())?;
        let name = Json::new(self.source, key).string()?;
        self.rows.iter().position(|row| row.wire == name)
    }

    /// The fields noted since the last call, as those of the object at `whole`.
    fn fields(&mut self, whole: Span, odd: bool) -> Fields {
        self.members = 0;
        Fields {
            rows: self.rows,
            source: Arc::clone(self.source),
            whole,
            known: std::mem::replace(&mut self.known, absent(self.rows)),
            extra: std::mem::take(&mut self.extra).into_boxed_slice(),
            odd,
        }
    }

    /// Passes over the next value of a scanner, which should be an object.
    fn next(&mut self, scanner: &mut Scanner<'_>) -> Result<Fields, Malformed> {
        if scanner.peek() != Some(b'{') {
            let whole = scanner.value()?;
            return Ok(self.fields(whole, true));
        }
        let whole = scanner.object(|key, value| self.note(key, value))?;
        Ok(self.fields(whole, false))
    }
}

fn absent(rows: &[Row]) -> Box<[Span]> {
    vec![Span::ABSENT; rows.len()].into_boxed_slice()
}

fn one(rows: &'static [Row], text: &str) -> Result<Fields, Malformed> {
    let source = Arc::from(text);
    let mut scanner = Scanner::new(&source)?;
    let fields = Finder::new(rows, &source).next(&mut scanner)?;
    scanner.finish()?;
    Ok(fields)
}

/// The records of an array; None if the text is JSON of another type.
fn many(rows: &'static [Row], text: &str) -> Result<Option<Vec<Fields>>, Malformed> {
    let source = Arc::from(text);
    let mut scanner = Scanner::new(&source)?;
    let mut finder = Finder::new(rows, &source);
    let mut found = None;
    if scanner.peek() == Some(b'[') {
        let found = found.insert(Vec::new());
        scanner.array(|scanner| {
            found.push(finder.next(scanner)?);
            Ok(())
        })?;
    } else {
        scanner.value()?;
    }
    scanner.finish()?;
    Ok(found)
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Fields {}

impl Hash for Fields {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

/// Writes down a record: its fields, each once, in the document's order.
///
/// From the rows come the record's type with a method for each field, its table of [`Row`]s, and a macro named after
/// `rows` that hands the same rows to the binding.
macro_rules! record {
    (
        ($d:tt)
        $(#[$about:meta])*
        $record:ident, rows $rows:ident {
            $($(#[doc = $doc:literal])* $field:ident: $kind:ty $(= $wire:literal)? $(, $mark:ident)*;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $record($crate::service::record::Fields);

        const _: () = {
            use $crate::service::record::{Fields, Record, Row, Unreadable};
            use $crate::service::{json::Json, values::Kind};

            impl Record for $record {
                const NAME: &'static str = stringify!($record);
                const ROWS: &'static [Row] = &[$(Row::new(stringify!($field), <$kind as Kind>::show) $(.wire($wire))? $(.$mark())*),*];

                fn from_fields(fields: Fields) -> Self {
                    Self(fields)
                }

                fn fields(&self) -> &Fields {
                    &self.0
                }

                #[cfg(test)]
                fn unreadable(&self) -> Vec<Unreadable> {
                    [$(self.$field().err()),*].into_iter().flatten().collect()
                }
            }

            #[allow(non_camel_case_types)]
            enum Index {
                $($field),*
            }

            impl $record {
                $(
                    $(#[doc = $doc])*
                    pub fn $field(&self) -> Result<Option<<$kind as Kind>::Value<'_>>, Unreadable> {
                        self.0.read::<Self, $kind>(Index::$field as usize)
                    }
                )*
            }

            impl Kind for $record {
                type Value<'a> = Self;
                const NAME: &'static str = "an object";

                fn read(json: Json<'_>) -> Option<Self> {
                    Some(Self(Fields::within(Self::ROWS, json)))
                }
            }
        };

        #[cfg(feature = "python")]
        macro_rules! $rows {
            ($d callback:ident $d($d context:tt)*) => {
                $d callback! { $d($d context)* $(#[$about])* $record { $($(#[doc = $doc])* $field: $kind;)* } }
            };
        }
        #[cfg(feature = "python")]
        pub(crate) use $rows;
    };
}
pub(crate) use record;
