//! The update of an answer about a set of items: from the marginals of its pairs to a site on each of them.
//!
//! The site of such an answer is a Gaussian on the differences of its items, whose precision is a Laplacian: sites on pairs. And the variances of all pairs
//! are the covariance of the differences, `cov(f_i - f_r, f_j - f_r) = (V_ir + V_jr - V_ij) / 2`. So priors know pairs and nothing else.

use super::observations::{Observation, pairs_of};
use super::sites::{Update, Updated};
use crate::likelihood::choice_set::ChoiceSet;
use crate::likelihood::{LOG_NOISE, NO_SLOPES};
use rather_numerics::linalg::{Matrix, cholesky, product, solve};

/// A share of the largest variance that may be rounding.
const ROUNDING: f64 = 1e-8;

/// Means and covariances of the utilities of a set, relative to its last item.
pub(crate) struct Differences {
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Matrix,
}

/// Updates one answer about a set: `factor` are its pairs, with their sites `tau` and `nu` (of one of its copies) and the `marginals` (mean, variance) of
/// their projections; `rest` is the variance that each projection has besides.
pub(super) fn update(
    set: &ChoiceSet,
    factor: &[Observation],
    (tau, nu): (&[f64], &[f64]),
    marginals: impl Fn(usize) -> (f64, f64),
    rest: &[f64],
) -> Updated {
    let n = set.order().options();
    let rest: Option<Matrix> = (!rest.is_empty()).then(|| {
        let of_pairs: Vec<(f64, f64)> = factor.iter().map(|o| (0.0, rest[o.edge()])).collect();
        Differences::of(n, &of_pairs).covariance
    });
    of_moments(set, &moments(factor, marginals), (tau, nu), rest.as_ref())
}

/// As [`update`], from the moments of the pairs in the direction of the set's order.
pub(crate) fn of_moments(
    set: &ChoiceSet,
    of_pairs: &[(f64, f64)],
    (tau, nu): (&[f64], &[f64]),
    rest: Option<&Matrix>,
) -> Updated {
    let n = set.order().options();
    let marginal = Differences::of(n, of_pairs);
    let (precision, shift) = site(n, tau, nu);
    let Some((cavity, log_left)) = marginal.without(&precision, &shift) else {
        return nothing_left(tau, nu);
    };
    let tilted = set.tilt(&cavity.mean, &cavity.covariance, rest);
    // The cavity times the site that it was without: exp(r'm - m'Lm/2 + g'Sg/2) / sqrt|I + CL|, g = r - Lm.
    let pulled = precision.times(&cavity.mean);
    let g: Vec<f64> = shift.iter().zip(&pulled).map(|(r, p)| r - p).collect();
    let exponent = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let gaussian = exponent(&shift, &cavity.mean) - 0.5 * exponent(&pulled, &cavity.mean)
        + 0.5 * exponent(&g, &marginal.covariance.times(&g))
        + 0.5 * log_left;
    let change = Matrix::from_fn(n, n, |i, j| tilted.precision[(i, j)] - precision[(i, j)]);
    let d_shift: Vec<f64> = tilted.shift.iter().zip(&shift).map(|(new, old)| new - old).collect();
    let next = marginal.with(&change, &d_shift, 1.0);
    let mismatch = next.map_or(f64::INFINITY, |(next, _)| next.mismatch(of_pairs));
    let mut d = NO_SLOPES;
    d[LOG_NOISE] = tilted.d_log_noise;
    let places: Vec<usize> = (0..n).collect();
    let mut each = pairs_of(&places).enumerate().map(|(k, (i, j))| Update {
        tau: -tilted.precision[(i, j)],
        // Any shifts of pairs that sum to those of the items; these are the smallest.
        nu: (tilted.shift[i] - tilted.shift[j]) / n as f64,
        mismatch,
        // The whole answer's, once.
        log_evidence: if k == 0 { tilted.log_z - gaussian } else { 0.0 },
        d: if k == 0 { d } else { NO_SLOPES },
        d_rest: -tilted.slope[(i, j)],
        left: (log_left / (n - 1) as f64).exp(),
    });
    match each.next() {
        Some(first) => Updated { first, others: each.collect() },
        None => nothing_left(tau, nu),
    }
}

/// The precision and the shift of the sites of all pairs of `n` items, on the differences of the others to the last one.
pub(crate) fn on_differences(n: usize, tau: &[f64], nu: &[f64]) -> (Matrix, Vec<f64>) {
    let (precision, mut shift) = site(n, tau, nu);
    shift.truncate(n - 1);
    (Matrix::from_fn(n - 1, n - 1, |i, j| precision[(i, j)]), shift)
}

/// The sites of the pairs of `n` items, seen through a covariance of parts that are each item's own, as they are seen where that is `more` larger:
/// $\Lambda\leftarrow(I+\Lambda D)^{-1}\Lambda$, $r\leftarrow(I+\Lambda D)^{-1}r$ for the difference $D$. `None` if there are none.
pub(crate) fn seen_through(more: &Matrix, (tau, nu): (&[f64], &[f64])) -> Option<Vec<(f64, f64)>> {
    let n = more.rows();
    let (precision, shift) = site(n, tau, nu);
    let mut system = product(&precision, more);
    system.add_diagonal(1.0);
    let at = |i: usize, j: usize| if j < n { precision[(i, j)] } else { shift[i] };
    let mut seen = Matrix::from_fn(n, n + 1, at);
    let determinant = solve(system, &mut seen)?;
    let places: Vec<usize> = (0..n).collect();
    let pair = |(i, j)| (-0.5 * (seen[(i, j)] + seen[(j, i)]), (seen[(i, n)] - seen[(j, n)]) / n as f64);
    (determinant > 0.0).then(|| pairs_of(&places).map(pair).collect())
}

/// The log probability of an answer, from the moments of the pairs of its set in the direction of its order.
pub(crate) fn log_probability(set: &ChoiceSet, of_pairs: &[(f64, f64)]) -> f64 {
    let Differences { mean, covariance } = Differences::of(set.order().options(), of_pairs);
    set.log_probability(&mean, &covariance)
}

/// The moments of the pairs of a set, in the direction of its order.
fn moments(factor: &[Observation], marginals: impl Fn(usize) -> (f64, f64)) -> Vec<(f64, f64)> {
    let of = |o: &Observation| {
        let (mean, variance) = marginals(o.edge());
        (o.sign() * mean, variance)
    };
    factor.iter().map(of).collect()
}

/// The utilities of a set of `n` items relative to its last one, from the projections `z` of its pairs.
pub(super) fn utilities(factor: &[Observation], n: usize, z: &[f64]) -> Vec<f64> {
    let places: Vec<usize> = (0..n).collect();
    let with_last = pairs_of(&places).zip(factor).filter(|((_, j), _)| *j == n - 1);
    with_last.map(|(_, o)| o.sign() * z[o.edge()]).chain([0.0]).collect()
}

/// What is left of the moments of a set without the site of one answer about it.
pub(super) fn cavity(
    factor: &[Observation],
    items: usize,
    (tau, nu): (&[f64], &[f64]),
    marginals: impl Fn(usize) -> (f64, f64),
) -> Option<Differences> {
    let (precision, shift) = site(items, tau, nu);
    let marginal = Differences::of(items, &moments(factor, marginals));
    marginal.without(&precision, &shift).map(|(cavity, _)| cavity)
}

/// Sites that stay as they are, at a state that is none.
fn nothing_left(tau: &[f64], nu: &[f64]) -> Updated {
    let stay = |(&tau, &nu): (&f64, &f64)| Update {
        tau,
        nu,
        mismatch: f64::INFINITY,
        log_evidence: 0.0,
        d: NO_SLOPES,
        d_rest: 0.0,
        left: 0.0,
    };
    let others = tau.iter().zip(nu).skip(1).map(stay).collect();
    Updated { first: stay((&tau[0], &nu[0])), others }
}

/// The precision and the shift of the sites of all pairs of `n` items.
fn site(n: usize, tau: &[f64], nu: &[f64]) -> (Matrix, Vec<f64>) {
    let (mut precision, mut shift) = (Matrix::zeros(n, n), vec![0.0; n]);
    let places: Vec<usize> = (0..n).collect();
    for ((i, j), (tau, nu)) in pairs_of(&places).zip(tau.iter().zip(nu)) {
        precision[(i, i)] += tau;
        precision[(j, j)] += tau;
        precision[(i, j)] -= tau;
        precision[(j, i)] -= tau;
        shift[i] += nu;
        shift[j] -= nu;
    }
    (precision, shift)
}

impl Differences {
    /// The same of the items in other places.
    pub(crate) fn arranged(&self, places: &[usize]) -> Self {
        let covariance =
            Matrix::from_fn(places.len(), places.len(), |i, j| self.covariance[(places[i], places[j])]);
        Self { mean: places.iter().map(|&i| self.mean[i]).collect(), covariance }
    }

    /// From the moments of all pairs of `n` items.
    pub(crate) fn of(n: usize, of_pairs: &[(f64, f64)]) -> Self {
        let place = |i: usize, j: usize| i * (2 * n - i - 1) / 2 + j - i - 1;
        let pair = |i: usize, j: usize| if i == j { (0.0, 0.0) } else { of_pairs[place(i.min(j), i.max(j))] };
        let last = n - 1;
        let covariance =
            Matrix::from_fn(n, n, |i, j| 0.5 * (pair(i, last).1 + pair(j, last).1 - pair(i, j).1));
        Self { mean: (0..n).map(|i| pair(i, last).0).collect(), covariance }
    }

    /// These without a site, and the log determinant of `I - C Lambda`; `None` if nothing is left.
    fn without(&self, precision: &Matrix, shift: &[f64]) -> Option<(Self, f64)> {
        let left = self.with(precision, shift, -1.0)?;
        left.0.is_proper().then_some(left)
    }

    /// Whether the covariance is one, up to rounding. What is left of a marginal that is not that of its prior and its sites, as in a product of latent
    /// functions, may be none.
    fn is_proper(&self) -> bool {
        let last = self.mean.len() - 1;
        let mut c = Matrix::from_fn(last, last, |i, j| self.covariance[(i, j)]);
        let most = (0..last).map(|i| c[(i, i)]).fold(0.0, f64::max);
        if (0..last).any(|i| c[(i, i)] < 0.0) {
            return false;
        }
        c.add_diagonal(ROUNDING * most + f64::MIN_POSITIVE);
        cholesky(&mut c)
    }

    /// These with a site more (`sign` 1), or without it (-1), and the log determinant of `I + sign C Lambda`; `None` if that is not positive.
    fn with(&self, precision: &Matrix, shift: &[f64], sign: f64) -> Option<(Self, f64)> {
        let n = shift.len();
        let mut system = product(&self.covariance, precision);
        system.data_mut().iter_mut().for_each(|x| *x *= sign);
        system.add_diagonal(1.0);
        let moved = self.covariance.times(shift);
        let mut right = Matrix::from_fn(n, n + 1, |i, j| match j {
            j if j < n => self.covariance[(i, j)],
            _ => self.mean[i] + sign * moved[i],
        });
        let determinant = solve(system, &mut right)?;
        if determinant.is_nan() || determinant <= 0.0 {
            return None;
        }
        let covariance = Matrix::from_fn(n, n, |i, j| 0.5 * (right[(i, j)] + right[(j, i)]));
        Some((Self { mean: right.col(n).to_vec(), covariance }, determinant.ln()))
    }

    /// How far these moments are from those of pairs: means in standard deviations, variances relative.
    fn mismatch(&self, of_pairs: &[(f64, f64)]) -> f64 {
        let places: Vec<usize> = (0..self.mean.len()).collect();
        let c = &self.covariance;
        let one = |((i, j), &(mean, variance)): ((usize, usize), &(f64, f64))| {
            let moved = (self.mean[i] - self.mean[j] - mean).abs();
            let v = c[(i, i)] + c[(j, j)] - 2.0 * c[(i, j)];
            if variance > 0.0 { (moved / variance.sqrt()).max((v / variance - 1.0).abs()) } else { 0.0 }
        };
        // A mismatch that is not a number is the worst.
        let worst = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
        pairs_of(&places).zip(of_pairs).map(one).fold(0.0, worst)
    }
}
