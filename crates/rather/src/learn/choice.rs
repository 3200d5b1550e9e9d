//! Choosing the kernel by evidence.
//!
//! `auto` looks among four isotropic kernels of growing roughness, [`ROUGHNESS`]: the two in the middle first, then
//! the one beyond the better of them (the evidence rises and falls once along this order); then it gives the best
//! a lengthscale for every feature. The score is what was maximised (log evidence and log prior) less one nat for every learned
//! hyperparameter: about what integrating a well-determined one over its weak prior would cost, so that twenty
//! lengthscales do not win by fitting a hundred comparisons.

use serde::{Deserialize, Serialize};

use super::{Hyperparameters, Learned, Units, maximise, restart};
use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::kernel::{Schema, parse};
use crate::watch::{self, Steps};
use crate::{lbfgs, parallel};

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

impl KernelChoice {
    /// Whether items are known by name only: the kernel is `white`, whatever the expression calls it.
    pub fn is_by_name(&self, schema: &Schema) -> bool {
        match self {
            Self::Auto { .. } => schema.names.is_empty(),
            Self::Given(spec) => {
                parse(&spec.expression, schema, spec.ard).is_ok_and(|kernel| kernel.is_white())
            }
        }
    }
}

/// A kernel that was tried, and its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The kernel.
    pub kernel: KernelSpec,
    /// Its log evidence.
    #[serde(with = "crate::any_float")]
    pub log_evidence: f64,
    /// What it was chosen by.
    #[serde(with = "crate::any_float")]
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

/// Fits the chosen kernels; returns the best, and all that were tried in order. `each` is called with
/// every kernel learned. [`watch::Watch::finish`] ends it with the best so far.
///
/// # Errors
/// Of [`parse`], [`Hyperparameters::new`] and [`maximise`].
pub fn choose(
    problem: &Problem<'_>,
    choice: &KernelChoice,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<(Learned, Vec<Tried>), Error> {
    in_steps(problem, choice, options, &Steps::start("learning", expected(choice, options)), each)
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
    steps: &Steps,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<(Learned, Vec<Tried>), Error> {
    let spec = |expression: &str, ard| KernelSpec { expression: expression.into(), ard };
    let fit =
        |spec: &KernelSpec| fit_one(problem, spec, None, options, steps).inspect(|(_, tried)| each(tried));
    let mut fits = match choice {
        KernelChoice::Given(given) => vec![fit(given)?],
        KernelChoice::Auto { .. } if options.schema.names.is_empty() => vec![fit(&spec("white", false))?],
        KernelChoice::Auto { ard } => {
            let [smoothest, smooth, rough, roughest] = ROUGHNESS.map(|e| spec(e, *ard));
            let (a, b) = if problem.points.len() < SIDE_BY_SIDE {
                parallel::join(|| fit(&smooth), || fit(&rough))
            } else {
                (fit(&smooth), fit(&rough))
            };
            match &done([a, b])?[..] {
                [a, b] => {
                    let beyond = if a.1.score > b.1.score { smoothest } else { roughest };
                    done([Ok(a.clone()), Ok(b.clone()), fit(&beyond)])?
                }
                first => first.to_vec(),
            }
        }
    };
    let mut best = best_of(&fits)?;
    let learned = restart(problem, fits[best].0.clone(), &options.inference, &|| steps.goes_on(1))?;
    fits[best] = scored(learned, fits[best].1.kernel.clone());

    let refine = matches!(choice, KernelChoice::Auto { ard: false }) && options.schema.names.len() > 1;
    if refine && !watch::is_ending() {
        let (isotropic, tried) = &fits[best];
        let ard = spec(&tried.kernel.expression, true);
        let refined = fit_one(problem, &ard, Some(isotropic), options, steps);
        let refined = refined.inspect(|(_, tried)| each(tried));
        fits = done(fits.into_iter().map(Ok).chain([refined]))?;
        best = best_of(&fits)?;
    }
    let tried = fits.iter().map(|(_, t)| t.clone()).collect();
    Ok((fits.swap_remove(best).0, tried))
}

/// The fits that came to an end. What a request to finish has cut short is left out, as long as there is another.
fn done(fits: impl IntoIterator<Item = Result<Fit, Error>>) -> Result<Vec<Fit>, Error> {
    let mut out = Vec::new();
    for fit in fits {
        match fit {
            Ok(fit) => out.push(fit),
            Err(Error::Cancelled) => {}
            Err(error) => return Err(error),
        }
    }
    if out.is_empty() { Err(Error::Cancelled) } else { Ok(out) }
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
    steps: &Steps,
) -> Result<Fit, Error> {
    let kernel = parse(&spec.expression, options.schema, spec.ard)?;
    let mut start =
        Hyperparameters::for_answers(kernel, problem.points, &problem.observations.responses, options)?;
    if let Some(from) = isotropic {
        start.start_from(&from.hyperparameters)?;
    }
    let warm = isotropic.map(|l| l.sites.clone());
    let stop = lbfgs::Stop::default();
    let learned = maximise(problem, &start, &options.inference, stop, warm, &|| steps.goes_on(1))?;
    Ok(scored(learned, spec.clone()))
}

pub(crate) fn scored(learned: Learned, kernel: KernelSpec) -> Fit {
    let tried = Tried {
        kernel,
        log_evidence: learned.log_evidence,
        score: learned.objective - learned.hyperparameters.free().len() as f64,
    };
    (learned, tried)
}
