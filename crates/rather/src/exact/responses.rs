//! The probability of an answer about two items whose utilities a draw gives.

use std::collections::HashMap;

use crate::inference::observations::Observation;
use crate::inference::sites::product;
use crate::likelihood::{AnswerIndex, Likelihoods};
use crate::posterior::Posterior;

/// Answers about pairs of items.
pub(super) struct PairResponse<'a> {
    posterior: &'a Posterior,
    likelihoods: &'a Likelihoods,
    /// The place of each compared pair among the projections, by the items' numbers; empty where pairs have no random effects.
    compared: HashMap<(u64, u64), usize>,
}

/// The probability as a function of a draw's difference.
type Probability<'a> = Box<dyn Fn(f64) -> f64 + 'a>;

impl<'a> PairResponse<'a> {
    /// For answers with these likelihoods, which are those of the posterior's answers and may be more.
    pub(super) fn new(posterior: &'a Posterior, likelihoods: &'a Likelihoods) -> Self {
        let effects = likelihoods.pair_variance() > 0.0;
        let compared = if effects { posterior.compared_edges().collect() } else { HashMap::new() };
        Self { posterior, likelihoods, compared }
    }

    /// The probability of the answer about the first item of `pair` against the second, where a draw leaves so much `variance` of their
    /// difference.
    ///
    /// # Formula
    /// $E t(z+e)$ over the variance and the pair's random effect $e\sim\mathcal N(0,s^2)$, if there is one. Answers $D$ about the same pair share
    /// the effect and tell of it: $p(t\mid z,D)=\int t(z+e)\prod_{k\in D}t_k(z+e) \mathcal N(e;0,s^2) de\big/\int\prod_{k\in
    /// D}t_k(z+e) \mathcal N(e;0,s^2) de$. Of items that were compared a draw leaves no variance.
    pub(super) fn of(
        &self,
        answer: AnswerIndex,
        (left, right): (u64, u64),
        variance: f64,
    ) -> Probability<'_> {
        let likelihoods = self.likelihoods;
        let effect = likelihoods.pair_variance();
        let known = |pair| self.compared.get(&pair).copied();
        let compared = known((left, right)).map(|e| (e, 1.0)).or(known((right, left)).map(|e| (e, -1.0)));
        let likelihood = likelihoods.of(answer);
        let Some((e, sign)) = compared else {
            return Box::new(move |z| likelihood.probability(z, variance + effect));
        };
        let merged = &self.posterior.observations.merged;
        let factor: Vec<Observation> = merged.iter().filter(|o| o.edge() == e).copied().collect();
        let mut more = factor.clone();
        more.push(Observation::new(e, sign, 1.0, answer));
        let log_z = move |of: &[Observation], z: f64| product(likelihoods, of).tilt(sign * z, effect).0.log_z;
        Box::new(move |z| (log_z(&more, z) - log_z(&factor, z)).exp())
    }
}
