//! Tables of strings, for every output format, and the selection of rows that a long table shows.

/// A table of strings with a title and notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet<H = &'static str> {
    /// The title, in one line.
    pub title: String,
    /// The column names.
    pub heads: Vec<H>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// The omitted rows; None if all rows are present.
    pub gap: Option<Gap>,
    /// The notes below the table, each a sentence.
    pub notes: Vec<String>,
}

/// Rows that are omitted from a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The number of rows before the omitted ones.
    pub after: usize,
    /// The text in place of the omitted rows.
    pub told: String,
}

/// The most rows that a long table shows.
const MOST_ROWS: usize = 60;

/// The number of final rows among them.
const LAST_ROWS: usize = 5;

/// Returns the indices of the rows to show of a table with `count` rows, and the omitted rows, if any.
pub fn leave_out(count: usize) -> (impl Iterator<Item = usize>, Option<Gap>) {
    let hidden = count.saturating_sub(MOST_ROWS);
    let after = if hidden > 0 { MOST_ROWS - LAST_ROWS } else { count };
    let gap = (hidden > 0).then(|| Gap { after, told: format!("… {hidden} more …") });
    ((0..after).chain(after + hidden..count), gap)
}

impl<H> Sheet<H> {
    /// Returns the table with the middle of its rows omitted if it is long.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        let (shown, gap) = leave_out(self.rows.len());
        let rows = &mut self.rows;
        self.rows = shown.filter_map(|place| rows.get_mut(place).map(std::mem::take)).collect();
        self.gap = gap;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(rows: usize) -> Sheet {
        Sheet { rows: (0..rows).map(|row| vec![row.to_string()]).collect(), ..Sheet::default() }
    }

    #[test]
    fn a_long_table_shows_its_beginning_and_its_end() {
        let short = sheet(1_000).shortened();
        assert_eq!(
            (short.rows.len(), &short.rows[54][0], &short.rows[55][0]),
            (60, &"54".to_owned(), &"995".to_owned())
        );
        assert_eq!(short.gap, Some(Gap { after: 55, told: "… 940 more …".to_owned() }));
    }

    #[test]
    fn a_table_that_is_not_long_stays_as_it_is() {
        assert_eq!(sheet(60).shortened(), sheet(60));
    }
}
