//! Reads the candles of one pair or of several ones.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::exceptions::type_name;
use crate::planning::candles::candles_with_warning;
use crate::protocols::{cast, is_mapping, items};
use crate::raise::OrPyErr as _;
use botdesk_schema::input::Violation;
use botdesk_schema::pair::currencies;
use botdesk_trading::candles::Candles;

/// The candles of a pair.
pub(crate) type PlayedHistory = (String, Candles);

/// Reads candles of a pair, or a mapping from pairs to candles.
pub(crate) fn read(given: &Bound<'_, PyAny>, pair: Option<String>) -> PyResult<Vec<PlayedHistory>> {
    if is_mapping(given)? {
        return match pair {
            Some(_) => violation("pair", "goes with candles of one pair; a mapping has the pairs as its keys"),
            None => read_mapping(given),
        };
    }
    match pair {
        Some(pair) => {
            let candles = read_candles(given, "candles", &pair)?;
            Ok(vec![(pair, candles)])
        }
        None => violation("pair", "is required, such as 'USDT_BTC', unless candles is a mapping from pairs to candles"),
    }
}

fn read_mapping(mapping: &Bound<'_, PyAny>) -> PyResult<Vec<PlayedHistory>> {
    // A copy, because reading candles may run code that changes the mapping.
    let copy = PyDict::new(mapping.py());
    copy.update(mapping.cast()?)?;
    let mut histories = Vec::new();
    for (pair, given) in items(&copy)? {
        let Some(pair) = cast::<PyString>(&pair) else {
            let message = format!("the keys must be pairs, such as 'USDT_BTC', not {}", type_name(&pair)?);
            return violation("candles", &message);
        };
        let pair: String = pair.extract()?;
        let candles = read_candles(&given, &format!("candles[{pair:?}]"), &pair)?;
        histories.push((pair, candles));
    }
    if histories.is_empty() {
        return violation("candles", "the mapping is empty; it needs a pair with its candles");
    }
    Ok(histories)
}

fn read_candles(given: &Bound<'_, PyAny>, name: &str, pair: &str) -> PyResult<Candles> {
    let of = if currencies(pair).is_some() { format!(" of {pair}") } else { String::new() };
    candles_with_warning(given, name, &of)
}

fn violation<T>(name: &str, message: &str) -> PyResult<T> {
    Err(Violation::new(name, message)).or_py_err()
}
