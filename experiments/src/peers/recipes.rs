//! The problems by name: sizes, and probes of what should not break a fit.

use anyhow::{Context, Result, bail};
use rand_chacha::ChaCha8Rng;
use rather_numerics::random::stream;

use super::problem::{Problem, Truth, World};

/// Decision-out comparisons.
const TEST: usize = 2_000;
/// Utilities have so many times the noise's standard deviation.
const SPREAD: f64 = 3.0;

/// The kind of problems that should not break a fit.
pub(crate) const PROBE: &str = "probe";

/// A probe: its name, and what makes it.
type Probe = (&'static str, fn(&mut ChaCha8Rng) -> Result<Problem>);

const PROBES: [Probe; 8] = [
    ("one-comparison", |rng| grid(20, |_, _| vec![(0, 19)], rng)),
    ("contradictory-x50", |rng| grid(20, |_, _| [(3, 12), (12, 3)].repeat(25), rng)),
    ("same-pair-x500", |rng| grid(20, |world, _| vec![world.better(3, 12); 500], rng)),
    ("cycle-x30", |rng| grid(20, |_, _| [(1, 8), (8, 15), (15, 1)].repeat(30), rng)),
    ("chain-of-100", |rng| {
        let chain = |world: &World, _: &mut _| (1..100).map(|i| world.better(i - 1, i)).collect();
        grid(100, chain, rng)
    }),
    ("near-duplicates", near_duplicates),
    ("unscaled-1e4", unscaled),
    ("against-itself", |rng| grid(20, |_, _| vec![(0, 19), (4, 4)], rng)),
];

/// What runs by default.
pub(crate) fn names() -> Vec<String> {
    let sizes = [
        "50x100",
        "200x500",
        "500x1000",
        "1000x3000",
        "2000x10000",
        "takeno-200",
        "takeno-400",
        "free-100x5000",
        "free-1000x100000",
    ];
    sizes.iter().copied().chain(PROBES.iter().map(|(name, _)| *name)).map(String::from).collect()
}

/// The problem called `name`.
pub(crate) fn problem(name: &str, seed: u64) -> Result<Problem> {
    let mut rng = stream(seed, 0);
    if let Some((_, make)) = PROBES.iter().find(|(probe, _)| *probe == name) {
        return make(&mut rng);
    }
    if let Some(duels) = name.strip_prefix("takeno-") {
        return takeno(number(duels)?, &mut rng);
    }
    let (free, size) = name.strip_prefix("free-").map_or((false, name), |size| (true, size));
    let Some((items, comparisons)) = size.split_once('x') else {
        bail!(
            "there is no problem called {name}: it is ITEMSxCOMPARISONS, free-ITEMSxCOMPARISONS, takeno-DUELS or one of {}",
            probes()
        );
    };
    let (items, comparisons) = (number(items)?, number(comparisons)?);
    if items < 2 {
        bail!("{name}: two items at least are needed to compare them");
    }
    if free { without_features(items, comparisons, &mut rng) } else { smooth(items, comparisons, &mut rng) }
}

fn number(text: &str) -> Result<usize> {
    text.parse().with_context(|| format!("{text} is not a number of items or comparisons"))
}

fn probes() -> String {
    PROBES.map(|(name, _)| name).join(", ")
}

/// Features in the unit cube of 2 to 4 dimensions, the more the larger; noisy answers to random pairs.
fn smooth(n: usize, m: usize, rng: &mut ChaCha8Rng) -> Result<Problem> {
    let dims = if n < 100 {
        2
    } else if n < 400 {
        3
    } else {
        4
    };
    let lengthscales = (0..dims).map(|d| 0.3 + 0.1 * (dims + d) as f64).collect();
    let truth = Truth { variance: SPREAD * SPREAD, lengthscales, noise: 1.0 };
    let world = World::uniform(n, truth, rng)?;
    let (train, test) = (world.answers(m, 0, rng), world.answers(TEST, 0, rng));
    Ok(world.problem("features", train, test))
}

/// Items known by name only.
fn without_features(n: usize, m: usize, rng: &mut ChaCha8Rng) -> Result<Problem> {
    let truth = Truth { variance: SPREAD * SPREAD / 4.0, lengthscales: Vec::new(), noise: 1.0 };
    let world = World::uniform(n, truth, rng)?;
    let (train, test) = (world.answers(m, 0, rng), world.answers(TEST, 0, rng));
    Ok(world.problem("without features", train, test))
}

/// Takeno's workload: duels of fresh points of the unit square, lengthscale .2, noise .1 of the standard deviation;
/// tested without noise on other points. In units of the noise, which some peers fix at 1.
fn takeno(duels: usize, rng: &mut ChaCha8Rng) -> Result<Problem> {
    const OTHERS: usize = 200;
    let truth = Truth { variance: 100.0, lengthscales: vec![0.2, 0.2], noise: 1.0 };
    let world = World::uniform(2 * duels + OTHERS, truth, rng)?;
    let train = (0..duels).map(|m| world.answer(2 * m, 2 * m + 1, rng)).collect();
    let test = (0..TEST)
        .map(|_| {
            let (a, b) = world.pair(2 * duels, rng);
            world.better(a, b)
        })
        .collect();
    Ok(world.problem("duels of fresh points", train, test))
}

/// A grid on the unit interval.
fn grid(
    n: usize,
    train: impl FnOnce(&World, &mut ChaCha8Rng) -> Vec<(usize, usize)>,
    rng: &mut ChaCha8Rng,
) -> Result<Problem> {
    let features = (0..n).map(|i| vec![i as f64 / (n - 1) as f64]).collect();
    let truth = Truth { variance: SPREAD * SPREAD, lengthscales: vec![0.3], noise: 1.0 };
    let world = World::new(features, truth, rng)?;
    let (train, test) = (train(&world, rng), world.answers(TEST, 0, rng));
    Ok(world.problem(PROBE, train, test))
}

/// Every point twice, 1e-6 apart.
fn near_duplicates(rng: &mut ChaCha8Rng) -> Result<Problem> {
    let features = (0..40).map(|i| vec![f64::from(i / 2) / 19.0 + 1e-6 * f64::from(i % 2)]).collect();
    let truth = Truth { variance: SPREAD * SPREAD, lengthscales: vec![0.3], noise: 1.0 };
    let world = World::new(features, truth, rng)?;
    let (train, test) = (world.answers(100, 0, rng), world.answers(TEST, 0, rng));
    Ok(world.problem(PROBE, train, test))
}

/// Features ten thousand times as large as a standardised one.
fn unscaled(rng: &mut ChaCha8Rng) -> Result<Problem> {
    let mut problem = Problem { kind: PROBE, ..smooth(50, 200, rng)? };
    problem.features.iter_mut().flatten().for_each(|x| *x *= 1e4);
    problem.truth.lengthscales.iter_mut().for_each(|l| *l *= 1e4);
    Ok(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_comparisons_of_its_items() {
        for name in names().iter().filter(|name| !name.contains("1000")) {
            let problem = problem(name, 1).unwrap();
            assert_eq!(problem.test.len(), TEST, "{name}");
            let n = problem.features.len();
            assert!(problem.train.iter().chain(&problem.test).all(|&(w, l)| w < n && l < n), "{name}");
            assert!(!problem.train.is_empty(), "{name}");
        }
    }

    #[test]
    fn what_is_no_problem_is_told() {
        for name in ["", "five", "ax3", "1x4", "takeno-"] {
            assert!(problem(name, 1).is_err(), "{name}");
        }
    }
}
