//! Conjugate gradients (Hestenes and Stiefel 1952), each unknown scaled by its diagonal entry.

use super::graph::Graph;
use crate::linalg::{axpy, dot};

/// The residual, relative to the right side, that counts as none.
const TOLERANCE: f64 = 1e-11;
/// The residual at which an answer is still one when rounding allows no better.
const ROUGH: f64 = 1e-6;
/// Steps before giving up.
const STEPS: usize = 20_000;

/// `Q^-1 b` for `Q = diag(d) + sum_e w_e (u_i - u_j)(u_i - u_j)'` with the weights `at_slot`, one a slot, from `x`. `None` if it does not
/// converge.
pub(super) fn solve(
    graph: &Graph,
    diagonal: &[f64],
    at_slot: &[f64],
    b: &[f64],
    mut x: Vec<f64>,
) -> Option<Vec<f64>> {
    let scale = graph.each_node(|i| {
        let weight: f64 = at_slot[graph.start[i]..graph.start[i + 1]].iter().sum();
        1.0 / (diagonal[i] + weight)
    });
    let scaled = |r: &[f64]| r.iter().zip(&scale).map(|(r, s)| r * s).collect::<Vec<f64>>();
    let target = dot(b, &scaled(b));
    if target == 0.0 {
        return Some(vec![0.0; b.len()]);
    }
    let residual = |x: &[f64]| -> Vec<f64> {
        b.iter().zip(graph.times(diagonal, at_slot, x)).map(|(b, q)| b - q).collect()
    };
    let mut r = residual(&x);
    let mut z = scaled(&r);
    let mut direction = z.clone();
    let mut size = dot(&r, &z);
    for _ in 0..STEPS {
        if size.is_nan() || size <= TOLERANCE * TOLERANCE * target {
            break;
        }
        let ahead = graph.times(diagonal, at_slot, &direction);
        let step = size / dot(&direction, &ahead);
        axpy(step, &direction, &mut x);
        axpy(-step, &ahead, &mut r);
        z = scaled(&r);
        let next = dot(&r, &z);
        let keep = next / size;
        direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + keep * *d);
        size = next;
    }
    let r = residual(&x);
    (dot(&r, &scaled(&r)) <= ROUGH * ROUGH * target).then_some(x)
}
