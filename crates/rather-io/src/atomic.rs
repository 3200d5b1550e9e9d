//! Writing a file so that it is the old one or the new one, whole, at any moment.

use crate::error::{Action, Error};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Replaces the file at `path` by what `content` writes.
///
/// The bytes go to a temporary file beside it, which takes its place by renaming. A symbolic link stays and
/// the file it names is replaced; the file's permissions stay; a file that is read-only is not touched; a
/// pipe or a device is written to directly.
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
    let mut temporary = Temporary::create(target)?;
    if let Some(permissions) = permissions {
        temporary.file.set_permissions(permissions)?;
    }
    let mut writer = BufWriter::with_capacity(1 << 16, &temporary.file);
    content(&mut writer)?;
    writer.flush()?;
    drop(writer);
    temporary.file.sync_all()?;
    fs::rename(&temporary.path, target)?;
    temporary.renamed = true;
    sync_folder(target);
    Ok(())
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

/// A file beside the target that is removed unless it was renamed.
struct Temporary {
    path: PathBuf,
    file: File,
    renamed: bool,
}

impl Temporary {
    fn create(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let name = format!(".{}.tmp-{}", name.to_string_lossy(), std::process::id());
        let path = folder(target).join(name);
        // One of this name was left by an interrupted process that had our number.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = File::create_new(&path)?;
        Ok(Self { path, file, renamed: false })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
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
    fn a_temporary_file_left_behind_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(format!(".model.tmp-{}", std::process::id())), "half").unwrap();
        write_text(&folder.path().join("model"), "new").unwrap();
        assert_eq!(names(folder.path()), ["model"]);
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
