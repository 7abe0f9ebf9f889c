//! Trading pairs in the service's spelling, and the pairs of other spellings.

use super::values::quoted;

/// The pattern of a pair, in the syntax that JSON Schema shares with most languages. Not all of them know classes of letters, so that it
/// accepts all characters that are not ASCII.
pub const PATTERN: &str = r"^[^\x00-/:-@\[-\x7f]([^\x00-,/:-@\[-\x7f]*[^\x00-/:-@\[-\x7f])?_[^\x00-/:-@\[-\x7f]([^\x00-,/:-@\[-^`-\x7f]*[^\x00-/:-@\[-\x7f])?$";

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
    (is_symbol(quote, ".-") && is_symbol(base, "._-")).then_some((quote, base))
}

/// Returns true if a string is the code of a currency, or the symbol of a derivative.
pub fn is_currency(code: &str) -> bool {
    is_symbol(code, "._-")
}

/// Returns true if a string is letters and digits of any script, none of them lower-case, with any of `inner` between them.
fn is_symbol(text: &str, inner: &str) -> bool {
    let is_alphanumeric = |letter: char| letter.is_alphanumeric() && !letter.is_lowercase();
    [text.chars().next(), text.chars().next_back()].into_iter().all(|end| end.is_some_and(is_alphanumeric))
        && text.chars().all(|letter| is_alphanumeric(letter) || inner.contains(letter))
}

/// Returns the message about pairs of one bot that have several quote currencies; None if they have one.
///
/// If they have one with the base and the quote of some of them swapped, the message names that spelling.
pub fn several_quotes<'a>(pairs: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let pairs: Vec<_> = pairs.into_iter().map(currencies).collect::<Option<_>>()?;
    let quotes = unique(pairs.iter().map(|(quote, _)| *quote));
    let (last, others) = quotes.split_last().filter(|(_, others)| !others.is_empty())?;
    let what_to_do = match swapped(&pairs) {
        Some(spelling) => format!("did you mean {}?", spelling.join(", ")),
        None => "pass only pairs of one of them".to_owned(),
    };
    Some(format!("must have the same quote currency, and these have {} and {last}; {what_to_do}", others.join(", ")))
}

/// Returns pairs with the quote currency that all have if some of them are written with the base first.
fn swapped(pairs: &[(&str, &str)]) -> Option<Vec<String>> {
    let (first_quote, first_base) = pairs.first()?;
    let respelled = |common: &str| {
        let respelled = |(quote, base): &(&str, &str)| {
            let other = if *quote == common { *base } else { *quote };
            let is_plausible = (*quote == common || *base == common) && rank(common) <= rank(other);
            is_plausible.then(|| format!("{common}_{other}"))
        };
        pairs.iter().map(respelled).collect::<Option<Vec<_>>>()
    };
    // If both currencies are in all pairs, all of them are of the same two.
    match (respelled(first_quote), respelled(first_base)) {
        (Some(spelling), None) | (None, Some(spelling)) => Some(unique(spelling)),
        _ => None,
    }
}

fn unique<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for value in values {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique
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
    let text = text.trim().to_uppercase();
    if currencies(&text).is_some() {
        return Some(text);
    }
    // ccxt appends the settlement currency of a derivative: BTC/USDT:USDT.
    let (market, _) = text.split_once(':').unwrap_or((&text, ""));
    let (quote, base) = match market.split_once('/') {
        Some((base, quote)) => (quote, base),
        None => ordered(market.split_once(['-', ' ']).or_else(|| split_quote(market))?),
    };
    (is_symbol(quote, "") && is_symbol(base, "")).then(|| format!("{quote}_{base}"))
}

/// Splits the quote currency off the end of a market without a separator.
fn split_quote(market: &str) -> Option<(&str, &str)> {
    let quotes = QUOTES.iter().filter_map(|quote| Some((market.strip_suffix(quote)?, *quote)));
    quotes.max_by_key(|(_, quote)| quote.len())
}

/// Returns the quote and the base of two currencies. Exchanges differ in which one comes first, most write the base first.
fn ordered<'a>((first, second): (&'a str, &'a str)) -> (&'a str, &'a str) {
    if rank(first) < rank(second) { (first, second) } else { (second, first) }
}

/// Returns the rank of a quote currency; the last one for any other currency.
fn rank(currency: &str) -> usize {
    QUOTES.iter().position(|quote| *quote == currency).unwrap_or(QUOTES.len())
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
            ("USDC_币安人生", "USDC", "币安人生"),
            ("USDT_ÄTH", "USDT", "ÄTH"),
            ("USDT_٣٤", "USDT", "٣٤"),
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
            "USDT_äth",
            "USDT_B\u{200b}TC",
            "USDT_BTC\u{202e}",
            "USDT_₿",
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
            ("币安人生/USDC", "'USDC_币安人生'"),
            ("usdt_äth", "'USDT_ÄTH'"),
            ("BTC", "QUOTE_BASE, such as 'USDT_BTC'"),
            ("BTC-USDT-SWAP", "QUOTE_BASE, such as 'USDT_BTC'"),
            ("", "QUOTE_BASE, such as 'USDT_BTC'"),
        ] {
            assert_eq!(problem(text), Some(format!("'{text}' is not a pair; write it as {spelling}")));
        }
    }

    #[test]
    fn pairs_of_one_bot_have_one_quote_currency() {
        let one: [&[&str]; 5] =
            [&[], &["BTC_USDT"], &["USDT_BTC", "USDT_ETH"], &["BTC_USDT", "BTC_ETH"], &["usdt", "USDT_BTC"]];
        for pairs in one {
            assert_eq!(several_quotes(pairs.iter().copied()), None, "{pairs:?}");
        }
        let several: [(&[&str], _); 8] = [
            (&["BTC_USDT", "ETH_USDT"], "BTC and ETH; did you mean USDT_BTC, USDT_ETH?"),
            (&["USDT_BTC", "ETH_USDT"], "USDT and ETH; did you mean USDT_BTC, USDT_ETH?"),
            (&["USDT_BTC", "USDT_ETH", "BTC_USDT"], "USDT and BTC; did you mean USDT_BTC, USDT_ETH?"),
            (&["AAA_NEW", "BBB_NEW", "CCC_NEW"], "AAA, BBB and CCC; did you mean NEW_AAA, NEW_BBB, NEW_CCC?"),
            (&["USDT_BTC", "BUSD_ETH"], "USDT and BUSD; pass only pairs of one of them"),
            (&["USDT_BTC", "BUSD_BTC"], "USDT and BUSD; pass only pairs of one of them"),
            (&["BTC_ETH", "ETH_BTC"], "BTC and ETH; did you mean BTC_ETH?"),
            (&["AAA_BBB", "BBB_AAA"], "AAA and BBB; pass only pairs of one of them"),
        ];
        for (pairs, rest) in several {
            let message = format!("must have the same quote currency, and these have {rest}");
            assert_eq!(several_quotes(pairs.iter().copied()), Some(message));
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
