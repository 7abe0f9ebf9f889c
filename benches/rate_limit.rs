//! The cost of counting a request: in this process alone, and in the file that processes share.
//!
//! Run `BOTDESK_STATE_DIR=$(mktemp -d) cargo bench --package botdesk-benches --bench rate_limit`. It prints the median and the
//! 99th percentile of the time that the rate limiter takes before and after a request, in microseconds, by the number of requests
//! that count.

use std::error::Error;
use std::io::Write as _;
use std::time::{Duration, Instant};

use botdesk_client::rate_limit::shared::STATE_FOLDER_VARIABLE;
use botdesk_client::rate_limit::{ClientLimiter, MAX_SHARED_REQUESTS, RateLimit, RateLimitOption, Sharing};

/// The requests that are measured with one key, and the number of keys.
const REQUESTS: u32 = 50;
const KEYS: u32 = 200;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os(STATE_FOLDER_VARIABLE).is_none() {
        return Err(format!("set {STATE_FOLDER_VARIABLE} to a temporary folder").into());
    }
    let mut output = std::io::stdout();
    writeln!(output, "counted\tshared\tmedian us\t99 % us")?;
    for counted in [0, 50, MAX_SHARED_REQUESTS - REQUESTS] {
        for sharing in [Sharing::Process, Sharing::Machine] {
            let mut times = Vec::new();
            for key in 0..KEYS {
                times.extend(measure(&format!("{counted}-{key}-{sharing:?}"), sharing.clone(), counted).await?);
            }
            times.sort();
            let [median, slow] = [50, 99].map(|percent| percentile(&times, percent));
            let (shared, most) = (sharing == Sharing::Machine, counted + REQUESTS);
            writeln!(output, "{counted} to {most}\t{shared}\t{median:.1}\t{slow:.1}")?;
        }
    }
    Ok(())
}

async fn measure(key: &str, sharing: Sharing, counted: u32) -> Result<Vec<Duration>, Box<dyn Error>> {
    let limit = RateLimit { requests: MAX_SHARED_REQUESTS, per: Duration::from_secs(3_600) };
    let option = RateLimitOption { limit, sharing };
    let limiter = ClientLimiter::new(key.as_bytes(), "https://host.example", false, option);
    let mut times = Vec::new();
    for _ in 0..counted + REQUESTS {
        let start = Instant::now();
        let mut permit = limiter.acquire_now().await.map_err(|error| format!("{error:?}"))?;
        permit.mark_responded();
        drop(permit);
        limiter.confirm_no_ban();
        times.push(start.elapsed());
    }
    Ok(times.split_off(usize::try_from(counted)?))
}

/// Returns a percentile of sorted times, in microseconds.
fn percentile(times: &[Duration], percent: usize) -> f64 {
    times.get(times.len() * percent / 100).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
}
