//! Tables of texts, for whatever draws them.

/// A table of texts: what stands above it, its columns and rows, and what is to be said below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// What it is a table of, in one line.
    pub title: String,
    /// The names of its columns.
    pub heads: Vec<&'static str>,
    /// Its cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// What is to be said below it, each in a sentence.
    pub notes: Vec<String>,
}
