//! Trading pairs in the service's spelling, and the pairs of other spellings.

use super::values::quoted;

/// The pattern of a pair, in the syntax that JSON Schema shares with most languages.
pub const PATTERN: &str = "^[A-Z0-9]([A-Z0-9.-]*[A-Z0-9])?_[A-Z0-9]([A-Z0-9._-]*[A-Z0-9])?$";

/// Currencies that prices are quoted in. Of two of them, the earlier one is the quote currency.
const QUOTES: [&str; 15] =
    ["USDT", "USDC", "USD", "FDUSD", "BUSD", "TUSD", "DAI", "EUR", "GBP", "TRY", "BRL", "JPY", "BTC", "ETH", "BNB"];

/// The maximum number of characters of a malformed pair in a message.
const MAX_SHOWN_LENGTH: usize = 80;

/// Returns the quote and the base of a pair; None if the string is not a pair.
///
/// The base may be the symbol of a derivative, such as `BTC-PERP` or `BTCUSD_PERP`.
pub fn currencies(pair: &str) -> Option<(&str, &str)> {
    let (quote, base) = pair.split_once('_')?;
    (is_symbol(quote, b".-") && is_symbol(base, b"._-")).then_some((quote, base))
}

/// Returns true if a string is upper-case letters and digits, with any of `inner` between them.
fn is_symbol(text: &str, inner: &[u8]) -> bool {
    let is_alphanumeric = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    [bytes.first(), bytes.last()].into_iter().all(|end| end.is_some_and(is_alphanumeric))
        && bytes.iter().all(|byte| is_alphanumeric(byte) || inner.contains(byte))
}

/// Returns the message about a malformed pair, with the spelling to use; None if it is a pair.
pub fn problem(text: &str) -> Option<String> {
    if currencies(text).is_some() {
        return None;
    }
    let shown = quoted(&text.chars().take(MAX_SHOWN_LENGTH).collect::<String>());
    let spelling = several(text)
        .map(|pairs| format!("[\"{}\"]", pairs.join("\", \"")))
        .or_else(|| respelled(text).map(|pair| format!("'{pair}'")))
        .unwrap_or_else(|| "QUOTE_BASE, such as 'USDT_BTC'".to_owned());
    Some(format!("{shown} is not a pair; write it as {spelling}"))
}

/// Returns the pairs of a string that lists several.
fn several(text: &str) -> Option<Vec<String>> {
    let parts = text.split(|letter: char| letter.is_whitespace() || ",;".contains(letter));
    let pairs: Option<Vec<_>> = parts.filter(|part| !part.is_empty()).map(respelled).collect();
    pairs.filter(|pairs| pairs.len() > 1)
}

/// Returns the pair of another common spelling: `USDT_BTC` for `btc/usdt`, `BTC-USDT` and `BTCUSDT`.
fn respelled(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_uppercase();
    if currencies(&text).is_some() {
        return Some(text);
    }
    // ccxt appends the settlement currency of a derivative: BTC/USDT:USDT.
    let (market, _) = text.split_once(':').unwrap_or((&text, ""));
    let (quote, base) = match market.split_once('/') {
        Some((base, quote)) => (quote, base),
        None => ordered(market.split_once(['-', ' ']).or_else(|| split_quote(market))?),
    };
    (is_symbol(quote, b"") && is_symbol(base, b"")).then(|| format!("{quote}_{base}"))
}

/// Splits the quote currency off the end of a market without a separator.
fn split_quote(market: &str) -> Option<(&str, &str)> {
    let quotes = QUOTES.iter().filter_map(|quote| Some((market.strip_suffix(quote)?, *quote)));
    quotes.max_by_key(|(_, quote)| quote.len())
}

/// Returns the quote and the base of two currencies. Exchanges differ in which one comes first, most write the base first.
fn ordered<'a>((first, second): (&'a str, &'a str)) -> (&'a str, &'a str) {
    let rank = |currency: &str| QUOTES.iter().position(|quote| *quote == currency).unwrap_or(QUOTES.len());
    if rank(first) < rank(second) { (first, second) } else { (second, first) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pair_is_a_quote_and_a_base() {
        for (pair, quote, base) in [
            ("USDT_BTC", "USDT", "BTC"),
            ("USDT_1INCH", "USDT", "1INCH"),
            ("USD_BTC-PERP", "USD", "BTC-PERP"),
            ("BTC_ETHUSD_PERP", "BTC", "ETHUSD_PERP"),
            ("USDT_BRK.B", "USDT", "BRK.B"),
        ] {
            assert_eq!(currencies(pair), Some((quote, base)));
            assert_eq!(problem(pair), None);
        }
    }

    #[test]
    fn other_strings_are_not_pairs() {
        for text in [
            "",
            "BTC",
            "_",
            "USDT_",
            "_BTC",
            "usdt_btc",
            "USDT BTC",
            "USDT__BTC",
            "USDT_BTC\n",
            "USDT_ÄTH",
            "USDT_BTC-",
            "USDT_BTC_",
            "USDT_.BTC",
            "-USDT_BTC",
            "USDT_BTC,USDT_ETH",
        ] {
            assert_eq!(currencies(text), None, "{text}");
        }
    }

    #[test]
    fn the_message_names_the_spelling_to_use() {
        for (text, spelling) in [
            ("BTC-USDT", "'USDT_BTC'"),
            ("USDT-BTC", "'USDT_BTC'"),
            ("BTC/USDT", "'USDT_BTC'"),
            ("btc/usdt:usdt", "'USDT_BTC'"),
            ("BTCUSDT", "'USDT_BTC'"),
            ("ETHFDUSD", "'FDUSD_ETH'"),
            ("ETH/BTC", "'BTC_ETH'"),
            ("ADA-XRP", "'XRP_ADA'"),
            ("usdt_btc", "'USDT_BTC'"),
            (" USDT_BTC ", "'USDT_BTC'"),
            ("USDT_BTC,USDT_ETH", r#"["USDT_BTC", "USDT_ETH"]"#),
            ("BTC/USDT; eth/usdt", r#"["USDT_BTC", "USDT_ETH"]"#),
            ("BTC", "QUOTE_BASE, such as 'USDT_BTC'"),
            ("BTC-USDT-SWAP", "QUOTE_BASE, such as 'USDT_BTC'"),
            ("", "QUOTE_BASE, such as 'USDT_BTC'"),
        ] {
            assert_eq!(problem(text), Some(format!("'{text}' is not a pair; write it as {spelling}")));
        }
    }

    #[test]
    fn a_message_shows_the_beginning_of_a_long_string_in_one_line() {
        let message = problem(&format!("a\n{}", "x".repeat(10_000))).unwrap();
        assert!(message.starts_with(r"'a\nxxx") && message.len() < 200, "{message}");
    }

    proptest! {
        #[test]
        fn a_pair_splits_into_the_two_parts_it_was_made_of(
            quote in "[A-Z0-9]([A-Z0-9.-]{0,8}[A-Z0-9])?", base in "[A-Z0-9]([A-Z0-9._-]{0,8}[A-Z0-9])?"
        ) {
            let pair = format!("{quote}_{base}");
            prop_assert_eq!(currencies(&pair), Some((quote.as_str(), base.as_str())));
        }

        #[test]
        fn a_string_is_a_pair_or_the_suggested_spelling_is_one(text in "[A-Za-z0-9_/:. -]{0,16}|\\PC{0,16}") {
            prop_assert_eq!(currencies(&text).is_none(), problem(&text).is_some());
            if let Some(pair) = respelled(&text) {
                prop_assert!(currencies(&pair).is_some(), "{}", pair);
            }
        }

        #[test]
        fn the_base_and_the_quote_of_ccxt_change_places(base in "[A-Za-z0-9]{1,10}", quote in "[A-Za-z0-9]{1,5}") {
            let pair = format!("{quote}_{base}").to_ascii_uppercase();
            prop_assert_eq!(respelled(&format!("{base}/{quote}")), Some(pair));
        }
    }
}
