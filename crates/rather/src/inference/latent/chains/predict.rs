//! What chains say of any item at any time.

use std::collections::HashMap;

use super::small::{self, Scratch};
use super::sweep::Messages;
use super::{Chain, ChainsPrior};
use crate::inference::observations::Edge;
use crate::kernel::{Carrier, Term};
use crate::points::Points;
use rather_numerics::parallel;

/// A point as chains see it: its item's part of its utility, and the state of what is shared that the rest is a product with.
struct Seen {
    own: (f64, f64),
    /// The item's chain, the factors and the time, if the item was compared.
    item: Option<(u32, Vec<f64>, f64)>,
    /// The factors and the time.
    common: Option<(Vec<f64>, f64)>,
}

impl ChainsPrior {
    /// The state of a chain at any time, by what was said of it before and after.
    fn state_at(&self, messages: &Messages, chain: u32, time: f64) -> (Vec<f64>, Vec<f64>) {
        let shape = &*self.chains.shape;
        let Chain { nodes, dim: d, .. } = &shape.chains[chain as usize];
        let d = *d;
        let mut scratch = Scratch::default();
        let at =
            |n: usize| (shape.means[n]..shape.means[n + 1], shape.covariances[n]..shape.covariances[n + 1]);
        let next = if shape.is_still(chain) {
            nodes.start
        } else {
            nodes.start + shape.times[nodes.clone()].partition_point(|&known| known < time)
        };
        let here = next < nodes.end && (shape.is_still(chain) || shape.times[next] == time);
        let (mut mean, mut covariance) = (vec![0.0; d], vec![0.0; d * d]);
        let (mut transition, mut noise) = (vec![0.0; d * d], vec![0.0; d * d]);
        let multiply = |n: usize, mean: &mut [f64], covariance: &mut [f64], scratch: &mut Scratch| {
            for &touch in shape.touches_of(n) {
                let factors = shape.touches.factors(touch as usize);
                small::multiply(mean, covariance, factors, messages.said[touch as usize], scratch);
            }
        };
        let step = |before: Option<f64>, time: f64, transition: &mut [f64], noise: &mut [f64]| {
            shape.step(&shape.chains[chain as usize], &self.parameters, before, time, transition, noise);
        };
        if here {
            let (vector, square) = at(next);
            mean.copy_from_slice(&messages.means[vector.clone()]);
            covariance.copy_from_slice(&messages.covariances[square.clone()]);
            small::combine(
                &mut mean,
                &mut covariance,
                &messages.shifts[vector],
                &messages.precisions[square],
                &mut scratch,
            );
            multiply(next, &mut mean, &mut covariance, &mut scratch);
            return (mean, covariance);
        }
        if next > nodes.start {
            let (vector, square) = at(next - 1);
            mean.copy_from_slice(&messages.means[vector]);
            covariance.copy_from_slice(&messages.covariances[square]);
            multiply(next - 1, &mut mean, &mut covariance, &mut scratch);
            step(Some(shape.times[next - 1]), time, &mut transition, &mut noise);
            small::ahead(&mut mean, &mut covariance, &transition, &noise, &mut scratch);
        } else {
            step(None, time, &mut transition, &mut covariance);
        }
        if next < nodes.end {
            let (vector, square) = at(next);
            let (mut shift, mut precision) =
                (messages.shifts[vector].to_vec(), messages.precisions[square].to_vec());
            for &touch in shape.touches_of(next) {
                let (tau, nu) = messages.said[touch as usize];
                let factors = shape.touches.factors(touch as usize);
                for (i, a) in factors.iter().enumerate() {
                    shift[i] += nu * a;
                    factors.iter().enumerate().for_each(|(j, b)| precision[i * d + j] += tau * a * b);
                }
            }
            step(Some(time), shape.times[next], &mut transition, &mut noise);
            small::back(&mut shift, &mut precision, &transition, &noise, &mut scratch);
            small::combine(&mut mean, &mut covariance, &shift, &precision, &mut scratch);
        }
        (mean, covariance)
    }

    fn see(&self, messages: &Messages, points: &Points, i: usize) -> Seen {
        let shape = &*self.chains.shape;
        let mut seen = Seen { own: (0.0, self.unknown(points, i)), item: None, common: None };
        for (chain, factors, time) in shape.states_of(points, i) {
            if Some(chain) == shape.shared {
                seen.common = Some((factors, time));
            } else {
                let (mean, covariance) = self.state_at(messages, chain, time);
                let (m, v) = small::along(&factors, &mean, &covariance);
                seen.own = (m, seen.own.1 + v);
                seen.item = Some((chain, factors, time));
            }
        }
        seen
    }

    /// The difference of the item's parts of the utilities of two points of one item. At one time they share their state, and what no chain knows of
    /// where they have the same levels; two times are taken as independent.
    fn within(
        &self,
        messages: &Messages,
        points: &Points,
        [i, j]: [usize; 2],
        [a, b]: [&Seen; 2],
    ) -> (f64, f64) {
        match (&a.item, &b.item) {
            (Some((chain, of_a, time)), Some((_, of_b, other))) if time == other => {
                let (mean, covariance) = self.state_at(messages, *chain, *time);
                let apart: Vec<f64> = of_a.iter().zip(of_b).map(|(a, b)| a - b).collect();
                let (mean, variance) = small::along(&apart, &mean, &covariance);
                (mean, variance + self.unknown_between(points, i, j))
            }
            (None, None) => (0.0, self.unknown_between(points, i, j)),
            _ => (a.own.0 - b.own.0, a.own.1 + b.own.1),
        }
    }

    /// The prior variance of what no chain knows of in the difference of two points of one item.
    fn unknown_between(&self, points: &Points, i: usize, j: usize) -> f64 {
        let alike = |term: &Term| {
            let weighed = match &term.carrier {
                Carrier::Weights { columns, .. } => &columns[..],
                _ => &[],
            };
            term.level_bits(points, i) == term.level_bits(points, j)
                && term.time(points, i) == term.time(points, j)
                && weighed.iter().all(|&column| points.row(i)[column] == points.row(j)[column])
        };
        let both = self.unknown_by_term(points, i).into_iter().zip(self.unknown_by_term(points, j));
        let terms = both.zip(&self.chains.shape.terms).filter(|(_, term)| !alike(term));
        terms.map(|((of_i, of_j), _)| of_i + of_j).sum()
    }

    /// The prior variance of what no chain knows of: an item that was never compared, or a level that it never had.
    fn unknown(&self, points: &Points, i: usize) -> f64 {
        self.unknown_by_term(points, i).into_iter().sum()
    }

    /// As [`ChainsPrior::unknown`], of each term.
    fn unknown_by_term(&self, points: &Points, i: usize) -> Vec<f64> {
        let shape = &*self.chains.shape;
        let item = shape.of_item.get(&points.id(i)).copied();
        let one = |(t, term): (usize, &Term)| {
            let chain = if term.by_item { item } else { shape.shared };
            let levels = term.level_bits(points, i);
            let known = |chain: u32| {
                let parts = &shape.chains[chain as usize].parts;
                parts.iter().any(|part| part.term == t && part.levels == levels)
            };
            if chain.is_some_and(known) {
                return 0.0;
            }
            match (&term.carrier, term.dynamics(&self.parameters), term.time(points, i)) {
                (Carrier::Weights { columns, .. }, _, _) => {
                    let squares = columns.iter().map(|&column| points.row(i)[column].powi(2));
                    squares.zip(term.variances(&self.parameters)).map(|(x, v)| x * v).sum()
                }
                (_, Some(dynamics), Some((time, start))) => dynamics.initial((time - start).max(0.0))[(0, 0)],
                _ => term.variance(&self.parameters),
            }
        };
        shape.terms.iter().enumerate().map(one).collect()
    }

    /// The mean and variance of a product with the state of what is shared.
    fn common(&self, messages: &Messages, factors: &[f64], time: f64) -> (f64, f64) {
        match self.chains.shape.shared {
            Some(chain) if factors.iter().any(|f| *f != 0.0) => {
                let (mean, covariance) = self.state_at(messages, chain, time);
                small::along(factors, &mean, &covariance)
            }
            _ => (0.0, 0.0),
        }
    }

    /// The means and variances of differences, or of utilities. Two items are independent of each other; two points of one item differ as
    /// [`ChainsPrior::within`] says.
    pub(crate) fn moments(
        &self,
        messages: &Messages,
        points: &Points,
        edges: &[Edge],
    ) -> (Vec<f64>, Vec<f64>) {
        let one = |edge: &Edge| {
            let plus = self.see(messages, points, edge.plus());
            let (mut mean, mut variance) = plus.own;
            let mut common = plus.common.clone();
            if let Some(other) = edge.minus() {
                let minus = self.see(messages, points, other);
                if points.id(other) == points.id(edge.plus()) {
                    let sides = [edge.plus(), other];
                    (mean, variance) = self.within(messages, points, sides, [&plus, &minus]);
                } else {
                    mean -= minus.own.0;
                    variance += minus.own.1;
                }
                if let (Some((sum, _)), Some((factors, _))) = (&mut common, minus.common) {
                    sum.iter_mut().zip(&factors).for_each(|(s, f)| *s -= f);
                }
            }
            let (m, v) = common.map_or((0.0, 0.0), |(factors, time)| self.common(messages, &factors, time));
            (mean + m, variance + v)
        };
        parallel::map(edges.len(), 256, |e| one(&edges[e])).into_iter().unzip()
    }

    /// The means and variances of the utilities of `points` relative to their average over `reference`, at the same time.
    pub(crate) fn relative(
        &self,
        messages: &Messages,
        points: &Points,
        reference: &Points,
    ) -> (Vec<f64>, Vec<f64>) {
        let see = |points: &Points| parallel::map(points.len(), 256, |i| self.see(messages, points, i));
        let (of_points, of_reference) = (see(points), see(reference));
        let share = 1.0 / of_reference.len().max(1) as f64;
        let average = of_reference.iter().map(|seen| share * seen.own.0).sum::<f64>();
        let spread = of_reference.iter().map(|seen| share * share * seen.own.1).sum::<f64>();
        let same: HashMap<u64, f64> =
            (0..reference.len()).map(|i| (reference.id(i), share * of_reference[i].own.1)).collect();
        let mut common = of_reference
            .iter()
            .find_map(|seen| seen.common.clone())
            .map(|(factors, _)| vec![0.0; factors.len()]);
        if let Some(sum) = &mut common {
            for (factors, _) in of_reference.iter().filter_map(|seen| seen.common.as_ref()) {
                sum.iter_mut().zip(factors).for_each(|(s, f)| *s += share * f);
            }
        }
        let one = |(i, seen): (usize, &Seen)| {
            let with = same.get(&points.id(i)).copied().unwrap_or(0.0);
            let (mut mean, mut variance) = (seen.own.0 - average, seen.own.1 - 2.0 * with + spread);
            if let (Some((factors, time)), Some(average)) = (&seen.common, &common) {
                let apart: Vec<f64> = factors.iter().zip(average).map(|(f, a)| f - a).collect();
                let (m, v) = self.common(messages, &apart, *time);
                (mean, variance) = (mean + m, variance + v);
            }
            (mean, variance.max(0.0))
        };
        of_points.iter().enumerate().map(one).unzip()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Chains;
    use super::*;
    use crate::answers::{Answer, Answers};
    use crate::inference::latent::Joint;
    use crate::inference::sites::Sites;
    use crate::inference::sparse::Limits;
    use crate::inference::{Settings, ep, observations::Observations};
    use crate::kernel::parse;
    use crate::likelihood::{ResponseModel, Values};
    use crate::schema::Schema;

    /// What a column is worth is the difference of an item to itself where it is one larger: nothing of the item is in it.
    #[test]
    fn a_point_differs_from_one_of_the_same_item_and_time_by_the_context() {
        let home = |m: usize| if m.is_multiple_of(4) { 0.0 } else { 1.0 };
        let sides = |m: usize| [m % 6, (m + 1 + m / 7 % 5) % 6];
        let ids: Vec<u64> = (0..300).flat_map(|m| sides(m).map(|i| i as u64)).collect();
        let rows: Vec<f64> =
            (0..300).flat_map(|m| [home(m), m as f64 / 60.0, 0.0, 0.0, m as f64 / 60.0, 0.0]).collect();
        let points = Points::new(ids, 3, rows);
        let names = vec!["home".to_owned(), "date".to_owned(), crate::schema::FIRST_TIME.to_owned()];
        let schema = Schema { names, categorical: vec![false; 3], context: 3 };
        let kernel = parse("white[item] + white[item]*wiener[date] + linear[home]", &schema, false).unwrap();
        let answer = |m: usize| if m % 10 < 6 { (2 * m, 2 * m + 1) } else { (2 * m + 1, 2 * m) };
        let answers: Answers = (0..300).map(answer).map(|(won, lost)| Answer::rather(won, lost)).collect();
        let observations = Observations::of(&answers, &[], ResponseModel::default());
        let likelihoods = observations.responses.likelihoods(&Values(vec![1.0]));
        let settings = Settings { tolerance: 1e-10, sweeps: 500, ..Settings::default() };
        let chains = Chains::new(&kernel, &points, &observations.edges).unwrap().prior(&kernel).unwrap();
        let settled = chains.run(&observations.merged, &likelihoods, None, &settings).unwrap();
        let joint = Joint::new(&kernel, &points, &observations.edges, &Limits::default()).unwrap();
        let joint = joint.prior(&kernel).unwrap();
        let start = Sites::empty(observations.merged.len());
        let outcome = ep::run(&joint, &observations.merged, &likelihoods, start, &settings).unwrap();
        // An item that was compared, and one that was not.
        for item in [2, 99] {
            let of = [1.0, 0.0].into_iter().flat_map(|home| [home, 3.0, 0.0]).collect();
            let points = Points::new(vec![item; 2], 3, of);
            let between = [Edge::between(0, 1), Edge::between(0, 0)];
            let (mean, variance) = chains.moments(&settled.messages, &points, &between);
            let (exact, exactly) = joint.moments(&outcome.posterior, &points, &between);
            // Messages leave out what the chains have in common: a few percent here.
            assert!((mean[0] - exact[0]).abs() < 0.1 * exactly[0].sqrt(), "{mean:?} is not {exact:?}");
            assert!((variance[0] / exactly[0]).ln().abs() < 0.2, "{variance:?} is not {exactly:?}");
            assert_eq!((mean[1], variance[1]), (0.0, 0.0));
        }
    }
}
