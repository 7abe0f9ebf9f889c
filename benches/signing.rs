//! One signature of a key of each kind, RSA-2048 and HMAC-SHA256: botdesk's beside aws-lc-rs called directly, and beside a lookup
//! of a signature that is cached.
//!
//! The contenders of a kind take turns for the seconds given as its argument. It prints a line for each contender: the kind, its
//! name and the nanoseconds of each of its turns, separated by tabs.

use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use botdesk_client::credentials::api_secret::ApiSecret;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::credentials::signature_cache::SignatureCache;
use reqwest::header::HeaderValue;

const PAYLOAD: &[u8] = b"/public/api/ver1/bots?limit=100&offset=0&scope=enable";

/// The default duration, in seconds.
const SECONDS: f64 = 3.0;

const WARM_UP: usize = 3;

/// A function that returns a signature.
type Sign<'a> = Box<dyn Fn() -> Result<Vec<u8>, Box<dyn Error>> + 'a>;

const DIRECT: &str = "aws-lc-rs called directly";
const LOOKUP: &str = "botdesk, a lookup in the signature cache";

fn main() -> Result<(), Box<dyn Error>> {
    rsa()?;
    hmac_sha256()
}

fn rsa() -> Result<(), Box<dyn Error>> {
    let der = key()?;
    let ours = PrivateKey::from_pem(pem(&der).as_bytes(), None)?;
    let direct = RsaKeyPair::from_pkcs8(&der)?;
    let cached = cached(ours.sign(PAYLOAD)?)?;
    measure(
        "rsa",
        &[
            ("botdesk", Box::new(|| Ok(ours.sign(PAYLOAD)?.into_bytes()))),
            (DIRECT, Box::new(|| Ok(STANDARD.encode(with_aws_lc(&direct)?).into_bytes()))),
            (LOOKUP, Box::new(|| looked_up(&cached))),
        ],
    )
}

fn hmac_sha256() -> Result<(), Box<dyn Error>> {
    // As long as a secret of the service.
    let secret = "0123456789abcdef".repeat(10);
    let ours = ApiSecret::read(&secret, "an-api-key")?.secret;
    let direct = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let cached = cached(ours.sign(PAYLOAD))?;
    measure(
        "hmac",
        &[
            ("botdesk", Box::new(|| Ok(ours.sign(PAYLOAD).into_bytes()))),
            (DIRECT, Box::new(|| Ok(hexadecimal(hmac::sign(&direct, PAYLOAD).as_ref())))),
            (LOOKUP, Box::new(|| looked_up(&cached))),
        ],
    )
}

/// Measures the contenders of a kind of key, and prints their turns.
fn measure(kind: &str, contenders: &[(&str, Sign<'_>)]) -> Result<(), Box<dyn Error>> {
    need_agreement(contenders)?;
    let times = in_turns(contenders, seconds())?;
    let mut output = std::io::stdout().lock();
    for ((name, _), times) in contenders.iter().zip(times) {
        let times: Vec<String> = times.iter().map(|time| time.as_nanos().to_string()).collect();
        writeln!(output, "{kind}\t{name}\t{}", times.join("\t"))?;
    }
    Ok(())
}

/// Returns a cache that knows the signature of the payload.
fn cached(signature: String) -> Result<SignatureCache, Box<dyn Error>> {
    let cache = SignatureCache::new(1);
    cache.get_or_sign(PAYLOAD, || HeaderValue::try_from(signature))?;
    Ok(cache)
}

/// Returns the digits of bytes, from a table.
fn hexadecimal(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |index: u8| DIGITS.get(usize::from(index)).copied().unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

fn looked_up(cache: &SignatureCache) -> Result<Vec<u8>, Box<dyn Error>> {
    let unknown = || Err::<HeaderValue, &str>("the signature is not cached");
    Ok(cache.get_or_sign(PAYLOAD, unknown)?.as_bytes().to_vec())
}

fn key() -> Result<Vec<u8>, Box<dyn Error>> {
    let der: Pkcs8V1Der<'_> = RsaKeyPair::generate(KeySize::Rsa2048)?.as_der()?;
    Ok(der.as_ref().to_vec())
}

fn pem(der: &[u8]) -> String {
    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der))
}

fn with_aws_lc(pair: &RsaKeyPair) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), PAYLOAD, &mut signature)?;
    Ok(signature)
}

/// Returns the duration given as an argument; cargo passes arguments of its own as well.
fn seconds() -> Duration {
    let given = std::env::args().find_map(|argument| argument.parse().ok());
    Duration::from_secs_f64(given.unwrap_or(SECONDS))
}

/// Returns an error if the contenders' signatures differ.
fn need_agreement(contenders: &[(&str, Sign<'_>)]) -> Result<(), Box<dyn Error>> {
    let signatures = contenders.iter().map(|(_, sign)| sign()).collect::<Result<Vec<_>, _>>()?;
    match signatures.as_slice() {
        [ours, others @ ..] if others.iter().all(|other| other == ours) => Ok(()),
        _ => Err("the contenders do not make the same signature".into()),
    }
}

/// Returns the durations of each contender's turns.
fn in_turns(contenders: &[(&str, Sign<'_>)], duration: Duration) -> Result<Vec<Vec<Duration>>, Box<dyn Error>> {
    for (_, sign) in contenders.iter().cycle().take(WARM_UP * contenders.len()) {
        sign()?;
    }
    let mut times = vec![Vec::new(); contenders.len()];
    let start = Instant::now();
    let mut first = 0;
    while start.elapsed() < duration {
        // Each round begins with another contender, so that none always follows the slowest.
        for turn in (first..contenders.len()).chain(0..first) {
            if let (Some((_, sign)), Some(times)) = (contenders.get(turn), times.get_mut(turn)) {
                let start = Instant::now();
                black_box(sign()?);
                times.push(start.elapsed());
            }
        }
        first = (first + 1) % contenders.len();
    }
    Ok(times)
}
