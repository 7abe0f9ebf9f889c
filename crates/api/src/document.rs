//! The whole document: its operations and its records, file by file.

use super::endpoint::Endpoint;
use super::record::{Record, Row};
use super::{account, dca_bot, deal, grid_bot, network, smart_trade, strategy, take_profit_step};

/// What one file here writes down of the document.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The file, from the root of the sources on.
    pub file: &'static str,
    /// The records, in the document's order.
    pub records: &'static [Shape],
    /// The operations, in the document's order.
    pub operations: &'static [Endpoint],
}

/// The name of a record and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The name of the record.
    pub name: &'static str,
    /// Its fields, in the document's order.
    pub rows: &'static [Row],
}

impl Shape {
    /// The shape of a record.
    pub const fn of<R: Record>() -> Self {
        Self { name: R::NAME, rows: R::ROWS }
    }
}

/// Every file that writes down records or operations.
pub const PARTS: &[Part] = &[
    account::PART,
    dca_bot::PART,
    strategy::PART,
    take_profit_step::PART,
    deal::PART,
    grid_bot::PART,
    network::PART,
    smart_trade::PART,
];

/// All operations.
pub fn operations() -> impl Iterator<Item = &'static Endpoint> {
    PARTS.iter().flat_map(|part| part.operations)
}

/// All records.
pub fn records() -> impl Iterator<Item = &'static Shape> {
    PARTS.iter().flat_map(|part| part.records)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_operation_and_no_record_stands_twice() {
        let operations: Vec<_> = operations().map(|endpoint| endpoint.operation).collect();
        let records: Vec<_> = records().map(|shape| shape.name).collect();
        for names in [operations, records] {
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn a_file_writes_down_its_own() {
        for part in PARTS {
            let root = env!("CARGO_MANIFEST_DIR");
            let text = std::fs::read_to_string(format!("{root}/../../{}", part.file)).unwrap();
            for shape in part.records {
                assert!(text.contains(&format!("    {}, rows ", shape.name)), "{} in {}", shape.name, part.file);
            }
        }
    }
}
