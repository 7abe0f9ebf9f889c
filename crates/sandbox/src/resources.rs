//! The resources of the sandbox.

use super::accounts::Accounts;
use super::additions::NamedValue;
use super::dca_bots::DcaBots;
use super::deals::Deals;
use super::grid_bots::GridBots;
use super::resource::Resource;
use super::smart_trades::SmartTrades;
use super::state::State;
use super::trades::Trades;
use botdesk_schema::input::{Violation, nearest};

/// All resources, in the order of a state file.
pub(super) const RESOURCES: [&dyn Resource; 6] = [&Accounts, &DcaBots, &Deals, &GridBots, &SmartTrades, &Trades];

/// Returns the resource of this name.
pub(super) fn named(name: &str) -> Option<&'static dyn Resource> {
    RESOURCES.into_iter().find(|resource| resource.name() == name)
}

impl State {
    /// Adds a record of a resource; returns its id. If it is invalid, the state is unchanged.
    pub(super) fn add(&mut self, resource: &str, given: Vec<NamedValue>) -> Result<u64, Vec<Violation>> {
        let resource = named(resource).ok_or_else(|| vec![unknown(resource)])?;
        let before = (self.market.listings.clone(), self.next_deal);
        let id = resource.add(self, given).inspect_err(|_| (self.market.listings, self.next_deal) = before)?;
        self.cover_added();
        Ok(id)
    }
}

fn unknown(resource: &str) -> Violation {
    let names = RESOURCES.map(Resource::name);
    let nearest = nearest(names, resource).map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
    Violation::new("resource", format!("must be one of {}, not {resource:?}{nearest}", names.join(", ")))
}
