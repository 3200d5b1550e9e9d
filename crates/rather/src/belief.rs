//! What a model believes about utilities: a Gaussian approximation of the posterior, or the exact one.

use crate::Error;
use crate::exact::ExactPosterior;
use crate::linalg::Matrix;
use crate::points::Points;
use crate::posterior::{Moments, Posterior};
use crate::streaming::StreamedPosterior;

/// The posterior of a model, with the same questions whichever way it was found.
///
/// Means and covariances of the exact posterior are those of a Gaussian, too ([`ExactPosterior::gaussian`]); only the
/// probabilities of choices tell the two apart.
#[derive(Debug, Clone)]
pub enum Belief {
    /// By expectation propagation or Laplace.
    Gaussian(Box<Posterior>),
    /// By sampling.
    Exact(Box<ExactPosterior>),
    /// By one pass over the answers.
    Streaming(Box<StreamedPosterior>),
}

impl Belief {
    /// The Gaussian with the posterior's means and covariances.
    pub fn gaussian(&self) -> &Posterior {
        match self {
            Self::Gaussian(posterior) => posterior,
            Self::Exact(posterior) => posterior.gaussian(),
            Self::Streaming(posterior) => posterior.gaussian(),
        }
    }

    /// The exact posterior, if this is one.
    pub fn exact(&self) -> Option<&ExactPosterior> {
        match self {
            Self::Gaussian(_) | Self::Streaming(_) => None,
            Self::Exact(posterior) => Some(posterior),
        }
    }

    /// The streaming posterior, if this is one.
    pub fn streaming(&self) -> Option<&StreamedPosterior> {
        match self {
            Self::Gaussian(_) | Self::Exact(_) => None,
            Self::Streaming(posterior) => Some(posterior),
        }
    }

    /// As [`Posterior::utilities`].
    pub fn utilities(&self, points: &Points) -> Moments {
        self.gaussian().utilities(points)
    }

    /// As [`Posterior::relative_utilities`].
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        self.gaussian().relative_utilities(points, reference)
    }

    /// As [`Posterior::covariance`].
    pub fn covariance(&self, points: &Points) -> Matrix {
        self.gaussian().covariance(points)
    }

    /// As [`Posterior::differences`].
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        self.gaussian().differences(points, pairs)
    }

    /// As [`Posterior::difference_covariance`].
    pub fn difference_covariance(&self, points: &Points, pairs: &[(usize, usize)]) -> Matrix {
        self.gaussian().difference_covariance(points, pairs)
    }

    /// The probability that the left item of each pair is preferred.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self {
            Self::Gaussian(posterior) => posterior.probabilities(points, pairs),
            Self::Exact(posterior) => posterior.probabilities(points, pairs),
            Self::Streaming(posterior) => posterior.probabilities(points, pairs),
        }
    }

    /// As [`Posterior::sharp_probabilities`]; the exact posterior has nothing sharper than its probabilities, and a streaming
    /// model no longer has all its answers.
    ///
    /// # Errors
    /// As [`Posterior::sharp_probabilities`].
    pub fn sharp_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Result<Vec<f64>, Error> {
        match self {
            Self::Gaussian(posterior) => posterior.sharp_probabilities(points, pairs),
            Self::Exact(posterior) => Ok(posterior.probabilities(points, pairs)),
            Self::Streaming(posterior) => Ok(posterior.probabilities(points, pairs)),
        }
    }
}
