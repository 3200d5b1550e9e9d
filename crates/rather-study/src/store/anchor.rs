//! One descriptor for every study file that this process has open.
//!
//! POSIX locks belong to a process and a file, not to a descriptor: closing any descriptor of a file drops every lock that the process
//! has on it, also those of SQLite's connections. Another program would then take itself for the last user of the file and delete the
//! write-ahead log under them. So a study file is opened once outside SQLite, read through that descriptor, and closed only after the last
//! connection of this process ([`Anchor`] is dropped after the connection).

use super::turn::Queue;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What tells a file from every other file that exists at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileId(u64, u64);

impl FileId {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(metadata.dev(), metadata.ino())
    }

    /// Without inodes, the time at which a file was made: a file that replaces another was made later.
    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let made = metadata.created().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        Self(0, made.map_or(0, |made| made.as_nanos() as u64))
    }

    /// The file at `path`, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of(&metadata))
    }

    /// Device and inode, as the operating system numbers them.
    #[cfg(target_os = "linux")]
    pub(super) fn device_and_inode(self) -> (u64, u64) {
        (self.0, self.1)
    }
}

/// The files that are open, with the number of anchors of each.
static OPEN: Mutex<BTreeMap<FileId, Shared>> = Mutex::new(BTreeMap::new());

#[derive(Debug, Default)]
struct Shared {
    /// More than one only if the file was renamed between two system calls.
    files: Vec<File>,
    anchors: usize,
    writers: Arc<Queue>,
}

fn open_files() -> MutexGuard<'static, BTreeMap<FileId, Shared>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the descriptor of a study file open.
#[derive(Debug)]
pub(super) struct Anchor {
    id: FileId,
    writers: Arc<Queue>,
}

impl Anchor {
    /// The file at `path`, which is made if `create` is set and it is not there.
    pub(super) fn new(path: &Path, create: bool) -> io::Result<Self> {
        let mut open = open_files();
        if let Some(id) = FileId::at(path)
            && let Some(shared) = open.get_mut(&id)
        {
            shared.anchors += 1;
            return Ok(Self { id, writers: Arc::clone(&shared.writers) });
        }
        let file = if create {
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
        } else {
            File::open(path)
        }?;
        let id = FileId::of(&file.metadata()?);
        let shared = open.entry(id).or_default();
        shared.files.push(file);
        shared.anchors += 1;
        Ok(Self { id, writers: Arc::clone(&shared.writers) })
    }

    pub(super) fn id(&self) -> FileId {
        self.id
    }

    /// Those of this process that write to the file.
    pub(super) fn writers(&self) -> &Arc<Queue> {
        &self.writers
    }

    /// Up to `length` bytes from the beginning of the file.
    pub(super) fn read(&self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        let open = open_files();
        let Some(file) = open.get(&self.id).and_then(|shared| shared.files.first()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        while filled < length {
            match read_at(file, &mut bytes[filled..], filled as u64)? {
                0 => break,
                n => filled += n,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// The length of the file.
    pub(super) fn length(&self) -> io::Result<u64> {
        match open_files().get(&self.id).and_then(|shared| shared.files.first()) {
            Some(file) => Ok(file.metadata()?.len()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Copies the file as it is, without its log.
    pub(super) fn copy_to(&self, to: &mut impl io::Write) -> io::Result<()> {
        const BLOCK: usize = 1 << 20;
        let mut block = vec![0; BLOCK];
        let mut at = 0;
        loop {
            let n = match open_files().get(&self.id).and_then(|shared| shared.files.first()) {
                Some(file) => read_at(file, &mut block, at)?,
                None => return Err(io::ErrorKind::NotFound.into()),
            };
            if n == 0 {
                return Ok(());
            }
            to.write_all(&block[..n])?;
            at += n as u64;
        }
    }
}

impl Drop for Anchor {
    fn drop(&mut self) {
        let mut open = open_files();
        if let Some(shared) = open.get_mut(&self.id) {
            shared.anchors -= 1;
            if shared.anchors == 0 {
                open.remove(&self.id);
            }
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_open_once_and_until_the_last_anchor_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let first = Anchor::new(&path, true).unwrap();
        fs::write(folder.path().join("b"), "0123456789").unwrap();
        fs::rename(folder.path().join("b"), &path).unwrap();
        // Another file of the same name is another file.
        let second = Anchor::new(&path, false).unwrap();
        assert_ne!(first.id(), second.id());
        assert_eq!((first.length().unwrap(), second.read(4).unwrap()), (0, b"0123".to_vec()));
        let third = Anchor::new(&path, false).unwrap();
        let files =
            |anchor: &Anchor| open_files().get(&anchor.id).map(|shared| (shared.files.len(), shared.anchors));
        assert_eq!(files(&second), Some((1, 2)));
        drop(second);
        assert_eq!(files(&third), Some((1, 1)));
        let id = third.id();
        drop(third);
        assert!(!open_files().contains_key(&id));
        let mut copy = Vec::new();
        Anchor::new(&path, false).unwrap().copy_to(&mut copy).unwrap();
        assert_eq!(copy, b"0123456789");
    }
}
