//! Choosing the kernel by evidence.
//!
//! A utility may be a smooth function of the features, a weighted sum of them, something of the item's own (its name), or a sum of these.
//! `auto` looks among the sums of terms, every one from what those before it learned:
//!
//! 1. names alone;
//! 2. smooth functions with names: of growing roughness ([`ROUGHNESS`]), each from the one before it, until one is worse (the evidence
//!    rises and falls once along this order, and smoother functions take less time);
//! 3. a weighted sum with names; both with names; the best smooth one and the weighted sum without names;
//! 4. the best of all with a lengthscale for every feature.
//!
//! The score is the evidence with the hyperparameters integrated out over their weak priors, by Laplace's approximation
//! ([`log_volume`]): a hyperparameter that the answers tell nothing about costs nothing, so that 88 lengthscales may compete with one,
//! and cannot win by fitting a hundred comparisons.
//!
//! Where the best kernel is not clearly better than the next ones, predictions are averages over them, weighted by the integrated evidences
//! ([`Selected::rivals`]; Hoeting, Madigan, Raftery and Volinsky 1999, "Bayesian model averaging: a tutorial").

use super::uncertainty::log_volume;
use super::{
    CLOSE, Hyperparameter, Hyperparameters, Learned, Units, Warm, finish, maximise_roughly, restart,
};
use crate::Error;
pub use crate::candidate::{KernelSpec, Tried};
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::inference::observations::Observations;
use crate::kernel::{Schema, parse};
use rather_numerics::lbfgs::Stop;
use rather_numerics::order;
use rather_numerics::watch::{self, Steps};

/// The kernels that `auto` looks among, from the smoothest to the roughest.
#[doc(hidden)]
pub const ROUGHNESS: [&str; 4] = ["se", "matern52", "matern32", "matern12"];

/// Nats by which a rougher kernel must be worse than the one before it for those that are rougher yet not to be tried; from this place on it is enough that
/// it is worse at all. The roughest is for where the evidence rises towards it: its lengthscale is known least, and a low price alone would choose it.
const WORSE: f64 = 1.0;
const ROUGH: usize = 2;

/// Which kernels to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelChoice {
    /// By evidence among a small set; with `ard`, only kernels with a lengthscale for every feature.
    Auto {
        /// Only kernels with a lengthscale for every feature.
        ard: bool,
    },
    /// This one.
    Given(KernelSpec),
}

impl KernelChoice {
    /// Whether items are known by name only: the kernel is `white`, whatever the expression calls it.
    pub fn is_by_name(&self, schema: &Schema) -> bool {
        match self {
            Self::Auto { .. } => schema.features() == 0,
            Self::Given(spec) => {
                parse(&spec.expression, schema, spec.ard).is_ok_and(|kernel| kernel.is_white())
            }
        }
    }
}

/// The kernels chosen.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Selected {
    /// The best one, as it was learned.
    pub learned: Learned,
    /// Its weight in an average with the rivals; 1 without any.
    pub weight: f64,
    /// Those that are nearly as good, with their weights.
    pub rivals: Vec<Rival>,
    /// All that were tried, in order.
    pub tried: Vec<Tried>,
}

/// A kernel that is averaged with the best one.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Rival {
    /// The kernel, as it was learned.
    pub learned: Learned,
    /// Its weight.
    pub weight: f64,
}

/// Nats below the best at which a kernel is no longer averaged with it: a weight of a twentieth.
const NEAR: f64 = 3.0;
/// Kernels that are averaged with the best one, at most.
pub(crate) const RIVALS: usize = 3;
/// With more items than this one kernel stands for all: predictions by several take their multiple of time and memory, and so many items come
/// with answers enough to tell kernels apart.
const MOST_AVERAGED: usize = 700;

/// Options of learning besides the data.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// Names and kinds of the features.
    pub schema: &'a Schema,
    /// The scale of utilities.
    pub units: Units,
    /// Fixed hyperparameters, in the units of the table.
    pub fixed: &'a [(String, f64)],
    /// For each feature, how many units of the table make one unit of the encoded feature.
    pub feature_units: &'a [f64],
    /// Whether hyperparameters have their weak priors.
    pub priors: bool,
    /// How far inference goes.
    pub inference: Settings,
}

/// Settings that a climb of the evidence usually tries, and the starts from elsewhere after it.
const CLIMB: usize = 12;
const RESTART: usize = 8;

/// A part of a utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Term {
    /// A smooth function of the features: one of [`ROUGHNESS`].
    Smooth(&'static str),
    /// A weighted sum of the numeric features.
    Linear,
    /// A function of the categories.
    Categories,
    /// The item's own.
    Own,
}

impl Term {
    /// Whether one takes the other's place: smooth functions differ in their roughness only.
    fn is_like(self, other: Self) -> bool {
        self == other || matches!((self, other), (Self::Smooth(_), Self::Smooth(_)))
    }

    fn word(self) -> &'static str {
        match self {
            Self::Smooth(word) => word,
            Self::Linear => "linear",
            Self::Categories => "categorical",
            Self::Own => "white",
        }
    }
}

/// A kernel that `auto` tries: a sum of terms.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    terms: Vec<Term>,
    ard: bool,
}

impl Candidate {
    fn spec(&self) -> KernelSpec {
        let words: Vec<&str> = self.terms.iter().map(|term| term.word()).collect();
        KernelSpec { expression: words.join(" + "), ard: self.ard }
    }
}

/// A kernel as it was learned.
#[derive(Debug, Clone)]
struct Fit {
    /// Its terms, if `auto` made it.
    terms: Vec<Term>,
    learned: Learned,
    tried: Tried,
    /// Whether the price of its hyperparameters has been taken off its score.
    priced: bool,
    /// Whether it is near its maximum only, or its evidence one that was found in less time.
    is_rough: bool,
}

/// Fits the chosen kernels; returns the best, those nearly as good, and all that were tried. `each` is called with
/// every kernel learned. [`watch::Watch::finish`] ends it with the best so far.
///
/// # Errors
/// Of [`parse`], [`Hyperparameters::new`] and [`maximise`].
#[doc(hidden)]
pub fn choose(
    problem: &Problem<'_>,
    choice: &KernelChoice,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Selected, Error> {
    in_steps(problem, choice, options, &Steps::start("learning", expected(problem, choice, options)), each)
}

/// About how many settings of the hyperparameters [`choose`] tries.
pub(super) fn expected(problem: &Problem<'_>, choice: &KernelChoice, options: &Options<'_>) -> usize {
    let KernelChoice::Auto { ard } = choice else { return CLIMB + RESTART };
    let plan = Plan::new(problem, options);
    let smooth = plan.smooth.len().min(3);
    let with_names = usize::from(plan.names) * (2 + usize::from(plan.linear));
    let refined = 2 * usize::from(!ard && options.schema.features() > 1);
    (smooth + with_names + 2 * usize::from(plan.linear) + refined).max(1) * CLIMB + RESTART
}

/// As [`choose`], with every setting a step of `steps`.
pub(super) fn in_steps(
    problem: &Problem<'_>,
    choice: &KernelChoice,
    options: &Options<'_>,
    steps: &Steps,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Selected, Error> {
    let mut race = Race { problem, options, steps, each, stop: CLOSE, fits: Vec::new(), failure: None };
    match choice {
        KernelChoice::Given(given) => {
            let found = race.fit(given, Vec::new(), &[]);
            race.enter(found);
        }
        KernelChoice::Auto { ard } => {
            let plan = Plan::new(problem, options);
            if !plan.smooth.is_empty() {
                race.stop = Stop::default();
            }
            race.run(&plan, *ard);
        }
    }
    race.restart(race.best()?)?;
    if matches!(choice, KernelChoice::Auto { ard: false }) {
        race.refine()?;
    }
    let best = race.finish_best()?;
    let near = if matches!(choice, KernelChoice::Auto { .. }) { race.near(best) } else { Vec::new() };
    Ok(race.select(best, &near))
}

/// Which terms `auto` may use.
struct Plan {
    /// Words of smooth kernels that differ.
    smooth: Vec<&'static str>,
    /// Whether a weighted sum of features is another kernel than those.
    linear: bool,
    /// Whether an item's own part can be told from noise: items are compared or asked about again, not labelled once each.
    names: bool,
    /// Whether names alone are to be tried, and features alone.
    alone: (bool, bool),
    /// Whether there are numeric features and categorical ones.
    mixed: bool,
}

impl Plan {
    fn new(problem: &Problem<'_>, options: &Options<'_>) -> Self {
        let categorical = &options.schema.categorical[..options.schema.features()];
        let (any_number, any_category) = (categorical.contains(&false), categorical.contains(&true));
        let Observations { edges, merged, .. } = problem.observations;
        let again = merged.len() > edges.len() || merged.iter().any(|o| o.count() > 1.0);
        let names = again || edges.iter().any(|edge| edge.minus().is_some());
        Self {
            smooth: match (any_number, any_category) {
                (true, _) => ROUGHNESS.to_vec(),
                // Whatever the roughness, it is the same function of categories.
                (false, true) => vec!["categorical"],
                (false, false) => Vec::new(),
            },
            linear: any_number && names,
            names,
            // Inducing items stand for items with features. Items of equal features are not forced to be equal.
            alone: (
                problem.inducing.is_none() || !any_number && !any_category,
                problem.points.equals().is_empty(),
            ),
            mixed: any_number && any_category,
        }
    }

    fn with_names(&self, mut terms: Vec<Term>) -> Vec<Term> {
        if self.names {
            terms.push(Term::Own);
        }
        terms
    }

    fn weighted_sum(&self) -> Vec<Term> {
        if self.mixed { vec![Term::Linear, Term::Categories] } else { vec![Term::Linear] }
    }
}

/// The kernels tried so far.
struct Race<'a> {
    problem: &'a Problem<'a>,
    options: &'a Options<'a>,
    steps: &'a Steps,
    each: &'a (dyn Fn(&Tried) + Sync),
    /// How near each comes to its maximum. Of several, only the one chosen goes on to where its evidence hardly rises.
    stop: Stop,
    fits: Vec<Fit>,
    /// Why the last of those that did not come to an end did not.
    failure: Option<Error>,
}

impl Race<'_> {
    fn run(&mut self, plan: &Plan, ard: bool) {
        if plan.smooth.is_empty() || plan.names && plan.alone.0 {
            self.try_terms(vec![Term::Own], ard);
        }
        let smooth = self.smooth(plan, ard);
        let linear = plan.linear.then(|| self.try_terms(plan.with_names(plan.weighted_sum()), ard)).flatten();
        if let (Some(smooth), Some(_)) = (smooth, linear) {
            self.try_terms(plan.with_names(vec![smooth, Term::Linear]), ard);
        }
        if plan.names && plan.alone.1 {
            smooth.map(|smooth| self.try_terms(vec![smooth], ard));
            linear.map(|_| self.try_terms(plan.weighted_sum(), ard));
        }
    }

    /// Smooth kernels, with names where there are any; the best of them.
    fn smooth(&mut self, plan: &Plan, ard: bool) -> Option<Term> {
        let from = self.fits.len();
        let mut before = f64::NEG_INFINITY;
        for (place, word) in plan.smooth.iter().enumerate() {
            if self.try_terms(plan.with_names(vec![Term::Smooth(word)]), ard).is_none() {
                continue;
            }
            // The others start where the first has its maximum, so it is to be the best there is.
            if self.fits.len() == from + 1 && self.restart(from).is_err() {
                return None;
            }
            let found = self.fits.last()?.learned.objective;
            let slack = if place < ROUGH { WORSE } else { 0.0 };
            if found < before - slack {
                break;
            }
            before = found;
        }
        let best = self.fits[from..].iter().max_by(|a, b| a.tried.score.total_cmp(&b.tried.score));
        best.and_then(|fit| fit.terms.first().copied())
    }

    /// Fits a sum of terms; its first one, if it came to an end.
    fn try_terms(&mut self, terms: Vec<Term>, ard: bool) -> Option<Term> {
        let first = terms.first().copied();
        let found = self.fit_candidate(&Candidate { terms, ard });
        self.enter(found).then_some(first).flatten()
    }

    fn fit_candidate(&self, candidate: &Candidate) -> Result<Fit, Error> {
        // What was learned of each term by the best that has it.
        let mut from: Vec<&Fit> = self.fits.iter().collect();
        order::sort_descending(&mut from, |fit| fit.learned.objective);
        let mut fit = self.fit(&candidate.spec(), candidate.terms.clone(), &from)?;
        // Of many kernels that is more than memory is for.
        fit.learned.evidence = None;
        Ok(fit)
    }

    /// Fits one kernel; the values of its terms start as the first of `from` has them.
    fn fit(&self, spec: &KernelSpec, terms: Vec<Term>, from: &[&Fit]) -> Result<Fit, Error> {
        let problem = self.problem;
        let kernel = parse(&spec.expression, self.options.schema, spec.ard)?;
        let responses = &problem.observations.responses;
        let mut start = Hyperparameters::for_answers(kernel, problem.points, responses, self.options)?;
        let mut warm = Warm::default();
        if start_from(&mut start, &terms, from)? {
            let Learned { hyperparameters, sites, curvature, .. } = &from[0].learned;
            warm.sites = Some(sites.clone());
            // Of another roughness the evidence is curved nearly as much.
            let alike = terms.len() == from[0].terms.len()
                && terms.iter().zip(&from[0].terms).all(|(a, b)| a.is_like(*b))
                && start.free() == hyperparameters.free();
            if alike {
                warm.curvature = curvature.clone();
            }
        }
        self.climb(&start, warm, spec, terms)
    }

    fn climb(
        &self,
        start: &Hyperparameters,
        warm: Warm,
        spec: &KernelSpec,
        terms: Vec<Term>,
    ) -> Result<Fit, Error> {
        let settings = &self.options.inference;
        let goes_on = || self.steps.goes_on(1);
        let (learned, by_less) = maximise_roughly(self.problem, start, settings, self.stop, warm, &goes_on)?;
        let is_rough = by_less || self.stop != CLOSE;
        let fit = Fit { is_rough, ..self.scored(learned, terms, spec.clone()) };
        (self.each)(&fit.tried);
        Ok(fit)
    }

    /// With the score that it is chosen by. The price of its hyperparameters is not looked for if it has lost without.
    fn scored(&self, learned: Learned, terms: Vec<Term>, kernel: KernelSpec) -> Fit {
        let lost = self.fits.iter().any(|fit| fit.tried.score > learned.objective);
        let alone = self.fits.is_empty() && (terms.is_empty() || self.options.schema.features() == 0);
        let priced = !(lost || alone || watch::is_ending());
        let price = if priced { self.price(&learned) } else { 0.0 };
        let (log_evidence, score) = (learned.log_evidence, learned.objective - price);
        let tried = Tried { kernel, log_evidence, score, weight: 0.0 };
        Fit { terms, learned, tried, priced, is_rough: false }
    }

    /// What its hyperparameters cost.
    fn price(&self, learned: &Learned) -> f64 {
        let (at, settings) = (&learned.hyperparameters, &self.options.inference);
        let volume = watch::all_or_nothing(|| log_volume(self.problem, at, &learned.sites, settings));
        volume.unwrap_or(at.free().len() as f64)
    }

    /// Those that are nearly as good as the best one, the better first, all at their price.
    fn near(&mut self, best: usize) -> Vec<usize> {
        if self.problem.points.len() > MOST_AVERAGED || self.problem.inducing.is_some() {
            return Vec::new();
        }
        let least = self.fits[best].tried.score - NEAR;
        for k in 0..self.fits.len() {
            if k != best && !self.fits[k].priced && self.fits[k].tried.score > least && !watch::is_ending() {
                self.fits[k].tried.score -= self.price(&self.fits[k].learned);
                self.fits[k].priced = true;
            }
        }
        let score = |k: &usize| self.fits[*k].tried.score;
        let near = |k: &usize| *k != best && self.fits[*k].priced && score(k) > least;
        let mut near: Vec<usize> = (0..self.fits.len()).filter(near).collect();
        order::sort_descending(&mut near, score);
        near.truncate(RIVALS);
        near
    }

    /// The best one, and the others that are near, with weights that add up to 1.
    fn select(mut self, best: usize, near: &[usize]) -> Selected {
        let top = self.fits[best].tried.score;
        let odds = |k: usize| (self.fits[k].tried.score - top).exp();
        let total: f64 = 1.0 + near.iter().map(|&k| odds(k)).sum::<f64>();
        let weights: Vec<f64> = near.iter().map(|&k| odds(k) / total).collect();
        let rival = |(&k, &weight): (&usize, &f64)| Rival { learned: self.fits[k].learned.clone(), weight };
        let rivals: Vec<Rival> = near.iter().zip(&weights).map(rival).collect();
        if !near.is_empty() {
            self.fits[best].tried.weight = 1.0 / total;
            near.iter().zip(&weights).for_each(|(&k, &weight)| self.fits[k].tried.weight = weight);
        }
        let tried = self.fits.iter().map(|fit| fit.tried.clone()).collect();
        Selected { learned: self.fits.swap_remove(best).learned, weight: 1.0 / total, rivals, tried }
    }

    /// Takes part, if it came to an end: what a request to finish has cut short, a kernel without a hyperparameter that is fixed, or one
    /// with which inference fails is left out as long as there is another.
    fn enter(&mut self, fit: Result<Fit, Error>) -> bool {
        match fit {
            Ok(fit) => self.fits.push(fit),
            Err(error) => {
                self.failure = Some(error);
                return false;
            }
        }
        true
    }

    fn best(&self) -> Result<usize, Error> {
        let score = |i: usize| self.fits[i].tried.score;
        let best = (0..self.fits.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)));
        best.ok_or_else(|| self.failure.clone().unwrap_or(Error::Inference))
    }

    /// The best one, at the maximum of its whole evidence; where inference fails there, the next one. What a request to finish cuts short stays as it is.
    fn finish_best(&mut self) -> Result<usize, Error> {
        loop {
            let best = self.best()?;
            if !self.fits[best].is_rough || watch::is_ending() {
                return Ok(best);
            }
            let rough = self.fits[best].learned.clone();
            let (before, settings) = (rough.objective, &self.options.inference);
            match finish(self.problem, rough, settings, CLOSE, &|| self.steps.goes_on(1)) {
                Ok(learned) => {
                    let Fit { learned: kept, tried, is_rough, .. } = &mut self.fits[best];
                    tried.log_evidence = learned.log_evidence;
                    tried.score += learned.objective - before;
                    (*kept, *is_rough) = (learned, false);
                    return Ok(best);
                }
                Err(Error::Cancelled) => return Ok(best),
                Err(error) => {
                    self.fits.remove(best);
                    self.failure = Some(error);
                }
            }
        }
    }

    /// One of them again from other starts.
    fn restart(&mut self, which: usize) -> Result<(), Error> {
        let Fit { terms, learned, tried, .. } = self.fits[which].clone();
        let objective = learned.objective;
        let settings = &self.options.inference;
        let learned = restart(self.problem, learned, settings, &|| self.steps.goes_on(1))?;
        if learned.objective > objective {
            let fit = self.scored(learned, terms, tried.kernel);
            self.fits[which] = fit;
        } else {
            // The same, with what it took to know.
            self.fits[which].learned = learned;
        }
        Ok(())
    }

    /// The best one with a lengthscale for every feature.
    fn refine(&mut self) -> Result<(), Error> {
        let Fit { terms, learned, tried, .. } = self.fits[self.best()?].clone();
        let ard = KernelSpec { ard: true, ..tried.kernel };
        let kernel = parse(&ard.expression, self.options.schema, true)?;
        if kernel.parameters().len() == learned.hyperparameters.kernel.parameters().len()
            || watch::is_ending()
        {
            return Ok(());
        }
        let responses = &self.problem.observations.responses;
        let mut start = Hyperparameters::for_answers(kernel, self.problem.points, responses, self.options)?;
        start.start_from(&learned.hyperparameters)?;
        let found = self.climb(&start, Some(learned.sites).into(), &ard, terms);
        self.enter(found);
        Ok(())
    }
}

/// Starts the values of each term where the first of `from` that has one like it has them, and those of the likelihoods as the first has
/// them; whether there was anything to start from.
fn start_from(start: &mut Hyperparameters, terms: &[Term], from: &[&Fit]) -> Result<bool, Error> {
    let Some(first) = from.first() else { return Ok(false) };
    let mut values: Vec<f64> = Vec::new();
    for (k, size) in start.kernel.term_sizes().into_iter().enumerate() {
        let own = &start.entries[values.len()..values.len() + size];
        let known =
            from.iter().find_map(|fit| values_of(fit, *terms.get(k)?)).filter(|known| known.len() == size);
        values.extend(known.unwrap_or_else(|| own.iter().map(|e| e.value).collect()));
    }
    let others = &first.learned.hyperparameters;
    values.extend(others.entries[others.noise_index()..].iter().map(|e| e.value));
    let bounded = |(e, value): (&Hyperparameter, f64)| {
        if e.fixed { e.value } else { value.clamp(e.bounds.0, e.bounds.1) }
    };
    let values: Vec<f64> = start.entries.iter().zip(values).map(bounded).collect();
    start.set(&values)?;
    Ok(true)
}

/// The parameters of the term like this one.
fn values_of(fit: &Fit, term: Term) -> Option<Vec<f64>> {
    let place = fit.terms.iter().position(|other| other.is_like(term))?;
    let kernel = &fit.learned.hyperparameters.kernel;
    let sizes = kernel.term_sizes();
    let before: usize = sizes.get(..place)?.iter().sum();
    let parameters = kernel.parameters();
    Some(parameters.get(before..before + sizes.get(place)?)?.iter().map(|p| p.value).collect())
}
