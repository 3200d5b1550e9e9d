//! The level that all items share at a time.
//!
//! Comparisons tell differences: if the utilities of all items are shifted by the same function $c(t)$ of time, nothing that was answered becomes
//! more or less probable, and only the prior is against it. Sweeps settle such a shift as slowly as the prior is weak beside the answers, which takes
//! more of them the longer careers overlap. Here the best shift is found at once, as on the coarse grid of a multigrid method: $c$ is linear between
//! knots, $c=\sum_bc_bw_b(t)$, and the energy of the chains' priors is quadratic in it,
//! $\frac12c^\top Kc+g^\top c$. $K$ is what a Kalman filter without noise pays for utilities that follow $c$; and since each chain is at rest under its
//! messages, $g_b=\sum_aw_b(t_a)s_a(\nu_a-\tau_am_a)$ over the touches $a$ with signs $s_a$, messages $(\tau_a,\nu_a)$ and means $m_a$. The shift that
//! is found is the whole one where messages are much more precise than the prior, the case in which sweeps are slow, and else a part of it.

use super::sweep::Sweeper;
use super::{Chain, ChainsPrior, Shape, small};
use crate::kernel::Carrier;
use rather_numerics::linalg::{self, Matrix};

/// The shift of all items together.
pub(super) struct Level {
    knots: Vec<f64>,
    /// The Cholesky factor of $K$.
    factor: Matrix,
}

/// Knots of the shift.
const KNOTS: usize = 32;
/// Comparisons for each knot, at least.
const EACH: usize = 50;
/// A chain is held to the shift at so many times between two knots.
const HELD: f64 = 4.0;
/// The least variance that a step must have, as a share of the largest before it, for the shift to pay for it.
const LEAST: f64 = 1e-9;

impl Level {
    /// The shift under a prior; `None` where comparisons are not the same under it: of items at different times, or of single items.
    pub(super) fn new(prior: &ChainsPrior) -> Option<Self> {
        let shape = &*prior.chains.shape;
        (0..shape.order.len()).all(|edge| shape.is_of_differences(edge)).then_some(())?;
        let knots = shape.knots();
        let mut k = Matrix::zeros(knots.len(), knots.len());
        let mut level = Self { knots, factor: Matrix::zeros(0, 0) };
        let by_item = shape.chains.iter().enumerate().filter(|(c, _)| Some(*c as u32) != shape.shared);
        by_item.for_each(|(_, chain)| level.add_energy(prior, chain, &mut k));
        linalg::cholesky(&mut k).then(|| {
            level.factor = k;
            level
        })
    }

    /// The two knots around a time, the first as its place, and the weight of the second.
    fn around(&self, time: f64) -> (usize, f64) {
        let knots = &self.knots;
        if knots.len() == 1 {
            return (0, 0.0);
        }
        let left = knots.partition_point(|&knot| knot <= time).clamp(1, knots.len() - 1) - 1;
        (left, ((time - knots[left]) / (knots[left + 1] - knots[left])).clamp(0.0, 1.0))
    }

    /// Adds $\sum_ne_ne_n^\top/S_n$, for the errors $e_n$ of predicting the shift along a chain, linear in it, and their variances $S_n$.
    fn add_energy(&self, prior: &ChainsPrior, chain: &Chain, k: &mut Matrix) {
        let shape = &*prior.chains.shape;
        let (d, n) = (chain.dim, self.knots.len());
        let h = shape.level_of(chain);
        let gap = self.knots.last().zip(self.knots.first()).map_or(0.0, |(b, a)| (b - a) / (HELD * n as f64));
        let mut scratch = small::Scratch::default();
        let (mut nothing, mut covariance) = (vec![0.0; d], vec![0.0; d * d]);
        // The state as a linear function of the shift: a row a component.
        let mut state = vec![0.0; d * n];
        let mut moved = vec![0.0; d * n];
        let (mut last, mut largest) = (f64::NEG_INFINITY, 0.0_f64);
        for node in chain.nodes.clone() {
            let square = shape.covariances[node]..shape.covariances[node + 1];
            let (transition, noise) = (&prior.transitions[square.clone()], &prior.noises[square]);
            if node == chain.nodes.start {
                covariance.copy_from_slice(noise);
            } else {
                small::ahead(&mut nothing, &mut covariance, transition, noise, &mut scratch);
                for i in 0..d {
                    for b in 0..n {
                        moved[i * n + b] = (0..d).map(|j| transition[i * d + j] * state[j * n + b]).sum();
                    }
                }
                std::mem::swap(&mut state, &mut moved);
            }
            let time = shape.times[node];
            if time < last + gap && node + 1 < chain.nodes.end {
                continue;
            }
            let along: Vec<f64> = (0..d).map(|i| small::dot(&covariance[i * d..(i + 1) * d], &h)).collect();
            let variance = small::dot(&along, &h);
            if variance <= LEAST * largest {
                continue;
            }
            (last, largest) = (time, largest.max(variance));
            let (left, share) = self.around(time);
            let mut error: Vec<f64> =
                (0..n).map(|b| -(0..d).map(|i| h[i] * state[i * n + b]).sum::<f64>()).collect();
            error[left] += 1.0 - share;
            if share > 0.0 {
                error[left + 1] += share;
            }
            let involved: Vec<usize> = (0..n).filter(|&b| error[b] != 0.0).collect();
            for &b in &involved {
                involved.iter().for_each(|&c| k[(b, c)] += error[b] * error[c] / variance);
                (0..d).for_each(|i| state[i * n + b] += along[i] / variance * error[b]);
            }
            for i in 0..d {
                (0..d).for_each(|j| covariance[i * d + j] -= along[i] * along[j] / variance);
            }
        }
    }

    /// Shifts all items by what the prior likes best. Afterwards what is known from before each node has to be found again, and from after it.
    pub(super) fn correct(&self, sweeper: &mut Sweeper<'_>) {
        let shape = sweeper.shape;
        let mut slope = vec![0.0; self.knots.len()];
        sweeper.close();
        for (_, nodes) in shape.with_level() {
            for node in nodes {
                sweeper.enter(node, true);
                let (left, share) = self.around(shape.times[node]);
                let pull: f64 = (shape.touches_of(node).iter())
                    .map(|&touch| {
                        let (tau, nu) = sweeper.messages.said[touch as usize];
                        let (mean, _) = sweeper.marginal(touch as usize, node);
                        shape.sign(touch as usize) * (nu - tau * mean)
                    })
                    .sum();
                slope[left] -= (1.0 - share) * pull;
                if share > 0.0 {
                    slope[left + 1] -= share * pull;
                }
            }
        }
        linalg::solve_lower_vec(&self.factor, &mut slope);
        linalg::solve_lower_transposed_vec(&self.factor, &mut slope);
        let shift = slope;
        if shift.iter().any(|x| !x.is_finite()) {
            return;
        }
        for (_, nodes) in shape.with_level() {
            for node in nodes {
                let (left, share) = self.around(shape.times[node]);
                let by = if share > 0.0 {
                    (1.0 - share) * shift[left] + share * shift[left + 1]
                } else {
                    shift[left]
                };
                for &touch in shape.touches_of(node) {
                    let (tau, nu) = &mut sweeper.messages.said[touch as usize];
                    *nu += *tau * shape.sign(touch as usize) * by;
                }
            }
        }
    }
}

impl Shape {
    /// The chains that the level is of, those of items, with their nodes.
    fn with_level(&self) -> impl Iterator<Item = (&Chain, std::ops::Range<usize>)> {
        let shared = self.shared.map(|c| c as usize);
        self.chains
            .iter()
            .enumerate()
            .filter(move |(c, _)| Some(*c) != shared)
            .map(|(_, chain)| (chain, chain.nodes.clone()))
    }

    /// The components of a chain's state whose sum every utility of its item has: those of terms without levels and weights.
    fn level_of(&self, chain: &Chain) -> Vec<f64> {
        let mut h = vec![0.0; chain.dim];
        for part in &chain.parts {
            if self.has_level(part.term) {
                h[part.offset] = 1.0;
            }
        }
        h
    }

    fn has_level(&self, term: usize) -> bool {
        let term = &self.terms[term];
        term.by_item && term.levels.is_empty() && !matches!(term.carrier, Carrier::Weights { .. })
    }

    /// The sign with which a touch has its item's level; 0 if it has none.
    fn sign(&self, touch: usize) -> f64 {
        let chain = self.chain(self.touches.node[touch] as usize);
        let part = chain.parts.iter().find(|part| self.has_level(part.term));
        part.map_or(0.0, |part| self.touches.factors(touch)[part.offset])
    }

    /// Whether a projection is the same whatever the level.
    fn is_of_differences(&self, edge: usize) -> bool {
        let mut touches = self.touches.of(edge).filter(|&touch| {
            let node = self.touches.node[touch] as usize;
            Some(self.chain_of[node]) != self.shared
        });
        let (a, b) = match (touches.next(), touches.next(), touches.next()) {
            // An item beside itself is never a difference.
            (None, ..) => return self.touches.of(edge).is_empty(),
            (Some(a), Some(b), None) => (a, b),
            _ => return false,
        };
        let time = |touch: usize| self.times[self.touches.node[touch] as usize];
        let moves = self.terms.iter().enumerate().any(|(t, _)| self.moves(t));
        self.sign(a) != 0.0 && self.sign(a) == -self.sign(b) && (!moves || time(a) == time(b))
    }

    /// Whether a term is a process that every utility of an item has.
    fn moves(&self, term: usize) -> bool {
        self.has_level(term) && matches!(self.terms[term].carrier, Carrier::Process { .. })
    }

    /// Times between which comparisons are about as many; one if no level moves.
    fn knots(&self) -> Vec<f64> {
        let edges = self.order.len();
        let wanted = (edges / EACH).clamp(2, KNOTS);
        if !(0..self.terms.len()).any(|t| self.moves(t)) {
            return vec![0.0];
        }
        let time = |edge: u32| self.times[self.touches.node[self.touches.begins[edge as usize]] as usize];
        let mut knots: Vec<f64> =
            (0..wanted).map(|k| time(self.order[k * (edges - 1) / (wanted - 1)])).collect();
        knots.dedup();
        knots
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::chains::Chains;
    use super::super::evidence::begins;
    use super::*;
    use crate::answers::{Answer, Answers};
    use crate::inference::{Factors, Settings, observations::Observations};
    use crate::kernel::parse;
    use crate::likelihood::{ResponseModel, Values};
    use crate::points::Points;
    use crate::schema::Schema;

    /// At rest, all items are shifted together: one correction takes it back, but for the prior's share beside what messages say. The shift is
    /// at most .7 here, and no sweep of its own would take back more than the prior's share.
    #[test]
    fn a_shift_of_all_items_is_taken_back_at_once() {
        for expression in ["white[item] + white[item]*wiener[date]", "white[item]"] {
            let times: Vec<f64> = (0..40).map(|m| f64::from(m / 2) / 5.0).collect();
            let sides = |m: usize| [m % 5, (m + 1 + m / 7 % 4) % 5];
            let ids: Vec<u64> = (0..40).flat_map(|m| sides(m).map(|i| i as u64)).collect();
            let rows: Vec<f64> = times.iter().flat_map(|&t| [t, 0.0, t, 0.0]).collect();
            let points = Points::new(ids, 2, rows);
            let names = vec!["date".to_owned(), crate::schema::FIRST_TIME.to_owned()];
            let schema = Schema { names, categorical: vec![false; 2], context: 2 };
            let kernel = parse(expression, &schema, false).unwrap();
            let answer = |m: usize| if m.is_multiple_of(3) { (2 * m + 1, 2 * m) } else { (2 * m, 2 * m + 1) };
            let each = |m| [answer(m), (2 * m, 2 * m + 1), (2 * m + 1, 2 * m)];
            let answers: Answers =
                (0..40).flat_map(each).map(|(won, lost)| Answer::rather(won, lost).times(2000)).collect();
            let observations = Observations::of(&answers, &[], ResponseModel::default());
            let chains = Chains::new(&kernel, &points, &observations.edges).unwrap();
            let prior = chains.prior(&kernel).unwrap();
            let likelihoods = observations.responses.likelihoods(&Values(vec![1.0]));
            let settings = Settings { tolerance: 1e-12, sweeps: 500, ..Settings::default() };
            let settled = prior.run(&observations.merged, &likelihoods, None, &settings).unwrap();
            let rest = settled.messages.said();

            let level = Level::new(&prior).unwrap();
            let starts = begins(&observations.merged, observations.edges.len());
            let mut sweeper = Sweeper::new(
                &prior,
                (&observations.merged, &starts),
                &likelihoods,
                Factors::Pair,
                settled.messages,
            );
            let shape = sweeper.shape;
            for touch in 0..rest.tau.len() {
                let time = shape.times[shape.touches.node[touch] as usize];
                let by = if shape.is_still(0) { 0.7 } else { 0.7 - 0.3 * time };
                sweeper.messages.said[touch].1 += rest.tau[touch] * shape.sign(touch) * by;
            }
            sweeper.look_back();
            level.correct(&mut sweeper);
            for touch in 0..rest.tau.len() {
                let left = (sweeper.messages.said[touch].1 - rest.nu[touch]) / rest.tau[touch];
                assert!(left.abs() < 0.15, "{expression}: {left}");
            }
        }
    }
}
