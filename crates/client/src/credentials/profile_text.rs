//! Changes to the text of the profiles file that keep everything else in it, such as comments.
//!
//! TOML is not parsed here: each function returns texts that may be the changed file, and the caller takes the one that parses to
//! what it should. Texts contain keys, so each is allocated once and erased afterwards.

use zeroize::Zeroizing;

/// The setting that names the default profile.
pub(super) const DEFAULT: &str = "default_profile";

/// Returns the text with a table at its end.
pub(super) fn with_table(text: &str, table: &str) -> Zeroizing<String> {
    let gap = match text.chars().last() {
        None => "",
        Some('\n') => "\n",
        Some(_) => "\n\n",
    };
    joined(&[text, gap, table])
}

/// Returns the texts that may be the text without the table of this name. Comments and blank lines before the next table stay.
pub(super) fn without_table<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = Zeroizing<String>> {
    let lines = lines(text);
    let is_header = |line: &TextLine<'_>| line.content.trim_start().starts_with('[');
    let headers: Vec<usize> = lines.iter().filter(|line| is_header(line)).map(|line| line.start).collect();
    let starts: Vec<usize> =
        lines.iter().filter(|line| is_header(line) && line.content.contains(name)).map(|line| line.start).collect();
    starts.into_iter().flat_map(move |start| {
        let ends = headers.iter().copied().filter(move |end| *end > start).chain([text.len()]);
        let ends: Vec<usize> = ends.map(|end| end_of_settings(&lines, start, end)).collect();
        ends.into_iter().filter_map(move |end| Some(joined(&[text.get(..start)?, text.get(end..)?])))
    })
}

/// Returns the texts that may be the text with this default profile, or without one.
pub(super) fn with_default<'a>(text: &'a str, setting: Option<&'a str>) -> impl Iterator<Item = Zeroizing<String>> {
    let setting = setting.map(|value| format!("{DEFAULT} = {value}\n")).unwrap_or_default();
    // After the mark that some editors write at the start of a file.
    let (mark, rest) = text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 });
    let replaced = lines(text).into_iter().filter(names_default).map({
        let setting = setting.clone();
        move |line| {
            let end = line.start + line.content.len();
            joined(&[text.get(..line.start).unwrap_or_default(), &setting, text.get(end..).unwrap_or_default()])
        }
    });
    replaced.chain([joined(&[mark, &setting, rest])])
}

/// Returns whether a line may be the setting of the default profile.
fn names_default(line: &TextLine<'_>) -> bool {
    line.content.contains(DEFAULT) && !line.content.trim_start().starts_with('#')
}

/// A line with its end, and where it begins.
struct TextLine<'a> {
    start: usize,
    content: &'a str,
}

fn lines(text: &str) -> Vec<TextLine<'_>> {
    let start_at = |next: &mut usize, content: &'_ str| {
        let start = *next;
        *next += content.len();
        start
    };
    text.split_inclusive('\n')
        .scan(0, |next, content| Some(TextLine { start: start_at(next, content), content }))
        .collect()
}

/// Returns the end of the last line of a table with a setting: comments and blank lines after it belong to the next table.
fn end_of_settings(lines: &[TextLine<'_>], start: usize, end: usize) -> usize {
    let is_setting = |line: &&TextLine<'_>| {
        let content = line.content.trim_start();
        !content.is_empty() && !content.starts_with('#')
    };
    let table = lines.iter().rev().skip_while(|line| line.start >= end).take_while(|line| line.start >= start);
    table.into_iter().find(is_setting).map_or(end, |line| line.start + line.content.len())
}

/// Joins texts. The result has its final size from the start, because a string that grows leaves copies of secrets behind.
fn joined(parts: &[&str]) -> Zeroizing<String> {
    Zeroizing::new(parts.concat())
}
