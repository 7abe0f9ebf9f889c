//! The whole API reference: its operations and its records, module by module.

use super::endpoint::Endpoint;
pub use super::part::{Part, Shape};
use super::{account, dca_bot, deal, grid_bot, network, smart_trade, strategy, take_profit_step};

/// Every module that defines records or operations.
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

/// Returns all operations.
pub fn operations() -> impl Iterator<Item = &'static Endpoint> {
    PARTS.iter().flat_map(|part| part.operations)
}

/// Returns all records.
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
                assert!(
                    text.contains(&format!("record! {{\n    /// {}\n    {} {{\n", shape.about.trim(), shape.name)),
                    "{} in {}",
                    shape.name,
                    part.file
                );
            }
        }
    }
}
