//! Who may ask for what: API keys, signatures and permissions.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use aws_lc_rs::signature::{ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pkcs8::{Document, SubjectPublicKeyInfoRef};

use crate::answer::Refusal;
use botdesk_api::endpoint::Permission;
use botdesk_client::credentials::private_key::{BITS, bits};
use botdesk_client::credentials::signature_cache::SignatureCache;

/// How many signatures of a key are remembered. Who asks the same again sends the same signature, and judging it takes not much
/// less time than all else that a request does.
const REMEMBERED: usize = 1_024;

/// Why a public key can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusableKey {
    /// The text is no PEM.
    #[error(
        "the public key is not PEM text; it begins with -----BEGIN PUBLIC KEY----- or -----BEGIN RSA PUBLIC KEY-----"
    )]
    NotPem,
    /// The text is PEM of something else.
    #[error("a PUBLIC KEY or RSA PUBLIC KEY is needed, not {0}")]
    OtherPem(String),
    /// The key is not of RSA, or broken.
    #[error("the public key is not an RSA key that can be read")]
    NotRsa,
    /// The key is too short or too long.
    #[error("an RSA key of {least} to {most} bits is needed, not of {0}", least = BITS.start(), most = BITS.end())]
    Bits(usize),
    /// The system has no randomness to make an API key of.
    #[error("the system gives no random bytes to make an API key of")]
    NoRandomness,
}

/// The keys that are let in.
#[derive(Default)]
pub struct Judge {
    keys: HashMap<String, Arc<Key>>,
}

impl Judge {
    /// Lets a key in and returns the API key that names it.
    pub fn add(&mut self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, UnusableKey> {
        let public = public_key(public_key_pem)?;
        let api_key = format!("{:032x}{:032x}", random()?, random()?);
        let permissions = permissions.iter().copied().collect();
        let right = SignatureCache::new(REMEMBERED);
        self.keys.insert(api_key.clone(), Arc::new(Key { name: api_key.clone(), public, permissions, right }));
        Ok(api_key)
    }

    /// The key that the `Apikey` header names.
    pub fn key(&self, headers: &HeaderMap) -> Result<Arc<Key>, Refusal> {
        let named = headers.get("apikey").and_then(|value| value.to_str().ok());
        named.and_then(|name| self.keys.get(name)).cloned().ok_or_else(Refusal::unknown_key)
    }
}

/// What is known of the holder of an API key.
pub struct Key {
    /// The API key.
    pub name: String,
    public: ParsedPublicKey,
    permissions: BTreeSet<Permission>,
    /// The newest signatures that were found right.
    right: SignatureCache,
}

impl Key {
    /// Checks that the `Signature` header holds a signature over `payload`.
    pub fn check_signature(&self, headers: &HeaderMap, payload: &[u8]) -> Result<(), Refusal> {
        let given = headers.get("signature").ok_or_else(Refusal::bad_signature)?;
        let right = self.right.get_or_sign(payload, || self.checked(given, payload))?;
        // Another text may still be the same signature.
        if right == given { Ok(()) } else { self.checked(given, payload).map(drop) }
    }

    /// A signature over `payload` that was given, if it is one.
    fn checked(&self, given: &HeaderValue, payload: &[u8]) -> Result<HeaderValue, Refusal> {
        let signature = STANDARD.decode(given.as_bytes()).ok();
        signature
            .and_then(|signature| self.public.verify_sig(payload, &signature).ok())
            .map(|()| given.clone())
            .ok_or_else(Refusal::bad_signature)
    }

    /// Checks that the key may do what an endpoint does.
    pub fn check_permission(&self, permission: Permission) -> Result<(), Refusal> {
        if self.permissions.contains(&permission) {
            return Ok(());
        }
        Err(Refusal::lacks(permission.as_str()))
    }
}

fn random() -> Result<u128, UnusableKey> {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| UnusableKey::NoRandomness)?;
    Ok(u128::from_be_bytes(bytes))
}

fn public_key(pem: &str) -> Result<ParsedPublicKey, UnusableKey> {
    let pem = pem.trim_start_matches('\u{feff}').trim();
    let (label, document) = Document::from_pem(pem).map_err(|_| UnusableKey::NotPem)?;
    let der = match label {
        "PUBLIC KEY" => wrapped_key(document.as_bytes()).ok_or(UnusableKey::NotRsa)?,
        "RSA PUBLIC KEY" => document.as_bytes(),
        other => return Err(UnusableKey::OtherPem(other.to_owned())),
    };
    let parts = pkcs1::RsaPublicKeyRef::try_from(der).map_err(|_| UnusableKey::NotRsa)?;
    let bits = bits(parts.modulus);
    if !BITS.contains(&bits) {
        return Err(UnusableKey::Bits(bits));
    }
    ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, der).map_err(|_| UnusableKey::NotRsa)
}

fn wrapped_key(der: &[u8]) -> Option<&[u8]> {
    let wrapped = SubjectPublicKeyInfoRef::try_from(der).ok()?;
    wrapped.algorithm.assert_algorithm_oid(pkcs1::ALGORITHM_OID).ok()?;
    wrapped.subject_public_key.as_bytes()
}
