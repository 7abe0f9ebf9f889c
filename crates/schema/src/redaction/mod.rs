//! Redaction: hides secrets in text, however JSON, URLs and HTML escape them.
//!
//! The text is decoded, and every decoded byte is mapped to its part of the source. Secrets are searched for in the decoded
//! text, and the corresponding part of the source is hidden.

mod entities;
mod escapes;
mod fields;
mod finder;
mod names;
#[cfg(test)]
mod tests;
mod view;

pub use fields::MESSAGES;
pub use fields::{replace_field_values, replace_parameters};
pub use finder::SecretFinder;
pub use names::{SecretNames, find_name};

/// The placeholder of a secret.
pub const HIDDEN: &str = "<hidden>";

/// Hides known secrets, and the values of all secret fields.
#[derive(Debug)]
pub struct Redactor {
    /// None if the search could not be built; everything is hidden then.
    finder: Option<SecretFinder>,
    names: SecretNames,
}

impl Redactor {
    /// Builds a redactor that hides these secrets, and the values of fields of these names. A secret that is itself one of the names
    /// is not searched for.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>, names: SecretNames) -> Self {
        // An API key `api_key` would hide nothing, and occurs everywhere.
        let secrets = secrets.into_iter().filter(|secret| names.find(secret).is_none());
        let replaced = secrets.map(|secret| (secret.to_owned(), HIDDEN.to_owned()));
        Self { finder: SecretFinder::new(replaced).ok(), names }
    }

    /// Returns the text without secrets.
    pub fn redact(&self, text: &str) -> String {
        match &self.finder {
            Some(finder) => redact_fields(&finder.replace(text), self.names),
            None => HIDDEN.to_owned(),
        }
    }
}

/// Returns text that may be JSON, whole or cut, or hold JSON, without the values of the fields of these names.
pub fn redact_fields(text: &str, names: SecretNames) -> String {
    replace_field_values(text, &|name| names.find(name), &mut |_, _| HIDDEN.to_owned())
}
