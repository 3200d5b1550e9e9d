//! Takeno's model: EP against the exact posterior for growing numbers of duels of fresh points.
//!
//! A utility drawn from the prior on the unit square, duels of uniform points with noise on each side; the error
//! of EP's (and Laplace's) means, standard deviations and choice probabilities, and the time of each.

use std::time::Instant;

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rather::Comparison;
use rather::evidence::Problem;
use rather::exact::{ExactPosterior, ExactSettings};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use rather::kernel::{Kernel, Schema, parse};
use rather::points::Points;
use rather::posterior::Posterior;
use rather_numerics::linalg::{Matrix, cholesky};
use rather_numerics::special::normal;

const VARIANCE: f64 = 1.0;
const LENGTHSCALE: f64 = 0.2;
/// Points on which the posteriors are compared.
const TEST_POINTS: usize = 40;

/// Arguments of the experiment.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Numbers of duels.
    #[arg(long, value_delimiter = ',', default_values_t = [10, 25, 50, 100, 200, 400])]
    duels: Vec<usize>,
    /// Standard deviation of the noise per item.
    #[arg(long, default_value_t = 0.1)]
    noise: f64,
    /// Draws of the exact sampler.
    #[arg(long, default_value_t = 8_000)]
    samples: usize,
    /// Seed of the utility, the duels and the sampler.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    println!(
        "2-D, variance {VARIANCE}, lengthscale {LENGTHSCALE}, noise {} an item; errors against the exact sampler",
        options.noise
    );
    println!(
        "mean: root mean square, in exact sd; sd: ratio, smallest to largest; P: largest error over pairs\n"
    );
    println!(
        "{:>5}  {:<8} {:>6}  {:>14}  {:>6}  {:>9} {:>9}  {:>7}",
        "duels", "method", "mean", "sd ratio", "P", "log Z", "error", "seconds"
    );
    options.duels.iter().try_for_each(|&t| row(t, options))
}

fn row(t: usize, options: &Options) -> Result<()> {
    let case = Case::draw(t, options);
    let observations = Observations::new(&case.comparisons);
    let points = case.points.select(&observations.items);
    let problem = |method| Problem {
        points: &points,
        observations: &observations,
        method,
        space: None,
        inducing: None,
    };
    let settings = ExactSettings { samples: options.samples, seed: options.seed, ..Default::default() };
    let start = Instant::now();
    let exact = ExactPosterior::new(&problem(Method::Ep), case.kernel.clone(), options.noise, &settings)?;
    let evidence = exact.log_evidence().context("the exact evidence is out of reach")?;
    let seconds = start.elapsed().as_secs_f64();
    let truth = exact.utilities(&case.test);
    let pairs: Vec<(usize, usize)> = (0..TEST_POINTS).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let chances = exact.probabilities(&case.test, &pairs);
    println!(
        "{t:>5}  {:<8} {:>6}  {:>14}  {:>6}  {:>9.3} {:>9.3}  {seconds:>7.3}   {:.0} effective draws, R-hat {:.3}",
        "exact",
        "",
        "",
        "",
        evidence.value,
        evidence.error,
        exact.effective_samples(),
        exact.r_hat()
    );
    for (name, method) in [("EP", Method::Ep), ("Laplace", Method::Laplace)] {
        let start = Instant::now();
        let found = problem(method).evaluate(&case.kernel, options.noise, None, &Settings::default())?;
        let seconds = start.elapsed().as_secs_f64();
        let log_evidence = found.outcome.log_evidence;
        let posterior = Posterior::new(&problem(method), case.kernel.clone(), options.noise, found);
        let u = posterior.utilities(&case.test);
        let errors = (0..TEST_POINTS).map(|i| (u.mean[i] - truth.mean[i]).powi(2) / truth.variance[i]);
        let mean = (errors.sum::<f64>() / TEST_POINTS as f64).sqrt();
        let ratios = u.variance.iter().zip(&truth.variance).map(|(a, b)| (a / b).sqrt());
        let (low, high) = ratios.fold((f64::MAX, 0.0_f64), |(l, h), r| (l.min(r), h.max(r)));
        let p = posterior.probabilities(&case.test, &pairs);
        let worst = p.iter().zip(&chances).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!(
            "{:>5}  {name:<8} {mean:>6.3}  {:>14}  {worst:>6.3}  {log_evidence:>9.3} {:>9.3}  {seconds:>7.3}",
            "",
            format!("{low:.3} - {high:.3}"),
            log_evidence - evidence.value
        );
    }
    Ok(())
}

struct Case {
    points: Points,
    comparisons: Vec<Comparison>,
    test: Points,
    kernel: Kernel,
}

impl Case {
    fn draw(t: usize, options: &Options) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        let schema = Schema { names: vec!["x".into(), "y".into()], categorical: vec![false; 2], context: 0 };
        let mut kernel = parse("se", &schema, false).expect("a kernel");
        kernel.set_parameters(&[VARIANCE, LENGTHSCALE]).expect("its two parameters");
        let n = 2 * t + TEST_POINTS;
        let values = (0..2 * n).map(|_| rng.random_range(0.0..1.0)).collect();
        let all = Points::new((0..n as u64).collect(), 2, values);
        let utility = sample(&kernel.matrix(&all), &mut rng);
        let mut noisy = |i: usize| utility[i] + options.noise * standard_normal(&mut rng);
        let comparisons = (0..t)
            .map(|m| {
                let (a, b) = (2 * m, 2 * m + 1);
                let (winner, loser) = if noisy(a) > noisy(b) { (a, b) } else { (b, a) };
                Comparison { winner, loser, count: 1.0 }
            })
            .collect();
        let indices: Vec<usize> = (0..n).collect();
        let (points, test) = (all.select(&indices[..2 * t]), all.select(&indices[2 * t..]));
        Self { points, comparisons, test, kernel }
    }
}

/// A draw of `N(0, c)`.
fn sample(c: &Matrix, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut l = c.clone();
    l.add_diagonal(1e-8);
    assert!(cholesky(&mut l), "a covariance with jitter is positive definite");
    let z: Vec<f64> = (0..l.rows()).map(|_| standard_normal(rng)).collect();
    (0..l.rows()).map(|i| (0..=i).map(|j| l[(i, j)] * z[j]).sum()).collect()
}

fn standard_normal(rng: &mut ChaCha8Rng) -> f64 {
    normal::quantile(rng.random_range(1e-16..1.0))
}
