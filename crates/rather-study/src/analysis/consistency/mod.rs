//! Whether a person's answers fit together: repeats, cycles, surprises, noise, drift, sides.

mod catches;
mod cycles;
mod drift;
mod noise;
mod repeats;
mod sides;
mod surprises;

pub use catches::Catches;
pub use cycles::Cycles;
pub use drift::Drift;
pub use noise::Noise;
pub use repeats::Repeats;
pub use sides::Sides;
pub use surprises::{Surprise, Surprises, Verdict};

use crate::Error;
use crate::alternative::Alternative;
use crate::learner::{Learner, Record};
use rather::design::{self, Thresholds};
use rather::evidence::{Evidence, Problem};
use rather::inference::observations::Observations;
use rather::inference::{Method, Settings};
use serde::Serialize;

/// All that is known about how the answers fit together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Consistency {
    /// Pairs that were answered more than once.
    pub repeats: Repeats,
    /// Preferences that go round in a circle.
    pub cycles: Cycles,
    /// Answers that the others do not lead one to expect, and why.
    pub surprises: Surprises,
    /// How noisy this person is; `None` with fewer than five answers.
    pub noise: Option<Noise>,
    /// Whether the person's taste changed; `None` with fewer than ten answers.
    pub drift: Option<Drift>,
    /// Whether one side is preferred for being that side; `None` where questions are about sets, whose options have no sides.
    pub sides: Option<Sides>,
    /// Duels with the same on both sides; `None` if there were none.
    pub catches: Option<Catches>,
}

impl Consistency {
    pub(crate) fn of(learner: &Learner, record: &Record, catches: Option<Catches>) -> Result<Self, Error> {
        let (columns, prior) = (learner.columns(), &learner.definition.prior);
        let thresholds = Thresholds::of(&learner.points(record), columns, &record.duels, prior)?;
        let fit = Fit::new(learner, record, &thresholds, 1.0)?;
        Ok(Self {
            repeats: Repeats::of(record),
            cycles: Cycles::of(learner, record),
            surprises: Surprises::of(learner, record, &fit),
            noise: Noise::of(learner, record, &thresholds)?,
            drift: Drift::of(learner, record, &fit)?,
            sides: (!learner.definition.is_of_sets()).then(|| Sides::of(record)),
            catches,
        })
    }

    /// What is worth saying about it, a sentence each, with alternatives as programs write them.
    pub fn sentences(&self) -> Vec<String> {
        self.sentences_with(&|alternative| rather_io::quote(&alternative.to_string()))
    }

    /// What is worth saying about it, a sentence each, in which alternatives are called what `name` says.
    pub fn sentences_with(&self, name: &dyn Fn(&Alternative) -> String) -> Vec<String> {
        let mut out = vec![self.repeats.sentence(), self.cycles.sentence(name)];
        out.extend(self.surprises.sentences(name));
        out.extend(self.noise.as_ref().map(Noise::sentence));
        out.extend(self.drift.as_ref().map(Drift::sentence));
        out.extend(self.sides.as_ref().map(Sides::sentence));
        out.extend(self.catches.as_ref().map(Catches::sentence));
        out
    }
}

/// Expectation propagation on a record, with noise and thresholds `factor` times the usual.
pub(crate) struct Fit {
    pub(crate) thresholds: Thresholds,
    pub(crate) observations: Observations,
    pub(crate) evidence: Evidence,
    pub(crate) noise: f64,
}

impl Fit {
    pub(crate) fn new(
        learner: &Learner,
        record: &Record,
        thresholds: &Thresholds,
        factor: f64,
    ) -> Result<Self, Error> {
        let observations = design::observations(&record.duels);
        let values = thresholds.values(&observations.responses, factor);
        let noise = values.noise();
        let points = learner.points(record).select(&observations.items);
        let kernel = learner.definition.prior.kernel(learner.columns())?;
        let problem = Problem {
            points: &points,
            observations: &observations,
            method: Method::Ep,
            space: None,
            inducing: None,
        };
        let evidence = problem.evaluate(&kernel, values, None, &Settings::default())?;
        Ok(Self { thresholds: thresholds.clone(), observations, evidence, noise })
    }

    pub(crate) fn log_evidence(&self) -> f64 {
        self.evidence.outcome.log_evidence
    }
}

/// `n` and the noun for it.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
