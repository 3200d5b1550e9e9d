//! The informative vector machine: what has told most is kept.
//!
//! Greedy differential entropy (Lawrence, Seeger and Herbrich 2003, as Abbasnejad, Bonilla and Sanner use it): the entropy that an answer
//! takes off the posterior of its projection, `ln(sigma_old / sigma_new)`. Their printed `ln(1 + sigma_new^2 / sigma_old^2) / 2` counts
//! visits, not what they told. For users and items of many users see [`crate::many::kronecker::sparse`].

use crate::inference::observations::{Observation, Observations};
use crate::inference::prior::{GaussianPrior, Prior};
use crate::inference::sites::{Sites, update};
use crate::likelihood::Likelihoods;
use rather_numerics::linalg::{Matrix, axpy, dot};
use rather_numerics::order::descending;
use rather_numerics::watch;

/// How much the answers about each item have told, in nats, at the fixpoint of expectation propagation: `variance` is that of each
/// projection.
///
/// # Formula
/// $\tfrac12\ln(\sigma^2_\text{old}/\sigma^2_\text{new})=-\tfrac12\ln(1-\tau v)$ for a projection with the site precision $\tau$, summed over the
/// projections that the item is part of.
pub fn scores(observations: &Observations, sites: &Sites, variance: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; observations.items.len()];
    let (tau, _) = sites.by_edge(&observations.merged, observations.edges.len());
    for ((edge, tau), variance) in observations.edges.iter().zip(&tau).zip(variance) {
        let told = -0.5 * (1.0 - tau * variance).max(f64::MIN_POSITIVE).ln();
        out[edge.plus()] += told;
        if let Some(minus) = edge.minus() {
            out[minus] += told;
        }
    }
    out
}

/// Positions of the `most` items with the largest [`scores`].
///
/// # Examples
/// ```
/// use rather::inducing::informative;
/// use rather::inference::observations::Observations;
/// use rather::inference::sites::Sites;
/// use rather::Comparison;
///
/// let duel = |winner, loser, count| Comparison { winner, loser, count };
/// let observations = Observations::new(&[duel(0, 1, 1.0), duel(1, 2, 9.0)]);
/// let sites = Sites { tau: vec![0.2, 0.1], nu: vec![0.1, 0.1] };
/// assert_eq!(informative::items(&observations, &sites, &[1.0, 1.0], 2), [1, 2]); // of these was said most
/// ```
pub fn items(observations: &Observations, sites: &Sites, variance: &[f64], most: usize) -> Vec<usize> {
    let scores = scores(observations, sites, variance);
    let mut order = descending(&scores);
    order.truncate(most);
    order.sort_unstable();
    order
}

/// Positions of at most `most` of `observations`, in the order in which they were taken: each next one is that which would take most entropy
/// off its projection, given the answers taken before (assumed density filtering). `O(N R + M)` a step for `N` nodes, `M`
/// observations and `R` features, and `O(R^2)` for the belief.
pub fn answers(
    prior: &Prior,
    observations: &[Observation],
    likelihoods: &Likelihoods,
    most: usize,
) -> Vec<usize> {
    let mut belief = Belief::new(prior);
    let mut open: Vec<usize> = (0..observations.len()).collect();
    let mut taken = Vec::new();
    while taken.len() < most && !open.is_empty() && !watch::ends() {
        let told = |&m: &usize| belief.told(&observations[m], likelihoods);
        let scores: Vec<f64> = open.iter().map(told).collect();
        let first_best = (0..open.len()).rev().max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        let Some(best) = first_best else { break };
        let next = open.remove(best);
        belief.hear(&observations[next], likelihoods);
        taken.push(next);
    }
    taken
}

/// What is believed of every projection after the answers taken so far.
struct Belief<'a> {
    prior: &'a Prior,
    /// The covariance of the features' weights.
    covariance: Matrix,
    mean: Vec<f64>,
    variance: Vec<f64>,
}

impl<'a> Belief<'a> {
    fn new(prior: &'a Prior) -> Self {
        let rank = prior.rank();
        let covariance = Matrix::from_fn(rank, rank, |i, j| if i == j { 1.0 } else { 0.0 });
        let own = |e: usize| dot(&features(prior, e), &features(prior, e));
        let variance = (0..prior.edges.len()).map(own).collect();
        Self { prior, covariance, mean: prior.means.clone(), variance }
    }

    /// The site of an answer, its copies together, as `(tau, nu)` in the direction of the projection.
    fn site(&self, o: &Observation, likelihoods: &Likelihoods) -> (f64, f64) {
        let (mean, variance) = (o.sign() * self.mean[o.edge()], self.variance[o.edge()]);
        let rest = self.prior.rest().get(o.edge()).copied().unwrap_or(0.0);
        let site = update(likelihoods.of(o.answer), 0.0, 0.0, mean, variance, rest);
        (o.count() * site.tau, o.count() * o.sign() * site.nu)
    }

    fn told(&self, o: &Observation, likelihoods: &Likelihoods) -> f64 {
        let (tau, _) = self.site(o, likelihoods);
        0.5 * (tau * self.variance[o.edge()]).max(0.0).ln_1p()
    }

    fn hear(&mut self, o: &Observation, likelihoods: &Likelihoods) {
        let (tau, nu) = self.site(o, likelihoods);
        // With g = S p: S - g g' tau / (1 + tau v), and every projection moves along its covariance with this one.
        let g = self.covariance.times(&features(self.prior, o.edge()));
        let with_all = self.prior.project(&self.prior.features.transpose_times(&g));
        let widening = 1.0 + tau * self.variance[o.edge()];
        let step = (nu - tau * self.mean[o.edge()]) / widening;
        for ((mean, variance), c) in self.mean.iter_mut().zip(&mut self.variance).zip(&with_all) {
            *mean += c * step;
            *variance = (*variance - c * c * tau / widening).max(0.0);
        }
        for (j, &gj) in g.iter().enumerate() {
            axpy(-gj * tau / widening, &g, self.covariance.col_mut(j));
        }
    }
}

/// The features of a projection.
fn features(prior: &Prior, e: usize) -> Vec<f64> {
    let edge = prior.edges[e];
    let plus = prior.features.col(edge.plus());
    match edge.minus() {
        Some(minus) => plus.iter().zip(prior.features.col(minus)).map(|(p, m)| p - m).collect(),
        None => plus.to_vec(),
    }
}
