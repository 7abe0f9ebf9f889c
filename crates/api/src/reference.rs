//! The whole API reference: its resources, operations and records.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::{accounts, dca_bots, deals, general, grid_bots, markets, smart_trades, trades};
use botdesk_schema::field::Schema;
use botdesk_schema::input::InputType;
use botdesk_schema::method::Effect;
use botdesk_schema::operation::{Operation, PREFIX};
use botdesk_schema::permission::Security;
pub use botdesk_schema::record::RecordSpec;
use botdesk_schema::resource::Resource;

/// All resources.
pub const RESOURCES: &[Resource] = &[
    accounts::RESOURCE,
    dca_bots::RESOURCE,
    deals::RESOURCE,
    general::RESOURCE,
    grid_bots::RESOURCE,
    markets::RESOURCE,
    smart_trades::RESOURCE,
    trades::RESOURCE,
];

/// Returns the resource with this name.
pub fn resource(name: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|resource| resource.name == name)
}

/// Returns the resource whose operations are methods of a record.
pub fn resource_of(record: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|resource| resource.record.is_some_and(|spec| spec.name == record))
}

/// Returns all operations.
pub fn operations() -> impl Iterator<Item = &'static Operation> + Clone {
    RESOURCES.iter().flat_map(|resource| resource.operations)
}

/// Returns the operation with this name, such as `dca_bots.edit`.
pub fn operation(name: &str) -> Option<&'static Operation> {
    operations().find(|operation| operation.name == name)
}

/// Returns true unless a request with this method and this path needs no signature; the path starts with `/public/api`.
pub fn is_signed(method: &str, path: &str) -> bool {
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    let mut unsigned = operations().filter(|operation| operation.security == Security::None);
    !unsigned.any(|operation| operation.method.as_str() == method && operation.path == path)
}

/// Returns true if a request with this method and this path changes nothing; the path starts with `/public/api`.
pub fn is_read(method: &str, path: &str) -> bool {
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    let mut reading = operations().filter(|operation| operation.effect == Effect::Read);
    matches!(method, "GET" | "HEAD")
        || reading.any(|operation| operation.method.as_str() == method && operation.has_path(path))
}

/// Returns the operation that reads one record of a resource; None if there is none.
pub fn reading(name: &str) -> Option<&'static Operation> {
    resource(name)?.reading()
}

/// Returns the record that an operation is about: that of its resource, whatever the response has.
pub fn record_of(operation: &Operation) -> &'static RecordSpec {
    resource(operation.resource()).and_then(|resource| resource.record).unwrap_or_else(|| operation.record())
}

/// Returns the record with this name.
pub fn record(name: &str) -> Option<&'static RecordSpec> {
    records().find(|record| record.name == name)
}

/// Returns true if a list in an input consists of such records.
pub fn is_listed_in_inputs(record: &RecordSpec) -> bool {
    static LISTED: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
        let rows = operations().filter_map(Operation::inputs).flat_map(|inputs| inputs.rows);
        let listed = rows.filter_map(|row| match row.input_type {
            InputType::Objects(objects) => Some(objects.record.name),
            _ => None,
        });
        listed.collect()
    });
    LISTED.contains(record.name)
}

/// Returns all records: those that operations return, and those in their fields.
pub fn records() -> impl Iterator<Item = &'static RecordSpec> {
    static RECORDS: LazyLock<Vec<&'static RecordSpec>> = LazyLock::new(|| {
        let mut found = Vec::new();
        for operation in operations() {
            add_records(operation.returns.schema, &mut found);
        }
        found
    });
    RECORDS.iter().copied()
}

fn add_records(schema: Schema, found: &mut Vec<&'static RecordSpec>) {
    match schema {
        Schema::List(of) | Schema::Map(of) => add_records(*of, found),
        Schema::Record(spec) if found.iter().all(|known| known.name != spec.name) => {
            found.push(spec);
            for row in spec.rows {
                add_records(row.schema, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use botdesk_schema::input::Inputs;

    #[test]
    fn operations_are_listed_once_by_their_resources() {
        let names: BTreeSet<_> = operations().map(|operation| operation.name).collect();
        assert_eq!(names.len(), operations().count());
        for resource in RESOURCES {
            assert!(resource.operations.iter().all(|operation| operation.resource() == resource.name));
        }
    }

    #[test]
    fn records_that_differ_have_different_names() {
        let mut types = BTreeSet::new();
        for spec in records() {
            assert!(types.insert((spec.name, spec.file)), "{}", spec.name);
        }
        assert_eq!(types.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len(), types.len());
    }

    #[test]
    fn every_identifier_in_a_path_is_described() {
        for resource in RESOURCES {
            for operation in resource.operations {
                assert_eq!(resource.ids(operation).count(), operation.placeholders().count(), "{}", operation.name);
            }
        }
    }

    #[test]
    fn a_write_says_what_it_may_have_done() {
        for operation in operations() {
            assert_eq!(operation.effect.writes(), !operation.may_have.is_empty(), "{}", operation.name);
        }
    }

    #[test]
    fn rules_about_several_inputs_name_inputs_of_their_table() {
        for operation in operations() {
            for rule in operation.inputs().map(Inputs::cross_field_rules).unwrap_or_default() {
                for name in rule.inputs {
                    let inputs = operation.inputs().unwrap();
                    assert!(inputs.get(*name).is_some(), "{}: {} of {}", operation.name, name.as_str(), rule.name);
                }
            }
        }
    }
}
