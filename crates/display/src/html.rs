//! HTML of tables and records for notebooks. Everything else in the workspace leaves escaping to this module.

use super::display_options::DisplayOptions;
use super::figures::{Figures, Rounding, is_whole};
use super::number_text::{self, is_below_zero};
use super::text_table::{CUT_NUMBERS, Ellipsis, Fitted, LIST_DECIMALS, NOTHING, Table, leave_out};
use super::view::View;
use super::words::field_words;
use botdesk_schema::text::one_line;

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
        page(&self.title, &self.fitted(None).html())
    }

    /// Returns a table of changes as HTML: with every digit, above its folded parts. Without rows, it says that nothing changes.
    pub fn changes_html(&self, parts: &[Folded]) -> String {
        let changes = if self.rows.is_empty() { notes(&["nothing changes"]) } else { self.table() };
        let parts: String = parts.iter().map(Folded::html).collect();
        page(&self.title, &(changes + &notes(&self.notes) + &parts))
    }

    fn table(&self) -> String {
        let whole = vec![vec![None; self.heads.len()]; self.rows.len()];
        table(self, &whole)
    }
}

impl Fitted {
    /// Returns the table as HTML, with its notes. The pointer over a cell shows the digits that it leaves out.
    fn html(&self) -> String {
        table(&self.table, &self.whole) + &notes(&self.table.notes)
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
        folded(&self.title, &fields(&exact(&self.fields)))
    }
}

impl View {
    /// Returns the record as HTML: the fields that matter most, and the others folded away.
    pub fn html(&self) -> String {
        let mut numbers = NumberFields::default();
        let rounding = |name: &str| self.roundings.get(name).copied().unwrap_or_default();
        let mut parts = if self.shown.is_empty() {
            notes(&["None of the fields that matter most were in the response."])
        } else {
            fields(&numbers.fit(&self.shown, rounding))
        };
        for list in &self.lists {
            parts += &folded(&list.title, &list.fitted(None).html());
        }
        if !self.others.is_empty() {
            parts += &folded(&counted(self.others.len(), "more field"), &fields(&numbers.fit(&self.others, rounding)));
        }
        if !self.unknown.is_empty() {
            let title = counted(self.unknown.len(), "undocumented field");
            parts += &folded(&title, &fields(&numbers.fit(&self.unknown, |_| Rounding::Exact)));
        }
        page(&self.title, &(parts + &notes(&numbers.notes())))
    }
}

/// A field as it is shown.
struct FieldText<'a> {
    name: &'a str,
    shown: String,
    /// Every digit of a number that does not show all of them.
    whole: Option<&'a str>,
}

/// Rounds the figures of fields, or cuts numbers after the decimal places that the user wants and counts them.
#[derive(Default)]
struct NumberFields {
    cut: usize,
}

impl NumberFields {
    fn fit<'a, N: AsRef<str>>(
        &mut self,
        fields: &'a [(N, String)],
        rounding: impl Fn(&str) -> Rounding,
    ) -> Vec<FieldText<'a>> {
        let decimals = DisplayOptions::current().decimals;
        let field = |(name, text): &'a (N, String)| {
            let name = name.as_ref();
            let rounding = rounding(name);
            let shown = match decimals {
                Some(_) if rounding != Rounding::Duration => text.clone(),
                _ => rounding.round(text),
            };
            let cut = decimals.and_then(|decimals| number_text::cut(&shown, decimals));
            self.cut += usize::from(cut.is_some());
            let shown = cut.unwrap_or(shown);
            let whole = (!is_whole(&shown, text)).then_some(text.as_str());
            FieldText { name, shown, whole }
        };
        fields.iter().map(field).collect()
    }

    fn notes(&self) -> Vec<&'static str> {
        if self.cut > 0 { vec![CUT_NUMBERS] } else { Vec::new() }
    }
}

/// Returns the HTML of some fields under a title.
pub fn record(title: &str, shown: &[(String, String)]) -> String {
    page(title, &fields(&exact(shown)))
}

/// Returns the HTML of fields under a title, some of which are figures.
pub fn figures(title: &str, shown: &[(String, String)], rounding: impl Fn(&str) -> Rounding) -> String {
    let mut numbers = NumberFields::default();
    let table = fields(&numbers.fit(shown, rounding));
    page(title, &(table + &notes(&numbers.notes())))
}

/// Returns the HTML of a list of `count` records, each with its place in the list; `rows` holds those that are shown.
pub fn records(
    title: &str,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    count: usize,
    figures: Vec<Rounding>,
    notes: Vec<String>,
) -> String {
    page(title, &format!(r#"<div class="bd-list">{}</div>"#, list(columns, rows, count, figures, notes).html()))
}

/// Returns the cells of a column as lists show them: with few decimal places, but so many that different values stay different.
pub fn list_cells(cells: &[String]) -> Vec<String> {
    Rounding::Cut(LIST_DECIMALS).round_all(cells)
}

/// Returns the table of a list of `count` records, with their places.
fn list(
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    count: usize,
    figures: Vec<Rounding>,
    notes: Vec<String>,
) -> Fitted {
    let (shown, ellipsis) = leave_out(count);
    let place = |(place, mut cells): (usize, Vec<String>)| {
        cells.insert(0, place.to_string());
        cells
    };
    let rows = shown.zip(rows).map(place).collect();
    let heads = std::iter::once(String::new()).chain(columns).collect();
    let figures = Figures::Columns(std::iter::once(Rounding::Exact).chain(figures).collect());
    Table { heads, rows, ellipsis, notes, figures, ..Table::default() }.fitted(Some(LIST_DECIMALS))
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

/// Returns fields with every digit.
fn exact(fields: &[(String, String)]) -> Vec<FieldText<'_>> {
    fields.iter().map(|(name, value)| FieldText { name, shown: value.clone(), whole: None }).collect()
}

fn fields(fields: &[FieldText<'_>]) -> String {
    let rows: String = fields.iter().map(field).collect();
    format!("<table><tbody>{rows}</tbody></table>")
}

fn field(FieldText { name, shown: value, whole }: &FieldText<'_>) -> String {
    let is_bad = is_below_zero(value).then_some(false);
    let cell = Cell { text: value, whole: *whole, is_number: false, is_good: is_bad };
    format!("<tr>{}{}</tr>", named("row", "", name), cell.html())
}

fn table<H: AsRef<str>>(table: &Table<H>, whole: &[Vec<Option<String>>]) -> String {
    let numbers = table.number_columns();
    let line = |cells: String| format!("<tr>{cells}</tr>");
    let row = |(row, (texts, whole)): (usize, (&Vec<String>, &Vec<Option<String>>))| {
        let columns = texts.iter().zip(whole).zip(&numbers).enumerate();
        let cell = |(column, ((text, whole), number)): (usize, ((&String, &Option<String>), &bool))| {
            let is_good = table.is_good(row, column);
            Cell { text, whole: whole.as_deref(), is_number: *number, is_good }.html()
        };
        line(columns.map(cell).collect())
    };
    let mut lines: Vec<String> = table.rows.iter().zip(whole).enumerate().map(row).collect();
    if let Some(Ellipsis { after, label }) = &table.ellipsis {
        let cell = format!(r#"<td class="bd-soft" colspan="{}">{}</td>"#, table.heads.len(), shown(label));
        lines.insert((*after).min(lines.len()), line(cell));
    }
    let heads = table.heads.iter().zip(&numbers).map(|(name, number)| head(name.as_ref(), *number));
    let (heads, body): (String, String) = (heads.collect(), lines.concat());
    format!("<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")
}

fn head(name: &str, number: bool) -> String {
    let class = if number { r#" class="bd-number""# } else { "" };
    named("col", class, name)
}

/// Returns the head of a column or a row: a name of the API as words. The pointer over it shows the name itself.
fn named(scope: &str, class: &str, name: &str) -> String {
    let (name, words) = (shown(name), shown(&field_words(name)));
    let title = if words == name { String::new() } else { format!(r#" title="{name}""#) };
    format!(r#"<th scope="{scope}"{class}{title}>{words}</th>"#)
}

/// A cell of a table.
struct Cell<'a> {
    text: &'a str,
    /// Every digit of a number that does not show all of them.
    whole: Option<&'a str>,
    is_number: bool,
    /// True for a number that stands out as good, false for a bad one.
    is_good: Option<bool>,
}

impl Cell<'_> {
    fn html(&self) -> String {
        let text = self.text;
        let classes = [
            (self.is_number, "bd-number"),
            (BAD.contains(&text) || self.is_good == Some(false), "bd-minus"),
            (GOOD.contains(&text) || self.is_good == Some(true), "bd-yes"),
            (NOTHING.contains(&text) || text == "False", "bd-soft"),
        ];
        let classes: Vec<&str> = classes.into_iter().filter_map(|(applies, class)| applies.then_some(class)).collect();
        let class = if classes.is_empty() { String::new() } else { format!(r#" class="{}""#, classes.join(" ")) };
        let title = self.whole.map(|whole| format!(r#" title="{}""#, shown(whole))).unwrap_or_default();
        format!("<td{class}{title}>{}</td>", shown(text))
    }
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
            r#"<table><thead><tr><th scope="col" title="first_head">first head</th><th scope="col">second</th></tr></thead>"#,
            r#"<tbody><tr><td>a</td><td class="bd-yes">True</td></tr></tbody></table>"#,
            r#"<div class="bd-note">a &lt; b</div></div>"#,
        );
        assert_eq!(body(&table.html()), expected);
    }

    #[test]
    fn a_column_of_numbers_is_marked_and_so_are_losses() {
        let html = table(&[["1.5%", "x"], ["-", "-2"], ["-1e-7…", "failed"], ["-2%", "False"]]).html();
        assert!(html.contains(
            r#"<th scope="col" class="bd-number" title="first_head">first head</th><th scope="col">second</th>"#
        ));
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
    fn a_head_is_in_words_and_keeps_the_name_of_the_api() {
        for (name, expected) in [
            ("usd_profit", r#"<th scope="col" title="usd_profit">USD profit</th>"#),
            ("pair", r#"<th scope="col">pair</th>"#),
            ("<_b>", r#"<th scope="col" title="&lt;_b&gt;">&lt; b&gt;</th>"#),
        ] {
            assert_eq!(head(name, false), expected);
        }
    }

    #[test]
    fn a_list_counts_the_records_that_it_leaves_out() {
        let rows = vec![vec!["x".to_owned()]; 60];
        let html = records("Bots", vec!["name".to_owned()], rows, 1_000, Vec::new(), Vec::new());
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
