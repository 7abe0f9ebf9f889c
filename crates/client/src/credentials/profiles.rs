//! The profiles file: its path and format, and how profiles are read, listed, added and removed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy as _;
use toml::{Table, Value};
use zeroize::Zeroizing;

use crate::credentials::choice::{PROFILE, profile_of_process};
use crate::credentials::key_source::KeySource;
use crate::credentials::profile_text::{self, DEFAULT};
use crate::credentials::stored::{Credentials, NO_KEYS_YET, StoredKey, mode_named};
use crate::error::Error;
use crate::request::base_url::PUBLISHED;
use botdesk_schema::input::nearest;
use botdesk_schema::key_text::{shown, shown_name, shown_path};
use botdesk_system::files::{self, Existing, PrivateFile};
use botdesk_system::slot_file::{LockedFile, UpdateError};

/// The settings of a profile, in the order in which they are written.
const SETTINGS: [&str; 6] = [API_KEY, PRIVATE_KEY, SECRET, BASE_URL, PASSWORD, MODE];

const API_KEY: &str = "api_key";
const PRIVATE_KEY: &str = "private_key";
const SECRET: &str = "secret";
const BASE_URL: &str = "base_url";
const PASSWORD: &str = "password";
const MODE: &str = "mode";

/// The name of the file beside the profiles file whose lock is held during a change.
const LOCK: &str = ".profiles.lock";

/// The longest wait for the change of another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// The environment variables to set in place of a profile.
const KEY_VARIABLES: &str = "BOTDESK_API_KEY, and BOTDESK_SECRET or BOTDESK_PRIVATE_KEY_FILE";

/// Returns the path of the profiles file, in the configuration folder of the platform.
pub fn path() -> Result<PathBuf, Error> {
    let strategy = etcetera::choose_base_strategy().map_err(|error| {
        Error::Configuration(format!("no home folder found for the profiles file ({error}); set HOME"))
    })?;
    Ok(strategy.config_dir().join("botdesk").join("profiles.toml"))
}

impl Credentials {
    /// Reads a profile; returns its name too. Without a name it is that of `BOTDESK_PROFILE`, or the default of the file.
    ///
    /// The file must be readable only by its owner.
    pub fn from_profile(name: Option<String>) -> Result<(String, Self), Error> {
        let path = path()?;
        let named = match name {
            Some(name) => Some((name, None)),
            None => profile_of_process()?.map(|name| (name, Some(PROFILE))),
        };
        let file = match files::read_private(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => return Err(no_choice()),
            file => file.map_err(|error| unreadable(&path, &error))?,
        };
        if file.is_shared {
            let (path, command) = (shown_path(&path), files::closing_command(&path));
            return Err(Error::Configuration(format!(
                "{path} holds keys and others on this machine can read it; run: {command}"
            )));
        }
        let profiles = Profiles::parse(path, &file)?;
        let (name, origin) = match named {
            Some(named) => named,
            None => (profiles.default_name()?.ok_or_else(no_choice)?.to_owned(), Some(DEFAULT)),
        };
        let credentials = profiles.credentials(&name, origin)?;
        Ok((name, credentials))
    }
}

fn no_choice() -> Error {
    Error::Configuration(format!(
        "no profile is chosen: name one, set {PROFILE}, or run: botdesk profile default NAME; without a profile, set \
         {KEY_VARIABLES}; {NO_KEYS_YET}"
    ))
}

/// The profiles file as it was read.
pub struct Profiles {
    path: PathBuf,
    text: Zeroizing<String>,
    table: Table,
    /// Locks out other processes from reading to saving, because the last one to save would undo the changes of the others.
    _lock: Option<LockedFile>,
}

/// A profile without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct ListedProfile {
    /// The name of the profile.
    pub name: String,
    /// The base URL of the service; None if the setting is not a string.
    pub base_url: Option<String>,
    /// The path of the private key, or a note that the key itself is in the profile.
    pub private_key: Option<String>,
    /// True if the profile has the secret of a system-generated key.
    pub has_secret: bool,
}

/// A profile to add.
pub struct NewProfile<'a> {
    /// The name of the profile.
    pub name: &'a str,
    /// The API key.
    pub api_key: &'a str,
    /// The key that signs.
    pub key: NewKey<'a>,
    /// The base URL of the service.
    pub base_url: &'a str,
}

/// The key of a profile to add.
#[derive(Clone, Copy)]
pub enum NewKey<'a> {
    /// The path of a private key, and its password if it is encrypted.
    PrivateKey(&'a str, Option<&'a str>),
    /// The secret of a system-generated key.
    Secret(&'a str),
}

impl Profiles {
    /// Reads the profiles file. A missing file is the same as an empty one.
    pub fn read() -> Result<Self, Error> {
        let path = path()?;
        match files::read_private(&path) {
            Ok(file) => Self::parse(path, &file),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self { path, text: Zeroizing::default(), table: Table::new(), _lock: None })
            }
            Err(error) => Err(unreadable(&path, &error)),
        }
    }

    /// Returns an error if no profile of this name can be added.
    pub fn check_new(name: &str) -> Result<(), Error> {
        check_name(name)?;
        check_replaceable(&path()?)?;
        Self::read()?.check_vacant(name)
    }

    /// Reads the profiles file and locks it; returns an error if no profile of this name can be added to it.
    pub fn read_to_add(name: &str) -> Result<Self, Error> {
        check_name(name)?;
        create_folder(&path()?)?;
        let profiles = Self::read_to_change()?;
        profiles.check_vacant(name)?;
        Ok(profiles)
    }

    fn check_vacant(&self, name: &str) -> Result<(), Error> {
        if self.table.contains_key(name) {
            let path = shown_path(&self.path);
            return Err(Error::Configuration(format!(
                "{path} has a profile {} already; choose another name",
                shown_name(name)
            )));
        }
        Ok(())
    }

    /// Reads the profiles file to change it, and locks it; returns an error if it can't be replaced.
    pub fn read_to_change() -> Result<Self, Error> {
        let path = path()?;
        check_replaceable(&path)?;
        let lock = lock(&path)?;
        Ok(Self { _lock: lock, ..Self::read()? })
    }

    fn parse(path: PathBuf, file: &PrivateFile) -> Result<Self, Error> {
        let text = std::str::from_utf8(&file.contents).map_err(|error| unreadable(&path, &error))?;
        let table = parse(text, &path)?;
        Ok(Self { path, text: Zeroizing::new(text.to_owned()), table, _lock: None })
    }

    /// Returns the credentials of a profile. `origin` is the setting that names it, if the user did not.
    fn credentials(&self, name: &str, origin: Option<&str>) -> Result<Credentials, Error> {
        match self.entries().find(|entry| entry.name == name) {
            Some(entry) => entry.credentials(),
            None => Err(self.no_profile(name, origin)),
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

    fn no_profile(&self, name: &str, origin: Option<&str>) -> Error {
        let names: Vec<String> = self.entries().map(|entry| shown(entry.name)).collect();
        let there_are = if names.is_empty() {
            "it has none; a profile is a table, which begins with [name]".to_owned()
        } else {
            format!("it has {}", names.join(", "))
        };
        let origin = origin.map(|origin| format!("; the name comes from {origin}")).unwrap_or_default();
        let (name, path) = (shown_name(name), shown_path(&self.path));
        Error::Configuration(format!("no profile {name} in {path}; {there_are}{origin}"))
    }

    /// Returns the name of the default profile, if the file has one.
    pub fn default_name(&self) -> Result<Option<&str>, Error> {
        match self.table.get(DEFAULT) {
            // A table is a profile.
            None | Some(Value::Table(_)) => Ok(None),
            Some(Value::String(name)) => Ok(Some(name)),
            Some(_) => {
                let path = shown_path(&self.path);
                Err(Error::Configuration(format!(
                    "{path} needs a quoted string as {DEFAULT}; write the name of a profile"
                )))
            }
        }
    }

    /// Adds a profile at the end of the file; the rest of the file is unchanged.
    pub fn add(&self, profile: &NewProfile<'_>) -> Result<(), Error> {
        self.with(profile)?.save()
    }

    /// Sets the default profile, or removes it; the rest of the file is unchanged.
    pub fn set_default(&self, name: Option<&str>) -> Result<(), Error> {
        if let Some(name) = name.filter(|name| !self.entries().any(|entry| entry.name == *name)) {
            return Err(self.no_profile(name, None));
        }
        if name.is_none() && self.default_name()?.is_none() {
            // Otherwise an empty file would be created.
            return Ok(());
        }
        self.with_default(name)?.save()
    }

    /// Removes a profile, which is then not the default one either; the rest of the file is unchanged. The file of the private key
    /// stays.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        self.without(name)?.save()
    }

    /// Writes the file, atomically and readable only by its owner.
    fn save(&self) -> Result<(), Error> {
        create_folder(&self.path)?;
        files::write(&self.path, self.text.as_bytes(), Existing::Replace)
            .map_err(|error| unwritable(&self.path, &error))
    }

    fn with(&self, profile: &NewProfile<'_>) -> Result<Self, Error> {
        let mut expected = self.table.clone();
        expected.insert(profile.name.to_owned(), Value::Table(profile.settings()));
        let texts = [profile_text::with_table(&self.text, &profile.text())];
        self.changed(texts, expected, "a profile can't be added to the file as it is; write it there by hand")
    }

    fn without(&self, name: &str) -> Result<Self, Error> {
        if !self.entries().any(|entry| entry.name == name) {
            return Err(self.no_profile(name, None));
        }
        let is_default = self.default_name()? == Some(name);
        let changed = if is_default { Some(self.with_default(None)?) } else { None };
        let kept = changed.as_ref().unwrap_or(self);
        let mut expected = kept.table.clone();
        expected.remove(name);
        kept.changed(
            profile_text::without_table(&kept.text, name),
            expected,
            "the profile can't be removed from the file as it is; remove it by hand",
        )
    }

    fn with_default(&self, name: Option<&str>) -> Result<Self, Error> {
        let mut expected = self.table.clone();
        if let Some(Value::Table(_)) = expected.get(DEFAULT) {
            let path = shown_path(&self.path);
            return Err(Error::Configuration(format!(
                "{path} has a profile {DEFAULT:?}; rename it to set a default profile"
            )));
        }
        match name {
            Some(name) => expected.insert(DEFAULT.to_owned(), name.into()),
            None => expected.remove(DEFAULT),
        };
        let setting = name.map(quoted);
        self.changed(
            profile_text::with_default(&self.text, setting.as_deref()),
            expected,
            "the default profile can't be changed in the file as it is; change it by hand",
        )
    }

    /// Returns the file with the first text that parses to the expected profiles.
    fn changed(
        &self,
        texts: impl IntoIterator<Item = Zeroizing<String>>,
        expected: Table,
        problem: &str,
    ) -> Result<Self, Error> {
        let is_expected = |text: &Zeroizing<String>| parse(text, &self.path).is_ok_and(|table| table == expected);
        match texts.into_iter().find(is_expected) {
            Some(text) => Ok(Self { path: self.path.clone(), text, table: expected, _lock: None }),
            None => Err(Error::Configuration(format!("{}: {problem}", shown_path(&self.path)))),
        }
    }
}

impl NewProfile<'_> {
    fn settings(&self) -> Table {
        let (private_key, secret, password) = match self.key {
            NewKey::PrivateKey(path, password) => (Some(path), None, password),
            NewKey::Secret(secret) => (None, Some(secret), None),
        };
        let values = [Some(self.api_key), private_key, secret, Some(self.base_url), password];
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

fn check_name(name: &str) -> Result<(), Error> {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_bare) {
        // Any other name would need quotes in the file or in a shell.
        let name = shown_name(name);
        return Err(Error::Configuration(format!("{name} is not a profile name; use letters, digits, - and _")));
    }
    if name == DEFAULT {
        return Err(Error::Configuration(format!("{name:?} is a setting of the file; choose another name")));
    }
    Ok(())
}

/// Returns an error if the profiles file can't be replaced. Reading a named pipe would block.
fn check_replaceable(path: &Path) -> Result<(), Error> {
    if path.exists() {
        files::destination(path, Existing::Replace).map_err(|error| unwritable(path, &error))?;
    }
    Ok(())
}

fn create_folder(path: &Path) -> Result<(), Error> {
    let folder = files::folder(path);
    files::create_private_folder(folder)
        .map_err(|error| Error::Configuration(format!("{} can't be created: {error}", shown_path(folder))))
}

/// Waits for the lock of the profiles file, which is held until the returned value is dropped.
///
/// It is the lock of a file beside it, because the profiles file itself is replaced. Returns None without a folder, or if its file system
/// has no locks.
fn lock(path: &Path) -> Result<Option<LockedFile>, Error> {
    let folder = files::folder(path);
    if !folder.exists() {
        return Ok(None);
    }
    match LockedFile::open(&folder.join(LOCK), PATIENCE) {
        Ok(file) => Ok(Some(file)),
        Err(UpdateError::Io(error)) if error.kind() == ErrorKind::Unsupported => Ok(None),
        Err(UpdateError::Io(error)) => Err(unwritable(path, &error)),
        Err(UpdateError::Locked) => {
            let path = shown_path(path);
            Err(Error::Configuration(format!("another process is changing {path}; run the command again")))
        }
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::Configuration(format!("{} can't be written: {error}", shown_path(path)))
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> Error {
    Error::Configuration(format!(
        "the profiles in {} can't be read: {error}; a profile is a table [name] there with {API_KEY}, and {PRIVATE_KEY} \
         or {SECRET}; botdesk init or botdesk profile add NAME writes one",
        shown_path(path)
    ))
}

fn parse(text: &str, path: &Path) -> Result<Table, Error> {
    text.parse().map_err(|error: toml::de::Error| {
        // The error itself shows the line, which may hold a key.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Error::Configuration(format!("{} is not TOML: near line {line}: {}", shown_path(path), error.message()))
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
                return Err(self.invalid(&format!("has no setting {}{hint}", shown_name(setting))));
            }
        }
        let [api_key, private_key, secret, base_url, password, mode] = SETTINGS.map(|setting| self.string(setting));
        let key = self.stored_key(private_key?, secret?, password?)?;
        let base_url = base_url?.map_or_else(|| PUBLISHED.to_owned(), |base_url| base_url.to_string());
        let mode = mode?.map(|mode| mode_named(MODE, &mode)).transpose();
        let mode = mode.map_err(|error| self.invalid(&format!("has a wrong setting: {error}")))?;
        match (api_key?, key) {
            (Some(api_key), Some(key)) => Ok(Credentials { api_key, key, base_url, mode, source: self.source() }),
            (api_key, key) => {
                let either = format!("{PRIVATE_KEY} or {SECRET}");
                let needed = [(API_KEY, api_key.is_some()), (either.as_str(), key.is_some())];
                let missing = needed.into_iter().filter(|(_, is_set)| !is_set).map(|(name, _)| name);
                Err(self.invalid(&format!("needs {}", missing.collect::<Vec<_>>().join(", "))))
            }
        }
    }

    /// Returns the key that signs, if the profile has one; an error if it has both kinds.
    fn stored_key(
        &self,
        private_key: Option<Zeroizing<String>>,
        secret: Option<Zeroizing<String>>,
        password: Option<Zeroizing<String>>,
    ) -> Result<Option<StoredKey>, Error> {
        let both =
            |other: &str| Err(self.invalid(&format!("has {other} and {SECRET}; remove the one that it does not need")));
        match (private_key, secret) {
            (Some(_), Some(_)) => both(PRIVATE_KEY),
            (None, Some(_)) if password.is_some() => both(PASSWORD),
            (None, Some(text)) => Ok(Some(StoredKey::Secret { text, name: SECRET.to_owned() })),
            (Some(path), None) => Ok(Some(StoredKey::PrivateKey { source: self.key_source(&path), password })),
            (None, None) => Ok(None),
        }
    }

    fn listed(&self) -> ListedProfile {
        let text = |name| self.settings.get(name).and_then(Value::as_str);
        let private_key = text(PRIVATE_KEY).map(|key| match self.key_source(key) {
            KeySource::File(_) => key,
            KeySource::Pem(_) => "in the profile",
        });
        ListedProfile {
            name: self.name.to_owned(),
            base_url: match self.settings.get(BASE_URL) {
                None => Some(PUBLISHED.to_owned()),
                Some(base_url) => base_url.as_str().map(str::to_owned),
            },
            private_key: private_key.map(str::to_owned),
            has_secret: text(SECRET).is_some(),
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
        format!("the profile {} in {}", shown_name(self.name), shown_path(self.path))
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
        key: NewKey::PrivateKey("/keys/mine.pem", None),
        base_url: "https://host.example",
    };

    #[test]
    fn the_path_of_a_key_begins_at_the_folder_of_the_profiles() {
        let text = "[demo]\napi_key = 'k'\nprivate_key = 'mine.pem'\nbase_url = 'https://host.example'";
        let access = profiles(text).unwrap().credentials("demo", None).unwrap();
        let StoredKey::PrivateKey { source: KeySource::File(path), .. } = &access.key else { panic!("it is a file") };
        assert_eq!(path, Path::new("/folder/mine.pem"));
    }

    #[test]
    fn profiles_are_listed_in_the_order_of_the_file() {
        let text = "loose = 1\n[b]\nbase_url = 'https://host.example'\nprivate_key = 'b.pem'\n[a]\nprivate_key = 5";
        let listed = profiles(text).unwrap().list();
        let [b, a] = listed.as_slice() else { panic!("{listed:?}") };
        assert_eq!((b.name.as_str(), b.private_key.as_deref()), ("b", Some("b.pem")));
        let base_url = Some("https://api.3commas.io".to_owned());
        assert_eq!(a, &ListedProfile { name: "a".to_owned(), base_url, private_key: None, has_secret: false });
    }

    #[test]
    fn a_profile_has_one_key_and_the_published_base_url() {
        let error = |text: &str| profiles(text).unwrap().credentials("demo", None).err().unwrap().to_string();
        assert!(error("[demo]\napi_key = 'k'").ends_with(" needs private_key or secret"));
        assert!(error("[demo]\nsecret = 's'").ends_with(" needs api_key"));
        for other in ["private_key", "password"] {
            let message = error(&format!("[demo]\napi_key = 'k'\nsecret = 's'\n{other} = 'x'"));
            assert!(message.ends_with(&format!(" has {other} and secret; remove the one that it does not need")));
        }
        let access = profiles("[demo]\napi_key = 'k'\nsecret = 's'").unwrap().credentials("demo", None).unwrap();
        assert_eq!(access.base_url, "https://api.3commas.io");
    }

    #[test]
    fn a_profile_is_not_added_if_it_would_become_part_of_another_table() {
        let error = profiles("[[demo]]").unwrap().with(&NEW).err().unwrap();
        assert!(error.to_string().contains("write it there by hand"));
    }

    fn text(changed: Result<Profiles, Error>) -> Result<String, String> {
        changed.map(|profiles| profiles.text.to_string()).map_err(|error| error.to_string())
    }

    const TWO: &str =
        "# mine\n[a]  # first\nx = 1\n\n[a.more]\ny = \"\"\"\n[b]\n\"\"\"\n\n# the second\n[b]\nz = [\n[1],\n]\n";

    #[test]
    fn a_removed_profile_takes_nothing_else_with_it() {
        let without = |name| text(profiles(TWO).unwrap().without(name));
        assert_eq!(without("a").unwrap(), "# mine\n\n# the second\n[b]\nz = [\n[1],\n]\n");
        assert_eq!(without("b").unwrap(), TWO.split_once("[b]\nz").unwrap().0);
        assert!(without("c").unwrap_err().contains("no profile \"c\" in /folder/profiles.toml; it has a, b"));
    }

    #[test]
    fn a_removed_profile_is_not_the_default_one() {
        let file = "default_profile = 'a'\r\n[a]\r\nx = 1\r\n[b]\r\n";
        assert_eq!(text(profiles(file).unwrap().without("a")).unwrap(), "[b]\r\n");
        assert_eq!(text(profiles(file).unwrap().without("b")).unwrap(), "default_profile = 'a'\r\n[a]\r\nx = 1\r\n");
    }

    #[test]
    fn a_profile_that_is_no_table_of_its_own_is_not_removed() {
        for file in ["a = { x = 1 }\n", "a.x = 1\n", "\"a\".x = 1\n[b]\n"] {
            let message = text(profiles(file).unwrap().without("a")).unwrap_err();
            assert!(message.ends_with("remove it by hand"), "{file:?}: {message}");
        }
    }

    #[test]
    fn the_default_profile_is_one_line_of_the_file() {
        let with = |file: &str, name| text(profiles(file).unwrap().with_default(name));
        assert_eq!(with("[a]\n", Some("a")).unwrap(), "default_profile = \"a\"\n[a]\n");
        assert_eq!(with("\u{feff}[a]\n", Some("a")).unwrap(), "\u{feff}default_profile = \"a\"\n[a]\n");
        let file = "# default_profile = 'x'\n default_profile='b' # now\n[a]\nnote = 'default_profile'\n";
        assert_eq!(
            with(file, Some("a")).unwrap(),
            "# default_profile = 'x'\ndefault_profile = \"a\"\n[a]\nnote = 'default_profile'\n"
        );
        assert_eq!(with(file, None).unwrap(), "# default_profile = 'x'\n[a]\nnote = 'default_profile'\n");
        assert_eq!(with("[a]\n", None).unwrap(), "[a]\n");
    }

    #[test]
    fn a_default_profile_is_a_string_and_no_profile_itself() {
        assert_eq!(profiles("[a]").unwrap().default_name().unwrap(), None);
        assert_eq!(profiles("default_profile = 'a'").unwrap().default_name().unwrap(), Some("a"));
        assert!(profiles("default_profile = 'a'\n[b]").unwrap().list().iter().all(|listed| listed.name == "b"));
        let error = profiles("default_profile = 5").unwrap().default_name().unwrap_err().to_string();
        assert!(error.contains("needs a quoted string as default_profile"), "{error}");
        let table = profiles("[default_profile]\n[a]").unwrap();
        assert_eq!(table.default_name().unwrap(), None);
        assert!(text(table.with_default(Some("a"))).unwrap_err().contains("rename it to set a default profile"));
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
            let key = NewKey::PrivateKey("/keys/mine.pem", password.as_deref());
            let new = NewProfile { api_key: &api_key, base_url: &base_url, key, ..NEW };
            let text = profiles(&before).unwrap().with(&new).unwrap().text;
            prop_assert!(text.starts_with(&before));
            let access = profiles(&text).unwrap().credentials("demo", None).unwrap();
            prop_assert_eq!(access.api_key.as_str(), api_key);
            prop_assert_eq!(&access.base_url, &base_url);
            let StoredKey::PrivateKey { source: KeySource::File(path), password: read } = &access.key else {
                panic!("it is a file");
            };
            prop_assert_eq!(path, Path::new("/keys/mine.pem"));
            prop_assert_eq!(read.as_ref().map(|password| password.as_str()), password.as_deref());
        }

        #[test]
        fn an_added_secret_can_be_read(secret in any::<String>()) {
            let text = profiles("").unwrap().with(&NewProfile { key: NewKey::Secret(&secret), ..NEW }).unwrap().text;
            let read = profiles(&text).unwrap();
            prop_assert!(read.list().iter().all(|listed| listed.has_secret && listed.private_key.is_none()));
            let access = read.credentials("demo", None).unwrap();
            let StoredKey::Secret { text, name } = &access.key else { panic!("it is a secret") };
            prop_assert_eq!((text.as_str(), name.as_str()), (secret.as_str(), "secret"));
        }

        #[test]
        fn an_added_profile_is_removed_without_a_trace(
            before in r#"(# [a-z]{0,3}(\r\n|\n)|\[a[a-z]\]\n|\n){0,1}(x = "y"){0,1}\n{0,2}"#,
            api_key in any::<String>(),
        ) {
            let added = profiles(&before).unwrap().with(&NewProfile { api_key: &api_key, ..NEW }).unwrap();
            let as_default = added.with_default(Some("demo")).unwrap();
            prop_assert_eq!(as_default.default_name().unwrap(), Some("demo"));
            let removed = as_default.without("demo").unwrap().text;
            prop_assert_eq!(removed.trim_end(), before.trim_end());
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
