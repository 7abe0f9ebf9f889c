//! The resources of the sandbox.

use super::accounts::{self, Accounts};
use super::additions::NamedValue;
use super::dca_bots::{self, DcaBots};
use super::deals::{self, Deals};
use super::grid_bots::{self, GridBots};
use super::resource::Resource;
use super::route::Handler;
use super::smart_trades::{self, SmartTrades};
use super::state::State;
use super::trades::{self, Trades};
use super::{general, markets};
use botdesk_schema::input::{Violation, nearest};
use botdesk_schema::operation::Operation;

/// The handlers of all resources by verb, also of those without records.
pub(super) const HANDLERS: [(&str, &[(&str, Handler)]); 8] = [
    ("accounts", accounts::HANDLERS),
    ("dca_bots", dca_bots::HANDLERS),
    ("deals", deals::HANDLERS),
    ("general", general::HANDLERS),
    ("grid_bots", grid_bots::HANDLERS),
    ("markets", markets::HANDLERS),
    ("smart_trades", smart_trades::HANDLERS),
    ("trades", trades::HANDLERS),
];

/// All resources with records, in the order of a state file.
pub(super) const RESOURCES: [&dyn Resource; 6] = [&Accounts, &DcaBots, &Deals, &GridBots, &SmartTrades, &Trades];

/// Returns the resource of this name.
pub(super) fn named(name: &str) -> Option<&'static dyn Resource> {
    RESOURCES.into_iter().find(|resource| resource.name() == name)
}

/// Returns the handler of an operation; None if it has none of its own.
pub(super) fn handler(operation: &Operation) -> Option<Handler> {
    let (_, handlers) = HANDLERS.iter().find(|(resource, _)| *resource == operation.resource())?;
    handlers.iter().find(|(verb, _)| *verb == operation.verb()).map(|(_, handler)| *handler)
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
