//! GenAI-Bench: what model judges say together, each weighted by how far the others bear it out, against the humans, whose votes are not seen.

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use rather::answers::{Answer, Answers};
use rather::context::{ContextColumn, Sides};
use rather::features::{Column, ColumnValues};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{FitSettings, Items, Model};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

/// The votes of a pair by judge.
type Votes = BTreeMap<String, String>;

/// Judges that are no models: the humans, and a coin.
const HUMAN: &str = "human";
const COIN: &str = "random";

pub(super) fn run(data: &Path) -> Result<()> {
    let path = data.join("genai_bench/votes.csv.gz");
    let file = File::open(&path).with_context(|| format!("{}", path.display()))?;
    let mut tasks: BTreeMap<String, BTreeMap<String, Votes>> = BTreeMap::new();
    for row in csv::Reader::from_reader(GzDecoder::new(file)).records() {
        let row = row?;
        let votes = tasks.entry(row[0].to_owned()).or_default().entry(row[1].to_owned()).or_default();
        votes.insert(row[2].to_owned(), row[3].to_owned());
    }
    println!("| task | pairs | best single judge | majority | weighted |\n|---|--:|--:|--:|--:|");
    let mut sums = [0.0; 3];
    let mut by_judge: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (task, pairs) in &tasks {
        let pairs: Vec<&Votes> = pairs.values().filter(|votes| votes.contains_key(HUMAN)).collect();
        let judges: BTreeSet<&String> = pairs
            .iter()
            .flat_map(|votes| votes.keys())
            .filter(|j| ![HUMAN, COIN].contains(&j.as_str()))
            .collect();
        // A judge of few pairs could be the best by chance: at least nine in ten.
        let mut best = 0.0_f64;
        for judge in &judges {
            let own: Vec<&&Votes> = pairs.iter().filter(|votes| votes.contains_key(*judge)).collect();
            if 10 * own.len() >= 9 * pairs.len() {
                let right = own.iter().filter(|votes| votes[*judge] == votes[HUMAN]).count();
                let share = right as f64 / own.len() as f64;
                best = best.max(share);
                by_judge.entry((*judge).clone()).or_default().push(share);
            }
        }
        let majority: Vec<String> = pairs.iter().map(|votes| plurality(votes, |_| 1.0)).collect();
        let majority = agreement(&pairs, &majority);
        let weighted = agreement(&pairs, &weighted(&pairs, &judges)?);
        println!(
            "| {task} | {} | {:.1} % | {:.1} % | {:.1} % |",
            pairs.len(),
            100.0 * best,
            100.0 * majority,
            100.0 * weighted
        );
        sums.iter_mut().zip([best, majority, weighted]).for_each(|(sum, x)| *sum += x / tasks.len() as f64);
    }
    let all = by_judge.iter().filter(|(_, shares)| shares.len() == tasks.len());
    let mean = |shares: &Vec<f64>| shares.iter().sum::<f64>() / shares.len() as f64;
    if let Some((judge, shares)) = all.max_by(|a, b| mean(a.1).total_cmp(&mean(b.1))) {
        println!("best judge of all tasks: {judge}, {:.1} % on average", 100.0 * mean(shares));
    }
    println!("on average: majority {:.1} %, weighted {:.1} %", 100.0 * sums[1], 100.0 * sums[2]);
    Ok(())
}

/// The share of pairs on which the humans are met.
fn agreement(pairs: &[&Votes], answers: &[String]) -> f64 {
    let same = pairs.iter().zip(answers).filter(|(votes, answer)| votes[HUMAN] == **answer).count();
    same as f64 / pairs.len().max(1) as f64
}

/// The answer of the most weight.
fn plurality(votes: &Votes, weight: impl Fn(&str) -> f64) -> String {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    let models = votes.iter().filter(|(judge, _)| ![HUMAN, COIN].contains(&judge.as_str()));
    models.for_each(|(judge, vote)| *sums.entry(vote).or_default() += weight(judge));
    sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(String::new(), |(vote, _)| vote.to_owned())
}

/// Images, and what each judge finds on the left better by.
const KERNEL: &str = "white[item] + linear[left]*white[judge]";

/// The answer of the most weight: each judge's is the inverse of the variance of their noise, as a model of all decisive votes learns it in which
/// the left has an advantage of its own with each judge. Those who always prefer the left tell it nothing.
fn weighted(pairs: &[&Votes], judges: &BTreeSet<&String>) -> Result<Vec<String>> {
    let model = of_decisive_votes(pairs, judges)?;
    let factors: BTreeMap<String, f64> = model.reported_hyperparameters().into_iter().collect();
    let weight = |judge: &str| factors.get(&format!("factor[{judge}]")).map_or(0.0, |noise| noise.powi(-2));
    Ok(pairs.iter().map(|votes| plurality(votes, weight)).collect())
}

fn of_decisive_votes(pairs: &[&Votes], judges: &BTreeSet<&String>) -> Result<Model> {
    let users: Vec<String> = judges.iter().map(|judge| (*judge).clone()).collect();
    let (mut answers, mut items, mut by) = (Answers::default(), Vec::new(), Vec::new());
    for (pair, votes) in (0..).zip(pairs) {
        for (user, name) in users.iter().enumerate() {
            let (left, right) = (items.len(), items.len() + 1);
            match votes.get(name).map(String::as_str) {
                Some("left") => answers.push(Answer::rather(left, right).by(user)),
                Some("right") => answers.push(Answer::rather(right, left).by(user)),
                _ => continue,
            }
            items.extend([2 * pair, 2 * pair + 1]);
            by.extend([name.clone(), name.clone()]);
        }
    }
    let left = (0..items.len()).map(|side| if side % 2 == 0 { 1.0 } else { 0.0 }).collect();
    let column = |name: &str, values, shared| ContextColumn {
        column: Column { name: name.into(), values },
        shared,
        date: false,
    };
    let columns = vec![
        column("left", ColumnValues::Numeric(left), false),
        column("judge", ColumnValues::Text(by), true),
    ];
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: KERNEL.into(), ard: false }),
        response_model: ResponseModel { user_noise: true, ..ResponseModel::default() },
        ..FitSettings::default()
    };
    let keys = (0..2 * pairs.len()).map(|item| item.to_string()).collect();
    let sides = Sides { items, columns, teams: vec![] };
    let items = Items { keys, columns: vec![] };
    Ok(Model::fit_in_context(&items, &sides, answers, &users, &settings, &|_| ())?)
}
