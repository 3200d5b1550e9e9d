//! The loss of power, played back: of the operations that a session did, every prefix is what the disk may have, less what was not yet
//! synchronised.

use crate::how_many;
use crate::layer::{Operation, folder, operations, run};
use rather_study::Study;
use rather_study::store::check;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What becomes of operations that were not synchronised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unsynced {
    /// They are lost: data as well as names.
    Lost,
    /// They happened.
    Kept,
    /// Every other write of them happened, names all did.
    Torn,
}

/// A disk: files by number, names, and of both what is durable.
#[derive(Default, Clone)]
struct Disk {
    files: Vec<File>,
    names: BTreeMap<PathBuf, usize>,
    durable: BTreeMap<PathBuf, usize>,
}

#[derive(Default, Clone)]
struct File {
    content: Vec<u8>,
    /// What a loss of power leaves, and what may come on top of it.
    durable: Vec<u8>,
    pending: Vec<Operation>,
}

fn apply(content: &mut Vec<u8>, operation: &Operation) {
    match operation.what {
        'W' => {
            let end = operation.at + operation.data.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            content[operation.at..end].copy_from_slice(&operation.data);
        }
        'T' => content.resize(operation.at, 0),
        'E' => content.clear(),
        _ => {}
    }
}

impl Disk {
    fn take(&mut self, folder: &Path, operation: &Operation) {
        let Operation { what, path, other, .. } = operation;
        match what {
            'C' => {
                self.files.push(File::default());
                self.names.insert(path.clone(), self.files.len() - 1);
            }
            'S' if path == folder => self.durable = self.names.clone(),
            'S' => {
                // The file of a name that was removed has no name to be found by.
                if let Some(file) = self.names.get(path).map(|&n| &mut self.files[n]) {
                    file.durable = file.content.clone();
                    file.pending.clear();
                }
            }
            'W' | 'T' | 'E' => {
                if let Some(file) = self.names.get(path).map(|&n| &mut self.files[n]) {
                    apply(&mut file.content, operation);
                    file.pending.push(operation.clone());
                }
            }
            'R' => {
                if let Some(file) = self.names.remove(path) {
                    self.names.insert(other.clone(), file);
                }
            }
            'L' => {
                if let Some(&file) = self.names.get(path) {
                    self.names.insert(other.clone(), file);
                }
            }
            'U' => {
                self.names.remove(path);
            }
            other => panic!("{other}"),
        }
    }

    /// What is found when the power comes back.
    fn restore(&self, to: &Path, unsynced: Unsynced) {
        fs::create_dir(to).unwrap();
        let names = if unsynced == Unsynced::Lost { &self.durable } else { &self.names };
        for (path, &file) in names {
            let file = &self.files[file];
            let mut content = file.durable.clone();
            let every = match unsynced {
                Unsynced::Lost => usize::MAX,
                Unsynced::Kept => 1,
                Unsynced::Torn => 2,
            };
            for operation in
                file.pending.iter().enumerate().filter(|(i, _)| every < 9 && i % every == 0).map(|(_, o)| o)
            {
                apply(&mut content, operation);
            }
            fs::write(to.join(path.file_name().unwrap()), content).unwrap();
        }
    }
}

#[test]
fn power_may_fail_at_any_moment() {
    let home = folder();
    let (work, log) = (home.path().join("work"), home.path().join("log"));
    fs::create_dir(&work).unwrap();
    fs::write(work.join("items.csv"), "tea\na\nb\nc\n").unwrap();
    fs::write(work.join("more.csv"), "left,right,outcome\na,b,left\nb,c,left\n").unwrap();
    // What each command acknowledges: so many answers are there from then on, and whether they stay when it is undone.
    let tell = |key: usize| format!("study tell s.study left --left a --right b --key {key}");
    let mut lines = vec![("study new s.study --items items.csv".to_owned(), 0)];
    lines.extend((1..4).map(|key| (tell(key), key)));
    lines.push(("study import s.study more.csv".to_owned(), 5));
    lines.extend((4..6).map(|key| (tell(key), key + 2)));
    let mut marks = Vec::new();
    for (line, answers) in &lines {
        let done = run(&work, line, None, Some(&log));
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        marks.push((operations(&log).len(), *answers));
    }
    // A session with a log: every answer is acknowledged by a line of its own.
    let session = crate::studio::session(&work, &log, 12);
    marks.extend(session.iter().enumerate().map(|(i, &at)| (at, 7 + i + 1)));
    let done = operations(&log);
    assert_eq!(marks.last().unwrap().1, 19);
    let wanted = how_many(3 * done.len(), 600);
    let step = (3 * done.len()).div_ceil(wanted);
    let mut disk = Disk::default();
    let (mut losses, mut checked) = (0, 0);
    for (n, operation) in done.iter().enumerate() {
        disk.take(&work, operation);
        for (which, unsynced) in [Unsynced::Lost, Unsynced::Kept, Unsynced::Torn].into_iter().enumerate() {
            if (3 * n + which) % step != 0 {
                continue;
            }
            let acknowledged = marks.iter().rev().find(|(at, _)| *at <= n + 1).map(|(_, answers)| *answers);
            let found = home.path().join("found");
            disk.restore(&found, unsynced);
            checked += 1;
            if let Some(acknowledged) = acknowledged {
                let path = found.join("s.study");
                let context = format!(
                    "after operation {} of {}: {} {}, unsynchronised {unsynced:?}",
                    n + 1,
                    done.len(),
                    operation.what,
                    operation.path.display()
                );
                let answers = Study::open(&path, Some("s")).and_then(|mut s| Ok(s.history("me")?.answers()));
                let answers = answers.unwrap_or_else(|e| panic!("{context}: {e}"));
                losses += usize::from(answers < acknowledged as u64);
                assert!(answers >= acknowledged as u64, "{context}: {answers} of {acknowledged} answers");
                assert!(check::check(&path).unwrap().ok, "{context}");
            }
            fs::remove_dir_all(&found).unwrap();
        }
    }
    println!("{checked} losses of power over {} operations: {losses} answers lost", done.len());
}
