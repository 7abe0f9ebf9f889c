//! The candles that bots are tried on.

mod arrow;
mod candle;
mod class;
mod column;
mod csv;
mod export;
mod path;
mod rows;
mod source;
mod time;

pub(super) use candle::{Candle, timestamp};
pub(super) use class::{Candles, candles_with_warning};
pub(super) use csv::_candles_of_csv;
pub(super) use path::PathArgument;
pub(super) use source::read;
pub(super) use time::read_time;
