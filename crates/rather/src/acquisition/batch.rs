//! Batches of comparisons that are asked together.

use super::pool::{Pairs, Scored, best_pairs};
use super::{Acquisition, Prepared};
use crate::Error;
use crate::posterior::Joint;
use crate::special::probit::probit_moments;
use crate::watch::{self, Steps};

/// What a batch is chosen from, and how.
pub struct Request<'a> {
    /// The value of a comparison.
    pub acquisition: Acquisition,
    /// Standard deviation of the noise of a difference.
    pub s: f64,
    /// Which pairs of candidates are considered.
    pub pairs: Pairs<'a>,
    /// Which of them may be taken.
    pub allowed: &'a dyn Fn(usize, usize) -> bool,
    /// Seed of draws.
    pub seed: u64,
    /// Asked now and then; once it says `true`, what was found so far is returned.
    pub stop: &'a dyn Fn() -> bool,
}

/// Chooses `n` comparisons one after another, each as if the earlier ones had been answered: the best of the request's pairs
/// under its acquisition function, and then the covariance is what it will be on average after its answer. The means stay, as on average
/// they do. So a batch is not one comparison many times, and no pair comes twice.
///
/// # Formula
/// The answer to $i$ against $j$ leaves, by matched moments, $\Sigma-\beta cc^\top$ with $c=\Sigma(e_i-e_j)$; over both answers
/// $$ \bar\beta=\frac{\Phi(u) w(u)+\Phi(-u) w(-u)}{s^2+v},\qquad u=\frac m{\sqrt{s^2+v}}, $$
/// $w$ minus the second derivative of $\log\Phi$.
///
/// Fewer are returned if there are no more pairs, or `stop` says so after the first.
///
/// # Errors
/// As [`Prepared::new`].
pub fn greedy(request: &Request<'_>, mut joint: Joint, n: usize) -> Result<Vec<Scored>, Error> {
    let &Request { acquisition, s, ref pairs, allowed, seed, stop } = request;
    let mut batch: Vec<Scored> = Vec::new();
    let steps = Steps::start("choosing comparisons", if n > 1 { n } else { 0 });
    while batch.len() < n && (batch.is_empty() || !stop()) {
        watch::check()?;
        let prepared = Prepared::new(acquisition, &joint, s, seed.wrapping_add(batch.len() as u64))?;
        let fresh = |i: usize, j: usize| {
            let chosen =
                |b: &Scored| (b.challenger, b.opponent) == (i, j) || (b.challenger, b.opponent) == (j, i);
            allowed(i, j) && !batch.iter().any(chosen)
        };
        let Some(&next) = best_pairs(&prepared, pairs, &fresh, 1, stop).first() else { break };
        observe(&mut joint, next.challenger, next.opponent, s);
        batch.push(next);
        steps.add(1);
    }
    Ok(batch)
}

/// The joint posterior as it will be, on average, after an answer to `i` against `j`.
fn observe(joint: &mut Joint, i: usize, j: usize, s: f64) {
    let (mean, variance) = joint.difference(i, j);
    let total = s * s + variance;
    let u = mean / total.sqrt();
    let (right, left) = (probit_moments(u), probit_moments(-u));
    let curvature = right.log_cdf.exp() * right.w + left.log_cdf.exp() * left.w;
    joint.shrink(i, j, curvature / total);
}
