//! Records as the sandbox stores them.

pub(crate) use botdesk_schema::json_record::{JsonRecord, integer, is_true, list, number, string};
