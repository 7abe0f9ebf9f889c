//! Which account of which service a client is for.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};

use super::base_url::BaseUrl;
use super::error::Error;
use super::key::PrivateKey;

/// Identifies an account of a service, as far as a client knows it. It holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The base URL of the service.
    pub service: String,
    /// The fingerprint of the private key.
    pub key: String,
    /// A digest of the API key. Older versions of botdesk wrote none.
    #[serde(default)]
    pub api_key_digest: Option<String>,
}

impl Identity {
    /// Returns the identity of a client.
    pub fn new(base_url: &BaseUrl, key: &PrivateKey, api_key: &[u8]) -> Self {
        let key = key.fingerprint().to_owned();
        Self { service: base_url.to_string(), api_key_digest: Some(digest_of(api_key, &key)), key }
    }

    /// Returns what the other identity differs in, with both values unless they are secret.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.service != other.service {
            return Some(format!("another service ({}, not {})", self.service, other.service));
        }
        if self.key != other.key {
            return Some(format!("another key (fingerprint {}, not {})", self.key, other.key));
        }
        let are_known = self.api_key_digest.is_some() && other.api_key_digest.is_some();
        (are_known && self.api_key_digest != other.api_key_digest).then(|| "another API key".to_owned())
    }

    /// Refuses a client that was restored for another account than this one, from what `source` says.
    pub fn check_restored(&self, restored: &Self, source: &str) -> Result<(), Error> {
        if self.difference(restored).is_none() {
            return Ok(());
        }
        let found = restored.to_string();
        let found = if found == self.to_string() { "another API key".to_owned() } else { found };
        Err(Error::Configuration(format!(
            "this client was pickled for {self}, but in this process {source} gives {found}; make both the same, or \
             create the client in this process"
        )))
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} with the key {}", self.service, self.key)
    }
}

/// Returns what tells an API key from others and does not lead back to it: API keys are random and long.
fn digest_of(api_key: &[u8], fingerprint: &str) -> String {
    // 72 bits.
    const LENGTH: usize = 12;
    let salted = [b"botdesk API key\n", fingerprint.as_bytes(), b"\n", api_key].concat();
    STANDARD_NO_PAD.encode(digest(&SHA256, &salted)).chars().take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(service: &str, key: &str, api_key: &str) -> Identity {
        let api_key_digest = Some(digest_of(api_key.as_bytes(), key));
        Identity { service: service.to_owned(), key: key.to_owned(), api_key_digest }
    }

    #[test]
    fn an_error_names_both_accounts() {
        let paper = identity("https://paper.example", "SHA256:a", "one");
        let real = identity("https://real.example", "SHA256:b", "two");
        assert!(paper.check_restored(&paper.clone(), "the environment").is_ok());
        let message = paper.check_restored(&real, "the environment").unwrap_err().to_string();
        assert_eq!(
            message,
            "this client was pickled for https://paper.example with the key SHA256:a, but in this process the \
             environment gives https://real.example with the key SHA256:b; make both the same, or create the client in \
             this process"
        );
        let other = Identity { api_key_digest: None, ..paper.clone() };
        assert!(other.check_restored(&paper, "the environment").is_ok());
        let other = identity("https://paper.example", "SHA256:a", "two");
        let message = paper.check_restored(&other, "the environment").unwrap_err().to_string();
        assert!(message.contains("the environment gives another API key; "), "{message}");
    }

    #[test]
    fn another_key_or_api_key_is_another_account() {
        let mine = identity("https://a.example", "SHA256:a", "one");
        let other = mine.difference(&identity("https://a.example", "SHA256:b", "one"));
        assert_eq!(other.as_deref(), Some("another key (fingerprint SHA256:a, not SHA256:b)"));
        let other = mine.difference(&identity("https://a.example", "SHA256:a", "two"));
        assert_eq!(other.as_deref(), Some("another API key"));
        let older = Identity { api_key_digest: None, ..mine.clone() };
        assert_eq!((mine.difference(&older), older.difference(&mine)), (None, None));
    }

    #[test]
    fn the_digest_of_an_api_key_depends_on_the_private_key() {
        let digests = ["SHA256:a", "SHA256:b"].map(|key| digest_of(b"an-api-key", key));
        assert_ne!(digests[0], digests[1]);
        assert!(digests.iter().all(|digest| digest.len() == 12), "{digests:?}");
    }
}
