//! How the records of a resource are watched for changes.

use super::record::Record;
use super::row::RecordSpec;

/// How the records of a resource are watched for changes.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// The field, by its name in the JSON, that is true while a record is enabled.
    pub switch: Option<&'static str>,
    /// The input of the list that selects records that are enabled or disabled. The watch applies it itself.
    pub scope: Option<&'static str>,
    /// The records in each record whose changes are reported as well.
    pub nested: Option<Nested>,
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
    pub const SETTINGS: Self = Self { switch: None, scope: None, nested: None };

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
