//! Learning with a prior of low rank, from coarse to fine.
//!
//! The kernel is chosen, and its hyperparameters learned, with a few inducing items, where a setting costs next to nothing; all
//! inducing items, chosen for that kernel, then start from there and from the sites found there. The evidence is that of all of them.

use super::choice::{self, KernelChoice, Options, Selected, Tried};
use super::{Hyperparameters, Learned, maximise};
use crate::Error;
use crate::evidence::Problem;
use crate::inducing::{Inducing, informative};
use crate::kernel::parse;
use rather_numerics::lbfgs;
use rather_numerics::watch::Steps;

/// Inducing items that kernels are chosen with.
const COARSE: usize = 128;
/// Settings that the climb with all inducing items usually tries.
const CLIMB: usize = 8;

/// What was learned, and with which inducing items.
#[derive(Debug, Clone)]
pub struct LowRank {
    /// The hyperparameters, at the evidence of these inducing items.
    pub learned: Learned,
    /// The kernels tried; the evidence of those not chosen is that of the first, few inducing items.
    pub tried: Vec<Tried>,
    /// Positions of the inducing items among the problem's.
    pub inducing: Vec<usize>,
}

/// Fits the chosen kernels with a prior of at most `features` features of inducing items. `problem.inducing` is not looked at.
///
/// # Errors
/// As [`choice::choose`].
pub fn choose(
    problem: &Problem<'_>,
    (inducing, features): (&Inducing, usize),
    choice: &KernelChoice,
    options: &Options<'_>,
    each: &(dyn Fn(&Tried) + Sync),
) -> Result<LowRank, Error> {
    let first = first_kernel(problem, choice, options)?;
    let few = inducing.choose(&first.kernel, problem.points, features.min(COARSE));
    let coarse = Problem { inducing: Some(&few), ..problem.clone() };
    // A setting with all costs so many with few.
    let cost = (features / COARSE).max(1).pow(2);
    let steps = Steps::start("learning", choice::expected(problem, choice, options) + CLIMB * cost);
    let Selected { learned, mut tried, .. } = match (inducing, choice) {
        // Nothing depends on what the few would say.
        (Inducing::Covering | Inducing::KMeans { .. } | Inducing::Random { .. }, KernelChoice::Given(_))
            if first.free().is_empty() =>
        {
            let all = inducing.choose(&first.kernel, problem.points, features);
            let fine = Problem { inducing: Some(&all), ..problem.clone() };
            let Selected { learned, tried, .. } = choice::in_steps(&fine, choice, options, &steps, each)?;
            return Ok(LowRank { learned, tried, inducing: all });
        }
        _ => choice::in_steps(&coarse, choice, options, &steps, each)?,
    };
    let kernel = &learned.hyperparameters.kernel;
    let all = match inducing {
        Inducing::Informative => {
            let noise = learned.hyperparameters.noise();
            let found = coarse.evaluate(kernel, noise, Some(&learned.sites), &options.inference)?.outcome;
            let variance = &found.posterior.variance;
            informative::items(problem.observations, &found.sites, variance, features)
        }
        _ => inducing.choose(kernel, problem.points, features),
    };
    let fine = Problem { inducing: Some(&all), ..problem.clone() };
    let (start, warm, stop) = (&learned.hyperparameters, Some(learned.sites.clone()), lbfgs::Stop::default());
    let finer = match maximise(&fine, start, &options.inference, stop, warm, &|| steps.goes_on(cost)) {
        // What the few have found, with all.
        Err(Error::Cancelled) => return Ok(LowRank { learned, tried, inducing: all }),
        found => found?,
    };
    if let Some(chosen) = tried.iter_mut().max_by(|a, b| a.score.total_cmp(&b.score)) {
        chosen.log_evidence = finer.log_evidence;
        // The price of its hyperparameters stays.
        chosen.score += finer.objective - learned.objective;
    }
    let learned = Learned {
        evaluations: learned.evaluations + finer.evaluations,
        sweeps: learned.sweeps + finer.sweeps,
        ..finer
    };
    Ok(LowRank { learned, tried, inducing: all })
}

/// The kernel that the first inducing items are chosen for, at its starting values.
fn first_kernel(
    problem: &Problem<'_>,
    choice: &KernelChoice,
    options: &Options<'_>,
) -> Result<Hyperparameters, Error> {
    let (expression, ard) = match choice {
        KernelChoice::Given(given) => (given.expression.as_str(), given.ard),
        KernelChoice::Auto { ard } => (choice::ROUGHNESS[1], *ard),
    };
    Hyperparameters::new(parse(expression, options.schema, ard)?, problem.points, options)
}
