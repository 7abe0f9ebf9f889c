//! Requests: the base URL, the path, the query string and the body.

pub mod base_url;
pub mod custom;
pub mod signed;
pub mod spec;
pub mod stream_url;
