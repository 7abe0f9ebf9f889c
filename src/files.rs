//! Writes files that hold what is nobody else's business: whole or not at all, and for their owner alone.

use std::io::{Error, Result, Write as _};
use std::path::Path;

use tempfile::Builder;

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It stays as it is, and nothing is written.
    Keep,
    /// The new one takes its place.
    Replace,
}

/// Writes a file beside its place and moves it there once it is whole.
pub(crate) fn write(path: &Path, contents: &[u8], existing: Existing) -> Result<()> {
    let folder = folder(path);
    // The most frequent failure as the system tells it; the library's own names a file that means nothing to anybody.
    std::fs::metadata(folder)?;
    let unnamed = |error: Error| Error::from(error.kind());
    // Readable for its owner alone, as the library makes it, and gone again where a step fails.
    let mut beside = Builder::new().prefix(".botdesk-").tempfile_in(folder).map_err(unnamed)?;
    beside.write_all(contents)?;
    beside.as_file().sync_all()?;
    let kept = match existing {
        Existing::Keep => beside.persist_noclobber(path),
        Existing::Replace => beside.persist(path),
    };
    kept.map(drop).map_err(|error| error.error)
}

/// The folder that a file is in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
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
    fn a_file_that_is_there_is_kept_or_replaced_as_a_whole() {
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
    fn nothing_is_left_behind_where_it_fails() {
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
    fn nobody_else_can_read_it() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.json");
        fs::write(&path, "open to all").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, b"text", Existing::Replace).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_bare_name_is_in_the_folder_one_is_in() {
        assert_eq!(folder(Path::new("desk.json")), Path::new("."));
        assert_eq!(folder(Path::new("a/desk.json")), Path::new("a"));
    }
}
