//! Conjugate gradients (Hestenes and Stiefel 1952), each unknown scaled by its diagonal entry.

use super::graph::Graph;
use rather_numerics::linalg::{axpy, dot};
use rather_numerics::watch;

/// The residual, relative to the right side, at which an answer is still one when rounding allows no better.
const ROUGH: f64 = 1e-6;
/// Steps before giving up.
const STEPS: usize = 20_000;

/// `Q = diag(d) + sum_e w_e (u_i - u_j)(u_i - u_j)'`.
pub(super) struct System<'a> {
    pub(super) graph: &'a Graph,
    pub(super) diagonal: &'a [f64],
    pub(super) weights: &'a [f64],
}

impl System<'_> {
    /// `Q^-1 b` from `x`, to the residual `tolerance` relative to `b`. `None` if it does not converge.
    pub(super) fn solve(&self, b: &[f64], mut x: Vec<f64>, tolerance: f64) -> Option<Vec<f64>> {
        let scale = self.scale();
        let scaled = |r: &[f64]| r.iter().zip(&scale).map(|(r, s)| r * s).collect::<Vec<f64>>();
        let target = dot(b, &scaled(b));
        if target == 0.0 {
            return Some(vec![0.0; b.len()]);
        }
        let mut r = self.residual(b, &x);
        let mut z = scaled(&r);
        let mut direction = z.clone();
        let mut size = dot(&r, &z);
        for _ in 0..STEPS {
            if size.is_nan() || size <= tolerance * tolerance * target || watch::ends() {
                break;
            }
            let ahead = self.times(&direction);
            let step = size / dot(&direction, &ahead);
            axpy(step, &direction, &mut x);
            axpy(-step, &ahead, &mut r);
            z = scaled(&r);
            let next = dot(&r, &z);
            let keep = next / size;
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + keep * *d);
            size = next;
        }
        let r = self.residual(b, &x);
        (dot(&r, &scaled(&r)) <= ROUGH * ROUGH * target).then_some(x)
    }

    /// One over the diagonal of `Q`.
    fn scale(&self) -> Vec<f64> {
        let mut scale = self.graph.gather(|i| self.diagonal[i], |e| (self.weights[e], self.weights[e]));
        scale.iter_mut().for_each(|s| *s = 1.0 / *s);
        scale
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let pull = |e: usize| {
            let (i, j) = self.graph.ends_of(e);
            let pull = self.weights[e] * (x[i] - x[j]);
            (pull, -pull)
        };
        self.graph.gather(|i| self.diagonal[i] * x[i], pull)
    }

    fn residual(&self, b: &[f64], x: &[f64]) -> Vec<f64> {
        b.iter().zip(self.times(x)).map(|(b, q)| b - q).collect()
    }
}
