//! Files that hold secrets: written completely or not at all, readable only by their owner. Only regular files are replaced.

use std::fs::{File, FileType, Metadata};
use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::path::{Path, PathBuf};

use tempfile::Builder;
use zeroize::Zeroizing;

use crate::shell::shell_word;

/// The treatment of a file that already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// The file stays as it is, and nothing is written.
    Keep,
    /// The file is replaced.
    Replace,
}

/// Writes a file next to its destination and moves it there once it is complete.
///
/// A symbolic link stays, and its target is replaced. Returns an error if the path is anything else than a regular file.
pub fn write(path: &Path, contents: &[u8], existing: Existing) -> Result<()> {
    let place = destination(path, existing)?;
    let unnamed = |error: Error| Error::from(error.kind());
    // The temporary file is readable only by its owner, and it is removed if a step fails.
    let mut beside = Builder::new().prefix(".botdesk-").tempfile_in(folder(&place)).map_err(unnamed)?;
    beside.write_all(contents)?;
    beside.as_file().sync_all()?;
    let kept = match existing {
        Existing::Keep => beside.persist_noclobber(&place),
        Existing::Replace => {
            // Another program may have created something else there meanwhile.
            check_replaceable(&place)?;
            beside.persist(&place)
        }
    };
    kept.map(drop).map_err(|error| error.error)
}

/// Returns the path that a file at `path` is written to, or the error that prevents it.
pub fn destination(path: &Path, existing: Existing) -> Result<PathBuf> {
    let place = match existing {
        Existing::Keep => check_vacant(path)?,
        Existing::Replace => resolve_links(path)?,
    };
    // Report the most frequent error with the user's path, instead of the path of the temporary file.
    std::fs::metadata(folder(&place))?;
    Ok(place)
}

fn check_vacant(path: &Path) -> Result<PathBuf> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() || found.is_symlink() => Err(ErrorKind::AlreadyExists.into()),
        _ => check_replaceable(path).map(|()| path.to_owned()),
    }
}

/// Follows the symbolic links at `path` to a regular file, or to a path without a file.
fn resolve_links(path: &Path) -> Result<PathBuf> {
    // The system rejects loops, and links that another user created in a shared directory.
    if let Err(error) = path.metadata()
        && error.kind() != ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&place) {
            Ok(target) => place = folder(&place).join(target),
            Err(_) => break,
        }
    }
    check_replaceable(&place)?;
    Ok(place)
}

/// The number of symbolic links that Linux follows.
const MAX_LINKS: usize = 40;

/// Returns an error unless the path is a regular file, which can be replaced.
fn check_replaceable(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => Ok(()),
        Ok(found) if found.is_dir() => Err(not_a_file(ErrorKind::IsADirectory, "a directory")),
        Ok(found) => Err(not_a_file(ErrorKind::InvalidInput, special(found.file_type()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn not_a_file(kind: ErrorKind, what: &str) -> Error {
    Error::new(kind, format!("it is {what}, and only a regular file can be replaced; choose another path"))
}

#[cfg(unix)]
fn special(file: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;

    let kinds =
        [(file.is_symlink(), "a symbolic link"), (file.is_fifo(), "a named pipe"), (file.is_socket(), "a socket")];
    kinds.iter().find(|(is_it, _)| *is_it).map_or("a device", |(_, name)| name)
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "a link or a device"
}

/// A file that should be readable only by its owner.
pub struct PrivateFile {
    /// The contents.
    pub contents: Zeroizing<Vec<u8>>,
    /// True if other users of this machine have access to it.
    pub is_shared: bool,
}

/// Reads a regular file that should be readable only by its owner.
pub fn read_private(path: &Path) -> Result<PrivateFile> {
    read_secret(open_regular(path)?)
}

/// Reads a file that should be readable only by its owner, or a pipe, which may wait for its writer.
pub fn read_private_or_pipe(path: &Path) -> Result<PrivateFile> {
    if path.metadata()?.is_dir() {
        return Err(not_readable(ErrorKind::IsADirectory, "a directory, not a file"));
    }
    read_secret(File::open(path)?)
}

fn read_secret(file: File) -> Result<PrivateFile> {
    let found = file.metadata()?;
    // Reserve all memory at once: a vector that grows leaves copies of the secret in freed memory.
    let length = if found.is_file() { found.len().min(MAX_PRIVATE_LENGTH) } else { MAX_PRIVATE_LENGTH };
    let mut contents = Zeroizing::new(Vec::with_capacity(usize::try_from(length).unwrap_or_default()));
    read_bounded(file, MAX_PRIVATE_LENGTH, &mut contents)?;
    Ok(PrivateFile { contents, is_shared: found.is_file() && is_shared(&found) })
}

/// The size limit of a file with secrets, in bytes.
const MAX_PRIVATE_LENGTH: u64 = 1 << 20;

/// The size limit of a file with recorded or saved data, in bytes.
pub const MAX_DATA_LENGTH: u64 = 256 << 20;

/// Reads a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut contents = Vec::new();
    read_bounded(open_regular(path)?, limit, &mut contents)?;
    Ok(contents)
}

/// Reads a regular file in UTF-8 of at most `limit` bytes.
pub fn read_to_string(path: &Path, limit: u64) -> Result<String> {
    String::from_utf8(read(path, limit)?).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not in UTF-8"))
}

/// Opens a regular file. Opening a named pipe would wait for its writer, so the kind is checked before.
fn open_regular(path: &Path) -> Result<File> {
    check_regular(&path.metadata()?)?;
    let file = File::open(path)?;
    // Another program may have replaced it meanwhile.
    check_regular(&file.metadata()?)?;
    Ok(file)
}

pub(crate) fn check_regular(found: &Metadata) -> Result<()> {
    if found.is_file() {
        Ok(())
    } else if found.is_dir() {
        Err(not_readable(ErrorKind::IsADirectory, "a directory, not a regular file"))
    } else {
        Err(not_readable(ErrorKind::InvalidInput, &format!("{}, not a regular file", special(found.file_type()))))
    }
}

fn not_readable(kind: ErrorKind, what: &str) -> Error {
    Error::new(kind, format!("it is {what}"))
}

fn read_bounded(file: File, limit: u64, contents: &mut Vec<u8>) -> Result<()> {
    file.take(limit).read_to_end(contents)?;
    if u64::try_from(contents.len()).is_ok_and(|length| length >= limit) {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has {limit} bytes or more")));
    }
    Ok(())
}

#[cfg(unix)]
fn is_shared(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    const OTHERS: u32 = 0o077;
    found.permissions().mode() & OTHERS != 0
}

#[cfg(not(unix))]
fn is_shared(_: &Metadata) -> bool {
    // On Windows, other users have no access to a user's folders.
    false
}

/// Returns the command that removes other users' access to a file.
pub fn closing_command(path: &Path) -> String {
    format!("chmod 600 {}", shell_word(&path.display().to_string()))
}

/// Returns the folder of a file.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a folder, and those above it that are missing, which nobody but the user may enter.
#[cfg(unix)]
pub fn create_private_folder(folder: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates a folder, and those above it that are missing, with the permissions that it inherits.
#[cfg(not(unix))]
pub fn create_private_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::ErrorKind;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn an_existing_file_is_kept_or_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.json");
        write(&path, b"a long first text", Existing::Keep).unwrap();
        assert_eq!(write(&path, b"second", Existing::Keep).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"a long first text");
        write(&path, b"second", Existing::Replace).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["desk.json"]);
    }

    #[test]
    fn a_failed_write_leaves_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(write(&taken, b"text", Existing::Replace).is_err());
        let missing = write(&folder.path().join("missing/desk.json"), b"text", Existing::Replace).unwrap_err();
        assert_eq!(missing.to_string(), Error::from_raw_os_error(2).to_string());
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [directory, socket, loops] = ["directory", "socket", "loops"].map(|name| folder.path().join(name));
        fs::create_dir(&directory).unwrap();
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&loops, &loops).unwrap();
        for (path, what) in
            [(&directory, "it is a directory,"), (&socket, "it is a socket,"), (&loops, "symbolic links")]
        {
            let refused = write(path, b"text", Existing::Replace).unwrap_err().to_string();
            assert!(refused.contains(what), "{refused}");
            assert!(write(path, b"text", Existing::Keep).is_err());
            assert!(!path.is_file());
        }
        assert!(check_replaceable(&loops).unwrap_err().to_string().contains("it is a symbolic link,"));
        // Nothing is opened here: root could replace the device.
        let device = destination(Path::new("/dev/null"), Existing::Replace).unwrap_err().to_string();
        assert!(device.contains("it is a device,"), "{device}");
        assert_eq!(names(folder.path()).len(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_the_file_behind_it_is_replaced() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let [path, link] = ["desk.json", "link"].map(|name| folder.path().join(name));
        symlink("link", &path).unwrap();
        symlink("elsewhere/real.json", &link).unwrap();
        for text in ["first", "second"] {
            write(&path, text.as_bytes(), Existing::Replace).unwrap();
            assert_eq!(fs::read_to_string(elsewhere.join("real.json")).unwrap(), text);
        }
        assert!(path.is_symlink() && link.is_symlink());
        assert_eq!((names(folder.path()).len(), names(&elsewhere)), (3, vec!["real.json".to_owned()]));
    }

    #[cfg(unix)]
    #[test]
    fn reading_a_private_file_reports_access_of_others() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private.pem");
        fs::write(&path, "text").unwrap();
        for (mode, is_shared) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o666, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let file = read_private(&path).unwrap();
            assert_eq!((file.contents.as_slice(), file.is_shared), (b"text".as_slice(), is_shared), "{mode:o}");
        }
        assert!(!read_private_or_pipe(Path::new("/dev/null")).unwrap().is_shared);
    }

    #[test]
    fn a_file_that_is_too_long_is_not_read_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        fs::write(&path, "text").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"text");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it has 4 bytes or more");
    }

    #[cfg(unix)]
    #[test]
    fn only_a_regular_file_is_read() {
        let message = |path: &str| read(Path::new(path), 10).unwrap_err().to_string();
        assert_eq!(message("/dev/zero"), "it is a device, not a regular file");
        assert_eq!(message("/"), "it is a directory, not a regular file");
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_private_key_is_not_read_for_ever() {
        let error = read_private_or_pipe(Path::new("/dev/zero")).err().unwrap();
        assert_eq!(error.to_string(), "it has 1048576 bytes or more");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_a_written_file() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.json");
        fs::write(&path, "open to all").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, b"text", Existing::Replace).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_bare_name_is_in_the_current_folder() {
        assert_eq!(folder(Path::new("desk.json")), Path::new("."));
        assert_eq!(folder(Path::new("a/desk.json")), Path::new("a"));
    }
}
