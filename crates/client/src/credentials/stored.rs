//! Credentials stored outside of a program: in the environment, or in a profile.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use toml::{Table, Value};
use zeroize::Zeroizing;

use crate::credentials::key_source::{KeySource, LoadedKey};
use crate::error::Error;
use botdesk_api::input::nearest;
use botdesk_system::files;

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
                let missing = missing.collect::<Vec<_>>().join("; ");
                Err(Error::Configuration(format!("the environment does not set: {missing}")))
            }
        }
    }

    /// Reads a profile.
    pub fn from_profile(name: &str) -> Result<Self, Error> {
        let file = profiles_file()?;
        let text = read(&file)?;
        let profiles = parsed(&text, &file)?;
        let Some(profile) = profiles.get(name).and_then(Value::as_table) else {
            return Err(no_profile(name, &profiles, &file));
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        Entry { name, profile, file: &file }.access(folder)
    }
}

impl Credentials {
    /// Reads the private key; an error names the profile or the environment.
    pub fn key(&self) -> Result<LoadedKey, Error> {
        let password = self.password.as_ref().map(|password| password.as_str());
        self.private_key.read(password).map_err(|error| match error {
            Error::Configuration(why) => Error::Configuration(format!("{} names a key, but {why}", self.source)),
            other => other,
        })
    }
}

/// Returns the path of the profiles file, in the configuration folder of the platform.
pub fn profiles_file() -> Result<PathBuf, Error> {
    let strategy = etcetera::choose_base_strategy().map_err(|error| {
        Error::Configuration(format!("there is no home folder to look for profiles in ({error}); set HOME"))
    })?;
    Ok(strategy.config_dir().join("botdesk").join("profiles.toml"))
}

fn read(file: &Path) -> Result<Zeroizing<String>, Error> {
    let profiles = files::read_private(file).map_err(|error| unreadable(file, &error.to_string()))?;
    if profiles.is_shared {
        return Err(Error::Configuration(format!(
            "{} holds keys and others on this machine can read it; run: {}",
            file.display(),
            files::closing_command(file)
        )));
    }
    let text = std::str::from_utf8(&profiles.contents).map_err(|error| unreadable(file, &error.to_string()))?;
    Ok(Zeroizing::new(text.to_owned()))
}

fn unreadable(file: &Path, error: &str) -> Error {
    Error::Configuration(format!(
        "the profiles in {} can't be read: {error}; a profile is a table [name] there with api_key, private_key and \
         base_url",
        file.display()
    ))
}

fn parsed(text: &str, file: &Path) -> Result<Table, Error> {
    text.parse().map_err(|error: toml::de::Error| {
        // The error itself shows the line, which may hold a key.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Error::Configuration(format!("{} is not TOML: near line {line}: {}", file.display(), error.message()))
    })
}

fn no_profile(name: &str, profiles: &Table, file: &Path) -> Error {
    let names: Vec<&str> =
        profiles.iter().filter(|(_, entry)| entry.is_table()).map(|(name, _)| name.as_str()).collect();
    let there_are = if names.is_empty() {
        "it has none; a profile is a table, which begins with [name]".to_owned()
    } else {
        format!("it has {}", names.join(", "))
    };
    Error::Configuration(format!("there is no profile {name:?} in {}; {there_are}", file.display()))
}

/// A profile as it is read.
struct Entry<'a> {
    name: &'a str,
    profile: &'a Table,
    file: &'a Path,
}

/// The settings of a profile.
const SETTINGS: [&str; 4] = ["api_key", "private_key", OPTIONAL, "base_url"];

/// The optional setting: most keys have no password.
const OPTIONAL: &str = "password";

impl Entry<'_> {
    fn access(&self, folder: &Path) -> Result<Credentials, Error> {
        for setting in self.profile.keys() {
            if !SETTINGS.contains(&setting.as_str()) {
                let hint = nearest(SETTINGS, setting).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                return Err(self.error(&format!("has no setting {setting:?}{hint}")));
            }
        }
        let [api_key, private_key, password, base_url] = SETTINGS.map(|setting| self.text(setting));
        let (Some(api_key), Some(private_key), Some(base_url)) = (api_key?, private_key?, base_url?) else {
            let missing = SETTINGS.into_iter().filter(|name| *name != OPTIONAL && !self.profile.contains_key(*name));
            return Err(self.error(&format!("needs {}", missing.collect::<Vec<_>>().join(", "))));
        };
        Ok(Credentials {
            api_key,
            private_key: KeySource::of_text(&private_key, folder),
            password: password?,
            base_url: base_url.to_string(),
            source: self.source(),
        })
    }

    fn text(&self, setting: &str) -> Result<Option<Zeroizing<String>>, Error> {
        match self.profile.get(setting) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(Zeroizing::new(text.clone()))),
            Some(_) => Err(self.error(&format!("needs a quoted string as {setting}"))),
        }
    }

    fn error(&self, why: &str) -> Error {
        Error::Configuration(format!("{} {why}", self.source()))
    }

    fn source(&self) -> String {
        format!("the profile {:?} in {}", self.name, self.file.display())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "profiles.toml";

    fn environment(variables: &[(&str, &str)]) -> Result<Credentials, String> {
        let variable =
            |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
        Credentials::from_env(variable).map_err(|error| error.to_string())
    }

    fn profile(text: &str) -> Result<Credentials, String> {
        let profile = parsed(text, Path::new(FILE)).unwrap();
        let entry = Entry { name: "demo", profile: &profile, file: Path::new(FILE) };
        entry.access(Path::new("/folder")).map_err(|error| error.to_string())
    }

    fn message(text: &str) -> String {
        parsed(text, Path::new(FILE)).unwrap_err().to_string()
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
                        BOTDESK_PRIVATE_KEY_FILE; BOTDESK_BASE_URL";
        assert_eq!(message.as_deref(), Some(expected));
    }

    #[test]
    fn the_path_of_a_key_is_relative_to_the_folder_of_the_profiles() {
        let text = "api_key = 'k'\nprivate_key = 'mine.pem'\nbase_url = 'https://host.example'";
        let access = profile(text).unwrap();
        assert!(matches!(&access.private_key, KeySource::File(path) if path == Path::new("/folder/mine.pem")));
    }

    #[test]
    fn a_line_is_counted_from_one() {
        for (text, line) in [("x", 1), ("\n\nx", 3), ("[a]\nb = 1\nb = 2\n", 3), ("a = 1\nb = 'x\nc = 2", 2)] {
            let message = message(text);
            assert!(message.contains(&format!("near line {line}: ")), "{text:?}: {message}");
        }
    }

    proptest! {
        #[test]
        fn an_error_shows_nothing_of_the_file(
            before in prop_oneof!["[a-z]{0,4}", Just("api_key = ".to_owned()), Just("[demo]\nsecret = \"".to_owned())],
            between in r#"[\[\]{}"'=.,\\#0-9u \n]{0,6}"#,
            after in r#"[\[\]{}"'=.,\\# \n]{0,4}"#,
        ) {
            const SECRET: &str = "QZXJQZXJ";
            let text = format!("{before}{between}{SECRET}{after}");
            if let Err(error) = parsed(&text, Path::new(FILE)) {
                let message = error.to_string();
                prop_assert!(!message.contains("QZXJ"), "{}", message);
                prop_assert_eq!(message.lines().count(), 1, "{}", message);
            }
        }
    }
}
