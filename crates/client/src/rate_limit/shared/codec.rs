//! The bytes of a shared file: words of 64 bits, after the time at which they were written.

use std::time::Duration;

use botdesk_system::clock::{ClockReading, ClockTime};

const WORD: usize = size_of::<u64>();

/// Writes words and times.
pub(super) struct Encoder(Vec<u8>);

impl Encoder {
    /// Starts a file of a kind that is written now.
    pub(super) fn new(kind: u64, reading: ClockReading) -> Self {
        let mut encoder = Self(Vec::with_capacity(1_024));
        encoder.word(kind);
        encoder.word(reading.boot);
        encoder.time(reading.now);
        encoder.time(reading.system);
        encoder
    }

    pub(super) fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    pub(super) fn length(&mut self, length: usize) {
        self.word(u64::try_from(length).unwrap_or(u64::MAX));
    }

    pub(super) fn time(&mut self, time: ClockTime) {
        self.0.extend(time.0.to_le_bytes());
    }

    /// Writes a time; without one, the earliest time of all.
    pub(super) fn optional_time(&mut self, time: Option<ClockTime>) {
        self.time(time.unwrap_or(ClockTime(i64::MIN)));
    }

    pub(super) fn duration(&mut self, duration: Duration) {
        self.word(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads words and times. All methods return None at the end of the bytes.
pub(super) struct SlotDecoder<'a> {
    words: std::slice::Chunks<'a, u8>,
    /// The difference to add to the times, which may be of another clock.
    shift: i64,
    is_adjusted: bool,
}

impl<'a> SlotDecoder<'a> {
    /// Starts to read a file of a kind.
    pub(super) fn new(kind: u64, bytes: &'a [u8], reading: ClockReading) -> Option<Self> {
        let mut decoder = Self { words: bytes.chunks(WORD), shift: 0, is_adjusted: false };
        if decoder.word()? != kind {
            return None;
        }
        let boot = decoder.word()?;
        let [now, system] = [decoder.time()?, decoder.time()?];
        decoder.shift = shift(ClockReading { boot, now, system }, reading);
        decoder.is_adjusted = decoder.shift != 0;
        Some(decoder)
    }

    pub(super) fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.words.next()?.try_into().ok()?))
    }

    /// Reads a length, which is invalid if it is higher than `most`.
    pub(super) fn length(&mut self, most: usize) -> Option<usize> {
        usize::try_from(self.word()?).ok().filter(|length| *length <= most)
    }

    pub(super) fn time(&mut self) -> Option<ClockTime> {
        Some(ClockTime(i64::from_le_bytes(self.words.next()?.try_into().ok()?)).shifted(self.shift))
    }

    /// Reads a time, which is lowered to `latest` if it is later.
    pub(super) fn time_at_most(&mut self, latest: ClockTime) -> Option<ClockTime> {
        let time = self.time()?;
        self.is_adjusted |= time > latest;
        Some(time.min(latest))
    }

    /// Returns true if a time was shifted or lowered. The next reading could adjust it again, relative to a later present, so that
    /// it never comes; the file is written again to prevent that.
    pub(super) fn is_adjusted(&self) -> bool {
        self.is_adjusted
    }

    pub(super) fn duration(&mut self) -> Option<Duration> {
        self.word().map(Duration::from_nanos)
    }
}

/// Returns what to add to times that were written at a reading of the clocks, to compare them with those of another reading.
///
/// Since the same start of the machine, the clock is the same and never goes back. After a restart, and if the system time is
/// all there is and was set back, only the system time shows how much time has passed. If it shows less than none, none has.
fn shift(written: ClockReading, reading: ClockReading) -> i64 {
    if written.boot == reading.boot && written.now <= reading.now {
        return 0;
    }
    let passed = i64::try_from(reading.system.since(written.system).as_nanos()).unwrap_or(i64::MAX);
    reading.now.0.saturating_sub(passed).saturating_sub(written.now.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: u64 = 7;

    fn reading(boot: u64, now: i64, system: i64) -> ClockReading {
        ClockReading { boot, now: ClockTime(now), system: ClockTime(system) }
    }

    /// Returns how long ago a time is at a reading, if it was 30 before the first reading.
    fn age(written: ClockReading, read: ClockReading) -> i64 {
        let mut encoder = Encoder::new(KIND, written);
        encoder.time(written.now.shifted(-30));
        encoder.optional_time(None);
        let bytes = encoder.finish();
        let mut decoder = SlotDecoder::new(KIND, &bytes, read).unwrap();
        let time = decoder.time().unwrap();
        assert!(decoder.time().unwrap() < time);
        assert_eq!(decoder.word(), None);
        read.now.0 - time.0
    }

    #[test]
    fn the_age_of_a_time_grows_with_the_clock_of_the_same_start() {
        assert_eq!(age(reading(1, 100, 5_000), reading(1, 110, 5_010)), 40);
        // The system time was set meanwhile, which does not matter.
        assert_eq!(age(reading(1, 100, 5_000), reading(1, 110, 9_000)), 40);
        assert_eq!(age(reading(1, 100, 5_000), reading(1, 110, 0)), 40);
    }

    #[test]
    fn after_a_restart_the_age_of_a_time_grows_with_the_system_time() {
        assert_eq!(age(reading(1, 100, 5_000), reading(2, 3, 5_010)), 40);
        assert_eq!(age(reading(1, 3, 5_000), reading(2, 100, 5_010)), 40);
        assert_eq!(age(reading(1, 100, 5_000), reading(2, 3, 4_000)), 30);
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_time_older() {
        assert_eq!(age(reading(0, 5_000, 5_000), reading(0, 4_000, 4_000)), 30);
        assert_eq!(age(reading(0, 5_000, 5_000), reading(0, 4_999, 4_999)), 30);
    }

    #[test]
    fn other_bytes_are_not_decoded() {
        let bytes = Encoder::new(KIND, reading(1, 2, 3)).finish();
        assert!(SlotDecoder::new(KIND + 1, &bytes, reading(1, 2, 3)).is_none());
        for length in 0..bytes.len() {
            assert!(SlotDecoder::new(KIND, bytes.get(..length).unwrap(), reading(1, 2, 3)).is_none(), "{length} bytes");
        }
    }
}
