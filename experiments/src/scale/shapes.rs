//! Items by name whose comparisons join them in graphs of several shapes: what each way to represent the prior costs, and how near messages come to a
//! factor.

use anyhow::{Result, anyhow};
use rather::inference::Settings;
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model, SparseFit};
use rather::representation::Representation;
use rather::{Comparison, Error};
use rather_numerics::random;

use crate::speed::cpu_seconds;

/// Numbers of names, and of comparisons that a name takes part in on average.
const NAMES: [usize; 4] = [500, 2_000, 10_000, 50_000];
const EACH: [usize; 3] = [2, 10, 50];
/// The full covariance of more names than these is not tried: it takes a minute.
const MOST_FULL: usize = 700;
/// Names of a division of a league.
const DIVISION: usize = 20;
/// The standard deviations of utilities, and of the noise of a name.
const SPREAD: f64 = 1.0;
const NOISE: f64 = 0.7;
/// Pairs whose probabilities are held against the exact ones: half of them compared, half at random.
const PAIRS: usize = 400;
/// Fits are repeated until so many seconds have passed, five at most; the quickest counts.
const ENOUGH: f64 = 0.5;

/// Who is compared with whom.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Star,
    Chain,
    League,
    Lattice,
    Random,
}

impl Shape {
    const ALL: [Self; 5] = [Self::Star, Self::Chain, Self::League, Self::Lattice, Self::Random];

    fn word(self) -> &'static str {
        match self {
            Self::Star => "star",
            Self::Chain => "chain",
            Self::League => "league",
            Self::Lattice => "lattice",
            Self::Random => "random",
        }
    }

    /// A pair of `names` names, the `k`-th of a shape whose pairs come round; two different ones, `below` draws a number.
    fn pair(self, k: usize, names: usize, below: &mut dyn FnMut(usize) -> usize) -> (usize, usize) {
        match self {
            Self::Star => (0, 1 + k % (names - 1)),
            Self::Chain => (k % (names - 1), 1 + k % (names - 1)),
            Self::League => {
                // One match in ten is against the next division.
                let home = below(names);
                let start = home - home % DIVISION + if below(10) == 0 { DIVISION } else { 0 };
                let away = (start + below(DIVISION)) % names;
                (home, if away == home { (home + 1) % names } else { away })
            }
            Self::Lattice => {
                let (width, cell) = (names.isqrt(), (k / 2) % names);
                let other = if k.is_multiple_of(2) { cell + 1 } else { cell + width };
                (cell, other % names)
            }
            Self::Random => {
                let one = below(names);
                (one, (one + 1 + below(names - 1)) % names)
            }
        }
    }

    fn comparisons(self, names: usize, each: usize, seed: u64) -> Vec<Comparison> {
        let mut rng = random::stream(seed, 1);
        let utility: Vec<f64> = (0..names).map(|_| SPREAD * random::normal(&mut rng)).collect();
        (0..names * each / 2)
            .map(|k| {
                let below = &mut |n: usize| (random::uniform(&mut rng) * n as f64) as usize;
                let (a, b) = self.pair(k, names, below);
                let mut seen = |i: usize| utility[i] + NOISE * random::normal(&mut rng);
                let (winner, loser) = if seen(a) > seen(b) { (a, b) } else { (b, a) };
                Comparison { winner, loser, count: 1.0 }
            })
            .collect()
    }
}

/// A way to represent the prior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Default,
    Full,
    /// A sparse precision by a Cholesky factor, if that is within its limits.
    Factor,
    Messages,
}

struct Fitted {
    seconds: f64,
    probabilities: Vec<f64>,
}

/// With less than the default one a factor is taken wherever it fits.
fn tolerance(way: Way) -> f64 {
    let default = Settings::default().tolerance;
    if way == Way::Factor { 0.9 * default } else { default }
}

fn settings(representation: Representation, memory: u64, tolerance: f64) -> FitSettings {
    let convergence = Settings { tolerance, ..Settings::default() };
    let ep = Ep { representation, integration: Integration::Off, convergence, ..Ep::default() };
    FitSettings { inference: Inference::Ep(ep), memory, ..FitSettings::default() }
}

/// The fit of a way; `None` where it is not to be had.
fn fit(way: Way, items: &Items, answers: &[Comparison], pairs: &[(usize, usize)]) -> Result<Option<Fitted>> {
    let representation = match way {
        Way::Default => Representation::Auto,
        Way::Full => Representation::Full,
        Way::Factor | Way::Messages => Representation::Sparse,
    };
    let usual = FitSettings::default().memory;
    let memory = match way {
        // In no more memory than messages take there is no room for a factor.
        Way::Messages => {
            match Model::fit(items, answers, &settings(representation, 1, tolerance(way)), &|_| ()) {
                Err(Error::Memory { needed, .. }) => needed,
                other => return Err(anyhow!("a fit in one byte: {:?}", other.err())),
            }
        }
        _ => usual,
    };
    let settings = settings(representation, memory, tolerance(way));
    let (mut quickest, mut all, mut last) = (f64::INFINITY, 0.0, None);
    for _ in 0..5 {
        let start = cpu_seconds();
        let model = Model::fit(items, answers, &settings, &|_| ())?;
        let seconds = cpu_seconds() - start;
        (quickest, all) = (quickest.min(seconds), all + seconds);
        last = Some(model);
        if all > ENOUGH {
            break;
        }
    }
    let model = last.expect("at least one fit");
    if way == Way::Factor && !matches!(model.report().sparse, Some(SparseFit::Factor { .. })) {
        return Ok(None);
    }
    let probabilities = model.probabilities(model.points(), pairs);
    Ok(Some(Fitted { seconds: quickest, probabilities }))
}

/// The table: a row a shape and size.
pub(super) fn table(seed: u64) -> Result<()> {
    println!(
        "\nitems by name, hyperparameters learned; processor seconds, and largest errors of a probability"
    );
    println!(
        "| shape | names | comparisons | full | factor | messages | default | to the quickest | error | of messages |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut worst = (0.0_f64, 0.0_f64);
    for shape in Shape::ALL {
        for names in NAMES {
            for each in EACH {
                let (ratio, error) = row(shape, names, each, seed)?;
                worst = (worst.0.max(ratio), worst.1.max(error));
            }
        }
    }
    println!("largest ratio of the default to the quickest {:.2}, largest error {:.4}", worst.0, worst.1);
    Ok(())
}

/// One row; the default's ratio to the quickest way and its largest error of a probability, zero where nothing exact is to be had.
fn row(shape: Shape, names: usize, each: usize, seed: u64) -> Result<(f64, f64)> {
    let items = Items { keys: (0..names).map(|i| i.to_string()).collect(), columns: Vec::new() };
    let answers = shape.comparisons(names, each, seed);
    let mut rng = random::stream(seed, 2);
    let mut below = |n: usize| (random::uniform(&mut rng) * n as f64) as usize;
    let pairs: Vec<(usize, usize)> = (0..PAIRS)
        .map(|k| match k % 2 {
            0 => Some(answers[below(answers.len())]).map(|c| (c.winner, c.loser)).expect("an answer"),
            _ => Shape::Random.pair(k, names, &mut below),
        })
        .collect();
    let of = |way| fit(way, &items, &answers, &pairs);
    let full = if names <= MOST_FULL { of(Way::Full)? } else { None };
    let (factor, messages) = (of(Way::Factor)?, of(Way::Messages)?);
    let default = of(Way::Default)?.expect("the default is always to be had");
    let all = [&full, &factor, &messages];
    let quickest =
        all.iter().filter_map(|way| way.as_ref()).map(|way| way.seconds).fold(default.seconds, f64::min);
    let exact = full.as_ref().or(factor.as_ref());
    let error = |fitted: &Fitted| {
        exact.map(|exact| {
            let apart = exact.probabilities.iter().zip(&fitted.probabilities).map(|(p, q)| (p - q).abs());
            apart.fold(0.0, f64::max)
        })
    };
    let seconds = |way: &Option<Fitted>| way.as_ref().map_or("-".into(), |way| format!("{:.3}", way.seconds));
    let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.4}"));
    let ratio = default.seconds / quickest;
    println!(
        "| {} | {names} | {} | {} | {} | {} | {:.3} | {ratio:.2} | {} | {} |",
        shape.word(),
        answers.len(),
        seconds(&full),
        seconds(&factor),
        seconds(&messages),
        default.seconds,
        number(error(&default)),
        number(messages.as_ref().and_then(error)),
    );
    Ok((ratio, error(&default).unwrap_or(0.0)))
}
