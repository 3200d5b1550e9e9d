//! [`Representation::Sparse`](crate::representation::Representation::Sparse): items known by name only.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use super::fit::{Found, after_learning, disconnected};
use super::{FitReport, FitSettings};
use crate::Error;
use crate::belief::Belief;
use crate::inference::ep::{self, Start};
use crate::inference::latent::chains::Settled;
use crate::inference::latent::{Chains, ChainsPrior, Joint, JointPrior, Messages};
use crate::inference::observations::Observations;
use crate::inference::prior::{Absorbed, GaussianPrior};
use crate::inference::sites::Sites;
use crate::inference::sparse::{Field, Limits, SparsePrior, probe};
use crate::inference::{Outcome, Settings};
use crate::kernel::{Kernel, parse};
use crate::learn::choice::{KernelChoice, KernelSpec, Options, Tried};
use crate::learn::{
    CLOSE, Hyperparameters, LEARNING_TOLERANCE, Learned, Setting, Warm, climb, tolerance_within,
};
use crate::likelihood::Values;
use crate::points::Points;
use crate::posterior::{Form, Names, SparsePosterior};
use crate::representation::Decision;
use rather_numerics::lbfgs;
use rather_numerics::watch::{self, Steps};

/// How a sparse precision was solved for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum SparseFit {
    /// A sparse Cholesky factor: exact.
    Factor {
        /// Entries that the factor is held in.
        entries: usize,
    },
    /// Messages and conjugate gradients.
    Messages {
        /// Entries that the factor would have; 0 if the memory left no room to find out.
        entries: usize,
        /// The errors of the variances of differences; `None` if the exact ones were out of reach.
        differences: Option<probe::Probe>,
    },
}

impl std::fmt::Display for SparseFit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Factor { entries } => {
                write!(f, "sparse precision, solved exactly: its factor has {entries} entries")
            }
            Self::Messages { entries, differences } => {
                write!(f, "sparse precision, variances by messages")?;
                if *entries > 0 {
                    write!(f, ": its factor would have {:.1e} entries", *entries as f64)?;
                }
                match differences {
                    Some(probe::Probe { pairs, largest, .. }) => {
                        write!(
                            f,
                            "; of {pairs} differences checked against exact variances, the largest error is {:.1} %",
                            100.0 * largest
                        )
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

/// The largest mismatch of moments that counts as none by messages, unless less is asked for than by default: what they leave out where chains join in loops
/// is far more.
const OF_MESSAGES: f64 = 1e-6;
/// Answers from which on the climb of the evidence starts nearer to its maximum.
const MANY: usize = 5_000;
/// Floating-point operations of a sweep, less than a millisecond, up to which there is nothing to save by messages.
const CHEAP: f64 = 3e5;
/// As many of a single sweep, where nothing is learned.
const EXPENSIVE: f64 = 3e8;
/// The largest error of the variance of a difference by messages, relative to the exact one, with which no factor is needed: a probability is off by less than
/// .004.
const ACCURATE: f64 = 0.03;
/// Differences whose variances are held against exact ones, at most.
const PROBED: usize = 64;
/// Projections from which on even the pattern of a factor takes seconds.
const MANY_EDGES: usize = 150_000;
/// What draws them.
const SEED: u64 = 0;

/// What was compared, and how inference asks it.
pub(super) struct Sparse<'a> {
    engine: Engine,
    observations: &'a Observations,
    compared: &'a Points,
}

/// What has a sparse precision, and how it is solved for.
enum Engine {
    /// Items by name, with what the last setting left.
    Names(Field, RefCell<Absorbed>),
    /// Latent variables, jointly.
    Joint(Joint),
    /// Latent variables by messages, with those of the last setting.
    Chains(Chains, RefCell<Option<Messages>>),
}

/// The log evidence at a kernel, with its gradient in the logarithms of the kernel's parameters; `None` where it has no value.
type HeldEvidence<'a> = Box<dyn Fn(&Kernel) -> Option<(f64, Vec<f64>)> + 'a>;

/// What inference found at one setting.
struct Inferred {
    outcome: Outcome,
    under: Under,
}

/// The prior at one setting, with what its inference leaves besides the outcome.
enum Under {
    Names(SparsePrior),
    Joint(JointPrior),
    /// With the gradient of the evidence, which is found with the messages.
    Chains(ChainsPrior, Messages, Vec<f64>),
}

impl Inferred {
    /// The gradient of the log evidence in the logarithms of the kernel's parameters.
    fn gradient(&self) -> Result<Vec<f64>, Error> {
        let Self { outcome, under } = self;
        match under {
            Under::Names(prior) => {
                let gradient = prior.gradient(&outcome.posterior).ok_or(Error::Inference)?;
                Ok(vec![gradient.log_variance])
            }
            Under::Joint(prior) => prior.gradient(outcome).ok_or(Error::Inference),
            Under::Chains(_, _, gradient) => Ok(gradient.clone()),
        }
    }

    /// As a posterior about `compared` holds it.
    fn into_form(self, compared: &Points) -> Result<(Outcome, Form), Error> {
        let Self { mut outcome, under } = self;
        let form = match under {
            Under::Names(prior) => Form::Names(Names::new(compared, &mut outcome, prior.variance())?),
            Under::Joint(prior) => Form::Joint(prior),
            Under::Chains(prior, messages, _) => Form::Chains(prior, messages),
        };
        Ok((outcome, form))
    }
}

impl<'a> Sparse<'a> {
    pub(super) fn new(
        kernel: &Kernel,
        compared: &'a Points,
        observations: &'a Observations,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let edges = &observations.edges;
        let engine = if are_names(kernel, compared) {
            let field = Field::new(compared.len(), edges, &[], limits).ok_or(Error::Inference)?;
            Engine::Names(field, RefCell::default())
        } else if let Some(joint) = Joint::new(kernel, compared, edges, limits) {
            Engine::Joint(joint)
        } else {
            let chains = Chains::new(kernel, compared, edges).ok_or(crate::Unsupported::Representation)?;
            Engine::Chains(chains, RefCell::new(None))
        };
        let sparse = Self { engine, observations, compared };
        // Messages know the variances of pairs only nearly, and not as those of one Gaussian.
        if sparse.is_by_messages() && observations.has_sets() {
            return Err(crate::Unsupported::JointAnswers.into());
        }
        Ok(sparse)
    }

    fn is_by_messages(&self) -> bool {
        match &self.engine {
            Engine::Names(field, _) => !field.graph().is_exact(),
            Engine::Joint(_) => false,
            Engine::Chains(..) => true,
        }
    }

    /// These settings, with the tolerance that is worth its sweeps.
    fn within_reach(&self, settings: &Settings) -> Settings {
        let least = if self.is_by_messages() && !is_exact(settings) { OF_MESSAGES } else { 0.0 };
        Settings { tolerance: settings.tolerance.max(least), ..*settings }
    }

    /// Inference at one setting, from sites that were found before.
    fn infer(
        &self,
        kernel: &Kernel,
        values: &Values,
        start: Option<Sites>,
        settings: &Settings,
    ) -> Result<Inferred, Error> {
        let merged = &self.observations.merged;
        let likelihoods = self.observations.responses.likelihoods(values);
        let sites = start.unwrap_or_else(|| Sites::empty(merged.len()));
        let settings = &self.within_reach(settings);
        match &self.engine {
            Engine::Names(field, last) => {
                let variance = kernel.white_variance().ok_or(crate::Unsupported::Representation)?;
                let prior = field.prior(variance, 0.0).ok_or(Error::Covariance)?;
                let start = Start { sites, memory: last.take() };
                let outcome =
                    ep::run(&prior, merged, &likelihoods, start, settings).ok_or(Error::Inference)?;
                Ok(Inferred { outcome, under: Under::Names(prior) })
            }
            Engine::Joint(joint) => {
                let prior = joint.prior(kernel).ok_or(Error::Covariance)?;
                let outcome =
                    ep::run(&prior, merged, &likelihoods, sites, settings).ok_or(Error::Inference)?;
                Ok(Inferred { outcome, under: Under::Joint(prior) })
            }
            Engine::Chains(chains, last) => {
                let prior = chains.prior(kernel).ok_or(Error::Covariance)?;
                let start = last.borrow_mut().take();
                let Settled { outcome, gradient, messages } =
                    prior.run(merged, &likelihoods, start, settings).ok_or(Error::Inference)?;
                *last.borrow_mut() = Some(messages.clone());
                Ok(Inferred { outcome, under: Under::Chains(prior, messages, gradient) })
            }
        }
    }

    /// Lets the next setting begin with the posterior of this one.
    fn remember(&self, outcome: &mut Outcome) {
        if let Engine::Names(_, last) = &self.engine {
            last.replace(std::mem::take(&mut outcome.posterior));
        }
    }

    /// The posterior that belongs to known sites.
    pub(super) fn posterior(
        &self,
        kernel: &Kernel,
        values: &Values,
        sites: &Sites,
        settings: &Settings,
    ) -> Result<SparsePosterior, Error> {
        let likelihoods = self.observations.responses.likelihoods(values);
        if let Engine::Chains(chains, _) = &self.engine {
            let prior = chains.prior(kernel).ok_or(Error::Covariance)?;
            let settled = prior.settle(&self.observations.merged, &likelihoods, sites.clone(), settings);
            let Settled { outcome, messages, .. } = settled.ok_or(Error::Inference)?;
            return Ok(SparsePosterior::new(outcome, Form::Chains(prior, messages), likelihoods));
        }
        let (outcome, form) =
            self.infer(kernel, values, Some(sites.clone()), settings)?.into_form(self.compared)?;
        Ok(SparsePosterior::new(outcome, form, likelihoods))
    }

    /// The mismatch of moments at which the evidence is good enough to climb. Where the precision of latent variables is factorised a sweep more takes
    /// the last of it away, and a climb among errors as large as its steps takes many.
    fn learning_tolerance(&self) -> f64 {
        match &self.engine {
            Engine::Joint(_) => tolerance_within(EVIDENCE_ERROR, self.observations.merged.len()),
            Engine::Names(..) | Engine::Chains(..) => LEARNING_TOLERANCE,
        }
    }

    /// Where the climb starts: of many answers the kernel's parameters of largest evidence while the sites of the first setting stay as they are,
    /// which takes no moments. Sites hardly move with the prior where answers are many.
    fn nearer(
        &self,
        start: Hyperparameters,
        convergence: &Settings,
    ) -> Result<(Hyperparameters, Warm), Error> {
        let merged = &self.observations.merged;
        if matches!(self.engine, Engine::Chains(..)) || merged.len() < MANY || start.free().is_empty() {
            return Ok((start, Warm::default()));
        }
        let tolerance = match &self.engine {
            Engine::Joint(_) => LEARNING_TOLERANCE,
            Engine::Names(..) | Engine::Chains(..) => HELD_TOLERANCE,
        };
        let rough = Settings { tolerance: convergence.tolerance.max(tolerance), ..*convergence };
        let mut first = self.infer(&start.kernel, &start.values(), None, &rough)?;
        self.remember(&mut first.outcome);
        let Outcome { sites, residual, .. } = first.outcome;
        if residual > rough.tolerance {
            return Ok((start, Warm::default()));
        }
        let others = start.entries.len() - start.kernel.parameters().len();
        let at = self.with_held(&sites);
        let held = |h: &Hyperparameters, _: Option<Sites>, _: &Settings, _: bool| {
            let (log_evidence, mut gradient) = at(&h.kernel).ok_or(Error::Inference)?;
            gradient.resize(gradient.len() + others, 0.0);
            Ok(Setting { log_evidence, gradient, sweeps: 0, sites: Sites::empty(0), trustworthy: true })
        };
        let goes_on = || !watch::is_ending();
        // The curvature on the way there tells how far the evidence's own top is. Of latent variables a setting costs nothing.
        let stop = match &self.engine {
            Engine::Joint(_) => lbfgs::Stop { gradient: 1e-6, decrease: 1e-9, ..Default::default() },
            Engine::Names(..) | Engine::Chains(..) => CLOSE,
        };
        let found = climb(&start, convergence, stop, Warm::default(), &goes_on, held);
        let Ok(Learned { hyperparameters, curvature, .. }) = found else {
            return Ok((start, Some(sites).into()));
        };
        Ok((hyperparameters, Warm { sites: Some(sites), curvature }))
    }

    /// The evidence, up to a constant factor, while the sites stay as they are.
    fn with_held(&self, sites: &Sites) -> HeldEvidence<'_> {
        let (tau, nu) = sites.by_edge(&self.observations.merged, self.observations.edges.len());
        match &self.engine {
            Engine::Joint(joint) => {
                let summary = joint.summary(&tau, &nu);
                Box::new(move |kernel| joint.prior(kernel)?.of_summary(&summary))
            }
            Engine::Names(field, last) => Box::new(move |kernel| {
                let prior = field.prior(kernel.white_variance()?, 0.0)?;
                let posterior = prior.absorb_into(&tau, &nu, last.take())?;
                let value = 0.5 * (prior.quadratic(&tau, &nu, &posterior) - prior.log_det(&posterior));
                let gradient = vec![prior.gradient(&posterior)?.log_variance];
                last.replace(posterior);
                value.is_finite().then_some((value, gradient))
            }),
            Engine::Chains(..) => Box::new(|_| None),
        }
    }

    /// Inference at what was learned, from the sites found on the way.
    fn finish(&self, learned: &mut Learned, settings: &Settings) -> Result<Inferred, Error> {
        let sites = std::mem::take(&mut learned.sites);
        let h = &learned.hyperparameters;
        self.infer(&h.kernel, &h.values(), Some(sites), settings)
    }

    /// Whether no answer contradicts the utilities.
    fn is_consistent(&self, outcome: &Outcome) -> bool {
        let mean = &outcome.posterior.mean;
        self.observations.responses.is_plain()
            && self.observations.merged.iter().all(|o| o.sign() * mean[o.edge()] > 0.0)
    }

    /// Whether the evidence is no worse at a noise ten times smaller, as for the whole covariance.
    fn noise_is_open(&self, h: &Hyperparameters, log_evidence: f64) -> bool {
        let rough = Settings { tolerance: 1e-4, ..Settings::default() };
        !h.free().is_empty()
            && self
                .infer(&h.kernel, &(0.1 * h.noise()).into(), None, &rough)
                .is_ok_and(|sharper| sharper.outcome.log_evidence > log_evidence - 1.0)
    }

    fn how(&self, form: &Form) -> SparseFit {
        match (&self.engine, form) {
            (Engine::Names(field, _), Form::Names(names)) if !field.graph().is_exact() => {
                SparseFit::Messages {
                    entries: field.graph().entries(),
                    differences: probe::probe(names.precision(), PROBED, ACCURATE, SEED),
                }
            }
            (Engine::Chains(..), _) => SparseFit::Messages { entries: 0, differences: None },
            _ => SparseFit::Factor { entries: self.entries().unwrap_or(0) },
        }
    }

    /// Entries of the factor, if there is one.
    fn entries(&self) -> Option<usize> {
        match &self.engine {
            Engine::Names(field, _) => field.graph().is_exact().then(|| field.graph().entries()),
            Engine::Joint(joint) => Some(joint.entries()),
            Engine::Chains(..) => None,
        }
    }
}

/// The limits under which a saved model solves as it did when it was fitted.
pub(super) fn limits_of(fit: &SparseFit) -> Limits {
    match fit {
        SparseFit::Factor { .. } => Limits::default(),
        SparseFit::Messages { .. } => Limits::MESSAGES,
    }
}

/// Whether variances by messages are as near to the exact ones as makes no difference to probabilities.
fn are_accurate(report: &FitReport) -> bool {
    match &report.sparse {
        Some(SparseFit::Messages { differences: Some(probe), .. }) => probe.largest <= ACCURATE,
        _ => false,
    }
}

/// Whether less is asked for than by default: then a factor is taken wherever it fits.
fn is_exact(settings: &Settings) -> bool {
    settings.tolerance < Settings::default().tolerance
}

/// Whether each item has a utility of its own, independent of the others.
fn are_names(kernel: &Kernel, compared: &Points) -> bool {
    kernel.is_white() && compared.dims() == 0 && !compared.are_teams()
}

/// The kernel asked for.
fn kernel(choice: &KernelChoice, options: &Options<'_>) -> Result<(KernelSpec, Kernel), Error> {
    let spec = match choice {
        KernelChoice::Auto { .. } => KernelSpec { expression: "white".into(), ard: false },
        KernelChoice::Given(spec) => spec.clone(),
    };
    let kernel = parse(&spec.expression, options.schema, spec.ard)?;
    Ok((spec, kernel))
}

/// The mismatch of moments with which the sites of items by name tell where the climb starts: they are those of another prior anyway.
const HELD_TOLERANCE: f64 = 0.1;
/// How far the evidence may be off while learning, in nats: what the last step of a climb gains.
const EVIDENCE_ERROR: f64 = 1e-3;

/// How far the evidence of so many sites is off at this tolerance, in nats: it is flat at the fixpoint, so every site is off by its square.
fn evidence_error(sites: usize, tolerance: f64) -> f64 {
    sites as f64 * tolerance * tolerance
}

/// Settings that a climb of the evidence usually tries.
const CLIMB: usize = 10;

impl Sparse<'_> {
    /// Learns about `compared`, what was compared. `held` tells how the prior is held if the factor has so
    /// many entries, or if messages take its place. Where the factor is expensive and messages are as accurate, they do.
    pub(super) fn fit(
        compared: &Points,
        observations: &Observations,
        limits: &Limits,
        held: impl Fn(Option<usize>) -> Decision,
        settings: &FitSettings,
        options: &Options<'_>,
        each: &(dyn Fn(&Tried) + Sync),
    ) -> Result<Found, Error> {
        let (spec, kernel) = kernel(&settings.kernel, options)?;
        let start = Hyperparameters::for_answers(kernel, compared, &observations.responses, options)?;
        let convergence = settings.inference.convergence();
        let learn = |sparse: &Sparse<'_>| {
            let near = sparse.nearer(start.clone(), &convergence)?;
            sparse.learn(&spec, near, &convergence, each)
        };
        let found = |sparse: &Sparse<'_>, learned| sparse.found(learned, &held, &convergence);
        let again = |sparse: &Sparse<'_>, found: Found| {
            let warm = found.belief.sites().first().map(|&sites| sites.clone()).into();
            let learned = sparse.learn(&spec, (found.hyperparameters, warm), &convergence, each)?;
            sparse.found(learned, &held, &convergence)
        };
        let is_enough = |found: &Found| are_accurate(&found.report) || watch::is_ending();
        let sparse = |limits| Sparse::new(&start.kernel, compared, observations, limits);
        let may = are_names(&start.kernel, compared) && !observations.has_sets();
        let many = observations.edges.len() >= MANY_EDGES && !is_exact(&convergence);
        let messages = if may && many { Some(sparse(&Limits::MESSAGES)?) } else { None };
        if let Some(messages) = messages.filter(Sparse::are_likely_accurate)
            && let Ok(by_messages) = learn(&messages).and_then(|learned| found(&messages, learned))
        {
            if is_enough(&by_messages) {
                return Ok(by_messages);
            }
            let sparse = sparse(limits)?;
            return if sparse.entries().is_some() { again(&sparse, by_messages) } else { Ok(by_messages) };
        }
        let sparse = sparse(limits)?;
        let quicker = sparse.quicker(!start.free().is_empty());
        let Some(quicker) = quicker else { return found(&sparse, learn(&sparse)?) };
        let Ok(learned) = learn(&quicker) else { return found(&sparse, learn(&sparse)?) };
        if (!is_exact(&convergence) && quicker.tells_differences() || watch::is_ending())
            && let Ok(by_messages) = found(&quicker, learned.clone())
        {
            return Ok(by_messages);
        }
        let (Learned { hyperparameters, sites, curvature, .. }, _) = learned;
        let warm = Warm { sites: Some(sites), curvature };
        found(&sparse, sparse.learn(&spec, (hyperparameters, warm), &convergence, each)?)
    }

    /// Whether messages are tried before a factor is looked for: of items by name that are hardly ever compared with each other in a circle of three, so that
    /// what messages leave out goes a long way round.
    fn are_likely_accurate(&self) -> bool {
        matches!(&self.engine, Engine::Names(field, _) if field.graph().has_few_triangles(SEED))
    }

    /// Whether the variances of differences under the last setting are by messages as they are exactly, or nearly so.
    fn tells_differences(&self) -> bool {
        let Engine::Names(_, last) = &self.engine else { return false };
        let last = last.borrow();
        let probe = last.precision.as_ref().and_then(|q| probe::probe(q, PROBED, ACCURATE, SEED));
        probe.is_some_and(|probe| probe.largest <= ACCURATE)
    }

    /// The same by messages, if those are quicker than a factor.
    fn quicker(&self, learns: bool) -> Option<Self> {
        let Engine::Names(field, _) = &self.engine else { return None };
        let least = if learns { CHEAP } else { EXPENSIVE };
        let is_quicker = field.graph().is_wide() && self.work() > least && !self.observations.has_sets();
        is_quicker.then(|| Self {
            engine: Engine::Names(field.by_messages(), RefCell::default()),
            observations: self.observations,
            compared: self.compared,
        })
    }

    /// Floating-point operations of a sweep by the factor.
    fn work(&self) -> f64 {
        match &self.engine {
            Engine::Names(field, _) => field.graph().work(),
            Engine::Joint(_) | Engine::Chains(..) => 0.0,
        }
    }

    /// Climbs the evidence; what was learned, and as what it was tried.
    fn learn(
        &self,
        spec: &KernelSpec,
        (start, warm): (Hyperparameters, Warm),
        convergence: &Settings,
        each: &(dyn Fn(&Tried) + Sync),
    ) -> Result<(Learned, Tried), Error> {
        let steps = Steps::start("learning", CLIMB);
        let tolerance = self.learning_tolerance();
        let stop = lbfgs::Stop { error: evidence_error(self.observations.merged.len(), tolerance), ..CLOSE };
        let goes_on = || steps.goes_on(1);
        let infer = |h: &Hyperparameters, sites: Option<Sites>, rough: &Settings, sloped: bool| {
            let rough = &Settings { tolerance: rough.tolerance.min(tolerance), ..*rough };
            let mut inferred = self.infer(&h.kernel, &h.values(), sites, rough)?;
            let mut gradient = if sloped { inferred.gradient()? } else { Vec::new() };
            let outcome = &mut inferred.outcome;
            gradient.extend(&outcome.d_values);
            self.remember(outcome);
            let Outcome { log_evidence, sweeps, sites, trustworthy, .. } = inferred.outcome;
            Ok(Setting { log_evidence, gradient, sweeps, sites, trustworthy })
        };
        let learned = climb(&start, convergence, stop, warm, &goes_on, infer)?;
        let (log_evidence, score) = (learned.log_evidence, learned.objective);
        let tried = Tried { kernel: spec.clone(), log_evidence, score, weight: 0.0 };
        drop(steps);
        each(&tried);
        Ok((learned, tried))
    }

    /// The posterior at what was learned, with all that is to be said of it.
    fn found(
        &self,
        (mut learned, tried): (Learned, Tried),
        held: &impl Fn(Option<usize>) -> Decision,
        convergence: &Settings,
    ) -> Result<Found, Error> {
        let Self { observations, compared, .. } = *self;
        let mut inferred = self.finish(&mut learned, convergence)?;
        let mut open = false;
        if self.is_consistent(&inferred.outcome) && !watch::is_ending() {
            // One posterior at a time: the other setting's is another whole one.
            self.remember(&mut inferred.outcome);
            let Outcome { log_evidence, sites, sweeps, .. } = inferred.outcome;
            open = self.noise_is_open(&learned.hyperparameters, log_evidence);
            learned.sites = sites;
            inferred = self.finish(&mut learned, convergence)?;
            inferred.outcome.sweeps = sweeps;
        }
        let (outcome, form) = inferred.into_form(compared)?;
        let h = &learned.hyperparameters;
        let mut notices = after_learning(&learned, &outcome, || open);
        notices.extend(disconnected(observations, compared));
        let report = FitReport {
            sparse: Some(self.how(&form)),
            ..FitReport::of(observations, &learned, &outcome, vec![tried], notices, held(self.entries()))
        };
        let likelihoods = observations.responses.likelihoods(&h.values());
        let belief = Belief::Sparse(Box::new(SparsePosterior::new(outcome, form, likelihoods)));
        Ok(Found {
            hyperparameters: learned.hyperparameters,
            inducing: None,
            report,
            belief,
            method: None,
            rivals: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{Answer, Answers};
    use crate::kernel::{Schema, parse};
    use crate::likelihood::ResponseModel;

    #[test]
    fn less_than_the_usual_mismatch_is_reached_by_messages_if_it_is_asked_for() {
        // Three items at four times: the item of each side, with the time and the item's first one.
        let (mut ids, mut rows) = (Vec::new(), Vec::new());
        for day in 0..4 {
            for (winner, loser) in [(0, 1), (1, 2), (2, 0)] {
                ids.extend([winner, loser]);
                rows.extend([f64::from(day), 0.0].repeat(2));
            }
        }
        let compared = Points::new(ids, 2, rows);
        let answers: Answers = (0..12).map(|m| Answer::rather(2 * m, 2 * m + 1)).collect();
        let observations = Observations::of(&answers, &[], ResponseModel::default());
        let names = vec!["day".to_owned(), String::new()];
        let schema = Schema { names, categorical: vec![false; 2], context: 2 };
        let kernel = parse("white[item]*matern12[day]", &schema, false).expect("a kernel");
        let sparse = Sparse::new(&kernel, &compared, &observations, &Limits::MESSAGES).expect("chains");
        assert!(matches!(sparse.engine, Engine::Chains(..)));
        let residual = |tolerance: f64| {
            let settings = Settings { tolerance, ..Settings::default() };
            sparse.infer(&kernel, &1.0.into(), None, &settings).expect("a fixpoint").outcome.residual
        };
        assert!(residual(Settings::default().tolerance) <= OF_MESSAGES);
        assert!(residual(1e-11) <= 1e-11);
    }
}
