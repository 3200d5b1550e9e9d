//! The order in which the variables of an orthant are taken, and the Cholesky factor in that order.

use rather_numerics::linalg::{Matrix, dot};
use rather_numerics::special::probit::probit_moments;

/// A covariance $S$ with its rows in a good order: $S=D\tilde L\tilde L^\top D$ with a unit lower triangle
/// $\tilde L=I+G$.
#[derive(Debug, Clone)]
pub struct Ordered {
    /// Position `k` holds variable `order[k]`.
    pub order: Vec<usize>,
    /// Row `k` of $G$ is column `k` here, of which the first `k` entries count.
    pub rows: Matrix,
    /// The diagonal of $D$, the conditional standard deviations.
    pub scale: Vec<f64>,
}

impl Ordered {
    /// Orders $P(y>0)$, $y\sim\mathcal N(0,S)$: next comes the variable least likely to be positive when those before it
    /// are at their truncated means, so that the inner factors of the integrand vary little. `None` if the covariance is
    /// not positive definite.
    ///
    /// # References
    /// Gibson, Glasbey and Elston, *Monte Carlo evaluation of multivariate normal integrals and sensitivity to variate
    /// ordering* (1994); Genz and Bretz, *Computation of Multivariate Normal and t Probabilities* (2009), section 4.1.3.
    pub fn new(covariance: &Matrix) -> Option<Self> {
        let t = covariance.rows();
        let mut factor = Matrix::zeros(t, t);
        let mut left: Vec<usize> = (0..t).collect();
        let mut variance: Vec<f64> = (0..t).map(|i| covariance[(i, i)]).collect();
        let mut mean = vec![0.0; t];
        let mut order = Vec::with_capacity(t);
        let mut scale = Vec::with_capacity(t);
        for k in 0..t {
            let bound = |i: usize| -mean[i] / variance[i].sqrt();
            let at = (0..left.len()).max_by(|&a, &b| bound(left[a]).total_cmp(&bound(left[b])))?;
            let next = left.swap_remove(at);
            if variance[next].is_nan() || variance[next] <= 0.0 {
                return None;
            }
            let (sd, expected) = (variance[next].sqrt(), probit_moments(-bound(next)).r);
            factor[(k, next)] = sd;
            let row = factor.col(next)[..k].to_vec();
            for &i in &left {
                let entry = (covariance[(i, next)] - dot(&factor.col(i)[..k], &row)) / sd;
                factor[(k, i)] = entry;
                variance[i] -= entry * entry;
                mean[i] += entry * expected;
            }
            order.push(next);
            scale.push(sd);
        }
        let rows = Matrix::from_fn(t, t, |j, k| if j < k { factor[(j, order[k])] / scale[k] } else { 0.0 });
        Some(Self { order, rows, scale })
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}
