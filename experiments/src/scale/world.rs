//! Items in four dimensions, whose utility is a draw of a squared-exponential process, and noisy comparisons of them.

use rather::Comparison;
use rather::features::{Column, ColumnValues};
use rather::model::Items;
use rather::points::Points;
use rather_numerics::random;

const DIMENSIONS: usize = 4;
/// Cosines that make up a draw (Rahimi and Recht 2007): its covariance is the kernel's to about 3 %.
const COSINES: usize = 1000;

/// The standard deviation of the noise of one item.
pub(super) const NOISE: f64 = 0.5;
/// The lengthscale, where features are uniform between -1 and 1.
pub(super) const LENGTHSCALE: f64 = 1.5;
/// The standard deviation of utilities.
pub(super) const SPREAD: f64 = 2.0;

pub(super) struct World {
    pub(super) points: Points,
    pub(super) utility: Vec<f64>,
}

impl World {
    pub(super) fn draw(items: usize, seed: u64) -> Self {
        let mut rng = random::stream(seed, 1);
        let rows: Vec<[f64; DIMENSIONS]> =
            (0..items).map(|_| std::array::from_fn(|_| 2.0 * random::uniform(&mut rng) - 1.0)).collect();
        let waves: Vec<([f64; DIMENSIONS], f64, f64)> = (0..COSINES)
            .map(|_| {
                let frequency = std::array::from_fn(|_| random::normal(&mut rng) / LENGTHSCALE);
                let phase = std::f64::consts::TAU * random::uniform(&mut rng);
                (frequency, phase, SPREAD * (2.0 / COSINES as f64).sqrt() * random::normal(&mut rng))
            })
            .collect();
        let utility = |x: &[f64; DIMENSIONS]| -> f64 {
            let wave = |(w, phase, height): &([f64; DIMENSIONS], f64, f64)| {
                let angle: f64 = w.iter().zip(x).map(|(w, x)| w * x).sum();
                height * (angle + phase).cos()
            };
            waves.iter().map(wave).sum()
        };
        Self { utility: rows.iter().map(utility).collect(), points: Points::from_rows(&rows) }
    }

    /// Pairs of different items at random.
    pub(super) fn pairs(&self, count: usize, seed: u64) -> Vec<(usize, usize)> {
        let mut rng = random::stream(seed, 2);
        let n = self.utility.len();
        let mut item = |from: usize| (random::uniform(&mut rng) * from as f64) as usize;
        (0..count)
            .map(|_| {
                let a = item(n);
                (a, (a + 1 + item(n - 1)) % n)
            })
            .collect()
    }

    /// Noisy comparisons of pairs.
    pub(super) fn compare(&self, pairs: &[(usize, usize)], seed: u64) -> Vec<Comparison> {
        let mut rng = random::stream(seed, 3);
        let mut seen = |i: usize| self.utility[i] + NOISE * random::normal(&mut rng);
        pairs
            .iter()
            .map(|&(a, b)| {
                let (winner, loser) = if seen(a) > seen(b) { (a, b) } else { (b, a) };
                Comparison { winner, loser, count: 1.0 }
            })
            .collect()
    }

    /// The items as a table.
    pub(super) fn items(&self) -> Items {
        let values = |d: usize| (0..self.points.len()).map(|i| self.points.row(i)[d]).collect();
        let column = |d: usize| Column { name: format!("x{d}"), values: ColumnValues::Numeric(values(d)) };
        Items {
            keys: (0..self.points.len()).map(|i| i.to_string()).collect(),
            columns: (0..DIMENSIONS).map(column).collect(),
        }
    }

    /// The share of pairs whose better item has the larger of `means`.
    pub(super) fn accuracy(&self, pairs: &[(usize, usize)], means: &[f64]) -> f64 {
        let right = |&&(a, b): &&(usize, usize)| (means[a] > means[b]) == (self.utility[a] > self.utility[b]);
        pairs.iter().filter(right).count() as f64 / pairs.len() as f64
    }
}
