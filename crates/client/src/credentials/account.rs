//! The account and the service that a client is for.

use serde::{Deserialize, Serialize};

use crate::credentials::signing_key;
use crate::error::Error;
use crate::request::base_url::BaseUrl;

/// The service and the key of a client. Neither is a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The base URL of the service.
    pub service: String,
    /// The fingerprint of the key.
    pub key: String,
}

impl Identity {
    /// Returns what the other identity differs in, with both values.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.service != other.service {
            return Some(format!("another service ({}, not {})", self.service, other.service));
        }
        (self.key != other.key).then(|| format!("another key (fingerprint {}, not {})", self.key, other.key))
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} with the key {}", self.service, self.key)
    }
}

/// The account of a client, as a pickle stores it, without secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct ClientAccount {
    /// The service and the key.
    pub identity: Identity,
    /// A digest that identifies the API key.
    pub api_key_digest: String,
}

impl ClientAccount {
    /// Returns the account of a client.
    pub fn new(base_url: &BaseUrl, fingerprint: &str, api_key: &[u8]) -> Self {
        let identity = Identity { service: base_url.to_string(), key: fingerprint.to_owned() };
        let api_key_digest = digest_of(api_key, &identity.key);
        Self { identity, api_key_digest }
    }

    /// Returns an error if a client was restored for another account than this one; `source` names where its credentials are from.
    pub fn check_restored(&self, restored: &Self, source: &str) -> Result<(), Error> {
        let found = match &restored.identity {
            _ if self == restored => return Ok(()),
            same if *same == self.identity => "another API key".to_owned(),
            other => other.to_string(),
        };
        Err(Error::Configuration(format!(
            "this client was pickled for {}, but in this process {source} gives {found}; make both the same, or create \
             the client in this process",
            self.identity
        )))
    }
}

/// Returns a digest that identifies an API key and does not reveal it.
fn digest_of(api_key: &[u8], fingerprint: &str) -> String {
    signing_key::digest_of(&[b"botdesk API key\n", fingerprint.as_bytes(), b"\n"].concat(), api_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(service: &str, key: &str, api_key: &str) -> ClientAccount {
        let identity = Identity { service: service.to_owned(), key: key.to_owned() };
        ClientAccount { identity, api_key_digest: digest_of(api_key.as_bytes(), key) }
    }

    fn message(pickled: &ClientAccount, restored: &ClientAccount) -> String {
        pickled.check_restored(restored, "the environment").unwrap_err().to_string()
    }

    #[test]
    fn an_error_names_both_accounts() {
        let paper = account("https://paper.example", "SHA256:a", "one");
        assert!(paper.check_restored(&account("https://paper.example", "SHA256:a", "one"), "x").is_ok());
        assert_eq!(
            message(&paper, &account("https://real.example", "SHA256:b", "two")),
            "this client was pickled for https://paper.example with the key SHA256:a, but in this process the \
             environment gives https://real.example with the key SHA256:b; make both the same, or create the client in \
             this process"
        );
        let message = message(&paper, &account("https://paper.example", "SHA256:a", "two"));
        assert!(message.contains("the environment gives another API key; "), "{message}");
    }

    #[test]
    fn the_digest_of_an_api_key_depends_on_the_private_key() {
        let digests = ["SHA256:a", "SHA256:b"].map(|key| digest_of(b"an-api-key", key));
        assert_ne!(digests[0], digests[1]);
        assert!(digests.iter().all(|digest| digest.len() == 12), "{digests:?}");
    }
}
