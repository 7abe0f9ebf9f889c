//! Compares signatures with those of the `openssl` command, which shares no code with the library that signs.

// Clippy takes only the test functions themselves for tests.
#![allow(clippy::expect_used)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::scope;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use botdesk_client::credentials::private_key::PrivateKey;
use proptest::collection::vec;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;

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

/// Returns the signature of each payload.
fn signatures(bits: usize, payloads: &[String]) -> Vec<Vec<u8>> {
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
