//! The largest value of a function over a domain.

use super::Domain;
use rather_numerics::order;
use rather_numerics::{lbfgs, watch};

/// A function over settings.
pub trait Objective {
    /// Its values at many settings.
    fn values(&self, settings: &[Vec<f64>]) -> Vec<f64>;

    /// Its value and gradient at one setting; entries of the gradient for integers and categories are not used. `None`
    /// where it has no value.
    fn gradient(&self, setting: &[f64]) -> Option<(f64, Vec<f64>)>;
}

/// How hard to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Settings that fill the domain, from the best of which is climbed.
    pub starts: usize,
    /// Number of climbs.
    pub searches: usize,
    /// Steps of one climb.
    pub steps: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { starts: 256, searches: 6, steps: 40 }
    }
}

/// A setting and the function's value there.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The setting.
    pub setting: Vec<f64>,
    /// The value.
    pub value: f64,
}

/// A continuous coordinate is searched in units of a quarter of its range, about one lengthscale, in which the optimiser's
/// first step of half a unit is short.
const UNIT: f64 = 0.25;
/// Starts nearer than this to a better one lead to the same top.
const NEAR: f64 = 0.05;
/// Alternations between numbers and levels in one climb.
const ROUNDS: usize = 20;

/// Looks for the largest value of `objective` over `domain`: from the best of `settings` and of scrambled Sobol points
/// that fill the domain climbs by L-BFGS in the continuous coordinates, and to the best neighbour in the others, in turn,
/// until neither helps. Returns the tops and the best starts, best first; deterministic in `seed`.
///
/// Once `stop` says so no further climb is begun.
pub fn maximise(
    objective: &dyn Objective,
    domain: &Domain,
    settings: &[Vec<f64>],
    effort: &Effort,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Vec<Found> {
    let mut starts: Vec<Vec<f64>> = settings.to_vec();
    starts.extend(domain.fill(effort.starts, seed));
    let values = objective.values(&starts);
    let mut found: Vec<Found> = starts
        .into_iter()
        .zip(values)
        .filter(|(_, value)| !value.is_nan())
        .map(|(setting, value)| Found { setting, value })
        .collect();
    order::sort_descending(&mut found, |one| one.value);
    let mut tops: Vec<Found> = Vec::new();
    let mut begun: Vec<&[f64]> = Vec::new();
    for start in &found {
        if begun.len() == effort.searches || stop() || watch::ends() {
            break;
        }
        if begun.iter().all(|other| distance(other, &start.setting) > NEAR) {
            begun.push(&start.setting);
            tops.push(climb(objective, domain, start, effort));
        }
    }
    tops.extend(found);
    order::sort_descending(&mut tops, |one| one.value);
    tops
}

/// The largest difference in any coordinate.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn climb(objective: &dyn Objective, domain: &Domain, start: &Found, effort: &Effort) -> Found {
    let mut here = start.clone();
    for _ in 0..ROUNDS {
        let before = here.value;
        slide(objective, domain, &mut here, effort.steps);
        let neighbours = domain.neighbours(&here.setting);
        if neighbours.is_empty() {
            break;
        }
        let values = objective.values(&neighbours);
        let best = crate::acquisition::best::arg_max(&values).filter(|&b| values[b] > here.value);
        if let Some(best) = best {
            here = Found { setting: neighbours[best].clone(), value: values[best] };
        }
        if here.value <= before || best.is_none() {
            break;
        }
    }
    here
}

/// L-BFGS in the continuous coordinates.
fn slide(objective: &dyn Objective, domain: &Domain, here: &mut Found, steps: usize) {
    let free: Vec<usize> = (0..domain.dims()).filter(|&d| domain.dimensions[d].levels().is_none()).collect();
    if free.is_empty() {
        return;
    }
    let at = |x: &[f64]| {
        let mut setting = here.setting.clone();
        free.iter().zip(x).for_each(|(&d, x)| setting[d] = (x * UNIT).clamp(0.0, 1.0));
        setting
    };
    let start: Vec<f64> = free.iter().map(|&d| here.setting[d] / UNIT).collect();
    let bounds = vec![(0.0, 1.0 / UNIT); free.len()];
    let stop = lbfgs::Stop { gradient: 1e-6, decrease: 1e-9, steps, ..lbfgs::Stop::default() };
    let downhill = |x: &[f64]| {
        if watch::ends() {
            return None;
        }
        let (value, gradient) = objective.gradient(&at(x))?;
        let slope: Vec<f64> = free.iter().map(|&d| -gradient[d] * UNIT).collect();
        (value.is_finite() && slope.iter().all(|g| g.is_finite())).then_some((-value, slope))
    };
    if let Some(top) = lbfgs::minimise(downhill, &start, &bounds, stop)
        && -top.value > here.value
    {
        *here = Found { setting: at(&top.x), value: -top.value };
    }
}
