//! The regret of the recommendation among six parameters of all kinds.

use anyhow::Result;
use rather::design::Policy;
use rather_numerics::random::{stream, uniform};
use rather_study::Alternative;
use rather_study::definition::Subject;
use rather_study::space::{Parameter, Range, Scale, Space};

use super::Options;
use super::person::{Person, categories, each, numbers};
use crate::policy::Named;

const AFTER: [usize; 4] = [10, 20, 30, 40];

pub(super) fn run(options: &Options) -> Result<()> {
    let people = (options.repeats / 10).max(1);
    println!(
        "Six parameters (three numbers, a whole number, two categories), utilities with a range of about 6, {people} people\n"
    );
    println!("| policy | mean regret after 10 | 20 | 30 | 40 answers |");
    println!("|---|---|---|---|---|");
    let random: Named = "random".parse()?;
    for Named { name, policy } in options.policies.iter().chain([&random]) {
        let all = each(people, |person| study(options, *policy, options.seed(20, person)))?;
        let row = |what: &str, of: fn(&Regrets) -> [f64; 4]| {
            let mean = |at: usize| all.iter().map(|p| of(p)[at]).sum::<f64>() / all.len() as f64;
            println!("| {name}{what} | {:.2} | {:.2} | {:.2} | {:.2} |", mean(0), mean(1), mean(2), mean(3));
        };
        row("", |regrets| regrets.anywhere);
        row(", the best compared", |regrets| regrets.compared);
    }
    Ok(())
}

/// After each number of answers: of the recommendation, and of the best of the settings that were compared, by the posterior means.
#[derive(Default)]
struct Regrets {
    anywhere: [f64; 4],
    compared: [f64; 4],
}

fn study(options: &Options, policy: Policy, seed: u64) -> Result<Regrets> {
    let float = |name: &str| Parameter {
        name: name.into(),
        range: Range::Float { low: 0.0, high: 1.0, scale: Scale::Linear, step: None },
    };
    let category = |name: &str| Parameter {
        name: name.into(),
        range: Range::Categorical { choices: ["a", "b", "c"].map(String::from).to_vec() },
    };
    let whole = Parameter { name: "n".into(), range: Range::Integer { low: 0, high: 8 } };
    let parameters = vec![float("x"), float("y"), float("z"), whole, category("p"), category("q")];
    let rng = &mut stream(seed, 0);
    // A hill over the numbers; each category has a value of its own, and the best of each is worth nothing more.
    let centre: Vec<f64> = (0..4).map(|_| uniform(rng)).collect();
    let worth: Vec<Vec<f64>> = (0..2)
        .map(|_| {
            let worth: Vec<f64> = (0..3).map(|_| 1.5 * uniform(rng)).collect();
            let most = worth.iter().copied().fold(f64::MIN, f64::max);
            worth.into_iter().map(|w| w - most).collect()
        })
        .collect();
    let utility = |alternative: &Alternative| {
        let mut x = numbers(alternative);
        // The whole number may be anywhere in its eight steps; the best one is the nearest to the centre.
        x[3] /= 8.0;
        let mut centre = centre.clone();
        centre[3] = (centre[3] * 8.0).round() / 8.0;
        let off = x.iter().zip(&centre).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
        let names = categories(alternative);
        let value = |(name, worth): (&&str, &Vec<f64>)| match *name {
            "a" => worth[0],
            "b" => worth[1],
            _ => worth[2],
        };
        4.0 * (-0.5 * off / 0.16).exp() + names.iter().zip(&worth).map(value).sum::<f64>()
    };
    let definition = options.definition(Subject::Parameters(Space { parameters }), policy, seed);
    let mut person = Person::new(&definition, seed, &utility)?;
    let mut out = Regrets::default();
    for answers in 1..=AFTER[3] {
        person.answer()?;
        if let Some(at) = AFTER.iter().position(|&after| after == answers) {
            let advice = person.advice()?;
            let regret = |setting: &Alternative| 4.0 - person.utility(setting);
            out.anywhere[at] = regret(&advice.recommended);
            out.compared[at] = advice.ranking.first().map_or(f64::NAN, |best| regret(&best.alternative));
        }
    }
    Ok(out)
}
