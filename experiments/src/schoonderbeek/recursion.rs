//! Simulated preferences: batch inference, one pass, revisits, Laplace, and the recursion as printed.

use anyhow::Result;
use std::f64::consts::LN_2;

use rather::Comparison;
use rather::evidence::Problem;
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings as Inference};
use rather::kernel::Kernel;
use rather::points::Points;
use rather::posterior::Posterior;
use rather::streaming::{Basis, Settings, StreamingModel};
use rather_numerics::linalg::Matrix;
use rather_numerics::random::{stream, uniform};
use rather_numerics::special::normal::cdf;
use rayon::prelude::*;

use super::Options;
use super::as_printed::{Recursion, Variant};
use super::world::{NOISE, centred, correlation, draw, grid, mean, pick, rms, scattered, se};

const VARIANCE: f64 = 4.0;
const PAIRS: usize = 1000;

/// How the answers are taken in.
#[derive(Debug, Clone, Copy)]
enum Way {
    Batch(Method),
    /// A basis of so many points a side, and revisits after the pass.
    Streaming(usize, usize),
    Recursion(usize, Variant),
}

/// A row of the reference: correlation, rmse, log loss, calibration.
type Reference = [f64; 4];

struct Setting {
    dims: usize,
    lengthscale: f64,
    duels: usize,
    floor: f64,
    rows: Vec<(&'static str, Way, Reference)>,
}

fn settings() -> Vec<Setting> {
    use Variant::{AsPrinted, Laplace, NotDivided};
    let four = |side: usize, r: [Reference; 4]| {
        vec![
            ("batch EP", Way::Batch(Method::Ep), r[0]),
            ("one pass", Way::Streaming(side, 0), r[1]),
            ("recursive Laplace", Way::Recursion(side, Laplace), r[2]),
            ("as printed", Way::Recursion(side, AsPrinted), r[3]),
        ]
    };
    let one = |duels, floor, rows| Setting { dims: 1, lengthscale: 0.2, duels, floor, rows };
    let two = |duels, floor, rows| Setting { dims: 2, lengthscale: 0.35, duels, floor, rows };
    vec![
        one(
            50,
            0.337,
            vec![
                ("batch EP", Way::Batch(Method::Ep), [0.959, 0.507, 0.3820, 1.07]),
                ("batch Laplace", Way::Batch(Method::Laplace), [0.959, 0.530, 0.3848, 1.18]),
                ("one pass and revisits", Way::Streaming(8, 30), [0.959, 0.507, 0.3820, 1.07]),
                ("one pass", Way::Streaming(8, 0), [0.958, 0.519, 0.3832, 1.23]),
                ("recursive Laplace", Way::Recursion(8, Laplace), [0.957, 0.589, 0.3885, 1.97]),
                ("right prior, not divided", Way::Recursion(8, NotDivided), [0.920, 0.984, 0.4550, 292.0]),
                ("as printed", Way::Recursion(8, AsPrinted), [0.477, 1.476, 0.6921, 7e3]),
                ("as printed", Way::Recursion(15, AsPrinted), [0.152, 1.478, LN_2, 2e12]),
                ("as printed", Way::Recursion(5, AsPrinted), [0.747, 1.325, 0.5978, 37.0]),
            ],
        ),
        one(
            100,
            0.375,
            four(
                8,
                [
                    [0.974, 0.333, 0.3983, 0.93],
                    [0.973, 0.320, 0.3987, 1.00],
                    [0.973, 0.388, 0.4029, 1.61],
                    [0.493, 1.283, 0.6918, 9e3],
                ],
            ),
        ),
        one(
            200,
            0.327,
            four(
                8,
                [
                    [0.990, 0.256, 0.3395, 0.99],
                    [0.990, 0.273, 0.3396, 1.12],
                    [0.990, 0.388, 0.3441, 2.49],
                    [0.529, 1.507, 0.6917, 2e4],
                ],
            ),
        ),
        two(
            50,
            0.282,
            four(
                6,
                [
                    [0.910, 0.774, 0.3853, 1.35],
                    [0.911, 0.771, 0.3851, 1.43],
                    [0.912, 0.868, 0.3957, 2.17],
                    [0.548, 1.702, 0.6926, 4e3],
                ],
            ),
        ),
        two(
            100,
            0.319,
            four(
                6,
                [
                    [0.936, 0.540, 0.3799, 1.03],
                    [0.935, 0.555, 0.3813, 1.12],
                    [0.933, 0.649, 0.3878, 1.79],
                    [0.552, 1.565, 0.6925, 7e3],
                ],
            ),
        ),
        two(
            200,
            0.334,
            four(
                6,
                [
                    [0.960, 0.425, 0.3723, 1.05],
                    [0.960, 0.423, 0.3729, 1.10],
                    [0.960, 0.430, 0.3738, 1.49],
                    [0.554, 1.374, 0.6925, 8e3],
                ],
            ),
        ),
    ]
}

/// A taste, duels by it, and what is asked of a model.
struct Case {
    kernel: Kernel,
    items: Points,
    duels: Vec<(usize, usize)>,
    tests: Points,
    truth: Vec<f64>,
    pairs: Vec<(usize, usize)>,
}

impl Case {
    fn draw(setting: &Setting, seed: u64) -> Self {
        let rng = &mut stream(seed, setting.duels as u64 + 1000 * setting.dims as u64);
        let kernel = se(setting.dims, VARIANCE, setting.lengthscale);
        let tests = grid(setting.dims, if setting.dims == 1 { 101 } else { 15 });
        let played = scattered(setting.dims, 2 * setting.duels, rng);
        let n = tests.len();
        let rows = (0..n).flat_map(|i| tests.row(i)).chain((0..played.len()).flat_map(|i| played.row(i)));
        let all =
            Points::new((0..(n + played.len()) as u64).collect(), setting.dims, rows.copied().collect());
        let utility = draw(&kernel, &all, rng);
        let duels = (0..setting.duels)
            .map(|m| {
                let (a, b) = (2 * m, 2 * m + 1);
                let first = uniform(rng) < cdf(utility[n + a] - utility[n + b]);
                if first { (a, b) } else { (b, a) }
            })
            .collect();
        let pairs = (0..PAIRS)
            .map(|_| {
                let a = pick(n, rng);
                (a, (a + 1 + pick(n - 1, rng)) % n)
            })
            .collect();
        Self { kernel, items: played, duels, tests, truth: utility[..n].to_vec(), pairs }
    }

    /// Mean and covariance at the tests.
    fn learn(&self, way: Way) -> Result<(Vec<f64>, Matrix)> {
        let dims = self.items.dims();
        match way {
            Way::Batch(method) => {
                let comparisons: Vec<_> = self
                    .duels
                    .iter()
                    .map(|&(winner, loser)| Comparison { winner, loser, count: 1.0 })
                    .collect();
                let observations = Observations::new(&comparisons);
                let points = self.items.select(&observations.items);
                let problem = Problem {
                    points: &points,
                    observations: &observations,
                    method,
                    space: None,
                    inducing: None,
                };
                let evidence = problem.evaluate(&self.kernel, NOISE, None, &Inference::default())?;
                let posterior = Posterior::new(&problem, self.kernel.clone(), NOISE, evidence);
                Ok((posterior.utilities(&self.tests).mean, posterior.covariance(&self.tests)))
            }
            Way::Streaming(side, sweeps) => {
                let settings = Settings { memory: self.duels.len(), ..Settings::default() };
                let mut model = StreamingModel::new(self.kernel.clone(), grid(dims, side), settings)?;
                for &(winner, loser) in &self.duels {
                    model.answer(&self.items, winner, loser)?;
                }
                model.refine(sweeps);
                Ok((model.utilities(&self.tests).mean, model.covariance(&self.tests)))
            }
            Way::Recursion(side, variant) => {
                let basis = Basis::new(self.kernel.clone(), grid(dims, side))?;
                let mut recursion = Recursion::new(basis, variant);
                for &(winner, loser) in &self.duels {
                    recursion.answer(&self.items, winner, loser);
                }
                Ok(recursion.utilities(&self.tests))
            }
        }
    }

    /// Correlation, rmse of the centred mean, expected log loss and calibration of contrasts.
    fn score(&self, way: Way) -> Result<[f64; 4]> {
        let (found, covariance) = self.learn(way)?;
        let (a, b) = (centred(&found), centred(&self.truth));
        let (mut loss, mut squares) = (0.0, 0.0);
        for &(i, j) in &self.pairs {
            let (d, truth) = (found[i] - found[j], self.truth[i] - self.truth[j]);
            let variance = (covariance[(i, i)] + covariance[(j, j)] - 2.0 * covariance[(i, j)]).max(1e-12);
            let (p, q) = (cdf(truth), cdf(d / (1.0 + variance).sqrt()).clamp(1e-12, 1.0 - 1e-12));
            loss -= p * q.ln() + (1.0 - p) * (1.0 - q).ln();
            squares += (d - truth).powi(2) / variance;
        }
        let n = self.pairs.len() as f64;
        Ok([
            correlation(&found, &self.truth),
            rms(a.iter().zip(&b).map(|(a, b)| a - b)),
            loss / n,
            squares / n,
        ])
    }

    /// The expected log loss of who knows the truth.
    fn floor(&self) -> f64 {
        let entropy =
            |p: f64| if p <= 0.0 || p >= 1.0 { 0.0 } else { -p * p.ln() - (1.0 - p) * (1.0 - p).ln() };
        mean(
            &self.pairs.iter().map(|&(i, j)| entropy(cdf(self.truth[i] - self.truth[j]))).collect::<Vec<_>>(),
        )
    }
}

pub(super) fn print(options: &Options) -> Result<()> {
    println!(
        "Recursive preference learning (thesis, sections V-B and VII): prior sd 2, {} functions (reference: 20)\n",
        options.functions
    );
    for setting in settings() {
        let cases: Vec<Case> =
            (0..options.functions).into_par_iter().map(|f| Case::draw(&setting, options.seed + f)).collect();
        let floor = mean(&cases.iter().map(Case::floor).collect::<Vec<_>>());
        println!(
            "{}-D, lengthscale {}, {} duels; log loss of the truth {floor:.3} ({})",
            setting.dims, setting.lengthscale, setting.duels, setting.floor
        );
        println!(
            "  {:<26} {:>6}  {:<16} {:<16} {:<18} {:<18}",
            "method", "basis", "correlation", "rmse", "log loss", "z²"
        );
        for (name, way, reference) in &setting.rows {
            let scores = cases.par_iter().map(|case| case.score(*way)).collect::<Result<Vec<[f64; 4]>>>()?;
            let average = |k: usize| mean(&scores.iter().map(|s| s[k]).collect::<Vec<_>>());
            let basis = match way {
                Way::Batch(_) => "-".into(),
                Way::Streaming(side, _) | Way::Recursion(side, _) => {
                    side.pow(setting.dims as u32).to_string()
                }
            };
            let calibration = |z: f64| if z < 1000.0 { format!("{z:.2}") } else { format!("{z:.0e}") };
            println!(
                "  {name:<26} {basis:>6}  {:<16} {:<16} {:<18} {:<18}",
                format!("{:.3} ({:.3})", average(0), reference[0]),
                format!("{:.3} ({:.3})", average(1), reference[1]),
                format!("{:.4} ({:.4})", average(2), reference[2]),
                format!("{} ({})", calibration(average(3)), calibration(reference[3])),
            );
        }
        println!();
    }
    Ok(())
}
