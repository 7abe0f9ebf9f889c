//! HTML of tables and records for notebooks. Everything else in the workspace leaves escaping to this module.

use super::display_options::DisplayOptions;
use super::number_text::{self, is_below_zero};
use super::table::{CUT_NUMBERS, Ellipsis, LIST_DECIMALS, NOTHING, Table, leave_out};
use super::text::one_line;
use super::view::View;

/// The colours are those of the notebook if it has any (Jupyter's, then VS Code's), else those of the system. The background is
/// set too, so that a page without a dark palette stays readable. Some rules repeat the class name to take precedence over
/// Jupyter's own rules for tables.
const STYLE: &str = concat!("<style>\n", include_str!("html.css"), "</style>");

/// Values that stand out as good.
const GOOD: [&str; 2] = ["True", "done"];

/// Values that stand out as bad, besides numbers below zero.
const BAD: [&str; 2] = ["failed", "unknown"];

impl<H: AsRef<str>> Table<H> {
    /// Returns the table as HTML, under its title and above its notes.
    pub fn html(&self) -> String {
        page(&self.title, &self.fitted(None).table_and_notes())
    }

    /// Returns a table of changes as HTML: with every digit, above its folded parts. Without rows, it says that nothing changes.
    pub fn changes_html(&self, parts: &[Folded]) -> String {
        let changes = if self.rows.is_empty() { notes(&["nothing changes"]) } else { self.table() };
        let parts: String = parts.iter().map(Folded::html).collect();
        page(&self.title, &(changes + &notes(&self.notes) + &parts))
    }

    fn table_and_notes(&self) -> String {
        self.table() + &notes(&self.notes)
    }

    fn table(&self) -> String {
        table(&self.heads, &self.rows, &self.number_columns(), self.ellipsis.as_ref())
    }
}

/// Fields that are folded under their title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// The title, which stays visible.
    pub title: String,
    /// The fields, each with its value.
    pub fields: Vec<(String, String)>,
}

impl Folded {
    fn html(&self) -> String {
        folded(&self.title, &fields(&self.fields))
    }
}

impl View {
    /// Returns the record as HTML: the fields that matter most, and the others folded away.
    pub fn html(&self) -> String {
        let mut numbers = NumberFields::default();
        let mut parts = if self.shown.is_empty() {
            notes(&["None of the fields that matter most were in the response."])
        } else {
            fields(&numbers.fit(&self.shown))
        };
        for list in &self.lists {
            parts += &folded(&list.title, &list.fitted(None).table_and_notes());
        }
        if !self.others.is_empty() {
            parts += &folded(&counted(self.others.len(), "more field"), &fields(&numbers.fit(&self.others)));
        }
        if !self.unknown.is_empty() {
            let title = counted(self.unknown.len(), "undocumented field");
            parts += &folded(&title, &fields(&numbers.fit(&self.unknown)));
        }
        page(&self.title, &(parts + &notes(&numbers.notes())))
    }
}

/// Cuts the numbers of fields after the decimal places that the user wants, and counts them.
#[derive(Default)]
struct NumberFields {
    cut: usize,
}

impl NumberFields {
    fn fit<N: AsRef<str>>(&mut self, fields: &[(N, String)]) -> Vec<(String, String)> {
        let decimals = DisplayOptions::current().decimals;
        let mut value = |value: &String| {
            let cut = decimals.and_then(|decimals| number_text::cut(value, decimals));
            self.cut += usize::from(cut.is_some());
            cut.unwrap_or_else(|| value.clone())
        };
        fields.iter().map(|(name, text)| (name.as_ref().to_owned(), value(text))).collect()
    }

    fn notes(&self) -> Vec<&'static str> {
        if self.cut > 0 { vec![CUT_NUMBERS] } else { Vec::new() }
    }
}

/// Returns the HTML of some fields under a title.
pub fn record(title: &str, shown: &[(String, String)]) -> String {
    page(title, &fields(shown))
}

/// Returns the HTML of a list of `count` records, each with its place in the list; `rows` holds those that are shown.
pub fn records(title: &str, columns: Vec<String>, rows: Vec<Vec<String>>, count: usize, notes: Vec<String>) -> String {
    page(title, &format!(r#"<div class="bd-list">{}</div>"#, list(columns, rows, count, notes).table_and_notes()))
}

/// Returns the table of a list of `count` records, with their places.
fn list(columns: Vec<String>, rows: Vec<Vec<String>>, count: usize, notes: Vec<String>) -> Table<String> {
    let (shown, ellipsis) = leave_out(count);
    let place = |(place, mut cells): (usize, Vec<String>)| {
        cells.insert(0, place.to_string());
        cells
    };
    let rows = shown.zip(rows).map(place).collect();
    let heads = std::iter::once(String::new()).chain(columns).collect();
    Table { heads, rows, ellipsis, notes, ..Table::default() }.fitted(Some(LIST_DECIMALS))
}

fn page(title: &str, parts: &str) -> String {
    format!(r#"{STYLE}<div class="botdesk"><div class="bd-title">{}</div>{parts}</div>"#, shown(title))
}

fn folded(title: &str, parts: &str) -> String {
    format!("<details><summary>{}</summary>{parts}</details>", shown(title))
}

fn notes<N: AsRef<str>>(notes: &[N]) -> String {
    let note = |note: &N| format!(r#"<div class="bd-note">{}</div>"#, shown(note.as_ref()));
    notes.iter().map(note).collect()
}

fn fields<N: AsRef<str>, V: AsRef<str>>(fields: &[(N, V)]) -> String {
    let rows: String = fields.iter().map(|(name, value)| field(name.as_ref(), value.as_ref())).collect();
    format!("<table><tbody>{rows}</tbody></table>")
}

fn field(name: &str, value: &str) -> String {
    format!(r#"<tr><th scope="row">{}</th>{}</tr>"#, shown(name), cell(value, false))
}

fn table<H: AsRef<str>>(heads: &[H], rows: &[Vec<String>], numbers: &[bool], ellipsis: Option<&Ellipsis>) -> String {
    let cells = |row: &Vec<String>| row.iter().zip(numbers).map(|(text, number)| cell(text, *number)).collect();
    let line = |cells: String| format!("<tr>{cells}</tr>");
    let mut lines: Vec<String> = rows.iter().map(cells).map(line).collect();
    if let Some(Ellipsis { after, label }) = ellipsis {
        let cell = format!(r#"<td class="bd-soft" colspan="{}">{}</td>"#, heads.len(), shown(label));
        lines.insert((*after).min(lines.len()), line(cell));
    }
    let heads: String = heads.iter().zip(numbers).map(|(name, number)| head(name.as_ref(), *number)).collect();
    let body = lines.concat();
    format!("<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")
}

fn head(name: &str, number: bool) -> String {
    let class = if number { r#" class="bd-number""# } else { "" };
    // A column's name may be broken between its words.
    format!(r#"<th scope="col"{class}>{}</th>"#, shown(name).replace('_', "_<wbr>"))
}

fn cell(text: &str, number: bool) -> String {
    let classes = [
        (number, "bd-number"),
        (BAD.contains(&text) || is_below_zero(text), "bd-minus"),
        (GOOD.contains(&text), "bd-yes"),
        (NOTHING.contains(&text) || text == "False", "bd-soft"),
    ];
    let classes: Vec<&str> = classes.into_iter().filter_map(|(applies, class)| applies.then_some(class)).collect();
    let class = if classes.is_empty() { String::new() } else { format!(r#" class="{}""#, classes.join(" ")) };
    format!("<td{class}>{}</td>", shown(text))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns a string as HTML in one line, without control characters.
fn shown(text: &str) -> String {
    escape(&one_line(text, usize::MAX))
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#x27;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(html: &str) -> &str {
        html.strip_prefix(STYLE).unwrap()
    }

    fn table(rows: &[[&str; 2]]) -> Table {
        let rows = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        Table { title: "Title".to_owned(), heads: vec!["first_head", "second"], rows, ..Table::default() }
    }

    #[test]
    fn a_table_has_a_title_a_head_rows_and_notes() {
        let table = Table { notes: vec!["a < b".to_owned()], ..table(&[["a", "True"]]) };
        let expected = concat!(
            r#"<div class="botdesk"><div class="bd-title">Title</div>"#,
            r#"<table><thead><tr><th scope="col">first_<wbr>head</th><th scope="col">second</th></tr></thead>"#,
            r#"<tbody><tr><td>a</td><td class="bd-yes">True</td></tr></tbody></table>"#,
            r#"<div class="bd-note">a &lt; b</div></div>"#,
        );
        assert_eq!(body(&table.html()), expected);
    }

    #[test]
    fn a_column_of_numbers_is_marked_and_so_are_losses() {
        let html = table(&[["1.5%", "x"], ["-", "-2"], ["-1e-7…", "failed"], ["-2%", "False"]]).html();
        assert!(html.contains(r#"<th scope="col" class="bd-number">first_<wbr>head</th><th scope="col">second</th>"#));
        for cell in [
            r#"<td class="bd-number">1.5%</td><td>x</td>"#,
            r#"<td class="bd-number bd-soft">-</td><td class="bd-minus">-2</td>"#,
            r#"<td class="bd-number bd-minus">-1e-7…</td><td class="bd-minus">failed</td>"#,
            r#"<td class="bd-number">-2%</td><td class="bd-soft">False</td>"#,
        ] {
            assert!(html.contains(cell), "{cell}: {html}");
        }
    }

    #[test]
    fn a_list_counts_the_records_that_it_leaves_out() {
        let rows = vec![vec!["x".to_owned()]; 60];
        let html = records("Bots", vec!["name".to_owned()], rows, 1_000, Vec::new());
        assert!(html.contains(r#"<tr><td class="bd-soft" colspan="2">… 940 more …</td></tr>"#), "{html}");
        assert!(html.contains(r#"<td class="bd-number">54</td>"#), "{html}");
        assert!(html.contains(r#"<td class="bd-number">995</td>"#), "{html}");
    }

    #[test]
    fn changes_come_before_what_stays() {
        let stays = Folded { title: "1 field stays".to_owned(), fields: vec![("name".to_owned(), "<b>".to_owned())] };
        let html = table(&[["1.12345678901234567890", "x"]]).changes_html(std::slice::from_ref(&stays));
        assert!(html.contains("<td class=\"bd-number\">1.12345678901234567890</td>"), "{html}");
        let folded = r#"</table><details><summary>1 field stays</summary><table><tbody><tr><th scope="row">name</th><td>&lt;b&gt;</td>"#;
        assert!(html.contains(folded), "{html}");
        let unchanged = table(&[]).changes_html(&[stays]);
        assert!(unchanged.contains(r#"<div class="bd-note">nothing changes</div><details>"#), "{unchanged}");
    }

    #[test]
    fn control_characters_become_spaces() {
        let html = record("a\u{202e}b", &[("c\n".to_owned(), "\u{1b}[2J".to_owned())]);
        assert!(!html.contains(['\u{202e}', '\u{1b}']), "{html}");
        assert!(html.contains("<td> [2J</td>"), "{html}");
    }

    #[test]
    fn less_important_fields_of_a_record_are_folded() {
        let view = View {
            title: "Bot".to_owned(),
            others: vec![("a", "1".to_owned()), ("b", "2".to_owned())],
            unknown: vec![("c".to_owned(), "<".to_owned())],
            lists: vec![table(&[])],
            ..View::default()
        };
        let html = view.html();
        for part in [
            r#"<div class="bd-note">None of the fields that matter most were in the response.</div><details>"#,
            "<details><summary>Title</summary><table><thead>",
            r#"<details><summary>2 more fields</summary><table><tbody><tr><th scope="row">a</th><td>1</td></tr>"#,
            "<summary>1 undocumented field</summary>",
            r#"<th scope="row">c</th><td>&lt;</td>"#,
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    proptest! {
        #[test]
        fn strings_never_become_markup(text in any::<String>()) {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&amp;", "&")];
            let unescaped = entities.iter().fold(escaped, |text, (entity, character)| text.replace(entity, character));
            prop_assert_eq!(unescaped, text);
        }
    }
}
