//! Strings in messages and tables.

/// Returns a string without line breaks and other characters that can't be printed, cut after `longest` characters.
pub fn one_line(text: &str, longest: usize) -> String {
    if text.len() <= longest && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut characters = text.chars().map(|character| if is_printable(character) { character } else { ' ' });
    let mut line: String = characters.by_ref().take(longest).collect();
    if characters.next().is_some() {
        line.push('…');
    }
    line
}

/// Returns `and 3 more` if there are three more than `shown` of `count` things; None if there are no more.
pub fn and_more(count: usize, shown: usize) -> Option<String> {
    let more = count.saturating_sub(shown);
    (more > 0).then(|| format!("and {more} more"))
}

/// Returns several lines in which the characters that can't be printed are escaped as in JSON. JSON keeps its meaning.
pub fn with_escapes(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_printable(character) || matches!(character, '\n' | '\t') {
            escaped.push(character);
        } else {
            let mut units = [0; 2];
            escaped.extend(character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    escaped
}

/// Returns false for a character that controls a terminal, ends a line, is invisible, or changes how the characters around it look.
fn is_printable(character: char) -> bool {
    let is_format = matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{feff}'
        // Fillers of Hangul and Khmer, which are invisible.
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
        | '\u{180b}'..='\u{180f}'
        // Zero-width characters, the line separators, directions and invisible operators.
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tags, and the variation selectors that no emoji uses.
        | '\u{e0000}'..='\u{e0fff}'
    );
    !character.is_control() && !is_format
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind of character that no output may have.
    const UNPRINTABLE: &str = "\0\u{7}\u{8}\n\r\u{1b}\u{7f}\u{85}\u{9b}\u{9d}\u{ad}\u{200b}\u{200d}\u{200e}\u{2028}\u{202e}\u{2066}\u{feff}\u{e0041}";

    #[test]
    fn a_string_becomes_one_line() {
        assert_eq!(one_line("a\r\nb\u{2029}c\u{202e}d\u{1b}[31m", 20), "a  b c d [31m");
        assert_eq!(one_line("häßlich 🤖", 9), "häßlich 🤖");
        assert_eq!(one_line("häßlich 🤖!", 9), "häßlich 🤖…");
        assert_eq!(one_line("plain", 5), "plain");
        assert_eq!(one_line("plain", 4), "plai…");
    }

    #[test]
    fn each_unprintable_character_becomes_a_space() {
        assert_eq!(one_line(UNPRINTABLE, 100), " ".repeat(UNPRINTABLE.chars().count()));
        assert_eq!(one_line("❤️ 日本語 é", 100), "❤️ 日本語 é");
    }

    #[test]
    fn escapes_keep_lines_and_the_meaning_of_json() {
        assert_eq!(with_escapes("a\r\nb\tc\rd"), "a\nb\tc\nd");
        assert_eq!(with_escapes("\u{1b}]8;;\u{9b}\u{202e}\u{e0041}"), r"\u001b]8;;\u009b\u202e\udb40\udc41");
        let json = serde_json::json!({ "name": "\u{9b}\u{7f}\u{e0041}é" });
        let read: serde_json::Value = serde_json::from_str(&with_escapes(&json.to_string())).unwrap();
        assert_eq!(read, json);
    }
}
