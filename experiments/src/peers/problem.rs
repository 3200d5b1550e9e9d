//! A problem: a utility, items with or without features, comparisons to learn from and to test with; as files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rather::kernel::{Schema, parse};
use rather::points::Points;
use rather_numerics::linalg::cholesky;
use rather_numerics::random::normals;
use serde::{Deserialize, Serialize};

/// What made the utilities, for fits with fixed hyperparameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Truth {
    /// Variance of the utility.
    pub(crate) variance: f64,
    /// Lengthscales of the squared exponential kernel; empty without features.
    pub(crate) lengthscales: Vec<f64>,
    /// Standard deviation of the noise per item.
    pub(crate) noise: f64,
}

/// Features, answers, held-out answers.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// Problems of one kind can be compared over sizes.
    pub(crate) kind: &'static str,
    /// Rows of features.
    pub(crate) features: Vec<Vec<f64>>,
    /// Pairs learned from, the winner first.
    pub(crate) train: Vec<(usize, usize)>,
    /// Pairs held out, the winner first.
    pub(crate) test: Vec<(usize, usize)>,
    pub(crate) truth: Truth,
}

/// A utility of items, and the noise with which they are compared.
pub(crate) struct World {
    pub(crate) features: Vec<Vec<f64>>,
    utility: Vec<f64>,
    truth: Truth,
}

impl World {
    /// Points uniform in the unit cube, and a draw of a Gaussian process on them.
    pub(crate) fn uniform(n: usize, truth: Truth, rng: &mut ChaCha8Rng) -> Result<Self> {
        let dims = truth.lengthscales.len();
        let features = (0..n).map(|_| (0..dims).map(|_| rng.random_range(0.0..1.0)).collect()).collect();
        Self::new(features, truth, rng)
    }

    /// A draw of the squared exponential process on given points, or of independent utilities if there are no features.
    pub(crate) fn new(features: Vec<Vec<f64>>, truth: Truth, rng: &mut ChaCha8Rng) -> Result<Self> {
        let n = features.len();
        let z = normals(n, rng);
        let utility = if truth.lengthscales.is_empty() {
            z.iter().map(|z| truth.variance.sqrt() * z).collect()
        } else {
            let names: Vec<String> = (0..truth.lengthscales.len()).map(|d| format!("x{d}")).collect();
            let schema = Schema { categorical: vec![false; names.len()], names, context: 0 };
            let mut kernel = parse("se", &schema, true)?;
            kernel.set_parameters(&[&[truth.variance], truth.lengthscales.as_slice()].concat())?;
            let points = Points::new((0..n as u64).collect(), truth.lengthscales.len(), features.concat());
            let mut l = kernel.matrix(&points);
            // Near points make it singular to working precision; this is far below the noise.
            l.add_diagonal(1e-8 * truth.variance);
            ensure!(cholesky(&mut l), "the covariance of the items is not positive definite");
            (0..n).map(|i| (0..=i).map(|j| l[(i, j)] * z[j]).sum()).collect()
        };
        Ok(Self { features, utility, truth })
    }

    /// The better of two items after noise on each, first.
    pub(crate) fn answer(&self, a: usize, b: usize, rng: &mut ChaCha8Rng) -> (usize, usize) {
        let noise = normals(2, rng);
        let difference = self.utility[a] - self.utility[b] + self.truth.noise * (noise[0] - noise[1]);
        if difference > 0.0 { (a, b) } else { (b, a) }
    }

    /// The better of two items, first.
    pub(crate) fn better(&self, a: usize, b: usize) -> (usize, usize) {
        if self.utility[a] > self.utility[b] { (a, b) } else { (b, a) }
    }

    /// Answers to random pairs of the items `from` on.
    pub(crate) fn answers(&self, m: usize, from: usize, rng: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
        (0..m)
            .map(|_| {
                let (a, b) = self.pair(from, rng);
                self.answer(a, b, rng)
            })
            .collect()
    }

    /// Two different items of those from `from` on.
    pub(crate) fn pair(&self, from: usize, rng: &mut impl Rng) -> (usize, usize) {
        let n = self.utility.len() - from;
        let a = rng.random_range(0..n);
        (from + a, from + (a + rng.random_range(1..n)) % n)
    }

    /// The problem of these answers.
    pub(crate) fn problem(
        self,
        kind: &'static str,
        train: Vec<(usize, usize)>,
        test: Vec<(usize, usize)>,
    ) -> Problem {
        Problem { kind, features: self.features, train, test, truth: self.truth }
    }
}

impl Problem {
    pub(crate) fn has_features(&self) -> bool {
        !self.truth.lengthscales.is_empty()
    }

    pub(crate) fn comparisons(&self) -> usize {
        self.train.len()
    }

    /// Writes `items.csv`, `train.csv`, `test.csv` and `truth.json` into a new folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let mut items = String::from("item");
        (0..self.truth.lengthscales.len()).try_for_each(|d| write!(items, ",x{d}"))?;
        for (i, row) in self.features.iter().enumerate() {
            write!(items, "\nitem{i}")?;
            row.iter().try_for_each(|x| write!(items, ",{x}"))?;
        }
        fs::write(folder.join("items.csv"), items + "\n")?;
        for (name, pairs) in [("train.csv", &self.train), ("test.csv", &self.test)] {
            let mut text = String::from("winner,loser\n");
            pairs.iter().try_for_each(|(w, l)| writeln!(text, "item{w},item{l}"))?;
            fs::write(folder.join(name), text)?;
        }
        fs::write(folder.join("truth.json"), serde_json::to_string(&self.truth)?)?;
        Ok(())
    }
}
