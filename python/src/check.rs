//! How near a model's approximation is to the exact posterior.

use rather::check::{Check, Deviation, Verdict};
use rather::exact::Sampler;
use rather::inference::Method;
use serde::Serialize;

/// What a check found, as Python reads it.
#[derive(Serialize)]
pub(crate) struct Found {
    verdict: &'static str,
    /// Items and answers that were checked, where those were not all.
    part: Option<(usize, u64)>,
    inference: Method,
    means: Far,
    probabilities: Far,
    pairs: usize,
    sd_ratio: [f64; 3],
    log_evidence: f64,
    exact_log_evidence: Option<f64>,
    exact_log_evidence_error: Option<f64>,
    sampler: Sampler,
    draws: usize,
    effective_samples: f64,
    r_hat: f64,
}

/// Deviations from exact.
#[derive(Serialize)]
struct Far {
    largest: f64,
    median: f64,
    mean: f64,
    error: f64,
    within_error: bool,
}

impl From<Deviation> for Far {
    fn from(deviation: Deviation) -> Self {
        let Deviation { largest, median, mean, error, within_error } = deviation;
        Self { largest, median, mean, error, within_error }
    }
}

impl From<&Check> for Found {
    fn from(check: &Check) -> Self {
        let &Check { method, part, agreement, log_evidence, exact_log_evidence, sampling, verdict, .. } =
            check;
        let sd = agreement.sd_ratio;
        Self {
            verdict: match verdict {
                Verdict::Good => "good",
                Verdict::Usable => "usable",
                Verdict::Poor => "poor",
                Verdict::Unsettled => "unsettled",
            },
            part: part.map(|part| (part.items, part.answers as u64)),
            inference: method,
            means: agreement.means.into(),
            probabilities: agreement.probabilities.into(),
            pairs: agreement.pairs,
            sd_ratio: [sd.smallest, sd.median, sd.largest],
            log_evidence,
            exact_log_evidence: exact_log_evidence.map(|z| z.value),
            exact_log_evidence_error: exact_log_evidence.map(|z| z.error),
            sampler: sampling.sampler,
            draws: sampling.draws,
            effective_samples: sampling.effective_samples,
            r_hat: sampling.r_hat,
        }
    }
}
