//! Choices of several by many people: conjoint tasks about cars, made-up best and worst answers, rankings of sushi.

mod cars;
mod maxdiff;
mod sushi;

use anyhow::Result;
use rather::answers::{Answer, Answers};
use rather::evaluate::{Tested, tested_of_user};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::many::Kind;
use rather::many::population::{Population, PopulationData, PopulationSettings};
use rather::model::Items;

use crate::Data;
use crate::speed::cpu_seconds;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: Data,
    /// What to run: `cars` (conjoint tasks of 384 people, held-out tasks), `maxdiff` (300 people, 12 tasks of 5 among 20 items), `sushi` (rankings taken
    /// jointly and as pairs, held-out pairs).
    #[arg(long, value_delimiter = ',', default_value = "cars,maxdiff,sushi")]
    parts: Vec<String>,
    /// Splits of `cars`.
    #[arg(long, default_value_t = 5)]
    splits: u32,
    /// People of `sushi`.
    #[arg(long, default_value_t = 500)]
    people: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    for part in &options.parts {
        match part.as_str() {
            "cars" => cars::run(&options.data.folder, options.splits)?,
            "maxdiff" => maxdiff::run()?,
            "sushi" => sushi::run(&options.data.folder, options.people)?,
            other => anyhow::bail!("there is no part {other}; the parts are cars, maxdiff and sushi"),
        }
    }
    Ok(())
}

/// A model of many users and the CPU seconds that it took. Hyperparameters that are not `fixed` are learned; the noise of an answer is the unit.
fn fit(
    kind: Kind,
    (kernel, fixed): (&str, &[(&str, f64)]),
    (items, users): (&Items, &Items),
    answers: &[Answer],
) -> Result<(Population, f64)> {
    let start = cpu_seconds();
    let kernel = KernelChoice::Given(KernelSpec { expression: kernel.into(), ard: false });
    let fixed = fixed.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let settings = PopulationSettings { kernel, fixed, ..PopulationSettings::new(kind) };
    let answers: Answers = answers.iter().copied().collect();
    let data = PopulationData { items, users, answers: &answers };
    let model = Population::fit(&data, &settings, &|_| ())?;
    Ok((model, cpu_seconds() - start))
}

/// What a model predicts of answers that it has not seen.
fn predicted(model: &Population, held_out: &[Answer]) -> Result<Vec<Tested>> {
    let mut out = Vec::new();
    let mut next = 0;
    while next < held_out.len() {
        let user = held_out[next].user();
        let own = held_out[next..].iter().take_while(|answer| answer.user() == user).count();
        let answers: Answers = held_out[next..next + own].iter().copied().collect();
        out.extend(tested_of_user(model.model(), user.unwrap_or_default(), &answers)?);
        next += own;
    }
    Ok(out)
}

/// The mean log loss, in nats an answer, and the share of answers that were the likeliest.
fn scores(tested: &[Tested]) -> (f64, f64) {
    let n = tested.len() as f64;
    let loss = -tested.iter().map(|t| t.of_answer().ln()).sum::<f64>() / n;
    let is_hit =
        |t: &&Tested| t.given.is_some_and(|given| t.predicted.iter().all(|p| *p <= t.predicted[given]));
    (loss, tested.iter().filter(is_hit).count() as f64 / n)
}

/// Items or users without features.
fn named(n: usize) -> Items {
    Items { keys: (0..n).map(|k| k.to_string()).collect(), columns: Vec::new() }
}
