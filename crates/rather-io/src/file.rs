//! The bytes of a file.

use crate::error::{Action, Error};
use crate::limits;
use rather::representation;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// All bytes of the file at `path`; of a pipe or a device, which may never end, up to 1 GiB.
///
/// # Errors
/// If there is no such file, it is a folder, does not end, or the system does not let it be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let fault = |source| Error::io(Action::Read, path, source);
    // Opening a folder is an error only on some systems, and not everywhere one that says so.
    let metadata = fs::metadata(path).map_err(fault)?;
    if metadata.is_dir() {
        return Err(Error::IsFolder { path: path.to_path_buf() });
    }
    // Files without a length are those that a system makes up while they are read.
    if metadata.is_file() && metadata.len() > 0 {
        return fs::read(path).map_err(fault);
    }
    read_up_to(path, limits::STREAM)
}

/// All bytes of standard input, up to 1 GiB.
pub(crate) fn read_standard_input() -> Result<Vec<u8>, Error> {
    let (path, mut bytes) = (Path::new("standard input"), Vec::new());
    let most = limits::STREAM;
    io::stdin()
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| Error::io(Action::Read, path, source))?;
    if bytes.len() as u64 > most {
        return Err(Error::Endless { path: path.to_path_buf(), limit: representation::bytes(most) });
    }
    Ok(bytes)
}

/// What bytes look like that are neither CSV nor JSON nor a workbook, and what to do about it.
pub(crate) fn is_other(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let kinds: [(&[u8], (&str, &str)); 5] = [
        (b"\xd0\xcf\x11\xe0", ("an old Excel workbook", "save it as .xlsx or CSV")),
        (b"PAR1", ("Parquet", "call it .parquet")),
        (b"\x1f\x8b", ("compressed with gzip", "call it .gz")),
        (b"\x93NUMPY", ("an array of NumPy", "call it .npy")),
        (b"SQLite format 3", ("a database", "export the table as CSV")),
    ];
    kinds.into_iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, said)| said)
}

/// The bytes of a file that may never end, if they are no more than `most`.
fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|source| Error::io(Action::Read, path, source))?;
    if bytes.len() as u64 > most {
        let limit = representation::bytes(most);
        return Err(Error::Endless { path: path.to_path_buf(), limit });
    }
    Ok(bytes)
}

/// The bytes of a file called `path`, decompressed if its name ends in `.gz`: to 64 MiB, or 100 times the size of the file if that is
/// more, and never to more than 2 GiB.
///
/// # Errors
/// If they are not gzip though the name says so, or expand to more.
pub fn decompress(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    if !has_extension(path, "gz") {
        return Ok(bytes);
    }
    let (mut plain, most) = (Vec::new(), limits::expanded(bytes.len()));
    flate2::read::MultiGzDecoder::new(bytes.as_slice())
        .take(most + 1)
        .read_to_end(&mut plain)
        .map_err(|source| Error::Gzip { path: path.to_path_buf(), source })?;
    if plain.len() as u64 > most {
        return Err(limits::expands(path, bytes.len()));
    }
    Ok(plain)
}

/// Whether the table called `path` is Parquet, compressed or not.
pub(crate) fn is_parquet(path: &Path) -> bool {
    let inner = if has_extension(path, "gz") { path.file_stem().map(Path::new) } else { Some(path) };
    inner.is_some_and(|name| has_extension(name, "parquet"))
}

pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn gzip_is_told_by_name_and_may_have_members() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.CSV.GZ");
        let mut bytes = Vec::new();
        for part in ["a,b\n", "1,2\n"] {
            let mut encoder = flate2::write::GzEncoder::new(&mut bytes, flate2::Compression::fast());
            encoder.write_all(part.as_bytes()).unwrap();
            encoder.finish().unwrap();
        }
        fs::write(&path, &bytes).unwrap();
        let read_table = |path: &Path| decompress(path, read(path)?);
        assert_eq!(read_table(&path).unwrap(), b"a,b\n1,2\n");
        assert!(!is_parquet(&path) && is_parquet(Path::new("t.parquet.gz")));

        fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        assert!(matches!(read_table(&path), Err(Error::Gzip { .. })));
        fs::write(&path, "a,b\n").unwrap();
        assert!(matches!(read_table(&path), Err(Error::Gzip { .. })));
    }

    #[test]
    fn a_gzip_bomb_is_refused_while_it_expands() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        (0..65).for_each(|_| encoder.write_all(&vec![b'0'; 1 << 20]).unwrap());
        let bytes = encoder.finish().unwrap();
        let size = representation::bytes(bytes.len() as u64);
        assert_eq!(
            decompress(Path::new("t.csv.gz"), bytes).unwrap_err().to_string(),
            format!(
                "t.csv.gz has {size} and expands to more than 64 MiB, which is not read; decompress it first if that is right"
            )
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_refused() {
        assert_eq!(
            read_up_to(Path::new("/dev/zero"), 10 << 20).unwrap_err().to_string(),
            "/dev/zero is no regular file and gives more than 10 MiB; save what it gives as a file first"
        );
        assert_eq!(read(Path::new("/dev/null")).unwrap(), b"");
    }

    #[test]
    fn missing_files_and_folders_have_their_sentences() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.csv");
        let shown = path.display();
        assert_eq!(
            read(&path).unwrap_err().to_string(),
            format!("{shown} does not exist; check its name and folder")
        );
        assert_eq!(
            read(folder.path()).unwrap_err().to_string(),
            format!("{} is a folder; name a file", folder.path().display())
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_forbidden_file_has_its_sentence() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.csv");
        fs::write(&path, "a\n1\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser may read everything.
        if let Err(error) = read(&path) {
            let sentence = "change its permissions or use another file";
            assert_eq!(
                error.to_string(),
                format!("you are not permitted to read {}; {sentence}", path.display())
            );
        }
    }
}
