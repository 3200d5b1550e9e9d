//! The program starts, and says what it can do.

use std::process::Command;

fn help(of: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_experiments")).args(of).arg("--help").output().unwrap();
    assert!(output.status.success(), "{of:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The arguments of a command are checked when it is first parsed.
#[test]
fn every_experiment_has_help() {
    let all = help(&[]);
    for name in [
        "answers",
        "houlsby-table2",
        "houlsby-table3",
        "houlsby-evidence",
        "newcomers",
        "sushi-crowd",
        "abbasnejad",
    ] {
        assert!(all.contains(name), "{name} in {all}");
        assert!(help(&[name]).contains("--data"), "{name}");
    }
}
