//! Learning a model by one pass over the answers, in the order of their table.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::fit::{Found, disconnected};
use super::notice::bound_notices;
use super::{FitReport, Notice};
use crate::Error;
use crate::belief::Belief;
use crate::evidence::Problem;
use crate::inducing::covering;
use crate::inference::observations::{Given, Observations};
use crate::inference::{Method, Settings as Convergence, Status};
use crate::kernel::parse;
use crate::learn::choice::{KernelChoice, KernelSpec, Options, ROUGHNESS, Tried};
use crate::learn::{Hyperparameters, LogNormal, maximise};
use crate::points::Points;
use crate::streaming::{Adaptation, Forgetting, Learning, Settings, StreamedPosterior, StreamingModel};
use rather_numerics::lbfgs;
use rather_numerics::parallel;
use rather_numerics::watch::{self, Steps};

/// Settings of streaming inference.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StreamingSettings {
    /// The largest number of basis points, which are chosen among the items. By default 64; of items known by name only, which tell nothing of each
    /// other, every item is one, up to 1,000.
    pub basis: Option<usize>,
    /// Number of answers that are kept, to be revisited and learned from. By default 512; with a half-life as many as count for a thirty-second
    /// or more, from 512 to 2,048. One about a set takes the room of as many as it has pairs.
    pub memory: Option<usize>,
    /// If the taste itself walks, the number of answers in which the correlation of a utility with what it was halves
    /// ([`Forgetting::Drift`]); not together with a [half-life](super::FitSettings::half_life).
    pub drift: Option<f64>,
}

/// The largest number of basis points that is taken by default, and among items known by name.
const BASIS: usize = 64;
const NAMES: usize = 1000;
/// Answers that are kept by default, and the most with a half-life, of which those are kept that are this many half-lives old.
const MEMORY: usize = 512;
const MOST_KEPT: usize = 2048;
const STILL_COUNT: f64 = 5.0;

impl StreamingSettings {
    /// The largest number of basis points of items that are known by name only, or not.
    pub fn largest_basis(&self, by_name: bool) -> usize {
        self.basis.unwrap_or(if by_name { NAMES } else { BASIS })
    }

    /// The number of answers that are kept.
    pub(super) fn kept(&self, half_life: Option<f64>) -> usize {
        let count = half_life.map_or(0.0, |half_life| STILL_COUNT * half_life) as usize;
        self.memory.unwrap_or(count.clamp(MEMORY, MOST_KEPT))
    }
}

/// What streaming adds to the report of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StreamingFit {
    /// Answers heard, repeated ones counted.
    pub answers: u64,
    /// Those of them that are kept.
    pub kept: usize,
    /// Basis points at the end.
    pub basis: usize,
}

/// Answers that one pass takes: about a minute of them.
const MOST_ANSWERS: u64 = 10_000_000;
/// Hyperparameters climb after every so many answers, and by so many steps in the end.
const LEARNING: Learning = Learning { every: 32, steps: 3, prior_sd: 1.0 };
const LAST_STEPS: usize = 12;
/// The last answers from whose evidence the variance of names is learned, and the parameters of likelihoods.
const LATEST: usize = 10_000;
const LATEST_OF_FEATURES: usize = 500;
/// Sweeps over the answers kept, at the end.
const SWEEPS: usize = 40;
/// The basis starts as it covers the items up to this share of their variance.
const OPEN: f64 = 0.02;
/// A prior that says nothing: so many factors e wide.
const FLAT: f64 = 1e6;

/// A model that has heard everything.
struct Streamed {
    model: StreamingModel,
    hyperparameters: Hyperparameters,
    tried: Vec<Tried>,
    sweeps: usize,
    residual: f64,
    evaluations: usize,
}

/// A basis that leaves more than this share of the items' variance open, on average, is too small.
const WIDE_OPEN: f64 = 0.05;

/// What is the same for every kernel.
pub(super) struct Stream<'a> {
    pub(super) points: &'a Points,
    pub(super) observations: &'a Observations,
    pub(super) given: &'a [Given],
    /// The items of answers about sets.
    pub(super) of_sets: &'a [u32],
    pub(super) streaming: &'a StreamingSettings,
    pub(super) half_life: Option<f64>,
    pub(super) options: &'a Options<'a>,
}

impl Stream<'_> {
    /// The pass of the best kernel, as a fit.
    pub(super) fn fit(
        &self,
        kernel: &KernelChoice,
        learned: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Found, Error> {
        let steps = Steps::start("answers", 0);
        let streamed = self.choose(kernel, learned)?;
        drop(steps);
        let Streamed { model, hyperparameters, tried, sweeps, residual, evaluations } = streamed;
        let converged = residual <= Convergence::default().tolerance;
        let mut notices = Vec::new();
        if !converged {
            notices.push(Notice::NotConverged { residual, sweeps });
        }
        notices.extend(bound_notices(&hyperparameters));
        if self.options.schema.features() == 0 {
            notices.extend(disconnected(self.observations, &self.points.select(&self.observations.items)));
        }
        let basis = model.basis().len();
        let by_name = hyperparameters.kernel.is_white();
        if basis == self.streaming.largest_basis(by_name) && model.open(self.points) > WIDE_OPEN {
            notices.push(Notice::SmallBasis { points: basis });
        }
        let report = FitReport {
            comparisons: self.observations.total(),
            half_life: None,
            log_evidence: model.log_evidence(),
            evidence_correction: None,
            sweeps,
            residual,
            status: if converged { Status::Converged } else { Status::Limit },
            trustworthy: residual.is_finite() && model.log_evidence().is_finite(),
            evaluations,
            tried,
            notices,
            representation: None,
            exact: None,
            low_rank: None,
            streaming: Some(StreamingFit { answers: model.answers(), kept: model.kept(), basis }),
            sparse: None,
        };
        let belief = Belief::Streaming(Box::new(StreamedPosterior::new(model)?));
        Ok(Found { hyperparameters, inducing: None, report, belief, method: None, rivals: Vec::new() })
    }

    /// Passes over the answers with every kernel in question; the one with the best score stays.
    ///
    /// The score is that of the batch ([`crate::learn::choice`]), with the evidence that the answers had as they came.
    fn choose(&self, choice: &KernelChoice, learned: &(dyn Fn(&Tried) + Sync)) -> Result<Streamed, Error> {
        let said = self.given.iter().map(|g| g.count).sum::<f64>().ceil() as u64;
        if said > MOST_ANSWERS {
            return Err(Error::StreamSize { answers: said, most: MOST_ANSWERS });
        }
        let spec = |expression: &str, ard| KernelSpec { expression: expression.into(), ard };
        let schema = self.options.schema;
        let first = match choice {
            KernelChoice::Given(given) => vec![given.clone()],
            KernelChoice::Auto { .. } if schema.features() == 0 => vec![spec("white", false)],
            KernelChoice::Auto { ard } => ROUGHNESS.map(|e| spec(e, *ard)).to_vec(),
        };
        let pass = |spec: &KernelSpec| self.pass(spec).inspect(|(_, tried)| learned(tried));
        let mut passes = parallel::map(first.len(), 1, |k| pass(&first[k]))
            .into_iter()
            .collect::<Result<Vec<_>, Error>>()?;
        if matches!(choice, KernelChoice::Auto { ard: false }) && schema.features() > 1 {
            let better = spec(&passes[best(&passes)].1.kernel.expression, true);
            passes.push(pass(&better)?);
        }
        let tried = passes.iter().map(|(_, tried)| tried.clone()).collect();
        let chosen = best(&passes);
        Ok(Streamed { tried, ..passes.swap_remove(chosen).0 })
    }

    /// One pass with one kernel.
    fn pass(&self, spec: &KernelSpec) -> Result<(Streamed, Tried), Error> {
        let kernel = parse(&spec.expression, self.options.schema, spec.ard)?;
        let compared = self.points.select(&self.observations.items);
        let responses = &self.observations.responses;
        let mut hyperparameters = Hyperparameters::for_answers(kernel, &compared, responses, self.options)?;
        let noise = hyperparameters.noise_index();
        if !hyperparameters.entries[noise].fixed {
            return Err(crate::Unsupported::StreamingNoise.into());
        }
        let by_name = hyperparameters.kernel.is_white();
        if by_name || !responses.is_plain() {
            hyperparameters = self.by_batch(hyperparameters)?;
        }
        let mut model = self.start(&hyperparameters, &compared)?;
        for given in self.given {
            watch::check()?;
            let set = self.observations.set_of(given, self.of_sets);
            for weight in one_by_one(given.count) {
                model.give(self.points, given, set, weight)?;
            }
        }
        let free = hyperparameters.free().len();
        let climbed = if learns(&hyperparameters) { model.learn(LAST_STEPS) } else { None };
        let refined = model.refine(SWEEPS);
        let mut values: Vec<f64> = model.kernel().parameters().iter().map(|p| p.value).collect();
        values.push(hyperparameters.noise());
        hyperparameters.set(&values)?;
        let tried = Tried {
            kernel: spec.clone(),
            log_evidence: refined.log_evidence,
            score: refined.log_evidence + hyperparameters.log_prior().0 - free as f64,
            weight: 0.0,
        };
        let streamed = Streamed {
            model,
            hyperparameters,
            tried: Vec::new(),
            sweeps: refined.sweeps,
            residual: refined.residual,
            evaluations: climbed.map_or(0, |c| c.evaluations),
        };
        Ok((streamed, tried))
    }

    /// Hyperparameters by the evidence of the latest answers, by expectation propagation: the variance of names, since which names are like
    /// which is not to be learned, so that there is one number to learn, of which thousands of answers at once tell more than those few that are
    /// kept; and the parameters of the likelihoods, which a stream does not learn.
    fn by_batch(&self, start: Hyperparameters) -> Result<Hyperparameters, Error> {
        if start.free().is_empty() {
            return Ok(start);
        }
        let latest = if start.kernel.is_white() { LATEST } else { LATEST_OF_FEATURES };
        let latest = &self.given[self.given.len().saturating_sub(latest)..];
        let observations = self.observations.of_given(latest, self.of_sets);
        let points = self.points.select(&observations.items);
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        let settings = &self.options.inference;
        let learned =
            maximise(&problem, &start, settings, lbfgs::Stop::default(), None, &|| !watch::is_ending());
        match learned {
            Ok(learned) => Ok(learned.hyperparameters),
            Err(Error::Inference) => Ok(start),
            Err(error) => Err(error),
        }
    }

    /// The model before any answer.
    fn start(&self, h: &Hyperparameters, compared: &Points) -> Result<StreamingModel, Error> {
        let StreamingSettings { drift, .. } = *self.streaming;
        let memory = self.streaming.kept(self.half_life);
        // The more answers are kept for their weights, the longer a climb takes.
        let slower = self.half_life.map_or(1, |_| memory.div_ceil(MEMORY).max(1));
        let learning = Learning { every: slower * LEARNING.every, ..LEARNING };
        let walk = |half_life| Forgetting::Drift { half_life };
        let forgetting = drift.map_or(Forgetting::of(self.half_life), walk);
        let by_name = h.kernel.is_white();
        let basis = self.streaming.largest_basis(by_name);
        let covering = covering(&h.kernel, compared, basis.max(1), OPEN);
        let settings = Settings {
            noise: h.noise(),
            forgetting,
            memory,
            learning: learns(h).then_some(learning),
            adaptation: Some(Adaptation { budget: basis, ..Adaptation::default() }),
            ..Settings::default()
        };
        let mut model = StreamingModel::new(h.kernel.clone(), compared.select(&covering), settings)?
            .with_responses(Arc::clone(&self.observations.responses), h.values());
        let of_kernel = &h.entries[..h.noise_index()];
        let prior = |e: &crate::learn::Hyperparameter| match e.prior {
            _ if e.fixed => LogNormal { median: e.value, sd: 0.0 },
            Some(prior) => prior,
            None => LogNormal { median: e.value, sd: FLAT },
        };
        model.set_priors(of_kernel.iter().map(prior).collect())?;
        Ok(model)
    }
}

/// Whether the kernel has hyperparameters to learn from the answers as they come.
fn learns(h: &Hyperparameters) -> bool {
    !h.kernel.is_white() && h.free().iter().any(|&i| i < h.noise_index())
}

fn best(passes: &[(Streamed, Tried)]) -> usize {
    let score = |i: usize| passes[i].1.score;
    // Of equals the first.
    (0..passes.len()).rev().max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap_or(0)
}

/// An answer given `count` times, one after the other: each counts 1, and a fraction that is left comes last.
fn one_by_one(count: f64) -> impl Iterator<Item = f64> {
    let (whole, rest) = (count.floor(), count.fract());
    (0..whole as u64).map(|_| 1.0).chain((rest > 0.0).then_some(rest))
}
