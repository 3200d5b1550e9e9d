//! Choosing the kernel by evidence.
//!
//! `auto` looks among four isotropic kernels of growing roughness, [`ROUGHNESS`]: the two in the middle first, then
//! the one beyond the better of them (the evidence rises and falls once along this order); then it gives the best
//! a lengthscale for every feature. The score is what was maximised (log evidence and log prior) less one nat for every learned
//! hyperparameter: about what integrating a well-determined one over its weak prior would cost, so that twenty
//! lengthscales do not win by fitting a hundred comparisons.

use serde::{Deserialize, Serialize};

use super::watch::{Steps, Watch};
use super::{Hyperparameters, Learned, Units, maximise, restart};
use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::kernel::{Schema, parse};
use crate::lbfgs;

/// The kernels that `auto` looks among, from the smoothest to the roughest.
pub const ROUGHNESS: [&str; 4] = ["se", "matern52", "matern32", "matern12"];

/// With fewer items than this, candidates are fitted two at a time; with more, a sweep uses the threads itself
/// and memory stays that of one fit.
const SIDE_BY_SIDE: usize = 700;

/// A kernel to fit: an expression, and whether each feature has a lengthscale of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSpec {
    /// The expression, as [`parse`] reads it.
    pub expression: String,
    /// A lengthscale for every feature.
    pub ard: bool,
}

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

/// A kernel that was tried, and its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The kernel.
    pub kernel: KernelSpec,
    /// Its log evidence.
    pub log_evidence: f64,
    /// What it was chosen by.
    pub score: f64,
}

/// What learning is told of besides the data.
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

/// A kernel as it was learned.
type Fit = (Learned, Tried);

/// Fits the chosen kernels; returns the best, and all that were tried in order. `watch` hears of every kernel and may end it, once one
/// setting was tried.
///
/// # Errors
/// Of [`parse`], [`Hyperparameters::new`] and [`maximise`].
pub fn choose(
    problem: &Problem<'_>,
    choice: &KernelChoice,
    options: &Options<'_>,
    watch: &dyn Watch,
) -> Result<(Learned, Vec<Tried>), Error> {
    in_steps(problem, choice, options, &Steps::new(watch, expected(choice, options)))
}

/// About how many settings of the hyperparameters [`choose`] tries.
pub(super) fn expected(choice: &KernelChoice, options: &Options<'_>) -> usize {
    let climbs = match choice {
        KernelChoice::Given(_) => 1,
        KernelChoice::Auto { .. } if options.schema.names.is_empty() => 1,
        KernelChoice::Auto { ard } => 3 + 2 * usize::from(!ard && options.schema.names.len() > 1),
    };
    climbs * CLIMB + RESTART
}

/// As [`choose`], with every setting a step of `steps`.
pub(super) fn in_steps(
    problem: &Problem<'_>,
    choice: &KernelChoice,
    options: &Options<'_>,
    steps: &Steps<'_>,
) -> Result<(Learned, Vec<Tried>), Error> {
    let spec = |expression: &str, ard| KernelSpec { expression: expression.into(), ard };
    let fit = |spec: &KernelSpec| fit_one(problem, spec, None, options, steps);
    let mut fits = match choice {
        KernelChoice::Given(given) => vec![fit(given)?],
        KernelChoice::Auto { .. } if options.schema.names.is_empty() => vec![fit(&spec("white", false))?],
        KernelChoice::Auto { ard } => {
            let [smoothest, smooth, rough, roughest] = ROUGHNESS.map(|e| spec(e, *ard));
            let (a, b) = if problem.points.len() < SIDE_BY_SIDE {
                rayon::join(|| fit(&smooth), || fit(&rough))
            } else {
                (fit(&smooth), fit(&rough))
            };
            let (a, b) = (a?, b?);
            let beyond = if a.1.score > b.1.score { smoothest } else { roughest };
            if steps.stopped() { vec![a, b] } else { vec![a, b, fit(&beyond)?] }
        }
    };
    let mut best = best_of(&fits)?;
    let learned = restart(problem, fits[best].0.clone(), &options.inference, &|| steps.next(1))?;
    fits[best] = scored(learned, fits[best].1.kernel.clone());

    let refine = matches!(choice, KernelChoice::Auto { ard: false }) && options.schema.names.len() > 1;
    if refine && !steps.stopped() {
        let (isotropic, tried) = &fits[best];
        let ard = spec(&tried.kernel.expression, true);
        fits.push(fit_one(problem, &ard, Some(isotropic), options, steps)?);
        best = best_of(&fits)?;
    }
    let tried = fits.iter().map(|(_, t)| t.clone()).collect();
    Ok((fits.swap_remove(best).0, tried))
}

fn best_of(fits: &[Fit]) -> Result<usize, Error> {
    let score = |i: usize| fits[i].1.score;
    (0..fits.len()).max_by(|&a, &b| score(a).total_cmp(&score(b))).ok_or(Error::Inference)
}

/// Fits one kernel, from its starting values or from the same kernel with a common lengthscale.
fn fit_one(
    problem: &Problem<'_>,
    spec: &KernelSpec,
    isotropic: Option<&Learned>,
    options: &Options<'_>,
    steps: &Steps<'_>,
) -> Result<Fit, Error> {
    let kernel = parse(&spec.expression, options.schema, spec.ard)?;
    let mut start =
        Hyperparameters::for_answers(kernel, problem.points, &problem.observations.responses, options)?;
    if let Some(from) = isotropic {
        start.start_from(&from.hyperparameters)?;
    }
    let warm = isotropic.map(|l| l.sites.clone());
    let stop = lbfgs::Stop::default();
    let learned = maximise(problem, &start, &options.inference, stop, warm, &|| steps.next(1))?;
    let fit = scored(learned, spec.clone());
    steps.tried(&fit.1);
    Ok(fit)
}

pub(crate) fn scored(learned: Learned, kernel: KernelSpec) -> Fit {
    let tried = Tried {
        kernel,
        log_evidence: learned.log_evidence,
        score: learned.objective - learned.hyperparameters.free().len() as f64,
    };
    (learned, tried)
}
