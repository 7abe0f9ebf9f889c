//! The notes below the table of a sweep.

use super::plan::SharedPlan;
use botdesk_planning::backtest_settings::NotSimulated;

/// More warnings about combinations would hide the table.
const MOST_WARNINGS: usize = 3;

/// Returns the notes about a sweep in which this many combinations ran, were refused, and are missing.
pub(super) fn notes(
    plan: &SharedPlan,
    [done, refused, missing]: [usize; 3],
    not_simulated: &[&NotSimulated],
    warnings: &[&String],
) -> Vec<String> {
    let stretches = plan.0.stretches().len();
    // The best 0 of a sweep are none, though combinations ran.
    let nothing = (refused + missing == plan.0.combinations().count()).then(|| "no combination was run".to_owned());
    let refused = counted(refused, "combination breaks rules; see refused", "combinations break rules; see refused");
    let missing = counted(missing, "combination was not run; see missing", "combinations were not run; see missing");
    let missing = missing.map(|note| format!("interrupted: {note}"));
    let folds = (stretches > 0 && done > 0)
        .then(|| format!("{stretches} folds: folds has the best of each, and what it did on the next"));
    let notes = refused.into_iter().chain(missing).chain(nothing).chain(folds);
    let not_simulated =
        not_simulated.iter().map(|setting| format!("not simulated: {}: {}", setting.field, setting.reason));
    let more = counted(
        warnings.len().saturating_sub(MOST_WARNINGS),
        "more warning; see warnings",
        "more warnings; see warnings",
    );
    let warnings = warnings.iter().take(MOST_WARNINGS).map(|warning| (*warning).clone());
    notes.chain(not_simulated).chain(plan.0.warnings().iter().cloned()).chain(warnings).chain(more).collect()
}

fn counted(count: usize, one: &str, many: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
}
