//! The actions of the page. Each calls what the method of the Python class calls.
//!
//! All numbers arrive as strings, exactly as they were typed.

use std::str::FromStr;
use std::sync::Arc;

use bigdecimal::BigDecimal;
use botdesk_schema::decimal;
use botdesk_schema::input::Violation;
use botdesk_trading::candles::{CandlesError, CsvCandles, ExtremeOrder};
use jiff::SignedDuration;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::reply::PageError;
use crate::faults::{Fault, FaultOptions};
use crate::playback::{Playback, PlaybackError, PlaybackStep};
use crate::server::SandboxService;

/// The name of the action that injects a fault. It is the only one that waits for connections.
pub(super) const ADD_FAULT: &str = "add_fault";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceChange {
    pair: String,
    price: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: String,
}

/// Candles of a pair, as the content of a CSV file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CandlesToPlay {
    pair: String,
    candles: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultInputs {
    operation: String,
    kind: String,
    times: Option<String>,
    status: Option<String>,
    retry_after: Option<String>,
    #[serde(default)]
    plan: bool,
    interval: Option<String>,
    seconds: Option<String>,
    location: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoInputs {}

/// Performs an action.
pub(super) fn perform(service: &Arc<SandboxService>, name: &str, body: &[u8]) -> Result<(), PageError> {
    match name {
        "set_price" | "move_price" => {
            let PriceChange { pair, price } = parse(body)?;
            let price = exact("price", &price)?;
            let mut state = service.state();
            if name == "move_price" { state.move_price(&pair, price) } else { state.set_price(&pair, price) }?;
        }
        "play_candles" => play(service, parse(body)?)?,
        "advance" => service.advance(duration(&parse::<Advance>(body)?.seconds)?)?,
        "follow_wall_clock" => {
            parse::<NoInputs>(body)?;
            service.follow_wall_clock();
        }
        "stop_clock" => {
            parse::<NoInputs>(body)?;
            service.stop_clock();
        }
        "clear_faults" => {
            parse::<NoInputs>(body)?;
            service.faults().clear().map_err(|error| PageError::port_lost(&error))?;
        }
        "reset" => {
            parse::<NoInputs>(body)?;
            service.reset().map_err(|error| PageError::port_lost(&error))?;
        }
        _ => return Err(PageError::not_found()),
    }
    Ok(())
}

/// Plays all candles; the clock follows them.
fn play(service: &Arc<SandboxService>, CandlesToPlay { pair, candles }: CandlesToPlay) -> Result<(), PageError> {
    let unreadable = |error: CandlesError| PageError::invalid(format!("candles: {}", error.message));
    // The first line may be the address of the publisher.
    let first_row = candles.lines().find(|line| line.contains([',', ';', '\t'])).unwrap_or_default();
    let separator =
        [b';', b'\t'].into_iter().find(|separator| first_row.as_bytes().contains(separator)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(separator);
    let mut file = CsvCandles::default();
    for row in reader.from_reader(candles.as_bytes()).records() {
        let row = row.map_err(|error| PageError::invalid(format!("candles: {error}")))?;
        let values: Vec<_> = row.iter().collect();
        file.push(&values, row.position().map_or(0, csv::Position::line)).map_err(unreadable)?;
    }
    let (candles, _) = file.finish().map_err(unreadable)?;
    let histories = vec![(pair, candles)];
    let mut playback = Playback::new(Arc::clone(service), histories, ExtremeOrder::default(), None)?;
    while playback.step()? != PlaybackStep::End {}
    Ok(())
}

impl From<PlaybackError> for PageError {
    fn from(error: PlaybackError) -> Self {
        Self::invalid(error.to_string())
    }
}

/// Returns the fault that a body describes.
pub(super) fn fault(body: &[u8]) -> Result<Fault, PageError> {
    let inputs: FaultInputs = parse(body)?;
    let seconds = |name: &str, given: Option<String>| {
        let seconds = given.map(|given| number::<f64>(name, "a number of seconds", &given)).transpose()?;
        seconds.map(|seconds| FaultOptions::duration(name, seconds)).transpose()
    };
    let options = FaultOptions {
        status: inputs.status.map(|given| number("status", "a status, such as 503", &given)).transpose()?,
        retry_after: inputs.retry_after,
        plan: inputs.plan,
        interval: seconds("interval", inputs.interval)?,
        seconds: seconds("seconds", inputs.seconds)?,
        location: inputs.location,
    };
    let times = inputs.times.map(|given| number("times", "a whole number, 1 or more", &given)).transpose()?;
    Ok(Fault::new(&inputs.operation, &inputs.kind, times, options)?)
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, PageError> {
    // Parsed as an object first, because structs could also be read from a list of their values.
    let inputs = serde_json::from_slice::<Map<String, Value>>(body);
    inputs
        .and_then(|inputs| T::deserialize(Value::Object(inputs)))
        .map_err(|error| PageError::invalid(format!("the inputs can't be read: {error}")))
}

fn exact(name: &str, given: &str) -> Result<BigDecimal, Violation> {
    decimal::parse(given.trim())
        .ok_or_else(|| Violation::new(name, format!("must be a number, such as 61000.5, not {given:?}")))
}

fn duration(given: &str) -> Result<SignedDuration, Violation> {
    let expected = "a number of seconds, 0 or more";
    let duration = SignedDuration::try_from_secs_f64(number("seconds", expected, given)?).ok();
    duration.filter(|duration| !duration.is_negative()).ok_or_else(|| invalid("seconds", expected, given))
}

fn number<T: FromStr>(name: &str, expected: &str, given: &str) -> Result<T, Violation> {
    given.trim().parse().map_err(|_| invalid(name, expected, given))
}

fn invalid(name: &str, expected: &str, given: &str) -> Violation {
    Violation::new(name, format!("must be {expected}, not {given:?}"))
}
