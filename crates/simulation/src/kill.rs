//! When the script is killed.

use std::time::Duration;

use botdesk_sandbox::Random;

/// The moment at which a life of the script ends, besides those that the script itself chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kill {
    /// After this time, most often between two requests.
    After(Duration),
    /// When this many more attempts have started: the last one may or may not be sent.
    AtStart(u32),
    /// When this many more requests have arrived: the response to the last one is not read.
    AtArrival(u32),
    /// When this many more writes have arrived: the response to the last one is not read.
    AtWrite(u32),
    /// Not at all.
    Never,
}

impl Kill {
    /// Draws a moment.
    pub(crate) fn draw(random: &mut Random) -> Self {
        let count = u32::try_from(random.between(1, 250)).unwrap_or(1);
        match random.between(1, 4) {
            1 => Self::After(Duration::from_secs(60 * u64::from(count))),
            2 => Self::AtStart(count),
            3 => Self::AtArrival(count),
            _ => Self::AtWrite(count / 15 + 1),
        }
    }

    /// Counts the start of an attempt; returns true if the script is killed now.
    pub(crate) fn start(&mut self) -> bool {
        if let Self::AtStart(left) = self { count_down(left) } else { false }
    }

    /// Counts the arrival of a request; returns true if the script is killed now.
    pub(crate) fn arrive(&mut self, is_write: bool) -> bool {
        match self {
            Self::AtArrival(left) => count_down(left),
            Self::AtWrite(left) if is_write => count_down(left),
            _ => false,
        }
    }
}

fn count_down(left: &mut u32) -> bool {
    *left = left.saturating_sub(1);
    *left == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_killed_at_the_last_counted_event() {
        let mut kill = Kill::AtStart(2);
        assert_eq!([kill.start(), kill.arrive(true), kill.start()], [false, false, true]);
        let mut kill = Kill::AtArrival(2);
        assert_eq!([kill.arrive(false), kill.start(), kill.arrive(true)], [false, false, true]);
        let mut kill = Kill::AtWrite(2);
        assert_eq!([kill.arrive(true), kill.arrive(false), kill.arrive(true)], [false, false, true]);
        assert!(!Kill::Never.start() && !Kill::After(Duration::ZERO).arrive(true));
    }
}
