//! How long a person waits: asking after telling, 200 items and 500 answers, and what happens while they listen.
//!
//! Own harness: the median and the 99th percentile of whole rounds, each on the history that the last one left.

use rather::features::{Column, ColumnValues};
use rather_study::definition::{Items, Subject};
use rather_study::{Alternative, Answer, Ask, Definition, Study};
use std::time::{Duration, Instant};

const ITEMS: usize = 200;
const ANSWERS: usize = 500;
const ROUNDS: usize = 100;

fn main() {
    // `cargo test` runs benches too, with this flag: building them is test enough.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    println!(
        "{ITEMS} items, {ANSWERS} answers and more; median and 99th percentile of {ROUNDS} rounds, in milliseconds"
    );
    for (name, features) in [("two features", true), ("no features", false)] {
        run(name, features);
    }
    concurrent();
}

fn definition(features: bool) -> Definition {
    let mut rng = rather_numerics::random::stream(1, 0);
    let mut column = |name: &str| Column {
        name: name.to_owned(),
        values: ColumnValues::Numeric(
            (0..ITEMS).map(|_| rather_numerics::random::uniform(&mut rng)).collect(),
        ),
    };
    let columns = if features { vec![column("x"), column("y")] } else { Vec::new() };
    let keys = (0..ITEMS).map(|i| format!("item {i}")).collect();
    let mut definition = Definition::new(Subject::Items(Items { keys, columns }));
    definition.time_limit = 60.0;
    definition
}

/// Somebody who likes low numbers, with noise.
fn answer(rng: &mut impl FnMut() -> f64, left: &Alternative, right: &Alternative) -> Answer {
    let mut utility = |side: &Alternative| {
        let number: f64 = side.to_string().trim_start_matches("item ").parse().unwrap_or(0.0);
        -4.0 * number / ITEMS as f64 + 0.7 * rng()
    };
    if utility(left) > utility(right) { Answer::Left } else { Answer::Right }
}

fn run(name: &str, features: bool) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("bench.study");
    let mut study = Study::create(&path, "bench", &definition(features)).expect("a study");
    let mut stream = rather_numerics::random::stream(2, 0);
    let mut noise = || rather_numerics::random::normal(&mut stream);
    for i in 0..ANSWERS {
        let side = |n: usize| Alternative::Item(format!("item {}", n % ITEMS));
        let (left, right) = (side(i), side(i * 7 + 1 + i / ITEMS));
        if left != right {
            let said = answer(&mut noise, &left, &right);
            study.tell_pair("ann", (&left, &right), said, None).expect("an answer");
        }
    }
    let (mut tell, mut planned, mut cold, mut ahead, mut open) = (vec![], vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        let (asked, took) = timed(|| study.ask("ann").expect("a duel"));
        let Ask::Duel(asked) = asked else { unreachable!("there is no budget") };
        if asked.planned {
            planned.push(took)
        } else {
            cold.push(took)
        }
        if round % 10 != 9 {
            ahead.push(timed(|| study.plan_ahead("ann", &|| true).expect("plans")).1);
        }
        let said = answer(&mut noise, &asked.left, &asked.right);
        tell.push(timed(|| study.tell("ann", Some(asked.number), said, None).expect("an answer")).1);
        open.push(
            timed(|| {
                Study::open(&path, None).and_then(|mut s| s.history("ann").map(|_| ())).expect("a study")
            })
            .1,
        );
    }
    println!("\n{name}");
    line("ask, chosen ahead", planned);
    line("ask, chosen now", cold);
    line("tell (durable)", tell);
    line("choose ahead, 4 answers", ahead);
    line("open and read", open);
}

/// Fifty people answer at once, each with a connection of their own.
fn concurrent() {
    const PEOPLE: usize = 50;
    const EACH: usize = 20;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("bench.study");
    drop(Study::create(&path, "bench", &definition(false)).expect("a study"));
    let start = Instant::now();
    let tell: Vec<Duration> = std::thread::scope(|scope| {
        let person = |i: usize| {
            let path = &path;
            move || {
                let mut study = Study::open(path, None).expect("a study");
                let (a, b) = (Alternative::Item("item 1".into()), Alternative::Item("item 2".into()));
                let name = format!("person {i}");
                let one =
                    |_| timed(|| study.tell_pair(&name, (&a, &b), Answer::Left, None).expect("an answer")).1;
                (0..EACH).map(one).collect::<Vec<_>>()
            }
        };
        let people: Vec<_> = (0..PEOPLE).map(|i| scope.spawn(person(i))).collect();
        people.into_iter().flat_map(|p| p.join().expect("a person")).collect()
    });
    let rate = (PEOPLE * EACH) as f64 / start.elapsed().as_secs_f64();
    println!("\n{PEOPLE} people at once, {EACH} answers each: {rate:.0} answers a second");
    line("tell (durable)", tell);
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

fn line(what: &str, mut took: Vec<Duration>) {
    if took.is_empty() {
        return;
    }
    took.sort();
    let at = |share: f64| took[((took.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1e3;
    println!("  {what:<24} {:>9.2} {:>9.2}   ({} rounds)", at(0.5), at(0.99), took.len());
}
