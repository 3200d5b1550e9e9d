//! Random effects of pairs, by the evidence.

use std::sync::Arc;

use super::batch::{Chosen, continued, finish};
use super::fit::Found;
use super::{FitSettings, Inference, PairEffect};
use crate::Error;
use crate::belief::Belief;
use crate::evidence::Problem;
use crate::inference::observations::{Observation, Observations};
use crate::learn::Hyperparameters;
use crate::learn::choice::{Options, Tried};
use crate::likelihood::Responses;
use rather_numerics::watch;

/// The same kernel with a random effect of every pair, from what was learned without, and the responses of such answers; `None` if the evidence is
/// not clearly higher, or pairs are hardly compared repeatedly.
pub(super) fn with_pair_effect(
    problem: &Problem<'_>,
    found: &Found,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Option<(Found, Arc<Responses>)>, Error> {
    let is_gaussian =
        matches!(found.belief, Belief::Gaussian(_) | Belief::Mixture(_)) && found.method.is_none();
    let may = match &settings.inference {
        Inference::Ep(ep) => ep.pair_effect == PairEffect::Auto && !settings.response_model.pair_effect,
        _ => false,
    };
    // In a context a pair is compared as two sides, and what it has of its own belongs to its items.
    let may = may && options.schema.context == 0;
    let (true, true, Some(held)) = (may, is_gaussian, found.report.representation) else {
        return Ok(None);
    };
    if problem.observations.has_sets()
        || !found.report.trustworthy
        || watch::is_ending()
        || !is_repeated(problem.observations)
    {
        return Ok(None);
    }
    let mut observations = problem.observations.clone();
    Arc::make_mut(&mut observations.responses).response_model.pair_effect = true;
    let problem =
        Problem { observations: &observations, inducing: found.inducing.as_deref(), ..problem.clone() };
    let kernel = found.hyperparameters.kernel.clone();
    let mut start = Hyperparameters::for_answers(kernel, problem.points, &observations.responses, options)?;
    start.start_from(&found.hyperparameters)?;
    let tried = found.report.tried.clone();
    let chosen = match continued(&problem, &start, tried, settings, each)? {
        Some(chosen) if chosen.learned.log_evidence >= found.report.log_evidence + CLEARLY => chosen,
        _ => return Ok(None),
    };
    let chosen = Chosen { inducing: found.inducing.clone(), ..chosen };
    let better = finish(&problem, chosen, held, settings, options)?;
    let trustworthy = better.report.trustworthy;
    Ok(trustworthy.then_some((better, observations.responses)))
}

/// Nats by which the evidence must rise for pairs to have random effects: odds of 7 to 1, as Bayes factors call positive evidence.
const CLEARLY: f64 = 2.0;
/// Answers a pair, on average, from which on pairs count as compared repeatedly, and the fewest such pairs.
const REPEATED: f64 = 1.5;
const FEWEST_PAIRS: usize = 10;

/// Whether pairs are compared often enough for their random effects to be told from noise.
fn is_repeated(observations: &Observations) -> bool {
    let Observations { edges, merged, .. } = observations;
    let compared = |e: usize| edges[e].minus().is_some();
    let pairs = (0..edges.len()).filter(|&e| compared(e)).count();
    // Of answers with weights, as many as they count for.
    let answers: f64 = merged.iter().filter(|o| compared(o.edge())).map(Observation::count).sum();
    pairs >= FEWEST_PAIRS && answers >= REPEATED * pairs as f64
}
