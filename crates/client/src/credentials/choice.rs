//! The choice between the keys of the environment and those of a profile.

use crate::credentials::stored::{API_KEY, BASE_URL, PRIVATE_KEY, PRIVATE_KEY_FILE, PRIVATE_KEY_PASSWORD, SECRET};
use crate::error::Error;

/// The environment variable that names a profile.
pub const PROFILE: &str = "BOTDESK_PROFILE";

/// The environment variables of a client's keys and base URL.
const KEYS: [&str; 6] = [API_KEY, PRIVATE_KEY, PRIVATE_KEY_FILE, PRIVATE_KEY_PASSWORD, SECRET, BASE_URL];

/// Returns the profile that the environment names; None if it names none.
pub fn profile_of_process() -> Result<Option<String>, Error> {
    match std::env::var(PROFILE) {
        Ok(name) => Ok(Some(name).filter(|name| !name.is_empty())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Error::Configuration(format!("{PROFILE} is not Unicode; set it to the name of a profile")))
        }
    }
}

/// Returns whether the environment has keys, so that no profile is used. It is an error if it names a profile too, because the wrong
/// one of two accounts might be changed.
pub fn is_environment_chosen() -> Result<bool, Error> {
    choose(profile_of_process()?.is_some(), |name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn choose(names_profile: bool, is_set: impl Fn(&str) -> bool) -> Result<bool, Error> {
    match KEYS.into_iter().find(|name| is_set(name)) {
        Some(key) if names_profile => Err(Error::Configuration(format!(
            "{PROFILE} and {key} are both set; unset one of them, or name the profile with --profile"
        ))),
        key => Ok(key.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_variable_of_the_keys_chooses_the_environment() {
        assert_eq!(choose(false, |_| false).ok(), Some(false));
        assert_eq!(choose(true, |_| false).ok(), Some(false));
        for set in KEYS {
            assert_eq!(choose(false, |name| name == set).ok(), Some(true), "{set}");
        }
    }

    #[test]
    fn a_profile_and_keys_in_the_environment_are_one_account_too_many() {
        for set in KEYS {
            let message = choose(true, |name| name == set).unwrap_err().to_string();
            assert!(message.starts_with(&format!("BOTDESK_PROFILE and {set} are both set; ")), "{message}");
        }
    }
}
