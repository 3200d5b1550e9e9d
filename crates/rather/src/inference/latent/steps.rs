//! Steps of a Markov process between times, and what is known between two of them.

use crate::kernel::Process;
use rather_numerics::linalg::{Matrix, cholesky, inverse_from_cholesky, product, product_transposed};

/// A process with a variance and a rate: everything in units of utility and time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dynamics {
    pub(super) process: Process,
    pub(super) variance: f64,
    /// $\lambda$.
    pub(super) rate: f64,
}

/// The state at a time, given the states at the ends of the interval that it lies in: $x=G_-x_-+G_+x_++e$.
#[derive(Debug, Clone)]
pub(super) struct Bridge {
    /// $G_-$; `None` if there is no state before.
    pub(super) before: Option<Matrix>,
    /// $G_+$; `None` if there is no state after.
    pub(super) after: Option<Matrix>,
    /// The covariance of $e$.
    pub(super) rest: Matrix,
}

impl Dynamics {
    pub(super) fn transition(&self, dt: f64) -> Matrix {
        self.process.transition(self.rate * dt)
    }

    pub(super) fn noise(&self, dt: f64) -> Matrix {
        scaled(self.process.noise(self.rate * dt), self.variance)
    }

    /// The covariance of the first state, `since` after the start of processes that have one.
    pub(super) fn initial(&self, since: f64) -> Matrix {
        scaled(self.process.initial(self.rate * since), self.variance)
    }

    /// The state at `time`, given those at the times `before` and `after`, if there are any; `start` is where processes start that do.
    pub(super) fn bridge(&self, before: Option<f64>, time: f64, after: Option<f64>, start: f64) -> Bridge {
        let (first, prior) = match before {
            Some(before) => (Some(self.transition(time - before)), self.noise(time - before)),
            None => (None, self.initial((time - start).max(0.0))),
        };
        let Some(after) = after else { return Bridge { before: first, after: None, rest: prior } };
        let (a, q) = (self.transition(after - time), self.noise(after - time));
        let ahead = product(&a, &prior);
        let gain = transpose(&solve_symmetric(plus(&product_transposed(&ahead, &a), &q), &ahead));
        let rest = minus(&prior, &product(&gain, &ahead));
        let before = first.map(|first| minus(&first, &product(&gain, &product(&a, &first))));
        Bridge { before, after: Some(gain), rest }
    }
}

pub(super) fn scaled(mut a: Matrix, by: f64) -> Matrix {
    a.data_mut().iter_mut().for_each(|x| *x *= by);
    a
}

pub(super) fn transpose(a: &Matrix) -> Matrix {
    Matrix::from_fn(a.cols(), a.rows(), |i, j| a[(j, i)])
}

pub(super) fn plus(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] + b[(i, j)])
}

pub(super) fn minus(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] - b[(i, j)])
}

/// $S^{-1}B$ for a small symmetric $S$; where it is singular to rounding, as at times that are as good as the same, what is not determined counts
/// for nothing.
pub(super) fn solve_symmetric(s: Matrix, b: &Matrix) -> Matrix {
    product(&inverse(s), b)
}

/// The inverse of a small covariance, whose components are scaled to a variance of 1 first.
pub(super) fn inverse(mut s: Matrix) -> Matrix {
    let n = s.rows();
    let scale: Vec<f64> = (0..n).map(|i| s[(i, i)].max(f64::MIN_POSITIVE).sqrt().recip()).collect();
    for i in 0..n {
        for j in 0..n {
            s[(i, j)] *= scale[i] * scale[j];
        }
    }
    let mut jitter = 0.0;
    loop {
        let mut l = s.clone();
        l.add_diagonal(jitter);
        if cholesky(&mut l) {
            let inverse = inverse_from_cholesky(&l);
            return Matrix::from_fn(n, n, |i, j| inverse[(i.max(j), i.min(j))] * scale[i] * scale[j]);
        }
        if jitter > 1.0 {
            return Matrix::zeros(n, n);
        }
        jitter = if jitter == 0.0 { 1e-14 } else { 100.0 * jitter };
    }
}
