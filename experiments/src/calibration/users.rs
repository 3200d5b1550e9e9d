//! Many users, each with few answers: the models of many users, on users whose tastes agree more or less.

use std::time::Instant;

use anyhow::Result;
use rand_chacha::ChaCha8Rng;
use rather::answers::{Answer, Answers};
use rather::features::{Column, ColumnValues};
use rather::many::population::{PopulationData, PopulationSettings};
use rather::many::{Kind, Population};
use rather::model::Items;
use rather_numerics::linalg::{Matrix, cholesky};
use rather_numerics::random::{normal, normals, stream, uniform};
use rather_numerics::special::normal::cdf;
use rayon::prelude::*;

use super::Options;
use super::bins::{Clusters, Stated, bins, log_loss, print, worst};

const ITEMS: usize = 20;
const USERS: usize = 25;
const ANSWERS: usize = 15;
/// The standard deviation of a user's utilities, in standard deviations of the noise of an item, and their lengthscale in the unit square.
const SPREAD: f64 = 2.0;
const LENGTHSCALE: f64 = 0.4;
/// Newcomers, each of whom answers a few questions.
const NEWCOMERS: usize = 10;
const QUESTIONS: usize = 5;
/// Pairs that a user's probabilities are counted for.
const PAIRS: usize = 80;

/// How alike users are.
struct Family {
    name: &'static str,
    /// The share of the variance that all users have in common.
    common: f64,
    /// Tastes that users are mixtures of; 0 for a taste of one's own.
    tastes: usize,
}

const FAMILIES: [Family; 4] = [
    Family { name: "strangers", common: 0.0, tastes: 0 },
    Family { name: "relatives", common: 0.5, tastes: 0 },
    Family { name: "tastes", common: 0.0, tastes: 3 },
    Family { name: "twins", common: 1.0, tastes: 0 },
];

struct World {
    items: Items,
    /// Utilities of each user; newcomers last.
    utilities: Vec<Vec<f64>>,
    answers: Answers,
    rng: ChaCha8Rng,
}

fn pair(rng: &mut ChaCha8Rng) -> (usize, usize) {
    let below = |n: usize, rng: &mut ChaCha8Rng| ((uniform(rng) * n as f64) as usize).min(n - 1);
    let a = below(ITEMS, rng);
    (a, (a + 1 + below(ITEMS - 1, rng)) % ITEMS)
}

fn choice(utility: &[f64], rng: &mut ChaCha8Rng) -> Answer {
    let (a, b) = pair(rng);
    let z = utility[a] - utility[b] + std::f64::consts::SQRT_2 * normal(rng);
    if z > 0.0 { Answer::rather(a, b) } else { Answer::rather(b, a) }
}

impl Family {
    fn draw(&self, seed: u64, number: usize) -> World {
        let mut rng = stream(seed, number as u64);
        let rows: Vec<[f64; 2]> = (0..ITEMS).map(|_| [uniform(&mut rng), uniform(&mut rng)]).collect();
        let distance = |i: usize, j: usize| (0..2).map(|d| (rows[i][d] - rows[j][d]).powi(2)).sum::<f64>();
        let mut factor =
            Matrix::from_fn(ITEMS, ITEMS, |i, j| (-0.5 * distance(i, j) / LENGTHSCALE.powi(2)).exp());
        factor.add_diagonal(1e-9);
        assert!(cholesky(&mut factor), "a covariance");
        let function = |rng: &mut ChaCha8Rng| -> Vec<f64> {
            let e = normals(ITEMS, rng);
            (0..ITEMS).map(|i| (0..=i).map(|j| factor[(i, j)] * e[j]).sum()).collect()
        };
        let shared = function(&mut rng);
        let tastes: Vec<Vec<f64>> = (0..self.tastes).map(|_| function(&mut rng)).collect();
        let utility = |_| -> Vec<f64> {
            let own = if tastes.is_empty() {
                function(&mut rng)
            } else {
                let weights = normals(tastes.len(), &mut rng);
                let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
                (0..ITEMS).map(|i| tastes.iter().zip(&weights).map(|(t, w)| w / norm * t[i]).sum()).collect()
            };
            let of = |(shared, own): (&f64, &f64)| {
                SPREAD * (self.common.sqrt() * shared + (1.0 - self.common).sqrt() * own)
            };
            shared.iter().zip(&own).map(of).collect()
        };
        let utilities: Vec<Vec<f64>> = (0..USERS + NEWCOMERS).map(utility).collect();
        let column = |d: usize| Column {
            name: format!("x{d}"),
            values: ColumnValues::Numeric(rows.iter().map(|row| row[d]).collect()),
        };
        let items = Items {
            keys: (0..ITEMS).map(|i| i.to_string()).collect(),
            columns: (0..2).map(column).collect(),
        };
        let answers = (0..USERS)
            .flat_map(|u| (0..ANSWERS).map(move |_| u))
            .map(|u| choice(&utilities[u], &mut rng).by(u))
            .collect();
        World { items, utilities, answers, rng }
    }
}

/// What was counted in one world.
struct Counted {
    known: Vec<Stated>,
    new: Vec<Stated>,
    seconds: f64,
}

impl World {
    fn count(mut self, number: usize, kind: Kind) -> Result<Counted> {
        let users = Items { keys: (0..USERS).map(|u| u.to_string()).collect(), columns: Vec::new() };
        let data = PopulationData { items: &self.items, users: &users, answers: &self.answers };
        let start = Instant::now();
        let model = Population::fit(&data, &PopulationSettings::new(kind), &|_| ())?;
        let seconds = start.elapsed().as_secs_f64();
        let (mut known, mut new) = (Vec::new(), Vec::new());
        for (u, utility) in self.utilities.iter().enumerate() {
            let posterior = if u < USERS {
                model.model().user(u)?
            } else {
                let said: Answers = (0..QUESTIONS).map(|_| choice(utility, &mut self.rng)).collect();
                model.model().newcomer(None, &said)?
            };
            let pairs: Vec<(usize, usize)> = (0..PAIRS).map(|_| pair(&mut self.rng)).collect();
            let stated = model.model().predict_with(&posterior, &pairs)?.probability;
            let truth = |&(a, b): &(usize, usize)| cdf((utility[a] - utility[b]) / std::f64::consts::SQRT_2);
            let counted = if u < USERS { &mut known } else { &mut new };
            counted.extend(
                pairs
                    .iter()
                    .zip(stated)
                    .map(|(pair, p)| Stated::new(p, truth(pair), Clusters::World(number))),
            );
        }
        Ok(Counted { known, new, seconds })
    }
}

pub(super) fn run(options: &Options) -> Result<()> {
    let repeats = (options.repeats / 10).max(1);
    println!(
        "| {USERS} users, {ANSWERS} answers each | model | stated less true, worst bin | log loss | newcomers after {QUESTIONS} | log loss | seconds a fit |"
    );
    println!("|---|---|---|---|---|---|---|");
    for family in FAMILIES.iter().filter(|f| options.asks_for(f.name)) {
        for kind in Kind::ALL.into_iter().filter(|&kind| options.tries(kind)) {
            let all = (0..repeats)
                .into_par_iter()
                .map(|number| family.draw(options.seed, number).count(number, kind))
                .collect::<Result<Vec<Counted>>>()?;
            let known: Vec<Stated> = all.iter().flat_map(|c| c.known.iter().copied()).collect();
            let new: Vec<Stated> = all.iter().flat_map(|c| c.new.iter().copied()).collect();
            let (of_known, of_new) = (bins(&known), bins(&new));
            println!(
                "| {} | {} | {} | {:.4} | {} | {:.4} | {:.2} |",
                family.name,
                kind.name(),
                worst(&of_known),
                log_loss(&known),
                worst(&of_new),
                log_loss(&new),
                all.iter().map(|c| c.seconds).sum::<f64>() / repeats as f64
            );
            if options.bins {
                print(&of_known, 6);
            }
        }
    }
    Ok(())
}
