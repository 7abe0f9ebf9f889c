//! The plan of a run.

use crate::edit::Edit;
use crate::error::Error;
use crate::request::spec::RequestSpec;

/// The planned request of one target.
#[derive(Clone, Debug)]
pub enum TargetPlan {
    /// A request.
    Request(RequestSpec),
    /// An edit.
    Edit(Box<Edit>),
    /// Nothing, because the record could not be fetched.
    ReadFailed(Error),
    /// Nothing, because the run ended before the record was fetched.
    NotStarted,
}

impl TargetPlan {
    /// Returns true if there is a write to send.
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Request(_) | Self::Edit(_))
    }
}

/// The planned requests of all targets.
#[derive(Clone, Debug)]
pub struct BulkPlan {
    /// The plan of each target, in their order.
    pub targets: Vec<TargetPlan>,
    /// The fatal error that ended the fetching of the records early.
    pub ended_by: Option<Error>,
}
