//! Tables of strings, for every output format, and the selection of rows that a long table shows.

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
}

/// Rows that are omitted from a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ellipsis {
    /// The number of rows before the omitted ones.
    pub after: usize,
    /// The text in place of the omitted rows.
    pub label: String,
}

/// The maximum number of rows that a long table shows.
const MAX_ROWS: usize = 60;

/// The number of final rows among them.
const LAST_ROWS: usize = 5;

/// Returns the indices of the rows to show of a table with `count` rows, and the omitted rows, if any.
pub fn leave_out(count: usize) -> (impl Iterator<Item = usize>, Option<Ellipsis>) {
    let hidden = count.saturating_sub(MAX_ROWS);
    let after = if hidden > 0 { MAX_ROWS - LAST_ROWS } else { count };
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
    /// Returns the table as text, each column as wide as its widest cell. The first `left` columns are aligned to the left.
    pub fn text(&self, left: usize) -> String {
        let heads = self.heads.iter().map(|head| head.as_ref().to_owned()).collect();
        let rows: Vec<Vec<String>> = std::iter::once(heads).chain(self.rows.iter().cloned()).collect();
        let length = |cell: &String| cell.chars().count();
        let widest = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(length).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heads.len()).map(widest).collect();
        let cell = |(column, (cell, width)): (usize, (&String, &usize))| {
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        };
        let line = |row: &Vec<String>| row.iter().zip(&widths).enumerate().map(cell).collect::<Vec<_>>().join("  ");
        let mut lines: Vec<String> = std::iter::once(self.title.clone()).chain(rows.iter().map(line)).collect();
        if let Some(ellipsis) = &self.ellipsis {
            // The title and the column names come before the rows.
            lines.insert(ellipsis.after + 2, ellipsis.label.clone());
        }
        lines.extend(self.notes.iter().map(|note| format!("! {note}")));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize) -> Table {
        Table { rows: (0..rows).map(|row| vec![row.to_string()]).collect(), ..Table::default() }
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
