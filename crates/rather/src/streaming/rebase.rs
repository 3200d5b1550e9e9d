//! The same answers on another basis: with other hyperparameters, with a point more, with a point less.

use std::sync::Arc;

use super::basis::Basis;
use super::belief::Belief;
use super::model::StreamingModel;
use rather_numerics::linalg::{
    Matrix, cholesky, inverse_from_cholesky, mirror_lower, product, solve_lower, transpose_product,
};

/// What the answers no longer kept said about the whitened values $w$: $\exp(\xi^\top w-\tfrac12w^\top\Upsilon w)$.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) shift: Vec<f64>,
    pub(super) precision: Matrix,
}

impl Said {
    /// The same, as much as it counts.
    pub(super) fn times(mut self, weight: f64) -> Self {
        self.shift.iter_mut().chain(self.precision.data_mut()).for_each(|x| *x *= weight);
        self
    }
}

/// The inverse of a symmetric positive definite matrix, and the log of its determinant.
pub(super) fn inverse(a: &Matrix) -> Option<(Matrix, f64)> {
    let mut factor = a.clone();
    if !cholesky(&mut factor) {
        return None;
    }
    let log_det = 2.0 * (0..a.rows()).map(|i| factor[(i, i)].ln()).sum::<f64>();
    let mut out = inverse_from_cholesky(&factor);
    mirror_lower(&mut out);
    Some((out, log_det))
}

impl StreamingModel {
    /// Where nothing is kept, the base is what is believed now.
    pub(super) fn settle_base(&mut self) {
        if self.answers.len() == 0 {
            self.base.clone_from(&self.belief);
        }
    }

    /// The base without its prior; `None` if no answer is in it.
    pub(super) fn said_before(&self) -> Option<Said> {
        if self.forgotten == 0 {
            return None;
        }
        let (mut precision, _) = inverse(&self.base.covariance)?;
        let shift = precision.times(&self.base.mean);
        precision.add_diagonal(-1.0);
        Some(Said { shift, precision })
    }

    /// The base from what was said and the prior, with the log of the integral of their product.
    fn base_from(said: &Said) -> Option<(Belief, f64)> {
        let mut precision = said.precision.clone();
        precision.add_diagonal(1.0);
        let (covariance, log_det) = inverse(&precision)?;
        let mean = covariance.times(&said.shift);
        let quadratic: f64 = mean.iter().zip(&said.shift).map(|(m, s)| m * s).sum();
        Some((Belief { mean, covariance }, 0.5 * (quadratic - log_det)))
    }

    /// The model with another kernel on the same points, and the log integral of its base, as much as that counts now. What was said before about the
    /// basis values themselves stays as it is.
    pub(super) fn with_kernel_of(&self, basis: Basis, said: Option<&Said>) -> Option<(Self, f64)> {
        let (base, log_integral) = match said {
            None => (Belief::prior(basis.len()), 0.0),
            Some(said) => {
                // w = L^-1 g = L^-1 L' w'.
                let mut change = basis.factor().clone();
                solve_lower(self.basis.factor(), &mut change);
                let precision = transpose_product(&change, &product(&said.precision, &change));
                let said = Said { shift: change.transpose_times(&said.shift), precision };
                let (base, log_integral) = Self::base_from(&said)?;
                match self.weight_of_base() {
                    1.0 => (base, log_integral),
                    weight => (base, Self::base_from(&said.times(weight))?.1),
                }
            }
        };
        Some((self.on(basis, base)?, log_integral))
    }

    /// The model on another basis with the belief `base` before the answers kept; `None` if their sites do not fit there.
    pub(super) fn on(&self, basis: Basis, base: Belief) -> Option<Self> {
        let n = basis.len();
        let mut out = Self {
            basis,
            base,
            belief: Belief::prior(n),
            answers: self.answers.with_width(n),
            features: vec![0.0; n],
            scratch: vec![0.0; n],
            settings: self.settings.clone(),
            priors: self.priors.clone(),
            responses: Arc::clone(&self.responses),
            values: self.values.clone(),
            likelihoods: Arc::clone(&self.likelihoods),
            ..*self
        };
        out.project_kept()?;
        out.rebuild().then_some(out)
    }

    /// Computes the features of the answers kept.
    pub(super) fn project_kept(&mut self) -> Option<()> {
        let mut features = std::mem::take(&mut self.features);
        let mut residuals = vec![0.0; self.answers.len()];
        for (n, left) in residuals.iter_mut().enumerate() {
            let ids = self.answers.get(n).ids;
            let [row, other] = self.answers.rows(n);
            let other = self.answers.get(n).kind.is_pair().then_some((ids[1], other));
            let residual = self.basis.project((ids[0], row), other, &mut features);
            if !residual.is_finite() {
                return None;
            }
            *left = residual;
            self.answers.features_mut(n).copy_from_slice(&features);
        }
        self.features = features;
        for of_answer in self.answers.each() {
            let n = of_answer.start;
            match self.answers.get(n).kind.set() {
                Some(_) => self.see_again(of_answer.clone(), &residuals[of_answer])?,
                None => self.answers.get_mut(n).residual = residuals[n],
            }
        }
        Some(())
    }
}
