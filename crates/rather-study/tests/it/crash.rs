//! Processes that are killed, and processes at the same time.
//!
//! The children are this test program itself, told by variables of the environment what to do.

use crate::lab::{Lab, ask, item, numbered};
use rather_study::definition::Answers;
use rather_study::{Answer, Definition, Study};
use std::collections::HashMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const FILE: &str = "RATHER_STUDY_CHILD_FILE";
const NAME: &str = "RATHER_STUDY_CHILD_NAME";
pub(crate) const TELLS: usize = 200;

fn definition() -> Definition {
    let mut definition = numbered(20);
    definition.policy.acquisition = "random".parse().unwrap();
    definition
}

/// Questions about sets, which nobody waits for.
fn sets() -> Definition {
    Definition { time_limit: 0.01, ..numbered(20).asking(4, Answers::Best) }
}

/// Tells answer `i`, as often as need be.
fn tell(study: &mut Study, name: &str, i: usize) {
    let key = format!("{name}/{i}");
    if study.definition().is_of_sets() {
        let options = [0, 3, 7, 11].map(|step| item(&((i + step) % 20).to_string()));
        study.tell_about(name, &options, Answer::Best(2), Some(&key)).unwrap();
        if i.is_multiple_of(20) {
            ask(study, name);
            study.tell(name, None, Answer::Skip, Some(&format!("skip/{key}"))).unwrap();
        }
    } else if i.is_multiple_of(2) {
        // Between two prior answers, so that asking costs no time.
        let (a, b) = (item(&(i % 20).to_string()), item(&((i + 7) % 20).to_string()));
        study.tell_pair(name, (&a, &b), Answer::Left, Some(&key)).unwrap();
    } else {
        ask(study, name);
        study.tell(name, None, Answer::Right, Some(&key)).unwrap();
    }
}

/// What a child does: nothing in an ordinary run of the tests.
#[test]
fn child() {
    let (Ok(file), Ok(name)) = (env::var(FILE), env::var(NAME)) else { return };
    let mut study = Study::open(file.as_ref(), None).unwrap();
    // A program that opens the file twice must not lose the locks of the first time.
    drop(Study::open(file.as_ref(), None).unwrap());
    let mut out = std::io::stdout();
    for i in 0..TELLS {
        tell(&mut study, &name, i);
        // Also the harness writes lines.
        writeln!(out, "\nack {i}").unwrap();
        out.flush().unwrap();
        if i % 50 == 30 {
            drop(rather_study::store::Store::open(file.as_ref()).unwrap());
        }
    }
}

pub(crate) fn spawn(file: &Path, name: &str) -> (Child, impl Iterator<Item = usize> + use<>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .env(FILE, file)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let acks = lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("ack ")?.parse().ok());
    (child, acks)
}

/// Kills a child in the middle of its work; how many of the answers are lost that it acknowledged, of which `seen` were read before.
pub(crate) fn kill_and_count(
    file: &Path,
    name: &str,
    mut child: Child,
    acks: impl Iterator<Item = usize>,
    seen: usize,
) -> usize {
    child.kill().unwrap();
    child.wait().unwrap();
    let acknowledged = seen + acks.count();
    let mut study = Study::open(file, None).unwrap();
    assert_eq!(study.history(name).unwrap().answers(), counts(file, name).len() as u64);
    (0..acknowledged).filter(|i| !counts(file, name).contains_key(&format!("key/{name}/{i}"))).count()
}

/// How often each answer is in the file.
fn counts(file: &Path, name: &str) -> HashMap<String, u32> {
    let connection = rusqlite::Connection::open(file).unwrap();
    let sql = "SELECT key, count(*) FROM events WHERE kind = 'answered' AND participant = ?1 GROUP BY key";
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

#[test]
fn killed_processes_lose_nothing_that_was_acknowledged() {
    // Side by side, since most of the time is spent waiting for the disk.
    std::thread::scope(|scope| {
        for group in 0..5 {
            scope.spawn(move || (0..10).for_each(|round| kill_one(&definition(), 10 * group + round)));
        }
    });
}

#[test]
fn killed_processes_lose_no_answers_about_sets() {
    (0..5).for_each(|round| kill_one(&sets(), 50 + round));
}

fn kill_one(definition: &Definition, round: u64) {
    let mut rng = rather_numerics::random::stream(11, round);
    let lab = Lab::new();
    let file = lab.path("s.study");
    drop(lab.study(definition));
    let (mut child, mut acks) = spawn(&file, "ann");
    let wanted = (rather_numerics::random::uniform(&mut rng) * TELLS as f64) as usize;
    let mut acknowledged: Vec<usize> = acks.by_ref().take(wanted).collect();
    // Somewhere in one of the next answers.
    std::thread::sleep(Duration::from_micros((rather_numerics::random::uniform(&mut rng) * 2e4) as u64));
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged.extend(acks);

    let mut study = Study::open(&file, None).unwrap();
    let found = counts(&file, "ann");
    assert!(found.values().all(|&n| n == 1), "round {round}");
    for i in &acknowledged {
        assert!(found.contains_key(&format!("key/ann/{i}")), "round {round}: answer {i} is lost");
    }
    // At most one answer was recorded and not yet acknowledged.
    assert!(found.len() <= acknowledged.len() + 1, "round {round}");
    assert_eq!(study.history("ann").unwrap().answers(), found.len() as u64);
    let connection = rusqlite::Connection::open(&file).unwrap();
    let whole: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
    // Whoever is not sure tells again.
    let more = acknowledged.len()..acknowledged.len() + 3;
    more.clone().for_each(|i| tell(&mut study, "ann", i));
    assert_eq!(study.history("ann").unwrap().answers(), more.end as u64);
}

#[test]
fn processes_at_the_same_time_lose_nothing() {
    let lab = Lab::new();
    let file = lab.path("s.study");
    drop(lab.study(&definition()));
    // Two people at once, and one person at two machines, whose keys make each answer count once.
    let children: Vec<_> = ["ann", "bob", "ann"].map(|name| spawn(&file, name)).into_iter().collect();
    for (mut child, acks) in children {
        assert_eq!(acks.count(), TELLS);
        assert!(child.wait().unwrap().success());
    }
    for name in ["ann", "bob"] {
        let found = counts(&file, name);
        assert_eq!(found.len(), TELLS);
        assert!(found.values().all(|&n| n == 1));
        assert_eq!(lab.again().history(name).unwrap().answers(), TELLS as u64);
    }
}
