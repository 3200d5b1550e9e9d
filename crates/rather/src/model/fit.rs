//! Learning a model: what all ways of fitting share, and fitting by a whole covariance or by features of low rank.

use std::collections::HashMap;

use super::average::{self, average};
use super::notice::{bound_notices, noise_is_open, unused_features};
use super::sparse::Sparse;
use super::stream::Stream;
use super::worth::forced_equal;
use super::{
    FitReport, FitSettings, Integration, Items, LowRankFit, Model, Naming, Notice, PairEffect,
    StreamingSettings, answers,
};
use crate::answers::{Answer, Answers};
use crate::belief::Belief;
use crate::evidence::{Evidence, Problem};
use crate::exact::{ExactFit, ExactPosterior, differences};
use crate::features::{Column, Encoder, FeatureNotice};
use crate::inducing::Inducing;
use crate::inference::observations::{Observation, Observations};
use crate::inference::sparse::Limits;
use crate::inference::{Method, Outcome, Status, correction};
use crate::lbfgs;
use crate::learn::choice::{Options, Rival, Selected, Tried, choose};
use crate::learn::{Hyperparameters, Learned, coarse, maximise};
use crate::likelihood::Responses;
use crate::memory::{self, Size};
use crate::posterior::Posterior;
use crate::representation::{self, Held, Representation};
use crate::watch::{self, Steps};
use crate::{Comparison, Error};

/// Nats of correction of the log evidence at which the approximation is called rough: intervals and probabilities are then off by some percent.
const ROUGH: f64 = 0.25;

/// What a way of fitting found: all that a model is besides its table and what was said.
pub(super) struct Found {
    pub(super) hyperparameters: Hyperparameters,
    /// Positions of the inducing items among the compared ones, if there are any.
    pub(super) inducing: Option<Vec<usize>>,
    pub(super) report: FitReport,
    pub(super) belief: Belief,
    /// By which approximation, if by another than was asked for.
    pub(super) method: Option<Method>,
    /// Those of the kernels that are averaged with the best one, in their order.
    pub(super) rivals: Vec<Hyperparameters>,
}

impl Model {
    /// Learns from comparisons of `items`, numbered as in their table. `progress` hears of every kernel tried.
    ///
    /// # Errors
    /// [`Error::NoComparisons`]; [`Error::StreamSize`] and [`Error::StreamNoise`] for what streaming inference does not take;
    /// [`Error::ExactSize`] for more comparisons than exact inference holds;
    /// [`Error::UnknownItem`] and [`Error::SelfComparison`] for a comparison that is
    /// none; and those of [`Encoder::encode`] and [`choose`].
    ///
    /// # Examples
    /// ```
    /// use rather::features::{Column, ColumnValues};
    /// use rather::model::{FitSettings, Items, Model};
    /// use rather::Comparison;
    ///
    /// let price = Column { name: "price".into(), values: ColumnValues::Numeric(vec![1.0, 2.0, 3.0]) };
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![price] };
    /// let rather = |winner, loser| Comparison { winner, loser, count: 3 };
    /// let model = Model::fit(&items, &[rather(0, 1), rather(1, 2)], &FitSettings::default(), &|_| ())?;
    /// let ranking = model.rank(model.points());
    /// assert_eq!(ranking[0].item, 0);
    /// assert!(model.probabilities(model.points(), &[(0, 2)])[0] > 0.8);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn fit(
        items: &Items,
        comparisons: &[Comparison],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        Self::fit_given(items, comparisons, &[], settings, progress)
    }

    /// Learns from answers of any kinds, given by `users`, who are numbered in them. Parameters of the likelihoods are learned beside
    /// those of the kernel. [`watch::Watch::finish`] ends learning with the best found so far.
    ///
    /// # Errors
    /// As [`Model::fit`]; [`Error::Cancelled`] if it was ended with nothing found yet; [`Error::Answer`]; [`Error::PairEffect`]; [`Error::Integration`]; and [`Error::OnlyDuels`] for other answers than plain comparisons, or another response model,
    /// with exact or streaming inference.
    ///
    /// # Examples
    /// ```
    /// use rather::answers::Answer;
    /// use rather::model::{FitSettings, Items, Model};
    ///
    /// let items = Items { keys: vec!["tea".into(), "coffee".into(), "wine".into()], columns: vec![] };
    /// let answers = [
    ///     Answer::better(0, 1, 1).times(6),
    ///     Answer::tie(0, 1).times(3),
    ///     Answer::better(1, 2, 1).times(2),
    ///     Answer::tie(1, 2).times(4),
    /// ];
    /// let model = Model::fit_answers(&items, &answers, &[], &FitSettings::default(), &|_| ())?;
    /// let said = &model.outcomes(model.points(), &[(0, 2)])[0];
    /// assert_eq!(said.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["left", "tie", "right"]);
    /// assert!((said.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9);
    /// assert!(said[0].1 > said[2].1);
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn fit_answers(
        items: &Items,
        answers: &[Answer],
        users: &[String],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        Self::fit_given(items, answers, users, settings, progress)
    }

    /// As [`Model::fit_answers`]; the answers' own memory is given back before learning begins.
    ///
    /// # Errors
    /// As [`Model::fit_answers`].
    pub fn fit_given(
        items: &Items,
        answers: impl Into<Answers>,
        users: &[String],
        settings: &FitSettings,
        progress: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Self, Error> {
        let learned = |tried: &Tried| {
            watch::tried(tried);
            progress(tried);
        };
        let answers = answers.into();
        answers.check(items.keys.len())?;
        let mut observations = Observations::of(&answers, users, settings.manner);
        // Only streaming inference looks at answers in the order in which they were given.
        let streams = settings.method == Method::Streaming;
        let comparisons = if streams { answers::comparisons(&answers) } else { Vec::new() };
        let given = answers.len();
        drop(answers);
        if settings.manner.pair_effect && settings.method == Method::Laplace {
            return Err(Error::PairEffect);
        }
        if settings.integration == Integration::Always {
            let sampled = matches!(settings.method, Method::Exact | Method::Streaming);
            let reduced =
                matches!(settings.representation, Representation::LowRank(_) | Representation::Sparse);
            if sampled || reduced {
                return Err(Error::Integration);
            }
        }
        let plain =
            observations.responses.is_plain() && observations.edges.iter().all(|e| e.minus().is_some());
        if matches!(settings.method, Method::Exact | Method::Streaming) && !plain {
            return Err(Error::OnlyDuels);
        }
        let (encoder, feature_notices) = Encoder::fit(&items.columns, settings.raw_features);
        let points = encoder.encode(&items.columns, (0..items.keys.len() as u64).collect())?;
        if settings.method == Method::Exact {
            // Before learning, which may take long.
            differences::check_size(&observations.merged)?;
        }
        let compared = points.select(&observations.items);
        let (schema, units) = (encoder.schema(), encoder.units());
        let options = Options {
            schema: &schema,
            units: settings.units,
            fixed: &settings.fixed,
            feature_units: &units,
            priors: settings.priors,
            inference: settings.inference,
        };
        let problem = Problem {
            points: &compared,
            observations: &observations,
            method: settings.method.approximation(),
            space: settings.space,
            inducing: None,
        };
        let size = size_of(&problem, (items.keys.len(), given), settings, &options);
        let found = if streams {
            let StreamingSettings { memory: keep, .. } = settings.streaming;
            let basis = settings.streaming.largest_basis(settings.kernel.is_by_name(&schema));
            memory::allow(memory::streaming(&size, basis, keep), settings.memory)?;
            let comparisons = &comparisons[..];
            let stream = Stream {
                points: &points,
                observations: &observations,
                comparisons,
                settings,
                options: &options,
            };
            stream.fit(&learned)?
        } else {
            let held = representation::decide(settings.representation, size, settings.memory)?;
            if held.representation == Representation::Sparse {
                let left = settings.memory.saturating_sub(held.estimated + memory::factor(&size, 0));
                let limits = Limits::within(left);
                let held = |entries: Option<usize>| Held {
                    estimated: held.estimated + entries.map_or(0, |entries| memory::factor(&size, entries)),
                    ..held
                };
                Sparse::new(&observations, &limits)?.fit(&compared, held, settings, &options, &learned)?
            } else {
                let rough = trusted_batch(&problem, held, settings, &options, &learned)?;
                match instead(&rough, &size, settings) {
                    Some(held) => wholly(&problem, rough, held, settings, &options, &learned)?,
                    None => rough,
                }
            }
        };
        let found = match with_pair_effect(&problem, &found, settings, &options, &learned)? {
            Some((better, responses)) => {
                observations.responses = responses;
                better
            }
            None => found,
        };
        let method = found.method.unwrap_or(settings.method);
        let Found { hyperparameters, inducing, mut report, belief, rivals, .. } = found;
        let of_features = feature_notices.iter().cloned().map(|notice| Notice::Feature { notice });
        report.notices.splice(0..0, of_features);
        Ok(Self {
            positions: positions(&items.keys),
            labels: label_column(&items.columns, &feature_notices),
            keys: items.keys.clone(),
            encoder,
            points,
            method,
            hyperparameters,
            observations,
            inducing,
            rivals,
            report,
            belief,
            naming: Naming::default(),
        })
    }
}

/// By the whole covariance, or by features of low rank.
fn batch(
    problem: &Problem<'_>,
    held: Held,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Found, Error> {
    finish(problem, learn(problem, held, settings, options, each)?, held, settings, options)
}

/// How the prior is to be held instead, if features of low rank were taken to be quick and are too rough.
fn instead(found: &Found, size: &Size, settings: &FitSettings) -> Option<Held> {
    let rough = found.report.low_rank.is_some_and(|fit| fit.is_rough());
    let held = found.report.held.filter(|_| rough && !watch::is_ending())?;
    representation::instead(held, size, settings.memory)
}

/// The same kernel with the whole covariance, from what features of low rank have learned; those where that comes to nothing.
fn wholly(
    problem: &Problem<'_>,
    rough: Found,
    held: Held,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Found, Error> {
    let steps = Steps::start("learning", CLIMB);
    let (start, mut tried) = (&rough.hyperparameters, rough.report.tried.clone());
    let (stop, goes_on) = (lbfgs::Stop::default(), || steps.goes_on(1));
    let learned = match maximise(problem, start, &settings.inference, stop, None, &goes_on) {
        Err(Error::Cancelled | Error::Inference) => return Ok(rough),
        found => found?,
    };
    if let Some(chosen) = tried.iter_mut().max_by(|a, b| a.score.total_cmp(&b.score)) {
        chosen.score += learned.log_evidence - chosen.log_evidence;
        chosen.log_evidence = learned.log_evidence;
        each(chosen);
    }
    drop(steps);
    let whole = finish(problem, Chosen { tried, ..Chosen::alone(learned) }, held, settings, options)?;
    Ok(if whole.report.trustworthy { whole } else { rough })
}

/// The same kernel with a random effect of every pair, from what was learned without, and the responses of such answers; `None` if the evidence is
/// not clearly higher, or pairs are hardly compared repeatedly.
fn with_pair_effect(
    problem: &Problem<'_>,
    found: &Found,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Option<(Found, Responses)>, Error> {
    let is_gaussian =
        matches!(found.belief, Belief::Gaussian(_) | Belief::Mixture(_)) && found.method.is_none();
    let may = settings.pair_effect == PairEffect::Auto && !settings.manner.pair_effect;
    let (true, true, true, Some(held)) = (may, is_gaussian, settings.method == Method::Ep, found.report.held)
    else {
        return Ok(None);
    };
    if !found.report.trustworthy || watch::is_ending() || !is_repeated(problem.observations) {
        return Ok(None);
    }
    let mut observations = problem.observations.clone();
    observations.responses.manner.pair_effect = true;
    let problem =
        Problem { observations: &observations, inducing: found.inducing.as_deref(), ..problem.clone() };
    let kernel = found.hyperparameters.kernel.clone();
    let mut start = Hyperparameters::for_answers(kernel, problem.points, &observations.responses, options)?;
    start.start_from(&found.hyperparameters)?;
    let steps = Steps::start("learning", CLIMB);
    let (stop, goes_on) = (lbfgs::Stop::default(), || steps.goes_on(1));
    let learned = match maximise(&problem, &start, &settings.inference, stop, None, &goes_on) {
        Err(Error::Cancelled | Error::Inference) => return Ok(None),
        found => found?,
    };
    drop(steps);
    if learned.log_evidence < found.report.log_evidence + CLEARLY {
        return Ok(None);
    }
    let mut tried = found.report.tried.clone();
    if let Some(chosen) = tried.iter_mut().max_by(|a, b| a.score.total_cmp(&b.score)) {
        chosen.score += learned.log_evidence - chosen.log_evidence;
        chosen.log_evidence = learned.log_evidence;
        each(chosen);
    }
    let chosen = Chosen { tried, inducing: found.inducing.clone(), ..Chosen::alone(learned) };
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
    let answers: f64 = merged.iter().filter(|o| compared(o.edge())).map(Observation::count).sum();
    pairs >= FEWEST_PAIRS && answers >= REPEATED * pairs as f64
}

/// Settings that a climb from nearby usually tries.
const CLIMB: usize = 8;

/// The posterior at what was learned, and what is worth knowing of it.
fn finish(
    problem: &Problem<'_>,
    chosen: Chosen,
    held: Held,
    settings: &FitSettings,
    options: &Options<'_>,
) -> Result<Found, Error> {
    let Chosen { learned, weight, rivals, tried, inducing } = chosen;
    let problem = &Problem { inducing: inducing.as_deref(), ..problem.clone() };
    let held = inducing.as_ref().map_or(held, |these| held.with_features(these.len()));
    let h = &learned.hyperparameters;
    let evidence = problem.evaluate(&h.kernel, h.values(), Some(&learned.sites), &settings.inference)?;
    let open = || noise_is_open(problem, h, &evidence, &settings.inference);
    let mut notices = after_learning(&learned, &evidence.outcome, open);
    notices.extend(forced_equal(&h.kernel, problem.points));
    notices.extend(unused_features(&h.kernel, options.schema));
    if options.schema.names.is_empty() {
        notices.extend(disconnected(problem.observations));
    }
    let mut report = FitReport::of(problem.observations, &learned, &evidence.outcome, tried, notices, held);
    if settings.method == Method::Ep && problem.method == Method::Ep && report.trustworthy {
        let likelihoods = problem.observations.responses.likelihoods(&h.values());
        let Evidence { prior, outcome } = &evidence;
        report.correct(correction::log_evidence(prior, &problem.observations.merged, &likelihoods, outcome));
    }
    let kernel = h.kernel.clone();
    let mut averaged = Vec::new();
    let (belief, report) = if settings.method == Method::Exact {
        drop(evidence);
        let sample = || ExactPosterior::new(problem, kernel, h.noise(), &settings.exact);
        // Who ended learning wants the draws; who ends the drawing gets nothing.
        let posterior = if watch::is_ending() { sample() } else { watch::all_or_nothing(sample) }?;
        let report = report.sampled(&posterior);
        (Belief::Exact(Box::new(posterior)), report)
    } else {
        let posterior = Posterior::new(problem, kernel, h.values(), evidence);
        if let Some(inducing) = inducing.as_deref().filter(|_| !watch::is_ending()) {
            let fit = LowRankFit::new(problem, h, inducing, &posterior, &settings.inference);
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

/// As [`batch`]; where expectation propagation is not to be trusted, by Laplace's approximation, if that is.
fn trusted_batch(
    problem: &Problem<'_>,
    held: Held,
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
    let pair_effect = problem.observations.responses.manner.pair_effect;
    if !doubtful || settings.method != Method::Ep || low_rank || pair_effect || watch::is_ending() {
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

/// What is worth knowing of a climb of the evidence and of inference at its end. `open` says whether the evidence is no worse at a much
/// smaller noise.
pub(super) fn after_learning(
    learned: &Learned,
    outcome: &Outcome,
    open: impl FnOnce() -> bool,
) -> Vec<Notice> {
    let mut out = Vec::new();
    if outcome.status != Status::Converged || !outcome.trustworthy {
        out.push(Notice::NotConverged { residual: outcome.residual, sweeps: outcome.sweeps });
    }
    if outcome.clipped > 0 {
        out.push(Notice::Clipped { projections: outcome.clipped });
    }
    if watch::is_ending() {
        out.push(Notice::Interrupted);
    } else if !learned.converged {
        out.push(Notice::NotMaximised);
    }
    out.extend(bound_notices(&learned.hyperparameters));
    // A fit that is to end need not know.
    if watch::all_or_nothing(|| Ok(open())).unwrap_or(false) {
        out.push(Notice::Consistent { ratio: learned.hyperparameters.ratio() });
    }
    out
}

/// Items by name share no scale where they were never compared.
pub(super) fn disconnected(observations: &Observations) -> Option<Notice> {
    let groups = observations.groups();
    (groups > 1).then_some(Notice::Disconnected { groups })
}

impl FitReport {
    /// Of a climb of the evidence, and of inference at its end.
    pub(super) fn of(
        observations: &Observations,
        learned: &Learned,
        outcome: &Outcome,
        tried: Vec<Tried>,
        notices: Vec<Notice>,
        held: Held,
    ) -> Self {
        Self {
            comparisons: observations.total(),
            log_evidence: outcome.log_evidence,
            evidence_correction: None,
            sweeps: learned.sweeps + outcome.sweeps,
            residual: outcome.residual,
            status: outcome.status,
            trustworthy: outcome.trustworthy,
            evaluations: learned.evaluations,
            tried,
            notices,
            held: Some(held),
            exact: None,
            streaming: None,
            low_rank: None,
            sparse: None,
        }
    }

    /// With the correction of the evidence, which tells how rough the approximation is.
    fn correct(&mut self, correction: Option<f64>) {
        self.evidence_correction = correction;
        let large = correction.filter(|nats| nats.abs() > ROUGH);
        self.notices.extend(large.map(|correction| Notice::RoughApproximation { correction }));
    }

    /// With what sampling found in the place of what the approximation did.
    fn sampled(mut self, posterior: &ExactPosterior) -> Self {
        self.notices.retain(|notice| !matches!(notice, Notice::NotConverged { .. }));
        let exact = ExactFit::new(posterior, self.log_evidence);
        let report = &exact.sampling;
        // The draws do not depend on how near the approximation is that they are made around.
        self.trustworthy = true;
        self.status = if report.mixed() { Status::Converged } else { Status::Limit };
        if !report.mixed() {
            let (effective_samples, r_hat) = (report.effective_samples, report.r_hat);
            self.notices.push(Notice::NotMixed { effective_samples, r_hat });
        }
        match exact.log_evidence {
            Some(z) => self.log_evidence = z.value,
            None => self.notices.push(Notice::NoExactEvidence),
        }
        self.exact = Some(exact);
        self
    }
}

/// What the memory of this problem depends on, with so many items in their table and so many answers given.
fn size_of(
    problem: &Problem<'_>,
    (table, answers): (usize, usize),
    settings: &FitSettings,
    options: &Options<'_>,
) -> Size {
    let by_name = settings.kernel.is_by_name(options.schema);
    let observations = problem.observations;
    let exact = settings.method == Method::Exact;
    Size {
        items: problem.points.len(),
        pairs: observations.edges.len(),
        table,
        columns: problem.points.dims(),
        answers,
        merged: observations.merged.len(),
        draws: exact.then(|| (observations.total() as usize, settings.exact.samples)),
        by_name,
        others: if exact {
            0
        } else {
            average::others(problem.points.len(), settings, options.schema, &observations.responses)
        },
        needs_whole: settings.method != Method::Ep
            || settings.integration == Integration::Always
            || settings.space.is_some()
            || (by_name && !observations.responses.is_plain()),
    }
}

/// What learning chose.
struct Chosen {
    learned: Learned,
    /// Its weight in the average with its rivals.
    weight: f64,
    rivals: Vec<Rival>,
    tried: Vec<Tried>,
    /// The positions of the inducing items, if there are any.
    inducing: Option<Vec<usize>>,
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
    held: Held,
    settings: &FitSettings,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<Chosen, Error> {
    let Representation::LowRank(features) = held.representation else {
        let Selected { learned, weight, rivals, tried } = choose(problem, &settings.kernel, options, each)?;
        return Ok(Chosen { weight, rivals, tried, ..Chosen::alone(learned) });
    };
    let items = &problem.observations.items;
    let inducing = match &settings.inducing {
        Inducing::Given(given) => {
            let position =
                |&item: &usize| items.binary_search(&item).map_err(|_| Error::InducingItem { item });
            Inducing::Given(given.iter().map(position).collect::<Result<_, _>>()?)
        }
        other => other.clone(),
    };
    let found = coarse::choose(problem, (&inducing, features), &settings.kernel, options, each)?;
    Ok(Chosen { tried: found.tried, inducing: Some(found.inducing), ..Chosen::alone(found.learned) })
}

/// Where each key stands.
pub(super) fn positions(keys: &[String]) -> HashMap<String, usize> {
    keys.iter().enumerate().map(|(i, key)| (key.clone(), i)).collect()
}

/// The first column that the encoder took for a label.
fn label_column(columns: &[Column], notices: &[FeatureNotice]) -> Option<Column> {
    let name = notices.iter().find_map(|n| match n {
        FeatureNotice::Label { name } => Some(name),
        FeatureNotice::Constant { .. } => None,
    })?;
    columns.iter().find(|c| &c.name == name).cloned()
}
