//! Writing a file so that it is the old one or the new one, whole, at any moment.

use crate::error::{Action, Error};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// A temporary file that nobody has written to for so long was left behind by a program that was killed.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// Replaces the file at `path` by what `content` writes.
///
/// The bytes go to a temporary file beside it, of a name that no other process has, which takes its place by renaming. A symbolic
/// link stays and the file it names is replaced; the file's permissions stay; a file that is read-only is not touched; a
/// pipe or a device is written to directly. A temporary file of the same target that a killed program left more than a day ago is
/// removed.
///
/// # Errors
/// If the file is a folder or read-only, its folder does not exist, or the system or `content` fails.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let fault = |source| Error::io(Action::Write, path, source);
    let old = fs::metadata(path).ok();
    match &old {
        Some(old) if old.is_dir() => return Err(Error::IsFolder { path: path.to_path_buf() }),
        Some(old) if !old.is_file() => return write_directly(path, content).map_err(fault),
        Some(old) if old.permissions().readonly() => {
            return Err(Error::NotPermitted { action: Action::Write, path: path.to_path_buf() });
        }
        _ => {}
    }
    let target = follow_links(path).map_err(fault)?;
    replace(&target, old.map(|old| old.permissions()), content).map_err(fault)
}

/// Finds out whether [`write()`] will be able to write to `path`, so that no long work is lost in the end.
///
/// # Errors
/// Those that writing would have for the path, its folder and their permissions.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(fs::Metadata::is_dir) || path.file_name().is_none() {
        return Err(Error::IsFolder { path: path.to_path_buf() });
    }
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(Error::NotPermitted { action: Action::Write, path: path.to_path_buf() });
    }
    if old.is_some_and(|old| !old.is_file()) {
        return Ok(());
    }
    let made = follow_links(path).and_then(|target| temporary(&target));
    made.map(drop).map_err(|source| Error::io(Action::Write, path, source))
}

fn write_directly(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::new(File::options().write(true).open(path)?);
    content(&mut writer)?;
    writer.flush()
}

fn replace(
    target: &Path,
    permissions: Option<fs::Permissions>,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    remove_stale(target);
    let temporary = temporary(target)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions)?;
    }
    let mut writer = BufWriter::with_capacity(1 << 16, temporary.as_file());
    content(&mut writer)?;
    writer.flush()?;
    drop(writer);
    temporary.as_file().sync_all()?;
    temporary.persist(target).map_err(|failed| failed.error)?;
    sync_folder(target);
    Ok(())
}

/// What the names of the temporary files of `target` begin with; a random part follows. Of a name that is nearly as long as names may
/// be, the beginning will do.
fn prefix(target: &Path) -> io::Result<String> {
    const LONGEST: usize = 150;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let end = (0..=LONGEST.min(name.len())).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
    Ok(format!(".{}.tmp-", &name[..end]))
}

/// A new file beside `target`, which is removed when it is dropped.
fn temporary(target: &Path) -> io::Result<NamedTempFile> {
    let prefix = prefix(target)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).rand_bytes(12);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As other new files, of which the user's mask takes away what nobody else may.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(target))
}

/// Removes what killed programs left of earlier attempts to write `target`. Whatever cannot be removed is no reason not to write.
fn remove_stale(target: &Path) {
    let (Ok(prefix), Ok(entries)) = (prefix(target), fs::read_dir(folder(target))) else { return };
    let is_ours = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(&prefix));
    for entry in entries.flatten().filter(|entry| is_ours(&entry.file_name())) {
        let left = |file: fs::Metadata| file.is_file() && file.modified().is_ok_and(is_stale);
        if entry.metadata().is_ok_and(left) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_stale(modified: std::time::SystemTime) -> bool {
    modified.elapsed().is_ok_and(|age| age > STALE)
}

/// The file that a chain of symbolic links ends at, be it there or not.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    const LONGEST_CHAIN: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..LONGEST_CHAIN {
        match fs::read_link(&target) {
            Ok(next) => target = folder(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the renaming durable. The new file is in place already and whole, so a file system that cannot do
/// this is no reason to report a failure.
fn sync_folder(target: &Path) {
    if cfg!(unix) {
        let _ = File::open(folder(target)).and_then(|folder| folder.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_text(path: &Path, text: &str) -> Result<(), Error> {
        write(path, |writer| writer.write_all(text.as_bytes()))
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write_text(&path, "old").unwrap();
        let failed = write(&path, |writer| {
            writer.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(matches!(failed, Err(Error::Io { action: Action::Write, .. })));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        write_text(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["model"]);
    }

    #[test]
    fn a_temporary_file_is_removed_once_nobody_can_be_writing_it() {
        let folder = tempfile::tempdir().unwrap();
        let two_days_ago = std::time::SystemTime::now() - 2 * STALE;
        let leave = |name: &str, old: bool| {
            let file = File::create(folder.path().join(name)).unwrap();
            if old {
                file.set_modified(two_days_ago).unwrap();
            }
        };
        // Of this target, of another one, and one that another process may be writing.
        leave(".model.tmp-123", true);
        leave(".modelling.tmp-123", true);
        leave(".model.tmp-a1b2c3", false);
        write_text(&folder.path().join("model"), "new").unwrap();
        assert_eq!(names(folder.path()), [".model.tmp-a1b2c3", ".modelling.tmp-123", "model"]);
    }

    /// Two that write the same file at once do not take each other's temporary file: the file is that of one of them, and no attempt fails.
    #[test]
    fn writers_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("model");
        std::thread::scope(|scope| {
            for letter in ["a", "b", "c"] {
                scope.spawn(move || {
                    for _ in 0..50 {
                        write_text(path, &letter.repeat(10_000)).unwrap();
                        let read = fs::read_to_string(path).unwrap();
                        assert!(read.len() == 10_000 && read.chars().all(|c| read.starts_with(c)));
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["model"]);
    }

    #[test]
    fn long_names_have_temporary_files_too() {
        let folder = tempfile::tempdir().unwrap();
        let name = "ä".repeat(120);
        write_text(&folder.path().join(&name), "new").unwrap();
        assert_eq!(names(folder.path()), [name]);
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        check_writable(&path).unwrap();
        assert_eq!(names(folder.path()).len(), 0);
        fs::write(&path, "old").unwrap();
        check_writable(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert!(matches!(check_writable(folder.path()), Err(Error::IsFolder { .. })));
        assert!(matches!(check_writable(&folder.path().join("no/model")), Err(Error::FolderNotFound { .. })));
    }

    /// A file that is gone for another reason does not make its folder go.
    #[test]
    fn a_folder_that_is_there_is_not_said_to_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let gone = write(&path, |_| Err(io::ErrorKind::NotFound.into())).unwrap_err();
        assert!(matches!(gone, Error::Io { action: Action::Write, .. }), "{gone}");
    }

    #[test]
    fn folders_have_their_sentences() {
        let folder = tempfile::tempdir().unwrap();
        let shown = folder.path().display();
        assert_eq!(
            write_text(folder.path(), "").unwrap_err().to_string(),
            format!("{shown} is a folder; name a file")
        );
        assert_eq!(
            write_text(&folder.path().join("no/model"), "").unwrap_err().to_string(),
            format!(
                "{shown}/no/model cannot be written because its folder does not exist; make the folder first"
            )
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("model"), folder.path().join("link"));
        symlink("model", &link).unwrap();
        write_text(&link, "dangling").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "dangling");

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_text(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
        assert!(matches!(write_text(&path, "newer"), Err(Error::NotPermitted { .. })));
        write_text(Path::new("/dev/null"), "gone").unwrap();
    }
}
