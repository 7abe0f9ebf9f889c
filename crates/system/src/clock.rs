//! A clock whose times all processes of this machine understand.

use std::ops::Add;
use std::time::{Duration, SystemTime};

/// A time of a clock, in nanoseconds since an origin that depends on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockTime(pub i64);

impl ClockTime {
    /// Returns the time from an earlier timestamp to this one; zero if that one is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or_default())
    }

    /// Returns the timestamp of the same moment for a clock that is ahead by this many nanoseconds.
    #[must_use]
    pub fn shifted(self, nanoseconds: i64) -> Self {
        Self(self.0.saturating_add(nanoseconds))
    }
}

impl Add<Duration> for ClockTime {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        self.shifted(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX))
    }
}

/// A reading of the clocks of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The start of the machine that `now` counts from; 0 if `now` is the system time.
    pub boot: u64,
    /// The time that no user can set and that is the same for all processes since the same start.
    pub now: ClockTime,
    /// The system time, which users and time servers can set.
    pub system: ClockTime,
}

/// A source of readings. A test has one of its own.
pub trait Clock: Send + Sync {
    /// Reads the clocks.
    fn read(&self) -> ClockReading;
}

/// The clocks of this machine.
pub struct SystemClock {
    boot: u64,
}

impl SystemClock {
    /// Returns the clocks of this machine.
    pub fn new() -> Self {
        Self { boot: boot().unwrap_or_default() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn read(&self) -> ClockReading {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let system = ClockTime(0) + since;
        let now = if self.boot == 0 { None } else { since_boot() };
        match now {
            Some(now) => ClockReading { boot: self.boot, now, system },
            None => ClockReading { boot: 0, now: system, system },
        }
    }
}

/// Returns a number that identifies the start of the kernel and the time namespace of this process. Times of different
/// namespaces can't be compared.
#[cfg(target_os = "linux")]
fn boot() -> Option<u64> {
    let uuid = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let uuid = u128::from_str_radix(&uuid.trim().replace('-', ""), 16).ok()?;
    let folded = u64::try_from((uuid >> 64) ^ (uuid & u128::from(u64::MAX))).ok()?;
    let namespace = crate::process::namespace("time").unwrap_or_default();
    Some((folded ^ namespace.rotate_left(32)).max(1))
}

#[cfg(not(target_os = "linux"))]
fn boot() -> Option<u64> {
    None
}

/// Returns the time since the start, without the time in which the machine was suspended, like `Instant`.
#[cfg(target_os = "linux")]
fn since_boot() -> Option<ClockTime> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).ok()?);
    Some(ClockTime(0) + seconds + Duration::from_nanos(u64::try_from(time.tv_nsec).ok()?))
}

#[cfg(not(target_os = "linux"))]
fn since_boot() -> Option<ClockTime> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_reading_has_the_same_boot_and_a_later_time() {
        let clock = SystemClock::new();
        let [first, second] = [(); 2].map(|()| clock.read());
        assert_eq!(first.boot, second.boot);
        assert!(first.now <= second.now);
        assert_eq!(cfg!(target_os = "linux"), first.boot != 0);
    }

    #[test]
    fn times_do_not_overflow() {
        let last = ClockTime(i64::MAX);
        assert_eq!(last + Duration::MAX, last);
        assert_eq!(ClockTime(i64::MIN).since(last), Duration::ZERO);
        assert_eq!(last.since(ClockTime(i64::MIN)), Duration::from_nanos(i64::MAX.unsigned_abs()));
        assert_eq!(ClockTime(5).shifted(-7), ClockTime(-2));
    }
}
