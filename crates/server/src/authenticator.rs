//! Authentication: API keys, signatures and permissions.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aws_lc_rs::signature::{ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pkcs8::{Document, SubjectPublicKeyInfoRef};

use crate::api_error::ApiError;
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
        let public = parse_public_key(public_key_pem)?;
        let api_key = format!("{:032x}{:032x}", random()?, random()?);
        let permissions = permissions.iter().copied().collect();
        let verified = SignatureCache::new(CACHED_SIGNATURES);
        let key = RegisteredKey { api_key: api_key.clone(), public, permissions, verified };
        self.keys.insert(api_key.clone(), Arc::new(key));
        Ok(api_key)
    }

    /// Returns the registered key of the `Apikey` header.
    pub fn key(&self, headers: &HeaderMap) -> Result<Arc<RegisteredKey>, ApiError> {
        let api_key = headers.get("apikey").and_then(|value| value.to_str().ok());
        api_key.and_then(|api_key| self.keys.get(api_key)).cloned().ok_or_else(ApiError::unknown_key)
    }
}

/// An API key with its public key and its permissions.
pub struct RegisteredKey {
    /// The API key.
    pub api_key: String,
    public: ParsedPublicKey,
    permissions: BTreeSet<Permission>,
    /// The latest verified signatures.
    verified: SignatureCache,
}

impl RegisteredKey {
    /// Checks that the `Signature` header is a valid signature of `payload`.
    pub fn check_signature(&self, headers: &HeaderMap, payload: &[u8]) -> Result<(), ApiError> {
        let given = headers.get("signature").ok_or_else(ApiError::bad_signature)?;
        let verified = self.verified.get_or_sign(payload, || self.verify(given, payload))?;
        // The same signature can have more than one Base64 encoding.
        if verified == given { Ok(()) } else { self.verify(given, payload).map(drop) }
    }

    /// Returns the given header if it is a valid signature of `payload`.
    fn verify(&self, given: &HeaderValue, payload: &[u8]) -> Result<HeaderValue, ApiError> {
        let signature = STANDARD.decode(given.as_bytes()).ok();
        signature
            .and_then(|signature| self.public.verify_sig(payload, &signature).ok())
            .map(|()| given.clone())
            .ok_or_else(ApiError::bad_signature)
    }

    /// Checks that the key has a permission.
    pub fn check_permission(&self, permission: Permission) -> Result<(), ApiError> {
        if permission == Permission::None || self.permissions.contains(&permission) {
            return Ok(());
        }
        Err(ApiError::missing_permission(permission.as_str()))
    }
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
