//! The leading correction of the log evidence of expectation propagation.

use super::observations::{Observation, pairs_of};
use super::prior::{Absorbed, Prior};
use super::set_factor::{self, Differences};
use super::sites::{cavity, each_factor, of_factor, parts};
use super::{Factors, Outcome};
use crate::likelihood::Likelihoods;
use crate::likelihood::choice_set::{ChoiceSet, Comparisons};
use crate::likelihood::quadrature::cumulants;
use rather_numerics::linalg::{Matrix, axpy, dot};

/// Averages of the Hermite polynomials $\mathrm{He}_3$ to $\mathrm{He}_6$ under a factor's tilted distribution, standardised by the marginal.
type Hermite = [f64; 4];
/// The factorials of their orders.
const FACTORIALS: [f64; 4] = [6.0, 24.0, 120.0, 720.0];
/// The most factors whose correction is computed: its work grows with the square of their number.
pub const MOST_FACTORS: usize = 1000;
/// The smallest logarithm of one pair's part: a series that says that two answers exclude each other has not converged.
const LEAST: f64 = -0.9;

/// The leading correction of the log evidence at a fixpoint of expectation propagation with a factor a pair, and of an answer about a set with a factor a
/// comparison of its noisy utilities: add it to [`Outcome::log_evidence`]. `None` for priors of low rank and for more than [`MOST_FACTORS`] factors.
///
/// # Formula
/// With $h_{l,n}=\langle\mathrm{He}_ l\rangle$ of factor $n$'s tilted distribution, standardised by the mean and the standard deviation of the
/// marginal of its projection (so that $h_1=h_2=0$), and the correlations $\rho_{mn}$ of the projections under the posterior,
/// $$ \log Z-\log Z_{\mathrm{EP}}\approx\sum_{m<n}\log\Bigl(1+\sum_{l=3}^{6}\frac{h_{l,m}h_{l,n}}{l!}\rho_{mn}^l\Bigr), $$
/// which is exact for two factors (up to the orders above 6), and 0 where the tilted distributions are Gaussian or the projections
/// independent. A large value says that the approximation is rough.
///
/// # References
/// Opper, Paquet and Winther, *Perturbative corrections for approximate inference in Gaussian latent variable models*, Journal of Machine
/// Learning Research 14 (2013), section 4; the sum over orders of one pair is Mehler's formula.
pub fn log_evidence(
    prior: &Prior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    outcome: &Outcome,
) -> Option<f64> {
    let Outcome { posterior, sites, .. } = outcome;
    let factors = || each_factor(likelihoods, observations, Factors::Pair);
    let comparisons =
        |factor: &[Observation]| likelihoods.set(factor[0].answer).map_or(1, ChoiceSet::comparisons_made);
    if !prior.rest.is_empty()
        || factors().map(comparisons).take(MOST_FACTORS + 1).sum::<usize>() > MOST_FACTORS
    {
        return None;
    }
    let projected = Projected::new(prior, posterior);
    let mut next = 0;
    let mut all: Vec<Answered> = Vec::new();
    for factor in factors() {
        let own = next..next + factor.len();
        next = own.end;
        let (tau, nu) = (&sites.tau[own.clone()], &sites.nu[own]);
        all.push(match likelihoods.set(factor[0].answer) {
            None => {
                let edge = factor[0].edge();
                let marginal = (posterior.mean[edge], posterior.variance[edge]);
                Answered {
                    copies: 1.0,
                    hermite: vec![hermite(likelihoods, factor, of_factor(factor, tau, nu), marginal)],
                    directions: vec![of_length_one(projected.direction(edge))],
                    correlation: Matrix::zeros(1, 1),
                }
            }
            Some(set) => Answered::set(set, factor, (tau, nu), posterior, &projected)?,
        });
    }
    let mut sum = 0.0;
    for (m, a) in all.iter().enumerate() {
        sum += a.within();
        sum += all[m + 1..].iter().map(|b| a.copies * b.copies * a.with(b)).sum::<f64>();
    }
    Some(sum)
}

/// A factor, or the comparisons of an answer about a set, each a factor on a difference of noisy utilities.
struct Answered {
    /// Equal answers, each with factors of its own.
    copies: f64,
    hermite: Vec<Hermite>,
    /// What each has in common with other answers: directions whose inner products are correlations.
    directions: Vec<Vec<f64>>,
    /// The correlations among those of one answer, which share its noise.
    correlation: Matrix,
}

impl Answered {
    fn set(
        set: &ChoiceSet,
        factor: &[Observation],
        sites: (&[f64], &[f64]),
        posterior: &Absorbed,
        projected: &Projected<'_>,
    ) -> Option<Self> {
        let n = set.order().options();
        let marginal = |edge: usize| (posterior.mean[edge], posterior.variance[edge]);
        let Differences { mean, covariance } = set_factor::cavity(factor, n, sites, marginal)?;
        let Comparisons { cumulants, along, correlation } = set.comparisons(&mean, &covariance);
        // The utilities relative to the last one are pairs with it.
        let places: Vec<usize> = (0..n).collect();
        let with_last = pairs_of(&places).zip(factor).filter(|((_, j), _)| *j == n - 1);
        let of_items: Vec<(f64, Vec<f64>)> =
            with_last.map(|(_, o)| (o.sign(), projected.direction(o.edge()))).collect();
        let direction = |k: usize| {
            let mut out = vec![0.0; projected.half.rows()];
            let all = of_items.iter().enumerate();
            all.for_each(|(i, (sign, item))| axpy(sign * along[(k, i)], item, &mut out));
            out
        };
        Some(Self {
            copies: factor[0].count(),
            hermite: cumulants.into_iter().map(of_cumulants).collect(),
            directions: (0..correlation.rows()).map(direction).collect(),
            correlation,
        })
    }

    /// What the factors of one answer have in common with those of another.
    fn with(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (a, u) in self.hermite.iter().zip(&self.directions) {
            for (b, v) in other.hermite.iter().zip(&other.directions) {
                sum += common(a, b, dot(u, v));
            }
        }
        sum
    }

    /// What the factors of an answer have in common with one another, and with those of its copies.
    fn within(&self) -> f64 {
        let mut sum = 0.0;
        for (k, a) in self.hermite.iter().enumerate() {
            for (l, b) in self.hermite.iter().enumerate().skip(k + 1) {
                sum += common(a, b, self.correlation[(k, l)]);
            }
        }
        let pairs = 0.5 * self.copies * (self.copies - 1.0);
        self.copies * sum + if pairs > 0.0 { pairs * self.with(self) } else { 0.0 }
    }
}

fn common(a: &Hermite, b: &Hermite, rho: f64) -> f64 {
    pair(a, b, rho).max(LEAST).ln_1p()
}

/// What two factors have in common beyond the Gaussian.
fn pair(a: &Hermite, b: &Hermite, rho: f64) -> f64 {
    let terms = a.iter().zip(b).zip(FACTORIALS).zip(3..);
    terms.map(|(((a, b), factorial), l)| a * b / factorial * rho.powi(l)).sum()
}

/// The averages of one factor.
fn hermite(
    likelihoods: &Likelihoods,
    factor: &[Observation],
    site: (f64, f64),
    (mean, variance): (f64, f64),
) -> Hermite {
    if variance <= 0.0 {
        return [0.0; 4];
    }
    let parts = parts(likelihoods, factor);
    let (m, v) = cavity(site, (mean, variance));
    let c = cumulants(&parts, m, v);
    of_cumulants(std::array::from_fn(|k| c[k] / variance.sqrt().powi(k as i32 + 3)))
}

/// Of the third to sixth cumulants, in standard deviations.
fn of_cumulants([third, fourth, fifth, sixth]: [f64; 4]) -> Hermite {
    [third, fourth, fifth, sixth + 10.0 * third * third]
}

/// The projections as vectors whose inner products are their covariances under the posterior.
struct Projected<'a> {
    prior: &'a Prior,
    half: Matrix,
}

impl<'a> Projected<'a> {
    fn new(prior: &'a Prior, posterior: &Absorbed) -> Self {
        let mut half = Matrix::default();
        prior.solve_features(&posterior.factor, &mut half);
        Self { prior, half }
    }

    fn direction(&self, edge: usize) -> Vec<f64> {
        let edge = self.prior.edges[edge];
        let mut out = self.half.col(edge.plus()).to_vec();
        if let Some(minus) = edge.minus() {
            out.iter_mut().zip(self.half.col(minus)).for_each(|(t, x)| *t -= x);
        }
        out
    }
}

fn of_length_one(mut direction: Vec<f64>) -> Vec<f64> {
    let length = dot(&direction, &direction).sqrt();
    if length > 0.0 {
        direction.iter_mut().for_each(|t| *t /= length);
    }
    direction
}
