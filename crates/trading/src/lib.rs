//! The arithmetic of bots: exact, and without I/O.

pub mod candles;
pub mod decimal;
pub mod grid;
pub mod ladder;
pub mod position;
pub mod rounding;
