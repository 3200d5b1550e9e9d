//! A Gaussian process on a basis: its values at a fixed number of points stand for the whole function.

use crate::Error;
use crate::kernel::{Evaluator, Kernel};
use crate::points::Points;
use rather_numerics::linalg::{
    Matrix, axpy, cholesky, dot, solve_lower, solve_lower_transposed, transpose_product,
};

/// What is added to the diagonal of the basis' covariance, relative to its mean.
///
/// It limits the agreement with a Gaussian process without a basis to about a tenth of its root times the spread of
/// utilities; without it a dense basis has no Cholesky factor.
pub const JITTER: f64 = 1e-10;

/// Basis points $X_b$, the covariance $K_b=k(X_b,X_b)$ plus jitter, and its Cholesky factor $L$.
///
/// # Formula
/// With whitened values $w=L^{-1}g(X_b)\sim\mathcal N(0,I)$, a value of the process is $g(x)=\varphi(x)^\top w+e$ with the features
/// $\varphi(x)=L^{-1}k(X_b,x)$ and a remainder $e\sim\mathcal N(0,D)$, $D=k(x,x)-\varphi(x)^\top\varphi(x)\ge0$. In terms of the values
/// themselves, $J=k(x,X_b)K_b^{-1}=\varphi^\top L^{-1}$. A comparison has the difference of two features, and its own $D$.
///
/// # References
/// Schoonderbeek (2014), equations 16 and 17; Huber, *Recursive Gaussian process regression* (2013), equations 5 to 9.
///
/// # Examples
/// ```
/// use rather::kernel::{Schema, parse};
/// use rather::points::Points;
/// use rather::streaming::Basis;
///
/// let kernel = parse("se", &Schema { names: vec!["x".into()], categorical: vec![false], context: 0 }, false)?;
/// let basis = Basis::new(kernel, Points::from_rows(&[[0.0], [0.5], [1.0]]))?;
/// let at = Points::from_rows(&[[0.5]]);
/// assert!((basis.weights(&at)[(0, 1)] - 1.0).abs() < 1e-6); // on a basis point, J picks its value
/// assert!(basis.residual(&at)[(0, 0)] < 1e-8); // and nothing remains
/// # Ok::<(), rather::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Basis {
    kernel: Kernel,
    points: Points,
    jitter: f64,
    factor: Matrix,
    evaluator: Evaluator,
    /// A second column for the pair's other item.
    column: Vec<f64>,
}

impl Basis {
    /// The basis with the usual [`JITTER`].
    ///
    /// # Errors
    /// As [`Basis::with_jitter`].
    pub fn new(kernel: Kernel, points: Points) -> Result<Self, Error> {
        Self::with_jitter(kernel, points, JITTER)
    }

    /// The basis of the given points.
    ///
    /// # Errors
    /// [`Error::Basis`] if there is no point; [`Error::KernelShape`] if the kernel asks for features that the points do not
    /// have; [`Error::Covariance`] if the covariance is not finite and positive definite with this jitter.
    pub fn with_jitter(kernel: Kernel, points: Points, jitter: f64) -> Result<Self, Error> {
        if points.is_empty() {
            return Err(Error::Basis { problem: "has no point; give it at least one" });
        }
        kernel.check(points.dims())?;
        let mut factor = Self::covariance_of(&kernel, &points, jitter);
        if factor.data().iter().any(|x| !x.is_finite()) || !cholesky(&mut factor) {
            return Err(Error::Covariance);
        }
        let n = points.len();
        for j in 0..n {
            factor.col_mut(j)[..j].fill(0.0);
        }
        let evaluator = Evaluator::new(&points);
        Ok(Self { kernel, points, jitter, factor, evaluator, column: vec![0.0; n] })
    }

    fn covariance_of(kernel: &Kernel, points: &Points, jitter: f64) -> Matrix {
        let mut matrix = kernel.matrix(points);
        let n = points.len();
        let mean = (0..n).map(|i| matrix[(i, i)]).sum::<f64>() / n as f64;
        matrix.add_diagonal(jitter * mean);
        matrix
    }

    /// Number of basis points $M$.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Never: a basis has at least one point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The basis points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The jitter, relative to the mean variance.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The Cholesky factor $L$ of the covariance, lower triangular.
    pub fn factor(&self) -> &Matrix {
        &self.factor
    }

    /// The covariance $K_b$ of the basis values, jitter included.
    pub fn covariance(&self) -> Matrix {
        Self::covariance_of(&self.kernel, &self.points, self.jitter)
    }

    /// The features $\varphi=L^{-1}k(X_b,x)$ of `points`, one point a column ($M\times N$).
    pub fn features(&self, points: &Points) -> Matrix {
        let mut features = self.kernel.cross(&self.points, points);
        solve_lower(&self.factor, &mut features);
        features
    }

    /// The weights $J=k(x,X_b)K_b^{-1}$ of `points`, one point a row ($N\times M$).
    pub fn weights(&self, points: &Points) -> Matrix {
        let mut weights = self.features(points);
        solve_lower_transposed(&self.factor, &mut weights);
        Matrix::from_fn(weights.cols(), weights.rows(), |i, j| weights[(j, i)])
    }

    /// What the basis leaves open: the covariance $D=k(x,x)-\varphi^\top\varphi$ of `points` ($N\times N$), variances clipped at 0.
    pub fn residual(&self, points: &Points) -> Matrix {
        let features = self.features(points);
        let taken = transpose_product(&features, &features);
        let own = self.kernel.matrix(points);
        Matrix::from_fn(points.len(), points.len(), |i, j| {
            let left = own[(i, j)] - taken[(i, j)];
            if i == j { left.max(0.0) } else { left }
        })
    }

    /// Writes the features of one item, or of the difference of two, and returns $D$. Allocates nothing.
    pub(crate) fn project(
        &mut self,
        item: (u64, &[f64]),
        other: Option<(u64, &[f64])>,
        features: &mut [f64],
    ) -> f64 {
        self.evaluator.column(&self.kernel, item, features);
        let mut variance = self.evaluator.between(&self.kernel, item, item);
        if let Some(other) = other {
            self.evaluator.column(&self.kernel, other, &mut self.column);
            axpy(-1.0, &self.column, features);
            variance += self.evaluator.between(&self.kernel, other, other)
                - 2.0 * self.evaluator.between(&self.kernel, item, other);
        }
        self.whiten(features);
        (variance - dot(features, features)).max(0.0)
    }

    /// `x <- L^-1 x`, for one vector and without allocating.
    pub(crate) fn whiten(&self, x: &mut [f64]) {
        for j in 0..x.len() {
            let column = &self.factor.col(j)[j..];
            let (head, tail) = x[j..].split_at_mut(1);
            head[0] /= column[0];
            axpy(-head[0], &column[1..], tail);
        }
    }
}
