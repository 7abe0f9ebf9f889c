//! The duration of a blocking call in Rust alone: without Python, thread switches, retries and limits.
//!
//! Its arguments are the base URL of the server and a file with the private key. It prints the names of its contenders. Then it
//! reads lines with a contender's name and a number of calls, separated by a tab, and prints the nanoseconds that these calls
//! took.

use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

type Failure = Box<dyn Error>;

/// The contenders, in the order in which they are printed.
const CONTENDERS: [&str; 3] =
    ["reqwest, unsigned", "reqwest + aws-lc-rs + serde_json", "reqwest + aws-lc-rs + serde_json, a page"];

struct Floor {
    origin: String,
    pool: reqwest::Client,
    key: RsaKeyPair,
    random: SystemRandom,
    calls: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (Some(origin), Some(key)) = (arguments.next(), arguments.next()) else {
        return Err("usage: floor ADDRESS KEY".into());
    };
    let mut floor = Floor::new(origin, &std::fs::read(key)?)?;
    let mut output = std::io::stdout();
    writeln!(output, "{}", CONTENDERS.join("\t"))?;
    output.flush()?;
    let mut line = String::new();
    while std::io::stdin().lock().read_line(&mut line)? > 0 {
        let (name, calls) = line.trim().split_once('\t').ok_or("a name and a number are needed")?;
        let nanoseconds = floor.time(name, calls.parse()?).await?;
        writeln!(output, "{nanoseconds}")?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

impl Floor {
    fn new(origin: String, der: &[u8]) -> Result<Self, Failure> {
        Ok(Self {
            origin,
            pool: reqwest::Client::builder().no_proxy().build()?,
            key: RsaKeyPair::from_pkcs8(der)?,
            random: SystemRandom::new(),
            calls: 0,
        })
    }

    async fn time(&mut self, name: &str, calls: u64) -> Result<u128, Failure> {
        let begun = Instant::now();
        for _ in 0..calls {
            self.calls += 1;
            let bot = format!("/public/api/ver1/bots/{}/show", self.calls);
            let page = format!("/public/api/ver1/bots?limit=100&offset={}", self.calls);
            match CONTENDERS.iter().position(|contender| *contender == name) {
                Some(0) => drop(self.pool.get(format!("{}{bot}", self.origin)).send().await?.bytes().await?),
                Some(1) => self.signed(&bot).await?,
                Some(2) => self.signed(&page).await?,
                _ => return Err(format!("no contender {name:?}").into()),
            }
        }
        Ok(begun.elapsed().as_nanos())
    }

    async fn signed(&self, target: &str) -> Result<(), Failure> {
        let mut signature = vec![0; self.key.public_modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &self.random, target.as_bytes(), &mut signature)?;
        let request = self.pool.get(format!("{}{target}", self.origin));
        let request = request.header("Apikey", "key").header("Signature", STANDARD.encode(signature));
        let body = request.send().await?.error_for_status()?.bytes().await?;
        let value: Value = serde_json::from_slice(&body)?;
        std::hint::black_box(&value);
        Ok(())
    }
}
