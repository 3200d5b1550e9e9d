//! Other programs, and other hands, on a study file that is in use.

use crate::crash::{kill_and_count, spawn};
use crate::lab::{Lab, ask, item, numbered};
use rather_study::store::{Moved, Store, check};
use rather_study::{Answer, Error, Study};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file beside a study whose name ends like this.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Runs Python, whose `sqlite3` is another SQLite than ours.
fn python(script: &str, file: &Path) -> String {
    let output = Command::new("python3").args(["-c", script]).arg(file).output().expect("python3 is needed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const STRANGERS: [&str; 3] = [
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(c.execute('select count(*) from events').fetchall()); c.close()",
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('begin immediate'); c.execute('rollback'); c.close()",
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); d = sqlite3.connect(':memory:'); c.backup(d); d.close(); c.close()",
];

/// Tells so many answers that the log is in use.
fn tell_some(study: &mut Study, n: usize) {
    for i in 0..n {
        let (a, b) = (item(&(i % 20).to_string()), item(&((i + 7) % 20).to_string()));
        study.tell_pair("ann", (&a, &b), Answer::Left, Some(&format!("some/{i}"))).unwrap();
    }
}

fn answers(path: &Path) -> u64 {
    Study::open(path, None).unwrap().history("ann").unwrap().answers()
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_opening_leaves_the_locks_of_the_first() {
    use std::os::unix::fs::MetadataExt;
    let lab = Lab::new();
    let file = lab.path("s.study");
    let mut study = lab.study(&numbered(20));
    tell_some(&mut study, 12);
    let inode = fs::metadata(&file).unwrap().ino();
    // The bytes of SQLite's shared locks: every open connection that has a log holds them.
    let shared = || {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let own = format!(" {} ", std::process::id());
        locks.lines().any(|l| l.contains(&own) && l.contains(&format!(":{inode} 1073741826 1073742335")))
    };
    assert!(shared());
    drop(Store::open(&file).unwrap());
    drop(lab.again());
    assert!(check::check(&file).unwrap().ok);
    assert!(Store::open_or_create(&file).is_ok() && shared());
    drop(study);
    assert!(!shared());
}

#[test]
fn strangers_that_come_and_go_cost_no_answer() {
    for stranger in STRANGERS {
        let lab = Lab::new();
        let file = lab.path("s.study");
        drop(lab.study(&numbered(20)));
        let (child, mut acks) = spawn(&file, "ann");
        assert_eq!(acks.by_ref().take(20).count(), 20);
        python(stranger, &file);
        let more: Vec<usize> = acks.by_ref().take(150).collect();
        python(stranger, &file);
        let lost = kill_and_count(&file, "ann", child, acks, 20 + more.len());
        assert_eq!(lost, 0, "{stranger}");
    }
}

#[test]
fn two_writers_and_a_stranger_that_checkpoints_lose_nothing() {
    let lab = Lab::new();
    let file = lab.path("s.study");
    drop(lab.study(&numbered(20)));
    let children: Vec<_> = ["ann", "bob"].map(|name| spawn(&file, name)).into_iter().collect();
    let script = "import sqlite3, sys
for i in range(200):
    c = sqlite3.connect(sys.argv[1], timeout=60)
    c.execute('pragma wal_checkpoint(truncate)').fetchall()
    n = c.execute('select count(*) from events').fetchone()[0]
    c.close()
print(n)";
    let stranger = std::thread::spawn({
        let file = file.clone();
        move || python(script, &file)
    });
    for (mut child, acks) in children {
        assert_eq!(acks.count(), crate::crash::TELLS);
        assert!(child.wait().unwrap().success());
    }
    stranger.join().unwrap();
    for name in ["ann", "bob"] {
        assert_eq!(lab.again().history(name).unwrap().answers(), crate::crash::TELLS as u64);
    }
    assert!(check::check(&file).unwrap().ok);
}

/// A study in use, and what happens to its files meanwhile.
fn moved(what: Moved, happen: impl FnOnce(&Path)) {
    let lab = Lab::new();
    let file = lab.path("s.study");
    let mut study = lab.study(&numbered(20));
    tell_some(&mut study, 15);
    happen(&file);
    let (a, b) = (item("0"), item("1"));
    for (i, key) in ["x", "x", "y"].into_iter().enumerate() {
        let refused = study.tell_pair("ann", (&a, &b), Answer::Right, Some(key)).unwrap_err();
        let Error::Moved { what: found, rescue: Ok(rescue), .. } = &refused else { panic!("{refused}") };
        assert_eq!(*found, what);
        assert!(refused.to_string().contains(&rescue.display().to_string()), "{refused}");
        // All answers, and those that were refused, each once.
        assert_eq!(answers(rescue), if i < 2 { 16 } else { 17 }, "{refused}");
        assert!(check::check(rescue).unwrap().ok);
    }
    assert!(matches!(study.ask("ann"), Err(Error::Moved { .. })));
    let files = fs::read_dir(lab.path(""))
        .unwrap()
        .filter(|f| f.as_ref().unwrap().path().to_string_lossy().contains("rescued"));
    assert_eq!(files.count(), 1);
}

#[test]
fn a_removed_or_replaced_file_is_written_to_no_more() {
    moved(Moved::FileRemoved, |file| {
        for ending in ["", "-wal", "-shm"] {
            fs::remove_file(beside(file, ending)).unwrap();
        }
    });
    moved(Moved::FileReplaced, |file| {
        let copy = beside(file, "-copy");
        fs::copy(file, &copy).unwrap();
        fs::rename(copy, file).unwrap();
    });
    moved(Moved::LogRemoved, |file| fs::remove_file(beside(file, "-wal")).unwrap());
    moved(Moved::LogReplaced, |file| {
        fs::rename(beside(file, "-wal"), beside(file, "-old")).unwrap();
        fs::write(beside(file, "-wal"), "").unwrap();
    });
}

#[test]
fn a_file_that_is_removed_before_the_log_is_in_use_is_missed_too() {
    let lab = Lab::new();
    let mut study = lab.study(&numbered(20));
    tell_some(&mut study, 2);
    fs::remove_file(lab.path("s.study")).unwrap();
    let refused = study.tell_pair("ann", (&item("0"), &item("1")), Answer::Right, None).unwrap_err();
    let Error::Moved { rescue: Ok(rescue), .. } = &refused else { panic!("{refused}") };
    assert_eq!(answers(rescue), 3);
}

#[test]
fn a_closed_file_is_one_file_and_a_copy_of_an_open_one_is_recognised() {
    let lab = Lab::new();
    let (file, copy) = (lab.path("s.study"), lab.path("copy.study"));
    let mut study = lab.study(&numbered(20));
    tell_some(&mut study, 30);
    ask(&mut study, "ann");
    fs::copy(&file, &copy).unwrap();
    for attempt in 0..2 {
        let open = Study::open(&copy, None).unwrap();
        let notices = open.notices().unwrap();
        assert!(notices.len() == 1 && notices[0].contains("copy.study-wal"), "{attempt}: {notices:?}");
    }
    fs::copy(beside(&file, "-wal"), beside(&copy, "-wal")).unwrap();
    let report = check::check(&copy).unwrap();
    assert!(report.ok && report.notices.is_empty(), "{report:?}");
    let log = report.log.unwrap();
    assert!(log.belongs && log.answers.unwrap() > 15 && log.contents.transactions > 15, "{log:?}");
    assert_eq!(answers(&copy), 30);
    assert!(!beside(&copy, "-wal").exists());

    let backup = lab.path("backup.study");
    let made = study.backup(&backup, false).unwrap();
    assert_eq!((made.studies, made.events), (vec!["s".to_owned()], 31));
    assert!(study.backup(&backup, false).unwrap_err().to_string().contains("--force"));
    study.backup(&backup, true).unwrap();
    assert!(study.backup(&file, true).unwrap_err().to_string().contains("is the study itself"));
    drop(study);
    assert!(!beside(&file, "-wal").exists() && !beside(&file, "-shm").exists());
    assert_eq!((answers(&file), answers(&backup)), (30, 30));
    let open = Study::open(&backup, None).unwrap();
    assert!(open.notices().unwrap().is_empty());
}

#[test]
fn the_log_of_another_copy_is_not_applied() {
    let lab = Lab::new();
    let (file, backup) = (lab.path("s.study"), lab.path("backup.study"));
    let mut study = lab.study(&numbered(20));
    tell_some(&mut study, 20);
    study.backup(&backup, false).unwrap();
    tell_some(&mut study, 30);
    let log = fs::read(beside(&file, "-wal")).unwrap();
    drop(study);
    // Somebody restores the backup beside the log of a crash.
    fs::copy(&backup, &file).unwrap();
    fs::write(beside(&file, "-wal"), &log).unwrap();
    let before = fs::read(&file).unwrap();
    for refused in [Study::open(&file, None).map(|_| ()), Store::open_or_create(&file).map(|_| ())] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, Error::ForeignLog { .. }), "{refused}");
        assert!(refused.to_string().contains("s.study-shm"), "{refused}");
    }
    let report = check::check(&file).unwrap();
    assert!(!report.ok && !report.log.unwrap().belongs);
    assert_eq!(report.studies[0].answers, 20);
    assert_eq!(fs::read(&file).unwrap(), before, "nothing was applied");
    fs::remove_file(beside(&file, "-wal")).unwrap();
    assert_eq!(answers(&file), 20);
}

#[test]
fn a_copy_without_the_log_that_has_everything_is_not_called_empty() {
    // As the program of version 0.1.0 made a file: the first page, and all else in the log.
    let lab = Lab::new();
    let (file, copy) = (lab.path("s.study"), lab.path("copy.study"));
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE studies (id)").unwrap();
    fs::copy(&file, &copy).unwrap();
    for refused in [Study::open(&copy, None).map(|_| ()), Store::open_or_create(&copy).map(|_| ())] {
        let sentence = refused.unwrap_err().to_string();
        assert!(sentence.contains("copy.study-wal") && !sentence.contains("empty"), "{sentence}");
    }
}

#[test]
fn what_does_not_fit_the_definition_was_damaged() {
    let change = "DROP TRIGGER events_are_not_changed; ";
    for (sql, said) in [
        ("UPDATE events SET left_side = '\"O/long\"' WHERE id = 3", "event 3: \"O/long\" is no item"),
        // A flipped bit that leaves no UTF-8.
        ("UPDATE events SET left_side = CAST(x'ff' AS TEXT) WHERE id = 3", "utf-8"),
        ("UPDATE events SET participant = '' WHERE id = 3", "no participant"),
        ("UPDATE events SET count = 0 WHERE id = 3", "event 3 counts 0 times"),
        ("UPDATE events SET kind = 'asoed' WHERE id = 3", "\"asoed\""),
        ("ALTER TABLE events RENAME COLUMN duel TO dual", "duel"),
    ] {
        let lab = Lab::new();
        let file = lab.path("s.study");
        tell_some(&mut lab.study(&numbered(20)), 5);
        let spoil = rusqlite::Connection::open(&file).unwrap();
        spoil.execute_batch(&format!("{change}{sql}")).unwrap();
        drop(spoil);
        let sentence = Study::open(&file, None)
            .and_then(|mut study| study.export(rather_study::Format::Csv, None))
            .unwrap_err()
            .to_string();
        assert!(sentence.contains("rather study check") && sentence.contains("-wal"), "{sql}: {sentence}");
        let report = check::check(&file).unwrap();
        assert!(!report.ok, "{sql}: {report:?}");
        assert!(sentence.contains(said), "{sql}: {sentence}");
    }
}
