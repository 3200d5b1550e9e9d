//! Minimax tilting: the best exponential tilting of sequential truncated normals.

use super::ordering::Ordered;
use super::truncated::UpperTail;
use crate::Error;
use rather_numerics::linalg::{Matrix, cholesky, dot, solve_lower_transposed_vec, solve_lower_vec};
use rather_numerics::special::probit::probit_moments;

/// Newton steps towards the saddle point at most.
const STEPS: usize = 200;
/// Shortest part of a Newton step that is tried.
const SHORTEST: f64 = 1e-6;
/// Mismatch at the saddle point, relative, at which it is found; the bound is off by its square.
const TOLERANCE: f64 = 1e-9;

/// A proposal for $y\sim\mathcal N(0,S)$ given $y>0$ that is near enough to weigh or to accept.
///
/// # Formula
/// In the order of [`Ordered`], $y=D(I+G)z$ with $z\sim\mathcal N(0,I)$ and the condition is $z_k>a_k(z)=-\sum_{j<k}G_{kj}z_j$.
/// The proposal draws $z_k\sim\mathcal N(\mu_k,1)$ given $z_k>a_k$, one after the other, and is off by the factor
/// $e^{\psi(z;\mu)}$,
/// $$ \psi(z;\mu)=\sum_k\tfrac12\mu_k^2-z_k\mu_k+\log\bar\Phi\big(a_k(z)-\mu_k\big). $$
/// $\psi$ is concave in $z$ and convex in $\mu$; at its saddle point $\mu$ makes the largest weight smallest. With
/// $c_k=a_k-\mu_k$, $\Psi_k=\phi(c_k)/\bar\Phi(c_k)$ and $M=(I+G)(I+G)^\top=D^{-1}SD^{-1}$ the saddle's conditions become
/// $\mu=G^\top\Psi$, $z=\mu+\Psi$ and
/// $$ M\Psi=\Psi-c, $$
/// the minimum of the convex $\tfrac12\Psi^\top M\Psi-\sum_k(\tfrac12\Psi_k^2-c_k\Psi_k-\log\bar\Phi(c_k))$, whose value is
/// $\psi$ there: `t` equations instead of the usual `2t - 2`, with a positive definite Newton matrix. (The elimination is
/// ours; it follows from setting Botev's gradients to zero.)
///
/// # References
/// Botev, *The normal law under linear restrictions: simulation and estimation via minimax tilting* (2017), Journal of
/// the Royal Statistical Society B 79, sections 2 and 3, doi:10.1111/rssb.12162.
#[derive(Debug, Clone)]
pub struct MinimaxTilting {
    ordered: Ordered,
    tilt: Vec<f64>,
    bound: f64,
}

impl MinimaxTilting {
    /// Tilts the positive orthant of $\mathcal N(0,S)$.
    ///
    /// # Errors
    /// [`Error::Inference`] if the covariance is not positive definite or the saddle point is not found.
    pub fn new(covariance: &Matrix) -> Result<Self, Error> {
        let ordered = Ordered::new(covariance).ok_or(Error::Inference)?;
        let Ordered { order, scale, .. } = &ordered;
        let relative = Matrix::from_fn(order.len(), order.len(), |i, j| {
            covariance[(order[i], order[j])] / (scale[i] * scale[j])
        });
        let saddle = Saddle::find(&relative).ok_or(Error::Inference)?;
        let mut tilt = vec![0.0; order.len()];
        for (k, &force) in saddle.force.iter().enumerate() {
            for (tilt, g) in tilt[..k].iter_mut().zip(ordered.rows.col(k)) {
                *tilt += g * force;
            }
        }
        Ok(Self { tilt, bound: saddle.value, ordered })
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.tilt.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tilt.is_empty()
    }

    /// The largest log weight: an upper bound of $\log P(y>0)$ too.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// One proposal: `uniform(k)` gives the number that draws variable `k` (in this order), `y` receives the proposal
    /// (in the covariance's order). Returns its log weight $\psi$.
    pub fn propose(&self, mut uniform: impl FnMut(usize) -> f64, z: &mut [f64], y: &mut [f64]) -> f64 {
        let Ordered { order, rows, scale } = &self.ordered;
        let mut log_weight = 0.0;
        for k in 0..self.len() {
            let lower = -dot(&rows.col(k)[..k], &z[..k]);
            let tilt = self.tilt[k];
            let tail = UpperTail::above(lower - tilt);
            let excess = tail.excess(uniform(k));
            z[k] = lower + excess;
            y[order[k]] = scale[k] * excess;
            log_weight += tilt * (0.5 * tilt - z[k]) + tail.log_mass();
        }
        log_weight
    }
}

/// A point on the way to the saddle.
struct Saddle {
    /// `c`.
    bound: Vec<f64>,
    /// `Psi`.
    force: Vec<f64>,
    /// `M Psi - (Psi - c)`.
    residual: Vec<f64>,
    /// `w` and `q` of the probit's moments at `-c`.
    curvature: Vec<(f64, f64)>,
    /// The convex objective.
    value: f64,
    mismatch: f64,
}

impl Saddle {
    fn find(relative: &Matrix) -> Option<Self> {
        let mut here = Self::at(relative, vec![0.0; relative.rows()]);
        for _ in 0..STEPS {
            if here.mismatch <= TOLERANCE {
                return Some(here);
            }
            here = here.next(relative)?;
        }
        None
    }

    fn at(relative: &Matrix, bound: Vec<f64>) -> Self {
        let moments: Vec<_> = bound.iter().map(|&c| probit_moments(-c)).collect();
        let force: Vec<f64> = moments.iter().map(|m| m.r).collect();
        let pull = relative.times(&force);
        let residual: Vec<f64> = pull.iter().zip(&moments).map(|(p, m)| p - m.t).collect();
        let terms = moments.iter().zip(&bound).zip(&pull);
        let value = terms.map(|((m, c), p)| m.r * (0.5 * (p - m.r) + c) + m.log_cdf).sum();
        let sizes = residual.iter().zip(&moments).map(|(r, m)| r.abs() / (1.0 + m.t));
        let mismatch = sizes.fold(0.0, f64::max);
        let curvature = moments.iter().map(|m| (m.w, m.q)).collect();
        Self { bound, force, residual, curvature, value, mismatch }
    }

    /// Newton's step, halved until the objective falls: `(Q + W^1/2 M W^1/2) u = -W^1/2 F`, `d Psi = W^1/2 u`,
    /// `d c = -F - (M - I) d Psi`.
    fn next(&self, relative: &Matrix) -> Option<Self> {
        let root: Vec<f64> = self.curvature.iter().map(|(w, _)| w.sqrt()).collect();
        let mut newton = Matrix::from_fn(root.len(), root.len(), |i, j| root[i] * root[j] * relative[(i, j)]);
        for (i, (_, q)) in self.curvature.iter().enumerate() {
            newton[(i, i)] += q;
        }
        if !cholesky(&mut newton) {
            return None;
        }
        let mut u: Vec<f64> = root.iter().zip(&self.residual).map(|(w, f)| -w * f).collect();
        solve_lower_vec(&newton, &mut u);
        solve_lower_transposed_vec(&newton, &mut u);
        let d_force: Vec<f64> = root.iter().zip(&u).map(|(w, u)| w * u).collect();
        let pull = relative.times(&d_force);
        let step: Vec<f64> =
            self.residual.iter().zip(&pull).zip(&d_force).map(|((f, p), d)| d - f - p).collect();
        let mut length = 1.0;
        while length >= SHORTEST {
            let bound = self.bound.iter().zip(&step).map(|(c, d)| c + length * d).collect();
            let next = Self::at(relative, bound);
            // Near the end the objective no longer tells; the mismatch does.
            if next.value < self.value || next.mismatch < 0.5 * self.mismatch {
                return Some(next);
            }
            length *= 0.5;
        }
        None
    }
}
