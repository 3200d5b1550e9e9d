//! What is believed about the whitened basis values: a Gaussian, and how one site changes it.

use serde::{Deserialize, Serialize};

use rather_numerics::linalg::{Matrix, axpy, cholesky, dot, solve_lower, solve_lower_transposed};

/// $w\sim\mathcal N(\mu,\Sigma)$ over the $M$ whitened values of the basis; $\mathcal N(0,I)$ before any answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Belief {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Matrix,
}

/// The moments of a projection $u=p^\top w$.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Along {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl Belief {
    /// Nothing is known.
    pub(super) fn prior(n: usize) -> Self {
        Self { mean: vec![0.0; n], covariance: Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 }) }
    }

    pub(super) fn len(&self) -> usize {
        self.mean.len()
    }

    /// Writes $h=\Sigma p$ and returns the moments of $u$. Allocates nothing.
    pub(super) fn along(&self, p: &[f64], h: &mut [f64]) -> Along {
        h.fill(0.0);
        // Of independent names only two features are not 0.
        for (j, &pj) in p.iter().enumerate().filter(|(_, pj)| **pj != 0.0) {
            axpy(pj, self.covariance.col(j), h);
        }
        Along { mean: dot(p, &self.mean), variance: dot(p, h).max(0.0) }
    }

    /// Multiplies by the site $\exp(\nu u-\tau u^2/2)$, given $h$ and the moments of $u$:
    /// $\mu\mathrel{+}=h (\nu-\tau m)/(1+\tau v)$, $\Sigma\mathrel{-}=hh^\top\tau/(1+\tau v)$. `h` is used up.
    ///
    /// `false`, and nothing is changed, if the variance would no longer be positive.
    #[must_use]
    pub(super) fn absorb(&mut self, h: &mut [f64], along: Along, tau: f64, nu: f64) -> bool {
        let widening = 1.0 + tau * along.variance;
        if !(widening > 0.0 && widening.is_finite() && nu.is_finite()) {
            return false;
        }
        axpy((nu - tau * along.mean) / widening, h, &mut self.mean);
        // The product of two equal factors is the same on both sides of the diagonal: symmetric to the bit.
        let scale = (tau.abs() / widening).sqrt();
        h.iter_mut().for_each(|x| *x *= scale);
        let sign = if tau > 0.0 { -1.0 } else { 1.0 };
        for j in 0..h.len() {
            axpy(sign * h[j], h, self.covariance.col_mut(j));
        }
        true
    }

    /// Raises what was said, the belief over the prior, to the power `r` from 0 to 1: $\Sigma^{-1}\leftarrow r\Sigma^{-1}+(1-r)I$ and
    /// $\Sigma^{-1}\mu\leftarrow r\Sigma^{-1}\mu$. With $A=rI+(1-r)\Sigma$, whose condition is at most $1/r$, these are
    /// $\Sigma\leftarrow A^{-1}\Sigma$ and $\mu\leftarrow rA^{-1}\mu$.
    ///
    /// `false`, and nothing is changed, if the numbers break down.
    #[must_use]
    pub(super) fn raise(&mut self, r: f64) -> bool {
        if r == 1.0 {
            return true;
        }
        let n = self.len();
        let mut a = self.covariance.clone();
        a.data_mut().iter_mut().for_each(|x| *x *= 1.0 - r);
        a.add_diagonal(r);
        if !cholesky(&mut a) {
            return false;
        }
        // The mean is the last column.
        let at = |i: usize, j: usize| if j < n { self.covariance[(i, j)] } else { r * self.mean[i] };
        let mut both = Matrix::from_fn(n, n + 1, at);
        solve_lower(&a, &mut both);
        solve_lower_transposed(&a, &mut both);
        self.covariance = Matrix::from_fn(n, n, |i, j| 0.5 * (both[(i, j)] + both[(j, i)]));
        self.mean.copy_from_slice(both.col(n));
        true
    }

    /// The log of the integral of the belief times a site on $u$.
    pub(super) fn log_integral(along: Along, tau: f64, nu: f64) -> f64 {
        let Along { mean: m, variance: v } = along;
        let widening = 1.0 + tau * v;
        -0.5 * widening.ln() + (nu * m + 0.5 * nu * nu * v - 0.5 * tau * m * m) / widening
    }
}
