//! Draws of the utilities of a few items, under any Gaussian prior of them.

use super::chains::Length;
use super::differences::check_size;
use super::report::{Report, worst};
use super::settings::{ExactSettings, Sampler};
use super::weights;
use crate::evidence::Evidence;
use crate::inference::observations::Observation;
use crate::likelihood::Likelihoods;
use crate::{Error, Unsupported};
use rather_numerics::linalg::Matrix;
use rather_numerics::{parallel, watch};

/// The exact posterior of the utilities of a few items, by draws of the prior's weights ([`weights::draw`]).
///
/// A kernel stands behind an [`ExactPosterior`](super::ExactPosterior), which so says something of any item; here only the prior's mean and
/// covariance of these items are known.
#[derive(Debug)]
pub(crate) struct UtilityDraws {
    /// Items x draws, one matrix a chain.
    chains: Vec<Matrix>,
    report: Report,
}

impl UtilityDraws {
    /// `evidence` is what expectation propagation found in item space, `means` are the prior means of the items' utilities.
    ///
    /// # Errors
    /// [`Error::ExactSize`] for too many answers, [`Unsupported::NoisyDifferences`] for another sampler than slices, [`Unsupported::JointAnswers`]
    /// for a fraction of an answer about a set, [`Error::Parameter`] for settings out of range.
    pub(crate) fn new(
        evidence: &Evidence,
        means: &[f64],
        observations: &[Observation],
        likelihoods: &Likelihoods,
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        settings.check()?;
        check_size(observations.iter().map(Observation::count).sum())?;
        if !matches!(settings.sampler, Sampler::Auto | Sampler::EpSlice) {
            return Err(Unsupported::NoisyDifferences.into());
        }
        let &ExactSettings { chains, burn_in, thinning, seed, .. } = settings;
        let length = Length { chains, kept: settings.kept(), burn_in, thinning };
        let drawn = weights::draw(evidence, observations, likelihoods, length, seed)?;
        watch::check()?;
        let prior = &evidence.prior;
        let utilities = |weights: &Matrix| {
            let mut out = Matrix::zeros(means.len(), weights.cols());
            for draw in 0..weights.cols() {
                let nodes = prior.features.transpose_times(weights.col(draw));
                let to = out.col_mut(draw);
                prior.order.iter().zip(nodes).for_each(|(&item, f)| to[item] = means[item] + f);
            }
            out
        };
        let chains = parallel::map(drawn.len(), 1, |chain| utilities(&drawn[chain]));
        let mut out = Self { report: Report::of(Sampler::EpSlice, &chains, None), chains };
        let of_utilities = worst(means.len(), |item| out.each(|f| f[item]));
        watch::check()?;
        out.report.judge(of_utilities, of_utilities);
        Ok(out)
    }

    /// Number of items.
    pub(crate) fn items(&self) -> usize {
        self.chains.first().map_or(0, Matrix::rows)
    }

    /// How sampling went.
    pub(crate) fn report(&self) -> &Report {
        &self.report
    }

    /// A function of the items' utilities, draw by draw, chain by chain.
    pub(crate) fn each(&self, of: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
        let chain = |chain: &Matrix| (0..chain.cols()).map(|draw| of(chain.col(draw))).collect();
        self.chains.iter().map(chain).collect()
    }
}
