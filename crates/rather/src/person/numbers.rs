//! What somebody is expected to say of single items, and the numbers that are expected of pairs.

use super::{Person, embedded};
use crate::comparisons::Edge;
use crate::likelihood::{AnswerIndex, Likelihoods, Predictive, Reply, Responses};
use crate::points::Points;
use crate::posterior::{Moments, of_moments};

impl Person<'_> {
    /// Means and variances of $f(x_l)-f(x_r)$ for pairs of positions in `points`.
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        match self {
            Self::Single(model) => model.belief().differences(points, pairs),
            Self::User(population, user) => user.differences(&embedded(population, points), pairs),
        }
    }

    /// The probability of "yes" for each of `points`; `None` for a model without labels.
    pub fn label_probabilities(&self, points: &Points) -> Option<Vec<f64>> {
        self.probabilities_of(Reply::LABEL, points)
    }

    /// The probability of "good" for each of `points`; `None` for a model that nobody told what is good.
    pub fn good_probabilities(&self, points: &Points) -> Option<Vec<f64>> {
        self.probabilities_of(Reply::good(true), points)
    }

    /// The probability of a reply about each of `points`; `None` if none of its kind was learned from.
    fn probabilities_of(&self, reply: Reply, points: &Points) -> Option<Vec<f64>> {
        if !self.has_told(reply) {
            return None;
        }
        let responses = self.responses().with([reply]);
        let at = responses.replies.iter().position(|known| known.key() == reply.key())?;
        let options = [(AnswerIndex(u32::try_from(at).ok()?), 1.0)];
        let edges: Vec<Edge> = (0..points.len()).map(Edge::alone).collect();
        let asked: Vec<_> = edges.iter().map(|&edge| (edge, &options[..])).collect();
        let found = match self {
            Self::Single(model) => model.expected(points, &asked, &responses),
            Self::User(..) => {
                let (_, moments, likelihoods) = self.components(points, &edges, &responses).remove(0);
                of_moments(&moments, &asked, &likelihoods)
            }
        };
        Some(found.into_iter().map(|p| p[0]).collect())
    }

    /// The distribution of a value to be measured of each of `points`, its noise included; `None` for a model without values.
    pub fn values(&self, points: &Points) -> Option<Vec<Predictive>> {
        let edges: Vec<Edge> = (0..points.len()).map(Edge::alone).collect();
        self.numbers(Reply::measured(0.0), points, &edges)
    }

    /// The distribution of the difference to be reported of each pair of positions in `points`, by how much the first is better, its noise included; `None`
    /// for a model without such differences.
    pub fn reported_differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Option<Vec<Predictive>> {
        let turned = |&(left, right): &(usize, usize)| if left < right { 1.0 } else { -1.0 };
        let edges: Vec<Edge> = pairs.iter().map(|&(l, r)| Edge::new(l.min(r), Some(l.max(r)))).collect();
        let found = self.numbers_of(Reply::difference(0.0), points, &edges)?;
        let one = |(pair, parts): (&(usize, usize), Vec<_>)| {
            let sign = turned(pair);
            Predictive::of(parts.into_iter().map(|(w, mean, v, m)| (w, sign * mean, v, m)))
        };
        Some(pairs.iter().zip(found).map(one).collect())
    }

    fn numbers(&self, reply: Reply, points: &Points, edges: &[Edge]) -> Option<Vec<Predictive>> {
        let found = self.numbers_of(reply, points, edges)?;
        Some(found.into_iter().map(|parts| Predictive::of(parts.into_iter())).collect())
    }

    /// For each projection the Gaussians that are believed of it, and the measurement under each.
    #[allow(clippy::type_complexity)]
    fn numbers_of(
        &self,
        reply: Reply,
        points: &Points,
        edges: &[Edge],
    ) -> Option<Vec<Vec<(f64, f64, f64, crate::likelihood::Measurement)>>> {
        if !self.has_told(reply) {
            return None;
        }
        let responses = self.responses().with([reply]);
        let at = responses.replies.iter().position(|known| known.key() == reply.key())?;
        let answer = AnswerIndex(u32::try_from(at).ok()?);
        let parts = self.components(points, edges, &responses);
        let one = |k: usize| {
            let part = |(weight, moments, likelihoods): &(f64, Moments, Likelihoods)| {
                Some((*weight, moments.mean[k], moments.variance[k], likelihoods.measurement(answer)?))
            };
            parts.iter().map(part).collect::<Option<Vec<_>>>()
        };
        (0..edges.len()).map(one).collect()
    }

    /// Whether answers of this kind were learned from.
    fn has_told(&self, like: Reply) -> bool {
        let Responses { replies, counts, .. } = self.responses();
        replies.iter().zip(counts).any(|(reply, count)| reply.kind == like.kind && *count >= f64::EPSILON)
    }

    pub(super) fn components(
        &self,
        points: &Points,
        edges: &[Edge],
        responses: &Responses,
    ) -> Vec<(f64, Moments, Likelihoods)> {
        match self {
            Self::Single(model) => model.components(points, edges, responses),
            Self::User(population, user) => {
                let learned = population.model().responses();
                let values = responses.values(learned.responses(), learned.values());
                let moments = user.projections(&embedded(population, points), edges);
                vec![(1.0, moments, responses.likelihoods(&values))]
            }
        }
    }
}
