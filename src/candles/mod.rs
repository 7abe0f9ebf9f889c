//! The candles that bots are tried on.

mod arrow;
mod candle;
mod class;
mod column;
mod export;
mod rows;
mod source;

pub(super) use candle::Candle;
pub(super) use class::Candles;
