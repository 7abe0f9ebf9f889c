//! The settings of bots: what was reported as done is there, and what was reported as failed is not.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::writes::WriteOutcome;

/// The values that a setting of each bot may have, given the outcomes of the edits and what was read since.
#[derive(Debug, Default)]
pub(crate) struct SettingCheck {
    possible: BTreeMap<u64, BTreeSet<String>>,
}

impl SettingCheck {
    /// Notes that an edit is about to be sent: as long as its outcome is not reported, both values are possible.
    pub(crate) fn start(&mut self, bot: u64, value: &str) {
        self.possible.entry(bot).or_default().insert(value.to_owned());
    }

    /// Notes the outcome of an edit.
    pub(crate) fn end(&mut self, bot: u64, value: &str, outcome: WriteOutcome) {
        let possible = self.possible.entry(bot).or_default();
        match outcome {
            WriteOutcome::Done => *possible = BTreeSet::from([value.to_owned()]),
            WriteOutcome::Failed => _ = possible.remove(value),
            WriteOutcome::Unknown => {}
        }
    }

    /// Fails if a bot has a value that it can't have. From now on, it has that value.
    pub(crate) fn read(&mut self, bot: u64, value: &str) -> Result<(), String> {
        let seen = BTreeSet::from([value.to_owned()]);
        match self.possible.insert(bot, seen) {
            Some(possible) if !possible.contains(value) => Err(format!(
                "bot {bot} has the name {value:?}, but only {possible:?} are possible after the reported outcomes"
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_after(outcome: Option<WriteOutcome>, value: &str) -> Result<(), String> {
        let mut check = SettingCheck::default();
        check.read(41, "old").unwrap();
        check.start(41, "new");
        if let Some(outcome) = outcome {
            check.end(41, "new", outcome);
        }
        check.read(41, value)
    }

    #[test]
    fn the_outcome_says_which_values_are_possible() {
        for (outcome, old, new) in [
            (Some(WriteOutcome::Done), false, true),
            (Some(WriteOutcome::Failed), true, false),
            (Some(WriteOutcome::Unknown), true, true),
            (None, true, true),
        ] {
            assert_eq!(read_after(outcome, "old").is_ok(), old, "{outcome:?}");
            assert_eq!(read_after(outcome, "new").is_ok(), new, "{outcome:?}");
            assert!(read_after(outcome, "other").is_err());
        }
    }

    #[test]
    fn a_value_that_was_read_stays() {
        let mut check = SettingCheck::default();
        check.read(41, "old").unwrap();
        check.start(41, "new");
        assert_eq!(check.read(41, "new"), Ok(()));
        assert!(check.read(41, "old").is_err());
    }
}
