//! Plans of bots: what the orders of a record or an edit cost, by the arithmetic of `botdesk-trading`.

pub mod error;
pub mod grid_plan;
pub mod ladder_plan;
pub mod ladder_terms;
mod reader;
mod table;
