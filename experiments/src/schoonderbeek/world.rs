//! What the experiments share: kernels, grids, draws from a Gaussian process, and averages.

use rand_chacha::ChaCha8Rng;
use rather::kernel::{Kernel, Schema, parse};
use rather::points::Points;
use rather::streaming::Basis;
use rather_numerics::linalg::{Matrix, cholesky, product, transpose_product};
use rather_numerics::random::{normals, uniform};

/// The noise per item at which a difference has s = 1, the scale of the thesis.
pub(super) const NOISE: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A squared exponential.
pub(super) fn se(dims: usize, variance: f64, lengthscale: f64) -> Kernel {
    let names = (0..dims).map(|d| format!("x{d}")).collect();
    let mut kernel =
        parse("se", &Schema { names, categorical: vec![false; dims], context: 0 }, false).expect("a kernel");
    kernel.set_parameters(&[variance, lengthscale]).expect("its two parameters");
    kernel
}

/// `side` to the power of `dims` points on the unit cube, the first coordinate fastest.
pub(super) fn grid(dims: usize, side: usize) -> Points {
    let n = side.pow(dims as u32);
    let at = |i: usize| i as f64 / (side - 1) as f64;
    let values = (0..n).flat_map(|k| (0..dims).map(move |d| at(k / side.pow(d as u32) % side))).collect();
    Points::new((0..n as u64).collect(), dims, values)
}

/// `n` uniform points on the unit cube.
pub(super) fn scattered(dims: usize, n: usize, rng: &mut ChaCha8Rng) -> Points {
    Points::new((0..n as u64).collect(), dims, (0..n * dims).map(|_| uniform(rng)).collect())
}

/// A draw of the Gaussian process at `points`.
pub(super) fn draw(kernel: &Kernel, points: &Points, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut l = kernel.matrix(points);
    let variance = l[(0, 0)];
    l.add_diagonal(1e-9 * variance);
    assert!(cholesky(&mut l), "a covariance with jitter is positive definite");
    times_lower(&l, &normals(points.len(), rng))
}

/// `L z`.
pub(super) fn times_lower(l: &Matrix, z: &[f64]) -> Vec<f64> {
    (0..z.len()).map(|i| (0..=i).map(|j| l[(i, j)] * z[j]).sum()).collect()
}

/// A number below `n`.
pub(super) fn pick(n: usize, rng: &mut ChaCha8Rng) -> usize {
    ((uniform(rng) * n as f64) as usize).min(n - 1)
}

pub(super) fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len().max(1) as f64
}

/// The root of the mean square.
pub(super) fn rms(x: impl Iterator<Item = f64>) -> f64 {
    let squares: Vec<f64> = x.map(|x| x * x).collect();
    mean(&squares).sqrt()
}

/// Less its mean.
pub(super) fn centred(x: &[f64]) -> Vec<f64> {
    let m = mean(x);
    x.iter().map(|x| x - m).collect()
}

pub(super) fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (x, y) = (centred(x), centred(y));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(&x, &y) / (dot(&x, &x) * dot(&y, &y)).sqrt().max(1e-300)
}

/// The `q`-quantile: an order statistic, so that "not reached" may be infinite.
pub(super) fn quantile(x: &[f64], q: f64) -> f64 {
    let mut x = x.to_vec();
    x.sort_by(f64::total_cmp);
    x[((x.len() - 1) as f64 * q).round() as usize]
}

/// Mean `J mu` and covariance `D + J Sigma J'` at `points`, from those of the basis values.
pub(super) fn through(
    basis: &Basis,
    points: &Points,
    mean: &[f64],
    covariance: &Matrix,
) -> (Vec<f64>, Matrix) {
    let weights = basis.weights(points);
    let residual = basis.residual(points);
    let transposed = Matrix::from_fn(weights.cols(), weights.rows(), |i, j| weights[(j, i)]);
    let learned = transpose_product(&transposed, &product(covariance, &transposed));
    let n = points.len();
    (weights.times(mean), Matrix::from_fn(n, n, |i, j| residual[(i, j)] + learned[(i, j)]))
}
