//! What the name of a table says besides its file: `votes.xlsx#May`, `teas.csv+vectors.npy`.

use crate::file;
use std::path::{Path, PathBuf};

/// Where a table is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// Its file.
    pub(crate) file: PathBuf,
    /// The sheet of a workbook.
    pub(crate) sheet: Option<String>,
    /// Matrices of which each row belongs to one of the table.
    pub(crate) matrices: Vec<PathBuf>,
}

impl Location {
    /// Reads a name. A file that has exactly this name is itself.
    pub(crate) fn of(path: &Path) -> Self {
        let plain = || Self { file: path.to_path_buf(), sheet: None, matrices: Vec::new() };
        let Some(mut rest) = path.to_str().filter(|_| !path.exists()) else { return plain() };
        let mut matrices = Vec::new();
        while let Some((table, matrix)) = rest.rsplit_once('+').filter(|(_, end)| is_matrix(Path::new(end))) {
            matrices.insert(0, PathBuf::from(matrix));
            rest = table;
        }
        let sheet = rest.rsplit_once('#').filter(|(table, _)| is_workbook(Path::new(table)));
        let (file, sheet) = match sheet {
            Some((table, sheet)) if !Path::new(rest).exists() => (table, Some(sheet.to_owned())),
            _ => (rest, None),
        };
        Self { file: PathBuf::from(file), sheet, matrices }
    }
}

/// Whether a file is called as an array of NumPy is.
pub(crate) fn is_matrix(path: &Path) -> bool {
    file::has_extension(path, "npy")
}

fn is_workbook(path: &Path) -> bool {
    ["xlsx", "xlsm"].iter().any(|extension| file::has_extension(path, extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_sheets_and_matrices() {
        for (name, file, sheet, matrices) in [
            ("teas.csv", "teas.csv", None, &[][..]),
            ("a/votes.xlsx#May 2", "a/votes.xlsx", Some("May 2"), &[]),
            ("votes.csv#x", "votes.csv#x", None, &[]),
            ("teas.csv+a/v.npy", "teas.csv", None, &["a/v.npy"]),
            ("t.xlsx#A+B+v.npy+w.NPY", "t.xlsx", Some("A+B"), &["v.npy", "w.NPY"]),
            ("a+b.csv", "a+b.csv", None, &[]),
            ("v.npy", "v.npy", None, &[]),
        ] {
            let expected = Location {
                file: file.into(),
                sheet: sheet.map(str::to_owned),
                matrices: matrices.iter().map(PathBuf::from).collect(),
            };
            assert_eq!(Location::of(Path::new(name)), expected, "{name}");
        }
    }
}
