//! Compares signatures with those of the `openssl` command and of the `rsa` crate, which share no code with the library that signs.

// Clippy takes only the test functions themselves for tests.
#![allow(clippy::expect_used)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread::scope;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use botdesk_client::credentials::private_key::PrivateKey;
use proptest::collection::vec;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use rsa::RsaPrivateKey;
use rsa::pkcs1v15::{Signature, SigningKey};
use rsa::pkcs8::DecodePrivateKey as _;
use rsa::sha2::Sha256;
use rsa::signature::{Keypair as _, SignatureEncoding as _, Signer as _, Verifier as _};

/// The number of payloads for a key of 2048 bits. Larger keys take longer, and get fewer.
const PAYLOADS: usize = 200;

/// The number of processes that run at once.
const AT_ONCE: usize = 4;

fn key_file(bits: usize) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/fixtures/keys/rsa_{bits}.pem"))
}

/// Returns ASCII strings like the payloads of requests for a key, the same ones in every run.
fn payloads(bits: usize) -> Vec<String> {
    let texts = vec("[ -~]{0,1500}", PAYLOADS * 2048 / bits);
    texts.new_tree(&mut TestRunner::deterministic()).expect("payloads can be made").current()
}

static SIGNATURES_OF_8192_BITS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| sign_all(8192, &payloads(8192)));

/// Returns the signature of each payload.
fn signatures(bits: usize, payloads: &[String]) -> Vec<Vec<u8>> {
    // Two tests need those of the largest key, which take seconds.
    if bits == 8192 { SIGNATURES_OF_8192_BITS.clone() } else { sign_all(bits, payloads) }
}

fn sign_all(bits: usize, payloads: &[String]) -> Vec<Vec<u8>> {
    let pem = fs::read(key_file(bits)).expect("the test key is there");
    let key = PrivateKey::from_pem(&pem, None).expect("the test key can be read");
    let sign = |payload: &String| key.sign(payload.as_bytes()).expect("the key signs");
    payloads.iter().map(sign).map(|signature| STANDARD.decode(signature).expect("a signature is Base64")).collect()
}

fn signed_by_openssl(bits: usize, payload: &str) -> Vec<u8> {
    let mut openssl = Command::new("openssl")
        .args(["dgst", "-sha256", "-sign"])
        .arg(key_file(bits))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test needs the command `openssl`; install the package openssl");
    let mut input = openssl.stdin.take().expect("the input is a pipe");
    input.write_all(payload.as_bytes()).expect("openssl reads its input");
    drop(input);
    let output = openssl.wait_with_output().expect("openssl ends");
    assert!(output.status.success(), "openssl failed; see its message above");
    output.stdout
}

fn signs_as_openssl_does(bits: usize) {
    let payloads = payloads(bits);
    let signatures = signatures(bits, &payloads);
    let pairs: Vec<_> = payloads.iter().zip(signatures).collect();
    scope(|threads| {
        for pairs in pairs.chunks(pairs.len().div_ceil(AT_ONCE)) {
            threads.spawn(move || {
                for (payload, signature) in pairs {
                    assert!(*signature == signed_by_openssl(bits, payload), "{bits} bits, payload {payload:?}");
                }
            });
        }
    });
}

fn rsa_key(bits: usize) -> SigningKey<Sha256> {
    let pem = fs::read_to_string(key_file(bits)).expect("the test key is there");
    SigningKey::new(RsaPrivateKey::from_pkcs8_pem(&pem).expect("the test key can be read"))
}

fn signs_as_rsa_does(bits: usize) {
    let reference = rsa_key(bits);
    let payloads = payloads(bits);
    for (payload, signature) in payloads.iter().zip(signatures(bits, &payloads)) {
        assert!(signature == reference.sign(payload.as_bytes()).to_vec(), "{bits} bits, payload {payload:?}");
    }
}

#[test]
fn a_key_of_2048_bits_signs_as_openssl_does() {
    signs_as_openssl_does(2048);
}

#[test]
fn a_key_of_3072_bits_signs_as_openssl_does() {
    signs_as_openssl_does(3072);
}

#[test]
fn a_key_of_4096_bits_signs_as_openssl_does() {
    signs_as_openssl_does(4096);
}

#[test]
fn a_key_of_8192_bits_signs_as_openssl_does() {
    signs_as_openssl_does(8192);
}

#[test]
fn a_key_of_2048_bits_signs_as_the_rsa_crate_does() {
    signs_as_rsa_does(2048);
}

#[test]
fn a_key_of_3072_bits_signs_as_the_rsa_crate_does() {
    signs_as_rsa_does(3072);
}

#[test]
fn a_key_of_4096_bits_signs_as_the_rsa_crate_does() {
    signs_as_rsa_does(4096);
}

// To sign with this key, the rsa crate takes a hundred times as long as to verify. It accepts one signature of a payload alone, so
// that the comparison is as strict.
#[test]
fn the_rsa_crate_accepts_every_signature_of_a_key_of_8192_bits() {
    let reference = rsa_key(8192).verifying_key();
    let payloads = payloads(8192);
    for (payload, signature) in payloads.iter().zip(signatures(8192, &payloads)) {
        let signature = Signature::try_from(signature.as_slice()).expect("a signature has the key's length");
        assert!(reference.verify(payload.as_bytes(), &signature).is_ok(), "payload {payload:?}");
    }
}
