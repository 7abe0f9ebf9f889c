//! A request that was signed and not sent, for those who send it another way.

use super::request::Call;
use crate::service::text::shell_word;

/// A request that was signed and not sent.
pub struct Signed {
    /// The request.
    pub call: Call,
    /// The address with the query, as it would be sent.
    pub url: String,
    /// What was signed, in ASCII.
    pub payload: String,
    /// The signature, in Base64.
    pub signature: String,
}

impl Signed {
    /// A command that sends the request. The API key is left as a variable of the shell.
    pub fn curl(&self) -> String {
        let mut command = format!(
            "curl --path-as-is --globoff --request {} {} --header \"Apikey: $BOTDESK_API_KEY\" --header {}",
            self.call.method.as_str(),
            shell_word(&self.url),
            shell_word(&format!("Signature: {}", self.signature)),
        );
        match &self.call.body {
            Some(body) => {
                command.push_str(" --header 'Content-Type: application/json' --data-binary ");
                command.push_str(&shell_word(body));
            }
            None if self.call.method.writes() => command.push_str(" --header 'Content-Length: 0'"),
            None => {}
        }
        command
    }
}
