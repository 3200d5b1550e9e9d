//! What a streaming model believes, as the engine's posterior: for acquisition functions, figures, files.

use std::sync::Arc;

use super::model::StreamingModel;
use super::rebase::inverse;
use crate::Error;
use crate::evidence::{Evidence, Problem};
use crate::inference::observations::Observations;
use crate::inference::prior::{Absorbed, Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::{Method, Outcome, Status};
use crate::likelihood::{Lapses, Responses};
use crate::points::Points;
use crate::posterior::Posterior;
use rather_numerics::linalg::{Matrix, cholesky, product, solve_lower_transposed};

/// A streaming model, and its belief of the moment as a [`Posterior`].
///
/// Means and covariances are the same. Probabilities of choices are the model's own where it knows of lapses what the Gaussian does not.
#[derive(Debug, Clone)]
pub struct StreamedPosterior {
    model: StreamingModel,
    gaussian: Posterior,
}

impl StreamedPosterior {
    /// The belief of `model` as it is now.
    ///
    /// # Errors
    /// As [`StreamingModel::posterior`].
    pub fn new(model: StreamingModel) -> Result<Self, Error> {
        Ok(Self { gaussian: model.posterior()?, model })
    }

    /// The model.
    pub fn model(&self) -> &StreamingModel {
        &self.model
    }

    /// The Gaussian with the same means and covariances.
    pub fn gaussian(&self) -> &Posterior {
        &self.gaussian
    }

    /// The probability that the left item of each pair is preferred.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self.model.responses.is_plain() {
            true => self.model.probabilities(points, pairs),
            false => self.gaussian.probabilities(points, pairs),
        }
    }

    /// As [`Posterior::shown_probabilities`].
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self.model.responses.is_plain() {
            true => self.model.probabilities(points, pairs),
            false => self.gaussian.shown_probabilities(points, pairs),
        }
    }
}

impl StreamingModel {
    /// The belief of the moment as the engine's [`Posterior`], whose nodes are the basis points: everything that asks a
    /// posterior for means and covariances (acquisition functions, figures, rankings) takes a streaming model so. It has no
    /// observations of its own: what was answered is in the Gaussian.
    ///
    /// # Formula
    /// The engine has the features $\varphi'=T^{-\top}k$ with $K_b=T^\top T$ in the order of its pivots, the model
    /// $\varphi=L^{-1}k$ with $K_b=LL^\top$. So $\varphi'=Q\varphi$ with the orthogonal $Q=T^{-\top}L$ (rows in the order of the pivots),
    /// and the belief about the engine's weights is $\mathcal N(Q\mu,Q\Sigma Q^\top)$.
    ///
    /// # Errors
    /// [`Error::Covariance`] if the basis' covariance is singular to working precision (without jitter);
    /// [`Error::Inference`] if the belief's is.
    ///
    /// # Examples
    /// ```
    /// use rather::kernel::{Schema, parse};
    /// use rather::points::Points;
    /// use rather::streaming::{Settings, StreamingModel};
    ///
    /// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
    /// let mut model = StreamingModel::new(kernel, Points::from_rows(&[[0.0], [1.0]]), Settings::default())?;
    /// let items = Points::from_rows(&[[0.2], [0.7]]);
    /// model.answer(&items, 0, 1)?;
    /// let posterior = model.posterior()?;
    /// let (a, b) = (posterior.utilities(&items).mean[0], model.utilities(&items).mean[0]);
    /// assert!((a - b).abs() < 1e-12);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn posterior(&self) -> Result<Posterior, Error> {
        let observations = Observations { responses: self.all_responses(), ..Observations::new(&[]) };
        let problem = Problem {
            points: self.basis.points(),
            observations: &observations,
            method: Method::Ep,
            space: Some(Space::Items),
            inducing: None,
        };
        let prior = Prior::new(self.basis.covariance(), &[], Space::Items).ok_or(Error::Covariance)?;
        if prior.rank() < self.basis.len() {
            return Err(Error::Covariance);
        }
        let outcome = Outcome {
            log_evidence: self.log_evidence(),
            d_values: vec![0.0; self.likelihoods.values()],
            status: Status::Converged,
            residual: 0.0,
            clipped: 0,
            trustworthy: true,
            sweeps: 0,
            sites: Sites::empty(0),
            posterior: self.absorbed(&prior).ok_or(Error::Inference)?,
            implicit: None,
            d_rest: Vec::new(),
        };
        let (kernel, values) = (self.kernel().clone(), self.values.clone());
        Ok(Posterior::new(&problem, kernel, values, Evidence { prior, outcome }))
    }

    /// The responses, with the lapses of plain answers, which are in the settings.
    fn all_responses(&self) -> Arc<Responses> {
        let mut responses = Arc::clone(&self.responses);
        if self.settings.lapse > 0.0 && responses.is_plain() {
            Arc::make_mut(&mut responses).response_model.lapses = Lapses::Rate(self.settings.lapse);
        }
        responses
    }

    /// The belief about the engine's weights: their mean, and a factor of their precision.
    fn absorbed(&self, prior: &Prior) -> Option<Absorbed> {
        let n = self.basis.len();
        let l = self.basis.factor();
        let mut turn = Matrix::from_fn(n, n, |i, j| l[(prior.order[i], j)]);
        solve_lower_transposed(&prior.features, &mut turn);
        let transposed = |m: &Matrix| Matrix::from_fn(m.cols(), m.rows(), |i, j| m[(j, i)]);
        let covariance = product(&product(&turn, &self.belief.covariance), &transposed(&turn));
        let symmetric = Matrix::from_fn(n, n, |i, j| 0.5 * (covariance[(i, j)] + covariance[(j, i)]));
        let (mut factor, log_det) = inverse(&symmetric)?;
        if !cholesky(&mut factor) {
            return None;
        }
        for j in 0..n {
            factor.col_mut(j)[..j].fill(0.0);
        }
        let weights = turn.times(&self.belief.mean);
        let mut half = prior.features.clone();
        rather_numerics::linalg::solve_lower(&factor, &mut half);
        let finite = weights.iter().chain(factor.data()).all(|x| x.is_finite());
        finite.then_some(Absorbed {
            factor,
            half,
            weights,
            mean: Vec::new(),
            variance: Vec::new(),
            log_det: -log_det,
            ..Absorbed::default()
        })
    }
}
