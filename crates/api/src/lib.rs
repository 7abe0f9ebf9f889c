//! The API as data: records, endpoints, inputs, rules and errors. Nothing here does I/O.

pub mod account;
mod api_module;
pub mod choices;
pub mod dca_bot;
pub mod deal;
pub mod decimal;
pub mod display_options;
pub mod document;
pub mod endpoint;
pub mod error;
pub mod figures;
pub mod grid_bot;
pub mod html;
pub mod input;
pub mod json;
pub mod json_record;
pub mod key_text;
pub mod network;
pub mod not_covered;
mod number_text;
pub mod pair;
pub mod record;
pub mod redaction;
pub mod row;
pub mod safety_step;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod schema;
pub mod secrets;
pub mod smart_trade;
pub mod strategy;
pub mod table;
pub mod tables;
pub mod take_profit_step;
pub mod text;
pub mod values;
pub mod view;
