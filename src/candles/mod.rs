//! The candles that bots are tried on.

mod arrow;
mod candle;
mod class;
mod column;
mod export;
mod path;
mod rows;
mod source;
mod time;

pub(super) use candle::{Candle, timestamp};
pub(super) use class::{Candles, candles};
pub(super) use path::PathArgument;
pub(super) use source::read;
pub(super) use time::read_time;
