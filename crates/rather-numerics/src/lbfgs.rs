//! L-BFGS within bounds, for smooth functions of a few parameters that are dear to evaluate.
//!
//! Two-loop recursion (Nocedal and Wright 2006, algorithm 7.4) on the parameters that are not held by a bound
//! (projected as in Bertsekas 1982), with backtracking to sufficient decrease. Own code because the kept
//! crates lack bounds, and because a point where the function has no value must mean "step back", not "stop".

/// The largest change of a parameter in one step. Parameters are logarithms: a factor of about 7.
const LONGEST_STEP: f64 = 2.0;
const MEMORY: usize = 8;
const SUFFICIENT_DECREASE: f64 = 1e-4;
const HALVINGS: usize = 12;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Largest entry of the projected gradient that counts as none.
    pub gradient: f64,
    /// Decrease of the function in one step that counts as none, found or foreseen by the curvature known.
    pub decrease: f64,
    /// How far values of the function may be off. Steps are not held to what such an error hides.
    pub error: f64,
    /// Largest number of steps.
    pub steps: usize,
}

impl Default for Stop {
    /// For a log evidence in nats over logarithms of parameters: a hundredth of a nat is far below what the
    /// answers can tell.
    fn default() -> Self {
        Self { gradient: 2e-2, decrease: 1e-3, error: 0.0, steps: 100 }
    }
}

/// What is known of the curvature: steps, and how the gradient changed over them, the last ones last.
pub type Curvature = Vec<(Vec<f64>, Vec<f64>)>;

/// The point found.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The parameters.
    pub x: Vec<f64>,
    /// The function there.
    pub value: f64,
    /// Its gradient there.
    pub gradient: Vec<f64>,
    /// The curvature nearby.
    pub curvature: Curvature,
    /// Number of evaluations.
    pub evaluations: usize,
    /// Whether the gradient or the decrease fell below its threshold, not the step limit first.
    pub converged: bool,
}

/// Minimises `f` (value and gradient, or `None` where it has none) from `x` within `bounds`.
///
/// `None` if `f` has no value at the start.
pub fn minimise(
    f: impl FnMut(&[f64]) -> Option<(f64, Vec<f64>)>,
    x: &[f64],
    bounds: &[(f64, f64)],
    stop: Stop,
) -> Option<Minimum> {
    minimise_with(f, x, Curvature::new(), bounds, stop)
}

/// As [`minimise`], where the curvature near `x` is known, of the function or of one very like it.
pub fn minimise_with(
    mut f: impl FnMut(&[f64]) -> Option<(f64, Vec<f64>)>,
    x: &[f64],
    curvature: Curvature,
    bounds: &[(f64, f64)],
    stop: Stop,
) -> Option<Minimum> {
    let clip = |x: &mut [f64]| {
        for (x, &(low, high)) in x.iter_mut().zip(bounds) {
            *x = x.clamp(low, high);
        }
    };
    let mut x = x.to_vec();
    clip(&mut x);
    let (mut value, mut gradient) = f(&x)?;
    let mut evaluations = 1;
    let mut memory = curvature;
    for _ in 0..stop.steps {
        let free = free_parameters(&x, &gradient, bounds);
        let slope = masked(&gradient, &free);
        if slope.iter().all(|g| g.abs() <= stop.gradient) {
            return Some(Minimum { x, value, gradient, curvature: memory, evaluations, converged: true });
        }
        let direction = direction(&slope, &free, &memory);
        // Half of this is the decrease to the minimum of the quadratic model, once it knows the curvature along every free parameter.
        let moved = |i: usize| memory.iter().any(|(s, _)| s[i] != 0.0);
        let all_moved = (0..free.len()).all(|i| !free[i] || moved(i));
        let known = all_moved && memory.len() >= free.iter().filter(|&&free| free).count();
        if known && -dot(&direction, &slope) <= 2.0 * stop.decrease {
            return Some(Minimum { x, value, gradient, curvature: memory, evaluations, converged: true });
        }
        let mut accepted = None;
        let mut step = 1.0;
        for _ in 0..HALVINGS {
            let mut next: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + step * d).collect();
            clip(&mut next);
            evaluations += 1;
            let predicted: f64 = next.iter().zip(&x).zip(&gradient).map(|((n, x), g)| (n - x) * g).sum();
            match f(&next) {
                Some((v, g)) if v <= value + SUFFICIENT_DECREASE * predicted + stop.error => {
                    accepted = Some((next, v, g));
                    break;
                }
                Some((v, _)) => step *= interpolate(predicted, v - value),
                None => step *= 0.25,
            }
        }
        let Some((next, next_value, next_gradient)) = accepted else {
            if memory.is_empty() {
                return Some(Minimum {
                    x,
                    value,
                    gradient,
                    curvature: memory,
                    evaluations,
                    converged: false,
                });
            }
            memory.clear();
            continue;
        };
        let s = minus(&next, &x);
        let y = minus(&next_gradient, &gradient);
        if dot(&s, &y) > 1e-10 * dot(&y, &y).sqrt() * dot(&s, &s).sqrt() {
            if memory.len() == MEMORY {
                memory.remove(0);
            }
            memory.push((s, y));
        }
        let decrease = value - next_value;
        (x, value, gradient) = (next, next_value, next_gradient);
        if decrease <= stop.decrease {
            return Some(Minimum { x, value, gradient, curvature: memory, evaluations, converged: true });
        }
    }
    Some(Minimum { x, value, gradient, curvature: memory, evaluations, converged: false })
}

/// Which parameters may move: all but those at a bound that descent pushes against.
fn free_parameters(x: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> Vec<bool> {
    x.iter()
        .zip(gradient)
        .zip(bounds)
        .map(|((x, g), (low, high))| !((x <= low && *g >= 0.0) || (x >= high && *g <= 0.0)))
        .collect()
}

fn masked(x: &[f64], keep: &[bool]) -> Vec<f64> {
    x.iter().zip(keep).map(|(&x, &keep)| if keep { x } else { 0.0 }).collect()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The quasi-Newton direction among the free parameters, not longer than [`LONGEST_STEP`] in any.
fn direction(slope: &[f64], free: &[bool], memory: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let pairs: Vec<(Vec<f64>, Vec<f64>)> = memory
        .iter()
        .map(|(s, y)| (masked(s, free), masked(y, free)))
        .filter(|(s, y)| dot(s, y) > 1e-12 * dot(y, y))
        .collect();
    let mut q = slope.to_vec();
    let mut alphas = Vec::with_capacity(pairs.len());
    for (s, y) in pairs.iter().rev() {
        let alpha = dot(s, &q) / dot(s, y);
        q.iter_mut().zip(y).for_each(|(q, y)| *q -= alpha * y);
        alphas.push(alpha);
    }
    let scale = pairs.last().map(|(s, y)| dot(s, y) / dot(y, y));
    // Without curvature yet, of any parameter or of one that was held until now: a first step of at most half a unit.
    let unknown: Vec<bool> = (0..q.len()).map(|i| pairs.iter().all(|(s, _)| s[i] == 0.0)).collect();
    let first = 0.5 / largest(&masked(slope, &unknown)).max(0.5);
    let scales = unknown.iter().map(|&unknown| scale.filter(|_| !unknown).unwrap_or(first));
    q.iter_mut().zip(scales).for_each(|(q, scale)| *q *= scale);
    for ((s, y), alpha) in pairs.iter().zip(alphas.iter().rev()) {
        let beta = dot(y, &q) / dot(s, y);
        q.iter_mut().zip(s).for_each(|(q, s)| *q += (alpha - beta) * s);
    }
    let downhill = dot(&q, slope) > 0.0;
    let mut d: Vec<f64> = if downhill { q } else { slope.to_vec() };
    let shrink = (LONGEST_STEP / largest(&d)).min(1.0);
    d.iter_mut().for_each(|d| *d *= -shrink);
    d
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |a, b| a.max(b.abs()))
}

/// The factor by which to shorten a step: the minimum of the parabola through what is known, within (0.1, 0.5).
fn interpolate(predicted: f64, change: f64) -> f64 {
    let factor = -predicted / (2.0 * (change - predicted));
    if factor.is_finite() { factor.clamp(0.1, 0.5) } else { 0.25 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOP: Stop = Stop { gradient: 1e-8, decrease: 0.0, error: 0.0, steps: 200 };

    fn rosenbrock(x: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        Some((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b]))
    }

    #[test]
    fn finds_the_valley_floor() {
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        let found = minimise(rosenbrock, &[-1.2, 1.0], &[free, free], STOP).unwrap();
        assert!(found.converged);
        assert!((found.x[0] - 1.0).abs() < 1e-6 && (found.x[1] - 1.0).abs() < 1e-6, "{found:?}");
    }

    /// With x <= 0.5 the minimum sits on the bound, at (0.5, 0.25) (x1 = x0^2 given x0).
    #[test]
    fn stops_at_a_bound() {
        let bounds = [(-2.0, 0.5), (-2.0, 2.0)];
        let found = minimise(rosenbrock, &[-1.2, 1.0], &bounds, STOP).unwrap();
        assert!((found.x[0] - 0.5).abs() < 1e-12 && (found.x[1] - 0.25).abs() < 1e-6, "{found:?}");
    }

    /// What is known along one parameter says nothing of another, which was held until now.
    #[test]
    fn curvature_along_one_parameter_is_none_along_another() {
        let f = |x: &[f64]| {
            let (a, b) = (x[0] - 1.0, x[1] - 0.3);
            Some((50.0 * a * a + 5e4 * b * b, vec![100.0 * a, 1e5 * b]))
        };
        let known = vec![(vec![0.5, 0.0], vec![50.0, 0.0])];
        let stop = Stop { gradient: 1e-3, decrease: 1e-6, ..STOP };
        let found = minimise_with(f, &[1.2, 0.31], known, &[(-9.0, 9.0); 2], stop).unwrap();
        assert!((found.x[0] - 1.0).abs() < 1e-3 && (found.x[1] - 0.3).abs() < 1e-6, "{found:?}");
        assert!(found.evaluations <= 12, "{found:?}");
    }

    #[test]
    fn steps_back_from_where_there_is_no_value() {
        let f = |x: &[f64]| (x[0] > 0.0).then(|| (x[0] - x[0].ln(), vec![1.0 - 1.0 / x[0]]));
        let found = minimise(f, &[3.0], &[(-9.0, 9.0)], STOP).unwrap();
        assert!((found.x[0] - 1.0).abs() < 1e-6, "{found:?}");
        assert!(minimise(f, &[-1.0], &[(-9.0, 9.0)], STOP).is_none());
    }
}
