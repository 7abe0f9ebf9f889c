//! What the user of a sandbox has chosen in the web application, or by requests that the API reference no longer has.

use botdesk_schema::mode::Mode;

/// The settings of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserSettings {
    /// The mode.
    pub(super) mode: Mode,
    /// The language of texts, such as `en`.
    pub(super) locale: String,
}

impl Default for UserSettings {
    fn default() -> Self {
        Self { mode: Mode::Real, locale: "en".to_owned() }
    }
}
