//! Invalid inputs.

/// The end of the messages of botdesk's own checks.
const OWN_CHECK: &str = " (botdesk's own check; validate=False sends it anyway)";

/// The same for operations without such an argument.
const OWN_CHECK_OF_ANY: &str = " (botdesk's own check; client.request sends it anyway)";

/// An invalid input, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the argument.
    pub field: String,
    /// The reason, and the way to fix it.
    pub message: String,
    /// True if the check is botdesk's own: the API reference has no such rule, and the service may accept the value.
    pub is_own: bool,
}

impl Violation {
    /// Returns a violation by `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), is_own: false }
    }

    /// Marks the violation as one of botdesk's own checks, and names the argument that skips it.
    #[must_use]
    pub fn own(self) -> Self {
        Self { message: self.message + OWN_CHECK, is_own: true, ..self }
    }

    /// Returns the violation of an input of an operation that has no argument that skips the check.
    #[must_use]
    pub fn not_skippable(self) -> Self {
        match self.message.strip_suffix(OWN_CHECK) {
            Some(plain) => Self { message: format!("{plain}{OWN_CHECK_OF_ANY}"), ..self },
            None => self,
        }
    }

    /// Returns the message without the argument that skips the check.
    pub fn plain_message(&self) -> &str {
        self.message.strip_suffix(OWN_CHECK).unwrap_or(&self.message)
    }

    /// Returns the value and the rule in a message, which says `RULE, not VALUE` unless the rule is about the absence of a value.
    pub fn value_and_rule(message: &str) -> (String, String) {
        let (plain, own) = message.strip_suffix(OWN_CHECK).map_or((message, ""), |plain| (plain, OWN_CHECK));
        let (rule, value) = plain.split_once(", not ").unwrap_or((plain, ""));
        (value.to_owned(), format!("{rule}{own}"))
    }
}
