//! One Gaussian prior for everyone, and each user's posterior under it by EP.
//!
//! The prior is over the weights of the items' features, `omega ~ N(mean, C)`. A user's answers touch few items, so EP runs
//! over those alone, with the prior that `omega` implies there; its sites then give the posterior over all of `omega`:
//! with `C = R'R`, `p_e = R (phi_i - phi_j)`, `B = I + sum tau p p'`: `E omega = mean + R' B^-1 sum p (nu - tau g)`,
//! `Cov omega = R' B^-1 R`.

use crate::Error;
use crate::inference::observations::{Edge, Observations};
use crate::inference::prior::{Prior, Space};
use crate::inference::sites::Sites;
use crate::inference::{Settings, Status, ep};
use crate::likelihood::Likelihoods;
use rather_numerics::linalg::{
    Matrix, TriangularFeatures, axpy, cholesky, solve_lower, solve_lower_vec, transpose_product,
};

use super::items::Items;
use super::user_posterior::UserPosterior;

/// A Gaussian over the weights of the items' features.
#[derive(Debug, Clone)]
pub(super) struct CommonPrior {
    /// Its mean.
    pub(super) mean: Vec<f64>,
    /// `R` with covariance `R'R`.
    root: Matrix,
    /// `R Phi`: the items in the space where the prior is standard normal.
    features: Matrix,
    /// The prior means of the items' utilities.
    utilities: Vec<f64>,
}

/// What EP found for one user.
#[derive(Debug, Clone)]
pub(super) struct Answered {
    observations: Observations,
    sites: Sites,
    /// Log evidence of this user's answers.
    pub(super) log_evidence: f64,
    pub(super) status: Status,
    pub(super) residual: f64,
    pub(super) sweeps: usize,
}

impl CommonPrior {
    /// The kernel's own prior: `omega ~ N(0, I)`.
    pub(super) fn of_kernel(items: &Items) -> Self {
        let r = items.rank();
        let root = Matrix::from_fn(r, r, |i, j| if i == j { 1.0 } else { 0.0 });
        Self {
            mean: vec![0.0; r],
            root,
            features: items.features().clone(),
            utilities: vec![0.0; items.len()],
        }
    }

    /// # Errors
    /// [`Error::Inference`] if `covariance` is not one.
    pub(super) fn new(items: &Items, mean: Vec<f64>, covariance: Matrix) -> Result<Self, Error> {
        let root = TriangularFeatures::new(covariance).ok_or(Error::Inference)?.in_order();
        let transposed = Matrix::from_fn(root.cols(), root.rows(), |i, j| root[(j, i)]);
        let features = transpose_product(&transposed, items.features());
        let utilities = items.features().transpose_times(&mean);
        Ok(Self { mean, root, features, utilities })
    }

    /// The prior itself, as what is believed about someone unknown.
    pub(super) fn as_posterior(&self) -> UserPosterior {
        UserPosterior {
            mean: self.mean.clone(),
            covariance: transpose_product(&self.root, &self.root),
            scale: 1.0,
        }
    }

    /// EP over one user's answers, from earlier sites if there are any.
    ///
    /// # Errors
    /// [`Error::Inference`] if the numbers break down.
    pub(super) fn infer(
        &self,
        observations: Observations,
        likelihoods: &Likelihoods,
        start: Option<&Answered>,
        settings: &Settings,
    ) -> Result<Answered, Error> {
        let space = Space::cheaper(observations.items.len(), observations.edges.len());
        let prior = self.local(&observations, space)?;
        let sites = start.map_or_else(|| Sites::empty(observations.merged.len()), |s| s.sites.clone());
        let outcome =
            ep::run(&prior, &observations.merged, likelihoods, sites, settings).ok_or(Error::Inference)?;
        Ok(Answered {
            observations,
            sites: outcome.sites,
            log_evidence: outcome.log_evidence,
            status: outcome.status,
            residual: outcome.residual,
            sweeps: outcome.sweeps,
        })
    }

    /// The prior of the projections that these answers are about.
    ///
    /// # Errors
    /// [`Error::Inference`] if the numbers break down.
    pub(super) fn local(&self, observations: &Observations, space: Space) -> Result<Prior, Error> {
        let Observations { items, edges, .. } = observations;
        let local = Matrix::from_fn(self.features.rows(), items.len(), |k, i| self.features[(k, items[i])]);
        let prior = Prior::new(transpose_product(&local, &local), edges, space).ok_or(Error::Inference)?;
        let utility = |i: usize| self.utilities[items[i]];
        let mean = |e: &Edge| utility(e.plus()) - e.minus().map_or(0.0, utility);
        Ok(prior.with_means(edges.iter().map(mean).collect()))
    }

    /// The prior means of the utilities of some items.
    pub(super) fn means(&self, items: &[usize]) -> Vec<f64> {
        items.iter().map(|&item| self.utilities[item]).collect()
    }

    /// A user's posterior over all features, from the sites that EP found.
    ///
    /// # Errors
    /// [`Error::Inference`] if the numbers break down.
    pub(super) fn posterior(&self, answered: &Answered) -> Result<UserPosterior, Error> {
        let rank = self.root.rows();
        let Observations { items, edges, merged, .. } = &answered.observations;
        let (tau, nu) = answered.sites.by_edge(merged, edges.len());
        let mut b = Matrix::zeros(rank, rank);
        let mut shift = vec![0.0; rank];
        for (e, edge) in edges.iter().enumerate() {
            let edge = Edge::new(items[edge.plus()], edge.minus().map(|minus| items[minus]));
            let p = edge.project(&self.features);
            for (j, &pj) in p.iter().enumerate() {
                axpy(tau[e] * pj, &p, b.col_mut(j));
            }
            let prior_mean =
                self.utilities[edge.plus()] - edge.minus().map_or(0.0, |minus| self.utilities[minus]);
            axpy(nu[e] - tau[e] * prior_mean, &p, &mut shift);
        }
        b.add_diagonal(1.0);
        if !cholesky(&mut b) {
            return Err(Error::Inference);
        }
        let mut half = self.root.clone();
        solve_lower(&b, &mut half);
        solve_lower_vec(&b, &mut shift);
        let mut mean = half.transpose_times(&shift);
        axpy(1.0, &self.mean, &mut mean);
        Ok(UserPosterior { mean, covariance: transpose_product(&half, &half), scale: 1.0 })
    }
}

/// What a file needs to hold.
impl CommonPrior {
    /// `R`, with covariance `R'R`.
    pub(super) fn root(&self) -> &Matrix {
        &self.root
    }

    /// The prior with this mean and this root; `None` if they are not of the items' features.
    pub(super) fn restore(items: &Items, mean: Vec<f64>, root: Matrix) -> Option<Self> {
        if mean.len() != items.rank() || root.cols() != items.rank() {
            return None;
        }
        let transposed = Matrix::from_fn(root.cols(), root.rows(), |i, j| root[(j, i)]);
        let features = transpose_product(&transposed, items.features());
        let utilities = items.features().transpose_times(&mean);
        Some(Self { mean, root, features, utilities })
    }
}

impl Answered {
    /// The sites, one a merged answer.
    pub(super) fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The answers.
    pub(super) fn observations(&self) -> &Observations {
        &self.observations
    }

    /// Sites that were found earlier, for [`CommonPrior::infer`] to start from.
    pub(super) fn of_sites(sites: Sites) -> Self {
        let observations = Observations::new(&[]);
        Self { observations, sites, log_evidence: 0.0, status: Status::Converged, residual: 0.0, sweeps: 0 }
    }
}

/// What is believed about someone of whom `before` was believed, after answers about `items`: expectation propagation under that
/// prior.
///
/// # Errors
/// [`Error::Inference`] if the numbers break down.
pub(crate) fn fold(
    items: &Items,
    noise: f64,
    before: UserPosterior,
    answers: Observations,
) -> Result<UserPosterior, Error> {
    let UserPosterior { mean, covariance, scale } = before;
    let prior = CommonPrior::new(items, mean, covariance)?;
    let answered = prior.infer(answers, &Likelihoods::new(noise), None, &Settings::default())?;
    Ok(UserPosterior { scale, ..prior.posterior(&answered)? })
}
