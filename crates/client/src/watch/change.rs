//! A change of a record, or of one of the records in it.

use std::fmt::{Display, Formatter, Result};

use jiff::Timestamp;

use super::subject::Subject;
use botdesk_schema::input::Change;
use botdesk_schema::record::Fields;
use botdesk_schema::secrets::shown_line;
use botdesk_schema::text::and_more;
use botdesk_schema::values::Text;
use botdesk_schema::watched::Watched;

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The record is new.
    Appeared,
    /// The record is gone.
    Vanished,
    /// The record was enabled.
    Enabled,
    /// The record was disabled.
    Disabled,
    /// Settings of the record were changed.
    Edited,
    /// The record ended.
    Ended,
    /// One of the records in it was closed.
    NestedClosed,
    /// One of the records in it changed, other than by the price.
    NestedChanged,
    /// One of the records in it was opened.
    NestedOpened,
}

impl ChangeKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Appeared,
        Self::Vanished,
        Self::Enabled,
        Self::Disabled,
        Self::Edited,
        Self::Ended,
        Self::NestedClosed,
        Self::NestedChanged,
        Self::NestedOpened,
    ];

    /// Returns the name of the kind in a watch.
    pub fn name(self, watched: &Watched) -> &'static str {
        let [new, edited, ended] = watched.kinds;
        let nested = watched.nested.as_ref().map(|nested| nested.kinds);
        let [opened, changed, closed] = nested.unwrap_or(["opened", "changed", "closed"]);
        match self {
            Self::Appeared => new,
            Self::Vanished => "vanished",
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Edited => edited,
            Self::Ended => ended,
            Self::NestedClosed => closed,
            Self::NestedChanged => changed,
            Self::NestedOpened => opened,
        }
    }
}

/// A change of a record, or of one of the records in it.
#[derive(Clone, Debug)]
pub struct RecordChange {
    /// What is watched.
    pub subject: Subject,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The record as it is now; if it vanished, as it was last.
    pub record: Fields,
    /// The record as it was before; None if it is new.
    pub before: Option<Fields>,
    /// The record in it as it is now; if it is gone, as it was last.
    pub nested: Option<Fields>,
    /// The record in it as it was before; None if it is new.
    pub nested_before: Option<Fields>,
    /// The fields that differ.
    pub fields: Vec<Change>,
    /// The time of the poll.
    pub at: Timestamp,
}

impl RecordChange {
    /// Returns a change of a record that has no earlier state, with no field that differs.
    pub(super) fn new(subject: Subject, kind: ChangeKind, record: Fields, at: Timestamp) -> Self {
        let (before, nested, nested_before, fields) = (None, None, None, Vec::new());
        Self { subject, kind, record, before, nested, nested_before, fields, at }
    }

    /// Returns the name of the kind.
    pub fn kind_name(&self) -> &'static str {
        self.kind.name(self.subject.watched())
    }

    /// Returns the record and the record in it that changed, for display.
    pub fn about(&self) -> String {
        let text = |fields: &Fields, wire| fields.read_named::<Text>(wire).ok().flatten().map(String::from);
        let name = text(&self.record, "name").map_or_else(String::new, |name| format!(" “{name}”"));
        let id = id_text(self.record.id().ok().flatten());
        let noun = self.subject.nested().map_or("", |nested| nested.noun);
        let nested = self.nested.as_ref().map_or_else(String::new, |nested| {
            let pair = text(nested, "pair").map_or_else(String::new, |pair| format!(" {pair}"));
            format!(", {noun} {}{pair}", id_text(nested.id().ok().flatten()))
        });
        shown_line(&format!("{} {id}{name}{nested}", self.subject.noun()), MAX_SHOWN_LENGTH)
    }
}

/// The highest number of characters of the record in a description.
const MAX_SHOWN_LENGTH: usize = 120;

/// The highest number of fields that are shown.
const MAX_SHOWN: usize = 5;

fn id_text(id: Option<i64>) -> String {
    id.map_or_else(|| "?".to_owned(), |id| id.to_string())
}

impl Display for RecordChange {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write!(formatter, "{} {}", self.kind_name(), self.about())?;
        for (index, change) in self.fields.iter().take(MAX_SHOWN).enumerate() {
            write!(formatter, "{} {change}", if index == 0 { ":" } else { ";" })?;
        }
        and_more(self.fields.len(), MAX_SHOWN).map_or(Ok(()), |more| write!(formatter, "; {more}"))
    }
}
