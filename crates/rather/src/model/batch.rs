//! Fitting by expectation propagation, Laplace's approximation or sampling, with the full covariance or a low-rank one.

use std::sync::Arc;

use super::average::average;
use super::fit::{Found, after_learning, disconnected};
use super::notice::{noise_is_open, unused_features};
use super::worth::forced_equal;
use super::{FitReport, FitSettings, Inference, Integration, LowRankFit, Notice};
use crate::Error;
use crate::belief::Belief;
use crate::evidence::{Evidence, Problem};
use crate::exact::ExactPosterior;
use crate::inducing::Inducing;
use crate::inference::observations::{Observation, Observations};
use crate::inference::{Method, correction};
use crate::learn::choice::{Options, Rival, Selected, Tried, choose};
use crate::learn::{Hyperparameters, Learned, Warm, coarse, maximise_from};
use crate::likelihood::{Link, ResponseModel};
use crate::memory::Size;
use crate::posterior::Posterior;
use crate::representation::{self, Decision, Representation};
use rather_numerics::lbfgs;
use rather_numerics::watch::{self, Steps};

/// What learning chose.
pub(super) struct Chosen {
    pub(super) learned: Learned,
    /// Its weight in the average with its rivals.
    pub(super) weight: f64,
    pub(super) rivals: Vec<Rival>,
    pub(super) tried: Vec<Tried>,
    /// The positions of the inducing items, if there are any.
    pub(super) inducing: Option<Vec<usize>>,
}

impl Chosen {
    /// One kernel, of which nothing else is known.
    fn alone(learned: Learned) -> Self {
        Self { learned, weight: 1.0, rivals: Vec::new(), tried: Vec::new(), inducing: None }
    }
}

/// Learns with the prior held that way.
fn learn(
    problem: &Problem<'_>,
    held: Decision,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Chosen, Error> {
    let Representation::LowRank(features) = held.representation else {
        let Selected { learned, weight, rivals, tried } = choose(problem, &settings.kernel, options, each)?;
        return Ok(Chosen { weight, rivals, tried, ..Chosen::alone(learned) });
    };
    let items = &problem.observations.items;
    let asked = match &settings.inference {
        Inference::Ep(ep) => ep.inducing.clone(),
        _ => Inducing::default(),
    };
    let inducing = match asked {
        Inducing::Given(given) => {
            let position =
                |&item: &usize| items.binary_search(&item).map_err(|_| Error::InducingItem { item });
            Inducing::Given(given.iter().map(position).collect::<Result<_, _>>()?)
        }
        other => other,
    };
    let found = coarse::choose(problem, (&inducing, features), &settings.kernel, options, each)?;
    Ok(Chosen { tried: found.tried, inducing: Some(found.inducing), ..Chosen::alone(found.learned) })
}

/// Learns and infers: with the full covariance in the place of a low-rank one that turned out too rough.
pub(super) fn fit(
    problem: &Problem<'_>,
    held: Decision,
    size: &Size,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Found, Error> {
    let rough = trusted_batch(problem, held, settings, options, each)?;
    match instead(&rough, size, settings) {
        Some(held) => wholly(problem, rough, held, settings, options, each),
        None => Ok(rough),
    }
}

/// As [`batch`]; where expectation propagation is not to be trusted, by Laplace's approximation, if that is.
fn trusted_batch(
    problem: &Problem<'_>,
    held: Decision,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Found, Error> {
    let found = batch(problem, held, settings, options, each);
    let doubtful = match &found {
        Ok(found) => !found.report.trustworthy,
        Err(error) => matches!(error, Error::Inference),
    };
    let low_rank = matches!(held.representation, Representation::LowRank(_));
    let needs_ep =
        problem.observations.responses.response_model.pair_effect || problem.observations.has_sets();
    if !doubtful || settings.inference.method() != Method::Ep || low_rank || needs_ep || watch::is_ending() {
        return found;
    }
    let laplace = Problem { method: Method::Laplace, ..problem.clone() };
    match batch(&laplace, held, settings, options, each) {
        Ok(mut rougher) if rougher.report.trustworthy => {
            rougher.report.notices.push(Notice::FellBack);
            Ok(Found { method: Some(Method::Laplace), ..rougher })
        }
        _ => found,
    }
}

/// By the whole covariance, or by features of low rank.
fn batch(
    problem: &Problem<'_>,
    held: Decision,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Found, Error> {
    let learning = if laplace_learns(problem, held, settings) { Method::Laplace } else { problem.method };
    let by = &Problem { method: learning, ..problem.clone() };
    let mut chosen = learn(by, held, settings, options, each)?;
    if learning != problem.method {
        chosen.learned.evidence = None;
    }
    finish(problem, chosen, held, settings, options)
}

/// Answers beyond which the evidence of Laplace's approximation has its maximum where that of expectation propagation has it, next to how well
/// either is known.
const MANY_ANSWERS: f64 = 20_000.0;

/// Whether hyperparameters are learned by Laplace's approximation, before expectation propagation finds the posterior: where moments are by
/// quadrature at every step of every setting tried, and answers are so many that it makes no difference.
fn laplace_learns(problem: &Problem<'_>, held: Decision, settings: &FitSettings) -> bool {
    let Observations { merged, responses, .. } = problem.observations;
    let ResponseModel { link, pair_effect, .. } = responses.response_model;
    problem.method == Method::Ep
        && link == Link::Logistic
        && !pair_effect
        && settings.inference.integration() == Integration::Off
        && !matches!(held.representation, Representation::LowRank(_))
        && merged.iter().map(Observation::count).sum::<f64>() > MANY_ANSWERS
}

/// How the prior is to be held instead, if features of low rank were taken to be quick and are too rough.
fn instead(found: &Found, size: &Size, settings: &FitSettings) -> Option<Decision> {
    let rough = found.report.low_rank.is_some_and(|fit| fit.is_rough());
    let held = found.report.representation.filter(|_| rough && !watch::is_ending())?;
    representation::instead(held, size, settings.memory)
}

/// The same kernel with the whole covariance, from what features of low rank have learned; those where that comes to nothing.
fn wholly(
    problem: &Problem<'_>,
    rough: Found,
    held: Decision,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Found, Error> {
    let Some(chosen) = continued(
        problem,
        &rough.hyperparameters,
        Warm::default(),
        rough.report.tried.clone(),
        settings,
        each,
    )?
    else {
        return Ok(rough);
    };
    let whole = finish(problem, chosen, held, settings, options)?;
    Ok(if whole.report.trustworthy { whole } else { rough })
}

/// Maximises the evidence again from what was learned elsewhere and is known there, of which `tried` are the kernels; `None` if that comes to nothing.
pub(super) fn continued(
    problem: &Problem<'_>,
    start: &Hyperparameters,
    warm: Warm,
    mut tried: Vec<Tried>,
    settings: &FitSettings,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Option<Chosen>, Error> {
    let steps = Steps::start("learning", EVALUATIONS);
    let (stop, goes_on) = (lbfgs::Stop::default(), || steps.goes_on(1));
    let learned = match maximise_from(problem, start, &settings.inference.convergence(), stop, warm, &goes_on)
    {
        Err(Error::Cancelled | Error::Inference) => return Ok(None),
        found => found?,
    };
    drop(steps);
    if let Some(chosen) = tried.iter_mut().max_by(|a, b| a.score.total_cmp(&b.score)) {
        chosen.score += learned.log_evidence - chosen.log_evidence;
        chosen.log_evidence = learned.log_evidence;
        each(chosen);
    }
    Ok(Some(Chosen { tried, ..Chosen::alone(learned) }))
}

/// Settings that maximising the evidence from nearby usually tries.
const EVALUATIONS: usize = 8;

/// The posterior at what was learned, and what is worth knowing of it.
pub(super) fn finish(
    problem: &Problem<'_>,
    chosen: Chosen,
    held: Decision,
    settings: &FitSettings,
    options: &Options<'_>,
) -> Result<Found, Error> {
    let Chosen { mut learned, weight, rivals, tried, inducing } = chosen;
    let problem = &Problem { inducing: inducing.as_deref(), ..problem.clone() };
    let held = inducing.as_ref().map_or(held, |these| held.with_features(these.len()));
    let known = learned.evidence.take().filter(|_| inducing.is_none());
    let h = &learned.hyperparameters;
    let evidence = match known {
        Some(known) => Arc::unwrap_or_clone(known),
        None => problem.evaluate(
            &h.kernel,
            h.values(),
            Some(&learned.sites),
            &settings.inference.convergence(),
        )?,
    };
    let open = || noise_is_open(problem, h, &evidence, &settings.inference.convergence());
    let mut notices = after_learning(&learned, &evidence.outcome, open);
    notices.extend(forced_equal(&h.kernel, problem.points));
    notices.extend(unused_features(&h.kernel, options.schema));
    if options.schema.features() == 0 {
        notices.extend(disconnected(problem.observations, problem.points));
    }
    let mut report = FitReport::of(problem.observations, &learned, &evidence.outcome, tried, notices, held);
    if settings.inference.method() == Method::Ep && problem.method == Method::Ep && report.trustworthy {
        let likelihoods = problem.observations.responses.likelihoods(&h.values());
        let Evidence { prior, outcome } = &evidence;
        report.correct(correction::log_evidence(prior, &problem.observations.merged, &likelihoods, outcome));
    }
    let kernel = h.kernel.clone();
    let mut averaged = Vec::new();
    let (belief, report) = if let Inference::Exact(exact) = &settings.inference {
        drop(evidence);
        let sample = || ExactPosterior::new(problem, kernel, h.values(), &exact.sampling);
        // Who ended learning wants the draws; who ends the drawing gets nothing.
        let posterior = if watch::is_ending() { sample() } else { watch::all_or_nothing(sample) }?;
        let report = report.sampled(&posterior);
        (Belief::Exact(Box::new(posterior)), report)
    } else {
        let posterior = Posterior::new(problem, kernel, h.values(), evidence);
        if let Some(inducing) = inducing.as_deref().filter(|_| !watch::is_ending()) {
            let fit = LowRankFit::new(problem, h, inducing, &posterior, &settings.inference.convergence());
            report.notices.extend(fit.notice());
            report.low_rank = Some(fit);
        }
        let belief = if report.trustworthy && !watch::is_ending() {
            let (belief, others) = average(problem, (&learned, weight, posterior), rivals, settings);
            averaged = others;
            belief
        } else {
            Belief::Gaussian(Box::new(posterior))
        };
        (belief, report)
    };
    Ok(Found {
        hyperparameters: learned.hyperparameters,
        inducing,
        report,
        belief,
        method: None,
        rivals: averaged,
    })
}
