//! The file layer that fails, and the program run on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// What can happen to an operation.
pub(crate) const KINDS: [&str; 7] = ["enospc", "eio", "short", "full", "before", "after", "half"];

/// The library, compiled once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults-{}.so", std::process::id()));
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/faults.c");
        let done = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&to)
            .arg(from)
            .arg("-ldl")
            .output();
        let done = done.expect("a C compiler (cc) is needed for these tests");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        to
    })
}

/// A folder in memory where there is one: waiting for a disk would test nothing.
pub(crate) fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// A fault: at which operation, and what happens.
pub(crate) type Fault<'a> = Option<(usize, &'a str)>;

/// The program, to be run in `folder` on the layer.
pub(crate) fn program(folder: &Path, fault: Fault<'_>, log: Option<&Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rather"));
    command
        .current_dir(folder)
        .env("LD_PRELOAD", library())
        .env("FAULT_DIR", folder)
        .env("RAYON_NUM_THREADS", "1");
    if let Some((at, kind)) = fault {
        command.env("FAULT_AT", at.to_string()).env("FAULT_KIND", kind);
    }
    if let Some(log) = log {
        command.env("FAULT_LOG", log);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs a line of arguments.
pub(crate) fn run(folder: &Path, line: &str, fault: Fault<'_>, log: Option<&Path>) -> Output {
    program(folder, fault, log).args(line.split_whitespace()).output().unwrap()
}

/// An operation that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operation {
    /// `C`reate, `E`mpty, `W`rite, `T`runcate, `S`ynchronise, `R`ename, `L`ink, `U`nlink.
    pub(crate) what: char,
    pub(crate) path: PathBuf,
    pub(crate) other: PathBuf,
    pub(crate) at: usize,
    pub(crate) data: Vec<u8>,
}

/// The operations that a log holds.
pub(crate) fn operations(log: &Path) -> Vec<Operation> {
    let bytes = fs::read(log).unwrap_or_default();
    let mut rest = bytes.as_slice();
    let mut operations = Vec::new();
    while let Some(end) = rest.iter().position(|&b| b == b'\n') {
        let line = std::str::from_utf8(&rest[..end]).unwrap();
        let fields: Vec<&str> = line.split('\t').collect();
        let [what, path, other, at, length] = fields.as_slice() else { panic!("{line}") };
        rest = &rest[end + 1..];
        let what = what.chars().next().unwrap();
        let length: usize = if what == 'W' { length.parse().unwrap() } else { 0 };
        let data = rest[..length].to_vec();
        rest = &rest[length..];
        operations.push(Operation {
            what,
            path: path.into(),
            other: other.into(),
            at: at.parse().unwrap(),
            data,
        });
    }
    operations
}

/// Copies the files of one folder to another, new one.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
