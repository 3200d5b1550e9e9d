//! Whether a kernel is a covariance function with the derivatives that it says it has.

use super::Kernel;
use crate::points::Points;
use crate::schema::Schema;
use rather_numerics::linalg::Matrix;

/// Central differences of fourth order with a step of 1e-4 in log parameters: rounding costs 1e-11 of the magnitude, truncation
/// at most 1e-7 (a period's, whose derivatives grow by the number of turns).
const GRADIENT: f64 = 1e-6;
const STEP: f64 = 1e-4;
/// Rounding in a sum of products of the size of the entries.
const DEFINITE: f64 = 1e-10;
/// Features nearer than this may be at a kink.
const APART: f64 = 1e-2;

/// Checks that `kernel` is a covariance function at its parameters, over items like `points`: symmetric, positive semidefinite, with the
/// diagonal that it says, finite for parameters and features of extreme sizes, and with the gradients in its parameters and in one item's features that
/// differences give. For tests of an atom of one's own; choose points with two equal items among them, and several parameters.
///
/// # Errors
/// A sentence on what is wrong.
///
/// # Examples
/// ```
/// use rather::kernel::{Schema, check_covariance, parse};
/// use rather::points::Points;
///
/// let schema = Schema { names: vec!["price".into(), "brand".into()], categorical: vec![false, true], context: 0 };
/// let points = Points::from_rows(&[[0.3, 0.0], [1.1, 1.0], [-0.4, 0.0], [0.3, 0.0]]);
/// check_covariance(&parse("matern52", &schema, false)?, &points, &schema).unwrap();
/// # Ok::<(), rather::Error>(())
/// ```
pub fn check_covariance(kernel: &Kernel, points: &Points, schema: &Schema) -> Result<(), String> {
    kernel.check(points.dims()).map_err(|error| error.to_string())?;
    check_matrix(kernel, points)?;
    check_gradient(kernel, points)?;
    check_input_gradient(kernel, points, schema)?;
    check_extremes(kernel, points)
}

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem()) }
}

fn check_matrix(kernel: &Kernel, points: &Points) -> Result<(), String> {
    let n = points.len();
    let matrix = kernel.matrix(points);
    ensure(matrix == kernel.cross(points, points), || "matrix and cross covariance differ".into())?;
    let diagonal = kernel.diagonal(points);
    for j in 0..n {
        ensure(matrix[(j, j)] == diagonal[j], || {
            format!("the variance of item {j} is not its diagonal entry")
        })?;
        for i in 0..n {
            ensure(matrix[(i, j)] == matrix[(j, i)], || {
                format!("items {i} and {j} have no symmetric covariance")
            })?;
        }
    }
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    let pivot = smallest_pivot(matrix, DEFINITE * largest.max(1e-300));
    ensure(pivot > 0.0, || format!("the smallest pivot is {pivot:e}, the largest variance {largest:e}"))
}

/// The smallest pivot of the LDL' factorisation of `a + jitter I`: positive if and only if `a + jitter I` is definite.
fn smallest_pivot(mut a: Matrix, jitter: f64) -> f64 {
    let n = a.rows();
    let mut smallest = f64::INFINITY;
    for k in 0..n {
        let pivot = a[(k, k)] + jitter;
        smallest = smallest.min(pivot);
        for i in k + 1..n {
            let factor = a[(i, k)] / pivot;
            for j in k + 1..n {
                a[(i, j)] -= factor * a[(k, j)];
            }
        }
    }
    smallest
}

/// The derivative of `at` in 0.
fn by_differences(at: impl Fn(f64) -> f64) -> f64 {
    (8.0 * (at(STEP) - at(-STEP)) - (at(2.0 * STEP) - at(-2.0 * STEP))) / (12.0 * STEP)
}

/// The kernel with the logarithm of one parameter moved.
fn moved(kernel: &Kernel, parameter: usize, by: f64) -> Kernel {
    let mut out = kernel.clone();
    *out.parameters_mut()[parameter] *= by.exp();
    out
}

fn check_gradient(kernel: &Kernel, points: &Points) -> Result<(), String> {
    let n = points.len();
    let weights = Matrix::from_fn(n, n, |i, j| ((i + 1) as f64 * (j + 1) as f64 * 0.7).sin());
    let gradient = kernel.gradient(points, &weights);
    let count = kernel.parameters().len();
    ensure(gradient.len() == count, || format!("{} derivatives for {count} parameters", gradient.len()))?;
    let magnitude: f64 = kernel.matrix(points).data().iter().map(|k| k.abs()).sum();
    for (k, analytic) in gradient.iter().enumerate() {
        let contraction = |kernel: &Kernel| -> f64 {
            kernel.matrix(points).data().iter().zip(weights.data()).map(|(k, w)| k * w).sum()
        };
        let numeric = by_differences(|step| contraction(&moved(kernel, k, step)));
        ensure((analytic - numeric).abs() <= GRADIENT * magnitude, || {
            format!("the derivative in parameter {k} is {analytic}, by differences {numeric}")
        })?;
    }
    Ok(())
}

/// The gradient by one item's features, away from where items agree in one: there a kernel may have a kink.
fn check_input_gradient(kernel: &Kernel, points: &Points, schema: &Schema) -> Result<(), String> {
    let x = points.select(&[0]);
    let gradient = kernel.gradient_in_inputs(&x, points);
    let magnitude = kernel.diagonal(points).iter().copied().fold(1.0, f64::max);
    let numbers = schema.columns(false);
    for j in 0..points.len() {
        let apart = numbers.iter().all(|&c| (x.row(0)[c] - points.row(j)[c]).abs() > APART);
        for c in 0..points.dims() {
            let analytic = gradient[(c, j)];
            if !numbers.contains(&c) {
                ensure(analytic == 0.0, || format!("column {c} of categories has the slope {analytic}"))?;
            } else if apart {
                let at = |step: f64| {
                    let mut row = x.row(0).to_vec();
                    row[c] += step;
                    let here = Points::new(vec![x.id(0)], points.dims(), row);
                    kernel.cross(&here, &points.select(&[j]))[(0, 0)]
                };
                let numeric = by_differences(at);
                ensure((analytic - numeric).abs() <= GRADIENT * magnitude, || {
                    format!(
                        "the slope in column {c} towards item {j} is {analytic}, by differences {numeric}"
                    )
                })?;
            }
        }
    }
    ensure(gradient.data().iter().all(|g| g.is_finite()), || "a slope is not a finite number".into())
}

/// Variances beyond this are not looked at.
const LARGEST: f64 = 1e100;

/// Parameters and features of extreme sizes give finite numbers, wherever variances are below [`LARGEST`].
fn check_extremes(kernel: &Kernel, points: &Points) -> Result<(), String> {
    let dims = points.dims();
    let far = |sign: f64| points.row(0).iter().map(|x| sign * (1e150 + x)).collect::<Vec<f64>>();
    let huge = Points::new(vec![0, 1], dims, [far(1.0), far(-1.0)].concat());
    for points in [points, &huge] {
        for value in [1e-6, 1.0, 1e6] {
            let mut kernel = kernel.clone();
            kernel.parameters_mut().into_iter().for_each(|place| *place = value);
            if kernel.diagonal(points).iter().any(|variance| !(0.0..=LARGEST).contains(variance)) {
                continue; // products with features of size 1e150 end where numbers do
            }
            let weights = Matrix::from_fn(points.len(), points.len(), |_, _| 1.0);
            let slopes = kernel.gradient_in_inputs(&points.select(&[0]), points);
            let numbers = [
                kernel.matrix(points).data().to_vec(),
                kernel.gradient(points, &weights),
                slopes.data().to_vec(),
            ]
            .concat();
            ensure(numbers.iter().all(|x| x.is_finite()), || {
                format!("parameters of {value} give something that is not a finite number: {numbers:?}")
            })?;
        }
    }
    Ok(())
}
