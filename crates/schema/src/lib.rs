//! What a row of the API is: fields, inputs, rules, operations and errors; records over JSON text; redaction. Nothing here names a
//! resource or a record, and nothing does I/O.

pub mod decimal;
pub mod error;
pub mod field;
pub mod id;
pub mod input;
pub mod json;
pub mod json_record;
pub mod json_schema;
pub mod key_text;
pub mod method;
pub mod mode;
pub mod operation;
pub mod page_inputs;
pub mod pair;
pub mod permission;
pub mod record;
pub mod redaction;
pub mod refusal;
pub mod resource;
pub mod secrets;
pub mod streamed;
pub mod text;
pub mod values;
pub mod watched;
