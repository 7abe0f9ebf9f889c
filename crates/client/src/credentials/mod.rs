//! The API key, and the private key or the secret: where they are stored, and how they sign.

pub mod account;
pub mod api_secret;
pub mod choice;
pub(crate) mod digest;
pub mod key_source;
pub mod private_key;
mod profile_text;
pub mod profiles;
pub mod signature_cache;
pub mod signing;
pub mod signing_key;
pub mod stored;
