//! Expected utility of the best option, of a choice among several.

use super::{AcquisitionFunction, Candidates, Goal, PairScore, Setting};
use crate::Error;
use crate::posterior::Joint;
use rather_numerics::linalg::{Matrix, TriangularFeatures, axpy};
use rather_numerics::order::descending;
use rather_numerics::sobol::{Scrambling, Sobol};
use rather_numerics::special::normal;
use rather_numerics::watch;

/// The expected utility of the best of $q$ items, $\mathbb E\max(f_1,\dots,f_q)$, by quasi-Monte Carlo: fixed scrambled
/// Sobol points, so that it is one and the same smooth function for all choices.
///
/// # Formula
/// With the joint mean $\mu$ and covariance $LL^\top$ of the $q$ items and normal points $e_k$,
/// $\frac1K\sum_k\max_i(\mu+Le_k)_i$.
///
/// # References
/// Astudillo, Lin, Bakshy and Frazier, *qEUBO: a decision-theoretic acquisition function for preferential Bayesian
/// optimization* (2023), AISTATS.
#[derive(Debug, Clone)]
pub struct Qeubo {
    /// One point a row, one dimension an item of the choice.
    normals: Matrix,
}

/// Points: the error is about a thousandth of the spread of utilities.
const POINTS: usize = 512;

impl Qeubo {
    /// For choices among up to `q` items.
    pub fn new(q: usize, seed: u64) -> Self {
        let scrambling = Scrambling::new(seed, POINTS.ilog2());
        let mut normals = Matrix::zeros(POINTS, q);
        if let Some(mut sobol) = Sobol::new(q) {
            for k in 0..POINTS {
                let point = sobol.next_point();
                for (d, &x) in point[..q].iter().enumerate() {
                    normals[(k, d)] = normal::quantile(scrambling.apply(d, x));
                }
            }
        }
        Self { normals }
    }

    /// The value of a choice among `items`, of which there are at most `q`.
    pub fn value(&self, joint: &Joint, items: &[usize]) -> f64 {
        let covariance =
            Matrix::from_fn(items.len(), items.len(), |a, b| joint.covariance[(items[a], items[b])]);
        let Some(features) = TriangularFeatures::new(covariance) else { return f64::NAN };
        let features = features.in_order();
        let mut best = [f64::MIN; POINTS];
        for (a, &item) in items.iter().enumerate() {
            // The item's utility at every point.
            let mut utility = [joint.mean[item]; POINTS];
            for (d, &f) in features.col(a).iter().enumerate() {
                axpy(f, self.normals.col(d), &mut utility);
            }
            best.iter_mut().zip(&utility).for_each(|(best, u)| *best = best.max(*u));
        }
        best.iter().sum::<f64>() / POINTS as f64
    }
}

/// The choice among `q` candidates with the largest value: the candidates with the largest means, then one at a time is exchanged
/// for the best other one until nothing helps. Positions in increasing order; all of them if there are no more than `q`.
pub fn best_choice(joint: &Joint, q: usize, seed: u64) -> Vec<usize> {
    let order = descending(&joint.mean);
    let mut choice: Vec<usize> = order[..q.min(order.len())].to_vec();
    let qeubo = Qeubo::new(choice.len(), seed);
    let mut value = qeubo.value(joint, &choice);
    let mut helped = choice.len() < joint.len();
    while helped {
        helped = false;
        for place in 0..choice.len() {
            for other in (0..joint.len()).filter(|i| !choice.contains(i)).collect::<Vec<_>>() {
                if watch::ends() {
                    return choice;
                }
                let mut next = choice.clone();
                next[place] = other;
                let next_value = qeubo.value(joint, &next);
                // More than rounding, so that it ends.
                if next_value > value + 1e-12 * value.abs() {
                    (choice, value, helped) = (next, next_value, true);
                }
            }
        }
    }
    choice.sort_unstable();
    choice
}

/// `qeubo:2`: [`Qeubo`] for choices among so many.
#[derive(Debug)]
pub struct SampledUtilityOfBest;

impl AcquisitionFunction for SampledUtilityOfBest {
    fn name(&self) -> &'static str {
        "qeubo"
    }

    fn title(&self) -> &'static str {
        "best of the two, sampled (qEUBO)"
    }

    fn meaning(&self) -> &'static str {
        "the expected utility of the better of the two, relative to the prior's mean, in units of utility"
    }

    fn goal(&self) -> Goal {
        Goal::Best
    }

    fn setting(&self) -> Setting {
        Setting::Integer { default: 2, least: 2, most: 16 }
    }

    fn items(&self, q: f64) -> usize {
        q as usize
    }

    fn prepare<'a>(&'a self, candidates: &Candidates<'a>) -> Result<PairScore<'a>, Error> {
        let &Candidates { components, seed, .. } = candidates;
        let qeubo = Qeubo::new(2, seed);
        Ok(Box::new(move |i, j| components.iter().map(|c| c.weight * qeubo.value(&c.joint(), &[i, j])).sum()))
    }
}
