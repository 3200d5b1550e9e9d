//! Studies of a backup, brought back while the studio runs.

use crate::refusal::{Code, Refusal};
use crate::registry::blocking;
use crate::studio::App;
use axum::body::Bytes;
use rather_study::store::{self, Brought, Store};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A file that was sent, in a folder of its own beside the studies. It is gone with the value.
#[derive(Debug)]
pub struct Sent {
    folder: TempDir,
    file: std::fs::File,
}

impl Sent {
    /// An empty one.
    ///
    /// # Errors
    /// If there is no place for it.
    pub fn new(app: &App) -> Result<Self, Refusal> {
        let path = app.registry.path();
        let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = tempfile::tempdir_in(beside).map_err(|e| unwritten(&e))?;
        let file = File::create(folder.path().join(NAME)).map_err(|e| unwritten(&e))?;
        Ok(Self { folder, file })
    }

    /// Appends a piece of it.
    ///
    /// # Errors
    /// If the disk takes no more.
    pub async fn append(self, piece: Bytes) -> Result<Self, Refusal> {
        blocking(move || {
            let Self { folder, mut file } = self;
            file.write_all(&piece).map_err(|e| unwritten(&e))?;
            Ok(Self { folder, file })
        })
        .await
    }

    /// Brings the studies of the backup that are not here; those that are here stay as they are.
    ///
    /// # Errors
    /// If it is no whole file of studies.
    pub async fn bring(self, app: &App) -> Result<Vec<Brought>, Refusal> {
        let path = self.folder.path().join(NAME);
        let registry = Arc::clone(&app.registry);
        blocking(move || {
            let Self { folder: _folder, file } = self;
            drop(file);
            let brought = {
                let from = Store::open(&path).map_err(|error| unreadable(&path, &error))?;
                let mut here = Store::open(registry.path())?;
                store::bring(&mut here, &from).map_err(|error| unreadable(&path, &error))?
            };
            let names: Vec<_> = brought.iter().map(|one| (one.from.clone(), one.name.clone())).collect();
            registry.tables().bring(&path, &names)?;
            Ok(brought)
        })
        .await
    }
}

const NAME: &str = "sent";

fn unwritten(error: &std::io::Error) -> Refusal {
    Refusal::internal(&format!("a backup that was sent could not be kept for reading: {error}"))
}

/// An error about the file that was sent, which has no name here.
fn unreadable(path: &Path, error: &rather_study::Error) -> Refusal {
    let (shown, told) = (path.display().to_string(), error.to_string());
    if !told.contains(&shown) {
        return Refusal::internal(error);
    }
    Refusal::new(Code::Invalid, told.replace(&shown, "the file that was sent"))
}
