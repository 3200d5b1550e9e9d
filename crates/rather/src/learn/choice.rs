//! Choosing the kernel by evidence.
//!
//! `auto` tries four isotropic kernels of growing roughness, then gives the best of them a lengthscale for every
//! feature. The score is what was maximised (log evidence and log prior) less one nat for every learned
//! hyperparameter: about what integrating a well-determined one over its weak prior would cost, so that twenty
//! lengthscales do not win by fitting a hundred comparisons.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Hyperparameters, Learned, Units, lbfgs, maximise, restart};
use crate::Error;
use crate::evidence::Problem;
use crate::inference::Settings;
use crate::kernel::{Schema, parse};

/// The isotropic kernels that `auto` tries.
pub const CANDIDATES: [&str; 4] = ["se", "matern52", "matern32", "matern12"];

/// With fewer items than this, candidates are fitted side by side; with more, a sweep uses the threads itself, so
/// that memory stays that of one fit.
const SIDE_BY_SIDE: usize = 256;

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

/// Fits the chosen kernels; returns the best, and all that were tried in order.
///
/// # Errors
/// Of [`parse`], [`Hyperparameters::new`] and [`maximise`].
pub fn choose(
    problem: &Problem<'_>,
    choice: &KernelChoice,
    options: &Options<'_>,
    progress: &(dyn Fn(&Tried) + Sync),
) -> Result<(Learned, Vec<Tried>), Error> {
    let spec = |expression: &str, ard| KernelSpec { expression: expression.into(), ard };
    let first: Vec<KernelSpec> = match choice {
        KernelChoice::Given(given) => vec![given.clone()],
        KernelChoice::Auto { .. } if options.schema.names.is_empty() => vec![spec("white", false)],
        KernelChoice::Auto { ard } => CANDIDATES.iter().map(|e| spec(e, *ard)).collect(),
    };
    let several = options.schema.names.len() > 1;
    let mut fits = fit_all(problem, &first, options, progress)?;
    if matches!(choice, KernelChoice::Auto { ard: false }) && several {
        let best = best_of(&fits).map(|at| fits[at].1.kernel.expression.clone());
        let second: Vec<KernelSpec> = best.iter().map(|e| spec(e, true)).collect();
        fits.extend(fit_all(problem, &second, options, progress)?);
    }
    let best = best_of(&fits).ok_or(Error::Inference)?;
    let tried = fits.iter().map(|(_, t)| t.clone()).collect();
    let learned = restart(problem, fits.swap_remove(best).0, &options.inference)?;
    Ok((learned, tried))
}

fn best_of(fits: &[(Learned, Tried)]) -> Option<usize> {
    (0..fits.len()).max_by(|&a, &b| fits[a].1.score.total_cmp(&fits[b].1.score))
}

fn fit_all(
    problem: &Problem<'_>,
    specs: &[KernelSpec],
    options: &Options<'_>,
    progress: &(dyn Fn(&Tried) + Sync),
) -> Result<Vec<(Learned, Tried)>, Error> {
    let fit = |spec: &KernelSpec| fit_one(problem, spec, options).inspect(|(_, tried)| progress(tried));
    if problem.points.len() < SIDE_BY_SIDE {
        specs.par_iter().map(fit).collect()
    } else {
        specs.iter().map(fit).collect()
    }
}

/// Fits one kernel from its starting values.
fn fit_one(
    problem: &Problem<'_>,
    spec: &KernelSpec,
    options: &Options<'_>,
) -> Result<(Learned, Tried), Error> {
    let kernel = parse(&spec.expression, options.schema, spec.ard)?;
    let start = Hyperparameters::new(kernel, problem.points, options)?;
    let learned = maximise(problem, &start, &options.inference, lbfgs::Stop::default(), None)?;
    let tried = Tried {
        kernel: spec.clone(),
        log_evidence: learned.evidence.outcome.log_evidence,
        score: learned.objective - start.free().len() as f64,
    };
    Ok((learned, tried))
}
