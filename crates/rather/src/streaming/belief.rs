//! What is believed about the whitened basis values: a Gaussian, and how one site changes it.

use serde::{Deserialize, Serialize};

use rather_numerics::linalg::{Matrix, axpy, dot};

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

    /// The log of the integral of the belief times a site on $u$.
    pub(super) fn log_integral(along: Along, tau: f64, nu: f64) -> f64 {
        let Along { mean: m, variance: v } = along;
        let widening = 1.0 + tau * v;
        -0.5 * widening.ln() + (nu * m + 0.5 * nu * nu * v - 0.5 * tau * m * m) / widening
    }
}
