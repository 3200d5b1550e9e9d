//! What the true posterior says, whatever the answers are.

use crate::Error;
use crate::evidence::Problem;
use crate::exact::any::{self, Draws, about_pair};
use crate::exact::chains::Length;
use crate::exact::diagnostics::{effective_samples, mean, standard_error};
use crate::exact::differences::MOST_COMPARISONS;
use crate::exact::{ExactPosterior, ExactSettings, LogProbability, Report, Sampler};
use crate::inference::observations::{Edge, Observation, Observations};
use crate::learn::Hyperparameters;
use crate::likelihood::{AnswerIndex, Likelihoods};
use crate::parallel;
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
    few && (is_plain(observations) || observations.items.len() <= MOST_ITEMS)
}

/// Whether all answers are plain comparisons, behind which noisy differences stand.
pub(super) fn is_plain(observations: &Observations) -> bool {
    observations.responses.is_plain() && observations.edges.iter().all(|edge| edge.minus().is_some())
}

impl Truth {
    /// Of the items of `problem`, by draws of what stands behind the answers.
    pub(super) fn draw(
        problem: &Problem<'_>,
        h: &Hyperparameters,
        pairs: &[(usize, usize)],
        settings: &ExactSettings,
    ) -> Result<Self, Error> {
        if is_plain(problem.observations) {
            let exact = ExactPosterior::new(problem, h.kernel.clone(), h.noise(), settings)?;
            return Ok(Self::of_differences(&exact, problem.points, pairs));
        }
        let ExactSettings { chains, burn_in, thinning, seed, .. } = *settings;
        let length = Length { chains, kept: settings.kept(), burn_in, thinning };
        let draws = any::draw(problem, &h.kernel, h.values(), length, seed)?;
        let likelihoods = problem.observations.responses.likelihoods(&h.values());
        let choices = Choices { likelihoods: &likelihoods, observations: problem.observations };
        Ok(Self::of_utilities(&draws, &choices, pairs))
    }

    /// By a mixture of Gaussians.
    pub(super) fn of_differences(exact: &ExactPosterior, points: &Points, pairs: &[(usize, usize)]) -> Self {
        Self {
            utilities: exact.relative_utilities(points, points),
            errors: exact.relative_utility_errors(points, points),
            probabilities: exact.probabilities_and_errors(points, pairs),
            log_evidence: exact.log_evidence().ok().filter(|z| z.value.is_finite() && z.error.is_finite()),
            sampling: *exact.report(),
        }
    }

    /// By draws of the utilities of all items.
    fn of_utilities(draws: &Draws, choices: &Choices<'_>, pairs: &[(usize, usize)]) -> Self {
        let relative = relative(draws);
        let each = parallel::map(relative.len(), 1, |item| {
            let chains = &relative[item];
            let centre = mean(chains);
            let square = |x: &f64| (x - centre).powi(2);
            let squares: Vec<Vec<f64>> = chains.iter().map(|c| c.iter().map(square).collect()).collect();
            let moments = (centre, mean(&squares));
            (moments, (standard_error(chains), standard_error(&squares)), effective_samples(chains))
        });
        let moments = |all: Vec<(f64, f64)>| {
            let (mean, variance) = all.into_iter().unzip();
            Moments { mean, variance }
        };
        let probabilities = parallel::map(pairs.len(), 1, |i| {
            let (left, right) = (&relative[pairs[i].0], &relative[pairs[i].1]);
            let choice = choices.between(pairs[i]);
            let prefers = |(f, g): (&f64, &f64)| choice(f - g);
            let chains: Vec<Vec<f64>> =
                left.iter().zip(right).map(|(f, g)| f.iter().zip(g).map(prefers).collect()).collect();
            (mean(&chains), standard_error(&chains))
        });
        let effective = each.iter().map(|e| e.2).fold(f64::INFINITY, f64::min);
        Self {
            utilities: moments(each.iter().map(|e| e.0).collect()),
            errors: moments(each.iter().map(|e| e.1).collect()),
            probabilities,
            log_evidence: None,
            sampling: Report {
                sampler: Sampler::EpSlice,
                draws: relative.first().map_or(0, |chains| chains.iter().map(Vec::len).sum()),
                acceptance: None,
                effective_samples: effective,
                effective_differences: effective,
                r_hat: draws.r_hat(),
            },
        }
    }
}

/// Choices between items whose utilities are known.
struct Choices<'a> {
    likelihoods: &'a Likelihoods,
    observations: &'a Observations,
}

impl<'a> Choices<'a> {
    /// The probability that the left one of a pair is chosen, as a function of the difference: given what was answered about the pair, if it has a
    /// random effect that those answers share.
    fn between(&self, (left, right): (usize, usize)) -> Box<dyn Fn(f64) -> f64 + Sync + 'a> {
        let (choice, effect) = (self.likelihoods.choice(), self.likelihoods.pair_variance());
        let Observations { edges, merged, .. } = self.observations;
        let ends = |edge: &Edge| (edge.plus(), edge.minus());
        let compared = edges.iter().enumerate().find_map(|(e, edge)| match ends(edge) {
            (plus, Some(minus)) if (plus, minus) == (left, right) => Some((e, 1.0)),
            (plus, Some(minus)) if (minus, plus) == (left, right) => Some((e, -1.0)),
            _ => None,
        });
        match compared {
            _ if effect == 0.0 => Box::new(move |z| choice.log_density(z).value.exp()),
            None => Box::new(move |z| choice.probability(z, effect)),
            Some((e, sign)) => {
                let factor: Vec<Observation> = merged.iter().filter(|o| o.edge() == e).copied().collect();
                let mut more = factor.clone();
                more.push(Observation::new(e, sign, 1.0, AnswerIndex::DUEL));
                let likelihoods = self.likelihoods;
                Box::new(move |z| {
                    let log_z =
                        |of: &[Observation]| about_pair(likelihoods, of).tilt(sign * z, effect).0.log_z;
                    (log_z(&more) - log_z(&factor)).exp()
                })
            }
        }
    }
}

/// The draws of each item's utility, chain by chain, less the average of the items in the same draw.
fn relative(draws: &Draws) -> Vec<Vec<Vec<f64>>> {
    let items = draws.chains.first().map_or(0, |chain| chain.rows());
    let average = |column: &[f64]| column.iter().sum::<f64>() / items as f64;
    let averages: Vec<Vec<f64>> =
        draws.chains.iter().map(|chain| (0..chain.cols()).map(|j| average(chain.col(j))).collect()).collect();
    let one = |item: usize| {
        let of_chain = |(chain, averages): (&crate::linalg::Matrix, &Vec<f64>)| {
            averages.iter().enumerate().map(|(j, average)| chain[(item, j)] - average).collect()
        };
        draws.chains.iter().zip(&averages).map(of_chain).collect()
    };
    (0..items).map(one).collect()
}
