//! The profiles file: its path and format, and how profiles are read, listed and added.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use toml::{Table, Value};
use zeroize::Zeroizing;

use crate::credentials::key_source::KeySource;
use crate::credentials::stored::Credentials;
use crate::error::Error;
use botdesk_api::input::nearest;
use botdesk_system::files::{self, Existing, PrivateFile};

/// The settings of a profile, in the order in which they are written.
const SETTINGS: [&str; 4] = [API_KEY, PRIVATE_KEY, BASE_URL, PASSWORD];

const API_KEY: &str = "api_key";
const PRIVATE_KEY: &str = "private_key";
const BASE_URL: &str = "base_url";
/// The only optional setting: most private keys have no password.
const PASSWORD: &str = "password";

/// Returns the path of the profiles file, in the configuration folder of the platform.
pub fn path() -> Result<PathBuf, Error> {
    let strategy = etcetera::choose_base_strategy().map_err(|error| {
        Error::Configuration(format!("no home folder found for the profiles file ({error}); set HOME"))
    })?;
    Ok(strategy.config_dir().join("botdesk").join("profiles.toml"))
}

impl Credentials {
    /// Reads a profile. The file must be readable only by its owner.
    pub fn from_profile(name: &str) -> Result<Self, Error> {
        let path = path()?;
        let file = files::read_private(&path).map_err(|error| unreadable(&path, &error))?;
        if file.is_shared {
            let (path, command) = (path.display(), files::closing_command(&path));
            return Err(Error::Configuration(format!(
                "{path} holds keys and others on this machine can read it; run: {command}"
            )));
        }
        Profiles::parse(path, &file)?.credentials(name)
    }
}

/// The profiles file as it was read.
pub struct Profiles {
    path: PathBuf,
    text: Zeroizing<String>,
    table: Table,
}

/// A profile without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct ListedProfile {
    /// The name of the profile.
    pub name: String,
    /// The base URL of the service.
    pub base_url: Option<String>,
    /// The path of the private key, or a note that the key itself is in the profile.
    pub private_key: Option<String>,
}

/// A profile to add.
pub struct NewProfile<'a> {
    /// The name of the profile.
    pub name: &'a str,
    /// The API key.
    pub api_key: &'a str,
    /// The path of the private key.
    pub private_key: &'a str,
    /// The base URL of the service.
    pub base_url: &'a str,
    /// The password of an encrypted private key.
    pub password: Option<&'a str>,
}

impl Profiles {
    /// Reads the profiles file. A missing file is the same as an empty one.
    pub fn read() -> Result<Self, Error> {
        let path = path()?;
        match files::read_private(&path) {
            Ok(file) => Self::parse(path, &file),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self { path, text: Zeroizing::default(), table: Table::new() })
            }
            Err(error) => Err(unreadable(&path, &error)),
        }
    }

    /// Reads the profiles file; returns an error if no profile of this name can be added to it.
    pub fn read_to_add(name: &str) -> Result<Self, Error> {
        let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_bare) {
            // Any other name would need quotes in the file or in a shell.
            return Err(Error::Configuration(format!("{name:?} is not a profile name; use letters, digits, - and _")));
        }
        let path = path()?;
        if path.exists() {
            // Checked before the file is read, because reading a named pipe would block.
            files::destination(&path, Existing::Replace).map_err(|error| unwritable(&path, &error))?;
        }
        let profiles = Self::read()?;
        if profiles.table.contains_key(name) {
            let path = path.display();
            return Err(Error::Configuration(format!("{path} has a profile {name:?} already; choose another name")));
        }
        Ok(profiles)
    }

    fn parse(path: PathBuf, file: &PrivateFile) -> Result<Self, Error> {
        let text = std::str::from_utf8(&file.contents).map_err(|error| unreadable(&path, &error))?;
        let table = parse(text, &path)?;
        Ok(Self { path, text: Zeroizing::new(text.to_owned()), table })
    }

    fn credentials(&self, name: &str) -> Result<Credentials, Error> {
        match self.entries().find(|entry| entry.name == name) {
            Some(entry) => entry.credentials(),
            None => Err(self.no_profile(name)),
        }
    }

    /// Lists the profiles in the order of the file.
    pub fn list(&self) -> Vec<ListedProfile> {
        self.entries().map(|entry| entry.listed()).collect()
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let path = &self.path;
        self.table.iter().filter_map(move |(name, value)| Some(Entry { name, settings: value.as_table()?, path }))
    }

    fn no_profile(&self, name: &str) -> Error {
        let names: Vec<&str> = self.entries().map(|entry| entry.name).collect();
        let there_are = if names.is_empty() {
            "it has none; a profile is a table, which begins with [name]".to_owned()
        } else {
            format!("it has {}", names.join(", "))
        };
        Error::Configuration(format!("no profile {name:?} in {}; {there_are}", self.path.display()))
    }

    /// Adds a profile at the end of the file; the rest of the file is unchanged.
    pub fn add(&self, profile: &NewProfile<'_>) -> Result<(), Error> {
        let text = self.with(profile)?;
        let folder = files::folder(&self.path);
        create_private(folder)
            .map_err(|error| Error::Configuration(format!("{} can't be created: {error}", folder.display())))?;
        files::write(&self.path, text.as_bytes(), Existing::Replace).map_err(|error| unwritable(&self.path, &error))
    }

    /// Returns the text of the file with a profile at its end.
    fn with(&self, profile: &NewProfile<'_>) -> Result<Zeroizing<String>, Error> {
        let added = profile.text();
        // Allocated at its final size, because a string that grows leaves copies of secrets behind.
        let mut text = Zeroizing::new(String::with_capacity(self.text.len() + added.len() + 2));
        text.push_str(&self.text);
        text.push_str(match self.text.chars().last() {
            None => "",
            Some('\n') => "\n",
            Some(_) => "\n\n",
        });
        text.push_str(&added);
        let table = parse(&text, &self.path).ok();
        let is_added = table.is_some_and(|mut table| {
            let added = table.remove(profile.name);
            added == Some(Value::Table(profile.settings())) && table == self.table
        });
        if is_added { Ok(text) } else { Err(self.cannot_add()) }
    }

    fn cannot_add(&self) -> Error {
        let path = self.path.display();
        Error::Configuration(format!("a profile can't be added to {path} as it is; write it there by hand"))
    }
}

impl NewProfile<'_> {
    fn settings(&self) -> Table {
        let values = [Some(self.api_key), Some(self.private_key), Some(self.base_url), self.password];
        let settings = SETTINGS.into_iter().zip(values);
        settings.filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?)))).collect()
    }

    fn text(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(format!("[{}]\n", self.name));
        for (name, value) in self.settings() {
            let value = quoted(value.as_str().unwrap_or_default());
            text.extend([name.as_str(), " = ", value.as_str(), "\n"]);
        }
        text
    }
}

/// Returns a TOML string.
fn quoted(text: &str) -> String {
    // The escapes of JSON are escapes of TOML as well, except that JSON does not escape DEL.
    serde_json::Value::from(text).to_string().replace('\x7f', "\\u007F")
}

#[cfg(unix)]
fn create_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::Configuration(format!("{} can't be written: {error}", path.display()))
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> Error {
    Error::Configuration(format!(
        "the profiles in {} can't be read: {error}; a profile is a table [name] there with {API_KEY}, {PRIVATE_KEY} and \
         {BASE_URL}",
        path.display()
    ))
}

fn parse(text: &str, path: &Path) -> Result<Table, Error> {
    text.parse().map_err(|error: toml::de::Error| {
        // The error itself shows the line, which may hold a key.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Error::Configuration(format!("{} is not TOML: near line {line}: {}", path.display(), error.message()))
    })
}

/// A profile in the file.
struct Entry<'a> {
    name: &'a str,
    settings: &'a Table,
    path: &'a Path,
}

impl Entry<'_> {
    fn credentials(&self) -> Result<Credentials, Error> {
        for setting in self.settings.keys() {
            if !SETTINGS.contains(&setting.as_str()) {
                let hint = nearest(SETTINGS, setting).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                return Err(self.invalid(&format!("has no setting {setting:?}{hint}")));
            }
        }
        let [api_key, private_key, base_url, password] = SETTINGS.map(|setting| self.string(setting));
        let (Some(api_key), Some(private_key), Some(base_url)) = (api_key?, private_key?, base_url?) else {
            let missing = SETTINGS.into_iter().filter(|name| *name != PASSWORD && !self.settings.contains_key(*name));
            return Err(self.invalid(&format!("needs {}", missing.collect::<Vec<_>>().join(", "))));
        };
        Ok(Credentials {
            api_key,
            private_key: self.key_source(&private_key),
            password: password?,
            base_url: base_url.to_string(),
            source: self.source(),
        })
    }

    fn listed(&self) -> ListedProfile {
        let text = |name| self.settings.get(name).and_then(Value::as_str);
        let private_key = text(PRIVATE_KEY).map(|key| match self.key_source(key) {
            KeySource::File(_) => key,
            KeySource::Pem(_) => "in the profile",
        });
        ListedProfile {
            name: self.name.to_owned(),
            base_url: text(BASE_URL).map(str::to_owned),
            private_key: private_key.map(str::to_owned),
        }
    }

    /// Returns the source of a private key. A relative path is relative to the folder of the profiles file.
    fn key_source(&self, private_key: &str) -> KeySource {
        KeySource::of_text(private_key, self.path.parent().unwrap_or(Path::new("")))
    }

    fn string(&self, setting: &str) -> Result<Option<Zeroizing<String>>, Error> {
        match self.settings.get(setting) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(Zeroizing::new(text.clone()))),
            Some(_) => Err(self.invalid(&format!("needs a quoted string as {setting}"))),
        }
    }

    fn invalid(&self, why: &str) -> Error {
        Error::Configuration(format!("{} {why}", self.source()))
    }

    /// Returns the description of the profile for error messages.
    fn source(&self) -> String {
        format!("the profile {:?} in {}", self.name, self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn profiles(text: &str) -> Result<Profiles, String> {
        let contents = Zeroizing::new(text.as_bytes().to_vec());
        let file = PrivateFile { contents, is_shared: false };
        Profiles::parse(PathBuf::from("/folder/profiles.toml"), &file).map_err(|error| error.to_string())
    }

    const NEW: NewProfile<'_> = NewProfile {
        name: "demo",
        api_key: "key",
        private_key: "/keys/mine.pem",
        base_url: "https://host.example",
        password: None,
    };

    #[test]
    fn the_path_of_a_key_begins_at_the_folder_of_the_profiles() {
        let text = "[demo]\napi_key = 'k'\nprivate_key = 'mine.pem'\nbase_url = 'https://host.example'";
        let access = profiles(text).unwrap().credentials("demo").unwrap();
        assert!(matches!(&access.private_key, KeySource::File(path) if path == Path::new("/folder/mine.pem")));
    }

    #[test]
    fn profiles_are_listed_in_the_order_of_the_file() {
        let text = "loose = 1\n[b]\nbase_url = 'https://host.example'\nprivate_key = 'b.pem'\n[a]\nprivate_key = 5";
        let listed = profiles(text).unwrap().list();
        let [b, a] = listed.as_slice() else { panic!("{listed:?}") };
        assert_eq!((b.name.as_str(), b.private_key.as_deref()), ("b", Some("b.pem")));
        assert_eq!(a, &ListedProfile { name: "a".to_owned(), base_url: None, private_key: None });
    }

    #[test]
    fn a_profile_is_not_added_if_it_would_become_part_of_another_table() {
        let error = profiles("[[demo]]").unwrap().with(&NEW).unwrap_err();
        assert!(error.to_string().contains("write it there by hand"));
    }

    #[test]
    fn a_line_is_counted_from_one() {
        for (text, line) in [("x", 1), ("\n\nx", 3), ("[a]\nb = 1\nb = 2\n", 3), ("a = 1\nb = 'x\nc = 2", 2)] {
            let message = profiles(text).err().unwrap();
            assert!(message.contains(&format!("near line {line}: ")), "{text:?}: {message}");
        }
    }

    proptest! {
        #[test]
        fn an_added_profile_can_be_read(
            before in r#"(# [a-z]{0,3}(\r\n|\n)|\[a[a-z]\]\n|\n){0,1}(x = "y"){0,1}\n{0,2}"#,
            api_key in any::<String>(),
            base_url in any::<String>(),
            password in proptest::option::of(any::<String>()),
        ) {
            let password = password.as_deref();
            let new = NewProfile { api_key: &api_key, base_url: &base_url, password, ..NEW };
            let text = profiles(&before).unwrap().with(&new).unwrap();
            prop_assert!(text.starts_with(&before));
            let access = profiles(&text).unwrap().credentials("demo").unwrap();
            prop_assert_eq!(access.api_key.as_str(), api_key);
            prop_assert_eq!(&access.base_url, &base_url);
            prop_assert_eq!(access.password.as_ref().map(|password| password.as_str()), password);
            prop_assert!(matches!(&access.private_key, KeySource::File(path) if path == Path::new(NEW.private_key)));
        }

        #[test]
        fn an_error_shows_nothing_of_the_content_of_the_file(
            before in prop_oneof!["[a-z]{0,4}", Just("api_key = ".to_owned()), Just("[demo]\nsecret = \"".to_owned())],
            between in r#"[\[\]{}"'=.,\\#0-9u \n]{0,6}"#,
            after in r#"[\[\]{}"'=.,\\# \n]{0,4}"#,
        ) {
            const SECRET: &str = "QZXJQZXJ";
            let text = format!("{before}{between}{SECRET}{after}");
            if let Err(message) = profiles(&text) {
                prop_assert!(!message.contains("QZXJ"), "{}", message);
                prop_assert_eq!(message.lines().count(), 1, "{}", message);
            }
        }
    }
}
