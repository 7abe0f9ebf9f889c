//! The stream of a resource: the channel that sends its records when they change.

use super::json::Json;
use super::permission::Permission;
use super::record::Fields;
use super::values::{FieldType as _, Timestamp};
use super::watched::value_at;

/// The stream of a resource, and the list that has what the stream did not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streamed {
    /// The name of the channel.
    pub channel: &'static str,
    /// The text that is signed to subscribe.
    pub signed: &'static str,
    /// The permission that the key needs.
    pub permission: Permission,
    /// The inputs of the list, and their values, that sort it by the time of the last change, the newest first.
    pub newest_first: &'static [(&'static str, &'static str)],
    /// The path of the time when a record last changed, such as `data.updated_at`.
    pub updated_at: &'static str,
    /// The path of the time when a record was created.
    pub created_at: &'static str,
    /// True if the stream sends some changes only, such as those of the status.
    pub is_partial: bool,
}

impl Streamed {
    /// Returns the stream of a channel: its name, the signed text and the permission that the key needs.
    pub const fn new(channel: &'static str, signed: &'static str, permission: Permission) -> Self {
        let (updated_at, created_at) = ("updated_at", "created_at");
        Self { channel, signed, permission, newest_first: &[], updated_at, created_at, is_partial: false }
    }

    /// Returns a stream that sends some changes only.
    #[must_use]
    pub const fn partial(self) -> Self {
        Self { is_partial: true, ..self }
    }

    /// Returns the stream with the inputs of the list that sort it by the time of the last change, the newest first.
    #[must_use]
    pub const fn newest_first(self, newest_first: &'static [(&'static str, &'static str)]) -> Self {
        Self { newest_first, ..self }
    }

    /// Returns the stream with the paths of the times when a record last changed and when it was created.
    #[must_use]
    pub const fn times(self, updated_at: &'static str, created_at: &'static str) -> Self {
        Self { updated_at, created_at, ..self }
    }

    /// Returns the time when a record last changed, in microseconds since 1970; None if it is absent or can't be read.
    pub fn updated(&self, record: &Fields) -> Option<i64> {
        time(value_at(record, self.updated_at)?)
    }

    /// Returns the time when a record was created, in microseconds since 1970; None if it is absent or can't be read.
    pub fn created(&self, record: &Fields) -> Option<i64> {
        time(value_at(record, self.created_at)?)
    }
}

fn time(json: Json<'_>) -> Option<i64> {
    Timestamp::read(json)?.microseconds()
}
