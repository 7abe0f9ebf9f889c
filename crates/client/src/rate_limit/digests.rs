//! The names of counts that processes share: digests, so that no API key can be read from them.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Returns the name of what concerns an API key of a service.
pub(super) fn of_key(api_key: &[u8], service: &str) -> String {
    name(&[service.as_bytes(), b"\n", api_key].concat())
}

/// Returns the name of what concerns a service, and so all API keys.
pub(super) fn of_service(service: &str) -> String {
    name(service.as_bytes())
}

/// Returns the digest of a text. It does not reveal an API key, because API keys are random and long.
fn name(text: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, &[b"botdesk rate limit\n", text].concat()))
}
