//! The credentials of a client: where they are read from outside of a program, and how the environment holds them.

use std::path::Path;

use zeroize::Zeroizing;

use super::error::Error;
use super::key_source::{KeySource, LoadedKey};

/// What a client is made from.
pub struct Access {
    /// The API key.
    pub api_key: Zeroizing<String>,
    /// Where the private key is.
    pub private_key: KeySource,
    /// The password of an encrypted private key.
    pub password: Option<Zeroizing<String>>,
    /// The address of the service.
    pub base_url: String,
    /// What names it, for errors.
    pub source: String,
}

/// The variable of the API key.
pub const API_KEY: &str = "BOTDESK_API_KEY";
/// The variable of the private key's text.
pub const PRIVATE_KEY: &str = "BOTDESK_PRIVATE_KEY";
/// The variable of the private key's path.
pub const PRIVATE_KEY_FILE: &str = "BOTDESK_PRIVATE_KEY_FILE";
/// The variable of the private key's password.
pub const PRIVATE_KEY_PASSWORD: &str = "BOTDESK_PRIVATE_KEY_PASSWORD";
/// The variable of the service's address.
pub const BASE_URL: &str = "BOTDESK_BASE_URL";

impl Access {
    /// Reads the environment of this process.
    pub fn of_process() -> Result<Self, Error> {
        Self::from_env(|name| std::env::var(name).ok())
    }

    /// What the environment says; all that it lacks is told at once.
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
                let missing = missing.collect::<Vec<_>>().join("; ");
                Err(Error::Configuration(format!("the environment does not set: {missing}")))
            }
        }
    }

    /// Reads the private key. An error names the profile or the environment that it is from.
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

    fn environment(variables: &[(&str, &str)]) -> Result<Access, String> {
        let variable =
            |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
        Access::from_env(variable).map_err(|error| error.to_string())
    }

    #[test]
    fn the_environment_gives_all_that_a_client_needs() {
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
    fn an_empty_variable_is_as_good_as_none() {
        let access = environment(&[
            (API_KEY, "key"),
            (PRIVATE_KEY, ""),
            (PRIVATE_KEY_FILE, "k.pem"),
            (PRIVATE_KEY_PASSWORD, ""),
            (BASE_URL, "https://host.example"),
        ]);
        assert!(access.unwrap().password.is_none());
        let told = environment(&[(API_KEY, "")]).err();
        let expected = "the environment does not set: BOTDESK_API_KEY; BOTDESK_PRIVATE_KEY or \
                        BOTDESK_PRIVATE_KEY_FILE; BOTDESK_BASE_URL";
        assert_eq!(told.as_deref(), Some(expected));
    }
}
