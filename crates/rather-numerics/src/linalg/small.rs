//! Systems of a few equations.

use super::{Matrix, axpy};

/// `B <- A^-1 B` by Gaussian elimination with partial pivoting, and the determinant of `A`. For a few equations; `None` if a pivot is 0 or no number.
///
/// # Examples
/// ```
/// use rather_numerics::linalg::{Matrix, solve};
///
/// let a = Matrix::from_fn(2, 2, |i, j| [[0.0, 2.0], [4.0, 1.0]][i][j]);
/// let mut b = Matrix::from_fn(2, 1, |i, _| [2.0, 9.0][i]);
/// assert_eq!(solve(a, &mut b), Some(-8.0));
/// assert_eq!(b.col(0), [2.0, 1.0]);
/// ```
pub fn solve(mut a: Matrix, b: &mut Matrix) -> Option<f64> {
    let n = a.rows();
    let mut determinant = 1.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs()))?;
        if a[(pivot, k)] == 0.0 || a[(pivot, k)].is_nan() {
            return None;
        }
        if pivot != k {
            determinant = -determinant;
            (k..n).for_each(|j| a.col_mut(j).swap(k, pivot));
            (0..b.cols()).for_each(|j| b.col_mut(j).swap(k, pivot));
        }
        determinant *= a[(k, k)];
        let factors: Vec<f64> = (k + 1..n).map(|i| a[(i, k)] / a[(k, k)]).collect();
        let eliminate = |column: &mut [f64]| axpy(-column[k], &factors, &mut column[k + 1..]);
        (k + 1..n).for_each(|j| eliminate(a.col_mut(j)));
        (0..b.cols()).for_each(|j| eliminate(b.col_mut(j)));
    }
    for j in 0..b.cols() {
        let x = b.col_mut(j);
        for k in (0..n).rev() {
            x[k] /= a[(k, k)];
            let value = x[k];
            axpy(-value, &a.col(k)[..k], &mut x[..k]);
        }
    }
    Some(determinant)
}
