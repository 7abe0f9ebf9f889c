//! The tasks of `scripts/count_instructions`: `counts TASK TIMES` repeats a task and ends.
//!
//! The tasks are signing a payload, decoding a page of bots, building a request whose signature is known, and a backtest.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use botdesk_api::dca_bot::{DcaBot, GET};
use botdesk_api::record::Record as _;
use botdesk_client::credentials::private_key::PrivateKey;
use botdesk_client::http::{HttpClient, Settings};
use botdesk_client::request::base_url::BaseUrl;
use botdesk_client::request::spec::RequestSpec;
use botdesk_planning::backtest_history::PairHistory;
use botdesk_planning::sweep::{Combinations, SweepBot, SweepDefinition, SweepParameter, SweepPlan};
use botdesk_trading::backtest::{Backtest, DealRow, Interrupted, OrderRow, Summary};
use botdesk_trading::candles::{Candles, CandlesBuilder, Number};
use serde_json::json;

const KEY: &[u8] = include_bytes!("../tests/fixtures/keys/rsa_2048.pem");
const BOT: &str = include_str!("../tests/fixtures/dca_bot.json");

/// The number of bots on a page.
const BOTS: usize = 100;

/// The minutes of the candles, a month.
const MINUTES: i64 = 30 * 24 * 60;

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
        "backtest" => backtest(times),
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
    let client = HttpClient::new("an-api-key", key, settings)?;
    for _ in 0..times {
        black_box(client.sign(RequestSpec::plain(&GET, Some(41)))?);
    }
    Ok(())
}

fn backtest(times: usize) -> Result<(), Box<dyn Error>> {
    let backtest = prepared()?;
    for _ in 0..times {
        black_box(run(&backtest).map_err(|_| "the backtest was interrupted")?);
    }
    Ok(())
}

fn run(backtest: &Backtest) -> Result<(Vec<DealRow>, Vec<OrderRow>, Summary), Interrupted> {
    let run = black_box(backtest).run(&|| false)?;
    Ok((run.deals(backtest, &|| false)?, run.orders(backtest, &|| false)?, run.figures(backtest)))
}

/// Returns a backtest of a bot with safety orders over a month of minutes.
fn prepared() -> Result<Backtest, Box<dyn Error>> {
    let text = |name: &str, value: &str| (name.to_owned(), Some(json!(value)));
    let number = |name: &str, value: i64| (name.to_owned(), Some(json!(value)));
    let bot = SweepBot::Inputs(vec![
        text("base_order_volume", "20"),
        text("safety_order_volume", "25"),
        number("max_safety_orders", 6),
        number("active_safety_orders_count", 3),
        text("safety_order_step_percentage", "0.8"),
        text("martingale_volume_coefficient", "1.3"),
    ]);
    let take_profit =
        SweepParameter::new(&bot, "take_profit", vec![Some(json!("1"))]).map_err(|violation| violation.message)?;
    let definition = SweepDefinition {
        bot,
        combinations: Combinations::new(vec![take_profit]).map_err(|violation| violation.message)?,
        market: vec![text("fee", "0.001")],
        has_signals: false,
        folds: None,
    };
    let history = PairHistory { pair: String::new(), candles: candles()?, signals: Vec::new(), signals_outside: 0 };
    let plan = SweepPlan::new(definition, vec![history])?;
    let (setup, candles) = plan.setup(0)?;
    setup.backtest(&candles).ok_or_else(|| "the bot can't start".into())
}

/// Returns candles whose prices wander, and return to their mean. Prices are in cents.
fn candles() -> Result<Candles, Box<dyn Error>> {
    let mut builder = CandlesBuilder::default();
    let (mut seed, mut price) = (1_u64, 4_200_000_i64);
    let mut step = || -> Result<i64, Box<dyn Error>> {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Ok(i64::try_from(seed >> 33)? % 12_001 - 6_000)
    };
    for minute in 0..MINUTES {
        let open = price;
        price += step()? + (4_200_000 - price) / 500;
        let (above, below) = (step()?.abs() / 2, step()?.abs() / 2);
        builder.times.push(1_704_067_200_000 + minute * 60_000);
        for (column, price) in
            builder.prices.iter_mut().zip([open, open.max(price) + above, open.min(price) - below, price])
        {
            column.push(Number { mantissa: price.into(), scale: 2 })?;
        }
    }
    Ok(builder.finish()?)
}
