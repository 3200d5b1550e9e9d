//! Orthant probabilities by quasi-Monte Carlo.

use serde::{Deserialize, Serialize};

use super::tilting::MinimaxTilting;
use crate::Error;
use rather_numerics::linalg::Matrix;
use rather_numerics::random::{stream, uniform};
use rather_numerics::sobol::{DIMENSIONS, Scrambling, Sobol};
use rather_numerics::watch::Steps;
use rather_numerics::{parallel, watch};

/// Variables that an orthant probability may have.
pub const MOST_VARIABLES: usize = 2_000;

/// How finely to integrate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quadrature {
    /// The points of one scrambling are $2^{depth}$; at most 24.
    pub depth: u32,
    /// Independent scramblings, from whose spread the error is found; at least 2.
    pub scramblings: usize,
    /// The number that all scramblings are derived from.
    pub seed: u64,
}

impl Default for Quadrature {
    /// 16 scramblings of 1,024 points.
    fn default() -> Self {
        Self { depth: 10, scramblings: 16, seed: 0 }
    }
}

/// The log of an estimated probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LogProbability {
    /// The log, in nats.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

/// $\log P(y>0)$ for $y\sim\mathcal N(0,S)$.
///
/// # Formula
/// Genz's separation of variables turns the probability into an integral over the unit cube, one variable after the other
/// drawn from its truncated conditional; [`MinimaxTilting`] orders them and shifts each conditional so that the integrand
/// $e^\psi$ varies little. It is averaged over scrambled Sobol points, in logs; the error is that of the mean over
/// scramblings. Dimensions beyond 1,024 are drawn at random.
///
/// # Errors
/// [`Error::ExactSize`] for more than 2,000 variables, [`Error::Inference`] as [`MinimaxTilting::new`],
/// [`Error::Parameter`] if the quadrature is out of range.
///
/// # References
/// Genz, *Numerical computation of multivariate normal probabilities* (1992), J. Comput. Graph. Stat. 1; Botev (2017),
/// section 3, for the tilted estimator.
///
/// # Examples
/// ```
/// use rather::exact::orthant::{Quadrature, log_probability};
/// use rather_numerics::linalg::Matrix;
///
/// // Three variables with correlations of 1/2 are all positive with probability 1/4.
/// let covariance = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.5 });
/// let p = log_probability(&covariance, &Quadrature::default()).unwrap();
/// assert!((p.value - 0.25_f64.ln()).abs() < 1e-5);
/// ```
pub fn log_probability(covariance: &Matrix, quadrature: &Quadrature) -> Result<LogProbability, Error> {
    let t = covariance.rows();
    if t > MOST_VARIABLES {
        return Err(Error::ExactSize { comparisons: t as f64, limit: MOST_VARIABLES });
    }
    let &Quadrature { depth, scramblings, .. } = quadrature;
    if depth > 24 || scramblings < 2 {
        let (name, value) =
            if depth > 24 { ("depth", f64::from(depth)) } else { ("scramblings", scramblings as f64) };
        let requirement = "the depth must be at most 24 and the scramblings at least 2";
        return Err(Error::Parameter { name: name.into(), value, requirement });
    }
    if t == 0 {
        return Ok(LogProbability { value: 0.0, error: 0.0 });
    }
    let tilting = MinimaxTilting::new(covariance)?;
    let steps = Steps::start("evidence", scramblings << depth);
    let means =
        parallel::map(scramblings, 1, |number| one_scrambling(&tilting, quadrature, number as u64, &steps));
    watch::check()?;
    Ok(combine(&means))
}

/// The log of the mean weight over the points of one scrambling.
fn one_scrambling(tilting: &MinimaxTilting, quadrature: &Quadrature, number: u64, steps: &Steps) -> f64 {
    let t = tilting.len();
    let mut rng = stream(quadrature.seed, number);
    let scrambling = Scrambling::new(rand_chacha::rand_core::Rng::next_u64(&mut rng), quadrature.depth);
    // The last variable is integrated in closed form.
    let dimensions = (t - 1).min(DIMENSIONS);
    let Some(mut sequence) = Sobol::new(dimensions) else { return f64::NAN };
    let (mut z, mut y) = (vec![0.0; t], vec![0.0; t]);
    let log_weights: Vec<f64> = (0..1_u64 << quadrature.depth)
        .take_while(|_| !watch::ends())
        .map(|_| {
            steps.add(1);
            let point = sequence.next_point();
            let coordinate = |k: usize| match k {
                k if k < dimensions => scrambling.apply(k, point[k]),
                k if k == t - 1 => 0.5,
                _ => uniform(&mut rng),
            };
            tilting.propose(coordinate, &mut z, &mut y)
        })
        .collect();
    log_mean_exp(&log_weights)
}

/// The mean of independent estimates, given as logs, with its error.
fn combine(logs: &[f64]) -> LogProbability {
    let value = log_mean_exp(logs);
    let n = logs.len() as f64;
    let squares: f64 = logs.iter().map(|l| ((l - value).exp() - 1.0).powi(2)).sum();
    LogProbability { value, error: (squares / (n * (n - 1.0))).sqrt() }
}

/// $\log\frac1n\sum_ie^{x_i}$ without overflow.
fn log_mean_exp(x: &[f64]) -> f64 {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + (x.iter().map(|x| (x - largest).exp()).sum::<f64>() / x.len() as f64).ln()
}
