//! What carries out an operation.

use super::state::World;
use botdesk_api::endpoint::Endpoint;
use botdesk_server::answer::{Refusal, Told};

/// An operation and what carries it out.
pub(super) struct Route {
    pub(super) endpoint: Endpoint,
    pub(super) handler: fn(&mut World, &Asked<'_>) -> Result<Told, Refusal>,
}

/// What a request asks, once it is known which operation it is.
pub(super) struct Asked<'a> {
    /// The identifier in the path.
    pub(super) id: Option<u64>,
    /// The query string.
    pub(super) query: Option<&'a str>,
    /// The body.
    pub(super) body: &'a [u8],
    /// Whether the body is a form; otherwise it is JSON.
    pub(super) is_form: bool,
}
