//! Columns of Arrow as times and prices.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use crate::exceptions::RustResult as _;
use botdesk_trading::candles::{CandlesError, Number, PriceColumn};

const DAY: i64 = 86_400_000;

/// Appends the times of an array, in milliseconds since 1970.
pub(super) fn extend_times(times: &mut Vec<i64>, array: &ArrayRef) -> Result<(), CandlesError> {
    refuse_nulls(array, times.len(), "time")?;
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            extend::<TimestampSecondType>(times, array, |time| time.checked_mul(1_000))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => extend::<TimestampMillisecondType>(times, array, Some),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            extend::<TimestampMicrosecondType>(times, array, |time| divided(time, 1_000))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            extend::<TimestampNanosecondType>(times, array, |time| divided(time, 1_000_000))
        }
        DataType::Date32 => extend::<Date32Type>(times, array, |days| i64::from(days).checked_mul(DAY)),
        DataType::Date64 => extend::<Date64Type>(times, array, Some),
        DataType::Int64 => extend::<Int64Type>(times, array, Some),
        DataType::UInt64 => extend::<UInt64Type>(times, array, |time| i64::try_from(time).rust_ok()),
        DataType::Int32 => extend::<Int32Type>(times, array, |time| Some(time.into())),
        DataType::UInt32 => extend::<UInt32Type>(times, array, |time| Some(time.into())),
        DataType::Float64 => extend::<Float64Type>(times, array, whole),
        other => Err(CandlesError::new(format!(
            "the times are of type {other}; convert them to timestamps, or to integers: milliseconds since 1970"
        ))),
    }
}

/// Returns a float that is a whole number.
#[allow(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the integer is compared"
)]
pub(super) fn whole(float: f64) -> Option<i64> {
    let whole = float as i64;
    (whole as f64 == float && whole != i64::MAX).then_some(whole)
}

fn divided(time: i64, unit: i64) -> Option<i64> {
    (time % unit == 0).then(|| time / unit)
}

fn extend<T: ArrowPrimitiveType>(
    times: &mut Vec<i64>,
    array: &ArrayRef,
    milliseconds: impl Fn(T::Native) -> Option<i64>,
) -> Result<(), CandlesError> {
    for value in array.as_primitive::<T>().values() {
        let Some(time) = milliseconds(*value) else {
            let message = format!("time {value:?} ({}) is not a whole number of milliseconds", array.data_type());
            return Err(CandlesError::at(times.len(), message));
        };
        times.push(time);
    }
    Ok(())
}

/// Appends the prices of an array.
pub(super) fn extend_prices(column: &mut PriceColumn, array: &ArrayRef) -> Result<(), CandlesError> {
    refuse_nulls(array, column.len(), column.name())?;
    match array.data_type() {
        DataType::Float64 => column.extend_floats(array.as_primitive::<Float64Type>().values()),
        DataType::Float32 => {
            each(array.as_primitive::<Float32Type>().values().iter(), |float| column.push_shortest(*float))
        }
        DataType::Int8 => integers::<Int8Type>(column, array, 0),
        DataType::Int16 => integers::<Int16Type>(column, array, 0),
        DataType::Int32 => integers::<Int32Type>(column, array, 0),
        DataType::Int64 => integers::<Int64Type>(column, array, 0),
        DataType::UInt8 => integers::<UInt8Type>(column, array, 0),
        DataType::UInt16 => integers::<UInt16Type>(column, array, 0),
        DataType::UInt32 => integers::<UInt32Type>(column, array, 0),
        DataType::UInt64 => integers::<UInt64Type>(column, array, 0),
        DataType::Decimal32(_, scale @ 0..) => integers::<Decimal32Type>(column, array, scale.unsigned_abs()),
        DataType::Decimal64(_, scale @ 0..) => integers::<Decimal64Type>(column, array, scale.unsigned_abs()),
        DataType::Decimal128(_, scale @ 0..) => integers::<Decimal128Type>(column, array, scale.unsigned_abs()),
        DataType::Decimal256(..) => {
            let decimals = array.as_primitive::<Decimal256Type>();
            each(0..decimals.len(), |row| column.push_text(&decimals.value_as_string(row)))
        }
        // Nulls were refused above.
        DataType::Utf8 => each(array.as_string::<i32>().iter(), |text| column.push_text(text.unwrap_or_default())),
        DataType::LargeUtf8 => each(array.as_string::<i64>().iter(), |text| column.push_text(text.unwrap_or_default())),
        DataType::Utf8View => each(array.as_string_view().iter(), |text| column.push_text(text.unwrap_or_default())),
        other => {
            let message =
                format!("{} is of type {other}; convert it to decimals, floats, integers or strings", column.name());
            Err(CandlesError::new(message))
        }
    }
}

fn integers<T: ArrowPrimitiveType<Native: Into<i128>>>(
    column: &mut PriceColumn,
    array: &ArrayRef,
    scale: u8,
) -> Result<(), CandlesError> {
    each(array.as_primitive::<T>().values().iter(), |value| column.push(Number { mantissa: (*value).into(), scale }))
}

fn each<T>(
    values: impl IntoIterator<Item = T>,
    push: impl FnMut(T) -> Result<(), CandlesError>,
) -> Result<(), CandlesError> {
    values.into_iter().try_for_each(push)
}

fn refuse_nulls(array: &ArrayRef, before: usize, name: &str) -> Result<(), CandlesError> {
    let null = if array.null_count() > 0 { (0..array.len()).find(|row| array.is_null(*row)) } else { None };
    null.map_or(Ok(()), |row| Err(CandlesError::at(before + row, format!("{name} is null"))))
}
