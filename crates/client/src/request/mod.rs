//! What is sent: the base URL, the path, the query and the body of a request.

pub mod base_url;
pub mod custom;
pub mod signed;
pub mod spec;
