//! Operations that belong to no resource.

use botdesk_schema::error::ApiErrorKind::SignatureInvalid;
use botdesk_schema::operation::get;
use botdesk_schema::record;
use botdesk_schema::refusal::refusal;
use botdesk_schema::resource::Resource;
use botdesk_schema::values::Bool;

record! {
    /// The result of the check of an API key and its signature.
    Validation {
        /// True if the service accepts both.
        valid: Bool, in_repr, sample(true);
    }
}

/// The client itself.
pub const RESOURCE: Resource = Resource::new("general", "The operations of the client itself.").of_client().operations(
    &[get("general.validate", "/ver1/validate")
        .section("Validate credentials")
        .says("Check that the service accepts the API key and the signature.", "True if the service accepts both.")
        .returns::<Validation>()
        .field("valid")
        .refuses(&[refusal(401, SignatureInvalid, "The service knows another public key or another secret.")])
        .example(&[], &["{call}"], "True")],
);
