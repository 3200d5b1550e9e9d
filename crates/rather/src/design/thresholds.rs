//! Which hyperparameters answers are believed with: those of the prior, and those that the answers themselves tell.

use super::answer::{have_thresholds, observations};
use super::fit::{features, problem, weighted};
use super::{Column, History, Kept, Outcome, Prior, Trial};
use crate::Error;
use crate::evidence::Problem;
use crate::inference::observations::Observations;
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Settings};
use crate::kernel::{Kernel, Role};
use crate::learn::integration::{Node, nodes};
use crate::learn::{self, Hyperparameter, Hyperparameters, Learned, LogNormal, Scale, Warm, climb, maximise};
use crate::likelihood::graded::{TIE, is_grade};
use crate::likelihood::{Responses, Values};
use crate::points::Points;
use rather_numerics::lbfgs::Stop;
use rather_numerics::watch;

/// Standard deviations of the logarithms of lengthscales and of the variance around the prior's values, where they are
/// learned: two of them are a factor of 4, and of 7 of the standard deviation of utilities.
const LENGTHSCALE_SD: f64 = 0.7;
const VARIANCE_SD: f64 = 2.0;
/// How far they may go, as a factor.
const REACH: f64 = 20.0;
/// The same of items without features, of which nothing but their variance is to be learned: two are a factor of 20, and it may be as small as nobody could
/// tell from none. With features a wider prior is traded for lengthscales, and studies stop later and farther from the best.
const VARIANCE_SD_ALONE: f64 = 3.0;
const LEAST_VARIANCE_ALONE: f64 = 1e-4;
/// Up to so many answers, hyperparameters are learned after each; thresholds alone, as of a study whose kernel is known, only then.
const EVERY_ANSWER: usize = 10;

/// How far apart two utilities must be, in units of the duel noise, for a person to say so: what a tie and "much better" mean to them.
///
/// # Formula
/// With the noisy difference $z+e$: a tie is $|z+e|<t$, "better" $t<z+e<t+m$, "much better" $z+e>t+m$.
///
/// # References
/// As [`Graded`](crate::likelihood::graded::Graded), whose `tie` is $t$ and whose `grade[2]` is $m$.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Thresholds {
    /// $t$; `None` if there was no tie, and so $t=0$.
    pub tie: Option<f64>,
    /// $m$; `None` if "much better" was never said, and so $m=\infty$.
    pub much: Option<f64>,
    /// Parameters that other kinds of answers have, by their names.
    pub others: Vec<(String, f64)>,
}

impl Thresholds {
    /// The thresholds of whoever answered `duels`, about items like `points`: those with the largest evidence, times weak log-normal
    /// priors around 0.5 and 1, which they are before the tenth answer. The kernel is the prior's.
    ///
    /// # Errors
    /// As [`fit`](super::fit).
    ///
    /// # Examples
    /// ```
    /// use rather::design::{Outcome, Column, Trial, Prior, Thresholds};
    /// use rather::search::Domain;
    ///
    /// let domain = Domain::unit_box(1);
    /// let points = domain.points(&[vec![0.1], vec![0.5], vec![0.9]]);
    /// let duel = |n: usize, answer| Trial::pair(n % 3, (n + 1) % 3, Some(answer));
    /// // Somebody who mostly cannot tell.
    /// let mut duels: Vec<Trial> = (0..18).map(|n| duel(n, Outcome::Tie)).collect();
    /// duels.extend([duel(0, Outcome::Left), duel(1, Outcome::Right)]);
    /// let found = Thresholds::of(&points, &Column::of_domain(&domain), &duels, &Prior::default())?;
    /// assert!(found.tie > Some(1.0) && found.much.is_none());
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn of(points: &Points, columns: &[Column], duels: &[Trial], prior: &Prior) -> Result<Self, Error> {
        super::fit::check(points, columns, duels)?;
        let what = Learn { kernel: false, most: usize::MAX };
        let kernels = vec![(1.0, prior.kernel(columns)?)];
        let settings = settle(points, kernels, duels.into(), &what, &Kept::default())?;
        Ok(settings.into_iter().next().map_or_else(Self::default, |setting| setting.thresholds))
    }

    /// The values of the likelihoods' parameters for answers with these `responses`, where the noise and both thresholds are `times` as large.
    pub fn values(&self, responses: &Responses, times: f64) -> Values {
        let value = |parameter: Hyperparameter| match parameter.name.as_str() {
            TIE => times * self.tie.unwrap_or(parameter.value),
            name if is_grade(name) => times * self.much.unwrap_or(parameter.value),
            name => {
                self.others.iter().find(|(known, _)| known == name).map_or(parameter.value, |other| other.1)
            }
        };
        let own = responses.parameters(Prior::NOISE).into_iter().map(value);
        Values(std::iter::once(times * Prior::NOISE).chain(own).collect())
    }

    /// Between what the noisy difference of the preferred item and the other one was, or of the left and the right one; nothing above
    /// if `None`.
    pub(super) fn bounds(&self, answer: Outcome) -> (f64, Option<f64>) {
        let tie = self.tie.unwrap_or(0.0);
        let much = self.much.map(|much| tie + much);
        match answer.strength().unsigned_abs() {
            0 => (-tie, Some(tie)),
            1 => (tie, much),
            _ => (much.unwrap_or(tie), None),
        }
    }

    /// The thresholds of answers with these `responses`: as learned, or at their starts.
    fn for_responses(responses: &Responses, learned: &[Hyperparameter]) -> Self {
        let mut out = Self::default();
        for start in responses.parameters(Prior::NOISE) {
            let found = learned.iter().find(|l| l.name == start.name).map_or(start.value, |l| l.value);
            match start.name {
                name if name == TIE => out.tie = Some(found),
                name if is_grade(&name) => out.much = Some(found),
                name => out.others.push((name, found)),
            }
        }
        out
    }
}

/// What is learned besides thresholds, and from how many answers at most.
pub(super) struct Learn {
    pub(super) kernel: bool,
    pub(super) most: usize,
}

/// Hyperparameters that answers are believed with, and their share of what is believed.
pub(super) struct Setting {
    pub(super) weight: f64,
    /// The log evidence of the answers from which they were learned; 0 if they were not.
    pub(super) log_evidence: f64,
    pub(super) kernel: Kernel,
    pub(super) thresholds: Thresholds,
}

impl Setting {
    /// The prior's kernel, and thresholds at their starts.
    pub(super) fn unlearned(kernel: Kernel, history: History<'_>) -> Self {
        let thresholds = Thresholds::for_responses(&observations(history).responses, &[]);
        Self { weight: 1.0, log_evidence: 0.0, kernel, thresholds }
    }

    /// What was learned from the first answers of a history; thresholds of answers that none of these was are at their starts.
    pub(super) fn learned(node: &Node, history: History<'_>) -> Self {
        let Hyperparameters { kernel, entries } = &node.hyperparameters;
        let thresholds = Thresholds::for_responses(&observations(history).responses, entries);
        Self { weight: node.weight, log_evidence: node.log_evidence, kernel: kernel.clone(), thresholds }
    }
}

/// The hyperparameters that the answers are believed with, the most probable first: those of the prior, or those that stand for the posterior of
/// what is learned ([`nodes`]). What was learned from the same answers before is `kept`.
pub(super) fn settle(
    points: &Points,
    mut kernels: Vec<(f64, Kernel)>,
    history: History<'_>,
    what: &Learn,
    kept: &Kept,
) -> Result<Vec<Setting>, Error> {
    let first = learning_duels(history.trials, what).filter(|first| what.kernel || have_thresholds(first));
    let Some(trials) = first else {
        return Ok(vec![Setting::unlearned(kernels.swap_remove(0).1, history)]);
    };
    let first = History { trials, ..history };
    let nodes = kept.get_or(points, first, || {
        let mut nodes = learn(points, kernels, first, what.kernel)?;
        // Nobody starts from them again.
        nodes.iter_mut().for_each(|node| node.sites = Sites::empty(0));
        Ok::<_, Error>(nodes)
    })?;
    Ok(nodes.iter().map(|node| Setting::learned(node, history)).collect())
}

/// The first duels, from which hyperparameters are learned: as many as hold the largest number of answers of a fixed
/// schedule: all up to [`EVERY_ANSWER`], and then each half as large again as the one before. So most answers leave the hyperparameters alone.
fn learning_duels<'a>(duels: &'a [Trial], what: &Learn) -> Option<&'a [Trial]> {
    let answers = duels.iter().filter(|d| d.answer.is_some()).count().min(what.most);
    let fewest = if what.kernel { 1 } else { EVERY_ANSWER };
    if answers < fewest {
        return None;
    }
    let mut enough = answers.min(EVERY_ANSWER);
    while enough >= EVERY_ANSWER && enough + enough / 2 <= answers {
        enough += enough / 2;
    }
    let mut seen = 0;
    let end = duels.iter().position(|d| {
        seen += usize::from(d.answer.is_some());
        seen == enough
    })?;
    Some(&duels[..=end])
}

/// Parameters that stand for their posterior, with log-normal priors around those that there are: of the kernels, if `learns_kernel`, and of the
/// thresholds. Of thresholds alone those that maximise the evidence times the prior.
fn learn(
    points: &Points,
    mut kernels: Vec<(f64, Kernel)>,
    history: History<'_>,
    learns_kernel: bool,
) -> Result<Vec<Node>, Error> {
    let observations = observations(history);
    let compared = points.select(&observations.items);
    let problem = problem(&compared, &observations);
    if !learns_kernel {
        return Ok(vec![thresholds_alone(&problem, start(kernels.swap_remove(0).1, &observations, true))?]);
    }
    // Fewer answers tell no kernel from another.
    let answers = history.trials.iter().filter(|d| d.answer.is_some()).count();
    kernels.truncate(if answers < EVERY_ANSWER { 1 } else { kernels.len() });
    let (settings, stop) = (Settings::default(), Stop::default());
    let mut learned = Vec::with_capacity(kernels.len());
    for (probability, kernel) in kernels {
        let start = start(kernel, &observations, false);
        let found = maximise(&problem, &start, &settings, stop, None, &|| true);
        match found {
            Ok(found) => learned.push((probability.ln() + found.objective, found)),
            Err(error) if learned.is_empty() || watch::is_ending() => return Err(error),
            Err(_) => {}
        }
    }
    let mut learned = probable(learned).into_iter();
    let Some((weight, most)) = learned.next() else { return Err(Error::Inference) };
    let mut all = nodes(&problem, &most, &settings)?;
    all.iter_mut().for_each(|node| node.weight *= weight);
    // The maximum alone stands for a less probable kernel: one part more in the time of every question.
    all.extend(learned.map(|(weight, Learned { hyperparameters, sites, log_evidence, .. })| Node {
        hyperparameters,
        sites,
        weight,
        log_evidence,
    }));
    Ok(all)
}

/// Kernels that are less probable than this are left out: they would change next to nothing.
const PROBABLE: f64 = 0.2;

/// What is probable of what was learned, the most probable first, given the logarithms of posterior probabilities up to a constant.
///
/// # Formula
/// $p_k\propto\pi_kZ_k$ of the kernels' prior probabilities and maximal evidences times priors: they have the same hyperparameters, which are known
/// about equally well (Laplace's approximation with equal determinants).
fn probable(learned: Vec<(f64, Learned)>) -> Vec<(f64, Learned)> {
    let mut all = weighted(learned, PROBABLE);
    let kept: f64 = all.iter().map(|(weight, _)| weight).sum();
    all.iter_mut().for_each(|(weight, _)| *weight /= kept);
    all
}

/// Where learning starts, and the priors of what is learned.
fn start(kernel: Kernel, observations: &Observations, kernel_is_fixed: bool) -> Hyperparameters {
    let entry = |name: String, value: f64, (sd, least): (f64, f64), fixed: bool| Hyperparameter {
        name,
        value,
        fixed,
        prior: Some(LogNormal { median: value, sd }),
        bounds: (value * least, value * REACH),
        scale: Scale::Log,
    };
    let parameters = kernel.parameters();
    let of_variance = if parameters.len() == 1 {
        (VARIANCE_SD_ALONE, LEAST_VARIANCE_ALONE)
    } else {
        (VARIANCE_SD, REACH.recip())
    };
    let mut entries: Vec<Hyperparameter> = parameters
        .into_iter()
        .map(|p| {
            let is_variance = p.role == Role::Variance;
            let own = if is_variance { of_variance } else { (LENGTHSCALE_SD, REACH.recip()) };
            entry(p.name, p.value, own, kernel_is_fixed)
        })
        .collect();
    entries.push(entry("noise".into(), Prior::NOISE, (1.0, REACH.recip()), true));
    entries.extend(observations.responses.parameters(Prior::NOISE));
    Hyperparameters { kernel, entries }
}

/// The thresholds that maximise the evidence times their prior. The kernel stays, so its features are found once.
fn thresholds_alone(problem: &Problem<'_>, start: Hyperparameters) -> Result<Node, Error> {
    let (settings, stop) = (Settings::default(), Stop::default());
    let features = features(problem, &start.kernel)?;
    let Observations { merged, responses, .. } = problem.observations;
    let learned = climb(&start, &settings, stop, Warm::default(), &|| true, |here, sites, rough, _| {
        let likelihoods = responses.likelihoods(&here.values());
        let sites = sites.unwrap_or_else(|| Sites::empty(merged.len()));
        let outcome = inference::run(Method::Ep, &features, merged, &likelihoods, sites, rough);
        let outcome = outcome.ok_or(Error::Inference)?;
        let mut gradient = vec![0.0; here.noise_index()];
        gradient.extend(outcome.d_values);
        let (log_evidence, sweeps, sites) = (outcome.log_evidence, outcome.sweeps, outcome.sites);
        Ok(learn::Setting { log_evidence, gradient, sweeps, sites, trustworthy: outcome.trustworthy })
    })?;
    let Learned { hyperparameters, sites, log_evidence, .. } = learned;
    Ok(Node { hyperparameters, sites, weight: 1.0, log_evidence })
}
