//! What is worth knowing about a fit that is no error.

use serde::{Deserialize, Serialize};

use super::LowRankFit;
use super::columns;
use crate::evidence::{Evidence, Problem};
use crate::exact::orthant;
use crate::features::FeatureNotice;
use crate::inference::Settings;
use crate::kernel::{Kernel, Schema};
use crate::learn::Hyperparameters;

/// Something worth knowing about a fit that is no error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// About a feature.
    Feature {
        /// What.
        notice: FeatureNotice,
    },
    /// Inference stopped before its tolerance.
    NotConverged {
        /// Largest mismatch left.
        #[serde(with = "crate::any_float")]
        residual: f64,
        /// Sweeps used.
        sweeps: usize,
    },
    /// Expectation propagation found no fixpoint that is one; Laplace's approximation stands in its place.
    FellBack,
    /// The leading correction of the log evidence is large: expectation propagation is rough on these answers.
    RoughApproximation {
        /// The correction in nats.
        #[serde(with = "crate::any_float")]
        correction: f64,
    },
    /// Of some projections the answers tell so much more than the prior that rounding leaves nothing of it.
    Clipped {
        /// How many projections.
        projections: usize,
    },
    /// The draws of exact inference are not to be trusted ([`Report::mixed`](crate::exact::Report::mixed)).
    NotMixed {
        /// Effective draws of the item with the fewest.
        #[serde(with = "crate::any_float")]
        effective_samples: f64,
        /// The largest split R-hat.
        #[serde(with = "crate::any_float")]
        r_hat: f64,
    },
    /// The exact evidence is out of reach; that of expectation propagation stands in its place.
    NoExactEvidence,
    /// The basis of a streaming model is at its limit and leaves much of the items' variance open.
    SmallBasis {
        /// Number of its points.
        points: usize,
    },
    /// Features of low rank leave much of the items' variance unexplained.
    Rough {
        /// How much, and what that does.
        #[serde(flatten)]
        fit: LowRankFit,
    },
    /// The optimiser stopped before its tolerance.
    NotMaximised,
    /// Learning was ended from outside.
    Interrupted,
    /// A learned hyperparameter sits at a bound.
    AtBound {
        /// Its name.
        name: String,
        /// The bound.
        value: f64,
    },
    /// No answer contradicts the learned utilities, so the evidence does not tell how small the noise is.
    Consistent {
        /// The ratio of the prior variance to the squared noise at which learning stopped.
        #[serde(with = "crate::any_float")]
        ratio: f64,
    },
    /// Columns of comparisons that the choice of the kernel did not try.
    ColumnsNotTried {
        /// Their names.
        names: Vec<String>,
    },
    /// Columns of comparisons were chosen by some of the answers.
    ColumnsBySample {
        /// How many.
        answers: usize,
    },
    /// The kernel looks at some features and not at these.
    UnusedFeatures {
        /// Their names.
        names: Vec<String>,
    },
    /// The kernel looks at features only, and compared items have the same ones.
    ForcedEqual {
        /// How many items share all features with another.
        items: usize,
    },
    /// Without features, groups of items that were never compared with each other share no scale.
    Disconnected {
        /// Number of groups.
        groups: usize,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Feature { notice } => notice.fmt(f),
            Self::NotConverged { residual, sweeps } if *residual > BOUNDLESS => write!(
                f,
                "inference did not converge: after {sweeps} sweeps the moments still differ completely; fix a larger noise"
            ),
            Self::NotConverged { residual, sweeps } => write!(
                f,
                "inference did not converge: the moments still differ by {residual:.1e} after {sweeps} sweeps; \
                 fix a larger noise"
            ),
            Self::FellBack => write!(
                f,
                "expectation propagation did not converge on these answers, so Laplace's approximation was used instead: its \
                 intervals are less accurate"
            ),
            Self::RoughApproximation { correction } => write!(
                f,
                "the Gaussian approximation is inaccurate for these answers (its log evidence is off by about {correction:.2}): intervals \
                 and probabilities may be off by some percent; for plain comparisons, use exact inference"
            ),
            Self::Clipped { projections } => write!(
                f,
                "the answers about {projections} pairs or items are so informative that the prior is lost in rounding error; \
                 fix a larger noise for correct intervals"
            ),
            Self::NotMixed { effective_samples, r_hat } => write!(
                f,
                "sampling did not converge: the largest split R-hat is {r_hat:.3} and the smallest number of effective samples is \
                 {effective_samples:.0}; draw more samples, or fix a larger noise"
            ),
            Self::NoExactEvidence => write!(
                f,
                "the exact log evidence is computed for up to {} comparisons with the default response model only; the reported one is \
                 that of expectation propagation",
                orthant::MOST_VARIABLES
            ),
            Self::SmallBasis { points } => write!(
                f,
                "{points} basis points leave much of the prior variance unexplained; use more, or expectation propagation"
            ),
            Self::Rough { fit } => write!(f, "{fit}; use more inducing points or the full covariance"),
            Self::NotMaximised => write!(f, "learning stopped before the evidence was at its maximum"),
            Self::Interrupted => {
                write!(f, "learning was interrupted: this is the best model found until then")
            }
            Self::AtBound { name, value } => {
                write!(
                    f,
                    "{name} = {value:.3e} is at the end of its range: the comparisons do not identify it"
                )
            }
            Self::Consistent { ratio } => write!(
                f,
                "the data are separable: no comparison contradicts the learned utilities, so the signal-to-noise ratio is not identified; \
                 learning stopped at a variance of {} times the squared noise",
                if *ratio < 1e4 { format!("{ratio:.0}") } else { format!("{ratio:.1e}") }
            ),
            Self::ColumnsNotTried { names } => write!(
                f,
                "the choice of the kernel did not try {}, columns of comparisons: it does with expectation propagation and, where items have \
                 features, up to {} answers; name them in the kernel",
                names.join(", "),
                columns::MOST_FULL
            ),
            Self::ColumnsBySample { answers } => write!(
                f,
                "which columns of comparisons the kernel names was chosen by the log evidence of {answers} of the answers"
            ),
            Self::UnusedFeatures { names } => {
                write!(
                    f,
                    "this kernel does not use {}; add a term that does, or leave them out",
                    names.join(", ")
                )
            }
            Self::ForcedEqual { items } => write!(
                f,
                "{items} of the compared items have the same features as another, so this kernel gives them equal utilities; \
                 add an independent effect of every item (\"+ white\")"
            ),
            Self::Disconnected { groups } => write!(
                f,
                "the comparisons fall into {groups} groups of items never compared with each other: utilities are \
                 comparable within a group only"
            ),
        }
    }
}

/// A mismatch that says no more than that there is one.
const BOUNDLESS: f64 = 1e6;

/// The features that a kernel leaves out which looks at others.
pub(super) fn unused_features(kernel: &Kernel, schema: &Schema) -> Option<Notice> {
    let used = kernel.columns();
    let unused =
        schema.names.iter().enumerate().take(schema.features()).filter(|(column, _)| !used.contains(column));
    let names: Vec<String> = unused.map(|(_, name)| name.clone()).collect();
    (!used.is_empty() && !names.is_empty()).then_some(Notice::UnusedFeatures { names })
}

pub(super) fn bound_notices(h: &Hyperparameters) -> Vec<Notice> {
    h.free()
        .into_iter()
        .map(|i| &h.entries[i])
        .filter(|e| [e.bounds.0, e.bounds.1].iter().any(|b| (e.value / b).ln().abs() < 1e-6))
        .map(|e| Notice::AtBound { name: e.name.clone(), value: e.value })
        .collect()
}

/// Whether the evidence is no worse at a noise ten times smaller: the comparisons, all in the order of the learned
/// utilities, do not tell how small it is.
pub(super) fn noise_is_open(
    problem: &Problem<'_>,
    h: &Hyperparameters,
    evidence: &Evidence,
    settings: &Settings,
) -> bool {
    if !problem.observations.responses.is_plain() {
        return false;
    }
    let scale_is_free = h.free().into_iter().any(|i| {
        i == h.noise_index()
            || h.kernel.parameters().get(i).is_some_and(|p| p.role == crate::kernel::Role::Variance)
    });
    let mean = &evidence.outcome.posterior.mean;
    let consistent = problem.observations.merged.iter().all(|o| o.sign() * mean[o.edge()] > 0.0);
    if !(scale_is_free && consistent) {
        return false;
    }
    let rough = Settings { tolerance: settings.tolerance.max(1e-4), ..*settings };
    problem
        .evaluate(&h.kernel, 0.1 * h.noise(), None, &rough)
        .is_ok_and(|sharper| sharper.outcome.log_evidence > evidence.outcome.log_evidence - NO_WORSE)
}

/// Nats by which two settings of the noise must differ to be told apart.
const NO_WORSE: f64 = 1.0;
