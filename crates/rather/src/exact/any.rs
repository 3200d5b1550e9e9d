//! The exact posterior under answers of any kind, by elliptical slice sampling around the Gaussian of expectation propagation.

use std::f64::consts::TAU;

use rand_chacha::ChaCha8Rng;

use super::chains::{self, Length};
use super::diagnostics;
use crate::Error;
use crate::evidence::{Evidence, Problem};
use crate::inference::observations::Observation;
use crate::inference::prior::{Prior, Space};
use crate::inference::{Method, Settings};
use crate::kernel::Kernel;
use crate::likelihood::product::Product;
use crate::likelihood::quadrature::Part;
use crate::likelihood::{Likelihoods, Values};
use crate::linalg::{Matrix, solve_lower_transposed_vec};
use crate::random::{normals, uniform};

/// Draws of the utilities of the items answered about, from their exact posterior.
#[derive(Debug, Clone)]
pub struct Draws {
    /// One matrix a chain, items x draws, items in the order of [`Problem::points`].
    pub chains: Vec<Matrix>,
}

/// Draws utilities from the posterior of `problem` at one setting of the hyperparameters, whatever the answers are.
///
/// # Formula
/// The posterior of the weights $w$ of the features is expectation propagation's Gaussian $\mathcal N(\hat w,B^{-1})$ times what the sites
/// leave of the likelihoods, $\sum_mk_m\big[\log t_m(z_m)-\tilde\nu_mz_m+\tfrac12\tilde\tau_mz_m^2\big]$. A point with at least a random level of
/// it is searched for on an ellipse around $\hat w$. Expectation propagation only has to be near: the draws are exact for any sites.
///
/// # References
/// Fagan, Bhandari and Cunningham, *Elliptical slice sampling with expectation propagation* (2016), UAI.
///
/// # Errors
/// As [`Problem::evaluate`].
///
/// # Examples
/// ```
/// use rather::answers::{Answer, Answers};
/// use rather::evidence::Problem;
/// use rather::exact::any::draw;
/// use rather::exact::chains::Length;
/// use rather::inference::Method;
/// use rather::inference::observations::Observations;
/// use rather::kernel::{Schema, parse};
/// use rather::likelihood::{Manner, Values};
/// use rather::points::Points;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false] }, false)?;
/// let points = Points::from_rows(&[[0.0], [0.5], [1.0]]);
/// let answers = [Answer::tie(0, 1), Answer::better(2, 0, 1), Answer::rated(1, 2), Answer::rated(0, 0)];
/// let observations = Observations::of(&Answers::from(&answers), &[], Manner::default());
/// let problem =
///     Problem { points: &points, observations: &observations, method: Method::Ep, space: None, inducing: None };
/// let length = Length { chains: 4, kept: 500, burn_in: 50, thinning: 2 };
/// let draws = draw(&problem, &kernel, Values::from(1.0), length, 0)?;
/// assert!(draws.mean()[2] > draws.mean()[0] && draws.r_hat() < 1.05);
/// # Ok::<(), rather::Error>(())
/// ```
pub fn draw(
    problem: &Problem<'_>,
    kernel: &Kernel,
    values: Values,
    length: Length,
    seed: u64,
) -> Result<Draws, Error> {
    let problem =
        Problem { method: Method::Ep, space: Some(Space::Items), inducing: None, ..problem.clone() };
    let likelihoods = problem.observations.responses.likelihoods(&values);
    let evidence = problem.evaluate(kernel, values, None, &Settings::default())?;
    let around = Around { problem: &problem, likelihoods: &likelihoods, evidence: &evidence };
    let weights = chains::run(length, seed, |rng| around.draw(rng), |w, rng| around.step(w, rng));
    let utilities = |chain: &Matrix| of_items(&evidence.prior, chain);
    Ok(Draws { chains: weights.iter().map(utilities).collect() })
}

/// The items' utilities for weights, one state a column.
fn of_items(prior: &Prior, weights: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(prior.items, weights.cols());
    for j in 0..weights.cols() {
        let nodes = prior.features.transpose_times(weights.col(j));
        let column = out.col_mut(j);
        prior.order.iter().zip(&nodes).for_each(|(&item, &f)| column[item] = f);
    }
    out
}

/// All answers about one projection, as a function of it.
pub(crate) fn about_pair<'a>(likelihoods: &'a Likelihoods, factor: &[Observation]) -> Product<'a> {
    let part =
        |o: &Observation| Part { likelihood: likelihoods.of(o.answer), sign: o.sign(), count: o.count() };
    Product::new(factor.iter().map(part).collect())
}

/// What expectation propagation found, to sample around.
struct Around<'a> {
    problem: &'a Problem<'a>,
    likelihoods: &'a Likelihoods,
    evidence: &'a Evidence,
}

impl Around<'_> {
    /// A draw of the Gaussian, less its mean.
    fn direction(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut w = normals(self.evidence.prior.rank(), rng);
        solve_lower_transposed_vec(&self.evidence.outcome.posterior.factor, &mut w);
        w
    }

    fn centre(&self) -> &[f64] {
        &self.evidence.outcome.posterior.weights
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Vec<f64> {
        self.centre().iter().zip(self.direction(rng)).map(|(m, d)| m + d).collect()
    }

    /// The log of the likelihoods over the sites.
    fn log_ratio(&self, w: &[f64]) -> f64 {
        let Evidence { prior, outcome } = self.evidence;
        let z = prior.project(&prior.features.transpose_times(w));
        let merged = &self.problem.observations.merged;
        if !prior.rest.is_empty() {
            return self.log_ratio_of_pairs(&z);
        }
        let sites = outcome.sites.tau.iter().zip(&outcome.sites.nu);
        let term = |(o, (tau, nu)): (&Observation, (&f64, &f64))| {
            let z = o.sign() * z[o.edge()];
            o.count() * (self.likelihoods.of(o.answer).log_density(z).value + z * (0.5 * tau * z - nu))
        };
        merged.iter().zip(sites).map(term).sum()
    }

    /// As [`Around::log_ratio`], with the pairs' random effects integrated out.
    fn log_ratio_of_pairs(&self, z: &[f64]) -> f64 {
        let Evidence { prior, outcome } = self.evidence;
        let merged = &self.problem.observations.merged;
        let (tau, nu) = outcome.sites.by_edge(merged, prior.edges.len());
        let term = |factor: &[Observation]| {
            let e = factor[0].edge();
            let said = about_pair(self.likelihoods, factor).tilt(z[e], prior.rest[e]).0.log_z;
            said + z[e] * (0.5 * tau[e] * z[e] - nu[e])
        };
        merged.chunk_by(|a, b| a.edge() == b.edge()).map(term).sum()
    }

    fn step(&self, w: &mut Vec<f64>, rng: &mut ChaCha8Rng) {
        let direction = self.direction(rng);
        let centred: Vec<f64> = w.iter().zip(self.centre()).map(|(w, m)| w - m).collect();
        let level = self.log_ratio(w) + uniform(rng).ln();
        let mut angle = TAU * uniform(rng);
        let (mut from, mut to) = (angle - TAU, angle);
        // At angle 0 is the current point; where rounding hides it, the point stays.
        while to - from > f64::EPSILON {
            let (sin, cos) = angle.sin_cos();
            let next: Vec<f64> = self
                .centre()
                .iter()
                .zip(centred.iter().zip(&direction))
                .map(|(m, (c, d))| m + c * cos + d * sin)
                .collect();
            if self.log_ratio(&next) > level {
                *w = next;
                return;
            }
            if angle < 0.0 {
                from = angle
            } else {
                to = angle
            }
            angle = from + (to - from) * uniform(rng);
        }
    }
}

impl Draws {
    /// The draws of one item, chain by chain.
    fn of(&self, item: usize) -> Vec<Vec<f64>> {
        self.chains.iter().map(|chain| (0..chain.cols()).map(|j| chain[(item, j)]).collect()).collect()
    }

    fn items(&self) -> usize {
        self.chains.first().map_or(0, Matrix::rows)
    }

    /// The mean utility of each item.
    pub fn mean(&self) -> Vec<f64> {
        (0..self.items()).map(|i| diagnostics::mean(&self.of(i))).collect()
    }

    /// The variance of each item's utility.
    pub fn variance(&self) -> Vec<f64> {
        let one = |i: usize| {
            let all = self.of(i).concat();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64
        };
        (0..self.items()).map(one).collect()
    }

    /// The standard error of each mean.
    pub fn standard_error(&self) -> Vec<f64> {
        (0..self.items()).map(|i| diagnostics::standard_error(&self.of(i))).collect()
    }

    /// The largest split R-hat: above 1.05 the draws are not to be trusted.
    pub fn r_hat(&self) -> f64 {
        (0..self.items()).map(|i| diagnostics::r_hat(&self.of(i))).fold(1.0, f64::max)
    }
}
