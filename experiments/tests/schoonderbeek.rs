//! The thesis' tables are printed by name.

use std::process::Command;

#[test]
fn a_table_is_printed_by_name() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    let output =
        command.args(["schoonderbeek", "--tables", "prediction", "--functions", "1"]).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("basis"), "{text}");
}

#[test]
fn an_unknown_table_is_refused_with_those_there_are() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    let output = command.args(["schoonderbeek", "--tables", "tunning"]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && text.contains("tuning"), "{text}");
}
