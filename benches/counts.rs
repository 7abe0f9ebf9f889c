//! The tasks of `scripts/count_instructions`: `counts TASK TIMES` repeats a task and ends.
//!
//! The tasks are signing a payload, decoding a page of bots, and building a request whose signature is known.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use botdesk_api::dca_bot::{DcaBot, GET};
use botdesk_api::record::Record as _;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::request::base_url::BaseUrl;
use botdesk_client::request::spec::RequestSpec;

const KEY: &[u8] = include_bytes!("../tests/fixtures/keys/rsa_2048.pem");
const BOT: &str = include_str!("../tests/fixtures/dca_bot.json");

/// The number of bots on a page.
const BOTS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let [task, times] = arguments.as_slice() else {
        // Cargo passes this to every benchmark.
        return Ok(());
    };
    let times = times.parse()?;
    match task.as_str() {
        "signing" => signing(times),
        "decoding" => decoding(times),
        "request" => request(times),
        _ => Err(format!("unknown task {task}").into()),
    }
}

fn signing(times: usize) -> Result<(), Box<dyn Error>> {
    let key = PrivateKey::from_pem(KEY, None)?;
    for _ in 0..times {
        black_box(key.sign(black_box(b"/public/api/ver1/bots?limit=100&offset=0&scope=enable"))?);
    }
    Ok(())
}

fn decoding(times: usize) -> Result<(), Box<dyn Error>> {
    let page = format!("[{}]", vec![BOT.trim(); BOTS].join(","));
    for _ in 0..times {
        let bots = DcaBot::list_from_json(black_box(&page))?;
        for bot in &bots {
            black_box((bot.id()?, bot.is_enabled()?, bot.take_profit()?, bot.created_at()?, bot.name()?));
        }
    }
    Ok(())
}

fn request(times: usize) -> Result<(), Box<dyn Error>> {
    let key = Arc::new(PrivateKey::from_pem(KEY, None)?);
    let settings = Settings::new(BaseUrl::parse("https://service.example", false)?);
    let road = HttpClient::new("an-api-key", key, settings)?;
    for _ in 0..times {
        black_box(road.sign(RequestSpec::plain(&GET, Some(41)))?);
    }
    Ok(())
}
