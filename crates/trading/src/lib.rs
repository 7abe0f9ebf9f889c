//! The arithmetic of bots: exact decimals, no I/O.

pub mod grid;
pub mod ladder;
pub mod position;
pub mod rounding;
