//! The records of the last initial state: generating them takes most of the start of a sandbox, and a test suite starts thousands of
//! sandboxes with the same ones.

use std::sync::{Arc, Mutex};

use super::{Records, Values};

/// The seed, the number of DCA bots, and the kind of values.
pub(super) type Key = (u64, usize, Values);

/// The largest number of bots whose records are kept in memory.
const MAX_CACHED_BOTS: usize = 100;

static LAST: LastRecords = LastRecords(Mutex::new(None));

/// Returns a copy of the last records if they are those of this key, and generates them otherwise.
pub(super) fn records(key: Key, generate: impl FnOnce(Key) -> Records) -> Records {
    LAST.get(key, generate)
}

/// The records that were generated last.
struct LastRecords(Mutex<Option<Arc<(Key, Records)>>>);

impl LastRecords {
    fn get(&self, key: Key, generate: impl FnOnce(Key) -> Records) -> Records {
        if let Some(last) = self.known(key) {
            return last.1.clone();
        }
        let records = generate(key);
        let (_, bots, _) = key;
        if bots <= MAX_CACHED_BOTS
            && let Ok(mut last) = self.0.try_lock()
        {
            *last = Some(Arc::new((key, records.clone())));
        }
        records
    }

    /// Returns the last records if they are those of this key. It does not wait for the lock, which nothing releases in a process
    /// that was forked while another thread held it.
    fn known(&self, key: Key) -> Option<Arc<(Key, Records)>> {
        let last = self.0.try_lock().ok()?;
        last.as_ref().filter(|last| last.0 == key).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defaults::object;

    /// Gets records from a new store with these keys, one after the other; returns how many of them it generates.
    fn generated(keys: &[Key]) -> usize {
        let (last, mut count) = (LastRecords(Mutex::new(None)), 0);
        for key in keys {
            last.get(*key, |key| {
                count += 1;
                super::super::records(key)
            });
        }
        count
    }

    #[test]
    fn only_the_last_records_of_the_same_key_are_used_again() {
        let key = (1, 2, Values::Plausible);
        assert_eq!(generated(&[key, key, key]), 1);
        for other in [(2, 2, Values::Plausible), (1, 3, Values::Plausible), (1, 2, Values::Odd)] {
            assert_eq!(generated(&[key, other, key]), 3);
        }
        let large = (1, MAX_CACHED_BOTS + 1, Values::Plausible);
        assert_eq!(generated(&[large, large]), 2);
    }

    #[test]
    fn a_change_of_a_copy_does_not_change_the_next_one() {
        let (last, key) = (LastRecords(Mutex::new(None)), (1, 1, Values::Plausible));
        let copy = || last.get(key, super::super::records);
        let name = |mut records: Records| {
            let bot = records.dca_bots.values_mut().next().unwrap();
            std::mem::replace(&mut bot.record, object! { "name": "changed" })["name"].clone()
        };
        assert_eq!([name(copy()), name(copy()), name(copy())], ["Steady ETH long"; 3]);
    }

    #[test]
    fn a_lock_that_nothing_releases_does_not_block() {
        let (last, key) = (LastRecords(Mutex::new(None)), (1, 1, Values::Plausible));
        let _held = last.0.lock().unwrap();
        assert_eq!(last.get(key, super::super::records).dca_bots.len(), 1);
    }
}
