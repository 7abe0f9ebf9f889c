//! Names of the API and of classes as words, for people.

/// Returns the name of a field as words.
pub fn field_words(name: &str) -> String {
    let word = |word: &str| if word == "usd" { "USD".to_owned() } else { word.to_owned() };
    name.split('_').map(word).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Returns the name of a class as words.
pub fn class_words(name: &str) -> String {
    let mut words = String::new();
    let mut after_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && after_small {
            words.push(' ');
        }
        after_small = letter.is_lowercase();
        words.extend(letter.to_lowercase());
    }
    words.replace("dca", "DCA")
}

/// Returns words with a capital letter at their beginning.
pub fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_words() {
        assert_eq!(field_words("finished_deals_profit_usd"), "finished deals profit USD");
        assert_eq!(field_words("pair"), "pair");
        assert_eq!(class_words("DcaBot"), "DCA bot");
        assert_eq!(class_words("MarketPair"), "market pair");
        assert_eq!(capitalized("äpfel"), "Äpfel");
    }
}
