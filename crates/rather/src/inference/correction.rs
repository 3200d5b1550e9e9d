//! The leading correction of the log evidence of expectation propagation.

use super::observations::Observation;
use super::prior::{Absorbed, Prior};
use super::sites::{cavity, each_factor, of_factor, parts};
use super::{Factors, Outcome};
use crate::likelihood::Likelihoods;
use crate::likelihood::quadrature::cumulants;
use rather_numerics::linalg::{Matrix, dot};

/// Averages of the Hermite polynomials $\mathrm{He}_3$ to $\mathrm{He}_6$ under a factor's tilted distribution, standardised by the marginal.
type Hermite = [f64; 4];
/// The factorials of their orders.
const FACTORIALS: [f64; 4] = [6.0, 24.0, 120.0, 720.0];
/// The most factors whose correction is computed: its work grows with the square of their number.
pub const MOST_FACTORS: usize = 1000;
/// The smallest logarithm of one pair's part: a series that says that two answers exclude each other has not converged.
const LEAST: f64 = -0.9;

/// The leading correction of the log evidence at a fixpoint of expectation propagation with a factor a pair: add it to
/// [`Outcome::log_evidence`]. `None` for priors of low rank and for more than [`MOST_FACTORS`] factors.
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
    let factors = || each_factor(observations, Factors::Pair);
    if !prior.rest.is_empty() || factors().take(MOST_FACTORS + 1).count() > MOST_FACTORS {
        return None;
    }
    let mut next = 0;
    let hermite = factors().map(|factor| {
        let own = next..next + factor.len();
        next = own.end;
        let edge = factor[0].edge();
        let site = of_factor(factor, &sites.tau[own.clone()], &sites.nu[own]);
        hermite(likelihoods, factor, site, (posterior.mean[edge], posterior.variance[edge]))
    });
    let hermite: Vec<Hermite> = hermite.collect();
    let directions = directions(prior, posterior, factors().map(|factor| factor[0].edge()));
    let mut sum = 0.0;
    for (m, a) in hermite.iter().enumerate() {
        for (n, b) in hermite.iter().enumerate().skip(m + 1) {
            sum += pair(a, b, dot(directions.col(m), directions.col(n))).max(LEAST).ln_1p();
        }
    }
    Some(sum)
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
    let [third, fourth, fifth, sixth]: Hermite =
        std::array::from_fn(|k| c[k] / variance.sqrt().powi(k as i32 + 3));
    [third, fourth, fifth, sixth + 10.0 * third * third]
}

/// The projections of `edges` as directions of length 1 in which their inner products are their correlations under the posterior.
fn directions(prior: &Prior, posterior: &Absorbed, edges: impl Iterator<Item = usize>) -> Matrix {
    let edges: Vec<usize> = edges.collect();
    let mut half = Matrix::default();
    prior.solve_features(&posterior.factor, &mut half);
    let mut out = Matrix::zeros(half.rows(), edges.len());
    for (k, edge) in edges.into_iter().enumerate() {
        let edge = prior.edges[edge];
        let to = out.col_mut(k);
        to.copy_from_slice(half.col(edge.plus()));
        if let Some(minus) = edge.minus() {
            to.iter_mut().zip(half.col(minus)).for_each(|(t, x)| *t -= x);
        }
        let length = dot(to, to).sqrt();
        if length > 0.0 {
            to.iter_mut().for_each(|t| *t /= length);
        }
    }
    out
}
