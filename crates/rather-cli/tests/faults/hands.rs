//! A studio that is stopped, and one whose file is meddled with.

use crate::layer::{copy, folder, program, run};
use crate::studio::Studio;
use rather_study::Study;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with an empty study in it.
fn study() -> (tempfile::TempDir, PathBuf) {
    let home = folder();
    let work = home.path().join("work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("items.csv"), "tea\na\nb\nc\n").unwrap();
    assert!(run(&work, "study new s.study --items items.csv", None, None).status.success());
    (home, work)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn answers(path: &Path) -> u64 {
    Study::open(path, None).unwrap().history("me").unwrap().answers()
}

#[test]
fn a_studio_that_is_stopped_leaves_one_file() {
    for signal in ["TERM", "INT"] {
        let (_home, work) = study();
        let mut studio = Studio::start(&work, None, None).unwrap();
        for key in 0..5 {
            assert!(studio.tell(key));
        }
        assert!(studio.send("POST", "/api/v1/studies/s/ask", &json!({})).is_some());
        assert!(names(&work).contains(&"s.study-wal".to_owned()));
        studio.signal(signal);
        assert!(studio.child.wait().unwrap().success());
        assert_eq!(names(&work), ["items.csv", "s.study"], "{signal}");
        assert_eq!(answers(&work.join("s.study")), 5);
    }
}

#[test]
fn a_copy_of_a_running_studios_file_without_its_log_says_so() {
    let (home, work) = study();
    let mut studio = Studio::start(&work, None, None).unwrap();
    assert!((0..5).all(|key| studio.tell(key)));
    let copied = home.path().join("copied");
    fs::create_dir(&copied).unwrap();
    fs::copy(work.join("s.study"), copied.join("s.study")).unwrap();
    let said = run(&copied, "study status s.study", None, None);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("s.study-wal") && !said.contains("empty"), "{said}");
    // The button's address.
    let (status, backup) = studio.send("GET", "/api/v1/backup", &Value::Null).unwrap();
    assert_eq!(status, 200);
    // The body comes in chunks: each with its length before it.
    let start = backup.windows(15).position(|w| w == b"SQLite format 3").unwrap();
    assert!(backup.len() - start > 4096);
    let done = run(&work, "study backup s.study backup.study", None, None);
    assert!(done.status.success());
    assert_eq!(answers(&work.join("backup.study")), 5);
    let checked = run(&work, "study check s.study --json", None, None);
    let report: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert!(report["ok"] == true && report["studies"][0]["answers"] == 5, "{report}");
    let users = report["used_by"].as_array().unwrap();
    assert!(users.iter().any(|user| user["process"] == studio.child.id()), "{report}");
    studio.signal("TERM");
    studio.child.wait().unwrap();
}

#[test]
fn a_studio_whose_file_is_removed_says_why_it_takes_no_answer() {
    let (_home, work) = study();
    let mut studio = Studio::start(&work, None, None).unwrap();
    assert!((0..5).all(|key| studio.tell(key)));
    for name in ["s.study", "s.study-wal", "s.study-shm"] {
        fs::remove_file(work.join(name)).unwrap();
    }
    let body = json!({ "left": "a", "right": "b", "answer": "left", "key": "last" });
    let (status, said) = studio.send("POST", "/api/v1/studies/s/tell", &body).unwrap();
    let said: Value = serde_json::from_slice(&said).unwrap();
    let sentence = said["error"].as_str().unwrap();
    assert!(
        status == 500 && sentence.contains("removed or replaced") && sentence.contains("rescue file"),
        "{sentence}"
    );
    // A page that is loaded now says it, too, instead of showing a duel that could not be answered.
    let (_, page) = studio.send("GET", "/studies/s/duel", &Value::Null).unwrap();
    assert!(String::from_utf8_lossy(&page).contains("removed or replaced"));
    studio.signal("TERM");
    studio.child.wait().unwrap();
    let rescue = names(&work).into_iter().find(|name| name.contains("rescued")).unwrap();
    assert_eq!(answers(&work.join(rescue)), 6);
}

const STRANGERS: [&str; 3] = [
    "import sqlite3; c = sqlite3.connect('s.study'); c.execute('select count(*) from events').fetchall(); c.close()",
    "import sqlite3; c = sqlite3.connect('s.study', isolation_level=None); c.execute('begin'); c.execute('select 1 from events').fetchall(); c.execute('rollback'); c.close()",
    "import sqlite3; c = sqlite3.connect('s.study'); d = sqlite3.connect('other.db'); c.backup(d); d.close(); c.close()",
];

#[test]
fn a_studio_among_strangers_loses_nothing() {
    for stranger in STRANGERS {
        let (home, work) = study();
        let mut studio = Studio::start(&work, None, None).unwrap();
        assert!(
            studio.send("POST", "/api/v1/studies/s/ask", &json!({})).is_some_and(|(status, _)| status == 200)
        );
        let done = Command::new("python3")
            .args(["-c", stranger])
            .current_dir(&work)
            .output()
            .expect("python3 is needed");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let acknowledged = (0..200).filter(|&key| studio.tell(key)).count();
        studio.signal("KILL");
        studio.child.wait().unwrap();
        assert_eq!(acknowledged, 200);
        let after = home.path().join("after");
        copy(&work, &after);
        assert_eq!(answers(&after.join("s.study")), 200, "{stranger}");
    }
}

#[test]
fn what_cannot_be_written_can_be_read() {
    let (_home, work) = study();
    assert!(run(&work, "study tell s.study left --left a --right b", None, None).status.success());
    let read_only = |line: &str| {
        let mut command = program(&work, Some((0, "readonly")), None);
        command.args(line.split_whitespace()).output().unwrap()
    };
    let elsewhere = folder();
    let backup = format!("study backup s.study {}/b.study", elsewhere.path().display());
    for line in
        ["study status s.study", "study best s.study", "study export s.study", "study check s.study", &backup]
    {
        let done = read_only(line);
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    }
    let done = read_only("study tell s.study left --left a --right b");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(2) && said.contains("not permitted"), "{said}");
}

#[test]
fn no_descriptors_left_is_not_a_missing_permission() {
    let (_home, work) = study();
    let program = env!("CARGO_BIN_EXE_rather");
    for limit in 3..12 {
        let script = format!("ulimit -n {limit}; exec {program} study status s.study");
        let done = Command::new("sh").args(["-c", &script]).current_dir(&work).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(!said.contains("not permitted") && !said.contains("panicked"), "{limit}: {said}");
        assert!(
            done.status.success() || !said.contains("error:") || said.contains("too many files"),
            "{limit}: {said}"
        );
    }
}
