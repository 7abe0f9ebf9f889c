//! The table of operations: one entry for each operation, in the file of its resource.

mod accounts;
mod dca_bots;
mod grid_bots;
mod smart_trades;

use crate::operation::Resource;

/// All resources of the client.
pub(crate) const RESOURCES: &[Resource] =
    &[accounts::RESOURCE, dca_bots::RESOURCE, grid_bots::RESOURCE, smart_trades::RESOURCE];
