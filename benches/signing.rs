//! One RSA-2048 signature: botdesk's beside aws-lc-rs called directly.
//!
//! The contenders take turns for the seconds given as its argument. It prints a line for each contender: its name and the
//! nanoseconds of each of its turns, separated by tabs.

use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use botdesk_client::credentials::private_key::PrivateKey;

const PAYLOAD: &[u8] = b"/public/api/ver1/bots?limit=100&offset=0&scope=enable";

/// The default duration, in seconds.
const SECONDS: f64 = 3.0;

const WARM_UP: usize = 3;

/// A function that returns a signature.
type Sign<'a> = Box<dyn Fn() -> Result<Vec<u8>, Box<dyn Error>> + 'a>;

fn main() -> Result<(), Box<dyn Error>> {
    let der = key()?;
    let ours = PrivateKey::from_pem(pem(&der).as_bytes(), None)?;
    let direct = RsaKeyPair::from_pkcs8(&der)?;
    let contenders: [(&str, Sign<'_>); 2] = [
        ("botdesk", Box::new(|| Ok(ours.sign(PAYLOAD)?.into_bytes()))),
        ("aws-lc-rs called directly", Box::new(|| with_aws_lc(&direct))),
    ];
    need_agreement(&contenders)?;
    let times = in_turns(&contenders, seconds())?;
    let mut output = std::io::stdout().lock();
    for ((name, _), times) in contenders.iter().zip(times) {
        let times: Vec<String> = times.iter().map(|time| time.as_nanos().to_string()).collect();
        writeln!(output, "{name}\t{}", times.join("\t"))?;
    }
    Ok(())
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

/// Returns an error if the contenders' signatures differ. The signature of botdesk is in Base64.
fn need_agreement(contenders: &[(&str, Sign<'_>)]) -> Result<(), Box<dyn Error>> {
    let signatures = contenders.iter().map(|(_, sign)| sign()).collect::<Result<Vec<_>, _>>()?;
    match signatures.as_slice() {
        [ours, others @ ..] if others.iter().all(|other| STANDARD.encode(other).as_bytes() == ours) => Ok(()),
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
