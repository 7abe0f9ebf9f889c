//! The notes below the table of a sweep.

use super::plan::SharedPlan;

/// Returns the notes about a sweep in which this many combinations ran, were refused, and are missing.
pub(super) fn notes(plan: &SharedPlan, [done, refused, missing]: [usize; 3]) -> Vec<String> {
    let stretches = plan.0.stretches().len();
    let refused = counted(refused, "combination breaks rules; see refused", "combinations break rules; see refused");
    let missing = counted(missing, "combination was not run; see missing", "combinations were not run; see missing");
    let missing = missing.map(|note| format!("interrupted: {note}"));
    let nothing = (done == 0).then(|| "no combination was run".to_owned());
    let folds = (stretches > 0 && done > 0)
        .then(|| format!("{stretches} folds: folds has the best of each, and what it did on the next"));
    let notes = refused.into_iter().chain(missing).chain(nothing).chain(folds);
    notes.chain(plan.0.warnings()).collect()
}

fn counted(count: usize, one: &str, many: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
}
