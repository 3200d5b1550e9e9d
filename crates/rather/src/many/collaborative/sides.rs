//! The two factors of the product: a latent function over items, and its weights over users.

use crate::Error;
use crate::inference::observations::Edge;
use crate::inference::prior::{Prior, Space};
use crate::many::items::Items;
use crate::many::low_rank::{Absorbed, LowRank, divergence};
use rather_numerics::linalg::{Matrix, dot};

/// The prior of one latent function, seen through the pairs that were compared.
#[derive(Debug, Clone)]
pub(super) enum ItemSide {
    /// Over item utilities: `h = A f`, `f ~ N(0, K)`.
    Exact(Box<Prior>),
    /// FITC over pair values from inducing items.
    Inducing(LowRank),
}

impl ItemSide {
    pub(super) fn new(items: &Items, pairs: &[Edge]) -> Result<Self, Error> {
        if !items.is_inducing() {
            let k = items.kernel().matrix(items.points());
            return Ok(Self::Exact(Box::new(Prior::new(k, pairs, Space::Items).ok_or(Error::Covariance)?)));
        }
        let known = items.known();
        let mut features = Matrix::zeros(items.rank(), pairs.len());
        let mut rest = Vec::with_capacity(pairs.len());
        for (p, edge) in pairs.iter().enumerate() {
            features.col_mut(p).copy_from_slice(&items.projection(edge));
            rest.push(known.rest_of(edge));
        }
        Ok(Self::Inducing(LowRank { features, rest }))
    }

    /// The prior variance of each pair.
    pub(super) fn variances(&self) -> Vec<f64> {
        match self {
            Self::Inducing(low_rank) => low_rank.variances(),
            Self::Exact(prior) => prior
                .edges
                .iter()
                .map(|e| {
                    let projected = e.project(&prior.features);
                    dot(&projected, &projected)
                })
                .collect(),
        }
    }

    /// A draw of the pair values from features' weights `omega ~ N(0, I)`.
    pub(super) fn values(&self, omega: &[f64]) -> Vec<f64> {
        match self {
            Self::Inducing(low_rank) => low_rank.features.transpose_times(omega),
            Self::Exact(prior) => prior.project(&prior.features.transpose_times(omega)),
        }
    }

    pub(super) fn rank(&self) -> usize {
        match self {
            Self::Inducing(low_rank) => low_rank.rank(),
            Self::Exact(prior) => prior.rank(),
        }
    }

    fn absorb(&self, tau: &[f64], nu: &[f64]) -> Option<Absorbed> {
        match self {
            Self::Inducing(low_rank) => low_rank.absorb(tau, nu),
            Self::Exact(prior) => {
                let a = prior.absorb(tau, nu)?;
                let log_normaliser = 0.5 * dot(nu, &a.mean) - 0.5 * a.log_det;
                Some(Absorbed {
                    factor: a.factor,
                    weights: a.weights,
                    mean: a.mean,
                    variance: a.variance,
                    log_normaliser,
                })
            }
        }
    }
}

/// One side of one latent function: the sites that the answers give it through the other side, and what results.
#[derive(Debug, Clone, Default)]
pub(super) struct Half {
    /// Precisions of the sites, one a user or one a pair.
    pub(super) tau: Vec<f64>,
    /// Their shifts.
    pub(super) nu: Vec<f64>,
    /// The posterior.
    pub(super) posterior: Absorbed,
    /// `KL(q || prior)`.
    pub(super) divergence: f64,
}

impl Half {
    /// A guess at the means, with the prior's variances: where a run starts.
    pub(super) fn guess(mean: Vec<f64>, variance: Vec<f64>) -> Self {
        Self { posterior: Absorbed { mean, variance, ..Absorbed::default() }, ..Self::default() }
    }

    pub(super) fn of_users(prior: &LowRank, tau: Vec<f64>, nu: Vec<f64>) -> Option<Self> {
        let posterior = prior.absorb(&tau, &nu)?;
        Some(Self::new(tau, nu, posterior))
    }

    pub(super) fn of_items(prior: &ItemSide, tau: Vec<f64>, nu: Vec<f64>) -> Option<Self> {
        let posterior = prior.absorb(&tau, &nu)?;
        Some(Self::new(tau, nu, posterior))
    }

    fn new(tau: Vec<f64>, nu: Vec<f64>, posterior: Absorbed) -> Self {
        let Absorbed { mean, variance, log_normaliser, .. } = &posterior;
        let divergence = divergence(&tau, &nu, mean, variance, *log_normaliser);
        Self { tau, nu, posterior, divergence }
    }
}
