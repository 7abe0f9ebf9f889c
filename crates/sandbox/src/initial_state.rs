//! The state in which a sandbox starts, and to which a reset returns.

use std::io;

use super::funds::GivenBalances;
use super::listings::Costs;
use super::options::SandboxOptions;
use super::resources::RESOURCES;
use super::seed::{self, SeedOptions, SeedRecords, ValueStyle};
use super::state::State;
use super::state_file::SavedState;

/// The state in which a sandbox starts.
pub(super) struct InitialState {
    source: Source,
    costs: Costs,
    balances: Option<GivenBalances>,
}

/// The source of an initial state.
enum Source {
    /// The random records of a seed.
    Seed(SeedOptions),
    /// The contents of a state file.
    File(String),
}

impl InitialState {
    /// Returns the seeded state of these options.
    pub(super) fn seeded(options: &SandboxOptions) -> Self {
        let SandboxOptions { seed, bots, odd_values, .. } = *options;
        let values = if odd_values { ValueStyle::Odd } else { ValueStyle::Plausible };
        let seeded = SeedOptions { seed, bots, values, fee: options.fee.clone() };
        Self { source: Source::Seed(seeded), costs: costs(options), balances: options.balances.clone() }
    }

    /// Returns the state of a state file.
    pub(super) fn saved(options: &SandboxOptions, saved: &SavedState) -> io::Result<Self> {
        let json = saved.0.to_json().map_err(io::Error::other)?;
        Ok(Self { source: Source::File(json), costs: costs(options), balances: options.balances.clone() })
    }

    /// Creates the state. It is the same each time.
    pub(super) fn create(&self) -> io::Result<State> {
        let state = match &self.source {
            Source::Seed(options) => seeded_state(options.clone()),
            Source::File(json) => SavedState::parse(json).map_err(io::Error::other)?.0,
        };
        let mut state = State { costs: self.costs.clone(), ..state };
        if let Some(given) = &self.balances {
            state.give_balances(given);
        }
        Ok(state)
    }
}

fn costs(options: &SandboxOptions) -> Costs {
    Costs { fee: options.fee.clone(), slippage: options.slippage.clone() }
}

/// Returns the state of these options.
pub(super) fn seeded_state(options: SeedOptions) -> State {
    let (seed, start) = (options.seed, seed::start(options.bots));
    let costs = Costs { fee: options.fee.clone(), ..Costs::default() };
    let SeedRecords { market, store, dca_bot_states, next_deal } = seed::records(options.clone(), generate);
    let unwritten_history = Some(options);
    State { store, dca_bot_states, next_deal, costs, unwritten_history, ..State::new(seed, start, market) }
}

/// Generates the records of these options.
pub(super) fn generate(options: &SeedOptions) -> SeedRecords {
    let mut records = SeedRecords::new(options.seed);
    // Bots precede their accounts, which sum up their profits.
    for resource in RESOURCES.iter().rev() {
        resource.seed(options, &mut records);
    }
    records
}
