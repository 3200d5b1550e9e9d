//! What a fit found, besides the posterior.

use serde::{Deserialize, Serialize};

use super::{LowRankFit, Notice, SparseFit, StreamingFit};
use crate::exact::{ExactFit, ExactPosterior};
use crate::inference::observations::Observations;
use crate::inference::{Outcome, Status};
use crate::learn::Learned;
use crate::learn::choice::Tried;
use crate::representation::Decision;

/// Nats of correction of the log evidence at which the approximation is called rough: intervals and probabilities are then off by some percent.
const ROUGH: f64 = 0.25;

/// What a fit found, besides the posterior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Number of answers, repeated ones counted, whatever their weights.
    pub comparisons: f64,
    /// The number of answers after which an answer counts half, if there is one ([`FitSettings::half_life`](super::FitSettings::half_life)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_life: Option<f64>,
    /// Log evidence in nats, of the answers with their weights: the exact one if inference is exact and it is within reach.
    #[serde(with = "crate::any_float")]
    pub log_evidence: f64,
    /// What to add to the log evidence of expectation propagation to be nearer to the exact one ([`correction`](crate::inference::correction));
    /// none of other ways of inference, of priors of low rank and of more than 1,000 pairs. A large one says that the intervals are rough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_correction: Option<f64>,
    /// Sweeps of inference, over all settings of the chosen kernel that were tried.
    pub sweeps: usize,
    /// Largest mismatch of moments left.
    #[serde(with = "crate::any_float")]
    pub residual: f64,
    /// How inference ended. Exact inference has converged if its draws may be trusted
    /// ([`Report::mixed`](crate::exact::Report::mixed)), whatever became of the expectation propagation it starts from.
    pub status: Status,
    /// Whether the posterior and the evidence are what they are called ([`Outcome::trustworthy`](crate::inference::Outcome::trustworthy)): if not,
    /// nothing that the model says is worth anything.
    #[serde(default = "trusted")]
    pub trustworthy: bool,
    /// Settings of the hyperparameters that were tried.
    pub evaluations: usize,
    /// The kernels that were tried.
    pub tried: Vec<Tried>,
    /// What is worth knowing.
    pub notices: Vec<Notice>,
    /// How the prior was held; streaming inference has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "held")]
    pub representation: Option<Decision>,
    /// How sampling went, if inference is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<ExactFit>,
    /// What was heard and kept, if inference is streaming.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streaming: Option<StreamingFit>,
    /// What the features leave out, if the prior is of low rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_rank: Option<LowRankFit>,
    /// How it was solved for, if the prior has a sparse precision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<SparseFit>,
}

/// Of files that were written before it was asked.
fn trusted() -> bool {
    true
}

impl FitReport {
    /// Of a climb of the evidence, and of inference at its end.
    pub(super) fn of(
        observations: &Observations,
        learned: &Learned,
        outcome: &Outcome,
        tried: Vec<Tried>,
        notices: Vec<Notice>,
        held: Decision,
    ) -> Self {
        Self {
            comparisons: observations.total(),
            half_life: None,
            log_evidence: outcome.log_evidence,
            evidence_correction: None,
            sweeps: learned.sweeps + outcome.sweeps,
            residual: outcome.residual,
            status: outcome.status,
            trustworthy: outcome.trustworthy,
            evaluations: learned.evaluations,
            tried,
            notices,
            representation: Some(held),
            exact: None,
            streaming: None,
            low_rank: None,
            sparse: None,
        }
    }

    /// With the correction of the evidence, which tells how rough the approximation is.
    pub(super) fn correct(&mut self, correction: Option<f64>) {
        self.evidence_correction = correction;
        let large = correction.filter(|nats| nats.abs() > ROUGH);
        self.notices.extend(large.map(|correction| Notice::RoughApproximation { correction }));
    }

    /// With what sampling found in the place of what the approximation did.
    pub(super) fn sampled(mut self, posterior: &ExactPosterior) -> Self {
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
