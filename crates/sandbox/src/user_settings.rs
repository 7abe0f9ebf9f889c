//! What the user of a sandbox has chosen in the web application, or by requests that the API reference no longer has.

/// The settings of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserSettings {
    /// `real` or `paper`.
    pub(super) mode: String,
    /// The language of texts, such as `en`.
    pub(super) locale: String,
}

impl Default for UserSettings {
    fn default() -> Self {
        Self { mode: "real".to_owned(), locale: "en".to_owned() }
    }
}
