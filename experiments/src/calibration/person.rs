//! One person: few answers, low noise, utilities that are not normal.
//!
//! Every row is a family of simulated worlds: items with features or with names only, utilities drawn from a Gaussian process or with
//! heavy tails, random pairs compared with probit noise. A world is learned from with the program's defaults, hyperparameters included.
//! Counted is how often the true utility (relative to the average of the compared items) is within the 95 % interval, and, for all pairs of
//! items, the true probability that the item is chosen that the model says is the likelier one.

use std::time::Instant;

use anyhow::Result;
use rand_chacha::ChaCha8Rng;
use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::kernel::{Schema, parse};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::model::{Ep, FitSettings, Inference, Integration, Items, Model};
use rather::points::Points;
use rather_numerics::linalg::cholesky;
use rather_numerics::random::{normal, normals, stream, uniform};
use rather_numerics::special::normal::cdf;
use rayon::prelude::*;

use super::Options;
use super::bins::{Clusters, Stated, bins, print, worst};

/// A family of worlds. The unit of utilities is the standard deviation of the noise of one item.
struct Family {
    name: &'static str,
    items: usize,
    comparisons: usize,
    /// Features; none for items that are known by name only.
    features: usize,
    /// The standard deviation of utilities.
    spread: f64,
    lengthscale: f64,
    /// Degrees of freedom of Student's t distribution, if utilities have one.
    freedom: Option<usize>,
}

const FAMILIES: [Family; 8] = [
    Family::features("few", (8, 12), 1, 2.0, 0.3),
    Family::features("plane", (30, 60), 2, 2.0, 0.4),
    Family::features("many", (30, 400), 2, 2.0, 0.4),
    Family::names("names", (20, 60), 2.0),
    Family::names("names-many", (20, 400), 2.0),
    Family::names("names-quiet", (20, 200), 10.0),
    Family::features("features-quiet", (20, 200), 2, 10.0, 0.4),
    Family { freedom: Some(2), ..Family::names("tails", (20, 100), 2.0) },
];

impl Family {
    const fn names(name: &'static str, (items, comparisons): (usize, usize), spread: f64) -> Self {
        Self { name, items, comparisons, features: 0, spread, lengthscale: 1.0, freedom: None }
    }

    const fn features(
        name: &'static str,
        (items, comparisons): (usize, usize),
        features: usize,
        spread: f64,
        lengthscale: f64,
    ) -> Self {
        Self { name, items, comparisons, features, spread, lengthscale, freedom: None }
    }

    fn draw(&self, seed: u64, number: usize) -> World {
        let mut rng = stream(seed, number as u64);
        let rows: Vec<Vec<f64>> =
            (0..self.items).map(|_| (0..self.features).map(|_| uniform(&mut rng)).collect()).collect();
        let utility = match self.freedom {
            Some(freedom) => (0..self.items).map(|_| self.spread * student(freedom, &mut rng)).collect(),
            None if self.features == 0 => {
                normals(self.items, &mut rng).iter().map(|e| self.spread * e).collect()
            }
            None => self.process(&rows, &mut rng),
        };
        let column = |d: usize| Column {
            name: format!("x{d}"),
            values: ColumnValues::Numeric(rows.iter().map(|row| row[d]).collect()),
        };
        let items = Items {
            keys: (0..self.items).map(|i| i.to_string()).collect(),
            columns: (0..self.features).map(column).collect(),
        };
        let comparisons = (0..self.comparisons).map(|_| compared(&utility, &mut rng)).collect();
        World { items, utility, comparisons }
    }

    /// Utilities of items with these features: a draw of a Gaussian process with the squared-exponential kernel.
    fn process(&self, rows: &[Vec<f64>], rng: &mut ChaCha8Rng) -> Vec<f64> {
        let names = (0..self.features).map(|d| format!("x{d}")).collect();
        let schema = Schema { names, categorical: vec![false; self.features], context: 0 };
        let mut kernel = parse("se", &schema, false).expect("a kernel");
        kernel.set_parameters(&[self.spread * self.spread, self.lengthscale]).expect("its parameters");
        let mut factor =
            kernel.matrix(&Points::new((0..rows.len() as u64).collect(), self.features, rows.concat()));
        factor.add_diagonal(1e-9 * self.spread * self.spread);
        assert!(cholesky(&mut factor), "a covariance");
        let e = normals(rows.len(), rng);
        (0..rows.len()).map(|i| (0..=i).map(|j| factor[(i, j)] * e[j]).sum()).collect()
    }

    /// The program's defaults; hyperparameters that are known are fixed.
    fn settings(&self, with: &str) -> FitSettings {
        let integration = if with == "maximise" { Integration::Off } else { Integration::Auto };
        let inference = Inference::Ep(Ep { integration, ..Ep::default() });
        let settings = FitSettings { inference, ..FitSettings::default() };
        if with != "truth" {
            return settings;
        }
        // In the model's units the noise of a comparison, of two items, is 1.
        let variance = ("variance".to_owned(), 0.5 * self.spread * self.spread);
        let noise = ("noise".to_owned(), std::f64::consts::FRAC_1_SQRT_2);
        let (expression, fixed) = if self.features == 0 {
            ("white", vec![variance, noise])
        } else {
            ("se", vec![variance, noise, ("lengthscale".to_owned(), self.lengthscale)])
        };
        let spec = KernelSpec { expression: expression.into(), ard: false };
        FitSettings { kernel: KernelChoice::Given(spec), fixed, raw_features: true, ..settings }
    }
}

/// A draw of Student's t distribution.
fn student(freedom: usize, rng: &mut ChaCha8Rng) -> f64 {
    let e = normal(rng);
    let chi: f64 = (0..freedom).map(|_| normal(rng).powi(2)).sum();
    e / (chi / freedom as f64).sqrt()
}

/// A random pair, compared.
fn compared(utility: &[f64], rng: &mut ChaCha8Rng) -> Comparison {
    let below = |n: usize, rng: &mut ChaCha8Rng| ((uniform(rng) * n as f64) as usize).min(n - 1);
    let a = below(utility.len(), rng);
    let b = (a + 1 + below(utility.len() - 1, rng)) % utility.len();
    let z = utility[a] - utility[b] + std::f64::consts::SQRT_2 * normal(rng);
    let (winner, loser) = if z > 0.0 { (a, b) } else { (b, a) };
    Comparison { winner, loser, count: 1.0 }
}

struct World {
    items: Items,
    utility: Vec<f64>,
    comparisons: Vec<Comparison>,
}

/// What was counted in one world.
struct Counted {
    /// Errors of the mean utilities of the compared items, in stated standard deviations.
    errors: Vec<f64>,
    probabilities: Vec<Stated>,
    seconds: f64,
}

impl World {
    fn count(&self, number: usize, settings: &FitSettings) -> Result<Counted> {
        let start = Instant::now();
        let model = Model::fit(&self.items, &self.comparisons, settings, &|_| ())?;
        let seconds = start.elapsed().as_secs_f64();
        let compared = model.compared();
        let average = compared.iter().map(|&i| self.utility[i]).sum::<f64>() / compared.len() as f64;
        let noise = model.hyperparameters().noise();
        let moments = model.utilities(model.points());
        let error = |&i: &usize| {
            (moments.mean[i] / noise - (self.utility[i] - average)) / (moments.variance[i].sqrt() / noise)
        };
        let n = self.utility.len();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let stated = model.probabilities(model.points(), &pairs);
        let both = |(&(i, j), &p): (&(usize, usize), &f64)| {
            Stated::new(
                p,
                cdf((self.utility[i] - self.utility[j]) / std::f64::consts::SQRT_2),
                Clusters::World(number),
            )
        };
        let probabilities = pairs.iter().zip(&stated).map(both).collect();
        Ok(Counted { errors: compared.iter().map(error).collect(), probabilities, seconds })
    }
}

pub(super) fn run(options: &Options) -> Result<()> {
    println!(
        "| worlds | hyperparameters | 95 % intervals cover | sd of errors | stated less true, worst bin | seconds a fit |"
    );
    println!("|---|---|---|---|---|---|");
    for family in FAMILIES.iter().filter(|f| options.asks_for(f.name)) {
        for with in ["default"].into_iter().chain(options.beside.iter().map(String::as_str)) {
            row(family, with, options)?;
        }
    }
    Ok(())
}

fn row(family: &Family, with: &str, options: &Options) -> Result<()> {
    let settings = family.settings(with);
    let all = (0..options.repeats)
        .into_par_iter()
        .map(|number| family.draw(options.seed, number).count(number, &settings))
        .collect::<Result<Vec<Counted>>>()?;
    let shares: Vec<f64> = all
        .iter()
        .map(|c| c.errors.iter().filter(|e| e.abs() <= 1.959_964).count() as f64 / c.errors.len() as f64)
        .collect();
    let worlds = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / worlds;
    let error =
        (shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (worlds - 1.0).max(1.0) / worlds).sqrt();
    let errors: Vec<f64> = all.iter().flat_map(|c| c.errors.iter().copied()).collect();
    let spread = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let probabilities: Vec<Stated> = all.iter().flat_map(|c| c.probabilities.iter().copied()).collect();
    let bins = bins(&probabilities);
    let worst = worst(&bins);
    let seconds = all.iter().map(|c| c.seconds).sum::<f64>() / worlds;
    println!("| {} | {with} | {mean:.3} ± {error:.3} | {spread:.2} | {worst} | {seconds:.3} |", family.name);
    if options.bins {
        print(&bins, 5);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hyperparameters_bring_honest_intervals() {
        let family = &FAMILIES[3];
        let errors: Vec<f64> = (0..20)
            .flat_map(|number| {
                family.draw(7, number).count(number, &family.settings("truth")).unwrap().errors
            })
            .collect();
        let covered = errors.iter().filter(|e| e.abs() <= 1.959_964).count() as f64 / errors.len() as f64;
        // 400 intervals that are hardly dependent: the standard error of .95 is .011.
        assert!((0.91..=0.99).contains(&covered), "{covered}");
    }
}
