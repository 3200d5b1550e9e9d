//! What is believed about the whitened basis values: a Gaussian, and how one site changes it.

use serde::{Deserialize, Serialize};

use rather_numerics::linalg::{
    Matrix, axpy, cholesky, dot, mirror_lower, product, solve, solve_lower, solve_lower_transposed,
};

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

/// The moments of projections $u=P^\top w$, and $H=\Sigma P$.
#[derive(Debug, Clone)]
pub(super) struct Together {
    spread: Matrix,
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Matrix,
}

/// A share of a variance that may be rounding.
const ROUNDING: f64 = 1e-8;

impl Together {
    /// Whether $S-SWS$ is a covariance, up to rounding.
    fn is_left_by(&self, taken: &Matrix) -> bool {
        let s = &self.covariance;
        let mut left = product(&product(s, taken), s);
        left.data_mut().iter_mut().zip(s.data()).for_each(|(left, s)| *left = s - *left);
        let most = (0..s.rows()).map(|k| s[(k, k)]).fold(0.0, f64::max);
        left.add_diagonal(ROUNDING * most + f64::MIN_POSITIVE);
        cholesky(&mut left)
    }
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

    /// The moments of several projections $u_k=p_k^\top w$ at once.
    pub(super) fn together<'a>(&self, p: impl ExactSizeIterator<Item = &'a [f64]> + Clone) -> Together {
        let mut spread = Matrix::zeros(self.len(), p.len());
        let mut mean = Vec::with_capacity(p.len());
        for (k, p) in p.clone().enumerate() {
            mean.push(self.along(p, spread.col_mut(k)).mean);
        }
        let columns: Vec<&[f64]> = p.collect();
        let covariance = Matrix::from_fn(columns.len(), columns.len(), |k, l| {
            let (k, l) = (k.max(l), k.min(l));
            dot(columns[k], spread.col(l))
        });
        Together { spread, mean, covariance }
    }

    /// Multiplies by the site $\exp(r^\top u-\tfrac12u^\top\Lambda u)$ on projections with the covariance $S$ and $H=\Sigma P$: $\mu\mathrel{+}=H(I+\Lambda
    /// S)^{-1}(r-\Lambda m)$, $\Sigma\mathrel{-}=H(I+\Lambda S)^{-1}\Lambda H^\top$. Returns the log of the integral.
    ///
    /// `None`, and nothing is changed, if the covariance would no longer be one.
    pub(super) fn absorb_together(
        &mut self,
        at: &Together,
        precision: &Matrix,
        shift: &[f64],
    ) -> Option<f64> {
        let Together { spread, mean, covariance } = at;
        let n = mean.len();
        let pulled = precision.times(mean);
        let mut system = product(precision, covariance);
        system.add_diagonal(1.0);
        let right = |i: usize, j: usize| if j < n { precision[(i, j)] } else { shift[i] - pulled[i] };
        let mut solved = Matrix::from_fn(n, n + 1, right);
        let determinant = solve(system, &mut solved)?;
        let taken = Matrix::from_fn(n, n, |i, j| 0.5 * (solved[(i, j)] + solved[(j, i)]));
        if !(determinant > 0.0 && at.is_left_by(&taken)) {
            return None;
        }
        let error: Vec<f64> = (0..n).map(|i| shift[i] - pulled[i]).collect();
        let pull = solved.col(n);
        let log_integral = -0.5 * determinant.ln() + dot(shift, mean) - 0.5 * dot(mean, &pulled)
            + 0.5 * dot(&error, &covariance.times(pull));
        let narrower = product(spread, &taken);
        for (k, &pull) in pull.iter().enumerate() {
            axpy(pull, spread.col(k), &mut self.mean);
        }
        for j in 0..self.len() {
            for k in 0..n {
                axpy(-spread[(j, k)], &narrower.col(k)[j..], &mut self.covariance.col_mut(j)[j..]);
            }
        }
        mirror_lower(&mut self.covariance);
        Some(log_integral)
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
