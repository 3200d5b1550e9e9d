//! What the true posterior says, whatever the answers are.

use crate::Error;
use crate::evidence::Problem;
use crate::exact::differences::MOST_COMPARISONS;
use crate::exact::{ExactPosterior, ExactSettings, LogProbability, Report, Sampler};
use crate::inference::observations::Observations;
use crate::learn::Hyperparameters;
use crate::points::Points;
use crate::posterior::Moments;

/// Utilities relative to their average and probabilities of choices, with their Monte Carlo standard errors.
pub(super) struct Truth {
    pub(super) utilities: Moments,
    pub(super) errors: Moments,
    pub(super) probabilities: Vec<(f64, f64)>,
    pub(super) log_evidence: Option<LogProbability>,
    pub(super) sampling: Report,
}

/// Items whose utilities are drawn themselves, for answers of other kinds than plain comparisons: a step takes time in their square.
pub(super) const MOST_ITEMS: usize = 300;

/// Whether the true posterior of all these answers is within reach.
pub(super) fn holds(observations: &Observations) -> bool {
    let few = observations.total() <= MOST_COMPARISONS as f64;
    few && (observations.has_noisy_differences() || observations.items.len() <= MOST_ITEMS)
}

impl Truth {
    /// Of the items of `problem`.
    pub(super) fn draw(
        problem: &Problem<'_>,
        h: &Hyperparameters,
        pairs: &[(usize, usize)],
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        // A sampler of plain comparisons is none of other answers.
        let sampler =
            if problem.observations.has_noisy_differences() { settings.sampler } else { Sampler::EpSlice };
        let settings = ExactSettings { sampler, ..*settings };
        let exact = ExactPosterior::new(problem, h.kernel.clone(), h.values(), &settings)?;
        Ok(Self::of(&exact, problem.points, pairs))
    }

    /// What an exact posterior says of `points` and `pairs` of them.
    pub(super) fn of(exact: &ExactPosterior, points: &Points, pairs: &[(usize, usize)]) -> Self {
        Self {
            utilities: exact.relative_utilities(points, points),
            errors: exact.relative_utility_errors(points, points),
            probabilities: exact.probabilities_and_errors(points, pairs),
            log_evidence: exact.log_evidence(),
            sampling: *exact.report(),
        }
    }
}
