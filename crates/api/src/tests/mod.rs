//! What the machinery of `crates/schema` makes of the tables.

mod bounds;
mod changes;
mod encoding;
mod input_schemas;
mod input_types;
mod inputs;
mod record_schemas;
mod records;
mod requests;
mod rules;
