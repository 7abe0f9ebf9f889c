//! Candles: the price history that bots are tried on.
//!
//! Prices are integers at a common scale. They are exact, and they compare and scan fast.

mod block;
mod builder;
mod columns;
mod csv;
mod encoding;
mod error;
mod index;
mod mantissa;
mod number;
mod outline;
mod price_column;
mod price_range;
mod prices;
mod series;
mod timeline;
mod times;

pub use builder::CandlesBuilder;
pub use columns::{PRICE_NAMES, TIME_NAMES};
pub use csv::CsvCandles;
pub use error::CandlesError;
pub use number::{Number, NumberError};
pub use price_column::PriceColumn;
pub use price_range::PriceRange;
pub use series::{Candle, Candles, ExtremeOrder};
pub use timeline::{PricePoint, Timeline};
