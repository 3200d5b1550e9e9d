//! Which hyperparameters answers are believed with: those of the prior, and those that the answers themselves tell.

use super::answer::{have_thresholds, observations};
use super::fit::{features, problem};
use super::{Column, History, Outcome, Prior, Trial};
use crate::Error;
use crate::inference::sites::Sites;
use crate::inference::{self, Method, Settings};
use crate::kernel::{Kernel, Role};
use crate::learn::{Hyperparameter, Hyperparameters, LogNormal, Scale, Setting, climb, maximise};
use crate::likelihood::graded::TIE;
use crate::likelihood::{Responses, Values};
use crate::points::Points;
use rather_numerics::lbfgs::Stop;

/// Standard deviations of the logarithms of lengthscales and of the variance around the prior's values, where they are
/// learned: two of them are a factor of 2.7 and of 7.
pub(super) const LENGTHSCALE_SD: f64 = 0.5;
pub(super) const VARIANCE_SD: f64 = 1.0;
/// How far they may go.
const REACH: f64 = 20.0;

/// How far apart two utilities must be, in units of the duel noise, for a person to say so: what a tie and "much better" mean to them.
///
/// # Formula
/// With the noisy difference $z+e$: a tie is $|z+e|<t$, "better" $t<z+e<t+m$, "much better" $z+e>t+m$.
///
/// # References
/// As [`Graded`](crate::likelihood::graded::Graded), whose `tie` is $t$ and whose `grade[2]` is $m$.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Thresholds {
    /// $t$; `None` if there was no tie, and so $t=0$.
    pub tie: Option<f64>,
    /// $m$; `None` if "much better" was never said, and so $m=\infty$.
    pub much: Option<f64>,
}

impl Thresholds {
    /// The thresholds of whoever answered `duels`, about items like `points`: those with the largest evidence, times weak log-normal
    /// priors around 0.5 and 1. They are learned from the first answers of the schedule by which hyperparameters are
    /// ([`Prior::FIRST_LEARNING`]); before that they are 0.5 and 1.
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
    /// let duel = |n: usize, answer| Trial { left: n % 3, right: (n + 1) % 3, answer: Some(answer) };
    /// // Somebody who mostly cannot tell.
    /// let mut duels: Vec<Trial> = (0..18).map(|n| duel(n, Outcome::Tie)).collect();
    /// duels.extend([duel(0, Outcome::Left), duel(1, Outcome::Right)]);
    /// let found = Thresholds::of(&points, &Column::of_domain(&domain), &duels, &Prior::default())?;
    /// assert!(found.tie > Some(1.0) && found.much.is_none());
    /// # Ok::<(), rather::Error>(())
    /// ```
    pub fn of(points: &Points, columns: &[Column], duels: &[Trial], prior: &Prior) -> Result<Self, Error> {
        super::fit::check(points, columns, duels)?;
        Ok(settle(points, prior.kernel(columns)?, duels.into(), &Learn { kernel: false, most: usize::MAX })?
            .1)
    }

    /// The values of the likelihoods' parameters for answers with these `responses`, where the noise and all thresholds are `times` as large.
    pub fn values(&self, responses: &Responses, times: f64) -> Values {
        let value = |parameter: Hyperparameter| match parameter.name.as_str() {
            TIE => self.tie.unwrap_or(parameter.value),
            _ => self.much.unwrap_or(parameter.value),
        };
        let own = responses.parameters(Prior::NOISE).into_iter().map(value);
        Values(std::iter::once(Prior::NOISE).chain(own).map(|x| times * x).collect())
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
            let place = if start.name == TIE { &mut out.tie } else { &mut out.much };
            *place = Some(found);
        }
        out
    }
}

/// What is learned besides thresholds, and from how many answers at most.
pub(super) struct Learn {
    pub(super) kernel: bool,
    pub(super) most: usize,
}

/// The kernel and the thresholds that the answers are believed with.
pub(super) fn settle(
    points: &Points,
    kernel: Kernel,
    history: History<'_>,
    what: &Learn,
) -> Result<(Kernel, Thresholds), Error> {
    let first =
        learning_duels(history.trials, what.most).filter(|first| what.kernel || have_thresholds(first));
    let (kernel, learned) = match first {
        Some(trials) => {
            let first = History { trials, ..history };
            let Hyperparameters { kernel, entries } = learn(points, kernel, first, what.kernel)?;
            (kernel, entries)
        }
        None => (kernel, Vec::new()),
    };
    Ok((kernel, Thresholds::for_responses(&observations(history).responses, &learned)))
}

/// The first duels, from which hyperparameters are learned: as many as hold the largest number of answers of a fixed
/// schedule, in which each is half as large again as the one before. So most answers leave the hyperparameters alone.
fn learning_duels(duels: &[Trial], most: usize) -> Option<&[Trial]> {
    let answers = duels.iter().filter(|d| d.answer.is_some()).count().min(most);
    if answers < Prior::FIRST_LEARNING {
        return None;
    }
    let mut enough = Prior::FIRST_LEARNING;
    while enough + enough / 2 <= answers {
        enough += enough / 2;
    }
    let mut seen = 0;
    let end = duels.iter().position(|d| {
        seen += usize::from(d.answer.is_some());
        seen == enough
    })?;
    Some(&duels[..=end])
}

/// The parameters that maximise the evidence of the answers, times log-normal priors: of the kernel, if `learns_kernel`, around those that it
/// has; of the thresholds.
fn learn(
    points: &Points,
    kernel: Kernel,
    history: History<'_>,
    learns_kernel: bool,
) -> Result<Hyperparameters, Error> {
    let observations = observations(history);
    let compared = points.select(&observations.items);
    let problem = problem(&compared, &observations);
    let entry = |name: String, value: f64, sd: f64, fixed: bool| Hyperparameter {
        name,
        value,
        fixed,
        prior: Some(LogNormal { median: value, sd }),
        bounds: (value / REACH, value * REACH),
        scale: Scale::Log,
    };
    let mut entries: Vec<Hyperparameter> = kernel
        .parameters()
        .into_iter()
        .map(|p| {
            let sd = if p.role == Role::Variance { VARIANCE_SD } else { LENGTHSCALE_SD };
            entry(p.name, p.value, sd, !learns_kernel)
        })
        .collect();
    entries.push(entry("noise".into(), Prior::NOISE, 1.0, true));
    entries.extend(observations.responses.parameters(Prior::NOISE));
    let start = Hyperparameters { kernel, entries };
    let (settings, stop) = (Settings::default(), Stop::default());
    if learns_kernel {
        return Ok(maximise(&problem, &start, &settings, stop, None, &|| true)?.hyperparameters);
    }
    // The kernel stays, so its features are found once.
    let features = features(&problem, &start.kernel)?;
    let merged = &observations.merged;
    let learned = climb(&start, &settings, stop, None, &|| true, |here, sites, rough, _| {
        let likelihoods = observations.responses.likelihoods(&here.values());
        let sites = sites.unwrap_or_else(|| Sites::empty(merged.len()));
        let outcome = inference::run(Method::Ep, &features, merged, &likelihoods, sites, rough);
        let outcome = outcome.ok_or(Error::Inference)?;
        let mut gradient = vec![0.0; here.noise_index()];
        gradient.extend(outcome.d_values);
        let (log_evidence, sweeps, sites) = (outcome.log_evidence, outcome.sweeps, outcome.sites);
        Ok(Setting { log_evidence, gradient, sweeps, sites, trustworthy: outcome.trustworthy })
    })?;
    Ok(learned.hyperparameters)
}
