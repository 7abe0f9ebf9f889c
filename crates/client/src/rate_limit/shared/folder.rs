//! The folder of the shared files, and the names of the files in it.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use botdesk_system::clock::ClockReading;
use botdesk_system::lock::locked;
use botdesk_system::slot_file::{Contents, SlotFile};
use etcetera::BaseStrategy as _;

use super::ban::SharedBan;
use super::state::SharedState;
use crate::process::PerProcess;
use crate::rate_limit::digests;

/// The environment variable with the folder for the state of botdesk.
pub const STATE_FOLDER_VARIABLE: &str = "BOTDESK_STATE_DIR";

const REQUESTS: &str = "requests";
const BANS: &str = "bans";

/// A file is deleted after this time, if nothing in it counts any more.
const UNUSED_AFTER: Duration = Duration::from_secs(86_400);

/// Returns the folder of the shared files; None without a home folder.
pub(super) fn folder() -> Option<PathBuf> {
    let chosen = std::env::var_os(STATE_FOLDER_VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let state = chosen.or_else(|| {
        let strategy = etcetera::choose_base_strategy().ok()?;
        // Windows has no folder for state. Its folder for caches stays on the machine, unlike the one for data.
        Some(strategy.state_dir().unwrap_or_else(|| strategy.cache_dir()).join("botdesk"))
    });
    Some(absolute(state?)?.join("rate-limits"))
}

/// Returns a folder as an absolute path. All relative ones are below the first working folder, so that a change of the working
/// folder does not divide the limit.
fn absolute(folder: PathBuf) -> Option<PathBuf> {
    static WORKING_FOLDER: OnceLock<PathBuf> = OnceLock::new();
    if folder.is_absolute() {
        return Some(folder);
    }
    if WORKING_FOLDER.get().is_none() {
        let _ = WORKING_FOLDER.set(std::env::current_dir().ok()?);
    }
    Some(WORKING_FOLDER.get()?.join(folder))
}

/// Returns the file of the requests with an API key.
pub(super) fn requests_file(folder: &Path, api_key: &[u8], service: &str) -> SlotFile {
    file(folder, &digests::of_key(api_key, service), REQUESTS)
}

/// Returns the file of the bans by a service. A ban concerns the IP address, and so all API keys.
pub(super) fn bans_file(folder: &Path, service: &str) -> SlotFile {
    file(folder, &digests::of_service(service), BANS)
}

fn file(folder: &Path, name: &str, extension: &str) -> SlotFile {
    SlotFile::new(folder.join(format!("{name}.{extension}")))
}

/// Deletes the files that have not been used for a day, once in a process: each of its keys has files in the folder.
pub(super) fn delete_unused_once(folder: &Path, reading: ClockReading) {
    static SEARCHED: PerProcess<Mutex<Vec<PathBuf>>> = PerProcess::new();
    let Ok(searched) = SEARCHED.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
    let mut searched = locked(searched);
    if searched.iter().any(|other| other == folder) {
        return;
    }
    searched.push(folder.to_owned());
    drop(searched);
    delete_unused(folder, reading);
}

/// Deletes the files that have not been used for a day. Errors are ignored: another process will try again.
pub(super) fn delete_unused(folder: &Path, reading: ClockReading) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let modified = entry.metadata().and_then(|found| found.modified()).ok();
        let age = modified.and_then(|modified| SystemTime::now().duration_since(modified).ok());
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_unused: fn(&[u8], ClockReading) -> Option<bool> = match extension {
            Some(REQUESTS) => |bytes, reading| Some(SharedState::decode(bytes, reading)?.is_unused(reading.now)),
            Some(BANS) => |bytes, reading| Some(SharedBan::decode(bytes, reading)?.until <= Some(reading.now)),
            _ => continue,
        };
        if age.is_some_and(|age| age > UNUSED_AFTER) {
            let _ =
                SlotFile::new(path).remove_if(|contents| may_be_deleted(contents, |bytes| is_unused(bytes, reading)));
        }
    }
}

/// Returns true if a file that was not used for a day holds nothing that still counts. A newer version of botdesk decides itself
/// about its files: a ban may last longer than a day.
fn may_be_deleted(contents: &Contents, is_unused: impl Fn(&[u8]) -> Option<bool>) -> bool {
    match contents {
        Contents::Valid(bytes) => is_unused(bytes).unwrap_or(true),
        Contents::Empty | Contents::Invalid => true,
        Contents::Newer => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHILD: &str = "BOTDESK_TEST_OF_A_RELATIVE_FOLDER";

    #[test]
    fn a_file_of_a_newer_version_is_not_deleted() {
        let deleted = |contents| may_be_deleted(&contents, |bytes| Some(bytes == b"over"));
        let valid = |bytes: &[u8]| Contents::Valid(bytes.to_vec());
        assert_eq!([valid(b"over"), valid(b"ban"), Contents::Invalid].map(deleted), [true, false, true]);
        assert!(!deleted(Contents::Newer));
    }

    #[test]
    fn an_absolute_folder_is_kept() {
        let folder = std::env::temp_dir();
        assert_eq!(absolute(folder.clone()), Some(folder));
    }

    /// Changes the working folder, so it runs in a process of its own.
    #[test]
    fn a_relative_folder_stays_the_same_after_a_change_of_the_working_folder() {
        if std::env::var_os(CHILD).is_none() {
            let name = "rate_limit::shared::folder::tests::\
                        a_relative_folder_stays_the_same_after_a_change_of_the_working_folder";
            let mut child = std::process::Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", name]).env(CHILD, "1").env(STATE_FOLDER_VARIABLE, "state");
            let output = child.output().unwrap();
            assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed"));
            return;
        }
        let before = std::env::current_dir().unwrap().join("state").join("rate-limits");
        assert_eq!(folder(), Some(before.clone()));
        let elsewhere = tempfile::tempdir().unwrap();
        std::env::set_current_dir(elsewhere.path()).unwrap();
        assert_eq!(folder(), Some(before));
    }
}
