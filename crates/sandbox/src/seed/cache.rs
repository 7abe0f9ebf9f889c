//! The records of the last initial state: generating them takes most of the start of a sandbox, and a test suite starts thousands of
//! sandboxes with the same ones.

use std::sync::{Arc, Mutex};

use super::records::SeedRecords;
use crate::seed_options::SeedOptions;

/// The largest number of bots whose records are kept in memory.
pub(super) const MAX_CACHED_BOTS: usize = 100;

static LAST: LastRecords = LastRecords(Mutex::new(None));

/// Returns a copy of the last records if they are those of these options, and generates them otherwise.
pub(crate) fn records(options: SeedOptions, generate: impl FnOnce(&SeedOptions) -> SeedRecords) -> SeedRecords {
    LAST.get(options, generate)
}

/// The records that were generated last.
struct LastRecords(Mutex<Option<Arc<(SeedOptions, SeedRecords)>>>);

impl LastRecords {
    fn get(&self, options: SeedOptions, generate: impl FnOnce(&SeedOptions) -> SeedRecords) -> SeedRecords {
        if let Some(last) = self.known(&options) {
            return last.1.clone();
        }
        let records = generate(&options);
        if options.bots <= MAX_CACHED_BOTS
            && let Ok(mut last) = self.0.try_lock()
        {
            *last = Some(Arc::new((options, records.clone())));
        }
        records
    }

    /// Returns the last records if they are those of these options. It does not wait for the lock, which nothing releases in a process
    /// that was forked while another thread held it.
    fn known(&self, options: &SeedOptions) -> Option<Arc<(SeedOptions, SeedRecords)>> {
        let last = self.0.try_lock().ok()?;
        last.as_ref().filter(|last| last.0 == *options).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defaults::object;
    use crate::initial_state::generate;
    use crate::seed_options::ValueStyle;
    use botdesk_trading::decimal::Decimal;

    fn options(seed: u64, bots: usize) -> SeedOptions {
        SeedOptions { seed, bots, values: ValueStyle::Plausible, fee: Decimal::ZERO }
    }

    /// Gets records from a new store with these options, one after the other; returns how many of them it generates.
    fn generated(options: &[&SeedOptions]) -> usize {
        let (last, mut count) = (LastRecords(Mutex::new(None)), 0);
        for options in options {
            last.get((*options).clone(), |options| {
                count += 1;
                generate(options)
            });
        }
        count
    }

    #[test]
    fn only_the_last_records_of_the_same_options_are_used_again() {
        let first = options(1, 2);
        assert_eq!(generated(&[&first, &first, &first]), 1);
        let odd = SeedOptions { values: ValueStyle::Odd, ..options(1, 2) };
        let costly = SeedOptions { fee: Decimal::new(1, 3), ..options(1, 2) };
        for other in [options(2, 2), options(1, 3), odd, costly] {
            assert_eq!(generated(&[&first, &other, &first]), 3);
        }
        let large = options(1, MAX_CACHED_BOTS + 1);
        assert_eq!(generated(&[&large, &large]), 2);
    }

    #[test]
    fn a_change_of_a_copy_does_not_change_the_next_one() {
        let last = LastRecords(Mutex::new(None));
        let copy = || last.get(options(1, 1), generate);
        let name = |mut records: SeedRecords| {
            let bot = records.store.dca_bots.values_mut().next().unwrap();
            std::mem::replace(bot, object! { "name": "changed" })["name"].clone()
        };
        assert_eq!([name(copy()), name(copy()), name(copy())], ["Steady ETH long"; 3]);
    }

    #[test]
    fn a_lock_that_nothing_releases_does_not_block() {
        let last = LastRecords(Mutex::new(None));
        let _held = last.0.lock().unwrap();
        assert_eq!(last.get(options(1, 1), generate).store.dca_bots.len(), 1);
    }
}
