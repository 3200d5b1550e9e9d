//! What the true posterior says, whatever the answers are.

use crate::Error;
use crate::evidence::Problem;
use crate::exact::diagnostics::{mean, standard_error};
use crate::exact::differences::MOST_COMPARISONS;
use crate::exact::{ExactPosterior, ExactSettings, LogProbability, Report, Sampler, UtilityDraws};
use crate::inference::observations::Observations;
use crate::learn::Hyperparameters;
use crate::likelihood::Likelihood;
use crate::points::Points;
use crate::posterior::Moments;
use rather_numerics::parallel;

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
    let few = observations.differences() <= MOST_COMPARISONS as f64;
    slices_hold(observations) || (few && observations.has_noisy_differences())
}

/// Whether the utilities themselves can be drawn under all these answers.
pub(super) fn slices_hold(observations: &Observations) -> bool {
    observations.differences() <= MOST_COMPARISONS as f64 && observations.items.len() <= MOST_ITEMS
}

impl Truth {
    /// What draws of the utilities say of them and of choices between `pairs`.
    pub(super) fn of_draws(draws: &UtilityDraws, choice: &dyn Likelihood, pairs: &[(usize, usize)]) -> Self {
        let average = draws.each(|f| f.iter().sum::<f64>() / f.len() as f64);
        let moments = |item: usize| {
            let mut values = draws.each(|f| f[item]);
            let averages = average.iter().flatten();
            values.iter_mut().flatten().zip(averages).for_each(|(value, average)| *value -= average);
            let centre = mean(&values);
            let squares: Vec<Vec<f64>> =
                values.iter().map(|chain| chain.iter().map(|f| (f - centre).powi(2)).collect()).collect();
            ((centre, standard_error(&values)), (mean(&squares), standard_error(&squares)))
        };
        let (means, variances): (Vec<_>, Vec<_>) =
            parallel::map(draws.items(), 1, moments).into_iter().unzip();
        let split = |all: Vec<(f64, f64)>| -> (Vec<f64>, Vec<f64>) { all.into_iter().unzip() };
        let ((mean_of, mean_error), (variance_of, variance_error)) = (split(means), split(variances));
        let probability = |pair: usize| {
            let (a, b) = pairs[pair];
            let chains = draws.each(|f| choice.probability(f[a] - f[b], 0.0));
            (mean(&chains), standard_error(&chains))
        };
        Self {
            utilities: Moments { mean: mean_of, variance: variance_of },
            errors: Moments { mean: mean_error, variance: variance_error },
            probabilities: parallel::map(pairs.len(), 1, probability),
            log_evidence: None,
            sampling: *draws.report(),
        }
    }

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
