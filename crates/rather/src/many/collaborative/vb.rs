//! The factor of the product in the published scheme: `KL(Q f2 || ...)` minimised over fully factorised `q(W) q(H)`.
//!
//! Maximised is
//! `L = sum_n [-tau (E[g]^2 + Var[g]) / 2 + nu E[g]] + sum [-tau3 (m^2 + v) / 2 + nu3 m]_w + the same of h + entropy`,
//! `E[g] = sum_d m^w m^h`, `Var[g] = sum_d (m^w)^2 v^h + v^w (m^h)^2 + v^w v^h` (Houlsby et al. 2012, supplement, (30), (37),
//! (38)).

use super::joint::inverse;
use super::state::Problem;
use crate::inference::sites::Sites;
use rather_numerics::linalg::{Matrix, axpy, dot};
use rather_numerics::watch;

/// Means and variances of weights, or of pair values; a latent function an entry.
#[derive(Debug, Clone)]
pub(super) struct Factor {
    pub(super) mean: Vec<Vec<f64>>,
    pub(super) variance: Vec<Vec<f64>>,
}

/// `q(W) q(H)`.
pub(super) struct Product<'a, 'b> {
    pub(super) problem: &'b Problem<'a>,
    pub(super) users: Factor,
    pub(super) items: Factor,
}

/// Relative gain of `L` at which ascent stops; what is left is made up for in the next cycle.
const NO_GAIN: f64 = 1e-12;
/// Largest number of sweeps of one refinement.
const SWEEPS: usize = 200;
/// Exponent of the variance in Raiko's step.
const RAIKO: f64 = 2.0 / 3.0;

impl Product<'_, '_> {
    /// `E g` and `Var g` of every record.
    pub(super) fn moments(&self) -> (Vec<f64>, Vec<f64>) {
        let functions = self.users.mean.len();
        let records = self.problem.answers.records();
        let one = |r: &crate::many::Record| {
            let (mut m, mut v) = (0.0, 0.0);
            for d in 0..functions {
                let (w, vw) = (self.users.mean[d][r.user], self.users.variance[d][r.user]);
                let (h, vh) = (self.items.mean[d][r.edge], self.items.variance[d][r.edge]);
                m += w * h;
                v += w * w * vh + vw * (h * h + vh);
            }
            (m, v)
        };
        records.iter().map(one).unzip()
    }

    /// `L`, without the constants `log(2 pi) / 2` of the entropy and of everything else.
    pub(super) fn bound(&self, f1: &Sites, f3: &[Sites], f4: &[Sites]) -> f64 {
        let (mean, variance) = self.moments();
        let records = self.problem.answers.records();
        let answers: f64 = (0..mean.len())
            .map(|n| {
                let square = mean[n] * mean[n] + variance[n];
                records[n].count * (f1.nu[n] * mean[n] - 0.5 * f1.tau[n] * square)
            })
            .sum();
        answers + self.users.bound(f3) + self.items.bound(f4)
    }

    /// Coordinate ascent until `L` no longer grows.
    pub(super) fn block_ascent(&mut self, f1: &Sites, f3: &[Sites], f4: &[Sites]) -> Option<()> {
        let mut best = f64::NEG_INFINITY;
        for _ in 0..SWEEPS {
            for u in 0..self.problem.answers.users() {
                self.one_user(u, f1, f3)?;
            }
            for p in 0..self.problem.answers.edges().len() {
                self.one_pair(p, f1, f4)?;
            }
            let reached = self.bound(f1, f3, f4);
            if reached - best <= NO_GAIN * reached.abs() {
                return Some(());
            }
            best = reached;
        }
        Some(())
    }

    fn one_user(&mut self, u: usize, f1: &Sites, f3: &[Sites]) -> Option<()> {
        let records = self.problem.answers.records();
        let seen: Vec<(usize, usize)> =
            self.problem.answers.of_user(u).map(|n| (n, records[n].edge)).collect();
        one_block(&mut self.users, u, &self.items, &seen, f1, f3, records)
    }

    fn one_pair(&mut self, p: usize, f1: &Sites, f4: &[Sites]) -> Option<()> {
        let records = self.problem.answers.records();
        let seen: Vec<(usize, usize)> =
            self.problem.answers.about(p).iter().map(|&n| (n, records[n].user)).collect();
        one_block(&mut self.items, p, &self.users, &seen, f1, f4, records)
    }

    /// Raiko's method: all means move along `eta v^(2/3) dL/dm`, variances follow in closed form.
    pub(super) fn raiko(&mut self, f1: &Sites, f3: &[Sites], f4: &[Sites]) -> Option<()> {
        let mut eta = 0.5;
        self.close_variances(f1, f3, f4);
        let mut best = self.bound(f1, f3, f4);
        let mut small = 0;
        for _ in (0..100 * SWEEPS).take_while(|_| !watch::ends()) {
            let (users, items) = (self.users.clone(), self.items.clone());
            let (gw, gh) = self.gradients(f1, f3, f4);
            self.users.climb(&gw, eta);
            self.items.climb(&gh, eta);
            self.close_variances(f1, f3, f4);
            let reached = self.bound(f1, f3, f4);
            if reached.is_nan() || reached < best {
                (self.users, self.items) = (users, items);
                eta *= 0.5;
                if eta < 1e-12 {
                    break;
                }
                continue;
            }
            eta *= 1.1;
            small = if reached - best <= NO_GAIN * reached.abs() { small + 1 } else { 0 };
            best = reached;
            // A single small gain may be a short step.
            if small == 5 {
                break;
            }
        }
        best.is_finite().then_some(())
    }

    /// `v = 1 / (tau_prior + sum tau (m^2 + v) of the other side)`, weights first.
    fn close_variances(&mut self, f1: &Sites, f3: &[Sites], f4: &[Sites]) {
        let records = self.problem.answers.records();
        for d in 0..f3.len() {
            let mut precision = f3[d].tau.clone();
            for (n, r) in records.iter().enumerate() {
                let square = self.items.mean[d][r.edge].powi(2) + self.items.variance[d][r.edge];
                precision[r.user] += r.count * f1.tau[n] * square;
            }
            self.users.variance[d] = precision.iter().map(|t| 1.0 / t).collect();
            let mut precision = f4[d].tau.clone();
            for (n, r) in records.iter().enumerate() {
                let square = self.users.mean[d][r.user].powi(2) + self.users.variance[d][r.user];
                precision[r.edge] += r.count * f1.tau[n] * square;
            }
            self.items.variance[d] = precision.iter().map(|t| 1.0 / t).collect();
        }
    }

    /// `nu3 - tau3 m + sum (nu1 - tau1 E g) m^h - m sum tau1 v^h`, and the same for pair values.
    fn gradients(&self, f1: &Sites, f3: &[Sites], f4: &[Sites]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let (mean, _) = self.moments();
        let own =
            |f: &Sites, m: &[f64]| -> Vec<f64> { (0..m.len()).map(|i| f.nu[i] - f.tau[i] * m[i]).collect() };
        let (mut gw, mut gh) = (Vec::new(), Vec::new());
        for d in 0..f3.len() {
            let (w, h) = (&self.users.mean[d], &self.items.mean[d]);
            let (mut a, mut b) = (own(&f3[d], w), own(&f4[d], h));
            for (n, r) in self.problem.answers.records().iter().enumerate() {
                let (u, p) = (r.user, r.edge);
                let pull = r.count * (f1.nu[n] - f1.tau[n] * mean[n]);
                a[u] += pull * h[p] - r.count * f1.tau[n] * w[u] * self.items.variance[d][p];
                b[p] += pull * w[u] - r.count * f1.tau[n] * h[p] * self.users.variance[d][u];
            }
            gw.push(a);
            gh.push(b);
        }
        (gw, gh)
    }
}

/// `M = diag(tau3 + sum tau1 v_other) + sum tau1 m_other m_other'`; mean `M^-1 (nu3 + sum nu1 m_other)`, variances
/// `1 / M_dd`.
fn one_block(
    own: &mut Factor,
    at: usize,
    other: &Factor,
    seen: &[(usize, usize)],
    f1: &Sites,
    prior: &[Sites],
    records: &[crate::many::Record],
) -> Option<()> {
    let functions = prior.len();
    let mut m = Matrix::zeros(functions, functions);
    let mut b: Vec<f64> = prior.iter().map(|f| f.nu[at]).collect();
    for (d, f) in prior.iter().enumerate() {
        m[(d, d)] = f.tau[at];
    }
    for &(n, j) in seen {
        let x: Vec<f64> = other.mean.iter().map(|mean| mean[j]).collect();
        let count = records[n].count;
        for d in 0..functions {
            axpy(count * f1.tau[n] * x[d], &x, m.col_mut(d));
            m[(d, d)] += count * f1.tau[n] * other.variance[d][j];
        }
        axpy(count * f1.nu[n], &x, &mut b);
    }
    let diagonal: Vec<f64> = (0..functions).map(|d| m[(d, d)]).collect();
    let (inverse, _) = inverse(m)?;
    for (d, precision) in diagonal.iter().enumerate() {
        own.mean[d][at] = dot(inverse.col(d), &b);
        own.variance[d][at] = 1.0 / precision;
    }
    Some(())
}

impl Factor {
    /// The part of `L` that belongs to one side: prior sites and entropy.
    fn bound(&self, prior: &[Sites]) -> f64 {
        let one = |(d, f): (usize, &Sites)| -> f64 {
            (0..f.tau.len())
                .map(|i| {
                    let (m, v) = (self.mean[d][i], self.variance[d][i]);
                    f.nu[i] * m - 0.5 * f.tau[i] * (m * m + v) + 0.5 * (1.0 + v.ln())
                })
                .sum()
        };
        prior.iter().enumerate().map(one).sum()
    }

    fn climb(&mut self, gradient: &[Vec<f64>], eta: f64) {
        for (d, g) in gradient.iter().enumerate() {
            for (i, g) in g.iter().enumerate() {
                self.mean[d][i] += eta * self.variance[d][i].powf(RAIKO) * g;
            }
        }
    }
}
