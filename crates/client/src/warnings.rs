//! Warnings that do not concern a single call. The binding passes them to Python at the end of the next call.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::process::PerProcess;
use botdesk_system::lock::locked;

#[derive(Default)]
struct Warnings {
    pending: Vec<String>,
    known: HashSet<String>,
}

static WARNINGS: PerProcess<Mutex<Warnings>> = PerProcess::new();

/// True if warnings are pending. A forked child may find the value of its parent, and then looks in vain once.
static ARE_PENDING: AtomicBool = AtomicBool::new(false);

fn warnings() -> &'static Mutex<Warnings> {
    let Ok(warnings) = WARNINGS.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
    warnings
}

/// Stores a warning.
pub fn warn(message: String) {
    let mut warnings = locked(warnings());
    warnings.known.insert(message.clone());
    warnings.pending.push(message);
    ARE_PENDING.store(true, Ordering::Release);
}

/// Stores a warning, unless this process has had it before.
pub(crate) fn warn_once(message: String) {
    if !locked(warnings()).known.contains(&message) {
        warn(message);
    }
}

/// Returns the warnings that no call has returned yet.
pub fn take_warnings() -> Vec<String> {
    if !ARE_PENDING.swap(false, Ordering::AcqRel) {
        return Vec::new();
    }
    std::mem::take(&mut locked(warnings()).pending)
}

/// Returns the number of warnings of this process with a text, also of those that a call has returned.
#[cfg(test)]
pub(crate) fn warnings_about(text: &str) -> usize {
    locked(warnings()).known.iter().filter(|message| message.contains(text)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_returned_once() {
        warn_once("the folder is read-only".to_owned());
        warn_once("the folder is read-only".to_owned());
        assert!(take_warnings().contains(&"the folder is read-only".to_owned()));
        warn_once("the folder is read-only".to_owned());
        assert_eq!(take_warnings().iter().filter(|message| *message == "the folder is read-only").count(), 0);
    }
}
