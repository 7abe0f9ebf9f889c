//! Plans: the orders of a bot or of an edit, and their costs.

pub mod error;
pub mod grid_plan;
pub mod ladder_config;
pub mod ladder_plan;
mod reader;
mod table;
