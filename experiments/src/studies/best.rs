//! The stated probability that the recommended item is the best, against how often it is.

use anyhow::{Context, Result};
use rather::design::Policy;
use rather_numerics::random::{normals, stream};
use rather_study::{Alternative, Definition};

use super::Options;
use super::person::{Person, each};

const ITEMS: usize = 10;
const AFTER: [usize; 3] = [8, 20, 40];

pub(super) fn run(options: &Options) -> Result<()> {
    println!(
        "{ITEMS} items, {} people a row: probability that the recommended one is the best\n",
        options.repeats
    );
    println!("| policy | sd of utilities | answers | stated | observed | difference |");
    println!("|---|---|---|---|---|---|");
    for policy in &options.policies {
        for (row, &sd) in options.sds.iter().enumerate() {
            let one = |person| study(options, policy.policy, options.seed(row as u64, person), sd);
            print(&policy.name, sd, &each(options.repeats, one)?);
        }
    }
    Ok(())
}

fn print(policy: &str, sd: f64, people: &[[(f64, bool); 3]]) {
    for (at, answers) in AFTER.into_iter().enumerate() {
        let n = people.len() as f64;
        let stated = people.iter().map(|p| p[at].0).sum::<f64>() / n;
        let observed = people.iter().filter(|p| p[at].1).count() as f64 / n;
        println!("| {policy} | {sd} | {answers} | {stated:.3} | {observed:.3} | {:+.3} |", stated - observed);
    }
}

/// What is stated, and whether it is so, after each number of answers.
fn study(options: &Options, policy: Policy, seed: u64, sd: f64) -> Result<[(f64, bool); 3]> {
    let utilities = normals(ITEMS, &mut stream(seed, 0));
    let number = |alternative: &Alternative| match alternative {
        Alternative::Item(key) => key.parse().unwrap_or(0),
        Alternative::Setting(_) => 0,
    };
    let utility = |alternative: &Alternative| sd * utilities[number(alternative)];
    let best =
        (0..ITEMS).max_by(|&a, &b| utilities[a].total_cmp(&utilities[b])).context("there are items")?;
    let items = Definition::of_items((0..ITEMS).map(|i| i.to_string())).subject;
    let definition = options.definition(items, policy, seed);
    let mut person = Person::new(&definition, seed, &utility)?;
    let mut out = [(0.0, false); 3];
    for answers in 1..=AFTER[2] {
        person.answer()?;
        if let Some(at) = AFTER.iter().position(|&after| after == answers) {
            let advice = person.advice()?;
            let stated = advice.probability_best.context("a list has a best item")?;
            out[at] = (stated, number(&advice.recommended) == best);
        }
    }
    Ok(out)
}
