//! The events of a stream.

use std::fmt::{Display, Formatter, Result};
use std::sync::Arc;

use jiff::Timestamp;

use botdesk_schema::input::Change;
use botdesk_schema::record::Fields;

/// Where the state of a record comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The service sent it.
    Stream,
    /// A list had it: the stream did not send it, because it was not connected.
    List,
    /// A poll found it, because there is no stream.
    Poll,
}

impl Origin {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::List => "list",
            Self::Poll => "poll",
        }
    }
}

/// A change of a record, or of the connection.
#[derive(Clone, Debug)]
pub struct StreamEvent {
    /// The resource of the record; None for the connection.
    pub resource: Option<&'static str>,
    /// The kind of the change.
    pub kind: &'static str,
    /// The record as it is now; None for the connection.
    pub record: Option<Fields>,
    /// The pair, of prices.
    pub pair: Option<Arc<str>>,
    /// The record as it was last known; None if it was not.
    pub before: Option<Fields>,
    /// The fields that differ, other than those that change by themselves.
    pub fields: Vec<Change>,
    /// Where the state comes from; None for the connection.
    pub origin: Option<Origin>,
    /// The time when it was received.
    pub at: Timestamp,
    /// Why the connection changed, in words.
    pub reason: Option<String>,
}

impl StreamEvent {
    /// Returns an event of the connection.
    pub(super) fn of_connection(kind: &'static str, reason: Option<String>) -> Self {
        let (resource, record, pair, before, fields, origin) = (None, None, None, None, Vec::new(), None);
        Self { resource, kind, record, pair, before, fields, origin, at: Timestamp::now(), reason }
    }

    /// Returns the identifier of the record, if it has one.
    pub fn id(&self) -> Option<i64> {
        self.record.as_ref()?.id().ok().flatten()
    }
}

impl Display for StreamEvent {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        formatter.write_str(self.kind)?;
        if let Some(resource) = self.resource {
            let id = self.id().map(|id| id.to_string());
            let name = id.as_deref().or(self.pair.as_deref()).unwrap_or("?");
            write!(formatter, " {resource} {name}")?;
        }
        match self.origin {
            Some(origin) => write!(formatter, " ({})", origin.as_str()),
            None => Ok(()),
        }
    }
}
