//! The RSA private key: its formats, and helpful errors for anything else.

use std::io::ErrorKind;
use std::path::Path;

use aws_lc_rs::digest;
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use pkcs1::UintRef;
use pkcs8::{EncryptedPrivateKeyInfoRef, ObjectIdentifier, PrivateKeyInfoRef};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::process::PerProcess;
use botdesk_schema::key_text::shown_path;
use botdesk_system::files::{self, Existing};

/// The reason why a key can't be used. It contains no part of the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeyError(String);

impl KeyError {
    fn expected_rsa(found: &str, then: &str) -> Self {
        Self(format!("expected an RSA private key, not {found}; {then}"))
    }

    pub(crate) fn absent() -> Self {
        Self("there is no key to sign with; create a client with an API key".to_owned())
    }

    pub(crate) fn cannot_sign() -> Self {
        Self(
            "the private key could not sign the request; check that it belongs to the API key, or create a new one"
                .to_owned(),
        )
    }
}

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::Configuration(error.to_string())
    }
}

const PEM_HINT: &str =
    "pass the private key in PEM (BEGIN PRIVATE KEY or BEGIN RSA PRIVATE KEY) that belongs to the API key";

const SECRET_HINT: &str = "the secret of a system-generated key is passed as secret, or in BOTDESK_SECRET";

/// The supported sizes of a modulus, in bits.
pub const BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// Returns the size of a modulus in bits.
pub fn bits(modulus: UintRef<'_>) -> usize {
    let unused = modulus.as_bytes().first().map_or(0, |first| first.leading_zeros() as usize);
    (modulus.as_bytes().len() * 8).saturating_sub(unused)
}

/// An RSA private key.
pub struct PrivateKey {
    /// The key in PKCS#8.
    der: Zeroizing<Vec<u8>>,
    /// The key as aws-lc-rs uses it. It has locks, so a forked child makes its own.
    pair: PerProcess<RsaKeyPair>,
    public_der: Vec<u8>,
    fingerprint: String,
}

impl PrivateKey {
    /// Reads a key in PEM: PKCS#1, PKCS#8, or encrypted PKCS#8 with its password.
    ///
    /// Accepts a byte order mark, any line endings, line endings written as `\n`, and text around the key.
    pub fn from_pem(pem: &[u8], password: Option<&str>) -> Result<Self, KeyError> {
        // Every key in DER begins with these bytes, a tag and a length. They are not valid UTF-8.
        if let [0x30, 0x81..=0x84, ..] = pem {
            return Err(KeyError::expected_rsa(
                "a binary (DER) file",
                "convert it: openssl pkey -inform DER -in key.der -out key.pem",
            ));
        }
        let text =
            std::str::from_utf8(pem).map_err(|_| KeyError::expected_rsa("something that is not text", PEM_HINT))?;
        let block = Block::find(text)?;
        match block.label.as_str() {
            "PRIVATE KEY" | "RSA PRIVATE KEY" => Self::from_unencrypted(&block),
            "ENCRYPTED PRIVATE KEY" => Self::from_encrypted(&block.der()?, password),
            other => Err(not_a_private_rsa_key(other)),
        }
    }

    /// Generates a key of 2048, 3072, 4096 or 8192 bits.
    pub fn generate(bits: i64) -> Result<Self, KeyError> {
        let size =
            size_of(bits).ok_or_else(|| KeyError(format!("a key has 2048, 3072, 4096 or 8192 bits, not {bits}")))?;
        let pair = RsaKeyPair::generate(size).map_err(|_| {
            KeyError("no key could be generated; try again, or create one: openssl genrsa -out key.pem 2048".to_owned())
        })?;
        Self::new(&pair)
    }

    /// Signs a payload: RSASSA-PKCS1-v1_5 with SHA-256, in Base64 on one line.
    pub fn sign(&self, payload: &[u8]) -> Result<String, KeyError> {
        let pair = self.pair.get_or_try_init(|| RsaKeyPair::from_pkcs8(&self.der)).map_err(|_| unreadable())?;
        let mut signature = vec![0; pair.public_modulus_len()];
        pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), payload, &mut signature)
            .map_err(|_| KeyError::cannot_sign())?;
        Ok(STANDARD.encode(signature))
    }

    /// Returns the fingerprint of the key, which is safe to show: the SHA-256 of its public key, as `SHA256:…`.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the public key in PEM, to paste into the service.
    pub fn public_key_pem(&self) -> String {
        pem("PUBLIC KEY", &self.public_der).to_string()
    }

    /// Writes the key to a new file that only its owner can read, in PEM (PKCS#8), unencrypted.
    pub fn save(&self, path: &Path) -> Result<(), KeyError> {
        let message = |error: std::io::Error| {
            let hint = match error.kind() {
                ErrorKind::AlreadyExists => "; an existing key is never overwritten: choose another name",
                ErrorKind::NotFound => "; create the folder first",
                _ => "",
            };
            KeyError(format!("the private key can't be written to {}: {error}{hint}", shown_path(path)))
        };
        files::write(path, pem("PRIVATE KEY", &self.der).as_bytes(), Existing::Keep).map_err(message)
    }

    fn new(pair: &RsaKeyPair) -> Result<Self, KeyError> {
        let der: Pkcs8V1Der<'_> = pair.as_der().map_err(|_| unreadable())?;
        let der = Zeroizing::new(der.as_ref().to_vec());
        let public_der: PublicKeyX509Der<'_> = pair.public_key().as_der().map_err(|_| unreadable())?;
        let public_der = public_der.as_ref().to_vec();
        let fingerprint = format!("SHA256:{}", STANDARD_NO_PAD.encode(digest::digest(&digest::SHA256, &public_der)));
        Ok(Self { der, pair: PerProcess::new(), public_der, fingerprint })
    }

    /// Reads a key in PKCS#8 or PKCS#1, whichever the block contains: people relabel a block to convert it.
    fn from_unencrypted(block: &Block) -> Result<Self, KeyError> {
        if block.body.contains("Proc-Type") {
            return Err(KeyError::expected_rsa(
                "a key in the old encrypted format",
                "convert it: openssl pkcs8 -topk8 -in key.pem -out new.pem, and pass new.pem with its password",
            ));
        }
        let der = block.der()?;
        if PrivateKeyInfoRef::try_from(der.as_slice()).is_ok() {
            Self::from_pkcs8(&der)
        } else {
            Self::from_pkcs1(&der)
        }
    }

    fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        let info = PrivateKeyInfoRef::try_from(der).map_err(|_| unreadable())?;
        if info.algorithm.oid != RSA {
            return Err(KeyError::expected_rsa(algorithm_name(info.algorithm.oid), PEM_HINT));
        }
        check_size(info.private_key.as_bytes())?;
        Self::new(&RsaKeyPair::from_pkcs8(der).map_err(|_| unreadable())?)
    }

    fn from_pkcs1(der: &[u8]) -> Result<Self, KeyError> {
        check_size(der)?;
        Self::new(&RsaKeyPair::from_der(der).map_err(|_| unreadable())?)
    }

    fn from_encrypted(der: &[u8], password: Option<&str>) -> Result<Self, KeyError> {
        let Some(password) = password else {
            return Err(KeyError("the private key is encrypted; pass its password as well".to_owned()));
        };
        let info = EncryptedPrivateKeyInfoRef::try_from(der).map_err(|_| {
            KeyError(
                "the private key is damaged, or encrypted in an unsupported format; convert it: openssl pkey -in \
                 key.pem -aes256 -out new.pem, and pass new.pem"
                    .to_owned(),
            )
        })?;
        let opened = info.decrypt(password).map_err(|_| {
            KeyError(
                "the private key could not be decrypted: the password is wrong, or the key is encrypted with a cipher \
                 other than AES or 3DES"
                    .to_owned(),
            )
        })?;
        Self::from_pkcs8(opened.as_bytes())
    }
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("PrivateKey").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

fn size_of(bits: i64) -> Option<KeySize> {
    match bits {
        2048 => Some(KeySize::Rsa2048),
        3072 => Some(KeySize::Rsa3072),
        4096 => Some(KeySize::Rsa4096),
        8192 => Some(KeySize::Rsa8192),
        _ => None,
    }
}

const PEM_WIDTH: usize = 64;

/// Returns a PEM block.
fn pem(label: &str, der: &[u8]) -> Zeroizing<String> {
    let encoded = Zeroizing::new(STANDARD.encode(der));
    // Allocated at its final length, because a string that grows leaves copies of the key behind.
    let mut pem = Zeroizing::new(String::with_capacity(encoded.len() + encoded.len() / PEM_WIDTH + 4 * PEM_WIDTH));
    pem.extend([BEGIN, label, "-----"]);
    for (position, character) in encoded.chars().enumerate() {
        if position % PEM_WIDTH == 0 {
            pem.push('\n');
        }
        pem.push(character);
    }
    pem.extend(["\n-----END ", label, "-----\n"]);
    pem
}

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");

const OTHER_ALGORITHMS: &[(ObjectIdentifier, &str)] = &[
    (ObjectIdentifier::new_unwrap("1.2.840.10045.2.1"), "an EC key"),
    (ObjectIdentifier::new_unwrap("1.3.101.112"), "an Ed25519 key"),
    (ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10"), "an RSA-PSS key"),
];

fn algorithm_name(oid: ObjectIdentifier) -> &'static str {
    OTHER_ALGORITHMS.iter().find(|(other, _)| *other == oid).map_or("a key of another algorithm", |(_, name)| name)
}

fn not_a_private_rsa_key(label: &str) -> KeyError {
    let what = match label {
        "PUBLIC KEY" | "RSA PUBLIC KEY" => "a public key",
        "CERTIFICATE" => "a certificate",
        "EC PRIVATE KEY" | "EC PARAMETERS" => "an EC key",
        "OPENSSH PRIVATE KEY" => {
            return KeyError::expected_rsa(
                "a key in OpenSSH's format",
                "convert a copy of it: ssh-keygen -p -m PEM -f copy_of_the_key",
            );
        }
        _ => return KeyError::expected_rsa(&format!("a PEM block of another kind ({label})"), PEM_HINT),
    };
    KeyError::expected_rsa(what, PEM_HINT)
}

fn unreadable() -> KeyError {
    KeyError("the private key is damaged: its PEM block does not contain a valid RSA key".to_owned())
}

fn check_size(pkcs1_der: &[u8]) -> Result<(), KeyError> {
    let key = pkcs1::RsaPrivateKeyRef::try_from(pkcs1_der).map_err(|_| unreadable())?;
    let bits = bits(key.modulus);
    if BITS.contains(&bits) {
        return Ok(());
    }
    Err(KeyError(format!(
        "the RSA key has {bits} bits; use one with {} to {} bits: openssl genrsa -out key.pem 4096",
        BITS.start(),
        BITS.end()
    )))
}

/// The beginning of every PEM block.
const BEGIN: &str = "-----BEGIN ";

/// Returns true if a string can be the label of a block. Otherwise it may be a part of the key, so no message repeats it.
fn is_label(text: &str) -> bool {
    const MAX_LENGTH: usize = 40;
    const MAX_WORD_LENGTH: usize = 16;
    let is_word = |word: &str| {
        word.len() <= MAX_WORD_LENGTH && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    text.len() <= MAX_LENGTH && text.split(' ').all(is_word)
}

/// Replaces line endings that were written as `\r` and `\n`. The string is allocated at its final length, because one that grows
/// leaves copies of the key behind.
fn with_real_line_endings(text: &str) -> Zeroizing<String> {
    let mut plain = Zeroizing::new(String::with_capacity(text.len()));
    for (number, line) in text.split("\\n").enumerate() {
        if number > 0 {
            plain.push('\n');
        }
        plain.extend(line.split("\\r"));
    }
    plain
}

/// A PEM block: its label and its body.
struct Block {
    label: String,
    body: Zeroizing<String>,
}

impl Block {
    /// Returns the first private key in a string, or else the first block.
    fn find(text: &str) -> Result<Self, KeyError> {
        let text = with_real_line_endings(text);
        let blocks: Vec<Self> = text.split(BEGIN).skip(1).filter_map(Self::read).collect();
        let private = blocks.iter().position(|block| block.label.ends_with("PRIVATE KEY")).unwrap_or(0);
        let what = if text.contains(BEGIN) {
            "a PEM block that is cut off"
        } else {
            "a string that is neither a PEM block nor the path of a file"
        };
        blocks
            .into_iter()
            .nth(private)
            .ok_or_else(|| KeyError::expected_rsa(what, &format!("{PEM_HINT}; {SECRET_HINT}")))
    }

    /// Parses a block from the string after its `-----BEGIN `.
    fn read(text: &str) -> Option<Self> {
        let (label, rest) = text.split_once("-----")?;
        let (body, _) = rest.split_once("-----END ")?;
        is_label(label).then(|| Self { label: label.to_owned(), body: Zeroizing::new(body.to_owned()) })
    }

    fn der(&self) -> Result<Zeroizing<Vec<u8>>, KeyError> {
        let mut compact = Zeroizing::new(String::with_capacity(self.body.len()));
        compact.extend(self.body.split_ascii_whitespace());
        STANDARD.decode(compact.as_bytes()).map(Zeroizing::new).map_err(|_| unreadable())
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
    use zeroize::ZeroizeOnDrop;

    use super::*;
    use crate::credentials::key_source::KeySource;

    /// Compiles only for types that are overwritten with zeros when they are dropped.
    fn is_zeroed<T: ZeroizeOnDrop>(_: &T) {}

    #[test]
    fn a_label_that_may_be_a_part_of_a_key_is_not_shown() {
        let part = "MIIEVQIBADANBGKQHKIG9W0BA";
        for label in [format!("PRIVATE {part}"), part.to_owned()] {
            let text = format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
            let message = PrivateKey::from_pem(text.as_bytes(), None).unwrap_err().to_string();
            assert!(!message.contains(part), "{message}");
        }
        let certificate = "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n";
        assert!(PrivateKey::from_pem(certificate.as_bytes(), None).unwrap_err().to_string().contains("X509 CRL"));
    }

    fn message(pem: &str) -> String {
        PrivateKey::from_pem(pem.as_bytes(), None).unwrap_err().to_string()
    }

    #[test]
    fn a_key_is_generated_with_the_given_size() {
        for bits in [2048, 3072, 4096, 8192] {
            assert_eq!(size_of(bits).unwrap().len() * 8, usize::try_from(bits).unwrap());
        }
        assert!(PrivateKey::generate(2047).unwrap_err().to_string().contains("not 2047"));
    }

    #[test]
    fn the_error_names_a_pem_block_that_is_not_an_rsa_private_key() {
        for (label, name) in [
            ("PUBLIC KEY", "a public key"),
            ("RSA PUBLIC KEY", "a public key"),
            ("CERTIFICATE", "a certificate"),
            ("EC PRIVATE KEY", "an EC key"),
            ("EC PARAMETERS", "an EC key"),
            ("OPENSSH PRIVATE KEY", "a key in OpenSSH's format"),
            ("PGP MESSAGE", "a PEM block of another kind (PGP MESSAGE)"),
        ] {
            let message = message(&pem(label, b"whatever it holds"));
            assert!(message.starts_with(&format!("expected an RSA private key, not {name}; ")), "{message}");
        }
    }

    #[test]
    fn the_error_names_the_algorithm_of_another_key() {
        let random = SystemRandom::new();
        let curve = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let edwards = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        for (der, name) in [(curve.as_ref(), "an EC key"), (edwards.as_ref(), "an Ed25519 key")] {
            let message = message(&pem("PRIVATE KEY", der));
            assert!(message.starts_with(&format!("expected an RSA private key, not {name}; ")), "{message}");
        }
    }

    #[test]
    fn a_short_key_is_rejected_with_its_size() {
        // The highest byte of its modulus is not used to the full.
        for text in [
            include_str!("../../../../tests/fixtures/keys/pkcs1_1021.pem"),
            include_str!("../../../../tests/fixtures/keys/rsa_1021.pem"),
        ] {
            let message = message(text);
            assert!(message.contains("the RSA key has 1021 bits; use one with 2048 to 8192 bits"), "{message}");
        }
    }

    #[test]
    fn a_key_is_saved_and_never_overwrites_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let (key, other) = (PrivateKey::generate(2048).unwrap(), PrivateKey::generate(2048).unwrap());
        let path = folder.path().join("key.pem");
        key.save(&path).unwrap();
        let error = other.save(&path).unwrap_err().to_string();
        assert!(error.ends_with("; an existing key is never overwritten: choose another name"), "{error}");
        let read = PrivateKey::from_pem(&std::fs::read(&path).unwrap(), None).unwrap();
        assert_eq!(read.fingerprint(), key.fingerprint());
        let nowhere = key.save(&folder.path().join("missing/key.pem")).unwrap_err().to_string();
        assert!(nowhere.ends_with("; create the folder first"), "{nowhere}");
    }

    #[test]
    fn all_copies_of_a_key_are_zeroed_when_they_are_dropped() {
        let key = PrivateKey::generate(2048).unwrap();
        is_zeroed(&key.der);
        let text = pem("PRIVATE KEY", &key.der);
        is_zeroed(&text);
        is_zeroed(&with_real_line_endings(&text));
        let block = Block::find(&text).unwrap();
        is_zeroed(&block.body);
        is_zeroed(&block.der().unwrap());
        let KeySource::Pem(given) = KeySource::of_text(&text, Path::new("")) else { panic!("it is not a path") };
        is_zeroed(&given);
    }

    #[test]
    fn a_key_shows_only_its_fingerprint() {
        let key = PrivateKey::generate(2048).unwrap();
        assert_eq!(format!("{key:?}"), format!("PrivateKey {{ fingerprint: {:?}, .. }}", key.fingerprint()));
    }

    #[test]
    fn strings_with_a_key_are_not_reallocated() {
        let key = PrivateKey::generate(2048).unwrap();
        let text = pem("PRIVATE KEY", &key.der);
        assert!(text.capacity() >= text.len());
        let escaped = text.replace('\n', "\\r\\n");
        let plain = with_real_line_endings(&escaped);
        assert_eq!(*plain, *text);
        assert_eq!(plain.capacity(), escaped.len());
    }
}
