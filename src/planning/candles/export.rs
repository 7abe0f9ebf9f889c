//! Candles as a table of Arrow.

use std::sync::Arc;

use arrow_array::{ArrayRef, Decimal128Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::ArrowError;
use botdesk_trading::candles::Candles;

/// The digits of a decimal column, and how many of them are after the point in tables of botdesk.
const PRECISION: u8 = 38;
const PLACES: u8 = 18;

/// Returns a table with the columns timestamp, open, high, low and close.
pub(super) fn batch(candles: &Candles) -> Result<RecordBatch, ArrowError> {
    let times = (0..candles.len()).filter_map(|index| candles.time(index)).map(|time| time * 1_000);
    let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
    let mut columns: Vec<(&str, ArrayRef)> = vec![("timestamp", Arc::new(times))];
    let (places, unit) = scale(candles);
    let mut prices = [const { Vec::new() }; 4];
    for candle in (0..candles.len()).filter_map(|index| candles.mantissas(index)) {
        for (column, price) in prices.iter_mut().zip(candle) {
            column.push(price * unit);
        }
    }
    for (name, prices) in ["open", "high", "low", "close"].into_iter().zip(prices) {
        let column = Decimal128Array::from(prices).with_precision_and_scale(PRECISION, places)?;
        columns.push((name, Arc::new(column)));
    }
    RecordBatch::try_from_iter(columns)
}

/// Returns the decimal places of the columns, and the factor that makes a price of the candles one of theirs.
///
/// They are those of all tables of botdesk. If a price does not fit, they are the places of the candles, which hold it exactly.
fn scale(candles: &Candles) -> (i8, i128) {
    let own = (candles.places().cast_signed(), 1);
    let Some(unit) = PLACES.checked_sub(candles.places()).map(|more| 10_i128.pow(more.into())) else { return own };
    let largest = 10_i128.pow(PRECISION.into()) / unit;
    let highs = (0..candles.len()).filter_map(|index| candles.mantissas(index)).map(|[_, high, ..]| high);
    if highs.max().is_some_and(|high| high >= largest) { own } else { (PLACES.cast_signed(), unit) }
}
