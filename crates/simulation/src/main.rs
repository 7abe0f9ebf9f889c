//! Runs a simulation: `botdesk-simulation DAYS SEED`.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use botdesk_simulation::{SimulationOptions, run};

fn main() -> io::Result<ExitCode> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some(options) = parse(&arguments) else {
        writeln!(io::stderr(), "usage: botdesk-simulation DAYS SEED (whole numbers; at least 1 day)")?;
        return Ok(ExitCode::from(2));
    };
    let started = Instant::now();
    match run(options) {
        Ok(summary) => {
            writeln!(io::stdout(), "{summary}\nreal time: {:.0} s", started.elapsed().as_secs_f64())?;
            Ok(ExitCode::SUCCESS)
        }
        Err(failure) => {
            writeln!(io::stderr(), "{failure}")?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn parse(arguments: &[String]) -> Option<SimulationOptions> {
    let [days, seed] = arguments else { return None };
    let days: u32 = days.parse().ok().filter(|days| *days > 0)?;
    Some(SimulationOptions { hours: days.checked_mul(24)?, seed: seed.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Option<SimulationOptions> {
        parse(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_arguments_are_days_and_a_seed() {
        assert_eq!(parsed(&["30", "7"]), Some(SimulationOptions { hours: 720, seed: 7 }));
        for arguments in
            [&[][..], &["1"], &["0", "1"], &["-1", "1"], &["1", "x"], &["4294967295", "1"], &["1", "1", "1"]]
        {
            assert_eq!(parsed(arguments), None, "{arguments:?}");
        }
    }
}
