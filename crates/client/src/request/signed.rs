//! A request that was signed and not sent.

use crate::request::spec::RequestSpec;
use botdesk_schema::method::Method;
use botdesk_schema::mode::Mode;
use botdesk_system::shell::shell_word;

/// A request that was signed and not sent.
pub struct Signed {
    /// The request.
    pub spec: RequestSpec,
    /// The URL with the query string, as it would be sent.
    pub url: String,
    /// The mode that it asks for.
    pub mode: Option<Mode>,
    /// The signature payload, in ASCII.
    pub payload: String,
    /// The signature: in Base64, or in hexadecimal for a system-generated key.
    pub signature: String,
}

impl Signed {
    /// Returns a curl command that sends the request. The API key is left as a variable of the shell.
    pub fn curl(&self) -> String {
        let mut command = format!(
            "curl --path-as-is --globoff --request {} {} --header \"Apikey: $BOTDESK_API_KEY\" --header {}",
            self.spec.method.as_str(),
            shell_word(&self.url),
            shell_word(&format!("Signature: {}", self.signature)),
        );
        if let Some(mode) = self.mode {
            command.extend([" --header 'Forced-Mode: ", mode.as_str(), "'"]);
        }
        match &self.spec.body {
            Some(body) => {
                command.push_str(" --header 'Content-Type: application/json' --data-binary ");
                command.push_str(&shell_word(body));
            }
            None if self.spec.method != Method::Get => command.push_str(" --header 'Content-Length: 0'"),
            None => {}
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use botdesk_api::samples::operation;
    use botdesk_schema::operation::Operation;

    fn curl(operation: &'static Operation, body: Option<&str>) -> String {
        let spec = RequestSpec { body: body.map(str::to_owned), ..RequestSpec::plain(operation, Some(41)) };
        let url = format!("https://service.example{}", spec.path);
        Signed { spec, url, mode: None, payload: String::new(), signature: "c2ln".to_owned() }.curl()
    }

    #[test]
    fn a_read_has_no_body() {
        assert_eq!(
            curl(operation("dca_bots.get"), None),
            "curl --path-as-is --globoff --request GET 'https://service.example/public/api/ver1/bots/41/show' --header \
             \"Apikey: $BOTDESK_API_KEY\" --header 'Signature: c2ln'"
        );
    }

    #[test]
    fn a_write_without_a_body_has_the_length_0() {
        let command = curl(operation("dca_bots.disable"), None);
        assert!(command.ends_with(" --header 'Signature: c2ln' --header 'Content-Length: 0'"), "{command}");
    }

    #[test]
    fn a_body_is_sent_as_it_was_signed() {
        let command = curl(operation("dca_bots.edit"), Some(r#"{"name":"it's"}"#));
        let end = r#" --header 'Content-Type: application/json' --data-binary '{"name":"it'\''s"}'"#;
        assert!(command.ends_with(end), "{command}");
    }
}
