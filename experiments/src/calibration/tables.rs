//! Real tables: a few answers are learned from, and the stated probabilities of others are held against what was said.

use anyhow::Result;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rather::Comparison;
use rather::answers::{Answer, Answers};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model};
use rayon::prelude::*;

use super::Options;
use super::bins::{Clusters, Stated, bins, log_loss, print, worst};
use crate::tables::crowds::{self, Crowd};
use crate::tables::read::{self, Table};

/// Times that a table is split at random: oftener where a fit is of few items, whose splits differ more.
const DRAWS: usize = 4;
const DRAWS_OF_FEW: usize = 40;
const FEW_ITEMS: usize = 30;
/// Answers learned from: so many an item, at most so many, and at most half of all.
const AN_ITEM: usize = 10;
const MOST: usize = 400;
/// Answers that a table is thinned to.
const TABLE: usize = 4000;
/// Answers that are tested a draw.
const TESTED: usize = 1000;
/// Answers that each user has given, and as many of the others as are tested.
const OF_A_USER: usize = 10;
const TESTED_OF_A_USER: usize = 40;

pub(super) fn run(options: &Options) -> Result<()> {
    let folder = &options.data.folder;
    if !folder.is_dir() {
        println!(
            "skipped: no folder {}; name that of the data sets with --data or RATHER_DATA",
            folder.display()
        );
        return Ok(());
    }
    println!(
        "| table | items | learned from | tested | maximised: worst bin | log loss | default: worst bin | log loss |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut all = [Vec::new(), Vec::new()];
    for name in read::NAMES.iter().filter(|name| options.asks_for(name)) {
        let table = read::read(name, folder)?.subsampled(TABLE, options.seed);
        let learned = (AN_ITEM * table.items.keys.len()).min(MOST).min(table.comparisons.len() / 2);
        let of = |integration| of_table(&table, learned, integration, options.seed);
        let both = [of(Integration::Off)?, of(Integration::Auto)?];
        row(&format!("{name} | {} | {learned}", table.items.keys.len()), &both, options);
        all.iter_mut().zip(both).for_each(|(all, stated)| all.extend(stated));
    }
    row("all of them | | ", &all, options);
    println!("\n| table of users | model | users | learned from | tested | worst bin | log loss |");
    println!("|---|---|---|---|---|---|---|");
    for name in crowds::NAMES.iter().filter(|name| options.asks_for(name)) {
        let crowd = crowds::read(name, folder)?;
        for kind in Kind::ALL.into_iter().filter(|&kind| options.tries(kind)) {
            let stated = of_users(&crowd, kind, options.seed)?;
            let found = bins(&stated);
            println!(
                "| {name} | {} | {} | {OF_A_USER} each | {} | {} | {:.4} |",
                kind.name(),
                crowd.users.len(),
                stated.len(),
                worst(&found),
                log_loss(&stated)
            );
            if options.bins {
                print(&found, 6);
            }
        }
    }
    Ok(())
}

fn row(head: &str, both: &[Vec<Stated>; 2], options: &Options) {
    let found = both.each_ref().map(|stated| bins(stated));
    let shown: Vec<String> = found
        .iter()
        .zip(both)
        .map(|(found, stated)| format!("{} | {:.4}", worst(found), log_loss(stated)))
        .collect();
    println!("| {head} | {} | {} |", both[0].len(), shown.join(" | "));
    if options.bins {
        found.iter().for_each(|found| print(found, 7));
    }
}

/// What is said of held-out answers of a table, over all draws.
fn of_table(table: &Table, learned: usize, integration: Integration, seed: u64) -> Result<Vec<Stated>> {
    let draw = |number: usize| {
        let mut said = table.comparisons.clone();
        said.shuffle(&mut ChaCha8Rng::seed_from_u64(seed + number as u64));
        let (train, test) = said.split_at(learned);
        let comparison = |&(winner, loser): &(usize, usize)| Comparison { winner, loser, count: 1.0 };
        let train: Vec<Comparison> = train.iter().map(comparison).collect();
        let inference = Inference::Ep(Ep { integration, ..Ep::default() });
        let settings = FitSettings { inference, ..FitSettings::default() };
        let model = Model::fit(&table.items, &train, &settings, &|_| ())?;
        let test = &test[..test.len().min(TESTED)];
        let stated = model.probabilities(model.points(), test);
        let of_pair = |(p, &pair): (f64, &(usize, usize))| {
            Stated::new(p, 1.0, Clusters::Pair(number_of(pair, table.items.keys.len())))
        };
        Ok(stated.into_iter().zip(test).map(of_pair).collect::<Vec<_>>())
    };
    let draws = if table.items.keys.len() > FEW_ITEMS { DRAWS } else { DRAWS_OF_FEW };
    let all = (0..draws).into_par_iter().map(draw).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// What is said of each user's held-out answers, over all draws.
fn of_users(crowd: &Crowd, kind: Kind, seed: u64) -> Result<Vec<Stated>> {
    let draw = |number: usize| {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed + number as u64);
        let mut shuffled = crowd.users.clone();
        shuffled.iter_mut().for_each(|said| said.shuffle(rng));
        let given = |said: &Vec<(usize, usize)>| OF_A_USER.min(said.len() / 2);
        let answers: Answers = shuffled
            .iter()
            .enumerate()
            .flat_map(|(u, said)| said[..given(said)].iter().map(move |&(a, b)| Answer::rather(a, b).by(u)))
            .collect();
        let users = Items { keys: (0..shuffled.len()).map(|u| u.to_string()).collect(), columns: Vec::new() };
        let data = PopulationData { items: &crowd.items, users: &users, answers: &answers };
        let model = Population::fit(&data, &PopulationSettings::new(kind), &|_| ())?;
        let mut stated = Vec::new();
        for (u, said) in shuffled.iter().enumerate() {
            let posterior = model.model().user(u)?;
            let test = &said[given(said)..];
            let test = &test[..test.len().min(TESTED_OF_A_USER)];
            let p = model.model().predict_with(&posterior, test)?.probability;
            let of_pair = |(p, &pair): (f64, &(usize, usize))| {
                let pair = number_of(pair, crowd.items.keys.len());
                Stated::new(p, 1.0, Clusters::UserAndPair(u, pair))
            };
            stated.extend(p.into_iter().zip(test).map(of_pair));
        }
        Ok(stated)
    };
    let all = (0..DRAWS).into_par_iter().map(draw).collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// One number a pair of so many items, whichever is first.
fn number_of((a, b): (usize, usize), items: usize) -> usize {
    a.min(b) * items + a.max(b)
}
