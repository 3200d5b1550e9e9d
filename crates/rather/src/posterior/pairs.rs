//! What an answer about a pair is about, where every pair has a random effect.

use std::collections::HashMap;

use super::{Moments, Posterior};
use crate::inference::Method;
use crate::inference::observations::{Edge, Observation};
use crate::inference::sites::{cavity, parts};
use crate::likelihood::AnswerModel;
use crate::likelihood::product::Product;
use crate::likelihood::quadrature::Part;
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

    /// What may be answered to each pair that was compared, as a function of the difference of the utilities of its first item and its second,
    /// where pairs have random effects; nothing where they have none.
    ///
    /// # Formula
    /// Given $z$, the answers so far, whose site on $u=z+e$ is $(\tau,\nu)$, leave
    /// $u\sim\mathcal N\big(\tfrac{z+s^2\nu}{1+s^2\tau},\tfrac{s^2}{1+s^2\tau}\big)$.
    pub(crate) fn compared_answers(&self) -> Vec<((u64, u64), AnswerModel)> {
        let effect = self.likelihoods.pair_variance();
        if effect == 0.0 {
            return Vec::new();
        }
        let (tau, nu) = self.outcome.sites.by_edge(&self.observations.merged, self.prior.edges.len());
        let plain = self.likelihoods.answer_model();
        let one = |(ids, e): ((u64, u64), usize)| {
            let seen = 1.0 / (1.0 - effect * tau[e]);
            let narrowing = 1.0 / (1.0 + effect * seen * tau[e]);
            let blurred = plain.clone().blurred(effect * narrowing);
            let along =
                |sign: f64| blurred.clone().on_line(sign * effect * seen * nu[e] * narrowing, narrowing);
            [(ids, along(1.0)), ((ids.1, ids.0), along(-1.0))]
        };
        self.compared_edges().flat_map(one).collect()
    }

    /// By which share one more answer to a pair that was compared narrows its difference of utilities, on average over what it may be: from
    /// $\mathcal N(m,v)$ now to $v(1-\text{share})$. `None` for a pair that was not compared.
    ///
    /// # Formula
    /// All answers about a pair are one factor: with the cavity $\mathcal N(m_c,v_c)$ of those given, $t(z)$, the share is
    /// $1-\sum_yP(y) \operatorname{var}(z\mid t,y)/\operatorname{var}(z\mid t)$, all moments under $t(z)p_y(z)\mathcal N(z;m_c,v_c)$.
    /// With a random effect of the pair, $t$ and $p_y$ are functions of $z+e$.
    pub(crate) fn expected_narrowing(&self, ids: (u64, u64), (mean, variance): (f64, f64)) -> Option<f64> {
        if self.method != Method::Ep || self.prior.low_rank || self.outcome.sites.tau.is_empty() {
            return None;
        }
        let find = |(a, b): (u64, u64)| self.compared_edges().find(|(ids, _)| *ids == (a, b));
        let right = find(ids).map(|(_, e)| (1.0, e));
        let (sign, e) = right.or_else(|| find((ids.1, ids.0)).map(|(_, e)| (-1.0, e)))?;
        let merged = &self.observations.merged;
        let given: Vec<Observation> = merged.iter().copied().filter(|o| o.edge() == e).collect();
        // What an answer about a set says of one of its pairs is no function of that alone.
        if given.iter().any(|o| self.likelihoods.set(o.answer).is_some()) {
            return None;
        }
        let (tau, nu) = self.outcome.sites.by_edge(merged, self.prior.edges.len());
        let (m, v) = cavity((tau[e], nu[e]), (sign * mean, variance));
        let rest = self.prior.rest.get(e).copied().unwrap_or(0.0);
        let whole = v + rest;
        // What is left of the difference's variance, and the log of the probability.
        let after = |more: Option<Part<'_, dyn crate::likelihood::Likelihood>>| {
            let all = parts(&self.likelihoods, &given).into_iter().chain(more).collect();
            let (site, _) = Product::new(all).tilt(m, whole);
            let taken = whole - whole / (1.0 + site.tau * whole);
            (v - (v / whole) * (v / whole) * taken, site.log_z)
        };
        let (before, evidence) = after(None);
        let expected = self.likelihoods.answers().into_iter().map(|(of_right, answer)| {
            let likelihood = self.likelihoods.of(answer);
            let (left, with) = after(Some(Part { likelihood, sign: sign * of_right, count: 1.0 }));
            (with - evidence).exp() * left
        });
        Some(1.0 - expected.sum::<f64>() / before).filter(|share| share.is_finite())
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
