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

pub(crate) use candle::{Candle, timestamp};
pub(crate) use class::{Candles, candles_with_warning};
pub(crate) use csv::_candles_of_csv;
pub(crate) use path::PathArgument;
pub(crate) use source::read;
pub(crate) use time::read_time;
