//! The inputs that choose a page of a list.

use super::input::{InputName, Inputs};

/// The inputs that choose a page of a list.
#[derive(Clone, Copy, Debug)]
pub struct PageInputs {
    /// The number of records.
    pub limit: InputName,
    /// The number of records before the page, or its number.
    pub position: InputName,
    /// True if pages are numbered from 1 on.
    pub is_numbered: bool,
}

impl PageInputs {
    /// The inputs of a list whose pages begin after a number of records.
    pub const BY_OFFSET: Self =
        Self { limit: InputName::new("limit"), position: InputName::new("offset"), is_numbered: false };
    /// The inputs of a list with numbered pages.
    pub const BY_NUMBER: Self =
        Self { limit: InputName::new("per_page"), position: InputName::new("page"), is_numbered: true };

    /// Returns those of a list with these inputs; None if it has no pages.
    pub fn of(inputs: &Inputs) -> Option<Self> {
        let has = |input: InputName| inputs.get(input).is_some();
        [Self::BY_OFFSET, Self::BY_NUMBER].into_iter().find(|page| has(page.limit) && has(page.position))
    }
}
