//! Tables of texts, for whatever draws them, and which rows of a long table are shown.

/// A table of texts: what stands above it, its columns and rows, and what is to be said below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet<H = &'static str> {
    /// What it is a table of, in one line.
    pub title: String,
    /// The names of its columns.
    pub heads: Vec<H>,
    /// Its cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// Where rows are left out; None where all are there.
    pub gap: Option<Gap>,
    /// What is to be said below it, each in a sentence.
    pub notes: Vec<String>,
}

/// Rows that are left out of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// How many rows stand before it.
    pub after: usize,
    /// What stands in their place.
    pub told: String,
}

/// How many rows of a long table are shown.
const MOST_ROWS: usize = 60;

/// How many of them are its last ones.
const LAST_ROWS: usize = 5;

/// Returns the places of the rows that are shown of a table of `count` rows, and the gap between them if there is one.
pub fn leave_out(count: usize) -> (impl Iterator<Item = usize>, Option<Gap>) {
    let hidden = count.saturating_sub(MOST_ROWS);
    let after = if hidden > 0 { MOST_ROWS - LAST_ROWS } else { count };
    let gap = (hidden > 0).then(|| Gap { after, told: format!("… {hidden} more …") });
    ((0..after).chain(after + hidden..count), gap)
}

impl<H> Sheet<H> {
    /// Returns the same table; of a long one its beginning, its end, and how many rows are between them.
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
