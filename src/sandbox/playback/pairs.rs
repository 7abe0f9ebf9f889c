//! Pairs with values, in a `repr`.

use std::fmt::{Display, Write as _};

use crate::exceptions::RustResult as _;

/// Returns each pair with its value, after a space: ` USDT_BTC=60000`.
pub(super) fn pairs_with<'a, V: Display + 'a>(values: impl IntoIterator<Item = (&'a String, &'a V)>) -> String {
    let mut text = String::new();
    for (pair, value) in values {
        // Writing to a string does not fail.
        write!(text, " {pair}={value}").rust_ok();
    }
    text
}
