//! Faults in every command that writes.

use crate::how_many;
use crate::layer::{KINDS, copy, folder, operations, run};
use rather_study::store::check;
use rather_study::{Format, Study};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ITEMS: &str = "tea,price\na,1\nb,2\nc,3\nd,4\n";
const DUELS: &str = "winner,loser\nb,a\nc,b\nd,c\nc,a\n";
const MORE: &str = "left,right,outcome,user\na,b,right,ann\nc,d,tie,bob\n";

/// The commands, in their order, with the file that each replaces whole.
const COMMANDS: [(&str, Option<&str>); 9] = [
    ("study new s.study --items items.csv", None),
    ("study tell s.study left --left a --right b --key one", None),
    ("study ask s.study --no-ahead", None),
    ("study tell s.study right --key two", None),
    ("study import s.study more.csv", None),
    ("study undo s.study --key three", None),
    ("study export s.study -o out.jsonl", Some("out.jsonl")),
    ("study backup s.study copy.study", Some("copy.study")),
    ("fit items.csv duels.csv --kernel se -o model.rather --quiet --threads 1", Some("model.rather")),
];

/// The answers of a study, as its log has them: each event, without its time.
fn events(path: &Path) -> BTreeSet<String> {
    let Ok(mut study) = Study::open(path, None) else { return BTreeSet::new() };
    let text = study.export(Format::Jsonl, None).unwrap();
    let event = |line: &str| {
        let mut event: serde_json::Value = serde_json::from_str(line).unwrap();
        event.as_object_mut().unwrap().remove("time");
        event.to_string()
    };
    text.lines().skip(1).map(event).collect()
}

#[test]
fn a_fault_loses_nothing_that_was_acknowledged_and_leaves_nothing_half() {
    let home = folder();
    let before = home.path().join("0");
    fs::create_dir(&before).unwrap();
    for (name, content) in [("items.csv", ITEMS), ("duels.csv", DUELS), ("more.csv", MORE)] {
        fs::write(before.join(name), content).unwrap();
    }
    // A run without faults, which leaves what was there before each command, and counts.
    let mut faults = Vec::new();
    for (i, (line, _)) in COMMANDS.iter().enumerate() {
        let (from, to) = (home.path().join(i.to_string()), home.path().join((i + 1).to_string()));
        copy(&from, &to);
        let log = home.path().join("log");
        let done = run(&to, line, None, Some(&log));
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
        let count = operations(&log).len();
        fs::remove_file(&log).unwrap();
        assert!(count > 2 || line.contains("ask"), "{line} does {count} operations");
        faults.extend((1..=count).flat_map(|at| KINDS.map(|kind| (i, at, kind))));
    }
    let wanted = how_many(faults.len(), 850);
    let (mut injected, mut refused) = (0, 0);
    for n in 0..wanted {
        let (i, at, kind) = faults[n * faults.len() / wanted];
        refused += usize::from(!inject(home.path(), i, (at, kind)));
        injected += 1;
    }
    println!("{injected} faults of {}: {refused} commands failed, nothing was lost", faults.len());
    assert!(refused > injected / 3, "most faults are felt");
}

/// Runs command `i` with a fault; whether it said that it went well.
fn inject(home: &Path, i: usize, fault: (usize, &str)) -> bool {
    let (line, output) = COMMANDS[i];
    let (before, after) = (home.join(i.to_string()), home.join((i + 1).to_string()));
    let work = home.join("work");
    copy(&before, &work);
    let done = run(&work, line, Some(fault), None);
    let well = done.status.success();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let context = format!("{line}: {fault:?}: {said}");
    assert!(!said.contains("panicked"), "{context}");
    // What is begun is ended by the next program.
    let (old, new) = (events(&before.join("s.study")), events(&after.join("s.study")));
    let study = work.join("s.study");
    if study.exists() && i > 0 {
        let found = events(&study);
        assert!(found.is_superset(&old), "{context}: lost {:?}", old.difference(&found).collect::<Vec<_>>());
        // Each command is one transaction, but for the numbers that a retry would have.
        assert!(found == old || found.len() == new.len(), "{context}: half of it is there: {found:?}");
        assert!(!well || found.len() == new.len(), "{context}: acknowledged and not there");
        let report = check::check(&study).unwrap();
        assert!(report.ok, "{context}: {report:?}");
        // A journal that was not begun to be used may lie there until the next transaction.
        assert!(!work.join("s.study-wal").exists(), "{context}");
    } else if well {
        assert!(study.exists(), "{context}");
    }
    if let Some(output) = output {
        let (found, whole) = (work.join(output), after.join(output));
        if found.exists() {
            let same = match output {
                "copy.study" => check::check(&found).unwrap().ok && events(&found) == new,
                _ => fs::read(&found).unwrap() == fs::read(&whole).unwrap(),
            };
            assert!(same, "{context}: {output} is half");
        }
        assert!(!well || found.exists(), "{context}");
    }
    // The same once more, without a fault, ends well or says why not.
    if i > 0 && !well {
        let again = run(&work, line, None, None);
        let said = String::from_utf8_lossy(&again.stderr);
        assert!(
            again.status.success() || said.contains("already") || said.contains("exists"),
            "{context}: then {said}"
        );
    }
    fs::remove_dir_all(&work).unwrap();
    well
}
