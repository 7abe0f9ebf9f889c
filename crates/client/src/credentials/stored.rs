//! Credentials stored outside of a program: in the environment, or in a profile.

use std::path::Path;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::credentials::api_secret::ApiSecret;
use crate::credentials::key_source::{KeySource, LoadedKey};
use crate::credentials::signing_key::SigningKey;
use crate::error::Error;
use crate::request::base_url::PUBLISHED;
use botdesk_schema::key_text::shown_name;
use botdesk_schema::mode::Mode;

/// The credentials and the base URL of a client.
pub struct Credentials {
    /// The API key.
    pub api_key: Zeroizing<String>,
    /// The key that signs.
    pub key: StoredKey,
    /// The base URL of the service.
    pub base_url: String,
    /// The mode of the client.
    pub mode: Option<Mode>,
    /// The name of the environment or the profile, for error messages.
    pub source: String,
}

/// The key that signs, of either kind, before it is read.
pub enum StoredKey {
    /// An RSA private key.
    PrivateKey {
        /// The key or its file.
        source: KeySource,
        /// The password of an encrypted key.
        password: Option<Zeroizing<String>>,
    },
    /// The secret of a system-generated key.
    Secret {
        /// The secret.
        text: Zeroizing<String>,
        /// The name of its argument, variable or setting, for messages.
        name: String,
    },
}

/// The environment variable of the API key.
pub const API_KEY: &str = "BOTDESK_API_KEY";
/// The environment variable of the private key in PEM.
pub const PRIVATE_KEY: &str = "BOTDESK_PRIVATE_KEY";
/// The environment variable of the private key's path.
pub const PRIVATE_KEY_FILE: &str = "BOTDESK_PRIVATE_KEY_FILE";
/// The environment variable of the private key's password.
pub const PRIVATE_KEY_PASSWORD: &str = "BOTDESK_PRIVATE_KEY_PASSWORD";
/// The environment variable of the secret of a system-generated key.
pub const SECRET: &str = "BOTDESK_SECRET";
/// The environment variable of the base URL.
pub const BASE_URL: &str = "BOTDESK_BASE_URL";

/// The environment variable of the mode.
pub const MODE: &str = "BOTDESK_MODE";

/// Reads a mode. `name` is that of the argument, the variable or the setting.
pub fn mode_named(name: &str, mode: &str) -> Result<Mode, Error> {
    let choices = Mode::ALL.map(|mode| format!("{:?}", mode.as_str())).join(" or ");
    Mode::named(mode).ok_or_else(|| Error::Configuration(format!("{name} must be {choices}, not {}", shown_name(mode))))
}

/// The advice if neither the environment nor a profile has keys.
pub(super) const NO_KEYS_YET: &str = "the command botdesk init asks for keys and saves them as a profile, for \
                                      Client.from_profile() and all commands; without keys, botdesk sandbox runs a local \
                                      mock of the service";

impl Credentials {
    /// Reads the environment of this process.
    pub fn of_process() -> Result<Self, Error> {
        Self::from_env(|name| std::env::var(name).ok())
    }

    /// Reads environment variables; the error lists all that are missing.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(Zeroizing::new);
        match (set(API_KEY), StoredKey::from_env(set)?) {
            (Some(api_key), Some(key)) => {
                let base_url = set(BASE_URL).map_or_else(|| PUBLISHED.to_owned(), |base_url| base_url.to_string());
                let mode = set(MODE).map(|mode| mode_named(MODE, &mode)).transpose()?;
                Ok(Self { api_key, key, base_url, mode, source: "the environment".to_owned() })
            }
            (api_key, key) => {
                let key_variables = format!("{PRIVATE_KEY}, {PRIVATE_KEY_FILE} or {SECRET}");
                let needed = [(API_KEY, api_key.is_some()), (key_variables.as_str(), key.is_some())];
                let missing = needed.into_iter().filter(|(_, is_set)| !is_set).map(|(name, _)| name);
                let advice = api_key.is_none().then_some(NO_KEYS_YET);
                let missing = missing.chain(advice).collect::<Vec<_>>().join("; ");
                Err(Error::Configuration(format!("the environment does not set: {missing}")))
            }
        }
    }

    /// Reads the key that signs; an error names the profile or the environment.
    pub fn key(&self) -> Result<LoadedKey<SigningKey>, Error> {
        let is_secret = matches!(self.key, StoredKey::Secret { .. });
        self.key.read(&self.api_key).map_err(|error| match error {
            Error::Configuration(why) if is_secret => Error::Configuration(format!("{}: {why}", self.source)),
            Error::Configuration(why) => Error::Configuration(format!("{} names a key, but {why}", self.source)),
            other => other,
        })
    }
}

impl StoredKey {
    /// Returns the key of the environment, if it has one; an error if it has several.
    fn from_env(set: impl Fn(&str) -> Option<Zeroizing<String>>) -> Result<Option<Self>, Error> {
        let (text, path, secret, password) =
            (set(PRIVATE_KEY), set(PRIVATE_KEY_FILE), set(SECRET), set(PRIVATE_KEY_PASSWORD));
        let both = |one: &str, other: &str| {
            Err(Error::Configuration(format!("{one} and {other} are both set; unset one of them")))
        };
        let source = match (text, path, &secret) {
            (Some(_), Some(_), _) => return both(PRIVATE_KEY, PRIVATE_KEY_FILE),
            (Some(_), None, Some(_)) => return both(PRIVATE_KEY, SECRET),
            (None, Some(_), Some(_)) => return both(PRIVATE_KEY_FILE, SECRET),
            (Some(text), None, None) => Some(KeySource::of_text(&text, Path::new(""))),
            (None, Some(path), None) => Some(KeySource::of_path(Path::new(path.as_str()))),
            (None, None, _) => None,
        };
        match secret {
            Some(_) if password.is_some() => both(PRIVATE_KEY_PASSWORD, SECRET),
            Some(text) => Ok(Some(Self::Secret { text, name: SECRET.to_owned() })),
            None => Ok(source.map(|source| Self::PrivateKey { source, password })),
        }
    }

    /// Returns true if reading may wait for another program, as with a pipe.
    pub fn may_wait(&self) -> bool {
        matches!(self, Self::PrivateKey { source, .. } if source.may_wait())
    }

    /// Reads the key that belongs to an API key.
    pub fn read(&self, api_key: &str) -> Result<LoadedKey<SigningKey>, Error> {
        match self {
            Self::PrivateKey { source, password } => {
                let LoadedKey { key, warning } = source.read(password.as_ref().map(|password| password.as_str()))?;
                Ok(LoadedKey { key: Arc::new(key).into(), warning })
            }
            Self::Secret { text, name } => {
                let read =
                    ApiSecret::read(text, api_key).map_err(|error| Error::Configuration(format!("{name}: {error}")))?;
                let warning = read.was_trimmed.then(|| {
                    format!("{name}: white space or a line end around the secret was removed; remove it where the secret is stored")
                });
                Ok(LoadedKey { key: read.secret.into(), warning })
            }
        }
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
        let StoredKey::PrivateKey { source, password } = &access.key else { panic!("it is a private key") };
        assert!(matches!(source, KeySource::File(path) if path == Path::new("/keys/mine")));
        assert_eq!(password.as_ref().map(|password| password.as_str()), Some("word"));
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
        assert!(matches!(access.unwrap().key, StoredKey::PrivateKey { password: None, .. }));
        let message = environment(&[(API_KEY, "")]).err();
        let expected = "the environment does not set: BOTDESK_API_KEY; BOTDESK_PRIVATE_KEY, \
                        BOTDESK_PRIVATE_KEY_FILE or BOTDESK_SECRET; the command botdesk init \
                        asks for keys and saves them as a profile, for Client.from_profile() and all commands; without \
                        keys, botdesk sandbox runs a local mock of the service";
        assert_eq!(message.as_deref(), Some(expected));
    }

    #[test]
    fn a_secret_is_read_from_the_environment_with_the_published_base_url() {
        let access = environment(&[(API_KEY, "key"), (SECRET, "a-secret\n")]).unwrap();
        assert_eq!(access.base_url, "https://api.3commas.io");
        let LoadedKey { key, warning } = access.key().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(key.shared_secret(), Some("a-secret"));
        assert!(warning.is_some_and(|warning| warning.starts_with("BOTDESK_SECRET: white space or a line end ")));
    }

    #[test]
    fn a_client_has_one_key() {
        for (set, one) in [
            (vec![(SECRET, "s"), (PRIVATE_KEY, "k")], "BOTDESK_PRIVATE_KEY and BOTDESK_SECRET"),
            (vec![(SECRET, "s"), (PRIVATE_KEY_FILE, "k")], "BOTDESK_PRIVATE_KEY_FILE and BOTDESK_SECRET"),
            (vec![(SECRET, "s"), (PRIVATE_KEY_PASSWORD, "p")], "BOTDESK_PRIVATE_KEY_PASSWORD and BOTDESK_SECRET"),
            (vec![(PRIVATE_KEY, "k"), (PRIVATE_KEY_FILE, "k")], "BOTDESK_PRIVATE_KEY and BOTDESK_PRIVATE_KEY_FILE"),
        ] {
            let message = environment(&set).err().unwrap();
            assert_eq!(message, format!("{one} are both set; unset one of them"));
        }
    }

    #[test]
    fn an_error_names_the_variable_of_a_secret() {
        let access = environment(&[(API_KEY, "key"), (SECRET, "-----BEGIN PRIVATE KEY-----")]).unwrap();
        let message = access.key().err().unwrap().to_string();
        let expected =
            "the environment: BOTDESK_SECRET: expected the secret of a system-generated key, not a key in PEM; ";
        assert!(message.starts_with(expected), "{message}");
    }
}
