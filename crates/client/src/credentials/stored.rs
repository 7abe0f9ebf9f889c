//! Credentials stored outside of a program: in the environment, or in a profile.

use std::path::Path;

use zeroize::Zeroizing;

use crate::credentials::key_source::{KeySource, LoadedKey};
use crate::error::Error;

/// The credentials and the base URL of a client.
pub struct Credentials {
    /// The API key.
    pub api_key: Zeroizing<String>,
    /// The source of the private key.
    pub private_key: KeySource,
    /// The password of an encrypted private key.
    pub password: Option<Zeroizing<String>>,
    /// The base URL of the service.
    pub base_url: String,
    /// The name of the environment or the profile, for error messages.
    pub source: String,
}

/// The environment variable of the API key.
pub const API_KEY: &str = "BOTDESK_API_KEY";
/// The environment variable of the private key in PEM.
pub const PRIVATE_KEY: &str = "BOTDESK_PRIVATE_KEY";
/// The environment variable of the private key's path.
pub const PRIVATE_KEY_FILE: &str = "BOTDESK_PRIVATE_KEY_FILE";
/// The environment variable of the private key's password.
pub const PRIVATE_KEY_PASSWORD: &str = "BOTDESK_PRIVATE_KEY_PASSWORD";
/// The environment variable of the base URL.
pub const BASE_URL: &str = "BOTDESK_BASE_URL";

/// The advice if neither the environment nor a profile has keys.
pub(super) const NO_KEYS_YET: &str = "the command botdesk profile add NAME saves keys, for Client.from_profile(NAME) and \
                                      --profile NAME; without keys, botdesk sandbox runs a local mock of the service";

impl Credentials {
    /// Reads the environment of this process.
    pub fn of_process() -> Result<Self, Error> {
        Self::from_env(|name| std::env::var(name).ok())
    }

    /// Reads environment variables; the error lists all that are missing.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(Zeroizing::new);
        let (api_key, base_url) = (set(API_KEY), set(BASE_URL));
        let private_key = match (set(PRIVATE_KEY), set(PRIVATE_KEY_FILE)) {
            (Some(_), Some(_)) => {
                return Err(Error::Configuration(format!(
                    "{PRIVATE_KEY} and {PRIVATE_KEY_FILE} are both set; unset one of them"
                )));
            }
            (Some(text), None) => Some(KeySource::of_text(&text, Path::new(""))),
            (None, Some(path)) => Some(KeySource::of_path(Path::new(path.as_str()))),
            (None, None) => None,
        };
        match (api_key, private_key, base_url) {
            (Some(api_key), Some(private_key), Some(base_url)) => {
                let (password, base_url) = (set(PRIVATE_KEY_PASSWORD), base_url.to_string());
                Ok(Self { api_key, private_key, password, base_url, source: "the environment".to_owned() })
            }
            (api_key, private_key, base_url) => {
                let key_variables = format!("{PRIVATE_KEY} or {PRIVATE_KEY_FILE}");
                let needed = [
                    (API_KEY, api_key.is_some()),
                    (key_variables.as_str(), private_key.is_some()),
                    (BASE_URL, base_url.is_some()),
                ];
                let missing = needed.into_iter().filter(|(_, is_set)| !is_set).map(|(name, _)| name);
                let advice = api_key.is_none().then_some(NO_KEYS_YET);
                let missing = missing.chain(advice).collect::<Vec<_>>().join("; ");
                Err(Error::Configuration(format!("the environment does not set: {missing}")))
            }
        }
    }

    /// Reads the private key; an error names the profile or the environment.
    pub fn key(&self) -> Result<LoadedKey, Error> {
        let password = self.password.as_ref().map(|password| password.as_str());
        self.private_key.read(password).map_err(|error| match error {
            Error::Configuration(why) => Error::Configuration(format!("{} names a key, but {why}", self.source)),
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Result<Credentials, String> {
        let variable =
            |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
        Credentials::from_env(variable).map_err(|error| error.to_string())
    }

    #[test]
    fn credentials_are_read_from_the_environment() {
        let access = environment(&[
            (API_KEY, "key"),
            (PRIVATE_KEY_FILE, "/keys/mine"),
            (PRIVATE_KEY_PASSWORD, "word"),
            (BASE_URL, "https://host.example"),
        ])
        .unwrap();
        assert_eq!(access.api_key.as_str(), "key");
        assert!(matches!(&access.private_key, KeySource::File(path) if path == Path::new("/keys/mine")));
        assert_eq!(access.password.as_ref().map(|password| password.as_str()), Some("word"));
        assert_eq!(access.base_url, "https://host.example");
    }

    #[test]
    fn an_empty_variable_counts_as_missing() {
        let access = environment(&[
            (API_KEY, "key"),
            (PRIVATE_KEY, ""),
            (PRIVATE_KEY_FILE, "k.pem"),
            (PRIVATE_KEY_PASSWORD, ""),
            (BASE_URL, "https://host.example"),
        ]);
        assert!(access.unwrap().password.is_none());
        let message = environment(&[(API_KEY, "")]).err();
        let expected = "the environment does not set: BOTDESK_API_KEY; BOTDESK_PRIVATE_KEY or \
                        BOTDESK_PRIVATE_KEY_FILE; BOTDESK_BASE_URL; the command botdesk profile add NAME saves keys, for \
                        Client.from_profile(NAME) and --profile NAME; without keys, botdesk sandbox runs a local mock of \
                        the service";
        assert_eq!(message.as_deref(), Some(expected));
    }
}
