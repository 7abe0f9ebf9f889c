//! The arithmetic of bots: exact, and without I/O.

pub mod error;
pub mod grid;
pub mod grid_plan;
pub mod ladder;
pub mod ladder_plan;
pub mod ladder_terms;
pub mod position;
mod reader;
pub mod rounding;
mod table;
