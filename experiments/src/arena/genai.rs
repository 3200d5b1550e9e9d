//! GenAI-Bench: what model judges say together, each weighted by how far the others bear it out, against the humans, whose votes are not seen.

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use rather::answers::{Answer, Answers};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::{Lapses, ResponseModel};
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
        // A judge of all tasks, as the anchor has it: at least nine pairs in ten.
        for judge in &judges {
            let own: Vec<&&Votes> = pairs.iter().filter(|votes| votes.contains_key(*judge)).collect();
            if 10 * own.len() >= 9 * pairs.len() {
                let right = own.iter().filter(|votes| votes[*judge] == votes[HUMAN]).count();
                by_judge.entry((*judge).clone()).or_default().push(right as f64 / own.len() as f64);
            }
        }
        let best = by_judge.values().filter_map(|all| all.last()).fold(0.0_f64, |a, &b| a.max(b));
        let majority = agreement(&pairs, &pairs.iter().map(|votes| majority(votes)).collect::<Vec<_>>());
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

/// What most judges say.
fn majority(votes: &Votes) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let models = votes.iter().filter(|(judge, _)| ![HUMAN, COIN].contains(&judge.as_str()));
    models.for_each(|(_, vote)| *counts.entry(vote).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(String::new(), |(vote, _)| vote.to_owned())
}

/// What the model makes of all judges: each has a noise and a lapse rate of their own; both bad is that either is below a common threshold.
fn weighted(pairs: &[&Votes], judges: &BTreeSet<&String>) -> Result<Vec<String>> {
    let users: Vec<String> = judges.iter().map(|judge| (*judge).clone()).collect();
    let keys = (0..2 * pairs.len()).map(|item| item.to_string()).collect();
    let mut answers = Answers::default();
    for (pair, votes) in pairs.iter().enumerate() {
        let (left, right) = (2 * pair, 2 * pair + 1);
        for (user, vote) in users.iter().enumerate().filter_map(|(user, name)| Some((user, votes.get(name)?)))
        {
            match vote.as_str() {
                "left" => answers.push(Answer::better(left, right, 1).by(user)),
                "right" => answers.push(Answer::better(right, left, 1).by(user)),
                "tie" => answers.push(Answer::tie(left, right).by(user)),
                _ => [left, right]
                    .into_iter()
                    .for_each(|item| answers.push(Answer::good(item, false).by(user))),
            }
            // Whoever prefers one, or likes both alike, does not call it bad.
            match vote.as_str() {
                "left" => answers.push(Answer::good(left, true).by(user)),
                "right" => answers.push(Answer::good(right, true).by(user)),
                "tie" => {
                    [left, right].into_iter().for_each(|item| answers.push(Answer::good(item, true).by(user)))
                }
                _ => {}
            }
        }
    }
    let settings = FitSettings {
        kernel: KernelChoice::Given(KernelSpec { expression: "white".into(), ard: false }),
        response_model: ResponseModel {
            user_noise: true,
            lapses: Lapses::ByUser,
            ..ResponseModel::default()
        },
        ..FitSettings::default()
    };
    let model = Model::fit_given(&Items { keys, columns: vec![] }, answers, &users, &settings, &|_| ())?;
    let f = model.belief().utilities(model.points()).mean;
    let good =
        model.reported_hyperparameters().into_iter().find(|(name, _)| name == "good").map_or(0.0, |(_, c)| c);
    let choose = |pair: usize| {
        let (left, right) = (f[2 * pair], f[2 * pair + 1]);
        match () {
            () if left.max(right) < good => "bothbad",
            () if left >= right => "left",
            () => "right",
        }
    };
    Ok((0..pairs.len()).map(|pair| choose(pair).to_owned()).collect())
}
