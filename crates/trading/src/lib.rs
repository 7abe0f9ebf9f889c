//! The arithmetic and the engine of bots: exact, and without I/O.

pub mod backtest;
pub mod candles;
pub mod decimal;
pub mod engine;
pub mod grid;
pub mod ladder;
mod next_line;
mod order_side;
pub mod position;
pub mod rounding;
