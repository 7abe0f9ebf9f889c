//! The whole API reference: its operations and its records, module by module.

pub use super::api_module::ApiModule;
use super::endpoint::Endpoint;
pub use super::record::RecordSpec;
use super::{account, dca_bot, deal, grid_bot, network, safety_step, smart_trade, strategy, take_profit_step};

/// Every module that defines records or operations.
pub const API_MODULES: &[ApiModule] = &[
    account::API_MODULE,
    dca_bot::API_MODULE,
    ApiModule::of_records(strategy::RECORDS),
    ApiModule::of_records(take_profit_step::RECORDS),
    ApiModule::of_records(safety_step::RECORDS),
    deal::API_MODULE,
    grid_bot::API_MODULE,
    network::API_MODULE,
    smart_trade::API_MODULE,
];

/// Returns all operations.
pub fn operations() -> impl Iterator<Item = &'static Endpoint> {
    API_MODULES.iter().flat_map(|part| part.operations)
}

/// Returns the operation with this name, such as `dca_bots.edit`.
pub fn operation(name: &str) -> Option<&'static Endpoint> {
    operations().find(|endpoint| endpoint.operation == name)
}

/// Returns the operation that reads one record of a resource; None if the service has none.
pub fn reading(resource: &str) -> Option<&'static Endpoint> {
    operations().find(|endpoint| endpoint.resource() == resource && endpoint.name() == "get" && endpoint.has_id())
}

/// Returns the record with this name.
pub fn record(name: &str) -> Option<&'static RecordSpec> {
    records().find(|record| record.name == name)
}

/// Returns all records.
pub fn records() -> impl Iterator<Item = &'static RecordSpec> {
    API_MODULES.iter().flat_map(|part| part.records)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::input::Inputs;

    #[test]
    fn operations_and_records_are_listed_once() {
        let operations: Vec<_> = operations().map(|endpoint| endpoint.operation).collect();
        let records: Vec<_> = records().map(|shape| shape.name).collect();
        for names in [operations, records] {
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn rules_about_several_inputs_name_inputs_of_their_table() {
        for endpoint in operations() {
            for rule in endpoint.takes.inputs().map(Inputs::cross_field_rules).unwrap_or_default() {
                for name in rule.inputs {
                    let inputs = endpoint.takes.inputs().unwrap();
                    assert!(inputs.get(*name).is_some(), "{}: {} of {}", endpoint.operation, name.as_str(), rule.name);
                }
            }
        }
    }

    #[test]
    fn each_file_lists_its_own_operations_and_records() {
        for part in API_MODULES {
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
