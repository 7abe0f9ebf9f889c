//! Strings in messages and tables.

/// Returns a string without line breaks and other control characters, cut after `longest` characters.
pub fn one_line(text: &str, longest: usize) -> String {
    let mut characters = text.chars().map(|character| if breaks_a_line(character) { ' ' } else { character });
    let mut line: String = characters.by_ref().take(longest).collect();
    if characters.next().is_some() {
        line.push('…');
    }
    line
}

/// Returns true if a character ends a line, or changes how the characters around it look.
fn breaks_a_line(character: char) -> bool {
    const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];
    const DIRECTIONS: [char; 12] = [
        '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}',
        '\u{2067}', '\u{2068}', '\u{2069}',
    ];
    character.is_control() || SEPARATORS.contains(&character) || DIRECTIONS.contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_becomes_one_line() {
        assert_eq!(one_line("a\r\nb\u{2029}c\u{202e}d\u{1b}[31m", 20), "a  b c d [31m");
        assert_eq!(one_line("häßlich 🤖", 9), "häßlich 🤖");
        assert_eq!(one_line("häßlich 🤖!", 9), "häßlich 🤖…");
    }
}
