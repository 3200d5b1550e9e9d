//! Conjugate gradients (Hestenes and Stiefel 1952), each unknown scaled by its diagonal entry.

use super::graph::Graph;
use rather_numerics::linalg::{axpy, dot};
use rather_numerics::watch;

/// The residual, relative to the right side, at which an answer is still one when rounding allows no better.
const ROUGH: f64 = 1e-6;
/// Steps before giving up.
const STEPS: usize = 20_000;

/// When conjugate gradients end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Accuracy {
    /// The residual relative to the right side that counts as none.
    pub(super) tolerance: f64,
    /// The share of the first residual that is as good as none.
    pub(super) share: f64,
}

impl Accuracy {
    /// To the residual `tolerance` relative to the right side, from wherever.
    pub(super) const fn to(tolerance: f64) -> Self {
        Self { tolerance, share: 0.0 }
    }
}

/// `Q = diag(d) + sum_e w_e (u_i - u_j)(u_i - u_j)'`.
pub(super) struct System<'a> {
    pub(super) graph: &'a Graph,
    pub(super) diagonal: &'a [f64],
    pub(super) weights: &'a [f64],
}

impl System<'_> {
    /// `Q^-1 b` from `x`, to the residual `tolerance` relative to `b`, or `share` of that of `x`, whichever is larger. `None` if it does not converge.
    pub(super) fn solve(
        &self,
        b: &[f64],
        mut x: Vec<f64>,
        Accuracy { tolerance, share }: Accuracy,
    ) -> Option<Vec<f64>> {
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
        let enough = (tolerance * tolerance * target).max(share * share * size);
        for _ in 0..STEPS {
            if size.is_nan() || size <= enough || watch::ends() {
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
        // What was updated step by step differs from it by rounding.
        (dot(&r, &scaled(&r)) <= (ROUGH * ROUGH * target).max(2.0 * enough)).then_some(x)
    }

    /// One over the diagonal of `Q`.
    fn scale(&self) -> Vec<f64> {
        let mut scale = self.graph.gather(|i| self.diagonal[i], |e| (self.weights[e], self.weights[e]));
        scale.iter_mut().for_each(|s| *s = 1.0 / *s);
        scale
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let pull = |e: usize, of_first: f64, of_second: f64| {
            let pull = self.weights[e] * (of_first - of_second);
            (pull, -pull)
        };
        self.graph.gather_beside(x, |i| self.diagonal[i] * x[i], pull)
    }

    fn residual(&self, b: &[f64], x: &[f64]) -> Vec<f64> {
        b.iter().zip(self.times(x)).map(|(b, q)| b - q).collect()
    }
}
