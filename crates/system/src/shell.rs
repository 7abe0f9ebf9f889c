//! Shell quoting.

/// Quotes a string as one word of a shell command.
pub fn shell_word(string: &str) -> String {
    format!("'{}'", string.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_quoted_as_one_word() {
        assert_eq!(shell_word("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(shell_word(""), "''");
    }
}
