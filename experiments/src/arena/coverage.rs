//! How many intervals of ratings and ranks hold the truth, in made-up arenas; and how many of the groups that are told apart are apart.

use anyhow::{Result, ensure};
use rather::arena::{self, Board, Cast};
use rather::model::{Items, Model};
use rather_io::{Table, Tied, Voting, settle, votes_of};

use std::collections::HashMap;
use std::path::Path;

use super::votes::{Arena, World};

const Z95: f64 = 1.959963984540054;

/// The arenas: the word that asks for one, what it is, and its votes.
fn arenas() -> [(&'static str, &'static str, Arena, usize); 6] {
    let plain = Arena::PLAIN;
    let few = Arena { voters: 60, taste: 0.6, ..plain };
    [
        ("ties", "independent votes, ties", plain, 2_000),
        ("few", "the same, few votes", plain, 300),
        ("bad", "both bad", Arena { bar: -0.5, ..plain }, 2_000),
        ("style", "style, taken out", Arena { style: 0.5, ..plain }, 2_000),
        ("voters", "60 voters with tastes", few, 2_000),
        ("all", "60 voters, style, both bad", Arena { style: 0.5, bar: -0.5, ..few }, 2_000),
    ]
}

pub(super) fn run(worlds: u64, of: &[String], keep: Option<&Path>) -> Result<()> {
    let known = arenas().map(|(short, ..)| short);
    for word in of {
        ensure!(
            known.contains(&word.as_str()),
            "there is no arena {word}; the arenas are {}",
            known.join(", ")
        );
    }
    keep.map_or(Ok(()), std::fs::create_dir_all)?;
    println!(
        "| arena | votes | ratings held | ranks held | groups | wrong | by voters |\n|---|--:|--:|--:|--:|--:|--:|"
    );
    for (short, name, arena, votes) in
        arenas().into_iter().filter(|(short, ..)| of.iter().any(|word| word == short))
    {
        let mut sum = Held::default();
        for seed in 0..worlds {
            let mut world = World::new(arena, seed);
            let csv = world.csv(votes);
            if let Some(folder) = keep {
                let worth = world.worth.iter().enumerate();
                let truth: String = worth.map(|(model, worth)| format!("m{model},{worth}\n")).collect();
                std::fs::write(
                    folder.join(format!("{short}-{seed}.truth.csv")),
                    format!("model,worth\n{truth}"),
                )?;
                std::fs::write(folder.join(format!("{short}-{seed}.votes.csv")), &csv)?;
            }
            sum.add(&one(arena, &world, csv, seed)?);
        }
        let share = |x: f64, of: f64| 100.0 * x / of.max(1.0);
        println!(
            "| {name} | {votes} | {:.1} % | {:.1} % | {:.1} | {:.1} % | {:.2} |",
            share(sum.ratings, sum.items),
            share(sum.ranks, sum.items),
            sum.groups / worlds as f64,
            share(sum.wrong, sum.groups - worlds as f64),
            sum.widened / worlds as f64
        );
    }
    Ok(())
}

/// How much was held.
#[derive(Default)]
struct Held {
    items: f64,
    ratings: f64,
    ranks: f64,
    groups: f64,
    /// Groups whose first item is not worse than that of the group before.
    wrong: f64,
    widened: f64,
}

impl Held {
    fn add(&mut self, other: &Self) {
        self.items += other.items;
        self.ratings += other.ratings;
        self.ranks += other.ranks;
        self.groups += other.groups;
        self.wrong += other.wrong;
        self.widened += other.widened;
    }
}

/// Voters, and votes, of the board that one of few voters with tastes is an estimate of: fifty times the votes, so its own error is a seventh.
const POPULATION: (usize, usize) = (50_000, 100_000);

/// A model of votes, with its board's items and what voters add.
struct Fitted {
    model: Model,
    items: Vec<String>,
    belief: arena::Belief,
}

fn fit(arena: Arena, csv: String) -> Result<Fitted> {
    let table = Table::of_csv("votes.csv".as_ref(), csv.into_bytes())?;
    let style: Vec<String> = (arena.style > 0.0).then(|| "tokens".to_owned()).into_iter().collect();
    let context: Vec<String> = std::iter::once("position".to_owned()).chain(style.clone()).collect();
    let mut read = votes_of(table, &Voting { context: &context, ..Voting::default() })?;
    let sides = read.answers.context.take().unwrap_or_default();
    let answers = settle(vec![read.answers], Tied::Kept)?.answers;
    let settings = arena::settings(arena::kernel(true, &style, None), &answers);
    let items = Items { keys: read.items.clone(), columns: vec![] };
    let model = Model::fit_in_context(&items, &sides, answers.clone(), &[], &settings, &|_| ())?;
    let belief = arena::belief(&Cast::new(&model, &answers, &read.by, read.voters.len()))?;
    Ok(Fitted { model, items: read.items, belief })
}

/// The number of the model of this name.
fn number(name: &str) -> usize {
    name[1..].parse().unwrap_or(0)
}

/// The utilities that a board of these items estimates, in the order of `items`. Where voters have tastes of their own, odds among all of them are
/// nearer to even than those of a voter, so it is the board of a population of voters.
fn estimated(arena: Arena, world: &World, fitted: &Fitted, seed: u64) -> Result<Vec<f64>> {
    if arena.taste == 0.0 {
        let noise = fitted.model.hyperparameters().noise();
        let logit = 2.0_f64.sqrt() * noise * 3.0_f64.sqrt() / std::f64::consts::PI;
        return Ok(fitted.items.iter().map(|name| logit * world.worth[number(name)]).collect());
    }
    let (voters, votes) = POPULATION;
    let all = fit(arena, World::new(Arena { voters, ..arena }, seed).csv(votes))?;
    let means: HashMap<usize, f64> =
        all.items.iter().map(|name| number(name)).zip(all.belief.joint.mean).collect();
    Ok(fitted.items.iter().map(|name| means[&number(name)]).collect())
}

fn one(arena: Arena, world: &World, csv: String, seed: u64) -> Result<Held> {
    let fitted = fit(arena, csv)?;
    let Fitted { items, belief, .. } = &fitted;
    let board = Board::new(&belief.joint, None, seed)?;
    // What the items of the board are worth, and what their utilities estimate.
    let worth: Vec<f64> = items.iter().map(|name| world.worth[number(name)]).collect();
    let truths = estimated(arena, world, &fitted, seed)?;
    let mean = truths.iter().sum::<f64>() / truths.len() as f64;
    let mut held = Held { widened: belief.widened.unwrap_or(1.0), ..Held::default() };
    let mut first = None;
    for place in &board.places {
        let truth = truths[place.item] - mean;
        let rank = 1 + worth.iter().filter(|&&other| other > worth[place.item]).count();
        held.items += 1.0;
        held.ratings += f64::from(u8::from((place.mean - truth).abs() <= Z95 * place.sd));
        held.ranks +=
            f64::from(u8::from((place.standing.rank_low..=place.standing.rank_high).contains(&rank)));
        match first {
            Some((group, _)) if group == place.standing.group => {}
            before => {
                held.groups += 1.0;
                held.wrong +=
                    before.map_or(0.0, |(_, above)| f64::from(u8::from(worth[place.item] >= above)));
                first = Some((place.standing.group, worth[place.item]));
            }
        }
    }
    Ok(held)
}
