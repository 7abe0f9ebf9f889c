//! The resources of the sandbox.

use super::accounts::Accounts;
use super::dca_bots::DcaBots;
use super::deals::Deals;
use super::grid_bots::GridBots;
use super::resource::Resource;
use super::smart_trades::SmartTrades;

/// All resources, in the order of a state file.
pub(super) const RESOURCES: [&dyn Resource; 5] = [&Accounts, &DcaBots, &Deals, &GridBots, &SmartTrades];

/// Returns the resource of this name.
pub(super) fn named(name: &str) -> Option<&'static dyn Resource> {
    RESOURCES.into_iter().find(|resource| resource.name() == name)
}
