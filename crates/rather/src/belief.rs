//! What a model believes about utilities: a Gaussian approximation of the posterior, or the exact one.

use crate::Error;
use crate::exact::ExactPosterior;
use crate::inference::prior::Space;
use crate::inference::sites::Sites;
use crate::likelihood::{Likelihoods, Preference};
use crate::points::Points;
use crate::posterior::{Joint, MOST_DRAWN, Mixture, Moments, Posterior, SparsePosterior, mixed};
use crate::streaming::StreamedPosterior;
use rand_chacha::ChaCha8Rng;
use rather_numerics::linalg::Matrix;

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
enum Form<'a> {
    Full(&'a Posterior),
    Mixture(&'a Mixture),
    Sparse(&'a SparsePosterior),
}

impl From<Posterior> for Belief {
    fn from(posterior: Posterior) -> Self {
        Self::Gaussian(Box::new(posterior))
    }
}

impl Belief {
    /// The average of posteriors by their weights, the best first; the posterior itself if there is one.
    pub(crate) fn average(mut components: Vec<(f64, Posterior)>) -> Self {
        match (components.len(), components.pop()) {
            (1, Some((_, alone))) => alone.into(),
            (_, last) => {
                components.extend(last);
                Self::Mixture(Box::new(Mixture::new(components)))
            }
        }
    }

    fn form(&self) -> Form<'_> {
        match self {
            Self::Gaussian(posterior) => Form::Full(posterior),
            Self::Mixture(mixture) => Form::Mixture(mixture),
            Self::Sparse(posterior) => Form::Sparse(posterior),
            Self::Exact(posterior) => Form::Full(posterior.gaussian()),
            Self::Streaming(posterior) => Form::Full(posterior.gaussian()),
        }
    }

    /// The Gaussian with the posterior's means and covariances; of an average over kernels that of the best one.
    ///
    /// # Errors
    /// [`Unsupported::SparseCovariance`](crate::Unsupported::SparseCovariance) for a sparse precision, which has variances and no covariance of all items.
    pub fn gaussian(&self) -> Result<&Posterior, Error> {
        match self.form() {
            Form::Full(posterior) => Ok(posterior),
            Form::Mixture(mixture) => Ok(mixture.best()),
            Form::Sparse(_) => Err(crate::Unsupported::SparseCovariance.into()),
        }
    }

    /// The posterior with a sparse precision, if it is one.
    pub(crate) fn sparse(&self) -> Option<&SparsePosterior> {
        if let Form::Sparse(posterior) = self.form() { Some(posterior) } else { None }
    }

    /// The Gaussians that it is an average of, with their weights, the best first: one, of most.
    ///
    /// # Errors
    /// As [`Belief::gaussian`].
    #[doc(hidden)]
    pub fn components(&self) -> Result<Vec<(f64, &Posterior)>, Error> {
        Ok(match self.mixture() {
            Some(mixture) => mixture.components().iter().map(|(weight, p)| (*weight, p)).collect(),
            None => vec![(1.0, self.gaussian()?)],
        })
    }

    /// Over what inference worked.
    pub fn space(&self) -> Space {
        match self.form() {
            Form::Full(posterior) => posterior.prior().space,
            Form::Mixture(mixture) => mixture.best().prior().space,
            Form::Sparse(_) => Space::Items,
        }
    }

    /// The sites that the posterior follows from, of every kernel that is averaged over, the best first; a streaming posterior has none.
    pub(crate) fn sites(&self) -> Vec<&Sites> {
        match (self, self.form()) {
            (Self::Streaming(_), _) => Vec::new(),
            (_, Form::Full(posterior)) => vec![&posterior.outcome().sites],
            (_, Form::Mixture(mixture)) => {
                mixture.components().iter().map(|(_, posterior)| &posterior.outcome().sites).collect()
            }
            (_, Form::Sparse(posterior)) => vec![&posterior.outcome().sites],
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
        match self.form() {
            Form::Full(posterior) => posterior.utilities(points),
            Form::Mixture(mixture) => mixture.moments(|posterior| posterior.utilities(points)),
            Form::Sparse(posterior) => posterior.utilities(points),
        }
    }

    /// As [`Posterior::relative_utilities`].
    pub fn relative_utilities(&self, points: &Points, reference: &Points) -> Moments {
        match self.form() {
            Form::Full(posterior) => posterior.relative_utilities(points, reference),
            Form::Mixture(mixture) => {
                mixture.moments(|posterior| posterior.relative_utilities(points, reference))
            }
            Form::Sparse(posterior) => posterior.relative_utilities(points, reference),
        }
    }

    /// As [`Posterior::relative_averages`].
    ///
    /// # Errors
    /// As [`Belief::gaussian`]; [`Error::Cancelled`].
    pub(crate) fn relative_averages(&self, groups: &[Points], reference: &Points) -> Result<Moments, Error> {
        let of = |(weight, posterior): (f64, &Posterior)| {
            Ok((weight, posterior.relative_averages(groups, reference)?))
        };
        let all = self.components()?.into_iter().map(of).collect::<Result<Vec<_>, Error>>()?;
        Ok(mixed(&all))
    }

    /// As [`Posterior::covariance`].
    ///
    /// # Errors
    /// [`Unsupported::SparseCovariance`](crate::Unsupported::SparseCovariance) for a sparse precision whose variances are by messages.
    pub fn covariance(&self, points: &Points) -> Result<Matrix, Error> {
        match self.form() {
            Form::Full(posterior) => Ok(posterior.covariance(points)),
            Form::Mixture(mixture) => Ok(mixture.joint(points).covariance),
            Form::Sparse(posterior) => {
                posterior.covariance(points).ok_or(crate::Unsupported::SparseCovariance.into())
            }
        }
    }

    /// The Gaussian over the utilities of `points` with the posterior's means and covariances.
    ///
    /// # Errors
    /// As [`Belief::covariance`].
    pub fn joint(&self, points: &Points) -> Result<Joint, Error> {
        match self.form() {
            Form::Full(posterior) => Ok(posterior.joint(points)),
            Form::Mixture(mixture) => Ok(mixture.joint(points)),
            Form::Sparse(posterior) => {
                let covariance = self.covariance(points)?;
                Ok(Joint { mean: posterior.utilities(points).mean, covariance })
            }
        }
    }

    /// As [`Belief::joint`], for every form of posterior; of a sparse precision by the variances of all differences.
    pub(crate) fn joint_of_all(&self, points: &Points) -> Joint {
        match self.form() {
            Form::Full(posterior) => posterior.joint(points),
            Form::Mixture(mixture) => mixture.joint(points),
            Form::Sparse(posterior) => posterior.joint_of(points),
        }
    }

    /// What answers say, at the values of their parameters; of an average over kernels those of the best one.
    pub(crate) fn likelihoods(&self) -> &Likelihoods {
        match self.form() {
            Form::Full(posterior) => posterior.likelihoods(),
            Form::Mixture(mixture) => mixture.best().likelihoods(),
            Form::Sparse(posterior) => posterior.likelihoods(),
        }
    }

    /// The most items of which [`Belief::draws`] takes little time.
    pub(crate) fn most_drawn(&self) -> usize {
        if let Form::Sparse(posterior) = self.form() { posterior.most_drawn() } else { MOST_DRAWN }
    }

    /// Draws of the utilities of `points`, one item a row, one draw a column.
    pub(crate) fn draws(
        &self,
        points: &Points,
        number: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Matrix, Error> {
        match self.form() {
            Form::Full(posterior) => posterior.draws(points, number, rng),
            Form::Mixture(mixture) => mixture.draws(points, number, rng),
            Form::Sparse(posterior) => posterior.draws(points, number, rng),
        }
    }

    /// As [`Posterior::differences`].
    pub fn differences(&self, points: &Points, pairs: &[(usize, usize)]) -> Moments {
        match self.form() {
            Form::Full(posterior) => posterior.differences(points, pairs),
            Form::Mixture(mixture) => mixture.moments(|posterior| posterior.differences(points, pairs)),
            Form::Sparse(posterior) => posterior.differences(points, pairs),
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

    /// As [`Posterior::shown_probabilities`].
    pub fn shown_probabilities(&self, points: &Points, pairs: &[(usize, usize)]) -> Vec<f64> {
        match self {
            Self::Gaussian(posterior) => posterior.shown_probabilities(points, pairs),
            Self::Mixture(mixture) => {
                mixture.average(|posterior| posterior.shown_probabilities(points, pairs))
            }
            Self::Exact(posterior) => posterior.shown_probabilities(points, pairs),
            Self::Streaming(posterior) => posterior.shown_probabilities(points, pairs),
            Self::Sparse(posterior) => posterior.shown_probabilities(points, pairs),
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
            Self::Streaming(posterior) => Ok(posterior.shown_probabilities(points, pairs)),
            Self::Sparse(_) => self.sharp_probabilities(points, pairs),
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
            Self::Sparse(_) => Err(crate::Unsupported::SparseCovariance.into()),
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
        match self.form() {
            Form::Full(posterior) => of(posterior),
            Form::Mixture(mixture) => mixture.outcomes(|posterior| Ok(of(posterior))).unwrap_or_default(),
            Form::Sparse(posterior) => posterior.outcomes(points, pairs),
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
        if let Self::Exact(_) | Self::Streaming(_) = self {
            return Ok(self.outcomes(points, pairs));
        }
        match self.form() {
            Form::Full(posterior) => posterior.sharp_outcomes(points, pairs),
            Form::Mixture(mixture) => mixture.outcomes(|posterior| posterior.sharp_outcomes(points, pairs)),
            Form::Sparse(posterior) => Ok(posterior.outcomes(points, pairs)),
        }
    }

    /// As [`Posterior::ratings`]; empty without ratings.
    pub fn ratings(&self, points: &Points) -> Vec<Vec<f64>> {
        if let Self::Exact(posterior) = self {
            return posterior.ratings(points);
        }
        match self.form() {
            Form::Full(posterior) => posterior.ratings(points),
            Form::Mixture(mixture) => {
                let levels = mixture.best().ratings(points).first().map_or(0, Vec::len);
                let all = mixture.average(|posterior| posterior.ratings(points).concat());
                let rows = (0..points.len()).map(|i| all[i * levels..(i + 1) * levels].to_vec());
                rows.collect()
            }
            Form::Sparse(posterior) => posterior.ratings(points),
        }
    }
}
