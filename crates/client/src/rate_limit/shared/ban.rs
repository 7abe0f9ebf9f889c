//! A ban of the IP address, as its shared file has it.

use std::time::Duration;

use botdesk_system::clock::{ClockReading, ClockTime};

use super::codec::{Encoder, SlotDecoder};
use crate::rate_limit::bans;

const KIND: u64 = u64::from_le_bytes(*b"ip ban  ");

/// A ban of the IP address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedBan {
    /// The end of the ban; None without one.
    pub(super) until: Option<ClockTime>,
    /// The assumed duration of the last ban whose duration the service did not say.
    pub(super) guess: Option<Duration>,
}

impl SharedBan {
    /// Returns the ban that lasts longer, with the longer guess.
    #[must_use]
    pub(super) fn merged(self, other: Self) -> Self {
        Self { until: self.until.max(other.until), guess: self.guess.max(other.guess) }
    }

    /// Returns the contents of the file.
    pub(super) fn encode(self, reading: ClockReading) -> Vec<u8> {
        let mut encoder = Encoder::new(KIND, reading);
        encoder.optional_time(self.until);
        encoder.duration(self.guess.unwrap_or_default());
        encoder.finish()
    }

    /// Decodes the contents of the file; None if they are invalid.
    pub(super) fn decode(bytes: &[u8], reading: ClockReading) -> Option<Self> {
        Self::decode_adjusted(bytes, reading).map(|(ban, _)| ban)
    }

    /// Decodes the contents of the file, and returns true with them if a time in them was adjusted and must be written again.
    pub(super) fn decode_adjusted(bytes: &[u8], reading: ClockReading) -> Option<(Self, bool)> {
        let mut decoder = SlotDecoder::new(KIND, bytes, reading)?;
        let until = decoder.time_at_most(reading.now + bans::MAX_BAN)?;
        // The service has forgotten a ban that was over for so long.
        let until = (until + bans::MAX_BAN > reading.now).then_some(until);
        let guess = decoder.duration()?.min(bans::MAX_BAN);
        Some((Self { until, guess: (!guess.is_zero()).then_some(guess) }, decoder.is_adjusted()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn reading(boot: u64, now: i64) -> ClockReading {
        ClockReading { boot, now: ClockTime(now * 1_000_000_000), system: ClockTime(now * 1_000_000_000) }
    }

    #[test]
    fn a_ban_is_decoded_as_it_was_encoded() {
        let until = Some(reading(1, 500).now);
        for ban in [
            SharedBan::default(),
            SharedBan { until, guess: None },
            SharedBan { until, guess: Some(Duration::from_secs(240)) },
        ] {
            assert_eq!(SharedBan::decode(&ban.encode(reading(1, 100)), reading(1, 200)), Some(ban));
        }
    }

    #[test]
    fn a_ban_lasts_at_most_as_long_as_the_longest() {
        let ban = SharedBan { until: Some(ClockTime(i64::MAX)), guess: Some(Duration::MAX) };
        let decoded = SharedBan::decode(&ban.encode(reading(1, 100)), reading(1, 200)).unwrap();
        assert_eq!(decoded, SharedBan { until: Some(reading(1, 200).now + bans::MAX_BAN), guess: Some(bans::MAX_BAN) });
    }
}
