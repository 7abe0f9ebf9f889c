//! The secret of a system-generated key, which signs with HMAC-SHA256, and helpful errors for anything else.

use aws_lc_rs::hmac;
use zeroize::Zeroizing;

use crate::credentials::key_source::is_key_file_name;
use botdesk_schema::key_text::has_pem_mark;

/// The reason why a string can't be the secret of a key. It contains no part of the string.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SecretError(String);

/// The secret of a system-generated key.
pub struct ApiSecret {
    text: Zeroizing<String>,
    /// The secret as aws-lc-rs uses it, which overwrites it when it is dropped. It has no locks, so a forked child may use it.
    key: hmac::Key,
}

/// A secret that was read.
pub struct ReadSecret {
    /// The secret.
    pub secret: ApiSecret,
    /// True if white space around it was removed.
    pub was_trimmed: bool,
}

const COPY_AGAIN: &str =
    "copy it again, or create a new key, because the service displays a secret once, when the key is created";

const PRIVATE_KEY_HINT: &str = "an RSA private key is passed as private_key, or in BOTDESK_PRIVATE_KEY";

impl ApiSecret {
    /// Reads the secret that belongs to an API key. White space around it is removed.
    pub fn read(text: &str, api_key: &str) -> Result<ReadSecret, SecretError> {
        let secret = text.trim();
        if let Some(what) = what_else(secret, api_key) {
            return Err(SecretError(format!("expected the secret of a system-generated key, not {what}")));
        }
        Ok(ReadSecret { secret: Self::new(secret), was_trimmed: secret.len() < text.len() })
    }

    fn new(secret: &str) -> Self {
        // The service uses the secret as text: it is not decoded from hexadecimal or Base64.
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        Self { text: Zeroizing::new(secret.to_owned()), key }
    }

    /// Signs a payload: HMAC-SHA256, in lower-case hexadecimal.
    pub fn sign(&self, payload: &[u8]) -> String {
        hexadecimal(hmac::sign(&self.key, payload).as_ref())
    }

    /// Returns the secret itself, to search for it in text that is shown or stored.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Debug for ApiSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ApiSecret").finish_non_exhaustive()
    }
}

/// Returns what a string is if it can't be a secret, and what to do.
fn what_else(secret: &str, api_key: &str) -> Option<String> {
    if secret.is_empty() {
        return Some(format!("an empty string; {COPY_AGAIN}"));
    }
    if has_pem_mark(secret) {
        return Some(format!("a key in PEM; {PRIVATE_KEY_HINT}"));
    }
    if is_key_file_name(secret) {
        return Some(format!("the path of a key file; {PRIVATE_KEY_HINT}"));
    }
    if secret == api_key {
        return Some("the API key itself; pass the secret that the service displayed beside it".to_owned());
    }
    if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        let inside = "a string with white space, control characters or characters outside of ASCII in it";
        return Some(format!("{inside}; {COPY_AGAIN}"));
    }
    None
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.extend([byte >> 4, byte & 0xf].into_iter().filter_map(|digit| char::from_digit(digit.into(), 16)));
    }
    text
}

#[cfg(test)]
mod tests {
    use zeroize::ZeroizeOnDrop;

    use super::*;

    const API_KEY: &str = "an-api-key";

    /// Compiles only for types that are overwritten with zeros when they are dropped.
    fn is_zeroed<T: ZeroizeOnDrop>(_: &T) {}

    fn read(text: &str) -> Result<ReadSecret, String> {
        ApiSecret::read(text, API_KEY).map_err(|error| error.to_string())
    }

    #[test]
    fn payloads_have_the_signatures_of_the_specification() {
        let secret = ApiSecret::new("example-secret");
        for (payload, signature) in [
            (
                "/public/api/ver1/users/change_mode?mode=paper",
                "d95edd38bc9e3b2416201ddc80a25a6e2d04128016c0ef1fedb559a156a4fe34",
            ),
            (
                r#"/public/api/ver1/users/change_mode?{"mode": "paper"}"#,
                "ccc3dfb38d2ec9330236dd13a73d6701213f5f528adb15096733defa4e48141d",
            ),
            ("/public/api/ver1/accounts", "44295d035b48c9490a6251c5a40396445981f2341105df133e12e0a591e54780"),
            (
                "/public/api/ver1/accounts?page=1&per_page=50",
                "2706bd8a0348826523b3c9fa9888b6281a71a78a3086f52ef16677a17d8dc7da",
            ),
            (
                "/public/api/ver1/accounts/1/rename?name=new%20name",
                "954847e0e3c9c515690bd19e4d44d49db72a5e5a17c51a88196e00f9bfb65cb5",
            ),
            (
                r#"/public/api/ver1/accounts/update?{"account_id":1,"name":"new name"}"#,
                "00323d39a5200f194d7f848d0dd936a9ab89271139169f02beddc668356fb7aa",
            ),
        ] {
            assert_eq!(secret.sign(payload.as_bytes()), signature, "{payload}");
        }
    }

    #[test]
    fn white_space_around_a_secret_is_removed_and_reported() {
        let plain = read("a-secret").unwrap();
        assert!(!plain.was_trimmed);
        for text in ["a-secret\n", "a-secret \r\n", "\ta-secret"] {
            let found = read(text).unwrap();
            assert!(found.was_trimmed, "{text:?}");
            assert_eq!(found.secret.text(), "a-secret");
            assert_eq!(found.secret.sign(b"x"), plain.secret.sign(b"x"));
        }
    }

    #[test]
    fn what_is_not_a_secret_is_named_and_not_shown() {
        const PART: &str = "QZXJ";
        for (text, what) in [
            ("", "an empty string; copy it again"),
            (" \n", "an empty string; copy it again"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nQZXJ\n-----END RSA PRIVATE KEY-----",
                "a key in PEM; an RSA private key is passed as private_key",
            ),
            ("-----BEGIN PRIVATE KEY-----\\nQZXJ", "a key in PEM; an RSA private key is passed as private_key"),
            ("/keys/QZXJ.pem", "the path of a key file; an RSA"),
            ("an-api-key", "the API key itself; pass the secret"),
            ("an-api-key\n", "the API key itself; pass the secret"),
            ("QZXJ QZXJ", "a string with white space, "),
            ("QZXJ\nQZXJ", "a string with white space, "),
            ("\u{feff}QZXJ", "a string with white space, control characters or characters outside of ASCII"),
            ("QZXJ\u{e9}", "a string with white space, control characters or characters outside of ASCII"),
            ("QZXJ\0", "a string with white space, control characters"),
        ] {
            let message = read(text).err().unwrap();
            let expected = format!("expected the secret of a system-generated key, not {what}");
            assert!(message.starts_with(&expected), "{text:?}: {message}");
            assert!(!message.contains(PART) && !message.contains(API_KEY), "{message}");
        }
    }

    #[test]
    fn a_secret_is_zeroed_when_it_is_dropped_and_never_shown() {
        let secret = ApiSecret::new("a-secret-QZXJ");
        is_zeroed(&secret.text);
        assert_eq!(secret.text.capacity(), secret.text.len());
        assert_eq!(format!("{secret:?}"), "ApiSecret { .. }");
    }
}
