//! The digest of a payload.

use aws_lc_rs::digest;

/// A SHA-256.
pub(crate) type Digest = [u8; digest::SHA256_OUTPUT_LEN];

/// Returns the SHA-256 of a payload.
pub(crate) fn sha256(payload: &[u8]) -> Digest {
    let mut found = Digest::default();
    found.copy_from_slice(digest::digest(&digest::SHA256, payload).as_ref());
    found
}
