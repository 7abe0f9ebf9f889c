//! The rows of a CSV file, split as `csv.reader` of Python splits them: values in quotes may hold separators, quotes and line breaks.

use std::iter::Peekable;
use std::str::Chars;

/// The separators that files have; the first one outside quotes is that of the file.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// A row: its values, and the number of its last line.
pub(super) type Row = (Vec<String>, u64);

/// Splits a file into its rows.
pub(super) fn rows(text: &str) -> Vec<Row> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader { letters: text.chars().peekable(), separator: separator_of(text), line: 1 };
    std::iter::from_fn(|| reader.row()).collect()
}

fn separator_of(text: &str) -> char {
    let mut is_quoted = false;
    let separator = text.chars().find(|letter| {
        is_quoted ^= *letter == '"';
        !is_quoted && SEPARATORS.contains(letter)
    });
    separator.unwrap_or(',')
}

/// How a value ends.
enum End {
    Value,
    Row,
}

struct Reader<'a> {
    letters: Peekable<Chars<'a>>,
    separator: char,
    line: u64,
}

impl Reader<'_> {
    fn row(&mut self) -> Option<Row> {
        self.letters.peek()?;
        let mut values = Vec::new();
        loop {
            let (value, end) = self.value();
            values.push(value);
            if matches!(end, End::Row) {
                // The line break at its end is read already.
                let row = (values, self.line);
                self.line += 1;
                return Some(row);
            }
        }
    }

    fn value(&mut self) -> (String, End) {
        let mut value = String::new();
        if self.letters.next_if_eq(&'"').is_some() {
            self.quoted(&mut value);
        }
        while let Some(letter) = self.letters.next() {
            match letter {
                '\n' => return (value, End::Row),
                '\r' => {
                    self.letters.next_if_eq(&'\n');
                    return (value, End::Row);
                }
                letter if letter == self.separator => return (value, End::Value),
                letter => value.push(letter),
            }
        }
        (value, End::Row)
    }

    /// Reads up to the quote at the end. Two quotes stand for one.
    fn quoted(&mut self, value: &mut String) {
        while let Some(letter) = self.letters.next() {
            if letter == '"' && self.letters.next_if_eq(&'"').is_none() {
                return;
            }
            self.line += u64::from(letter == '\n');
            value.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_split_as_python_splits_them() {
        for (text, expected) in [
            ("a,b\n1,2\n", vec![(vec!["a", "b"], 1), (vec!["1", "2"], 2)]),
            ("\u{feff}a;b\r\n\"1;5\";\"2,5\"", vec![(vec!["a", "b"], 1), (vec!["1;5", "2,5"], 2)]),
            ("\"a;b\"\tc\n", vec![(vec!["a;b", "c"], 1)]),
            ("\"a\"\"b\",\"c\nd\"\n\ne,\n", vec![(vec!["a\"b", "c\nd"], 2), (vec![""], 3), (vec!["e", ""], 4)]),
            ("a\"b,\"c\"d,\"e", vec![(vec!["a\"b", "cd", "e"], 1)]),
            ("", vec![]),
        ] {
            let expected: Vec<Row> = expected
                .into_iter()
                .map(|(values, line)| (values.into_iter().map(str::to_owned).collect(), line))
                .collect();
            assert_eq!(rows(text), expected, "{text:?}");
        }
    }
}
