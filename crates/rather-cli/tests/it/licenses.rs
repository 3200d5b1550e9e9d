//! The notices that go with the program and with the packages for Python and npm name everything that is linked in.

use crate::lab::Lab;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// `name version` of every crate from elsewhere that `package` links on this platform, or on `--target`: no dependencies of builds or tests.
fn linked(manifest: &str, package: &str, target: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"])
        .args(["--manifest-path", root().join(manifest).to_str().unwrap(), "--package", package])
        .args(target)
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8(tree.stdout).unwrap();
    // A crate of the workspace has its folder behind the version.
    let crates = lines.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.contains('('));
    crates
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, version)| format!("{name} {version}"))
        .collect()
}

fn assert_noticed(notices: &str, manifest: &str, package: &str, target: &[&str]) {
    let notices = text(notices);
    let noticed: BTreeSet<&str> =
        notices.lines().filter_map(|line| line.trim().split("  (").next()).collect();
    let linked = linked(manifest, package, target);
    assert!(linked.len() > 30, "{linked:?}");
    let missing: Vec<_> = linked.iter().filter(|name| !noticed.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "run tools/notices.py; the notices lack {missing:?}");
}

#[test]
fn notices_name_every_crate_of_the_program() {
    assert_noticed("crates/rather-cli/THIRD-PARTY-NOTICES.txt", "Cargo.toml", "rather-cli", &[]);
}

#[test]
fn notices_name_every_crate_of_the_python_package() {
    assert_noticed("python/THIRD-PARTY-NOTICES.txt", "python/Cargo.toml", "rather-python", &[]);
}

#[test]
fn notices_name_every_crate_of_the_npm_package() {
    let target = ["--target", "wasm32-unknown-unknown"];
    assert_noticed("web/npm/THIRD-PARTY-NOTICES.txt", "Cargo.toml", "rather-web", &target);
}

#[test]
fn the_licence_is_the_same_everywhere() {
    for copy in ["crates/rather-cli/LICENSE", "python/LICENSE"] {
        assert_eq!(text(copy), text("LICENSE"), "{copy}");
    }
}

#[test]
fn the_program_shows_its_licences() {
    let lab = Lab::new();
    let shown = lab.text("licenses");
    assert!(shown.starts_with("MIT License") && shown.contains("Third-party notices"));
    let shown = lab.json("licenses");
    assert!(shown["third_party"].as_str().unwrap().contains("rusqlite "));
}
