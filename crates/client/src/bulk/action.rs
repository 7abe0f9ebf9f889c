//! The action of a run, and its targets.

use super::job::Outcome;
use crate::request::spec::InputValues;
use botdesk_display::view::titled;
use botdesk_schema::id::Id;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Fields;

/// A record that the action is applied to.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its identifier.
    pub id: Id,
    /// The record as the caller has it; None if only its identifier was given.
    pub record: Option<Fields>,
}

impl Target {
    /// Returns the kind, the identifier and the name of the target, from its newest record.
    pub fn title(&self, kind: &str, outcome: &Outcome) -> String {
        let done = if let Outcome::Done(record) = outcome { Some(record) } else { None };
        // A write that returns nothing has a record without fields.
        match done.filter(|record| !record.spec().rows.is_empty()).or(self.record.as_ref()) {
            Some(record) => titled(kind, Some(&self.id), record),
            None => format!("{kind} {}", self.id),
        }
    }
}

/// The action that is applied to each target.
#[derive(Clone, Debug)]
pub enum BulkAction {
    /// A request.
    Request {
        /// The operation.
        operation: &'static Operation,
        /// The inputs, the same for each target.
        given: InputValues,
    },
    /// An edit.
    Edit {
        /// The operation that edits.
        operation: &'static Operation,
        /// The operation that returns the record.
        read: &'static Operation,
        /// The changes.
        given: Changes,
    },
}

/// The changes that edits make.
#[derive(Clone, Debug)]
pub enum Changes {
    /// The same for each target.
    Same(InputValues),
    /// Those of each target, in their order.
    Each(Vec<InputValues>),
}

impl Changes {
    /// Returns the changes of the target at an index; None if it has none.
    pub fn of(&self, index: usize) -> Option<&InputValues> {
        match self {
            Self::Same(given) => Some(given),
            Self::Each(given) => given.get(index),
        }
    }
}

impl BulkAction {
    /// Returns the operation of the write.
    pub fn operation(&self) -> &'static Operation {
        match self {
            Self::Request { operation, .. } | Self::Edit { operation, .. } => operation,
        }
    }
}
