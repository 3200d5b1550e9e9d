//! A simulated person: utilities drawn from the prior, and what they say of them.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rather::answers::Answer;
use rather::features::{Column, ColumnValues};
use rather::kernel::{Kernel, Schema, parse};
use rather::learn::choice::{KernelChoice, KernelSpec};
use rather::likelihood::ResponseModel;
use rather::model::{FitSettings, Items};
use rather::points::Points;
use rather_numerics::linalg::cholesky;
use rather_numerics::random::{normal, normals, stream, uniform};

/// Standard deviation of utilities, in standard deviations of the noise of an item.
const SPREAD: f64 = 2.5;
const LENGTHSCALE: f64 = 0.4;

/// Items in the unit square and their utilities; the noise of an item is 1.
pub(super) struct World {
    pub(super) points: Points,
    pub(super) utility: Vec<f64>,
    pub(super) rng: ChaCha8Rng,
}

/// What a person says of a noisy difference.
#[derive(Clone, Copy, Default)]
pub(super) struct Person {
    /// A noisy difference below this is a tie.
    pub(super) tie: f64,
    /// From here above the tie's threshold on it is "much better"; 0 for never.
    pub(super) much: f64,
    /// Share of answers at random.
    pub(super) lapse: f64,
    /// The advantage of the left.
    pub(super) bias: f64,
}

impl World {
    pub(super) fn new(items: usize, seed: u64, number: usize) -> Self {
        Self::spread(items, 1.0, seed, number)
    }

    /// With utilities `times` as far apart.
    pub(super) fn spread(items: usize, times: f64, seed: u64, number: usize) -> Self {
        let mut rng = stream(seed, number as u64);
        let rows: Vec<[f64; 2]> = (0..items).map(|_| [uniform(&mut rng), uniform(&mut rng)]).collect();
        let points = Points::from_rows(&rows);
        let mut factor = kernel().matrix(&points);
        factor.add_diagonal(1e-8);
        assert!(cholesky(&mut factor), "a covariance");
        let e = normals(items, &mut rng);
        let utility = |i: usize| times * (0..=i).map(|j| factor[(i, j)] * e[j]).sum::<f64>();
        let utility = (0..items).map(utility).collect();
        Self { points, utility, rng }
    }

    pub(super) fn items(&self) -> Items {
        let column = |d: usize| Column {
            name: format!("x{d}"),
            values: ColumnValues::Numeric((0..self.points.len()).map(|i| self.points.row(i)[d]).collect()),
        };
        let keys = (0..self.points.len()).map(|i| i.to_string()).collect();
        Items { keys, columns: vec![column(0), column(1)] }
    }

    pub(super) fn pair(&mut self) -> (usize, usize) {
        let n = self.utility.len();
        let left = self.rng.random_range(0..n);
        (left, (left + self.rng.random_range(1..n)) % n)
    }

    /// The noisy difference of two items.
    pub(super) fn difference(&mut self, (left, right): (usize, usize)) -> f64 {
        self.utility[left] - self.utility[right] + std::f64::consts::SQRT_2 * normal(&mut self.rng)
    }

    /// The item's noisy utility.
    pub(super) fn noisy(&mut self, item: usize, noise: f64) -> f64 {
        self.utility[item] + noise * normal(&mut self.rng)
    }

    /// What the person says of a random pair, the first of which is on the left.
    pub(super) fn say(&mut self, person: &Person) -> Answer {
        let (left, right) = self.pair();
        let z = self.difference((left, right)) + person.bias;
        let top = if person.much > 0.0 { 2 } else { 1 };
        let mut grade = match z.abs() {
            size if size < person.tie => 0,
            size if person.much > 0.0 && size > person.tie + person.much => 2,
            _ => 1,
        };
        let mut for_left = z > 0.0;
        if uniform(&mut self.rng) < person.lapse {
            let answers = 2 * top + usize::from(person.tie > 0.0);
            let which = self.rng.random_range(0..answers);
            (grade, for_left) = if which == 2 * top { (0, true) } else { (which / 2 + 1, which % 2 == 0) };
        }
        let (winner, loser) = if for_left { (left, right) } else { (right, left) };
        let said = match grade {
            0 => Answer::tie(left, right),
            1 if person.tie == 0.0 && top == 1 => Answer::rather(winner, loser),
            grade => Answer::better(winner, loser, grade as u8),
        };
        said.shown_left(left)
    }
}

/// The kernel that utilities are drawn from.
pub(super) fn kernel() -> Kernel {
    let mut kernel = parse("se", &schema(), false).expect("a kernel");
    kernel.set_parameters(&[SPREAD * SPREAD, LENGTHSCALE]).expect("its parameters");
    kernel
}

pub(super) fn schema() -> Schema {
    Schema { names: vec!["x0".into(), "x1".into()], categorical: vec![false; 2], context: 0 }
}

/// The kernel learned, by people who answer by a response model.
pub(super) fn settings(response_model: ResponseModel) -> FitSettings {
    let kernel = KernelChoice::Given(KernelSpec { expression: "se".into(), ard: false });
    FitSettings { kernel, raw_features: true, response_model, ..FitSettings::default() }
}

/// Mean and standard error.
pub(super) fn summary(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}
