//! Identifiers as arguments.

use serde_json::Value;
use uuid::Uuid;

use super::input_type::{excerpt, identifier};
use super::table::Audience;
use super::violation::Violation;
use crate::id::{Id, IdSpec, IdType, SUMMARY};

impl IdSpec {
    /// Returns the identifier that an argument has, or the violation by another value.
    pub fn parse(&self, given: &Value, takes_summary: bool) -> Result<Id, Violation> {
        match (self.id_type, given.as_str()) {
            (_, Some(SUMMARY)) if takes_summary => Ok(Id::Text(SUMMARY.to_owned())),
            (IdType::Integer, _) => identifier(self.name, given).map(Id::Number),
            (IdType::Uuid, text) => {
                let uuid = text.and_then(|text| Uuid::try_parse(text).ok()).map(|uuid| uuid.hyphenated().to_string());
                let given = || excerpt(given, Audience::Python);
                uuid.map(Id::Text).ok_or_else(|| Violation::new(self.name, format!("must be a UUID, not {}", given())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: IdSpec = IdSpec {
        placeholder: "id",
        name: "account_id",
        id_type: IdType::Integer,
        noun: "account",
        about: "",
        samples: &[],
    };
    const UUID: IdSpec = IdSpec { id_type: IdType::Uuid, name: "uuid", ..ID };

    fn message(parsed: Result<Id, Violation>) -> String {
        parsed.map_or_else(|violation| format!("{}: {}", violation.field, violation.message), |id| id.to_string())
    }

    #[test]
    fn a_number_is_sent_with_its_digits() {
        assert_eq!(message(ID.parse(&json!(2_376_446_537_u64), false)), "2376446537");
        let refused = message(ID.parse(&json!("41"), false));
        assert_eq!(refused, "account_id: an identifier is a whole number greater than 0, not \"41\"");
    }

    #[test]
    fn the_word_summary_is_an_identifier_only_where_the_api_reference_says_so() {
        assert_eq!(message(ID.parse(&json!("summary"), true)), "summary");
        assert!(ID.parse(&json!("summary"), false).is_err());
    }

    #[test]
    fn a_uuid_is_sent_with_hyphens_and_in_lower_case() {
        for given in ["5ED7C4D2-4D3B-4C2C-8B4A-6E0A3F1F9F00", "5ed7c4d24d3b4c2c8b4a6e0a3f1f9f00"] {
            assert_eq!(message(UUID.parse(&json!(given), false)), "5ed7c4d2-4d3b-4c2c-8b4a-6e0a3f1f9f00");
        }
        for given in [json!("../accounts"), json!(5), Value::Null] {
            assert!(message(UUID.parse(&given, false)).starts_with("uuid: must be a UUID, not "));
        }
    }
}
