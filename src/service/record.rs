//! What the service returns: records that keep the text they came as and decode a field when it is read.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;

use super::json::{Json, Malformed, Members, Scanner, Span};
use super::schema::Schema;
use super::secrets::{HIDDEN, without_secrets};
use super::text::one_line;
use super::values::{Kind, MOST_ELEMENTS};
use crate::tables::Column;

/// A field of a record: a row of the document's table.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a mark that stands on a row by itself")]
pub struct Row {
    /// The name of the attribute.
    pub name: &'static str,
    /// The name on the wire.
    pub wire: &'static str,
    /// Whether the one-line form of the record shows it.
    pub shown: bool,
    /// Whether its value must never be shown.
    pub secret: bool,
    /// Whether the records of a list hold it.
    pub listed: bool,
    /// Whether it moves by itself, without anybody changing the record.
    pub moving: bool,
    /// The JSON text that the service answers where nothing else is said.
    pub sample: &'static str,
    /// A JSON text in the form of its kind.
    pub form: &'static str,
    /// What it holds, in words.
    pub holds: &'static str,
    /// Whether a value that is not null is of its kind, and all inside of it as well.
    pub fits: fn(Json<'_>) -> bool,
    /// Its value in that form.
    pub show: fn(Json<'_>) -> String,
    /// What JSON it holds.
    pub schema: Schema,
    /// Whether the document says that it may be null.
    pub nullable: bool,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// What it becomes in a table.
    pub column: Column,
}

impl Row {
    /// A row whose field has one name, as Rust spells it, and holds that kind of value.
    pub const fn of<K: Kind>(identifier: &'static str) -> Self {
        let name = attribute_name(identifier);
        Self {
            name,
            wire: name,
            shown: false,
            secret: false,
            listed: true,
            moving: false,
            sample: K::SAMPLE,
            form: K::SAMPLE,
            holds: K::NAME,
            fits: K::fits,
            show: K::show,
            schema: K::SCHEMA,
            nullable: false,
            about: "",
            column: K::COLUMN,
        }
    }

    /// The same row with a description.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// The same row, null at times although its sample is not.
    #[must_use]
    pub const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// Whether the field may be null.
    pub fn may_be_null(&self) -> bool {
        self.nullable || self.sample == "null"
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

    /// The same row, left out of the records of a list.
    #[must_use]
    pub const fn unlisted(self) -> Self {
        Self { listed: false, ..self }
    }

    /// The same row, moving by itself, as what follows the price does.
    #[must_use]
    pub const fn moving(self) -> Self {
        Self { moving: true, ..self }
    }

    /// The same row, answered with another JSON text where nothing else is said.
    #[must_use]
    pub const fn sample(self, json: &'static str) -> Self {
        Self { sample: json, ..self }
    }
}

impl Row {
    /// Whether a value is of the row's kind, or null.
    pub fn takes(&self, value: &Value) -> bool {
        let source: Arc<str> = value.to_string().into();
        let fits = |span| (self.fits)(Json::new(&source, span));
        value.is_null() || Scanner::new(&source).and_then(|mut scanner| scanner.value()).is_ok_and(fits)
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
            let value = if json.is_null() { "None".to_owned() } else { one_line(&(row.show)(json), LONGEST_SHOWN) };
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

    /// Decodes the text of an array of records, or of a single one in its place.
    fn one_or_many_from_json(text: &str) -> Result<Vec<Self>, NotARecord> {
        match Self::from_json(text) {
            Ok(single) => Ok(vec![single]),
            Err(_) => Self::list_from_json(text),
        }
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
        if found.len() > MOST_ELEMENTS {
            return Err(NotARecord::of::<Self>("an array of at most 100 000 of them is needed"));
        }
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
    #[error("the text is no {record}: {needed}")]
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

impl Unreadable {
    fn new<R: Record>(row: &Row, expected: &'static str, text: &str) -> Self {
        let text = if row.secret { HIDDEN.to_owned() } else { excerpt(&without_secrets(text)) };
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

    /// The documented fields whose values are not of their kinds.
    pub fn misfits(&self) -> impl Iterator<Item = &'static Row> {
        self.present().filter(|(row, json)| !json.is_null() && !(row.fits)(*json)).map(|(row, _)| row)
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
            finder.member(key, false, value);
        }
        finder.found(json.span(), odd).over(Arc::clone(json.source()))
    }
}

/// What was found of one record in a text.
struct Found {
    rows: &'static [Row],
    whole: Span,
    known: Box<[Span]>,
    extra: Box<[(Span, Span)]>,
    odd: bool,
}

impl Found {
    /// The fields over the text that they were found in.
    fn over(self, source: Arc<str>) -> Fields {
        let Self { rows, whole, known, extra, odd } = self;
        Fields { rows, source, whole, known, extra, odd }
    }

    /// The fields over a text of their own, so that one record that is kept does not keep a whole page.
    fn apart(mut self, text: &str) -> Fields {
        let outer = self.whole;
        self.whole = outer.within(outer);
        for span in &mut self.known {
            *span = span.within(outer);
        }
        for (key, value) in &mut self.extra {
            (*key, *value) = (key.within(outer), value.within(outer));
        }
        self.over(Arc::from(outer.of(text)))
    }
}

/// Sorts the members of objects into documented fields and others.
struct Finder<'a> {
    rows: &'static [Row],
    text: &'a str,
    known: Box<[Span]>,
    extra: Vec<(Span, Span)>,
    /// What each member of the object before was: a service writes all its objects in one order.
    order: Vec<Slot>,
    members: usize,
}

/// What the key of a member was.
#[derive(Clone, Copy)]
enum Slot {
    /// That of a row, by its index.
    Row(usize),
    /// One that the document does not know, with its quotes.
    Unknown(Span),
}

impl<'a> Finder<'a> {
    fn new(rows: &'static [Row], text: &'a str) -> Self {
        Self { rows, text, known: absent(rows), extra: Vec::new(), order: Vec::new(), members: 0 }
    }

    /// What a key turns out to be that was not the expected one.
    fn look_up(&mut self, key: Span) -> Slot {
        let quoted = key.of(self.text);
        let row = (0..self.rows.len()).find(|row| self.is_named(*row, quoted)).or_else(|| self.escaped_row(key));
        let slot = row.map_or(Slot::Unknown(key), Slot::Row);
        match self.order.get_mut(self.members) {
            Some(place) => *place = slot,
            None => self.order.push(slot),
        }
        slot
    }

    fn is_named(&self, row: usize, quoted: &str) -> bool {
        self.rows.get(row).is_some_and(|row| row.wire.as_bytes() == unquoted(quoted))
    }

    fn escaped_row(&self, key: Span) -> Option<usize> {
        let quoted = key.of(self.text);
        memchr::memchr(b'\\', quoted.as_bytes())?;
        let name: String = serde_json::from_str(quoted).ok()?;
        self.rows.iter().position(|row| row.wire == name)
    }

    /// What was found since the last call, as that of the object at `whole`.
    fn found(&mut self, whole: Span, odd: bool) -> Found {
        self.members = 0;
        Found {
            rows: self.rows,
            whole,
            known: std::mem::replace(&mut self.known, absent(self.rows)),
            extra: std::mem::take(&mut self.extra).into_boxed_slice(),
            odd,
        }
    }

    /// Passes over the next value of a scanner, which should be an object.
    fn next(&mut self, scanner: &mut Scanner<'_>) -> Result<Found, Malformed> {
        if scanner.peek() != Some(b'{') {
            let whole = scanner.value()?;
            return Ok(self.found(whole, true));
        }
        let whole = scanner.object(self)?;
        Ok(self.found(whole, false))
    }
}

impl Members for Finder<'_> {
    fn expected(&self) -> &[u8] {
        match self.order.get(self.members) {
            Some(Slot::Row(row)) => self.rows.get(*row).map_or(&[], |row| row.wire.as_bytes()),
            Some(Slot::Unknown(key)) => unquoted(key.of(self.text)),
            None => &[],
        }
    }

    /// Of members with the same key the last one counts, as in `serde_json`.
    fn member(&mut self, key: Span, is_expected: bool, value: Span) {
        let expected = self.order.get(self.members).copied().filter(|_| is_expected);
        let slot = expected.unwrap_or_else(|| self.look_up(key));
        self.members += 1;
        match slot {
            Slot::Row(row) => {
                if let Some(span) = self.known.get_mut(row) {
                    *span = value;
                }
            }
            Slot::Unknown(_) => self.extra.push((key, value)),
        }
    }
}

/// What stands between the quotes of a key; nothing where it is escaped, for then it is not what it says.
fn unquoted(quoted: &str) -> &[u8] {
    let inner = quoted.as_bytes().get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if inner.contains(&b'\\') { &[] } else { inner }
}

fn absent(rows: &[Row]) -> Box<[Span]> {
    vec![Span::ABSENT; rows.len()].into_boxed_slice()
}

fn one(rows: &'static [Row], text: &str) -> Result<Fields, Malformed> {
    let mut scanner = Scanner::new(text)?;
    let found = Finder::new(rows, text).next(&mut scanner)?;
    scanner.finish()?;
    Ok(found.over(Arc::from(text)))
}

/// The records of an array; None if the text is JSON of another type.
fn many(rows: &'static [Row], text: &str) -> Result<Option<Vec<Fields>>, Malformed> {
    let mut scanner = Scanner::new(text)?;
    let mut finder = Finder::new(rows, text);
    let mut records = None;
    if scanner.peek() == Some(b'[') {
        let records = records.insert(Vec::new());
        scanner.array(|scanner| {
            let found = finder.next(scanner)?;
            // One more tells that there are too many, and the others are only scanned.
            if records.len() <= MOST_ELEMENTS {
                records.push(found.apart(text));
            }
            Ok(())
        })?;
    } else {
        scanner.value()?;
    }
    scanner.finish()?;
    Ok(records)
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
/// `rows` that hands the same rows to the binding. After a row's kind stand its marks: the methods of [`Row`], the JSON
/// of a sample as it is on the wire, such as `sample(null)`.
macro_rules! record {
    (
        ($d:tt)
        $(#[$about:meta])*
        $record:ident, rows $rows:ident {
            $($(#[doc = $doc:literal])* $field:ident: $kind:ty $(= $wire:literal)? $(, $mark:ident $(($($json:tt)+))?)*;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $record($crate::service::record::Fields);

        const _: () = {
            use $crate::service::record::{Fields, Record, Row, Unreadable};
            use $crate::service::{json::Json, schema::Schema, values::Kind};

            impl Record for $record {
                const NAME: &'static str = stringify!($record);
                const ROWS: &'static [Row] = &[$(
                    Row::of::<$kind>(stringify!($field)) $(.wire($wire))? .about(concat!($($doc),*)) $(.$mark($(stringify!($($json)+))?))*
                ),*];

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
                const SAMPLE: &'static str = "null";
                const SCHEMA: Schema = Schema::Record { name: stringify!($record), rows: Self::ROWS };

                fn read(json: Json<'_>) -> Option<Self> {
                    Self::element(json).filter(|record| !record.fields().is_odd())
                }

                fn element(json: Json<'_>) -> Option<Self> {
                    Some(Self(Fields::within(Self::ROWS, json)))
                }

                fn fits(json: Json<'_>) -> bool {
                    Self::read(json).is_some_and(|record| record.fields().misfits().next().is_none())
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::Map;

    use super::*;
    use crate::service::account::{Account, DepositData, LeverageType, Money};
    use crate::service::dca_bot::DcaBot;
    use crate::service::deal::Deal;
    use crate::service::grid_bot::{GridBot, GridLine};
    use crate::service::network::{Network, NetworkInfo};
    use crate::service::smart_trade::ReduceFundsInfo;
    use crate::service::strategy::Strategy as BotStrategy;
    use crate::service::take_profit_step::TakeProfitStep;
    use crate::service::values::AmountText;

    fn step(text: &str) -> TakeProfitStep {
        TakeProfitStep::from_json(text).unwrap()
    }

    fn steps(text: &str) -> Vec<TakeProfitStep> {
        TakeProfitStep::list_from_json(text).unwrap()
    }

    fn bot(text: &str) -> DcaBot {
        DcaBot::from_json(text).unwrap()
    }

    fn samples_read<R: Record>() {
        let members: Vec<_> = R::ROWS.iter().map(|row| format!("\"{}\": {}", row.wire, row.sample)).collect();
        let record = R::from_json(&format!("{{{}}}", members.join(","))).unwrap();
        assert_eq!(record.unreadable(), []);
        for (index, row) in R::ROWS.iter().enumerate() {
            let sample = record.fields().get(index).unwrap();
            let same = serde_json::from_str::<Value>(row.sample).unwrap();
            assert_eq!(serde_json::from_str::<Value>(sample.text()).unwrap(), same, "{}", row.name);
        }
    }

    #[test]
    fn every_sample_is_json_and_reads_as_its_kind() {
        samples_read::<DcaBot>();
        samples_read::<Deal>();
        samples_read::<BotStrategy>();
        samples_read::<TakeProfitStep>();
        samples_read::<Account>();
        samples_read::<DepositData>();
        samples_read::<LeverageType>();
        samples_read::<Money>();
        samples_read::<NetworkInfo>();
        samples_read::<Network>();
        samples_read::<GridBot>();
        samples_read::<GridLine>();
        samples_read::<ReduceFundsInfo>();
    }

    #[test]
    fn a_row_has_the_sample_of_its_kind_unless_it_says_another() {
        let sample = |name: &str| DcaBot::ROWS.iter().find(|row| row.name == name).unwrap().sample;
        assert_eq!((sample("stop_loss_percentage"), sample("cooldown")), ("\"0.0\"", "\"0\""));
        assert_eq!((sample("strategy"), sample("take_profit_type")), ("\"long\"", "\"total\""));
        assert_eq!(sample("strategy_list"), r#"[{"strategy": "nonstop", "options": {}}]"#);
    }

    #[test]
    fn a_field_is_known_by_its_name_on_the_wire() {
        let bot = bot(r#"{"deletable?": true, "deletable": false, "r#type": 1, "type": "Bot::MultiBot"}"#);
        assert_eq!(bot.deletable(), Ok(Some(true)));
        assert_eq!(bot.r#type().unwrap().unwrap().as_str(), "Bot::MultiBot");
        let present: Vec<_> = bot.fields().present().map(|(row, _)| row.name).collect();
        assert_eq!(present, ["type", "deletable"]);
        let extra: Vec<_> = bot.fields().extra().map(|(key, value)| (key, value.text())).collect();
        assert_eq!(extra, [("deletable".to_owned(), "false"), ("r#type".to_owned(), "1")]);
    }

    #[test]
    fn null_is_apart_from_absent() {
        let step = step(r#"{"id": null}"#);
        assert_eq!((step.id(), step.amount_percentage()), (Ok(None), Ok(None)));
        let fields = step.fields();
        assert!(fields.value("id").unwrap().is_null());
        assert!(fields.value("amount_percentage").is_none());
        assert_eq!(fields.present().count(), 1);
    }

    #[test]
    fn the_text_stays_byte_for_byte() {
        let text = "{ \"id\" :1.0,\n\"note\": \"\\u00fc\" }";
        assert_eq!(step(&format!(" {text}\t")).fields().text(), text);
        let texts: Vec<_> =
            steps(&format!("[ {text} ,{{}}]")).iter().map(|step| step.fields().text().to_owned()).collect();
        assert_eq!(texts, [text, "{}"]);
    }

    #[test]
    fn objects_of_a_list_may_hold_their_members_in_different_orders() {
        let steps = steps(
            r#"[
                {"id": 0, "amount_percentage": 10, "profit_percentage": 1},
                {"profit_percentage": 2, "id": 1, "amount_percentage": 20},
                {"amount_percentage": 30, "new": true, "id": 2},
                {"id": 3, "amount_percentage": 40, "profit_percentage": 4}
            ]"#,
        );
        let ids: Vec<_> = steps.iter().map(|step| step.id().unwrap().unwrap()).collect();
        assert_eq!(ids, [0, 1, 2, 3]);
        let profits: Vec<_> = steps.iter().map(|step| step.profit_percentage().unwrap()).collect();
        let profits: Vec<_> = profits.iter().map(|profit| profit.as_ref().map(AmountText::as_str)).collect();
        assert_eq!(profits, [Some("1"), Some("2"), None, Some("4")]);
        assert_eq!(steps.iter().map(|step| step.fields().extra().count()).collect::<Vec<_>>(), [0, 0, 1, 0]);
    }

    #[test]
    fn of_members_with_the_same_key_the_last_counts() {
        let step = step(r#"{"id": 1, "new": 1, "id": 2, "\u0069d": 3, "new": 2}"#);
        assert_eq!(step.id(), Ok(Some(3)));
        assert_eq!(step.fields().value("new").unwrap().text(), "2");
    }

    #[test]
    fn a_key_may_be_escaped() {
        let bot = bot(r#"{"\u0069d": 41, "deletable\u003f": true, "n\u00e9w": 5}"#);
        assert_eq!((bot.id(), bot.deletable()), (Ok(Some(41)), Ok(Some(true))));
        assert_eq!(bot.fields().value("n\u{e9}w").unwrap().text(), "5");
    }

    #[test]
    fn an_element_that_is_no_object_spoils_itself_alone() {
        for odd in ["5", "null", "[]", "\"id\"", "true"] {
            let steps = steps(&format!(r#"[{{"id": 0}}, {odd}, {{"id": 2}}]"#));
            assert_eq!((steps[0].id(), steps[2].id()), (Ok(Some(0)), Ok(Some(2))));
            let unreadable = Unreadable {
                record: "TakeProfitStep",
                field: "id",
                expected: "a field of an object",
                text: odd.to_owned(),
            };
            assert_eq!(steps[1].id(), Err(unreadable));
            assert_eq!(steps[1].unreadable().len(), TakeProfitStep::ROWS.len());
            assert_eq!((steps[1].fields().text(), steps[1].summary().as_str()), (odd, "<TakeProfitStep unreadable>"));
            assert_eq!((steps[1].fields().present().count(), steps[1].fields().extra().count()), (0, 0));
            assert_eq!(TakeProfitStep::restore(odd).as_ref(), Ok(&steps[1]));
        }
    }

    #[test]
    fn a_text_of_another_shape_is_no_record() {
        let message = |text: &str| TakeProfitStep::from_json(text).unwrap_err().to_string();
        assert_eq!(message("[]"), "the text is no TakeProfitStep: a JSON object is needed");
        assert_eq!(message("null"), "the text is no TakeProfitStep: a JSON object is needed");
        assert!(message("{").starts_with("the text is not JSON: "));
        assert!(message("{} {}").starts_with("the text is not JSON: "));
        let message = |text: &str| TakeProfitStep::list_from_json(text).unwrap_err().to_string();
        assert_eq!(message("{}"), "the text is no TakeProfitStep: a JSON array of them is needed");
        assert!(message("[{}").starts_with("the text is not JSON: "));
        assert_eq!(steps("[]"), []);
    }

    #[test]
    fn a_record_inside_of_another_reads_like_one_alone() {
        let inner = r#"{"strategy": "rsi", "options": {"points": 30}, "new": 1}"#;
        let bot = bot(&format!(r#"{{"id": 41, "strategy_list": [{{}}, {inner}]}}"#));
        let strategies = bot.strategy_list().unwrap().unwrap();
        assert_eq!(strategies[1], BotStrategy::from_json(inner).unwrap());
        assert_eq!(strategies[1].fields().text(), inner);
        assert_eq!(strategies[1].strategy().unwrap().unwrap(), "rsi");
        assert_eq!(strategies[1].options().unwrap().unwrap().0.text(), r#"{"points": 30}"#);
        assert_eq!(strategies[1].fields().value("new").unwrap().text(), "1");
        assert_eq!(strategies[0].strategy(), Ok(None));
    }

    #[test]
    fn records_nest_to_any_depth() {
        let bot = bot(r#"{"active_deals": [{"id": 410, "take_profit_steps": [{"id": 0}, {"id": 1}]}]}"#);
        let deals = bot.active_deals().unwrap().unwrap();
        let steps = deals[0].take_profit_steps().unwrap().unwrap();
        assert_eq!((deals[0].id(), steps[1].id()), (Ok(Some(410)), Ok(Some(1))));
    }

    #[test]
    fn an_odd_element_inside_of_a_record_spoils_itself_alone() {
        let bot = bot(r#"{"strategy_list": [{"strategy": "rsi"}, 5]}"#);
        let strategies = bot.strategy_list().unwrap().unwrap();
        assert_eq!(strategies[0].strategy().unwrap().unwrap(), "rsi");
        assert_eq!(
            strategies[1].strategy().unwrap_err().to_string(),
            "Strategy.strategy is not a field of an object: 5"
        );
    }

    #[test]
    fn records_are_equal_where_their_text_is() {
        let text = r#"{"id": 1}"#;
        let in_list = steps(&format!("[{{}}, {text}]")).remove(1);
        assert_eq!(step(text), in_list);
        assert_ne!(step(text), step(r#"{"id":1}"#));
        let distinct: HashSet<_> = [step(text), in_list, step(r#"{"id":1}"#)].into_iter().collect();
        assert_eq!(distinct.len(), 2);
    }

    #[test]
    fn one_line_shows_what_is_there() {
        let bot =
            bot(r#"{"url_secret": "hush", "id": 41, "is_enabled": true, "name": "It's \u00fc", "take_profit": null,
                "pairs": ["USDT_ETH", "USDT_BTC"], "cooldown": "5", "new": 1}"#);
        let expected = "<DcaBot id=41 is_enabled=True name='It\\'s ü' pairs=['USDT_ETH', 'USDT_BTC'] take_profit=None>";
        assert_eq!(bot.summary(), expected);
    }

    #[test]
    fn a_secret_is_never_told() {
        let secret = DcaBot::ROWS.iter().find(|row| row.secret).unwrap();
        let bot = bot(&format!(r#"{{"id": 41, "{}": [12345]}}"#, secret.wire));
        assert_eq!(bot.summary(), "<DcaBot id=41>");
        assert_eq!(bot.unreadable().len(), 1);
        assert_eq!(bot.unreadable()[0].to_string(), format!("DcaBot.{} is not a text: <hidden>", secret.name));
    }

    #[test]
    fn a_message_shows_the_beginning_of_a_long_value() {
        let long = "é".repeat(10_000);
        let bot = bot(&format!(r#"{{"id": "{long}", "name": "{long}"}}"#));
        assert_eq!(bot.id().unwrap_err().text.chars().count(), LONGEST_EXCERPT);
        assert!(bot.summary().chars().count() < 3 * LONGEST_SHOWN);
    }

    /// Keys as they may stand on the wire, the last one a documented one in disguise.
    const KEYS: [&str; 6] = ["id", "amount_percentage", "profit_percentage", "ids", "", "\\u0069d"];

    proptest! {
        #[test]
        fn each_object_of_a_list_is_sorted_by_its_own_keys(objects in vec(vec(0..KEYS.len(), 0..8), 0..6)) {
            let mut count = 0;
            let objects = objects.iter().map(|keys| {
                let members = keys.iter().map(|key| {
                    count += 1;
                    format!("\"{}\": {count}", KEYS[*key])
                });
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            });
            let objects: Vec<_> = objects.collect();
            for (step, text) in steps(&format!("[{}]", objects.join(","))).iter().zip(&objects) {
                let expected: Map<String, Value> = serde_json::from_str(text).unwrap();
                for key in &KEYS[..5] {
                    let found = step.fields().value(key).map(|value| value.text().to_owned());
                    prop_assert_eq!(found, expected.get(*key).map(Value::to_string), "{} in {}", key, text);
                }
                let known = step.fields().present().count();
                let others: HashSet<_> = step.fields().extra().map(|(key, _)| key).collect();
                prop_assert_eq!(known + others.len(), expected.len());
            }
        }
    }
}
