//! The leading correction of the log evidence of expectation propagation.

use std::ops::Range;

use super::observations::{Edge, Observation, pairs_of};
use super::prior::{Absorbed, Prior};
use super::set_factor::{self, Differences};
use super::sites::{cavity, each_factor, of_factor, parts};
use super::{Factors, Outcome};
use crate::likelihood::Likelihoods;
use crate::likelihood::choice_set::{ChoiceSet, Comparisons};
use crate::likelihood::quadrature::cumulants;
use rather_numerics::linalg::{Matrix, axpy, lower_gram, mirror_lower};

/// Averages of the Hermite polynomials $\mathrm{He}_3$ to $\mathrm{He}_6$ under a factor's tilted distribution, standardised by the marginal.
type Hermite = [f64; 4];
/// One over the factorials of their orders.
const INVERSE_FACTORIALS: [f64; 4] = [1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0];
/// The most factors whose correction is computed: its work grows with the square of their number.
pub const MOST_FACTORS: usize = 1000;
/// The smallest logarithm of one pair's part: a series that says that two answers exclude each other has not converged.
const LEAST: f64 = -0.9;
/// A product whose logarithm is taken before it becomes 0, or its inverse does.
const SMALLEST: f64 = 1e-100;

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
    let (mut next, mut all) = (0, Standardised::default());
    let mut answers: Vec<Answered> = Vec::new();
    for factor in factors() {
        let own = next..next + factor.len();
        next = own.end;
        let (tau, nu) = (&sites.tau[own.clone()], &sites.nu[own]);
        answers.push(match likelihoods.set(factor[0].answer) {
            None => {
                let edge = factor[0].edge();
                let marginal = (posterior.mean[edge], posterior.variance[edge]);
                let hermite = hermite(likelihoods, factor, of_factor(factor, tau, nu), marginal);
                Answered::one(hermite, of_length_one(prior.edges[edge], marginal.1), &mut all)
            }
            Some(set) => Answered::set(set, factor, (tau, nu), posterior, prior, &mut all)?,
        });
    }
    let covariance = covariance(prior, posterior);
    let after = |answer: &Answered| answer.own.end..all.copies.len();
    Some(answers.iter().map(|a| a.within(&all, &covariance) + a.with(&all, after(a), &covariance)).sum())
}

/// The covariances of all nodes under the posterior.
fn covariance(prior: &Prior, posterior: &Absorbed) -> Matrix {
    let mut half = Matrix::default();
    prior.solve_features(&posterior.factor, &mut half);
    let mut covariance = lower_gram(&half, prior.triangular);
    mirror_lower(&mut covariance);
    covariance
}

/// Factors as the correction sees them, one after the other.
#[derive(Default)]
struct Standardised {
    /// Equal answers, each with factors of its own.
    copies: Vec<f64>,
    hermite: Vec<Hermite>,
    /// The projections, in standard deviations, as weighted sums of nodes: covariances of two such sums are correlations.
    nodes: Vec<(usize, f64)>,
    /// Where the nodes of each end.
    ends: Vec<usize>,
}

impl Standardised {
    fn push(&mut self, copies: f64, hermite: Hermite, nodes: impl Iterator<Item = (usize, f64)>) {
        self.copies.push(copies);
        self.hermite.push(hermite);
        self.nodes.extend(nodes);
        self.ends.push(self.nodes.len());
    }

    fn nodes(&self, factor: usize) -> &[(usize, f64)] {
        let start = factor.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[start..self.ends[factor]]
    }

    /// What one factor has in common with all copies of others. The logarithm is that of a product where it can be: pairs are as many as
    /// factors squared.
    fn with(&self, factor: usize, others: Range<usize>, covariance: &Matrix) -> f64 {
        let mut with_nodes = vec![0.0; covariance.cols()];
        let own = self.nodes(factor).iter();
        own.for_each(|&(node, weight)| axpy(weight, covariance.col(node), &mut with_nodes));
        let hermite = &self.hermite[factor];
        let (mut sum, mut product) = (0.0, 1.0_f64);
        for other in others {
            let rho: f64 = self.nodes(other).iter().map(|&(node, weight)| weight * with_nodes[node]).sum();
            // Rounding must not take it beyond that of equals.
            let x = pair(hermite, &self.hermite[other], rho.clamp(-1.0, 1.0));
            if self.copies[other] == 1.0 {
                product *= 1.0 + x;
            } else {
                sum += self.copies[other] * x.ln_1p();
            }
            if !(SMALLEST..SMALLEST.recip()).contains(&product) {
                sum += product.ln();
                product = 1.0;
            }
        }
        sum + product.ln()
    }
}

/// The factor of an answer, or the comparisons of one about a set, each a factor on a difference of noisy utilities.
struct Answered {
    /// Its factors.
    own: Range<usize>,
    /// The correlations among them, which share their noise.
    correlation: Matrix,
}

impl Answered {
    fn one(hermite: Hermite, nodes: impl Iterator<Item = (usize, f64)>, all: &mut Standardised) -> Self {
        all.push(1.0, hermite, nodes);
        Self { own: all.copies.len() - 1..all.copies.len(), correlation: Matrix::zeros(1, 1) }
    }

    fn set(
        set: &ChoiceSet,
        factor: &[Observation],
        sites: (&[f64], &[f64]),
        posterior: &Absorbed,
        prior: &Prior,
        all: &mut Standardised,
    ) -> Option<Self> {
        let n = set.order().options();
        let marginal = |edge: usize| (posterior.mean[edge], posterior.variance[edge]);
        let Differences { mean, covariance } = set_factor::cavity(factor, n, sites, marginal)?;
        let Comparisons { cumulants, along, correlation } = set.comparisons(&mean, &covariance);
        // The utilities relative to the last one are pairs with it.
        let places: Vec<usize> = (0..n).collect();
        let with_last = pairs_of(&places).zip(factor).filter(|((_, j), _)| *j == n - 1);
        let of_items: Vec<(f64, Edge)> = with_last.map(|(_, o)| (o.sign(), prior.edges[o.edge()])).collect();
        let first = all.copies.len();
        for (k, cumulants) in cumulants.into_iter().enumerate() {
            let weighted = |(i, (sign, edge)): (usize, &(f64, Edge))| of_edge(*edge, sign * along[(k, i)]);
            let nodes = of_items.iter().enumerate().flat_map(weighted);
            all.push(factor[0].count(), of_cumulants(cumulants), nodes);
        }
        Some(Self { own: first..all.copies.len(), correlation })
    }

    /// What the factors of an answer and of its copies have in common with others.
    fn with(&self, all: &Standardised, others: Range<usize>, covariance: &Matrix) -> f64 {
        self.own.clone().map(|factor| all.copies[factor] * all.with(factor, others.clone(), covariance)).sum()
    }

    /// What the factors of an answer have in common with one another, and with those of its copies.
    fn within(&self, all: &Standardised, covariance: &Matrix) -> f64 {
        let copies = all.copies[self.own.start];
        let mut sum = 0.0;
        for (k, a) in self.own.clone().enumerate() {
            for (l, b) in self.own.clone().enumerate().skip(k + 1) {
                sum += copies * pair(&all.hermite[a], &all.hermite[b], self.correlation[(k, l)]).ln_1p();
            }
        }
        if copies <= 1.0 {
            return sum;
        }
        // Every pair of copies once, of which `with` counts all copies on either side.
        sum + 0.5 * (copies - 1.0) / copies * self.with(all, self.own.clone(), covariance)
    }
}

/// What two factors have in common beyond the Gaussian.
fn pair(a: &Hermite, b: &Hermite, rho: f64) -> f64 {
    let terms: [f64; 4] = std::array::from_fn(|k| a[k] * b[k] * INVERSE_FACTORIALS[k]);
    let sum = terms[0] + rho * (terms[1] + rho * (terms[2] + rho * terms[3]));
    (rho * rho * rho * sum).max(LEAST)
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

/// `weight` times a projection.
fn of_edge(edge: Edge, weight: f64) -> impl Iterator<Item = (usize, f64)> {
    std::iter::once((edge.plus(), weight)).chain(edge.minus().map(|minus| (minus, -weight)))
}

/// A projection of this variance in standard deviations; nothing of one that has none.
fn of_length_one(edge: Edge, variance: f64) -> impl Iterator<Item = (usize, f64)> {
    of_edge(edge, variance.sqrt().recip()).filter(move |_| variance > 0.0)
}
