//! The records of the initial state. The same seed gives the same records.

mod account;
mod amounts;
mod bot;
mod cache;
mod deal;
mod finished_deals;
mod grid;
mod grid_figures;
mod history;
mod manual_order;
mod market;
mod odd_values;
mod profits;
mod records;
mod smart_trades;
mod times;
mod trades;

pub(super) use crate::seed_options::{SeedOptions, ValueStyle};
pub(super) use account::seed_accounts;
pub(super) use bot::{dca_bot_without_deals, default_dca_bots, seed_dca_bots};
pub(super) use cache::records;
pub(super) use grid::seed_grid_bots;
pub(super) use records::SeedRecords;
pub(super) use smart_trades::seed_smart_trades;
pub(super) use times::start;
pub(super) use trades::seed_trades;
