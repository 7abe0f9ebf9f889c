//! How the records of a resource are watched for changes.

use super::field::RecordSpec;
use super::json::Json;
use super::record::{Fields, Record};
use super::values::{Bool, FieldType as _};

/// How the records of a resource are watched for changes.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// The field, by its name in the JSON, that is true while a record is enabled.
    pub switch: Option<&'static str>,
    /// The input of the list that selects records that are enabled or disabled. The watch applies it itself.
    pub scope: Option<&'static str>,
    /// The records in each record whose changes are reported as well.
    pub nested: Option<Nested>,
    /// How a record ends; None if the records stay until they are deleted.
    pub ending: Option<Ending>,
    /// The kinds of changes of a record: it is new, it changed, it ended.
    pub kinds: [&'static str; 3],
    /// A change in examples: a statement with a `client` and a `sandbox`, and the kind of the change.
    pub example: (&'static str, &'static str),
    /// The fields whose sum is the profit of a record in USD, each a path as in a [`Sign`].
    pub profits: &'static [&'static str],
}

/// How records end. Those that have ended stay in the list of the service, and are not watched any more.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// The input of the list, and its value, that select the records that have not ended.
    pub open: (&'static str, &'static str),
    /// The signs of the end: each of them is enough.
    pub signs: &'static [Sign],
}

/// A sign that a record has ended: the value of a field, or of a field of a record in it (`data.finished`).
#[derive(Clone, Copy, Debug)]
pub enum Sign {
    /// The field is true.
    True(&'static str),
    /// The field is neither absent nor null.
    Given(&'static str),
    /// The field is one of these strings.
    OneOf(&'static str, &'static [&'static str]),
}

/// Records in a field of another record.
#[derive(Clone, Copy, Debug)]
pub struct Nested {
    /// The noun for one of them.
    pub noun: &'static str,
    /// Their type.
    pub record: &'static RecordSpec,
    /// The field that holds them.
    pub field: &'static str,
    /// The field with their number, which a list has although it omits the records.
    pub count: &'static str,
    /// The field that is true once one of them is closed.
    pub finished: &'static str,
    /// The field with the time when one of them was closed.
    pub closed_at: &'static str,
    /// The kinds of their changes: one is opened, changed, closed.
    pub kinds: [&'static str; 3],
}

impl Watched {
    /// Records whose settings are compared, without a switch and without records in them.
    pub const SETTINGS: Self = Self {
        switch: None,
        scope: None,
        nested: None,
        ending: None,
        kinds: ["appeared", "edited", "ended"],
        example: ("", ""),
        profits: &[],
    };

    /// Returns the watch of records that end: the input of the list and its value that select those that have not ended, and the
    /// signs of the end.
    #[must_use]
    pub const fn ending(open: (&'static str, &'static str), signs: &'static [Sign]) -> Self {
        Self { ending: Some(Ending { open, signs }), kinds: ["opened", "changed", "closed"], ..Self::SETTINGS }
    }

    /// Returns the watch with a change in examples: a statement, and the kind of the change.
    #[must_use]
    pub const fn example(self, statement: &'static str, kind: &'static str) -> Self {
        Self { example: (statement, kind), ..self }
    }

    /// Returns the watch of records that are enabled and disabled: the field, and the input of the list that selects by it.
    #[must_use]
    pub const fn switched(self, field: &'static str, scope: &'static str) -> Self {
        Self { switch: Some(field), scope: Some(scope), ..self }
    }

    /// Returns the watch that reports the changes of the records in each record as well.
    #[must_use]
    pub const fn with(self, nested: Nested) -> Self {
        Self { nested: Some(nested), ..self }
    }

    /// Returns the watch with the fields whose sum is the profit of a record in USD.
    #[must_use]
    pub const fn profits(self, profits: &'static [&'static str]) -> Self {
        Self { profits, ..self }
    }
}

impl Ending {
    /// Returns true if a record has ended.
    pub fn has_come(&self, record: &Fields) -> bool {
        self.signs.iter().any(|sign| sign.is_in(record))
    }
}

impl Sign {
    fn is_in(&self, record: &Fields) -> bool {
        let (Self::True(path) | Self::Given(path) | Self::OneOf(path, _)) = self;
        let Some(value) = value_at(record, path).filter(|value| !value.is_null()) else { return false };
        match self {
            Self::True(_) => Bool::read(value) == Some(true),
            Self::Given(_) => true,
            Self::OneOf(_, names) => value.string().is_some_and(|name| names.contains(&name.as_ref())),
        }
    }
}

/// Returns the value of a field, or of a field of a record in it, by a path such as `data.finished`.
pub fn value_at<'a>(record: &'a Fields, path: &str) -> Option<Json<'a>> {
    let mut names = path.split('.');
    let first = record.value(names.next()?)?;
    names.try_fold(first, Json::member)
}

impl Nested {
    /// Returns records of a type in a field, the field with their number, and the kinds of their changes: opened, changed, closed.
    pub const fn of<R: Record>(
        noun: &'static str,
        field: &'static str,
        count: &'static str,
        kinds: [&'static str; 3],
    ) -> Self {
        Self { noun, record: R::SPEC, field, count, finished: "finished?", closed_at: "closed_at", kinds }
    }
}
