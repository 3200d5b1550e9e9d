//! A Gaussian prior with covariance `K = V'V + diag(delta)`, and how it absorbs one site a node.
//!
//! One form for four priors: FITC (`V = L_m^-1 K_mn`, `delta = diag(K - V'V)`), users that share a population mean
//! (`K = I + c 1 1'`: one row `sqrt(c)`), independent users (no row), and an exact covariance (`delta = 0`).

use rather_numerics::linalg::{
    Matrix, cholesky, dot, identity_plus_symmetric_product, solve_lower, solve_lower_transposed_vec,
    solve_lower_vec,
};

/// `K = V'V + diag(delta)` over `n` nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct LowRank {
    /// `V`, `m x n`: the features of the nodes.
    pub features: Matrix,
    /// `delta`: what the features leave of each node's variance, at least 0.
    pub rest: Vec<f64>,
}

/// A [`LowRank`] prior after absorbing sites.
#[derive(Debug, Clone, Default)]
pub struct Absorbed {
    /// `L_B`, the Cholesky factor of `B = I + V diag(tau / (1 + delta tau)) V'` (lower triangle).
    pub factor: Matrix,
    /// The mean of the features' weights, `B^-1 V diag(1 / (1 + delta tau)) nu`; their covariance is `B^-1`.
    pub weights: Vec<f64>,
    /// Mean of each node.
    pub mean: Vec<f64>,
    /// Variance of each node.
    pub variance: Vec<f64>,
    /// The log of the integral of prior times sites `exp(nu x - tau x^2 / 2)`.
    pub log_normaliser: f64,
}

impl LowRank {
    /// `m`, the number of features.
    pub fn rank(&self) -> usize {
        self.features.rows()
    }

    /// The prior variance of each node.
    pub fn variances(&self) -> Vec<f64> {
        let own = |(i, rest): (usize, &f64)| dot(self.features.col(i), self.features.col(i)) + rest;
        self.rest.iter().enumerate().map(own).collect()
    }

    /// The posterior under sites with precisions `tau >= 0` and shifts `nu`, in `O(n m^2)`.
    ///
    /// # Formula
    /// With $s=1/(1+\delta\tau)$, $W=V \mathrm{diag}(s)$, $B=I+W\mathrm{diag}(\tau)V^\top=L_BL_B^\top$, $R=L_B^{-1}W$
    /// and $q=L_B^{-1}W\nu$:
    /// $$ v=\delta s+\mathrm{colsum}(R^2),\qquad m=\delta s\nu+R^\top q,\qquad
    ///    \log\hat Z=-\tfrac12\log|B|+\tfrac12\textstyle\sum\log s+\tfrac12\nu^\top m . $$
    /// Houlsby et al. (2012), supplement, equations 53 to 60, freed of rotated Cholesky factors and corrected: (56)
    /// misplaces a transpose, (57) and (58) take the sites' means for their shifts.
    ///
    /// `None` if `tau` holds something negative or not a number.
    pub fn absorb(&self, tau: &[f64], nu: &[f64]) -> Option<Absorbed> {
        if tau.iter().any(|&t| t.is_nan() || t < 0.0) {
            return None;
        }
        let (m, n) = (self.rank(), self.rest.len());
        let shrink: Vec<f64> = self.rest.iter().zip(tau).map(|(d, t)| 1.0 / (1.0 + d * t)).collect();
        let mut variance: Vec<f64> = self.rest.iter().zip(&shrink).map(|(d, s)| d * s).collect();
        let mut mean: Vec<f64> = variance.iter().zip(nu).map(|(ds, nu)| ds * nu).collect();
        let mut log_normaliser = 0.5 * shrink.iter().map(|s| s.ln()).sum::<f64>();
        let (mut factor, mut weights) = (Matrix::zeros(m, m), Vec::new());
        if m > 0 {
            let mut scaled = self.features.clone();
            for i in 0..n {
                scaled.col_mut(i).iter_mut().for_each(|x| *x *= shrink[i] * tau[i]);
            }
            identity_plus_symmetric_product(&self.features, &scaled, 0, &mut factor);
            if !cholesky(&mut factor) {
                return None;
            }
            let shrunk_nu: Vec<f64> = shrink.iter().zip(nu).map(|(s, nu)| s * nu).collect();
            weights = self.features.times(&shrunk_nu);
            solve_lower_vec(&factor, &mut weights);
            solve_lower_transposed_vec(&factor, &mut weights);
            scaled.data_mut().copy_from_slice(self.features.data());
            solve_lower(&factor, &mut scaled);
            for i in 0..n {
                variance[i] += shrink[i] * shrink[i] * dot(scaled.col(i), scaled.col(i));
                mean[i] += shrink[i] * dot(self.features.col(i), &weights);
            }
            log_normaliser -= (0..m).map(|k| factor[(k, k)].ln()).sum::<f64>();
        }
        log_normaliser += 0.5 * dot(nu, &mean);
        log_normaliser.is_finite().then_some(Absorbed { factor, weights, mean, variance, log_normaliser })
    }
}

impl Absorbed {
    /// Mean and variance of a node that has no site, from its features `v` and its prior variance `k`:
    /// `m = v' E w`, `k - |v|^2 + |L_B^-1 v|^2`.
    pub fn elsewhere(&self, v: &[f64], k: f64) -> (f64, f64) {
        let mut shrunk = v.to_vec();
        solve_lower_vec(&self.factor, &mut shrunk);
        (dot(v, &self.weights), (k - dot(v, v)).max(0.0) + dot(&shrunk, &shrunk))
    }
}

/// `KL(q || prior)` of the Gaussian `q` that results from absorbing sites:
/// `sum (-tau (m^2 + v) / 2 + nu m) - log Z`.
pub fn divergence(tau: &[f64], nu: &[f64], mean: &[f64], variance: &[f64], log_normaliser: f64) -> f64 {
    let sites: f64 =
        (0..tau.len()).map(|i| nu[i] * mean[i] - 0.5 * tau[i] * (mean[i] * mean[i] + variance[i])).sum();
    sites - log_normaliser
}
