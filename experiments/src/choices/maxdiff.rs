//! Best and worst of five among twenty made-up items, by people who share some of their taste.

use anyhow::Result;
use rather::answers::Answer;
use rather::many::Kind;
use rather_numerics::random::{normal, stream, uniform};
use std::f64::consts::FRAC_1_SQRT_2;
use std::time::Instant;

use super::{fit, named};

const PEOPLE: usize = 300;
const TASKS: usize = 12;
const OPTIONS: usize = 5;
const ITEMS: usize = 20;
/// Standard deviations, in those of the noise of a difference, of what all like and of what each likes besides.
const SHARED: f64 = 1.0;
const OWN: f64 = 1.0;

pub(super) fn run() -> Result<()> {
    let mut rng = stream(1, 0);
    let shared: Vec<f64> = (0..ITEMS).map(|_| SHARED * normal(&mut rng)).collect();
    let truth: Vec<Vec<f64>> =
        (0..PEOPLE).map(|_| shared.iter().map(|common| common + OWN * normal(&mut rng)).collect()).collect();
    let mut answers = Vec::new();
    for (user, utilities) in truth.iter().enumerate() {
        for _ in 0..TASKS {
            let mut free: Vec<usize> = (0..ITEMS).collect();
            let mut draw = || free.remove((uniform(&mut rng) * free.len() as f64) as usize);
            let shown: Vec<usize> = (0..OPTIONS).map(|_| draw()).collect();
            let mut look = |item: usize| (utilities[item] + FRAC_1_SQRT_2 * normal(&mut rng), item);
            let mut seen: Vec<(f64, usize)> = shown.into_iter().map(&mut look).collect();
            seen.sort_by(|a, b| b.0.total_cmp(&a.0));
            let order: Vec<usize> = seen.into_iter().map(|(_, item)| item).collect();
            answers.push(Answer::ordered(&order, 1, 1)?.by(user));
        }
    }
    println!("maxdiff: {PEOPLE} people, {TASKS} tasks of {OPTIONS} among {ITEMS} items each");
    for kind in [Kind::Hierarchical, Kind::Collaborative, Kind::PerUser] {
        let start = Instant::now();
        let (model, seconds) = fit(kind, ("white", &[]), (&named(ITEMS), &named(PEOPLE)), &answers)?;
        let wall = start.elapsed().as_secs_f64();
        let (mut correlation, mut within, mut all) = (0.0, 0.0, 0.0);
        let pairs: Vec<(usize, usize)> = (0..ITEMS).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        for (user, utilities) in truth.iter().enumerate() {
            let found = model.model().predict(user, &pairs)?;
            let true_differences: Vec<f64> =
                pairs.iter().map(|&(i, j)| utilities[i] - utilities[j]).collect();
            for ((mean, variance), truth) in found.mean.iter().zip(&found.variance).zip(&true_differences) {
                within += f64::from(u8::from((mean - truth).abs() < 1.96 * variance.sqrt()));
                all += 1.0;
            }
            // Differences to all others determine utilities up to a constant.
            correlation += of_differences(&found.mean, &true_differences) / PEOPLE as f64;
        }
        println!(
            "{}: {seconds:.1} CPU s, {wall:.1} s; correlation of differences with the truth {correlation:.3}, 95 % intervals hold {:.3}",
            kind.name(),
            within / all
        );
    }
    Ok(())
}

/// The correlation of two lists around zero.
fn of_differences(a: &[f64], b: &[f64]) -> f64 {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
