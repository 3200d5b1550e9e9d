//! What an answer about a pair is about, where every pair has a random effect.

use std::collections::HashMap;

use super::{Moments, Posterior};
use crate::inference::observations::Edge;
use crate::inference::sites::cavity;
use crate::points::Points;

impl Posterior {
    /// Means and variances of what answers about `pairs` are about: the difference of utilities and the pair's random effect, if there are any
    /// ([`ResponseModel::pair_effect`](crate::likelihood::ResponseModel)).
    ///
    /// # Formula
    /// Of a pair that was not compared the effect is as the prior has it, $\mathcal N(0,s^2)$. Of one that was, $u=z+e$ has the cavity of its
    /// projection, wider by $s^2$, and the site that the answers have on $u$: with $(\tau,\nu)$ that on $z$, $(\tau,\nu)/(1-s^2\tau)$.
    pub(super) fn with_pair_effects(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        let mut out = self.differences(points, pairs);
        let effect = self.likelihoods.pair_variance();
        if effect > 0.0 {
            let known = self.compared_pairs();
            for (k, &(a, b)) in pairs.iter().enumerate() {
                let of = |x: usize, y: usize| known.get(&(points.id(x), points.id(y)));
                let compared = of(a, b).map(|e| (1.0, e)).or_else(|| of(b, a).map(|e| (-1.0, e)));
                match compared {
                    Some((sign, &(mean, variance))) => {
                        (out.mean[k], out.variance[k]) = (sign * mean, variance);
                    }
                    None => out.variance[k] += effect,
                }
            }
        }
        out
    }

    /// The moments of difference and effect of the compared pairs, by the items' numbers.
    fn compared_pairs(&self) -> HashMap<(u64, u64), (f64, f64)> {
        let (tau, nu) = self.outcome.sites.by_edge(&self.observations.merged, self.prior.edges.len());
        let posterior = &self.outcome.posterior;
        let one = |(ids, e): ((u64, u64), usize)| {
            let (m, v) = cavity((tau[e], nu[e]), (posterior.mean[e], posterior.variance[e]));
            let rest = self.prior.rest.get(e).copied().unwrap_or(0.0);
            let seen = 1.0 / (1.0 - rest * tau[e]);
            let (tau, nu, v) = (seen * tau[e], seen * nu[e], v + rest);
            let narrowing = 1.0 / (1.0 + tau * v);
            (ids, ((m + v * nu) * narrowing, v * narrowing))
        };
        self.compared_edges().map(one).collect()
    }

    /// The items' numbers of each pair that was compared, and the place of the pair among the projections.
    pub(crate) fn compared_edges(&self) -> impl Iterator<Item = ((u64, u64), usize)> {
        let one = |(e, edge): (usize, &Edge)| {
            let minus = edge.minus()?;
            Some(((self.points.id(edge.plus()), self.points.id(minus)), e))
        };
        self.prior.item_edges.iter().enumerate().filter_map(one)
    }
}
