//! What a model believes about utilities: a Gaussian approximation of the posterior, or the exact one.

use crate::Error;
use crate::exact::ExactPosterior;
use crate::inference::prior::Space;
use crate::inference::sites::Sites;
use crate::likelihood::Preference;
use crate::linalg::Matrix;
use crate::points::Points;
use crate::posterior::{Joint, Mixture, Moments, Posterior, SparsePosterior};
use crate::streaming::StreamedPosterior;

/// The posterior of a model, with the same questions whichever way it was found.
///
/// Means and covariances of the exact posterior are those of a Gaussian, too ([`ExactPosterior::gaussian`]); only the
/// probabilities of choices tell the two apart.
#[derive(Debug, Clone)]
pub enum Belief {
    /// By expectation propagation or Laplace.
    Gaussian(Box<Posterior>),
    /// By expectation propagation or Laplace, averaged over kernels.
    Mixture(Box<Mixture>),
    /// By expectation propagation under a prior with a sparse precision.
    Sparse(Box<SparsePosterior>),
    /// By sampling.
    Exact(Box<ExactPosterior>),
    /// By one pass over the answers.
    Streaming(Box<StreamedPosterior>),
}

/// A Gaussian, as it is held.
enum Held<'a> {
    Whole(&'a Posterior),
    Mixture(&'a Mixture),
    Sparse(&'a SparsePosterior),
}

impl Belief {
    fn held(&self) -> Held<'_> {
        match self {
            Self::Gaussian(posterior) => Held::Whole(posterior),
            Self::Mixture(mixture) => Held::Mixture(mixture),
            Self::Sparse(posterior) => Held::Sparse(posterior),
            Self::Exact(posterior) => Held::Whole(posterior.gaussian()),
            Self::Streaming(posterior) => Held::Whole(posterior.gaussian()),
        }
    }

    /// The Gaussian with the posterior's means and covariances; of an average over kernels that of the best one.
    ///
    /// # Errors
    /// [`Error::SparseBelief`] for a sparse precision, which has variances and no covariance of all items.
    pub fn gaussian(&self) -> Result<&Posterior, Error> {
        match self.held() {
            Held::Whole(posterior) => Ok(posterior),
            Held::Mixture(mixture) => Ok(mixture.best()),
            Held::Sparse(_) => Err(Error::SparseBelief),
        }
    }

    /// Over what inference worked.
    pub fn space(&self) -> Space {
        match self.held() {
            Held::Whole(posterior) => posterior.prior().space,
            Held::Mixture(mixture) => mixture.best().prior().space,
            Held::Sparse(_) => Space::Items,
        }
    }

    /// The sites that the posterior follows from, of every kernel that is averaged over, the best first; a streaming posterior has none.
    pub(crate) fn sites(&self) -> Vec<&Sites> {
        match (self, self.held()) {
            (Self::Streaming(_), _) => Vec::new(),
            (_, Held::Whole(posterior)) => vec![&posterior.outcome().sites],
            (_, Held::Mixture(mixture)) => {
                mixture.components().iter().map(|(_, posterior)| &posterior.outcome().sites).collect()
            }
            (_, Held::Sparse(posterior)) => vec![&posterior.outcome().sites],
        }
    }

    /// The average over kernels, if this is one.
    pub fn mixture(&self) -> Option<&Mixture> {
        match self {
            Self::Mixture(mixture) => Some(mixture),
            Self::Gaussian(_) | Self::Sparse(_) | Self::Exact(_) | Self::Streaming(_) => None,
        }
    }

    /// The exact posterior, if this is one.
    pub fn exact(&self) -> Option<&ExactPosterior> {
        match self {
            Self::Exact(posterior) => Some(posterior),
            Self::Gaussian(_) | Self::Mixture(_) | Self::Sparse(_) | Self::Streaming(_) => None,
        }
    }

    /// The streaming posterior, if this is one.
    pub fn streaming(&self) -> Option<&StreamedPosterior> {
        match self {
            Self::Streaming(posterior) => Some(posterior),
            Self::Gaussian(_) | Self::Mixture(_) | Self::Sparse(_) | Self::Exact(_) => None,
        }
    }

    /// As [`Posterior::utilities`].
    pub fn utilities(&self, points: &Points) -> Moments {
        match self.held() {
            Held::Whole(posterior) => posterior.utilities(points),
            Held::Mixture(mixture) => mixture.moments(|posterior| posterior.utilities(points)),
            Held::Sparse(posterior) => posterior.utilities(points),
        }
    }

    /// As [`Posterior::relative_utilities`].
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        match self.held() {
            Held::Whole(posterior) => posterior.relative_utilities(points, reference),
            Held::Mixture(mixture) => {
                mixture.moments(|posterior| posterior.relative_utilities(points, reference))
            }
            Held::Sparse(posterior) => posterior.relative_utilities(points, reference),
        }
    }

    /// As [`Posterior::covariance`].
    ///
    /// # Errors
    /// As [`Belief::gaussian`].
    pub fn covariance(&self, points: &Points) -> Result<Matrix, Error> {
        match self {
            Self::Mixture(mixture) => Ok(mixture.joint(points).covariance),
            _ => Ok(self.gaussian()?.covariance(points)),
        }
    }

    /// The Gaussian over the utilities of `points` with the posterior's means and covariances.
    ///
    /// # Errors
    /// As [`Belief::gaussian`].
    pub fn joint(&self, points: &Points) -> Result<Joint, Error> {
        match self {
            Self::Mixture(mixture) => Ok(mixture.joint(points)),
            _ => Ok(self.gaussian()?.joint(points)),
        }
    }

    /// As [`Posterior::differences`].
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        match self.held() {
            Held::Whole(posterior) => posterior.differences(points, pairs),
            Held::Mixture(mixture) => mixture.moments(|posterior| posterior.differences(points, pairs)),
            Held::Sparse(posterior) => posterior.differences(points, pairs),
        }
    }

    /// As [`Posterior::difference_covariance`].
    ///
    /// # Errors
    /// As [`Belief::gaussian`].
    pub fn difference_covariance(&self, points: &Points, pairs: &[(usize, usize)]) -> Result<Matrix, Error> {
        match self {
            Self::Mixture(mixture) => Ok(mixture.difference_covariance(points, pairs)),
            _ => Ok(self.gaussian()?.difference_covariance(points, pairs)),
        }
    }

    /// The probability that the left item of each pair is preferred.
    pub fn probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self {
            Self::Gaussian(posterior) => posterior.probabilities(points, pairs),
            Self::Mixture(mixture) => mixture.average(|posterior| posterior.probabilities(points, pairs)),
            Self::Sparse(posterior) => posterior.probabilities(points, pairs),
            Self::Exact(posterior) => posterior.probabilities(points, pairs),
            Self::Streaming(posterior) => posterior.probabilities(points, pairs),
        }
    }

    /// As [`Posterior::shown_probabilities`]; sparse precisions and streaming inference know no sides.
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self {
            Self::Gaussian(posterior) => posterior.shown_probabilities(points, pairs),
            Self::Mixture(mixture) => {
                mixture.average(|posterior| posterior.shown_probabilities(points, pairs))
            }
            Self::Exact(posterior) => posterior.shown_probabilities(points, pairs),
            Self::Sparse(_) | Self::Streaming(_) => self.probabilities(points, pairs),
        }
    }

    /// As [`Posterior::sharp_shown_probabilities`], where [`Belief::shown_probabilities`] knows sides.
    ///
    /// # Errors
    /// As [`Belief::sharp_probabilities`].
    pub fn sharp_shown_probabilities(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<f64>, Error> {
        match self {
            Self::Gaussian(posterior) => posterior.sharp_shown_probabilities(points, pairs),
            Self::Mixture(mixture) => {
                mixture.try_average(|posterior| posterior.sharp_shown_probabilities(points, pairs))
            }
            Self::Exact(posterior) => Ok(posterior.shown_probabilities(points, pairs)),
            Self::Sparse(_) | Self::Streaming(_) => self.sharp_probabilities(points, pairs),
        }
    }

    /// As [`Posterior::sharp_probabilities`]; the exact posterior has nothing sharper than its probabilities, and a streaming
    /// model no longer has all its answers.
    ///
    /// # Errors
    /// As [`Posterior::sharp_probabilities`], and as [`Belief::gaussian`].
    pub fn sharp_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Result<Vec<f64>, Error> {
        match self {
            Self::Gaussian(posterior) => posterior.sharp_probabilities(points, pairs),
            Self::Mixture(mixture) => {
                mixture.try_average(|posterior| posterior.sharp_probabilities(points, pairs))
            }
            Self::Sparse(_) => Err(Error::SparseBelief),
            Self::Exact(posterior) => Ok(posterior.probabilities(points, pairs)),
            Self::Streaming(posterior) => Ok(posterior.probabilities(points, pairs)),
        }
    }

    /// As [`Posterior::outcomes`]; empty where only who is preferred can be said.
    pub fn outcomes(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<Vec<(Preference, f64)>> {
        let of = |posterior: &Posterior| posterior.outcomes(points, pairs);
        if let Self::Exact(posterior) = self {
            return posterior.outcomes(points, pairs);
        }
        match self.held() {
            Held::Whole(posterior) => of(posterior),
            Held::Mixture(mixture) => mixture.outcomes(|posterior| Ok(of(posterior))).unwrap_or_default(),
            Held::Sparse(_) => vec![Vec::new(); pairs.len()],
        }
    }

    /// As [`Posterior::sharp_outcomes`]; empty where only who is preferred can be said.
    ///
    /// # Errors
    /// As [`Posterior::sharp_outcomes`].
    pub fn sharp_outcomes(
        &self,
        points: &Points,
        pairs: &[(usize, usize)],
    ) -> Result<Vec<Vec<(Preference, f64)>>, Error> {
        if let Self::Exact(posterior) = self {
            return Ok(posterior.outcomes(points, pairs));
        }
        match self.held() {
            Held::Whole(posterior) => posterior.sharp_outcomes(points, pairs),
            Held::Mixture(mixture) => mixture.outcomes(|posterior| posterior.sharp_outcomes(points, pairs)),
            Held::Sparse(_) => Ok(vec![Vec::new(); pairs.len()]),
        }
    }

    /// As [`Posterior::ratings`]; empty without ratings.
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        if let Self::Exact(posterior) = self {
            return posterior.ratings(points);
        }
        match self.held() {
            Held::Whole(posterior) => posterior.ratings(points),
            Held::Mixture(mixture) => {
                let levels = mixture.best().ratings(points).first().map_or(0, Vec::len);
                let all = mixture.average(|posterior| posterior.ratings(points).concat());
                let rows = (0..points.len()).map(|i| all[i * levels..(i + 1) * levels].to_vec());
                rows.collect()
            }
            Held::Sparse(_) => vec![Vec::new(); points.len()],
        }
    }
}
