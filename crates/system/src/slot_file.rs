//! A small file that several processes change, and that is complete at every moment, even if one of them is killed.
//!
//! The file has two slots. A change is written into the slot with the older contents, so that a process that is killed while it
//! writes leaves the other slot. A checksum shows which slots are complete. The operating system frees the lock when its holder
//! ends. The file is opened for each change, because a forked child shares the open files of its parent, and with them their locks.
//! A fork during a change still copies the open file, so the lock is freed explicitly: closing the file would free it only after the
//! child has closed its copy too.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::files::check_regular;

/// The highest length of the contents, in bytes.
pub const MAX_CONTENTS: usize = SLOT - HEADER;

/// The distance of the two slots in the file, in bytes.
const SLOT: usize = 1 << 16;

/// The length of the header of a slot: magic number, version, sequence number, length and checksum. It is the same in all versions.
const HEADER: usize = 24;

/// The beginning of a slot.
const MAGIC: [u8; 7] = *b"botdesk";

/// The version of the format, which follows the magic number. It is raised with each change of the slots, or of their contents. The
/// size of the slots and the checksum must not change, so that older versions recognise the file.
const VERSION: u8 = 2;

/// The number of bytes of a slot that are read at first. Most contents are shorter.
const FIRST_READ: usize = 2_048;

/// The number of attempts to lock without a pause. It is held for some microseconds.
const TRIES_WITHOUT_PAUSE: u32 = 64;

const PAUSE: Duration = Duration::from_micros(50);

/// The number of times that a file is opened again because another process deleted it meanwhile.
const MAX_OPENINGS: u32 = 8;

/// The number of times that a file is read without a lock until no other process has changed it meanwhile.
const MAX_READS: u32 = 4;

/// The contents of a file with slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// The file does not exist or is empty.
    Empty,
    /// The bytes that were written last.
    Valid(Vec<u8>),
    /// The file is damaged, or was written by another program or an older version.
    Invalid,
    /// The file was written by a newer version.
    Newer,
}

/// The reason why a file was not changed.
#[derive(Debug)]
pub enum UpdateError {
    /// Another process holds the lock.
    Locked,
    /// The operating system reported an error.
    Io(Error),
}

impl From<Error> for UpdateError {
    fn from(error: Error) -> Self {
        Self::Io(error)
    }
}

/// A small file that several processes change.
#[derive(Debug)]
pub struct SlotFile {
    path: PathBuf,
}

/// A slot whose checksum is right.
struct FileSlot {
    version: u8,
    sequence: u64,
    contents: Vec<u8>,
}

impl SlotFile {
    /// Returns the file at a path. Nothing is opened yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the contents without a lock. Contents that change all the time while they are read are reported as invalid.
    pub fn read(&self) -> Result<Contents> {
        let file = match self.open_to_read() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Contents::Empty),
            file => file?,
        };
        for _ in 1..MAX_READS {
            match read_contents(&file)? {
                (Contents::Invalid, _) => std::thread::yield_now(),
                (contents, _) => return Ok(contents),
            }
        }
        read_contents(&file).map(|(contents, _)| contents)
    }

    fn open_to_read(&self) -> Result<File> {
        open(OpenOptions::new().read(true), &self.path)
    }

    /// Changes the contents while no other process does. `change` gets the present contents, and returns the new ones; None to
    /// leave the file as it is. Waits at most for `patience` until the lock is free. A file of a newer version is left as it is, with
    /// an error of the kind `Unsupported`.
    pub fn update(
        &self,
        patience: Duration,
        change: impl FnOnce(&Contents) -> Option<Vec<u8>>,
    ) -> std::result::Result<(), UpdateError> {
        let file = self.locked(patience)?;
        let (contents, sequence) = read_contents(&file)?;
        if contents == Contents::Newer {
            let why = "a newer version of botdesk has written it";
            return Err(Error::new(ErrorKind::Unsupported, why).into());
        }
        // After the highest number, a lower one would not be the newest.
        let next = sequence.checked_add(1);
        let is_replaced = contents == Contents::Invalid || next.is_none();
        if is_replaced {
            check_only_name(&file.metadata()?)?;
        }
        let Some(changed) = change(&contents) else { return Ok(()) };
        if is_replaced {
            file.set_len(0)?;
        }
        Ok(write_slot(&file, next.unwrap_or_default(), &changed)?)
    }

    /// Waits until what was written is on the disk.
    pub fn sync(&self) -> Result<()> {
        self.open_to_read()?.sync_data()
    }

    /// Deletes the file if no process has locked it and `is_unused` returns true for its contents.
    pub fn remove_if(&self, is_unused: impl FnOnce(&Contents) -> bool) -> std::result::Result<(), UpdateError> {
        let file = self.locked(Duration::ZERO)?;
        if is_unused(&read_contents(&file)?.0) {
            std::fs::remove_file(&self.path)?;
        }
        Ok(())
    }

    /// Opens the file, creates it if it does not exist, and locks it until the returned value is dropped.
    fn locked(&self, patience: Duration) -> std::result::Result<LockedFile, UpdateError> {
        for _ in 0..MAX_OPENINGS {
            let file = LockedFile::open(&self.path, patience)?;
            if !is_deleted(&file.metadata()?) {
                return Ok(file);
            }
        }
        Err(UpdateError::Locked)
    }
}

/// A file that is locked until this is dropped.
pub struct LockedFile(File);

impl LockedFile {
    /// Opens a file, creates it if it does not exist, and locks it. Waits at most for `patience` until the lock is free.
    pub fn open(path: &Path, patience: Duration) -> std::result::Result<Self, UpdateError> {
        let mut options = OpenOptions::new();
        let file = open(options.read(true).write(true).create(true).truncate(false), path)?;
        Self::lock(file, patience)
    }

    /// Locks a file. Waits at most for `patience` until the lock is free.
    fn lock(file: File, patience: Duration) -> std::result::Result<Self, UpdateError> {
        let mut tries = 0_u32;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::Error(error)) => return Err(error.into()),
                Err(TryLockError::WouldBlock) if tries < TRIES_WITHOUT_PAUSE => std::thread::yield_now(),
                Err(TryLockError::WouldBlock) if start.elapsed() < patience => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(UpdateError::Locked),
            }
            tries = tries.saturating_add(1);
        }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // A child that another thread forked meanwhile has a copy of the open file, which would keep the lock. If this fails,
        // closing the file frees the lock.
        let _ = self.0.unlock();
    }
}

/// Returns the contents, and the sequence number of their slot.
fn read_contents(file: &File) -> Result<(Contents, u64)> {
    let found = file.metadata()?;
    if found.len() == 0 {
        return Ok((Contents::Empty, 0));
    }
    let [first, second] = [read_slot(file, 0)?, read_slot(file, 1)?];
    let is_too_long = found.len() > 2 * u64::try_from(SLOT).unwrap_or(u64::MAX);
    let slots = || [&first, &second].into_iter().flatten().filter(|_| !is_too_long);
    if slots().any(|slot| slot.version > VERSION) {
        return Ok((Contents::Newer, 0));
    }
    let newest = first.into_iter().chain(second).filter(|slot| slot.version == VERSION && !is_too_long);
    let newest = newest.max_by_key(|slot| slot.sequence);
    Ok(newest.map_or((Contents::Invalid, 0), |slot| (Contents::Valid(slot.contents), slot.sequence)))
}

/// Reads a slot; None if it is incomplete.
fn read_slot(file: &File, index: u64) -> Result<Option<FileSlot>> {
    let mut bytes = vec![0; FIRST_READ];
    let read = read_at(file, &mut bytes, offset(index))?;
    bytes.truncate(read);
    let Some(length) = contents_length(&bytes) else { return Ok(None) };
    if let Some(missing) = (HEADER + length).checked_sub(read).filter(|missing| *missing > 0) {
        let mut rest = vec![0; missing];
        let more = read_at(file, &mut rest, offset(index) + u64::try_from(read).unwrap_or_default())?;
        bytes.extend(rest.into_iter().take(more));
    }
    Ok(complete_slot(&bytes, length))
}

/// Returns the length of the contents that the header of a slot declares.
fn contents_length(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(&MAGIC) {
        return None;
    }
    let length = usize::try_from(u32::from_le_bytes(bytes.get(16..20)?.try_into().ok()?)).ok()?;
    (length <= MAX_CONTENTS).then_some(length)
}

fn complete_slot(bytes: &[u8], length: usize) -> Option<FileSlot> {
    let contents = bytes.get(HEADER..HEADER + length)?;
    let version = *bytes.get(MAGIC.len())?;
    let sequence = u64::from_le_bytes(bytes.get(8..16)?.try_into().ok()?);
    let stored = bytes.get(20..HEADER)?;
    (stored == checksum(bytes.get(..20)?, contents)).then(|| FileSlot {
        version,
        sequence,
        contents: contents.to_vec(),
    })
}

fn checksum(header: &[u8], contents: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(contents);
    hasher.finalize().to_le_bytes()
}

fn write_slot(file: &File, sequence: u64, contents: &[u8]) -> Result<()> {
    let too_long = || Error::new(ErrorKind::FileTooLarge, "the contents do not fit into a slot");
    let length = u32::try_from(contents.len()).ok().filter(|_| contents.len() <= MAX_CONTENTS).ok_or_else(too_long)?;
    let mut bytes = Vec::with_capacity(HEADER + contents.len());
    bytes.extend(MAGIC);
    bytes.push(VERSION);
    bytes.extend(sequence.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    let checksum = checksum(&bytes, contents);
    bytes.extend(checksum);
    bytes.extend(contents);
    write_all_at(file, &bytes, offset(sequence % 2))
}

fn offset(slot: u64) -> u64 {
    slot * u64::try_from(SLOT).unwrap_or_default()
}

/// Opens a regular file that belongs to this user.
fn open(options: &mut OpenOptions, path: &Path) -> Result<File> {
    let file = open_itself(options, path)?;
    let found = file.metadata()?;
    check_regular(&found)?;
    check_owner(&found)?;
    Ok(file)
}

/// Opens a file, but no link to it.
#[cfg(unix)]
fn open_itself(options: &mut OpenOptions, path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    // Another user could have put a link to one of the user's files there, or a pipe, which would wait.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.mode(0o600).custom_flags(i32::try_from(flags.bits()).unwrap_or_default()).open(path)
}

#[cfg(not(unix))]
fn open_itself(options: &mut OpenOptions, path: &Path) -> Result<File> {
    options.open(path)
}

/// Returns an error for a file of another user, who could change it.
#[cfg(unix)]
fn check_owner(found: &Metadata) -> Result<()> {
    let user = rustix::process::geteuid().as_raw();
    if is_trusted(std::os::unix::fs::MetadataExt::uid(found), user) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::PermissionDenied, "it belongs to another user"))
}

/// On Windows, other users have no access to a user's folders.
#[cfg(not(unix))]
fn check_owner(_: &Metadata) -> Result<()> {
    Ok(())
}

/// Returns true if a user can use a file of this owner. Root is trusted with every file, and in a container uses those of other users.
#[cfg(unix)]
fn is_trusted(owner: u32, user: u32) -> bool {
    const ROOT: u32 = 0;
    owner == user || owner == ROOT || user == ROOT
}

/// Returns an error if the file has another name, and so may be a file that something else needs.
fn check_only_name(found: &Metadata) -> Result<()> {
    if names(found) <= 1 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidInput, "it is damaged or not a file of botdesk, and has another hard link"))
}

fn is_deleted(found: &Metadata) -> bool {
    names(found) == 0
}

/// Returns the number of names of a file.
#[cfg(unix)]
fn names(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

/// On Windows, the standard library does not know the number. A file that is open can't be replaced under the same name, so it has one.
#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, bytes, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, bytes, offset);
}

fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, offset);
    #[cfg(windows)]
    return match std::os::windows::fs::FileExt::seek_write(file, bytes, offset)? {
        written if written == bytes.len() => Ok(()),
        _ => Err(ErrorKind::WriteZero.into()),
    };
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    fn file() -> (tempfile::TempDir, SlotFile) {
        let folder = tempfile::tempdir().unwrap();
        let file = SlotFile::new(folder.path().join("count"));
        (folder, file)
    }

    fn write(file: &SlotFile, contents: &[u8]) {
        file.update(PATIENCE, |_| Some(contents.to_vec())).unwrap();
    }

    fn valid(contents: &[u8]) -> Contents {
        Contents::Valid(contents.to_vec())
    }

    #[test]
    fn the_contents_are_those_that_were_written_last() {
        let (_folder, file) = file();
        assert_eq!(file.read().unwrap(), Contents::Empty);
        for contents in [b"one".to_vec(), Vec::new(), vec![7; MAX_CONTENTS], b"three".to_vec()] {
            write(&file, &contents);
            assert_eq!(file.read().unwrap(), valid(&contents));
        }
        file.update(PATIENCE, |_| None).unwrap();
        assert_eq!(file.read().unwrap(), valid(b"three"));
    }

    #[test]
    fn contents_that_are_too_long_are_not_written() {
        let (_folder, file) = file();
        write(&file, b"one");
        let error = file.update(PATIENCE, |_| Some(vec![0; MAX_CONTENTS + 1])).unwrap_err();
        assert!(matches!(error, UpdateError::Io(error) if error.kind() == ErrorKind::FileTooLarge));
        assert_eq!(file.read().unwrap(), valid(b"one"));
    }

    #[test]
    fn a_write_that_stops_anywhere_leaves_the_contents_before_it() {
        let (_folder, file) = file();
        let [before, after] = [vec![1; 200], vec![2; 200]];
        write(&file, &before);
        let old = fs::read(file.path()).unwrap();
        write(&file, &after);
        let new = fs::read(file.path()).unwrap();
        for written in 0..HEADER + after.len() {
            // The second write went into the first slot.
            let torn = [new.get(..written).unwrap(), old.get(written..).unwrap()].concat();
            fs::write(file.path(), torn).unwrap();
            assert_eq!(file.read().unwrap(), valid(&before), "{written} bytes");
        }
    }

    #[test]
    fn a_write_after_a_torn_one_keeps_the_contents_before_it() {
        let (_folder, file) = file();
        write(&file, b"one");
        write(&file, b"two");
        let mut bytes = fs::read(file.path()).unwrap();
        bytes[HEADER] ^= 1;
        fs::write(file.path(), bytes).unwrap();
        assert_eq!(file.read().unwrap(), valid(b"one"));
        write(&file, b"three");
        assert_eq!(file.read().unwrap(), valid(b"three"));
    }

    #[test]
    fn a_damaged_or_foreign_file_is_invalid_and_is_replaced() {
        let (_folder, file) = file();
        let torn = [MAGIC.as_slice(), &[VERSION + 1]].concat();
        for foreign in [b"text".to_vec(), vec![0; 100], MAGIC.to_vec(), vec![255; 3 * SLOT], torn] {
            fs::write(file.path(), &foreign).unwrap();
            assert_eq!(file.read().unwrap(), Contents::Invalid);
            let mut seen = None;
            file.update(PATIENCE, |contents| {
                seen = Some(contents.clone());
                Some(b"new".to_vec())
            })
            .unwrap();
            assert_eq!((seen, file.read().unwrap()), (Some(Contents::Invalid), valid(b"new")));
        }
    }

    /// Writes a file with one slot.
    fn write_one_slot(file: &SlotFile, version: u8, sequence: u64, contents: &[u8]) {
        let mut bytes = [MAGIC.as_slice(), &[version], &sequence.to_le_bytes(), &[0; 4]].concat();
        bytes[16] = u8::try_from(contents.len()).unwrap();
        let checksum = checksum(&bytes, contents);
        fs::write(file.path(), [bytes.as_slice(), &checksum, contents].concat()).unwrap();
    }

    #[test]
    fn a_file_of_a_newer_version_is_kept_and_one_of_an_older_version_is_replaced() {
        let (_folder, file) = file();
        write_one_slot(&file, VERSION + 1, 7, b"one");
        let before = fs::read(file.path()).unwrap();
        assert_eq!(file.read().unwrap(), Contents::Newer);
        let error = file.update(PATIENCE, |_| Some(b"two".to_vec())).unwrap_err();
        assert!(matches!(error, UpdateError::Io(error) if error.kind() == ErrorKind::Unsupported));
        assert_eq!(fs::read(file.path()).unwrap(), before);
        write_one_slot(&file, VERSION - 1, 7, b"one");
        assert_eq!(file.read().unwrap(), Contents::Invalid);
        write(&file, b"two");
        assert_eq!(file.read().unwrap(), valid(b"two"));
    }

    #[test]
    fn a_change_after_the_highest_sequence_number_is_kept() {
        let (_folder, file) = file();
        write_one_slot(&file, VERSION, u64::MAX, b"one");
        assert_eq!(file.read().unwrap(), valid(b"one"));
        for contents in [b"two".as_slice(), b"three"] {
            write(&file, contents);
            assert_eq!(file.read().unwrap(), valid(contents));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_another_user_is_not_used() {
        assert!(is_trusted(1000, 1000) && is_trusted(0, 1000) && is_trusted(1000, 0));
        assert!(!is_trusted(1001, 1000));
        let (_folder, file) = file();
        write(&file, b"one");
        check_owner(&fs::metadata(file.path()).unwrap()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn another_file_is_not_replaced_through_a_second_name() {
        let (folder, file) = file();
        let other = folder.path().join("notes");
        fs::write(&other, "text").unwrap();
        fs::hard_link(&other, file.path()).unwrap();
        assert!(matches!(file.update(PATIENCE, |_| Some(Vec::new())), Err(UpdateError::Io(_))));
        assert_eq!(fs::read(&other).unwrap(), b"text");
        // A backup may have a second name for the file itself.
        fs::remove_file(file.path()).unwrap();
        write(&file, b"one");
        fs::hard_link(file.path(), folder.path().join("backup")).unwrap();
        write(&file, b"two");
        assert_eq!(file.read().unwrap(), valid(b"two"));
    }

    #[test]
    fn a_lock_of_another_process_is_not_waited_for_beyond_the_patience() {
        let (_folder, file) = file();
        write(&file, b"one");
        let other = File::open(file.path()).unwrap();
        other.lock().unwrap();
        let error = file.update(Duration::from_millis(2), |_| Some(Vec::new())).unwrap_err();
        assert!(matches!(error, UpdateError::Locked));
        assert_eq!(file.read().unwrap(), valid(b"one"));
        other.unlock().unwrap();
        write(&file, b"two");
    }

    #[test]
    fn a_copy_of_the_open_file_in_a_forked_child_does_not_keep_the_lock() {
        let (_folder, file) = file();
        write(&file, b"one");
        let held = file.locked(Duration::ZERO).unwrap();
        // A clone shares the open file description, as the copy of a forked child does.
        let inherited = held.try_clone().unwrap();
        drop(held);
        file.update(Duration::ZERO, |_| Some(b"two".to_vec())).unwrap();
        file.remove_if(|contents| *contents == valid(b"two")).unwrap();
        assert!(!file.path().exists());
        drop(inherited);
    }

    #[test]
    fn no_change_of_another_thread_is_lost() {
        let (_folder, file) = file();
        let count = |contents: &Contents| match contents {
            Contents::Valid(bytes) => u64::from_le_bytes(bytes.as_slice().try_into().unwrap()),
            _ => 0,
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let add = |found: &Contents| Some((count(found) + 1).to_le_bytes().to_vec());
                        file.update(PATIENCE, add).unwrap();
                    }
                });
            }
        });
        assert_eq!(count(&file.read().unwrap()), 400);
    }

    #[test]
    fn a_file_is_deleted_only_if_it_is_unused() {
        let (_folder, file) = file();
        write(&file, b"one");
        file.remove_if(|contents| *contents != valid(b"one")).unwrap();
        assert!(file.path().exists());
        file.remove_if(|contents| *contents == valid(b"one")).unwrap();
        assert!(!file.path().exists());
        write(&file, b"two");
        assert_eq!(file.read().unwrap(), valid(b"two"));
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_can_read_the_file_and_no_link_is_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let (folder, file) = file();
        write(&file, b"one");
        assert_eq!(fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
        let link = SlotFile::new(folder.path().join("link"));
        symlink(file.path(), link.path()).unwrap();
        assert!(matches!(link.update(PATIENCE, |_| Some(Vec::new())), Err(UpdateError::Io(_))));
        assert!(link.sync().is_err());
        file.sync().unwrap();
        assert!(
            matches!(SlotFile::new(folder.path().to_owned()).read(), Err(error) if error.kind() != ErrorKind::NotFound)
        );
    }
}
