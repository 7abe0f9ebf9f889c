//! The tables of the API: the records, inputs and operations of each resource.

pub mod accounts;
pub mod balances;
pub mod bot_statistics;
pub mod choices;
pub mod dca_bots;
pub mod deal_orders;
pub mod deal_parts;
pub mod deals;
pub mod general;
pub mod grid_bots;
pub mod markets;
mod order_inputs;
pub mod reference;
pub mod safety_step;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod smart_trade_closing;
pub mod smart_trade_data;
mod smart_trade_forms;
pub mod smart_trade_inputs;
pub mod smart_trade_position;
pub mod smart_trade_targets;
pub mod smart_trades;
pub mod strategy;
pub mod take_profit_step;
#[cfg(test)]
mod tests;
mod time_span;
mod trade_rules;
pub mod trades;
pub mod volumes;
