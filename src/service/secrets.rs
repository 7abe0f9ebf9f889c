//! Keeping secrets out of what is shown.

use super::dca_bot::DcaBot;
use super::record::Record;

/// The shortest text that is taken for a secret; a shorter one may be a part of any word.
const SHORTEST: usize = 8;

/// Takes texts that are secrets out of a text, be it plain or JSON that escapes a slash.
pub fn without(text: &str, secrets: &[&str]) -> String {
    secrets
        .iter()
        .filter(|secret| secret.len() >= SHORTEST)
        .fold(text.to_owned(), |text, secret| text.replace(secret, HIDDEN).replace(&secret.replace('/', "\\/"), HIDDEN))
}

/// Takes the secrets out of a text that may be JSON, whole or cut: the values of all secret fields.
pub fn without_secrets(text: &str) -> String {
    let secrets = DcaBot::ROWS.iter().filter(|row| row.secret).map(|row| row.wire);
    secrets.fold(text.to_owned(), |text, name| without_value(&text, name))
}

/// What stands where a secret stood.
pub const HIDDEN: &str = "<hidden>";

fn without_value(text: &str, name: &str) -> String {
    let key = format!("\"{name}\"");
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(&key) {
        clean.push_str(before);
        clean.push_str(&key);
        let value = after.trim_start().strip_prefix(':').map_or(after, str::trim_start);
        clean.extend(after.get(..after.len() - value.len()));
        rest = past_string(value);
        if rest.len() < value.len() {
            clean.extend(["\"", HIDDEN, "\""]);
        }
    }
    clean.push_str(rest);
    clean
}

/// What follows the string in quotes at the beginning of a text; nothing where the string is cut.
fn past_string(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('"') else {
        return text;
    };
    let mut escaped = false;
    for (at, character) in inner.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return inner.get(at + 1..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_leave_the_text() {
        let text = r#"[{"id":1,"url_secret": "a\"b","name":"x"},{"url_secret":null},{"url_secret":"cut"#;
        let clean = r#"[{"id":1,"url_secret": "<hidden>","name":"x"},{"url_secret":null},{"url_secret":"<hidden>""#;
        assert_eq!(without_secrets(text), clean);
    }
}
