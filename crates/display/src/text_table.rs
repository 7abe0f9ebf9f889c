//! Tables of strings, for every output format, and the selection of rows that a long table shows.

use std::cmp::Ordering;

use super::display_options::{DisplayOptions, terminal_width};
use super::figures::{self, Better, DIFFERENCE, Figures, Rounding};
use super::number_text;
use botdesk_schema::text::one_line;

/// A table of strings with a title and notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table<H = &'static str> {
    /// The title, in one line.
    pub title: String,
    /// The column names.
    pub heads: Vec<H>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// The omitted rows; None if all rows are present.
    pub ellipsis: Option<Ellipsis>,
    /// The notes below the table, each a sentence.
    pub notes: Vec<String>,
    /// The rounding of the cells.
    pub figures: Figures,
}

/// A table as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fitted {
    /// The table with its cells as they are shown.
    pub table: Table<String>,
    /// Every digit of each cell that does not show all of them.
    pub whole: Vec<Vec<Option<String>>>,
}

/// A cell as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownCell {
    /// The string.
    pub text: String,
    /// Every digit of a number that does not show all of them.
    pub whole: Option<String>,
    /// True for a number that stands out as good, false for a bad one.
    pub is_good: Option<bool>,
}

/// Rows that are omitted from a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ellipsis {
    /// The number of rows before the omitted ones.
    pub after: usize,
    /// The text in place of the omitted rows.
    pub label: String,
}

/// The decimal places that a list of records shows in a notebook unless the user sets another number.
pub(crate) const LIST_DECIMALS: usize = 6;

/// The values that mean that there is none.
pub(crate) const NOTHING: [&str; 3] = ["-", "None", ""];

/// The head and the cells of a column that stands for columns that are not shown.
const HIDDEN_COLUMNS: &str = "…";

/// Returns the indices of the rows to show of a table with `count` rows, and the omitted rows, if any.
pub fn leave_out(count: usize) -> (impl Iterator<Item = usize>, Option<Ellipsis>) {
    let (first, last) = DisplayOptions::current().first_and_last_rows();
    let hidden = count.saturating_sub(first + last);
    let after = if hidden > 0 { first } else { count };
    let ellipsis = (hidden > 0).then(|| Ellipsis { after, label: format!("… {hidden} more …") });
    ((0..after).chain(after + hidden..count), ellipsis)
}

impl<H> Table<H> {
    /// Returns the table with the middle of its rows omitted if it is long.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        let (shown, ellipsis) = leave_out(self.rows.len());
        let rows = &mut self.rows;
        self.rows = shown.filter_map(|place| rows.get_mut(place).map(std::mem::take)).collect();
        self.ellipsis = ellipsis;
        self
    }
}

impl<H: AsRef<str>> Table<H> {
    /// Returns the table as the display options want it: the first and the last columns, and its figures rounded, unless the user
    /// sets the decimal places. Other numbers are cut after `decimals` places. Notes say what is not shown. No cell breaks a line.
    pub(crate) fn fitted(&self, decimals: Option<usize>) -> Fitted {
        self.fit(DisplayOptions::current(), decimals)
    }

    fn fit(&self, options: DisplayOptions, decimals: Option<usize>) -> Fitted {
        let heads: Vec<String> = self.heads.iter().map(|head| clean(head.as_ref())).collect();
        let columns = columns_shown(&heads, options.columns);
        let whole: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| clean(cell)).collect()).collect();
        let (shown, has_cuts) = self.rounded(&whole, heads.len(), options, decimals);
        let hidden = |(shown, whole): (&String, &String)| (!figures::is_whole(shown, whole)).then(|| whole.clone());
        let hidden = |(shown, whole): (&Vec<String>, &Vec<String>)| -> Vec<_> {
            let hidden: Vec<_> = shown.iter().zip(whole).map(hidden).collect();
            columns.iter().map(|column| column.and_then(|at| hidden.get(at).cloned().flatten())).collect()
        };
        let mut notes: Vec<String> = self.notes.iter().map(|note| clean(note)).collect();
        notes.extend(hidden_columns(heads.len(), &columns));
        notes.extend(has_cuts.then(|| CUT_NUMBERS.to_owned()));
        let whole = shown.iter().zip(&whole).map(hidden).collect();
        let table = Table {
            title: clean(&self.title),
            heads: selected(&heads, &columns).collect(),
            rows: shown.iter().map(|row| selected(row, &columns).collect()).collect(),
            ellipsis: self.ellipsis.clone(),
            notes,
            figures: self.figures.of_columns(&columns),
        };
        Fitted { table, whole }
    }

    /// Returns the cells as they are shown, with true if a number is cut.
    fn rounded(
        &self,
        rows: &[Vec<String>],
        width: usize,
        options: DisplayOptions,
        decimals: Option<usize>,
    ) -> (Vec<Vec<String>>, bool) {
        let mut has_cuts = false;
        let Some(places) = options.decimals else {
            let cut = |rounding| match (rounding, decimals) {
                (Rounding::Exact, Some(places)) => Rounding::Cut(places),
                (rounding, _) => rounding,
            };
            let shown = self.figures.with_roundings(width, cut).round(rows);
            let mut pairs = shown.iter().flatten().zip(rows.iter().flatten());
            has_cuts = pairs.any(|(shown, whole)| number_text::is_cut(shown) && shown != whole);
            return (shown, has_cuts);
        };
        // The user's choice applies to all numbers, even if different ones then look the same.
        let only_durations = |rounding| if rounding == Rounding::Duration { rounding } else { Rounding::Exact };
        let mut shown = self.figures.with_roundings(width, only_durations).round(rows);
        for cell in shown.iter_mut().flatten() {
            if let Some(cut) = number_text::cut(cell, places) {
                *cell = cut;
                has_cuts = true;
            }
        }
        (shown, has_cuts)
    }

    /// Returns the rows as they are shown, without limits of columns.
    pub fn shown_rows(&self) -> Vec<Vec<ShownCell>> {
        let options = DisplayOptions { columns: None, ..DisplayOptions::current() };
        let Fitted { table, whole } = self.fit(options, None);
        let cell = |row: usize, column: usize, text: &String| ShownCell {
            text: text.clone(),
            whole: whole.get(row).and_then(|cells| cells.get(column).cloned().flatten()),
            is_good: table.is_good(row, column),
        };
        let row = |(row, cells): (usize, &Vec<String>)| {
            cells.iter().enumerate().map(|(column, text)| cell(row, column, text)).collect()
        };
        table.rows.iter().enumerate().map(row).collect()
    }

    /// Returns the table as text, each column as wide as its widest cell. The first `left` columns are aligned to the left. In a
    /// terminal, columns that do not fit are left out, and named below the table.
    pub fn text(&self, left: usize) -> String {
        let Fitted { table, .. } = self.fitted(None);
        let aligned = (0..table.heads.len()).map(|column| column >= left).collect();
        let (table, aligned) = table.in_terminal(aligned, left.max(1));
        let lines = table.lines(&aligned);
        std::iter::once(table.title).chain(lines).collect::<Vec<_>>().join("\n")
    }

    /// Returns the table as text without its title. Columns of numbers are aligned to the right. In a terminal, columns that do not
    /// fit are left out, and named below the table.
    pub fn list_text(&self) -> String {
        let Fitted { table, .. } = self.fitted(None);
        let aligned = table.number_columns();
        let (table, aligned) = table.in_terminal(aligned, 1);
        table.lines(&aligned).join("\n")
    }

    /// Returns for each column if it is aligned to the right: if it holds figures, or numbers and nothing else.
    pub(crate) fn number_columns(&self) -> Vec<bool> {
        (0..self.heads.len()).map(|column| self.figures.is_right(column) || are_numbers(&self.rows, column)).collect()
    }

    /// Returns true for a number that stands out as good, and false for a bad one: a loss, or a difference that is better or worse.
    pub(crate) fn is_good(&self, row: usize, column: usize) -> Option<bool> {
        let text = self.rows.get(row)?.get(column)?;
        let Some(better) = self.figures.better(row) else { return number_text::is_below_zero(text).then_some(false) };
        let is_difference = self.heads.get(column).is_some_and(|head| head.as_ref() == DIFFERENCE);
        let sign = if is_difference { figures::sign(text) } else { figures::sign(text).min(Ordering::Equal) };
        match (better, sign) {
            (Better::Neither, _) | (_, Ordering::Equal) => None,
            (Better::Higher, sign) => Some(sign == Ordering::Greater),
            (Better::Lower, sign) => is_difference.then_some(sign == Ordering::Less),
        }
    }
}

impl Table<String> {
    /// Returns the table as wide as the terminal, and which of its columns are aligned to the right. The user's own number of columns
    /// takes precedence, and so does an output that is not a terminal.
    fn in_terminal(self, right: Vec<bool>, first: usize) -> (Self, Vec<bool>) {
        match terminal_width().filter(|_| DisplayOptions::current().columns.is_none()) {
            Some(width) => self.within(width, right, first),
            None => (self, right),
        }
    }

    /// Returns the table without the columns that do not fit `width`. The first ones stay, and the names of records.
    fn within(mut self, width: usize, mut right: Vec<bool>, first: usize) -> (Self, Vec<bool>) {
        if self.width() > width {
            // Most cells are shorter than the name of their column.
            self.heads.iter_mut().for_each(|head| *head = head.replace('_', "_\n"));
        }
        let mut hidden = Vec::new();
        while self.width() > width
            && let Some(column) = self.least_important(first)
        {
            let head = self.heads.remove(column);
            hidden.push(head.replace('\n', ""));
            right.remove(column);
            let rows = self.rows.iter_mut().filter(|row| column < row.len());
            rows.for_each(|row| drop(row.remove(column)));
        }
        let columns = if hidden.len() == 1 { "column is" } else { "columns are" };
        let note = || format!("{} {columns} hidden: {}; a wider terminal shows more", hidden.len(), hidden.join(", "));
        self.notes.extend((!hidden.is_empty()).then(note));
        (self, right)
    }

    /// Returns the column to leave out next: the last column of text, or else the middle one of numbers. Figures at the ends matter
    /// most: what a record is, and what it has earned.
    fn least_important(&self, first: usize) -> Option<usize> {
        let numbers = self.number_columns();
        let optional = || {
            numbers
                .iter()
                .enumerate()
                .skip(first)
                .filter(|(at, _)| self.heads.get(*at).is_some_and(|head| head != "name"))
        };
        let of_text = optional().filter(|(_, is_number)| !**is_number).map(|(at, _)| at).next_back();
        let of_numbers: Vec<usize> = optional().map(|(at, _)| at).collect();
        of_text.or_else(|| of_numbers.get(of_numbers.len().saturating_sub(1) / 2).copied())
    }

    /// Returns the width of the column names and the rows.
    fn width(&self) -> usize {
        let columns: usize = (0..self.heads.len()).map(|column| self.column_width(column)).sum();
        columns + GAP.len() * self.heads.len().saturating_sub(1)
    }

    fn column_width(&self, column: usize) -> usize {
        let head = self.heads.get(column).into_iter().flat_map(|head| head.lines());
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(String::as_str);
        head.chain(cells).map(|line| line.chars().count()).max().unwrap_or(0)
    }

    /// Returns the lines of the column names. A name may be broken; its last line is the one above the cells.
    fn head_lines(&self) -> Vec<Vec<String>> {
        let height = self.heads.iter().map(|head| head.lines().count()).max().unwrap_or(1).max(1);
        let line = |at: usize| {
            let part = |head: &String| {
                let above = height - head.lines().count().min(height);
                at.checked_sub(above).and_then(|at| head.lines().nth(at)).unwrap_or_default().to_owned()
            };
            self.heads.iter().map(part).collect()
        };
        (0..height).map(line).collect()
    }

    /// Returns the lines of the column names, the rows and the notes; the columns of `right` are aligned to the right.
    fn lines(&self, right: &[bool]) -> Vec<String> {
        let heads = self.head_lines();
        let height = heads.len();
        let rows: Vec<&Vec<String>> = heads.iter().chain(&self.rows).collect();
        let length = |cell: &String| cell.chars().count();
        let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(length).max().unwrap_or(0);
        let columns: Vec<(usize, bool)> = right.iter().enumerate().map(|(at, right)| (widest(at), *right)).collect();
        let cell = |(cell, (width, right)): (&String, &(usize, bool))| {
            if *right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        };
        let line = |row: &&Vec<String>| {
            let cells: Vec<String> = row.iter().zip(&columns).map(cell).collect();
            cells.join(GAP).trim_end().to_owned()
        };
        let mut lines: Vec<String> = rows.iter().map(line).collect();
        if let Some(ellipsis) = &self.ellipsis {
            // The column names come before the rows.
            lines.insert((ellipsis.after + height).min(lines.len()), ellipsis.label.clone());
        }
        lines.extend(self.notes.iter().map(|note| format!("! {note}")));
        lines
    }
}

/// The space between two columns.
const GAP: &str = "  ";

/// The note below a table with numbers that are cut.
pub(crate) const CUT_NUMBERS: &str = "a number that ends in … has more digits; botdesk.display(decimals=…) shows them";

/// Returns a string in one line, without control characters.
fn clean(text: &str) -> String {
    one_line(text, usize::MAX)
}

/// Returns the indices of the columns to show, with None in place of those between them. A first column without a name, which has
/// the places of the rows, is always shown and not counted.
fn columns_shown(heads: &[String], most: Option<usize>) -> Vec<Option<usize>> {
    let fixed = usize::from(heads.first().is_some_and(String::is_empty));
    let count = heads.len();
    match most {
        Some(most) if count > fixed + most => {
            let first = fixed + most.div_ceil(2);
            let last = count - most / 2;
            (0..first).map(Some).chain([None]).chain((last..count).map(Some)).collect()
        }
        _ => (0..count).map(Some).collect(),
    }
}

fn hidden_columns(count: usize, shown: &[Option<usize>]) -> Option<String> {
    let hidden = count - shown.iter().flatten().count();
    let columns = if hidden == 1 { "column is" } else { "columns are" };
    (hidden > 0).then(|| format!("{hidden} {columns} not shown; botdesk.display(columns=…) shows more"))
}

fn selected(cells: &[String], shown: &[Option<usize>]) -> impl Iterator<Item = String> {
    shown
        .iter()
        .filter_map(|column| column.map_or_else(|| Some(HIDDEN_COLUMNS.to_owned()), |at| cells.get(at).cloned()))
}

/// Returns true if a column holds numbers and nothing else.
fn are_numbers(rows: &[Vec<String>], column: usize) -> bool {
    let cells = rows.iter().filter_map(|row| row.get(column));
    let mut values = cells.filter(|text| !NOTHING.contains(&text.as_str())).peekable();
    values.peek().is_some() && values.all(|text| number_text::is_written_number(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_with_commas_and_percentages_are_numbers() {
        let column =
            |cells: &[&str]| are_numbers(&cells.iter().map(|cell| vec![(*cell).to_owned()]).collect::<Vec<_>>(), 0);
        assert!(column(&["1,234.50", "-2", "-"]));
        assert!(column(&["2 %", "-4.24 %"]));
        assert!(!column(&["USDT_BTC, USDT_ETH"]));
        assert!(!column(&["41, 43"]));
    }

    fn table(rows: usize) -> Table {
        Table { rows: (0..rows).map(|row| vec![row.to_string()]).collect(), ..Table::default() }
    }

    fn wide(columns: usize) -> Table<String> {
        let row: Vec<String> = (0..columns).map(|column| format!("{column}.25")).collect();
        let heads = (0..columns).map(|column| format!("c{column}")).collect();
        Table { title: "Title".to_owned(), heads, rows: vec![row], ..Table::default() }
    }

    fn options(columns: Option<usize>, decimals: Option<usize>) -> DisplayOptions {
        DisplayOptions { columns, decimals, ..DisplayOptions::default() }
    }

    #[test]
    fn of_many_columns_the_first_and_the_last_are_shown() {
        let fitted = wide(6).fit(options(Some(3), None), None).table;
        assert_eq!(fitted.heads, ["c0", "c1", "…", "c5"]);
        assert_eq!(fitted.rows, [["0.25", "1.25", "…", "5.25"]]);
        assert_eq!(fitted.notes, ["3 columns are not shown; botdesk.display(columns=…) shows more"]);
        assert_eq!(wide(3).fit(options(Some(3), None), None).table, wide(3));
        assert_eq!(wide(2).fit(options(Some(1), None), None).table.heads, ["c0", "…"]);
    }

    #[test]
    fn a_column_of_places_is_always_shown() {
        let mut table = wide(4);
        table.heads[0] = String::new();
        assert_eq!(table.fit(options(Some(1), None), None).table.heads, ["", "c1", "…"]);
    }

    #[test]
    fn cut_numbers_are_explained_below_the_table() {
        let fitted = wide(2).fit(options(None, Some(1)), Some(6)).table;
        assert_eq!(fitted.rows, [["0.2…", "1.2…"]]);
        assert_eq!(fitted.notes, [CUT_NUMBERS]);
        assert_eq!(wide(2).fit(options(None, None), Some(6)).table, wide(2));
    }

    #[test]
    fn a_cell_with_control_characters_stays_in_its_line() {
        let table = Table { title: "a\nb".to_owned(), rows: vec![vec!["\u{1b}[2J\r\u{202e}x".to_owned()]], ..wide(1) };
        assert_eq!(table.text(0), "a b\n     c0\n [2J  x");
    }

    #[test]
    fn numbers_are_aligned_to_the_right_and_strings_to_the_left() {
        let rows = [["Früh", "1"], ["b", "-"], ["c", "100"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let table = Table { heads: vec!["name", "n"], rows, ..Table::default() };
        assert_eq!(table.list_text(), "name    n\nFrüh    1\nb       -\nc     100");
    }

    fn bots() -> Table<String> {
        let heads = ["id", "is_enabled", "name", "strategy", "active_deals_count", "take_profit", "profit_usd"];
        let row = ["41", "True", "Steady ETH long", "long", "1", "1.0", "-12.5"];
        Table {
            heads: heads.map(str::to_owned).to_vec(),
            rows: vec![row.map(str::to_owned).to_vec()],
            ..Table::default()
        }
    }

    fn within(width: usize) -> Vec<String> {
        let table = bots();
        let right = table.number_columns();
        let (table, right) = table.within(width, right, 1);
        table.lines(&right)
    }

    #[test]
    fn a_table_that_fits_is_unchanged() {
        assert_eq!(within(120).len(), 2);
        assert!(within(120)[0].starts_with("id  is_enabled  name"), "{:?}", within(120));
    }

    #[test]
    fn names_of_columns_are_broken_before_a_column_is_left_out() {
        let lines = within(70);
        assert_eq!(lines[0].trim(), "active_");
        assert_eq!(lines[3], "41  True     Steady ETH long  long            1     1.0    -12.5");
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn columns_that_do_not_fit_are_left_out_and_named() {
        let lines = within(30);
        assert_eq!(lines[2], "41  Steady ETH long    -12.5");
        let note = "! 4 columns are hidden: strategy, is_enabled, take_profit, active_deals_count; a wider terminal shows more";
        assert_eq!(lines.last().map(String::as_str), Some(note));
        assert!(lines.iter().filter(|line| !line.starts_with('!')).all(|line| line.chars().count() <= 30), "{lines:?}");
    }

    #[test]
    fn the_first_column_and_the_name_stay_in_a_narrow_terminal() {
        assert_eq!(within(5)[0], "id  name");
    }

    #[test]
    fn a_long_table_shows_its_beginning_and_its_end() {
        let short = table(1_000).shortened();
        assert_eq!(
            (short.rows.len(), &short.rows[54][0], &short.rows[55][0]),
            (60, &"54".to_owned(), &"995".to_owned())
        );
        assert_eq!(short.ellipsis, Some(Ellipsis { after: 55, label: "… 940 more …".to_owned() }));
    }

    #[test]
    fn a_short_table_is_unchanged() {
        assert_eq!(table(60).shortened(), table(60));
    }
}
