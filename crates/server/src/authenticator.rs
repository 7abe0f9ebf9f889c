//! Authentication: API keys, signatures and permissions.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aws_lc_rs::hmac;
use aws_lc_rs::signature::{ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pkcs8::{Document, SubjectPublicKeyInfoRef};

use crate::api_error::ApiError;
use crate::signed_text::{SignedForm, SignedParts};
use botdesk_client::credentials::private_key::{BITS, bits};
use botdesk_client::credentials::signature_cache::SignatureCache;
use botdesk_schema::permission::Permission;

/// The number of verified signatures to cache for each key. A repeated request has the same signature, and verifying it takes
/// almost as long as handling the rest of the request.
const CACHED_SIGNATURES: usize = 1_024;

/// A reason why a public key can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublicKeyError {
    /// The string is not a PEM block.
    #[error(
        "the public key is not PEM; it must begin with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----"
    )]
    NotPem,
    /// The PEM block holds something else.
    #[error("expected a PEM block of type PUBLIC KEY or RSA PUBLIC KEY, not {0}")]
    OtherPem(String),
    /// The key is not an RSA key, or it is malformed.
    #[error("the public key is not a valid RSA key")]
    NotRsa,
    /// The key is too short or too long.
    #[error("expected an RSA key of {least} to {most} bits, not {0}", least = BITS.start(), most = BITS.end())]
    Bits(usize),
    /// The operating system provides no random bytes.
    #[error("the operating system provides no random bytes for an API key")]
    NoRandomness,
}

/// The registered API keys.
#[derive(Default)]
pub struct Authenticator {
    keys: HashMap<String, Arc<RegisteredKey>>,
}

impl Authenticator {
    /// Registers a public key and returns a new API key for it.
    pub fn register(&mut self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, PublicKeyError> {
        let verifier = Verifier::Rsa {
            public: parse_public_key(public_key_pem)?,
            verified: SignatureCache::new(CACHED_SIGNATURES),
        };
        self.add(verifier, permissions)
    }

    /// Registers a new system-generated key; returns the API key and its secret.
    pub fn register_secret(&mut self, permissions: &[Permission]) -> Result<(String, String), PublicKeyError> {
        // As long as those of the service.
        let secret =
            [random()?, random()?, random()?, random()?, random()?].map(|part| format!("{part:032x}")).concat();
        let api_key =
            self.add(Verifier::Hmac(Box::new(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()))), permissions)?;
        Ok((api_key, secret))
    }

    fn add(&mut self, verifier: Verifier, permissions: &[Permission]) -> Result<String, PublicKeyError> {
        let api_key = format!("{:032x}{:032x}", random()?, random()?);
        let permissions = permissions.iter().copied().collect();
        let key = RegisteredKey { api_key: api_key.clone(), verifier, permissions };
        self.keys.insert(api_key.clone(), Arc::new(key));
        Ok(api_key)
    }

    /// Returns the registered key of the `Apikey` header.
    pub fn key(&self, headers: &HeaderMap) -> Result<Arc<RegisteredKey>, ApiError> {
        let api_key = headers.get("apikey").and_then(|value| value.to_str().ok());
        api_key.and_then(|api_key| self.named(api_key)).ok_or_else(ApiError::unknown_key)
    }

    /// Returns the registered key with this API key.
    pub fn named(&self, api_key: &str) -> Option<Arc<RegisteredKey>> {
        self.keys.get(api_key).cloned()
    }
}

/// An API key with what verifies its signatures, and its permissions.
pub struct RegisteredKey {
    /// The API key.
    pub api_key: String,
    verifier: Verifier,
    permissions: BTreeSet<Permission>,
}

/// What verifies the signatures of a key.
enum Verifier {
    /// The public key of a self-generated key.
    Rsa {
        public: ParsedPublicKey,
        /// The latest verified signatures.
        verified: SignatureCache,
    },
    /// The secret of a system-generated key.
    Hmac(Box<hmac::Key>),
}

impl RegisteredKey {
    /// Checks that the `Signature` header is a valid signature of a request; returns the form of the text that was signed.
    ///
    /// `strict` accepts the documented form alone. The other forms are those that programs use with success.
    pub fn check_signature(
        &self,
        headers: &HeaderMap,
        parts: &SignedParts<'_>,
        strict: bool,
    ) -> Result<SignedForm, ApiError> {
        let given = headers.get("signature").ok_or_else(ApiError::bad_signature)?;
        let forms = parts.forms(matches!(self.verifier, Verifier::Hmac(_)));
        let mut accepted = forms.iter().copied().take(if strict { 1 } else { forms.len() });
        accepted.find(|form| self.verifies(given, &parts.text(*form))).ok_or_else(ApiError::bad_signature)
    }

    /// Returns the name of the algorithm of its signatures.
    pub fn algorithm(&self) -> &'static str {
        match &self.verifier {
            Verifier::Rsa { .. } => "RSA",
            Verifier::Hmac(_) => "HMAC",
        }
    }

    /// Returns true if a signature is a valid one of a text.
    pub fn has_signed(&self, text: &str, signature: &str) -> bool {
        HeaderValue::from_str(signature).is_ok_and(|signature| self.verifies(&signature, text.as_bytes()))
    }

    fn verifies(&self, given: &HeaderValue, payload: &[u8]) -> bool {
        match &self.verifier {
            Verifier::Rsa { public, verified } => {
                let verify = || verified_by(public, given, payload);
                match verified.get_or_sign(payload, verify) {
                    // The same signature can have more than one Base64 encoding.
                    Ok(known) => known == given || verify().is_ok(),
                    Err(NotVerified) => false,
                }
            }
            Verifier::Hmac(secret) => {
                from_hexadecimal(given.as_bytes()).is_some_and(|tag| hmac::verify(secret, payload, &tag).is_ok())
            }
        }
    }

    /// Returns the permissions of the key.
    pub fn permissions(&self) -> impl Iterator<Item = Permission> {
        self.permissions.iter().copied()
    }

    /// Checks that the key has a permission.
    pub fn check_permission(&self, permission: Permission) -> Result<(), ApiError> {
        if permission == Permission::None || self.permissions.contains(&permission) {
            return Ok(());
        }
        Err(ApiError::missing_permission(permission.as_str()))
    }
}

/// A signature is not that of a payload.
struct NotVerified;

/// Returns the given header if it is a valid RSA signature of `payload`.
fn verified_by(public: &ParsedPublicKey, given: &HeaderValue, payload: &[u8]) -> Result<HeaderValue, NotVerified> {
    let signature = STANDARD.decode(given.as_bytes()).map_err(|_| NotVerified)?;
    public.verify_sig(payload, &signature).map_err(|_| NotVerified)?;
    Ok(given.clone())
}

/// Returns the bytes of a hexadecimal string, in either case.
fn from_hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    text.chunks(2).map(byte).collect()
}

fn random() -> Result<u128, PublicKeyError> {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| PublicKeyError::NoRandomness)?;
    Ok(u128::from_be_bytes(bytes))
}

fn parse_public_key(pem: &str) -> Result<ParsedPublicKey, PublicKeyError> {
    let pem = pem.trim_start_matches('\u{feff}').trim();
    let (label, document) = Document::from_pem(pem).map_err(|_| PublicKeyError::NotPem)?;
    let der = match label {
        "PUBLIC KEY" => rsa_key_in_spki(document.as_bytes()).ok_or(PublicKeyError::NotRsa)?,
        "RSA PUBLIC KEY" => document.as_bytes(),
        other => return Err(PublicKeyError::OtherPem(other.to_owned())),
    };
    let parts = pkcs1::RsaPublicKeyRef::try_from(der).map_err(|_| PublicKeyError::NotRsa)?;
    let bits = bits(parts.modulus);
    if !BITS.contains(&bits) {
        return Err(PublicKeyError::Bits(bits));
    }
    ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, der).map_err(|_| PublicKeyError::NotRsa)
}

/// Returns the PKCS#1 key inside a `SubjectPublicKeyInfo`.
fn rsa_key_in_spki(der: &[u8]) -> Option<&[u8]> {
    let spki = SubjectPublicKeyInfoRef::try_from(der).ok()?;
    spki.algorithm.assert_algorithm_oid(pkcs1::ALGORITHM_OID).ok()?;
    spki.subject_public_key.as_bytes()
}
