//! What predictions average over: kernels that the evidence cannot tell apart, and the posterior of their hyperparameters.

use super::{FitSettings, Integration};
use crate::belief::Belief;
use crate::evidence::Problem;
use crate::inference::sites::Sites;
use crate::kernel::{Schema, parse};
use crate::learn::choice::{self, KernelChoice, Rival};
use crate::learn::integration::MOST_ITEMS;
use crate::learn::{Hyperparameters, Learned, integration};
use crate::likelihood::Responses;
use crate::posterior::{Mixture, Posterior};
use rather_numerics::order;

/// Settings that predictions average over, at most: as many as a file may hold.
pub(super) const MOST: usize = 32;
/// As many with more than [`FEW_ITEMS`] items, each of which takes time and memory. Of fewer items there are few answers, which tell neither kernels nor
/// hyperparameters: what is left out of an average there makes intervals too narrow.
const MOST_OF_MANY: usize = 16;
const FEW_ITEMS: usize = 100;
/// A setting of less weight than this is left out.
const LEAST: f64 = 0.005;

/// A setting to average over.
struct Setting {
    weight: f64,
    hyperparameters: Hyperparameters,
    sites: Sites,
}

/// The average of the posteriors at the best kernel's maximum, at the settings around it, and of its rivals and the settings around those; the
/// hyperparameters of all but the first. A setting where inference is not to be trusted is left out.
pub(super) fn average(
    problem: &Problem<'_>,
    (learned, weight, best): (&Learned, f64, Posterior),
    rivals: Vec<Rival>,
    settings: &FitSettings,
) -> (Belief, Vec<Hyperparameters>) {
    let mut all = around(problem, learned, weight, settings);
    let maximum = all.remove(0).weight;
    all.extend(rivals.iter().flat_map(|r| around(problem, &r.learned, r.weight, settings)));
    all.retain(|setting| setting.weight >= LEAST);
    order::sort_descending(&mut all, |setting| setting.weight);
    all.truncate(most(problem.points.len()) - 1);
    let mut components = vec![(maximum, best)];
    let mut averaged = Vec::new();
    for Setting { weight, hyperparameters: h, sites } in all {
        let found = problem.evaluate(&h.kernel, h.values(), Some(&sites), &settings.inference.convergence());
        let Ok(evidence) = found else { continue };
        if evidence.outcome.trustworthy {
            components.push((weight, Posterior::new(problem, h.kernel.clone(), h.values(), evidence)));
            averaged.push(h);
        }
    }
    if averaged.is_empty() {
        let (_, best) = components.swap_remove(0);
        return (Belief::Gaussian(Box::new(best)), averaged);
    }
    (Belief::Mixture(Box::new(Mixture::new(components))), averaged)
}

/// The number of settings besides the best one that a fit of so many items may average over.
pub(super) fn others(items: usize, settings: &FitSettings, schema: &Schema, responses: &Responses) -> usize {
    let many = items > MOST_ITEMS;
    let around = match settings.inference.integration() {
        Integration::Off => 0,
        Integration::Auto if many => 0,
        Integration::Auto | Integration::Always => {
            let kernel = match &settings.kernel {
                KernelChoice::Given(spec) => parse(&spec.expression, schema, spec.ard).ok(),
                KernelChoice::Auto { .. } => None,
            };
            let own = kernel.map_or(usize::MAX, |kernel| kernel.parameters().len());
            let by_name = settings.kernel.is_by_name(schema);
            let parameters = if by_name { 1 } else { own }.saturating_add(responses.parameters(1.0).len());
            integration::most_around(parameters)
        }
    };
    let kernels = match settings.kernel {
        KernelChoice::Auto { .. } if !many && schema.features() > 0 => choice::RIVALS,
        _ => 0,
    };
    ((1 + around) * (1 + kernels) - 1).min(most(items) - 1)
}

/// Settings that predictions about so many items average over, at most.
fn most(items: usize) -> usize {
    if items <= FEW_ITEMS { MOST } else { MOST_OF_MANY }
}

/// A kernel's maximum and the settings around it, which share its weight.
fn around(problem: &Problem<'_>, learned: &Learned, weight: f64, settings: &FitSettings) -> Vec<Setting> {
    let integrated = match settings.inference.integration() {
        Integration::Always => true,
        Integration::Auto => problem.inducing.is_none() && problem.points.len() <= MOST_ITEMS,
        Integration::Off => false,
    };
    let nodes = integrated.then(|| integration::nodes(problem, learned, &settings.inference.convergence()));
    match nodes {
        Some(Ok(nodes)) => nodes
            .into_iter()
            .map(|node| Setting {
                weight: weight * node.weight,
                hyperparameters: node.hyperparameters,
                sites: node.sites,
            })
            .collect(),
        // Where the curvature cannot be had, the maximum stands for all.
        None | Some(Err(_)) => vec![Setting {
            weight,
            hyperparameters: learned.hyperparameters.clone(),
            sites: learned.sites.clone(),
        }],
    }
}
