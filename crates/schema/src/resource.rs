//! Resources: the attributes of a client, each with its operations.

use super::field::RecordSpec;
use super::id::{IdSpec, IdType};
use super::operation::Operation;
use super::record::Record;
use super::refusal::RefusalBody;
use super::streamed::Streamed;
use super::watched::Watched;

/// An attribute of the client, such as `client.dca_bots`, and the record that its operations are about.
#[derive(Clone, Copy, Debug)]
pub struct Resource {
    /// The name, which is that of the module and of the attribute.
    pub name: &'static str,
    /// The description, in a sentence.
    pub about: &'static str,
    /// The record that has the operations as methods; None if none has.
    pub record: Option<&'static RecordSpec>,
    /// The noun for one record.
    pub noun: &'static str,
    /// The noun for any record in a summary.
    pub any: &'static str,
    /// The noun for several records in a summary.
    pub several: &'static str,
    /// The identifier of a record in paths.
    pub id: IdSpec,
    /// How its records are watched; None if they are not.
    pub watched: Option<&'static Watched>,
    /// The stream that sends its records when they change; None if the service has none.
    pub streamed: Option<&'static Streamed>,
    /// True if the operations are methods of the client itself.
    pub is_client: bool,
    /// The operation that returns a record in examples.
    pub example_of_record: &'static str,
    /// The body of the response for a record that does not exist; None if it is that of any resource.
    pub unknown_record: Option<RefusalBody>,
    /// The operations, in the order of the API reference.
    pub operations: &'static [Operation],
}

impl Resource {
    /// Returns a resource without records.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            record: None,
            noun: "",
            any: "",
            several: "",
            id: IdSpec { placeholder: "id", name: "id", id_type: IdType::Integer, noun: "", about: "", samples: &[] },
            watched: None,
            streamed: None,
            is_client: false,
            example_of_record: "get",
            unknown_record: None,
            operations: &[],
        }
    }

    /// Returns the resource with records that can be watched.
    #[must_use]
    pub const fn watched(self, watched: &'static Watched) -> Self {
        Self { watched: Some(watched), ..self }
    }

    /// Returns the resource whose records a stream sends when they change.
    #[must_use]
    pub const fn streamed(self, streamed: &'static Streamed) -> Self {
        Self { streamed: Some(streamed), ..self }
    }

    /// Returns the resource whose operations are methods of the client itself.
    #[must_use]
    pub const fn of_client(self) -> Self {
        Self { is_client: true, ..self }
    }

    /// Returns the resource with the record that has the operations as methods.
    #[must_use]
    pub const fn of<R: Record>(self) -> Self {
        Self { record: Some(R::SPEC), ..self }
    }

    /// Returns the resource with the nouns for one record, for any and for several.
    #[must_use]
    pub const fn called(self, noun: &'static str, any: &'static str, several: &'static str) -> Self {
        Self { noun, any, several, id: IdSpec { noun, ..self.id }, ..self }
    }

    /// Returns the resource with the argument for an identifier, and identifiers for examples.
    #[must_use]
    pub const fn id(self, name: &'static str, samples: &'static [&'static str]) -> Self {
        Self { id: IdSpec { name, samples, ..self.id }, ..self }
    }

    /// Returns the resource whose records are identified by their field `uuid`, and identifiers for examples.
    #[must_use]
    pub const fn uuid(self, samples: &'static [&'static str]) -> Self {
        let (placeholder, id_type) = ("uuid", IdType::Uuid);
        Self { id: IdSpec { placeholder, name: placeholder, id_type, samples, ..self.id }, ..self }
    }

    /// Returns the resource with the operation that returns a record in examples.
    #[must_use]
    pub const fn example_of_record(self, verb: &'static str) -> Self {
        Self { example_of_record: verb, ..self }
    }

    /// Returns the resource with the body of the response for a record that does not exist.
    #[must_use]
    pub const fn unknown_record(self, body: RefusalBody) -> Self {
        Self { unknown_record: Some(body), ..self }
    }

    /// Returns the resource with its operations.
    #[must_use]
    pub const fn operations(self, operations: &'static [Operation]) -> Self {
        Self { operations, ..self }
    }

    /// Returns the name of the record that has the operations as methods; empty if none has.
    pub fn record_name(&self) -> &'static str {
        self.record.map_or("", |spec| spec.name)
    }

    /// Returns the identifier of a record for examples; empty if there is none.
    pub fn example_id(&self) -> String {
        self.id.example()
    }

    /// Returns the operation that lists the records page by page; None if there is none.
    pub fn listing(&self) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.is_list())
    }

    /// Returns the operation that reads one record.
    pub fn reading(&self) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.is_reading())
    }

    /// Returns the operation that edits a record.
    pub fn editing(&self) -> Option<&'static Operation> {
        self.operations.iter().find(|operation| operation.is_edit)
    }

    /// Returns the body of an operation's error with a status; None if it is that of any operation.
    pub fn refusal_body(&self, operation: &Operation, status: u16) -> Option<RefusalBody> {
        let mut refusals = operation.refusals.iter().filter(|refusal| refusal.status == status);
        let unknown_record = || operation.unknown_record.or(self.unknown_record).filter(|_| status == 404);
        refusals.find_map(|refusal| refusal.body).or_else(unknown_record)
    }

    /// Returns the identifiers that the path of an operation has, in order.
    pub fn ids(&self, operation: &'static Operation) -> impl Iterator<Item = IdSpec> {
        let known = [self.id].into_iter().chain(operation.more_ids.iter().copied());
        let spec = move |placeholder: &str| known.clone().find(|spec| spec.placeholder == placeholder);
        operation.placeholders().filter_map(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ApiErrorKind;
    use crate::operation::get;
    use crate::refusal::refusal;

    const GONE: RefusalBody = RefusalBody::new("gone", "The thing is gone");
    const BROKEN: RefusalBody = RefusalBody::new("broken", "");
    const THINGS: Resource = Resource::new("things", "The things.").unknown_record(RefusalBody::NOT_FOUND);

    const PLAIN: Operation = get("things.get", "/things/{id}");
    const OWN: Operation =
        PLAIN.unknown_record(GONE).refuses(&[refusal(403, ApiErrorKind::Forbidden, "No.").body(BROKEN)]);
    const REFUSED: Operation = PLAIN.refuses(&[refusal(400, ApiErrorKind::NotFound, "There is no such thing.")]);

    #[test]
    fn an_operation_has_the_error_of_its_resource_unless_its_row_has_another() {
        assert_eq!(THINGS.refusal_body(&PLAIN, 404), Some(RefusalBody::NOT_FOUND));
        assert_eq!(THINGS.refusal_body(&OWN, 404), Some(GONE));
        assert_eq!(THINGS.refusal_body(&OWN, 403), Some(BROKEN));
        assert_eq!(THINGS.refusal_body(&PLAIN, 403), None);
    }

    #[test]
    fn an_unknown_record_has_the_status_of_the_refusal() {
        assert_eq!([&PLAIN, &REFUSED].map(Operation::unknown_record_status), [404, 400]);
    }
}
